//! Idempotency, limits and the end of servers.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::fixture;
use crate::fixture::raw::Raw;
use crate::fixture::{Fixture, Review};
use capgen::call::{CallOptions, Context, Failure, Handlers, Retry, Status, code};
use serde_json::{Value, json};

fn keyed(raw: &Raw, id: &str, key: &str, payload: Value) -> String {
    let mut request = raw.request(id);
    request["headers"] = json!({"idempotency-key": key});
    request["payload"] = payload;
    request.to_string()
}

#[tokio::test]
async fn a_duplicate_gets_the_first_response_again() {
    let mut raw = Raw::start(|server| server).await;
    raw.send(keyed(&raw, "1", "k", json!({"text": "a"}))).await;
    let first = raw.response().await.unwrap();
    raw.send(keyed(&raw, "2", "k", json!({"text": "a"}))).await;
    let second = raw.response().await.unwrap();
    assert_eq!((&first["payload"], &second["payload"]), (&json!({"text": "a"}), &json!({"text": "a"})));
    assert_eq!((&first["correlationId"], &second["correlationId"]), (&json!("c-1"), &json!("c-2")));
    assert_eq!(raw.handled(), 1);
    // Another payload with the key is a mistake of the caller.
    assert_eq!(raw.code(keyed(&raw, "3", "k", json!({"text": "b"}))).await, "EAGENTRPC_KEY_REUSED");
    assert_eq!(raw.code(keyed(&raw, "4", "other", json!({"text": "b"}))).await, "ok");
    assert_eq!(raw.handled(), 2);
}

#[tokio::test]
async fn a_duplicate_waits_while_the_first_call_runs() {
    let mut raw = Raw::start(|server| server).await;
    let payload = json!({"pause": 100});
    raw.send(keyed(&raw, "1", "k", payload.clone())).await;
    raw.send(keyed(&raw, "2", "k", payload.clone())).await;
    raw.send(keyed(&raw, "3", "k", payload)).await;
    for _ in 0..3 {
        assert_eq!(fixture::raw::code(&raw.response().await.unwrap()), "ok");
    }
    assert_eq!(raw.handled(), 1);
}

#[tokio::test]
async fn the_key_of_one_call_is_forgotten_at_its_deadline() {
    let mut raw = Raw::start(|server| server).await;
    let request = |raw: &Raw, timeout| {
        let mut request = raw.request("1");
        request["headers"] = json!({"idempotency-key": "c-1"});
        request["deadline"] = json!(fixture::raw::now() + timeout);
        request.to_string()
    };
    let first = request(&raw, 1000);
    assert_eq!(raw.code(first.clone()).await, "ok");
    assert_eq!(raw.code(first.clone()).await, "ok");
    assert_eq!(raw.handled(), 1);
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert_eq!(raw.code(first).await, "EAGENTRPC_DEADLINE_EXCEEDED");
    let other = request(&raw, 5000);
    assert_eq!(raw.code(other).await, "ok");
    assert_eq!(raw.handled(), 2);
}

#[tokio::test]
async fn an_idempotency_key_is_forgotten_after_its_window() {
    let mut raw = Raw::start(|server| server.idempotency_window(Duration::from_millis(50))).await;
    assert_eq!(raw.code(keyed(&raw, "1", "k", json!(1))).await, "ok");
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(raw.code(keyed(&raw, "2", "k", json!(1))).await, "ok");
    assert_eq!(raw.handled(), 2);
}

#[tokio::test]
async fn a_shutdown_answers_the_calls_that_run() {
    let mut raw = Raw::start(|server| server).await;
    let mut request = raw.request("1");
    request["payload"] = json!({"pause": 100});
    raw.send(request.to_string()).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(raw.shutdown(Duration::from_secs(5)).await);
    assert_eq!(fixture::raw::code(&raw.response().await.unwrap()), "ok");
}

#[tokio::test]
async fn a_shutdown_abandons_calls_that_take_too_long() {
    let mut raw = Raw::start(|server| server).await;
    let mut request = raw.request("1");
    request["payload"] = json!({"pause": 60_000});
    raw.send(request.to_string()).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(!raw.shutdown(Duration::from_millis(50)).await);
    assert_eq!(fixture::raw::code(&raw.response().await.unwrap()), "EAGENTRPC_ABANDONED");
}

#[tokio::test]
async fn too_many_requests_are_answered_with_busy() {
    let mut raw = Raw::start(|server| server.max_concurrent(1).max_waiting(1)).await;
    for id in ["1", "2", "3"] {
        let mut request = raw.request(id);
        request["payload"] = json!({"pause": 50});
        raw.send(request.to_string()).await;
    }
    let mut codes = Vec::new();
    for _ in 0..3 {
        codes.push(fixture::raw::code(&raw.response().await.unwrap()));
    }
    assert_eq!(codes, ["EAGENTRPC_BUSY", "ok", "ok"]);
}

#[tokio::test]
async fn retries_repeat_idempotent_calls_within_the_deadline() {
    let runs = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&runs);
    let handlers = Handlers::new("reviewer").with_loose("review", move |_: Context, _: Value| {
        let run = count.fetch_add(1, Ordering::SeqCst);
        async move {
            if run < 2 {
                return Err(Failure::new("TRY_AGAIN", "not now").retryable());
            }
            Ok(json!({"approved": true, "comment": "fine"}))
        }
    });
    let retry = Retry::attempts(5).backoff(Duration::from_millis(1), Duration::from_millis(5));
    let fixture = Fixture::start_with(handlers, |client| client.retry(retry), |server| server).await;
    let request = Review { url: "x".to_owned(), depth: 3 };
    let response = fixture.client.call_with::<Review>(&request, &fixture.options()).await;
    assert!(response.is_ok(), "{response:?}");
    assert_eq!((runs.load(Ordering::SeqCst), fixture.published()), (3, 3));
}

#[tokio::test]
async fn a_child_call_does_not_outlive_its_parent() {
    let handlers = Handlers::new("reviewer").with_loose("review", async |context: Context, _: Value| {
        let options = context.child_options();
        assert!(context.remaining().unwrap() <= Duration::from_millis(200));
        tokio::time::sleep(Duration::from_secs(10)).await;
        drop(options);
        Ok(Value::Null)
    });
    let fixture = Fixture::start(handlers).await;
    let options = CallOptions::new().timeout(Duration::from_millis(200)).header("traceparent", "invalid");
    let start = Instant::now();
    let payload = json!({"url": "x", "depth": 1});
    let mode = capgen::call::CallMode::Sync;
    let result = fixture.client.call_json_with("reviewer", "review", &payload, &options, mode).await;
    assert_eq!((result.status, result.error.unwrap().code.as_str()), (Status::Timeout, code::TIMEOUT));
    assert!(start.elapsed() < Duration::from_secs(5));
}

/// An audit that never accepts a record.
struct Stuck;

impl capgen::call::Audit for Stuck {
    fn record(
        &self,
        _: capgen::call::AuditRecord,
    ) -> capgen::call::BoxFuture<'_, Result<(), capgen::call::AuditError>> {
        Box::pin(std::future::pending())
    }

    fn flush(&self) -> capgen::call::BoxFuture<'_, Result<(), capgen::call::AuditError>> {
        Box::pin(std::future::pending())
    }

    fn lost(&self) -> u64 {
        0
    }
}

#[tokio::test]
async fn an_audit_that_is_stuck_does_not_hide_a_violation() {
    let handlers = Handlers::new("reviewer").with_json(&fixture::manifest().capabilities[0], async |_, _| Ok(json!(1)));
    let stuck = |server: capgen::call::ServerBuilder| server.audit(Arc::new(Stuck));
    let fixture = Fixture::start_with(handlers, |client| client.audit(Arc::new(Stuck)), stuck).await;
    let options = CallOptions::new().timeout(Duration::from_millis(600));
    let mode = || capgen::call::CallMode::Sync;
    // The provider's response is invalid: the caller learns of it before its deadline.
    let payload = json!({"url": "x", "depth": 1});
    let result = fixture.client.call_json_with("reviewer", "review", &payload, &options, mode()).await;
    assert_eq!((result.status, result.schema_side.unwrap().name()), (Status::SchemaViolation, "response"));
    assert_eq!(fixture.server.lost_audit_records(), 1);
    // The caller's request is invalid.
    let start = Instant::now();
    let result = fixture.client.call_json_with("reviewer", "review", &json!(1), &options, mode()).await;
    assert_eq!((result.status, result.schema_side.unwrap().name()), (Status::SchemaViolation, "request"));
    assert_eq!(fixture.client.lost_audit_records(), 1);
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_flood_of_requests_does_not_prevent_a_shutdown() {
    let mut raw = Raw::start(|server| server).await;
    let flood = raw.flood();
    tokio::time::sleep(Duration::from_millis(50)).await;
    let shutdown = tokio::time::timeout(Duration::from_secs(20), raw.shutdown(Duration::from_secs(5)));
    assert!(shutdown.await.is_ok());
    flood.abort();
}

#[tokio::test]
async fn a_handler_whose_destructor_panics_is_answered() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            if !std::thread::panicking() {
                panic!("a destructor");
            }
        }
    }
    let handlers = Handlers::new("echo").with_loose("say", async |_: Context, _: Value| {
        let _bomb = Bomb;
        std::future::pending::<()>().await;
        Ok(Value::Null)
    });
    let mut raw = Raw::with_handlers(handlers, |server| server).await;
    let mut request = raw.request("1");
    request["deadline"] = json!(fixture::raw::now() + 100);
    assert_eq!(raw.code(request.to_string()).await, "EAGENTRPC_TIMEOUT");
}

#[tokio::test]
async fn answers_to_invalid_requests_are_bounded_and_not_kept() {
    let mut contract = fixture::manifest().capabilities[0].clone();
    contract.input = Some(capgen_schema::Schema::parse_text(r#"{"items": {"type": "string"}}"#).unwrap());
    let handlers = Handlers::new("echo").with_json(&contract, async |_, payload| Ok(payload));
    let mut raw = Raw::with_handlers(handlers, |server| server).await;
    for id in ["1", "2", "3"] {
        let mut request = raw.request(id);
        request["capability"] = json!("review");
        request["headers"] = json!({"idempotency-key": id});
        request["payload"] = json!(vec![1; 200_000]);
        request["deadline"] = json!(fixture::raw::now() + 60_000);
        raw.send(request.to_string()).await;
        let response = raw.patient_response().await;
        assert_eq!(response["payload"]["code"], "EAGENTRPC_SCHEMA_VIOLATION");
        assert_eq!(response["payload"]["violations"].as_array().unwrap().len(), 100);
        assert_eq!(response["payload"]["truncated"], true);
    }
}
