//! Calls over the transport `memory`.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice, reason = "a test fails by panicking")]

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::fixture::{Fixture, Review, Verdict, handlers};
use capgen::call::{CallMode, CallOptions, Clock, Context, Failure, Handlers, Keys, Status, code, header};
use capgen::{Capability, Checked};
use serde_json::{Value, json};

#[tokio::test]
async fn a_valid_call_returns_the_typed_response() {
    let fixture = Fixture::start(handlers()).await;
    let request = Review { url: "https://example.com/7".to_owned(), depth: 3 };
    let Checked(verdict) = fixture.client.call_with::<Review>(&request, &fixture.options()).await.unwrap();
    assert_eq!(verdict, Verdict { approved: true, comment: "depth 3".to_owned() });
    assert!(fixture.audit.records().is_empty());
    assert_eq!((fixture.published(), fixture.client.in_flight()), (1, 0));
}

#[tokio::test]
async fn an_invalid_request_puts_nothing_on_the_wire() {
    let fixture = Fixture::start(handlers()).await;
    let request = Review { url: "https://example.com/7".to_owned(), depth: 30 };
    let error = fixture.client.call_with::<Review>(&request, &fixture.options()).await.unwrap_err();
    assert_eq!((error.status, error.code.as_str()), (Status::SchemaViolation, code::SCHEMA_VIOLATION));
    assert_eq!(error.violations.len(), 1);
    assert_eq!(error.violations[0].path, "/depth");
    assert_eq!(fixture.published(), 0);
    let records = serde_json::to_value(fixture.audit.records()).unwrap();
    assert_eq!(records.as_array().unwrap().len(), 1);
    assert_eq!(records[0]["kind"], "capability_schema_violation");
    assert_eq!((&records[0]["side"], &records[0]["tenantId"]), (&json!("request"), &json!("-")));
    assert_eq!((&records[0]["peerId"], &records[0]["writtenBy"]), (&json!("agent://reviewer"), &json!("caller")));
    assert_eq!(records[0]["violations"][0]["path"], "/depth");
    assert!(!records[0]["violations"].to_string().contains("30"), "{records}");
}

#[tokio::test]
async fn an_invalid_response_is_kept_as_it_arrived() {
    let loose = Handlers::new("reviewer").with_loose("review", async |_, _| Ok(json!({"approved": "yes"})));
    let fixture = Fixture::start(loose).await;
    let request = Review { url: "https://example.com/7".to_owned(), depth: 3 };
    let error = fixture.client.call_with::<Review>(&request, &fixture.options()).await.unwrap_err();
    assert_eq!((error.status, error.side.map(|side| side.name())), (Status::SchemaViolation, Some("response")));
    assert_eq!(error.response(), Some(&br#"{"approved":"yes"}"#[..]));
    let result = serde_json::to_value(capgen::call::CallResult::from(error)).unwrap();
    assert_eq!(result["status"], "schema-violation");
    assert_eq!(result["schemaSide"], "response");
    assert_eq!(result["response"], json!({"approved": "yes"}));
    assert_eq!(result["error"]["code"], "EAGENTRPC_SCHEMA_VIOLATION");
    assert_eq!(fixture.audit.records().len(), 1);
}

#[tokio::test]
async fn dynamic_calls_return_the_result_object() {
    let fixture = Fixture::start(handlers()).await;
    let result = fixture.client.call_json("agent://reviewer", "review", &json!({"url": "x", "depth": 1})).await;
    assert_eq!(result.status, Status::Ok);
    assert_eq!(result.response, Some(json!({"approved": true, "comment": "depth 1"})));
    let result = fixture.client.call_json("reviewer", "review", &json!({"url": "x"})).await;
    let result = serde_json::to_value(&result).unwrap();
    assert_eq!(result["violations"][0]["path"], "/depth");
    assert_eq!(result["schemaSide"], "request");
    for (peer, capability, code) in
        [("nothing", "review", "EAGENTRPC_NO_PEER"), ("reviewer", "revise", "EAGENTRPC_NO_CAPABILITY")]
    {
        let result = fixture.client.call_json(peer, capability, &Value::Null).await;
        assert_eq!(result.error.unwrap().code, code);
    }
}

/// A provider that never answers.
fn stuck() -> Handlers {
    Handlers::new("reviewer").with_loose("review", async |_: Context, _: Value| {
        std::future::pending::<()>().await;
        Ok(Value::Null)
    })
}

#[tokio::test]
async fn a_provider_that_does_not_answer_is_a_timeout() {
    let fixture = Fixture::start(stuck()).await;
    let options = fixture.options().timeout(Duration::from_millis(50));
    let request = Review { url: "x".to_owned(), depth: 3 };
    let error = fixture.client.call_with::<Review>(&request, &options).await.unwrap_err();
    assert_eq!((error.status, error.code.as_str()), (Status::Timeout, code::TIMEOUT));
    assert!(error.latency >= Duration::from_millis(50), "{:?}", error.latency);
    assert_eq!(fixture.client.in_flight(), 0);
}

/// A clock that always reports the same time.
struct At(u64);

impl Clock for At {
    fn now_ms(&self) -> u64 {
        self.0
    }
}

/// A provider that never answers, and whose clock is ahead of the client's. Messages are signed.
async fn stuck_and_ahead(by_ms: u64) -> Fixture {
    let now = 1_000_000;
    let (client, server) = (Arc::new(At(now)), Arc::new(At(now + by_ms)));
    let keys = Keys::signing_with("k1", b"a secret of at least 16 bytes").unwrap();
    let (caller, provider) = (keys.clone(), keys);
    Fixture::start_with(stuck(), |built| built.clock(client).keys(caller), |built| built.clock(server).keys(provider))
        .await
}

/// Deadlines are in whole milliseconds, so the clock of a provider may be in the next one already.
#[tokio::test(start_paused = true)]
async fn a_provider_does_not_shorten_the_timeout_of_the_caller() {
    for rounded in [0, 1, 2] {
        let fixture = stuck_and_ahead(rounded).await;
        let options = fixture.options().timeout(Duration::from_millis(50));
        let request = Review { url: "x".to_owned(), depth: 3 };
        let error = fixture.client.call_with::<Review>(&request, &options).await.unwrap_err();
        assert_eq!((error.status, error.code.as_str()), (Status::Timeout, code::TIMEOUT));
        assert!(error.latency >= Duration::from_millis(50), "{rounded} ms: {:?}", error.latency);
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_too_late_is_a_timeout_only_after_the_deadline() {
    let fixture = stuck_and_ahead(600_000).await;
    let options = fixture.options().timeout(Duration::from_millis(50));
    let request = Review { url: "x".to_owned(), depth: 3 };
    let early = fixture.client.call_with::<Review>(&request, &options).await.unwrap_err();
    assert_eq!((early.status, early.code.as_str()), (Status::Error, code::DEADLINE_EXCEEDED));
    let mut call = pin!(fixture.client.call_with::<Review>(&request, &options));
    assert!(tokio::time::timeout(Duration::ZERO, &mut call).await.is_err());
    // The answer arrives, but this process reads it only after the deadline.
    tokio::time::sleep(Duration::from_millis(60)).await;
    let late = call.await.unwrap_err();
    assert_eq!((late.status, late.code.as_str()), (Status::Timeout, code::TIMEOUT));
}

#[tokio::test]
async fn a_missing_provider_is_an_error_at_once() {
    let fixture = Fixture::start(handlers()).await;
    let Fixture { client, server, .. } = fixture;
    assert!(server.shutdown(Duration::from_secs(1)).await);
    let result = client.call_json("reviewer", "review", &json!({"url": "x", "depth": 1})).await;
    assert_eq!(result.error.unwrap().code, code::NO_PEER);
    assert!(result.latency_ms < 1000);
}

#[tokio::test]
async fn a_failure_and_a_panic_are_error_responses() {
    let handlers = Handlers::new("reviewer").with::<Review, _, _>(async |_, request: Review| match request.depth {
        1 => Err(Failure::new("NOT_FOUND", "there is no such page")),
        2 => panic!("secret"),
        _ => Ok(Checked(Verdict { approved: true, comment: String::new() })),
    });
    let fixture = Fixture::start(handlers).await;
    let call = async |depth| {
        let request = Review { url: "x".to_owned(), depth };
        fixture.client.call_with::<Review>(&request, &fixture.options()).await.unwrap_err()
    };
    let failed = call(1).await;
    assert_eq!((failed.code.as_str(), failed.message.as_str()), ("NOT_FOUND", "there is no such page"));
    let panicked = call(2).await;
    assert_eq!((panicked.status, panicked.code.as_str()), (Status::Error, code::HANDLER_FAILED));
    assert!(!panicked.to_string().contains("secret"));
    // The response of this handler is invalid: an empty comment.
    let invalid = call(3).await;
    assert_eq!((invalid.status, invalid.side.map(|side| side.name())), (Status::SchemaViolation, Some("response")));
    assert_eq!(invalid.violations[0].path, "/comment");
    let records = serde_json::to_value(fixture.provider_audit.records()).unwrap();
    assert_eq!((records.as_array().unwrap().len(), &records[0]["writtenBy"]), (1, &json!("provider")));
}

#[tokio::test]
async fn events_have_no_response() {
    static SEEN: AtomicUsize = AtomicUsize::new(0);
    let handlers = Handlers::new("reviewer").with_loose("review", async |_: Context, _: Value| {
        SEEN.fetch_add(1, Ordering::SeqCst);
        Ok(Value::Null)
    });
    let fixture = Fixture::start(handlers).await;
    let payload = json!({"url": "x", "depth": 1});
    let options = CallOptions::new();
    let result = fixture.client.call_json_with("reviewer", "review", &payload, &options, CallMode::FireAndForget).await;
    assert_eq!((result.status, result.response), (Status::Ok, None));
    while SEEN.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(fixture.published(), 1);
}

#[tokio::test]
async fn in_async_mode_an_invalid_response_goes_to_the_handler() {
    let loose = Handlers::new("reviewer").with_loose("review", async |_, _| Ok(json!({"approved": "yes"})));
    let fixture = Fixture::start(loose).await;
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let mode = CallMode::Async(Arc::new(move |result| drop(sender.send(result))));
    let payload = json!({"url": "x", "depth": 1});
    let sent = fixture.client.call_json_with("reviewer", "review", &payload, &CallOptions::new(), mode).await;
    assert_eq!((sent.status, sent.response), (Status::Ok, None));
    let result = receiver.recv().await.unwrap();
    assert_eq!(result.status, Status::SchemaViolation);
    assert_eq!(result.correlation_id, sent.correlation_id);
    assert_eq!(result.response, Some(json!({"approved": "yes"})));
}

#[tokio::test]
async fn dropping_a_call_abandons_it() {
    let handlers = Handlers::new("reviewer").with_loose("review", async |_: Context, _: Value| {
        tokio::time::sleep(Duration::from_millis(100)).await;
        Ok(json!({"approved": true, "comment": "late"}))
    });
    let fixture = Fixture::start(handlers).await;
    let payload = json!({"url": "x", "depth": 1});
    let call = fixture.client.call_json("reviewer", "review", &payload);
    assert!(tokio::time::timeout(Duration::from_millis(20), call).await.is_err());
    assert_eq!(fixture.client.in_flight(), 0);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!((fixture.client.unexpected_responses(), fixture.server.in_flight()), (0, 0));
    let records = serde_json::to_value(fixture.audit.records()).unwrap();
    assert_eq!(records, json!([]));
}

#[tokio::test]
async fn the_number_of_calls_in_flight_is_bounded() {
    let handlers = Handlers::new("reviewer").with_loose("review", async |_: Context, _: Value| {
        tokio::time::sleep(Duration::from_millis(100)).await;
        Ok(json!({"approved": true, "comment": "fine"}))
    });
    let fixture = Fixture::start_with(handlers, |client| client.max_in_flight(2), |server| server).await;
    let payload = json!({"url": "x", "depth": 1});
    let call = || fixture.client.call_json("reviewer", "review", &payload);
    let (first, second, third) = tokio::join!(call(), call(), call());
    assert_eq!([first.status, second.status, third.status], [Status::Ok, Status::Ok, Status::Busy]);
    assert_eq!(third.error.unwrap().code, code::BUSY);
    assert_eq!(call().await.status, Status::Ok);
}

#[test]
fn the_descriptor_of_a_derived_capability_has_no_agent() {
    assert_eq!(Review::descriptor().agent, None);
}

#[tokio::test]
async fn a_child_call_is_in_the_trace_of_its_parent() {
    let handlers = Handlers::new("reviewer").with_loose("review", async |context: Context, _: Value| {
        let own = context.headers()[header::TRACEPARENT].clone();
        let child = context.child_options();
        let child = format!("{child:?}");
        assert!(child.contains(&own), "{child}");
        Ok(json!({"approved": true, "comment": own}))
    });
    let fixture = Fixture::start(handlers).await;
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let options = CallOptions::new().header("traceparent", parent);
    let payload = json!({"url": "x", "depth": 1});
    let mode = CallMode::Sync;
    let result = fixture.client.call_json_with("reviewer", "review", &payload, &options, mode).await;
    let comment = result.response.unwrap()["comment"].as_str().unwrap().to_owned();
    assert!(comment.starts_with("00-4bf92f3577b34da6a3ce929d0e0e4736-") && comment != parent, "{comment}");
}
