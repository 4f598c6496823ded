//! Callers whose contract differs from the provider's.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice, reason = "a test fails by panicking")]

use std::sync::Arc;

use crate::fixture;
use crate::fixture::ADDRESS;
use capgen::Checked;
use capgen::call::{
    Assume, CallResult, Client, Handlers, MemoryBroker, PeerTable, Server, ServerBuilder, Skew, Status,
};
use capgen_manifest::{AgentId, Capability, Manifest, Side, SideEffects, TransportSettings};
use capgen_schema::Schema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Looks something up.
#[derive(Serialize, Deserialize, JsonSchema, capgen::Capability)]
#[capability(name = "lookup", response = String, version = "2.1.0")]
#[capability(min_schema_version = "2.0.0", supported_versions = [">=1.0.0 <2.1.0"])]
struct Lookup {
    q: String,
}

fn contract(version: &str, input: &str) -> Capability {
    Capability {
        version: Some(version.parse().unwrap()),
        input: Some(Schema::parse_text(input).unwrap()),
        ..Capability::new("search")
    }
}

/// Refuses calls of which a payload might be invalid.
fn strict(server: ServerBuilder) -> ServerBuilder {
    server.skew(Skew::Strict)
}

/// The result of calls by a caller with one contract to a provider with another, and the number of messages to the
/// provider.
async fn call(
    caller: &Capability,
    provider: &Capability,
    payloads: &[Value],
    server: impl FnOnce(ServerBuilder) -> ServerBuilder,
) -> (Vec<CallResult>, u64) {
    let broker = MemoryBroker::new();
    let handlers = Handlers::new("index").with_json(provider, async |_, payload| Ok(payload));
    let built = Server::builder(handlers).listen(Arc::new(broker.connect()), ADDRESS);
    let server = server(built).start().await.unwrap();
    let manifest =
        Manifest::new(AgentId::new("index").unwrap(), vec![TransportSettings::memory(ADDRESS)], vec![caller.clone()]);
    let client = Client::builder("desk")
        .transport(Arc::new(broker.connect()))
        .peers(PeerTable::new().with_manifest(&manifest))
        // There is one instance.
        .try_other_instances(false)
        .build()
        .await
        .unwrap();
    let mut results = Vec::new();
    for payload in payloads {
        results.push(client.call_json("index", "search", payload).await);
    }
    (results, server.stats().received)
}

const OLD: &str = r#"{"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}"#;
const WIDER: &str = r#"{"type": "object", "properties": {"q": {"type": "string"}}}"#;
const NARROWER: &str =
    r#"{"type": "object", "properties": {"q": {"type": "string", "minLength": 1}}, "required": ["q"]}"#;

#[tokio::test]
async fn without_a_comparison_the_payloads_decide() {
    let (old, new) = (contract("1.0.0", OLD), contract("2.0.0", NARROWER));
    let payloads = [json!({"q": "a"}), json!({"q": ""})];
    // A known contract is not compared either.
    for known in [&[][..], std::slice::from_ref(&old)] {
        let known = |server: ServerBuilder| known.iter().fold(server, ServerBuilder::known_contract);
        let (results, received) = call(&old, &new, &payloads, known).await;
        assert_eq!(results[0].status, Status::Ok, "{results:?}");
        let error = results[1].error.as_ref().unwrap();
        assert_eq!((results[1].status, &*error.code), (Status::Error, "EVERSION_SKEW"));
        assert_eq!((results[1].schema_side, &*results[1].violations[0].path), (Some(Side::Request), "/q"));
        // Nothing is sent twice: no contract is asked for.
        assert_eq!(received, 2);
    }
}

const CLOSED: &str = r#"{"type": "object", "properties": {"q": {"type": "string"}}, "additionalProperties": false}"#;
const NOTED: &str = r#"{"type": "object", "properties": {"q": {"type": "string"}, "note": {"type": "string"}},
    "additionalProperties": false}"#;

#[tokio::test]
async fn a_new_optional_property_is_served_unless_the_provider_does_not_know_it() {
    let (old, new) = (contract("1.0.0", CLOSED), contract("1.1.0", NOTED));
    let (results, _) = call(&old, &new, &[json!({"q": "a"})], |server| server).await;
    assert_eq!(results[0].status, Status::Ok, "an old caller: {results:?}");
    let payloads = [json!({"q": "a"}), json!({"q": "a", "note": "b"})];
    let (results, _) = call(&new, &old, &payloads, |server| server).await;
    assert_eq!(results[0].status, Status::Ok, "a new caller that does not use it: {results:?}");
    let result = serde_json::to_value(&results[1]).unwrap();
    assert_eq!(
        result["error"],
        json!({
            "code": "EVERSION_SKEW",
            "message": "the provider (1.0.0) does not know `note`, which your contract (1.1.0) may send",
            "skew": {
                "callerVersion": "1.1.0", "callerContract": new.hash().to_string(),
                "providerVersion": "1.0.0", "providerContract": old.hash().to_string(),
                "served": ["1.0.0"], "reason": "payload",
            },
        })
    );
    assert_eq!(
        result["violations"][0],
        json!({
            "path": "/note", "message": "unexpected property", "keyword": "additionalProperties",
        })
    );
}

#[tokio::test]
async fn an_unreadable_request_states_that_nothing_ran() {
    let handlers = || Handlers::new("echo").with_json(&contract("1.0.0", CLOSED), async |_, payload| Ok(payload));
    let mut raw = fixture::raw::Raw::with_handlers(handlers(), |server| server).await;
    let mut request = raw.request("1");
    (request["capability"], request["payload"]) = (json!("search"), json!({"note": "a value that is a secret"}));
    request["headers"] = json!({"capgen-contract": contract("1.1.0", NOTED).hash().to_string()});
    raw.send(request.to_string()).await;
    let response = raw.response().await.unwrap();
    let error = &response["payload"];
    assert_eq!(
        (&error["retryable"], &error["effect"], &error["side"]),
        (&json!(true), &json!("none"), &json!("request"))
    );
    assert_eq!(response["headers"]["capgen-version"], "1.0.0");
    assert!(!response.to_string().contains("secret"), "{response}");
    // A caller with the same contract, or without one, made a mistake.
    for headers in [json!({}), json!({"capgen-contract": contract("1.0.0", CLOSED).hash().to_string()})] {
        request["headers"] = headers;
        assert_eq!(raw.code(request.to_string()).await, "EAGENTRPC_SCHEMA_VIOLATION");
    }
}

#[tokio::test]
async fn a_response_that_only_the_provider_allows_is_a_violation_at_the_caller() {
    let output = |text: &str| Some(Schema::parse_text(text).unwrap());
    let old = Capability {
        output: output(r#"{"required": ["q"], "properties": {"q": {"maxLength": 1}}}"#),
        ..contract("1.0.0", OLD)
    };
    let new = Capability { output: output("{}"), ..contract("2.0.0", OLD) };
    let payloads = [json!({"q": "a"}), json!({"q": "too long"})];
    let (results, _) = call(&old, &new, &payloads, |server| server).await;
    assert_eq!(results[0].status, Status::Ok, "{results:?}");
    assert_eq!((results[1].status, results[1].schema_side), (Status::SchemaViolation, Some(Side::Response)));
    assert_eq!(results[1].response, Some(json!({"q": "too long"})));
}

#[tokio::test]
async fn a_version_that_is_not_served_is_refused_with_and_without_a_comparison() {
    let provider = contract("2.0.0", WIDER);
    let least = Capability { min_schema_version: Some("1.2.0".parse().unwrap()), ..provider.clone() };
    let supported = Capability { supported_versions: vec![">=1.2.0 <1.5.0".parse().unwrap()], ..provider };
    type Build = fn(ServerBuilder) -> ServerBuilder;
    for build in [(|server| server) as Build, strict] {
        for (provider, version, served) in [
            (&least, "1.1.9", false),
            (&least, "1.2.0-rc.1", false),
            (&least, "1.2.0", true),
            (&least, "3.0.0", true),
            (&supported, "1.1.9", false),
            (&supported, "1.2.0+build", true),
            (&supported, "1.5.0", false),
            // The provider's own version.
            (&supported, "2.0.0", true),
        ] {
            let (results, _) = call(&contract(version, OLD), provider, &[json!({"q": "a"})], build).await;
            let code = results[0].error.as_ref().map(|error| (&*error.code, error.message.contains("1.2.0")));
            assert_eq!(code, (!served).then_some(("EVERSION_SKEW", true)), "{version}: {results:?}");
        }
    }
}

#[tokio::test]
async fn a_derived_capability_refuses_versions_that_it_does_not_serve() {
    let handlers = Handlers::new("echo").with::<Lookup, _, _>(async |_, lookup| Ok(Checked(lookup.q)));
    let mut raw = fixture::raw::Raw::with_handlers(handlers, |server| server).await;
    for (id, version, expected) in [
        ("1", Some("1.9.0"), "EVERSION_SKEW"),
        ("2", Some("2.0.0"), "ok"),
        ("3", Some("2.2.0"), "EVERSION_SKEW"),
        ("4", Some("2.1.0"), "ok"),
        ("5", Some("latest"), "EAGENTRPC_INVALID_ENVELOPE"),
        ("6", Some("2.0"), "EAGENTRPC_INVALID_ENVELOPE"),
        ("7", None, "ok"),
    ] {
        let mut request = raw.request(id);
        (request["capability"], request["payload"]) = (json!("lookup"), json!({"q": "a"}));
        request["headers"] = version.map_or(json!({}), |version| json!({"capgen-version": version}));
        assert_eq!(raw.code(request.to_string()).await, expected, "{version:?}");
    }
}

#[tokio::test]
async fn an_event_of_a_version_that_is_not_served_does_not_run() {
    let handled = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = Arc::clone(&handled);
    let least = Capability { min_schema_version: Some("1.2.0".parse().unwrap()), ..contract("2.0.0", OLD) };
    let handlers = Handlers::new("echo").with_json(&least, move |_, payload| {
        count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        async { Ok(payload) }
    });
    let mut raw = fixture::raw::Raw::with_handlers(handlers, |server| server).await;
    for (id, version) in [("1", "1.1.0"), ("2", "1.2.0")] {
        let mut event = raw.request(id);
        (event["kind"], event["capability"], event["payload"]) = (json!("event"), json!("search"), json!({"q": "a"}));
        event["headers"] = json!({"capgen-version": version});
        assert_eq!(raw.code(event.to_string()).await, "nothing");
    }
    assert_eq!(handled.load(std::sync::atomic::Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_version_without_restrictions_is_not_even_read() {
    let mut raw = fixture::raw::Raw::start(|server| server).await;
    let mut request = raw.request("1");
    request["headers"] = json!({"capgen-version": "not a version"});
    assert_eq!(raw.code(request.to_string()).await, "ok");
}

#[tokio::test]
async fn a_compatible_provider_is_called_after_it_compared_the_contracts_once() {
    let payloads = [json!({"q": "a"}), json!({"q": "b"})];
    let (results, received) = call(&contract("1.0.0", OLD), &contract("1.1.0", WIDER), &payloads, strict).await;
    assert!(results.iter().all(|result| result.status == Status::Ok), "{results:?}");
    // The first request was sent twice: the second time with the caller's contract.
    assert_eq!(received, 3);
}

#[tokio::test]
async fn an_incompatible_provider_answers_with_the_first_breaking_finding() {
    let payloads = [json!({"q": "a"}), json!({"q": "b"})];
    let (results, received) = call(&contract("1.0.0", OLD), &contract("2.0.0", NARROWER), &payloads, strict).await;
    for result in &results {
        let result = serde_json::to_value(result).unwrap();
        assert_eq!((&result["status"], &result["error"]["code"]), (&json!("error"), &json!("EVERSION_SKEW")));
        let finding = &result["error"]["finding"];
        assert_eq!(finding["witness"]["payload"], json!({"q": ""}), "{result}");
        assert_eq!(finding["side"], "request");
        assert!(finding["code"].as_str().unwrap().starts_with("E07"), "{result}");
        assert_eq!(finding["pointer"], "/inputSchema/properties/q/minLength");
    }
    assert_eq!(received, 3);
}

#[tokio::test]
async fn a_known_contract_is_compared_without_asking() {
    let old = contract("1.0.0", OLD);
    let known = |server: ServerBuilder| server.skew(Skew::Strict).known_contract(&old);
    let (results, received) = call(&old, &contract("2.0.0", NARROWER), &[json!({"q": "a"})], known).await;
    assert_eq!(results[0].error.as_ref().unwrap().code, "EVERSION_SKEW");
    assert_eq!(received, 1);
    let (results, received) = call(&old, &contract("1.1.0", WIDER), &[json!({"q": "a"})], known).await;
    assert_eq!((results[0].status, received), (Status::Ok, 1));
}

#[tokio::test]
async fn equal_contracts_are_not_compared() {
    let old = contract("1.0.0", OLD);
    let (results, received) = call(&old, &old, &[json!({"q": "a"})], strict).await;
    assert_eq!((results[0].status, received), (Status::Ok, 1));
}

#[tokio::test]
async fn a_contract_that_does_not_have_its_hash_is_rejected() {
    let old = contract("1.0.0", OLD);
    let descriptor = |capability: &Capability| serde_json::to_string(&capability.to_descriptor(None)).unwrap();
    let handlers = || Handlers::new("echo").with_json(&contract("2.0.0", NARROWER), async |_, payload| Ok(payload));
    for (header, expected) in [
        (descriptor(&old), "EVERSION_SKEW"),
        (descriptor(&contract("1.0.0", WIDER)), "EAGENTRPC_INVALID_ENVELOPE"),
        ("{}".to_owned(), "EAGENTRPC_INVALID_ENVELOPE"),
        ("[".repeat(100_000), "EAGENTRPC_INVALID_ENVELOPE"),
        (format!("{{\"name\":\"{}\"}}", "x".repeat(300_000)), "EAGENTRPC_INVALID_ENVELOPE"),
    ] {
        let mut raw = fixture::raw::Raw::with_handlers(handlers(), strict).await;
        let mut request = raw.request("1");
        request["capability"] = json!("search");
        request["headers"] = json!({"capgen-contract": old.hash().to_string(), "capgen-descriptor": header});
        assert_eq!(raw.code(request.to_string()).await, expected);
    }
}

#[tokio::test]
async fn a_side_without_a_schema_on_either_end_is_not_compared() {
    let typed = contract("1.0.0", OLD);
    let loose = Capability { input: None, ..typed.clone() };
    for (caller, provider) in [(&typed, &loose), (&loose, &typed)] {
        let (results, _) = call(caller, provider, &[json!({"q": "a"})], strict).await;
        assert_eq!(results[0].status, Status::Ok, "{results:?}");
    }
}

#[tokio::test]
async fn an_event_of_an_unknown_contract_runs_if_its_payload_is_valid() {
    let handled = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = Arc::clone(&handled);
    let handlers = Handlers::new("echo").with_json(&contract("2.0.0", NARROWER), move |_, payload| {
        count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        async { Ok(payload) }
    });
    let mut raw = fixture::raw::Raw::with_handlers(handlers, strict).await;
    for (id, payload) in [("1", json!({"q": "a"})), ("2", json!({"q": ""}))] {
        let mut event = raw.request(id);
        (event["kind"], event["capability"], event["payload"]) = (json!("event"), json!("search"), payload);
        event["headers"] = json!({"capgen-contract": contract("1.0.0", OLD).hash().to_string()});
        assert_eq!(raw.code(event.to_string()).await, "nothing");
    }
    assert_eq!(handled.load(std::sync::atomic::Ordering::SeqCst), 1);
}

/// A caller that cannot read every response of the provider.
fn unreadable_responses(side_effects: Option<SideEffects>, idempotent: Option<bool>) -> [Capability; 2] {
    let output = |text: &str| Some(Schema::parse_text(text).unwrap());
    let old = Capability { output: output(r#"{"maxLength": 1}"#), ..contract("1.0.0", "{}") };
    [old, Capability { output: output("{}"), side_effects, idempotent, ..contract("2.0.0", "{}") }]
}

#[tokio::test]
async fn the_policy_refuse_refuses_calls_that_cannot_be_repeated() {
    let refuse = |server: ServerBuilder| server.skew(Skew::Refuse);
    for (side_effects, idempotent, runs) in [
        (None, None, 0),
        (Some(SideEffects::External), None, 0),
        (Some(SideEffects::External), Some(true), 1),
        (Some(SideEffects::Pure), None, 1),
        (Some(SideEffects::Idempotent), Some(false), 1),
    ] {
        let [caller, provider] = unreadable_responses(side_effects, idempotent);
        let (results, _) = call(&caller, &provider, &[json!("a")], refuse).await;
        let refused = results[0].error.as_ref().map(|error| {
            (&*error.code, error.skew.as_ref().and_then(|skew| skew.reason.as_deref()), error.finding.is_some())
        });
        let expected = (runs == 0).then_some(("EVERSION_SKEW", Some("response"), true));
        assert_eq!(refused, expected, "{side_effects:?} {idempotent:?}: {results:?}");
    }
    // An invalid request is reported first, and requests that differ are no reason to refuse.
    let [caller, provider] = unreadable_responses(None, None);
    let provider = Capability { input: Some(Schema::parse_text(r#"{"type": "string"}"#).unwrap()), ..provider };
    let (results, _) = call(&caller, &provider, &[json!(1)], refuse).await;
    assert_eq!(results[0].schema_side, Some(Side::Request), "{results:?}");
    let readable = Capability { output: caller.output.clone(), ..provider };
    let (results, _) = call(&caller, &readable, &[json!("a")], refuse).await;
    assert_eq!(results[0].status, Status::Ok, "{results:?}");
}

#[tokio::test]
async fn a_refusal_is_not_kept_for_its_idempotency_key() {
    let [caller, provider] = unreadable_responses(None, None);
    let handlers = Handlers::new("echo").with_json(&provider, async |_, payload| Ok(payload));
    let known = |server: ServerBuilder| server.known_contract(&caller);
    let mut raw = fixture::raw::Raw::with_handlers(handlers, known).await;
    for (id, policy, expected) in [("1", Some("refuse"), "EVERSION_SKEW"), ("2", None, "ok")] {
        let mut request = raw.request(id);
        (request["capability"], request["payload"]) = (json!("search"), json!("a"));
        request["headers"] = json!({"capgen-contract": caller.hash().to_string(), "idempotency-key": "k"});
        if let Some(policy) = policy {
            request["headers"]["capgen-policy"] = json!(policy);
        }
        assert_eq!(raw.code(request.to_string()).await, expected);
    }
}

#[tokio::test]
async fn an_event_is_decided_by_its_payload_also_after_its_contract_was_refused() {
    let [caller, provider] = unreadable_responses(None, None);
    let handled = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = Arc::clone(&handled);
    let handlers = Handlers::new("echo").with_json(&provider, move |_, payload| {
        count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        async { Ok(payload) }
    });
    let known = |server: ServerBuilder| strict(server).known_contract(&caller);
    let mut raw = fixture::raw::Raw::with_handlers(handlers, known).await;
    for (kind, expected) in [("request", "EVERSION_SKEW"), ("event", "nothing")] {
        let mut message = raw.request(kind);
        (message["kind"], message["capability"], message["payload"]) = (json!(kind), json!("search"), json!("a"));
        message["headers"] = json!({"capgen-contract": caller.hash().to_string()});
        assert_eq!(raw.code(message.to_string()).await, expected);
    }
    assert_eq!(handled.load(std::sync::atomic::Ordering::SeqCst), 1);
}

#[tokio::test]
async fn many_calls_with_one_contract_wait_for_one_comparison() {
    let (old, new) = (contract("1.0.0", OLD), contract("1.1.0", WIDER));
    let handlers = Handlers::new("echo").with_json(&new, async |_, payload| Ok(payload));
    let mut raw = fixture::raw::Raw::with_handlers(handlers, strict).await;
    let descriptor = serde_json::to_string(&old.to_descriptor(None)).unwrap();
    for number in 0..64 {
        let mut request = raw.request(&format!("c{number}"));
        (request["capability"], request["payload"]) = (json!("search"), json!({"q": "a"}));
        request["headers"] =
            json!({"capgen-contract": old.hash().to_string(), "capgen-descriptor": descriptor.clone()});
        raw.send(request.to_string()).await;
    }
    for _ in 0..64 {
        assert_eq!(fixture::raw::code(&raw.patient_response().await), "ok");
    }
}

#[tokio::test]
async fn comparisons_do_not_hold_the_handlers_of_a_server() {
    let [caller, provider] = unreadable_responses(None, None);
    let handlers = Handlers::new("echo")
        .with_json(&provider, async |_, payload| Ok(payload))
        .with_loose("say", async |_, payload| Ok(payload));
    let mut raw = fixture::raw::Raw::with_handlers(handlers, |server| server.max_concurrent(64)).await;
    // Each has a contract of its own, which a comparison would have to decide.
    for number in 0..64 {
        let contract = Capability { description: None, ..caller.clone() };
        let contract = Capability { version: Some(format!("1.0.{number}").parse().unwrap()), ..contract };
        let mut request = raw.request(&format!("c{number}"));
        (request["capability"], request["payload"]) = (json!("search"), json!("a"));
        let descriptor = serde_json::to_string(&contract.to_descriptor(None)).unwrap();
        request["headers"] = json!({
            "capgen-contract": contract.hash().to_string(), "capgen-descriptor": descriptor, "capgen-policy": "refuse",
        });
        raw.send(request.to_string()).await;
    }
    let mut codes = std::collections::BTreeMap::new();
    for _ in 0..64 {
        *codes.entry(fixture::raw::code(&raw.patient_response().await)).or_insert(0) += 1;
    }
    assert!(codes.keys().all(|code| ["EVERSION_SKEW", "EAGENTRPC_BUSY"].contains(&code.as_str())), "{codes:?}");
    assert_eq!(raw.code(raw.request("s").to_string()).await, "ok");
}

#[tokio::test]
async fn a_caller_can_ask_for_a_stricter_policy() {
    let [caller, provider] = unreadable_responses(None, None);
    for (setting, policy, expected) in [
        (Skew::Serve, None, "ok"),
        (Skew::Serve, Some("refuse"), "EVERSION_SKEW"),
        (Skew::Serve, Some("strict"), "EVERSION_SKEW"),
        (Skew::Strict, Some("refuse"), "EVERSION_SKEW"),
        (Skew::Serve, Some("serve"), "EAGENTRPC_INVALID_ENVELOPE"),
        (Skew::Serve, Some("STRICT"), "EAGENTRPC_INVALID_ENVELOPE"),
    ] {
        let handlers = Handlers::new("echo").with_json(&provider, async |_, payload| Ok(payload));
        let known = |server: ServerBuilder| server.skew(setting).known_contract(&caller);
        let mut raw = fixture::raw::Raw::with_handlers(handlers, known).await;
        let mut request = raw.request("1");
        (request["capability"], request["payload"]) = (json!("search"), json!("a"));
        request["headers"] = json!({"capgen-contract": caller.hash().to_string()});
        if let Some(policy) = policy {
            request["headers"]["capgen-policy"] = json!(policy);
        }
        assert_eq!(raw.code(request.to_string()).await, expected, "{setting:?} {policy:?}");
    }
    // An invalid value is an error also if the contracts are equal, as in TypeScript.
    let mut raw = fixture::raw::Raw::start(|server| server).await;
    let mut request = raw.request("1");
    request["headers"] = json!({"capgen-policy": "lenient"});
    assert_eq!(raw.code(request.to_string()).await, "EAGENTRPC_INVALID_ENVELOPE");
}

#[tokio::test]
async fn the_strictest_policy_applies() {
    let [caller, provider] = unreadable_responses(None, None);
    for (setting, key, policy, expected) in [
        (Skew::Serve, None, None, "ok"),
        (Skew::Serve, Some(Skew::Serve), None, "ok"),
        (Skew::Serve, Some(Skew::Refuse), None, "EVERSION_SKEW"),
        (Skew::Serve, Some(Skew::Strict), None, "EVERSION_SKEW"),
        (Skew::Strict, Some(Skew::Serve), None, "EVERSION_SKEW"),
        (Skew::Serve, Some(Skew::Refuse), Some("strict"), "EVERSION_SKEW"),
        (Skew::Serve, Some(Skew::Serve), Some("refuse"), "EVERSION_SKEW"),
    ] {
        let provider = Capability { skew: key, ..provider.clone() };
        let handlers = Handlers::new("echo").with_json(&provider, async |_, payload| Ok(payload));
        let known = |server: ServerBuilder| server.skew(setting).known_contract(&caller);
        let mut raw = fixture::raw::Raw::with_handlers(handlers, known).await;
        let mut request = raw.request("1");
        (request["capability"], request["payload"]) = (json!("search"), json!("a"));
        request["headers"] = json!({"capgen-contract": caller.hash().to_string()});
        if let Some(policy) = policy {
            request["headers"]["capgen-policy"] = json!(policy);
        }
        assert_eq!(raw.code(request.to_string()).await, expected, "{setting:?} {key:?} {policy:?}");
    }
}

#[tokio::test]
async fn comparisons_follow_the_assumed_programs() {
    // The provider's new optional property breaks a caller that sends undeclared properties.
    let open = r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#;
    let more = r#"{"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}"#;
    let (old, new) = (contract("1.0.0", open), contract("1.1.0", more));
    for (assume, expected) in [(Assume::AnyPeer, Status::Error), (Assume::CapgenPeer, Status::Ok)] {
        let strict = |server: ServerBuilder| server.skew(Skew::Strict).assume(assume);
        let (results, _) = call(&old, &new, &[json!({"a": "x"})], strict).await;
        assert_eq!(results[0].status, expected, "{results:?}");
    }
}

#[tokio::test]
async fn a_comparison_without_a_result_is_undecided() {
    let looking = |version: &str, pattern: &str| Capability {
        output: Some(Schema::parse_text(&json!({"type": "string", "pattern": pattern}).to_string()).unwrap()),
        ..contract(version, "true")
    };
    // The same strings, which the comparison of patterns with look-ahead does not show.
    let (old, new) = (looking("1.0.0", "^(?:(?!--)[a-z-])*$"), looking("1.1.0", "^(?:(?!-{2})[a-z-])*$"));
    let known = |server: ServerBuilder| server.skew(Skew::Refuse).known_contract(&old);
    let (results, _) = call(&old, &new, &[json!("a")], known).await;
    let error = results[0].error.as_ref().unwrap();
    assert_eq!(error.code, "EVERSION_SKEW");
    assert_eq!(error.skew.as_ref().unwrap().reason.as_deref(), Some("undecided"), "{error:?}");
}
