//! The spans and metrics of the handlers of `capgen-call`.

use capgen_amp::carrier::Peer as _;
use capgen_amp::carrier::handlers::HandlerExecutor;
use capgen_amp::message::MessageType;
use capgen_call::{CapabilityContract, Context, DeclaredError, Failure, Handlers};
use capgen_testkit::otel::Recorder;
use opentelemetry::trace::{SpanKind, Tracer as _};
use serde_json::{Value, json};

use crate::carriers::agents::{invoke, message};
use crate::carriers::handlers::peer;
use crate::carriers::harness::LONG;
use crate::support::key;

fn handlers() -> Handlers {
    let mut contract = CapabilityContract::new("code-review");
    contract.errors.push(DeclaredError::new("NOT_FOUND"));
    Handlers::new("otel-amp").with_json(&contract, async |_: Context, payload: Value| {
        // A span of the user, inside of that of the invocation.
        opentelemetry::global::tracer("user").in_span("user of otel-amp", |_| ());
        match payload["code"].as_str().unwrap_or_default() {
            "fast" => Ok(json!({"issues": 1})),
            "panic" => panic!("a handler panics"),
            "never" => std::future::pending().await,
            code => Err(Failure::new(code, "m")),
        }
    })
}

#[tokio::test]
async fn invocations_are_spans_and_counted_and_no_caller_creates_values() {
    let recorder = Recorder::get();
    let method = "otel-amp/code-review";
    let peer = peer(HandlerExecutor::new(handlers()));
    for behaviour in ["fast", "NOT_FOUND", "MADE_UP_CODE", "panic"] {
        let _ = peer.call(invoke(behaviour), LONG).await;
    }
    let spans = recorder.spans(method);
    assert!(spans.iter().all(|span| span.kind == SpanKind::Server && span.attributes["rpc.system.name"] == "amp"));
    let errors: Vec<_> = spans.iter().map(|span| span.attributes.get("error.type").map(String::as_str)).collect();
    assert_eq!(errors, [None, Some("NOT_FOUND"), Some("_OTHER"), Some("EAGENTRPC_HANDLER_FAILED")]);
    let user = recorder.spans("user of otel-amp");
    assert!(user.iter().zip(&spans).all(|(user, span)| user.parent == span.id), "{user:#?}");
    assert_eq!(recorder.points("capgen.server.active_requests", method)[""], 0);
    // A handler that does not end before its deadline.
    let body = json!({"id": "org.agentries.code-review:1.0.0", "params": {"code": "never"}, "timeout_ms": 50});
    let _ = peer.call(message(MessageType::CapInvoke, body).sign(&key("alice")).into(), LONG).await;
    let points = recorder.points("rpc.server.call.duration", method);
    let counts = [("", 1), ("EAGENTRPC_HANDLER_FAILED", 1), ("EAGENTRPC_TIMEOUT", 1), ("NOT_FOUND", 1), ("_OTHER", 1)];
    assert_eq!(points, counts.map(|(code, count)| (code.to_owned(), count)).into());
    assert_eq!(recorder.points("capgen.server.active_requests", method)[""], 0);
    assert!(!recorder.metrics().contains("MADE_UP"));
}
