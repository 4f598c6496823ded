//! Callers whose contract differs from the provider's.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice, reason = "a test fails by panicking")]

use std::sync::Arc;

use crate::fixture;
use crate::fixture::ADDRESS;
use capgen::Checked;
use capgen::call::{CallResult, Client, Handlers, MemoryBroker, PeerTable, Server, ServerBuilder, Status};
use capgen_manifest::{AgentId, Capability, Manifest, Side, TransportSettings};
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

/// The result of calls by a caller with one contract to a provider with another, and the number of messages to the provider.
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
    let manifest = Manifest {
        agent: AgentId::new("index").unwrap(),
        transports: vec![TransportSettings::memory(ADDRESS)],
        capabilities: vec![caller.clone()],
    };
    let client = Client::builder("desk")
        .transport(Arc::new(broker.connect()))
        .peers(PeerTable::new().with_manifest(&manifest))
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
        assert_eq!((results[1].status, &*error.code), (Status::SchemaViolation, "EAGENTRPC_SCHEMA_VIOLATION"));
        assert_eq!((results[1].schema_side, &*results[1].violations[0].path), (Some(Side::Request), "/q"));
        // Nothing is sent twice: no contract is asked for.
        assert_eq!(received, 2);
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
    for build in [(|server| server) as Build, ServerBuilder::compare_contracts] {
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
    let (results, received) =
        call(&contract("1.0.0", OLD), &contract("1.1.0", WIDER), &payloads, ServerBuilder::compare_contracts).await;
    assert!(results.iter().all(|result| result.status == Status::Ok), "{results:?}");
    // The first request was sent twice: the second time with the caller's contract.
    assert_eq!(received, 3);
}

#[tokio::test]
async fn an_incompatible_provider_answers_with_the_first_breaking_finding() {
    let payloads = [json!({"q": "a"}), json!({"q": "b"})];
    let (results, received) =
        call(&contract("1.0.0", OLD), &contract("2.0.0", NARROWER), &payloads, ServerBuilder::compare_contracts).await;
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
    let known = |server: ServerBuilder| server.compare_contracts().known_contract(&old);
    let (results, received) = call(&old, &contract("2.0.0", NARROWER), &[json!({"q": "a"})], known).await;
    assert_eq!(results[0].error.as_ref().unwrap().code, "EVERSION_SKEW");
    assert_eq!(received, 1);
    let (results, received) = call(&old, &contract("1.1.0", WIDER), &[json!({"q": "a"})], known).await;
    assert_eq!((results[0].status, received), (Status::Ok, 1));
}

#[tokio::test]
async fn equal_contracts_are_not_compared() {
    let old = contract("1.0.0", OLD);
    let (results, received) = call(&old, &old, &[json!({"q": "a"})], ServerBuilder::compare_contracts).await;
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
        let mut raw = fixture::raw::Raw::with_handlers(handlers(), ServerBuilder::compare_contracts).await;
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
        let (results, _) = call(caller, provider, &[json!({"q": "a"})], ServerBuilder::compare_contracts).await;
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
    let mut raw = fixture::raw::Raw::with_handlers(handlers, ServerBuilder::compare_contracts).await;
    for (id, payload) in [("1", json!({"q": "a"})), ("2", json!({"q": ""}))] {
        let mut event = raw.request(id);
        (event["kind"], event["capability"], event["payload"]) = (json!("event"), json!("search"), payload);
        event["headers"] = json!({"capgen-contract": contract("1.0.0", OLD).hash().to_string()});
        assert_eq!(raw.code(event.to_string()).await, "nothing");
    }
    assert_eq!(handled.load(std::sync::atomic::Ordering::SeqCst), 1);
}
