//! Executors take and return JSON texts, and each payload is checked once by a provider.

use allocation_counter::measure;
use capgen_amp::body::{Body, CapResult};
use capgen_amp::cbor::Value;
use capgen_amp::message::MessageType;
use capgen_amp::provider::{HandlerOutcome, Output, Start};
use capgen_schema::{Hash, Schema, parse_payload};
use serde_json::json;

use crate::support::{self, Fixture, NOW, OUTPUT, body, catalogue, code, invocation, kinds, one_answer};

fn fixture() -> Fixture {
    Fixture::new(catalogue(&["org.agentries.code-review:1.0.0"]), "{}")
}

fn hash(schema: &str) -> Hash {
    Schema::parse_text(schema).unwrap().hash()
}

fn checked(result: &[u8], schema: &str) -> HandlerOutcome {
    HandlerOutcome::Checked { result: result.to_vec(), schema: hash(schema) }
}

fn end(outcome: HandlerOutcome) -> Vec<Output> {
    let mut fixture = fixture();
    let start = fixture.start(invocation());
    fixture.finish(&start, outcome, NOW)
}

#[test]
fn the_parameters_are_the_text_of_the_checked_value() {
    let params = json!({"code": "a\u{0}\"", "ratio": 2.0, "big": u64::MAX, "list": [null, -1, 0.5]});
    let start = fixture().start(json!({"id": "org.agentries.code-review:1.0.0", "params": params}));
    // In the order of CBOR, whatever the features of other crates are.
    let expected = r#"{"big":18446744073709551615,"code":"a\u0000\"","list":[null,-1,0.5],"ratio":2.0}"#;
    assert_eq!(start.params, expected);
}

#[test]
fn invalid_parameters_get_each_violation_once() {
    let body = json!({"id": "org.agentries.code-review:1.0.0", "params": {"code": 1}});
    let answer = fixture().ask("alice", MessageType::CapInvoke, body);
    let Body::Error(error) = support::body(&answer) else { panic!("{answer:?}") };
    let violation = json!({"path": "/code", "keyword": "type", "message": "expected string, got integer"});
    assert_eq!(error.details.unwrap().to_json().unwrap(), json!({"violations": [violation]}));
}

#[test]
fn a_result_is_checked_by_the_executor_or_the_provider_and_not_by_both() {
    let invalid = br#"{"issues": "many"}"#;
    // An executor that claims a check shows whether there is a second one.
    let annotated = OUTPUT.replace("\"type\": \"object\"", "\"title\": \"Issues\", \"type\": \"object\"");
    for schema in [OUTPUT, &annotated] {
        let Body::Result(CapResult::Success(result)) = body(&one_answer(&end(checked(invalid, schema)))) else {
            panic!("the result is checked twice");
        };
        assert_eq!(result, Value::from_json(&json!({"issues": "many"})));
    }
    for outcome in [HandlerOutcome::Success(invalid.to_vec()), checked(invalid, "true"), checked(invalid, "{}")] {
        let outputs = end(outcome);
        assert_eq!(code(&one_answer(&outputs)), 5001);
        assert_eq!(kinds(&outputs)["invalid result"], 1);
        let violations = outputs.iter().find_map(|output| match output {
            Output::InvalidResult { violations, .. } => Some(violations.len()),
            _ => None,
        });
        assert_eq!(violations, Some(1), "each violation is reported once");
    }
}

#[test]
fn a_result_that_is_not_one_json_text_is_an_error_and_never_another_value() {
    let deep = [&br#"{"issues": 1, "deep": "#[..], &[b'['; 200], &[b']'; 200], b"}"].concat();
    let texts = [
        &b""[..],
        b"{",
        b"{\"issues\": 1} 2",
        br#"{"issues": 1, "issues": 1}"#,
        b"{\"issues\": 1e999}",
        b"\xff",
        &deep,
    ];
    for text in texts {
        for outcome in [HandlerOutcome::Success(text.to_vec()), checked(text, OUTPUT)] {
            let outputs = end(outcome);
            assert_eq!(code(&one_answer(&outputs)), 5001, "{}", String::from_utf8_lossy(text));
            assert_eq!(kinds(&outputs).get("invalid result"), None);
        }
    }
}

/// A tree of a result needs memory, so the memory shows how many there are.
#[test]
fn a_result_that_its_executor_has_checked_needs_no_tree() {
    let text = json!({"issues": 1, "list": vec![0.5; 20_000]}).to_string().into_bytes();
    let used = |outcome: HandlerOutcome| {
        let mut fixture = fixture();
        let start: Start = fixture.start(invocation());
        let mut outcome = Some(outcome);
        let info = measure(|| drop(fixture.finish(&start, outcome.take().unwrap(), NOW)));
        info.bytes_total
    };
    let tree = measure(|| drop(parse_payload(&text))).bytes_total;
    let (with_check, without) = (used(HandlerOutcome::Success(text.clone())), used(checked(&text, OUTPUT)));
    // The value is built from a vector that grows, as the tree is.
    assert!(without + tree / 2 < with_check, "{without}, {with_check}, {tree}");
}
