//! Answers and records of invalid payloads are small, however many violations there are and however long the names are.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::sync::Arc;

use capgen::call::{Handlers, MemoryAudit};
use serde_json::{Value, json};

use crate::fixture;
use crate::fixture::raw::Raw;

/// A long name around many items that are invalid: requests of 98 kB and of 1 MB.
const SAMPLES: [(usize, usize); 2] = [(20_000, 39_000), (100_000, 450_000)];

/// The most bytes of an answer and of a record: 64 KiB of paths and messages, and the JSON around them.
const MAX_BYTES: usize = 96 << 10;

#[tokio::test]
async fn the_answer_and_the_record_of_an_invalid_request_have_the_budget_of_reports() {
    let mut contract = fixture::manifest().capabilities[0].clone();
    let schema = r#"{"additionalProperties": {"items": {"type": "string"}}}"#;
    contract.input = Some(capgen_schema::Schema::parse_text(schema).unwrap());
    let handlers = Handlers::new("echo").with_json(&contract, async |_, payload| Ok(payload));
    let audit = Arc::new(MemoryAudit::default());
    let stored = Arc::clone(&audit);
    let mut raw = Raw::with_handlers(handlers, |server| server.audit(stored)).await;
    for (name, items) in SAMPLES {
        let mut request = raw.request("1");
        request["messageId"] = json!(format!("m-{items}"));
        request["capability"] = json!("review");
        request["payload"] = json!({"n".repeat(name): vec![1; items]});
        request["deadline"] = json!(fixture::raw::now() + 60_000);
        raw.send(request.to_string()).await;
        let response = raw.patient_response().await;
        let error = &response["payload"];
        assert_eq!(error["message"], "the request violates its schema: more than 100 violations");
        assert_eq!((count(error), &error["truncated"]), (100, &json!(true)));
        assert_eq!(error["violations"][99]["path"], format!("/{}…/99", "n".repeat(128)));
        assert!(response.to_string().len() < MAX_BYTES);
        let record = serde_json::to_value(audit.records().last().unwrap()).unwrap();
        assert_eq!((count(&record), &record["truncated"]), (100, &json!(true)));
        assert!(record.to_string().len() < MAX_BYTES);
    }
    // A whole list is not marked as truncated.
    let mut request = raw.request("2");
    request["capability"] = json!("review");
    request["payload"] = json!({"n": [1]});
    raw.send(request.to_string()).await;
    let response = raw.patient_response().await;
    assert_eq!(response["payload"]["message"], "the request violates its schema: 1 violation");
    assert_eq!(response["payload"].get("truncated"), None);
}

fn count(report: &Value) -> usize {
    report["violations"].as_array().unwrap().len()
}
