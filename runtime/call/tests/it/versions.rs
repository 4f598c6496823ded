//! Several versions of a capability in one agent.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use capgen::call::{AuditRecord, BuildError, Handlers, MemoryAudit, MemoryBroker, Server, ServerBuilder, Skew};
use capgen_manifest::Capability;
use capgen_schema::Schema;
use serde_json::{Value, json};

use crate::fixture;
use crate::fixture::raw::Raw;

/// A capability whose payloads have these properties, all of which are optional numbers.
fn search(version: &str, properties: &[&str]) -> Capability {
    let properties: serde_json::Map<String, Value> =
        properties.iter().map(|name| ((*name).to_owned(), json!({"type": "number"}))).collect();
    let input = json!({"type": "object", "properties": properties, "additionalProperties": false});
    Capability {
        version: Some(version.parse().unwrap()),
        input: Some(Schema::parse_text(&input.to_string()).unwrap()),
        output: Some(Schema::parse_text(r#"{"type": "string"}"#).unwrap()),
        ..Capability::new("search")
    }
}

/// Handlers that answer with their version.
fn handlers(versions: &[&Capability]) -> Handlers {
    versions.iter().fold(Handlers::new("echo"), |handlers, capability| {
        let version = capability.version.as_ref().unwrap().to_string();
        handlers.with_json(capability, move |_, _| {
            let version = version.clone();
            async move { Ok(Value::String(version)) }
        })
    })
}

async fn provider(versions: &[&Capability], build: impl FnOnce(ServerBuilder) -> ServerBuilder) -> Raw {
    Raw::with_handlers(handlers(versions), build).await
}

/// A request by a caller with a contract; without one, it states nothing.
fn request(raw: &Raw, id: &str, caller: Option<&Capability>, payload: Value) -> Value {
    let mut request = raw.request(id);
    (request["capability"], request["payload"]) = (json!("search"), payload);
    request["headers"] = caller.map_or(json!({}), |caller| {
        let hash = caller.hash().to_string();
        json!({"capgen-contract": hash, "capgen-version": caller.version.as_ref().map(ToString::to_string)})
    });
    request
}

async fn response(raw: &mut Raw, request: Value) -> Value {
    raw.send(request.to_string()).await;
    raw.response().await.unwrap()
}

#[tokio::test]
async fn the_version_of_the_caller_runs() {
    let (one, newer) = (search("1.0.0", &["a"]), search("1.4.0", &["a", "b"]));
    let (two, zero) = (search("2.0.0", &["a", "b", "c"]), search("0.3.1", &["a"]));
    let pre = search("2.1.0-rc.1", &["z"]);
    let mut raw = provider(&[&newer, &pre, &zero, &two, &one], |server| server).await;
    let cases = [
        // The equal contract, also if the payload is valid for higher versions.
        (Some(one.clone()), json!({"a": 1}), "1.0.0"),
        (Some(newer.clone()), json!({"a": 1}), "1.4.0"),
        (Some(pre.clone()), json!({"z": 1}), "2.1.0-rc.1"),
        // The highest one of the line that accepts the payload.
        (Some(search("1.2.0", &["a"])), json!({"a": 1}), "1.4.0"),
        (Some(search("1.9.0", &["a", "b", "c"])), json!({"b": 1}), "1.4.0"),
        (Some(search("2.0.0", &["a", "b"])), json!({"a": 1}), "2.0.0"),
        (Some(search("2.0.0", &["z"])), json!({"z": 1}), "2.1.0-rc.1"),
        (Some(search("0.3.0", &["a"])), json!({"a": 1}), "0.3.1"),
        // No version of the line is served.
        (Some(search("0.4.0", &["a"])), json!({"a": 1}), "2.0.0"),
        (Some(search("3.0.0", &["a"])), json!({"z": 1}), "2.1.0-rc.1"),
        // The caller states nothing.
        (None, json!({"a": 1}), "2.0.0"),
        (None, json!({}), "2.1.0-rc.1"),
    ];
    for (index, (caller, payload, expected)) in cases.into_iter().enumerate() {
        let request = request(&raw, &index.to_string(), caller.as_ref(), payload);
        let response = response(&mut raw, request.clone()).await;
        assert_eq!(response["payload"], expected, "{request} {response}");
        let is_equal = caller.is_some_and(|caller| caller.version.unwrap().to_string() == expected);
        if !is_equal {
            assert_eq!(response["headers"]["capgen-version"], expected, "{request} {response}");
        }
    }
}

#[tokio::test]
async fn a_payload_that_no_version_of_the_line_accepts_is_refused_with_every_version() {
    let (one, newer, two) = (search("1.0.0", &["a"]), search("1.4.0", &["a", "b"]), search("2.0.0", &["c"]));
    let mut raw = provider(&[&one, &newer, &two], |server| server).await;
    // It would be valid for another line, where it may mean something else.
    let caller = search("1.5.0", &["c"]);
    let request_of_line = request(&raw, "1", Some(&caller), json!({"c": 1}));
    let error = response(&mut raw, request_of_line).await["payload"].clone();
    assert_eq!(error["code"], "EVERSION_SKEW");
    assert_eq!(error["message"], "the provider (1.4.0) does not know `c`, which your contract (1.5.0) may send");
    assert_eq!(error["skew"]["served"], json!(["2.0.0", "1.4.0", "1.0.0"]));
    assert_eq!(error["skew"]["providerContract"], newer.hash().to_string());
    assert_eq!((&error["retryable"], &error["effect"]), (&json!(true), &json!("none")));
    // Without a contract, or with an equal one, the caller made a mistake.
    for (id, caller) in [("2", None), ("3", Some(&one))] {
        let request = request(&raw, id, caller, json!({"d": 1}));
        assert_eq!(response(&mut raw, request).await["payload"]["code"], "EAGENTRPC_SCHEMA_VIOLATION");
    }
    // The version decides here, so it must be one.
    let mut invalid = request(&raw, "4", Some(&caller), json!({"c": 1}));
    invalid["headers"]["capgen-version"] = json!("latest");
    assert_eq!(response(&mut raw, invalid).await["payload"]["code"], "EAGENTRPC_INVALID_ENVELOPE");
}

#[tokio::test]
async fn a_version_that_excludes_the_caller_does_not_run() {
    let newer = Capability { min_schema_version: Some("1.3.0".parse().unwrap()), ..search("1.4.0", &["a"]) };
    let (one, two) = (search("1.0.0", &["a"]), search("2.0.0", &["a"]));
    let mut raw = provider(&[&one, &newer, &two], |server| server).await;
    let old = search("1.2.0", &["a"]);
    let first = request(&raw, "1", Some(&old), json!({"a": 1}));
    assert_eq!(response(&mut raw, first).await["payload"], "1.0.0");
    // Its line is served, but not to it: by its author, its payloads mean something else.
    let mut raw = provider(&[&newer, &two], |server| server).await;
    let refused = request(&raw, "2", Some(&old), json!({"a": 1}));
    let error = response(&mut raw, refused).await["payload"].clone();
    assert_eq!((&error["code"], &error["skew"]["reason"]), (&json!("EVERSION_SKEW"), &json!("version")));
    assert_eq!(error["skew"]["served"], json!(["2.0.0", "1.4.0"]));
}

#[tokio::test]
async fn the_policy_strict_chooses_a_version_that_is_compatible() {
    let (one, newer) = (search("1.0.0", &["a", "b"]), search("1.4.0", &["a"]));
    let caller = search("1.2.0", &["a", "b"]);
    let known = caller.clone();
    let strict = move |server: ServerBuilder| server.skew(Skew::Strict).known_contract(&known);
    let mut raw = provider(&[&one, &newer], strict.clone()).await;
    // The higher version accepts this payload, but not every one of the caller.
    let first = request(&raw, "1", Some(&caller), json!({"a": 1}));
    assert_eq!(response(&mut raw, first).await["payload"], "1.0.0");
    let mut raw = provider(&[&newer, &search("1.3.0", &["b"])], strict).await;
    let refused = request(&raw, "2", Some(&caller), json!({"a": 1}));
    let error = response(&mut raw, refused).await["payload"].clone();
    assert_eq!((&error["code"], &error["skew"]["providerVersion"]), (&json!("EVERSION_SKEW"), &json!("1.4.0")));
}

#[tokio::test]
async fn the_audit_has_the_contract_that_ran() {
    let (one, two) = (search("1.0.0", &["a"]), search("2.0.0", &["a"]));
    let audit = Arc::new(MemoryAudit::default());
    let store = Arc::clone(&audit);
    let mut raw = provider(&[&one, &two], move |server| server.audit(store).audit_calls(true)).await;
    let old = search("1.0.1", &["a", "b"]);
    for (id, payload) in [("1", json!({"a": 1})), ("2", json!({"b": 1}))] {
        let request = request(&raw, id, Some(&old), payload);
        response(&mut raw, request).await;
    }
    let contracts: Vec<String> = audit
        .records()
        .into_iter()
        .filter_map(|record| match record {
            AuditRecord::Call(call) => Some(call.contract_hash),
            AuditRecord::Violation(_) => None,
        })
        .collect();
    assert_eq!(contracts, [one.hash().to_string(), one.hash().to_string()]);
}

#[tokio::test]
async fn a_duplicate_gets_the_version_of_the_first_answer() {
    let (one, two) = (search("1.0.0", &["a"]), search("2.0.0", &["a"]));
    let runs = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&runs);
    let handlers = handlers(&[&two]).with_json(&one, move |_, _| {
        count.fetch_add(1, Ordering::SeqCst);
        async { Ok(json!("1.0.0")) }
    });
    let mut raw = Raw::with_handlers(handlers, |server| server).await;
    for id in ["1", "2"] {
        let mut request = request(&raw, id, Some(&search("1.0.1", &["a"])), json!({"a": 1}));
        request["headers"]["idempotency-key"] = json!("key");
        let response = response(&mut raw, request).await;
        assert_eq!(response["headers"]["capgen-version"], "1.0.0", "{response}");
    }
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_caller_finds_the_instance_of_each_version() {
    let (one, two) = (search("1.0.0", &["a"]), search("2.0.0", &["a"]));
    let broker = MemoryBroker::new();
    let server = Server::builder(handlers(&[&one, &two]));
    let _server = server.listen(Arc::new(broker.connect()), fixture::ADDRESS).start().await.unwrap();
    let hashes: Vec<String> = handlers(&[&two, &one]).contracts().map(|(_, hash)| hash.to_owned()).collect();
    assert_eq!(hashes, [one.hash().to_string(), two.hash().to_string()]);
}

#[tokio::test]
async fn handlers_of_one_version_are_not_served() {
    let loose = |handlers: Handlers| handlers.with_loose("search", async |_, payload| Ok(payload));
    let (one, built, two) = (search("1.0.0", &["a"]), search("1.0.0+linux", &["b"]), search("2.0.0", &["a"]));
    let many: Vec<Capability> = (0..9).map(|patch| search(&format!("1.0.{patch}"), &["a"])).collect();
    let cases = [
        (handlers(&[&one, &two, &one]), "`search` has two handlers for version 1.0.0"),
        (handlers(&[&one, &built]), "`search` has two handlers for version 1.0.0+linux"),
        (loose(handlers(&[&one])), "`search` has several handlers, of which one has no version"),
        (
            handlers(&[&one]).with_json(&Capability { version: None, ..one.clone() }, async |_, payload| Ok(payload)),
            "`search` has several handlers, of which one has no version",
        ),
        (handlers(&many.iter().collect::<Vec<_>>()), "`search` has more than 8 versions"),
    ];
    for (handlers, expected) in cases {
        let transport = Arc::new(MemoryBroker::new().connect());
        let error = Server::builder(handlers).listen(transport, fixture::ADDRESS).start().await.unwrap_err();
        assert_eq!(error, BuildError::InvalidHandlers(vec![expected.to_owned()]));
        assert_eq!(error.to_string(), expected);
    }
    let all = handlers(&many[..8].iter().collect::<Vec<_>>());
    assert_eq!((all.check(), all.names().count(), all.contracts().count()), (Ok(()), 1, 8));
}
