//! An `ERROR` about an invalid invocation is small, however many violations there are and however long the names are.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::sync::Arc;

use capgen_amp::body::Body;
use capgen_amp::catalogue::Catalogue;
use capgen_amp::message::MessageType;
use serde_json::{Value, json};

use crate::support::{Fixture, OUTPUT, body, contract_with};

const ID: &str = "org.agentries.code-review:1.0.0";

fn refused(params: Value) -> Value {
    let schema = r#"{"type": "object", "additionalProperties": {"items": {"type": "string"}}}"#;
    let catalogue = Catalogue::new(vec![contract_with(ID, &[], schema, OUTPUT)]).unwrap();
    let mut fixture = Fixture::new(Arc::new(catalogue), "{}");
    let answer = fixture.ask("alice", MessageType::CapInvoke, json!({"id": ID, "params": params}));
    let Body::Error(error) = body(&answer) else { panic!("{answer:?}") };
    assert_eq!(error.code, 4004);
    error.details.unwrap().to_json().unwrap()
}

#[test]
fn the_details_of_a_schema_violation_have_the_budget_of_reports() {
    // 98 kB, and almost 1 MB, which is the limit of a message.
    for (name, items) in [(20_000, 39_000), (100_000, 800_000)] {
        let details = refused(json!({"n".repeat(name): vec![1; items]}));
        assert_eq!(details["violations"].as_array().unwrap().len(), 100);
        assert_eq!(details["violations"][99]["path"], format!("/{}…/99", "n".repeat(128)));
        assert_eq!(details["truncated"], true);
        assert!(details.to_string().len() < 96 << 10);
    }
    assert_eq!(refused(json!({"n": [1]})).get("truncated"), None);
}
