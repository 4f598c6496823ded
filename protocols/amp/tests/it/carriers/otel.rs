//! The spans and metrics of the handlers of `capgen-call`.

use std::sync::Arc;

use capgen_amp::body::{CapInvoke, Target};
use capgen_amp::carrier::handlers::HandlerExecutor;
use capgen_amp::carrier::memory::MemoryPeer;
use capgen_amp::carrier::{Client, Peer as _};
use capgen_amp::message::MessageType;
use capgen_amp::requester::Requester;
use capgen_call::{CapabilityContract, Context, Decision, DeclaredError, Failure, Handlers};
use capgen_testkit::otel::Recorder;
use opentelemetry::context::FutureExt as _;
use opentelemetry::trace::{SpanKind, TraceContextExt as _, Tracer as _};
use serde_json::{Value, json};

use crate::carriers::agents::{invoke, message};
use crate::carriers::handlers::peer;
use crate::carriers::harness::LONG;
use crate::support::{did, key, keys};

fn handlers() -> Handlers {
    handlers_of("otel-amp")
}

fn handlers_of(agent: &str) -> Handlers {
    let mut contract = CapabilityContract::new("code-review");
    contract.errors.push(DeclaredError::new("NOT_FOUND"));
    let user = format!("user of {agent}");
    Handlers::new(agent).with_json(&contract, move |_: Context, payload: Value| {
        // A span of the user, inside of that of the invocation.
        opentelemetry::global::tracer("user").in_span(user.clone(), |_| ());
        async move {
            match payload["code"].as_str().unwrap_or_default() {
                "fast" => Ok(json!({"issues": 1})),
                "panic" => panic!("a handler panics"),
                "never" => std::future::pending().await,
                code => Err(Failure::new(code, "m")),
            }
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

#[tokio::test]
async fn refusals_are_counted_and_no_caller_creates_values() {
    let recorder = Recorder::get();
    let handlers = Handlers::new("otel-amp-refused").with_loose("code-review", async |_, it| Ok(it));
    let executor = HandlerExecutor::new(handlers);
    let denied = executor.clone().authorize(|_, _| Decision::deny("a test"));
    let (open, closed) = (peer(executor), peer(denied));
    let send = async |peer: &MemoryPeer, body: Value| {
        let _ = peer.call(message(MessageType::CapInvoke, body).sign(&key("alice")).into(), LONG).await;
    };
    let body = |id: &str, code: Value| json!({"id": format!("org.agentries.{id}"), "params": {"code": code}});
    send(&open, body("code-review:1.0.0", json!(7))).await;
    send(&open, body("code-review:2.0.0", json!(""))).await;
    // The result violates the published schema, of which the handler knows nothing.
    send(&open, body("code-review:1.0.0", json!(""))).await;
    send(&open, body("made-up:1.0.0", json!(""))).await;
    send(&closed, body("code-review:1.0.0", json!(""))).await;
    send(&closed, body("made-up:1.0.0", json!(""))).await;
    // Not signed by its sender.
    let stranger = message(MessageType::CapInvoke, json!({"params": {}})).sign(&key("denied"));
    let _ = open.call(stranger.into(), LONG).await;
    let method = "otel-amp-refused/code-review";
    let points = recorder.points("rpc.server.call.duration", method);
    let counts = [("EAGENTRPC_FORBIDDEN", 1), ("EAGENTRPC_SCHEMA_VIOLATION", 2), ("EVERSION_SKEW", 1)];
    assert_eq!(points, counts.map(|(code, count)| (code.to_owned(), count)).into());
    assert_eq!(recorder.points("capgen.server.active_requests", method)[""], 0);
    let others = recorder.points("rpc.server.call.duration", "_OTHER");
    for code in ["EAGENTRPC_NO_CAPABILITY", "EAGENTRPC_FORBIDDEN", "EAGENTRPC_AUTH_FAILED"] {
        assert!(others.get(code).is_some_and(|count| *count > 0), "{code}: {others:?}");
    }
    assert!(!recorder.metrics().contains("made-up"));
}

#[tokio::test]
async fn a_call_of_a_client_is_a_span_below_the_current_one_and_counted() {
    let recorder = Recorder::get();
    let requester = Requester::new(did("alice"), key("alice"), Arc::new(keys()));
    let provider = peer(HandlerExecutor::new(handlers_of("otel-amp-called")));
    let client = Client::new(requester, did("provider"), Arc::new(provider)).with_timeout(LONG);
    let target = || CapInvoke {
        target: Target::Id("org.agentries.code-review:1.0.0".parse().unwrap()),
        params: capgen_amp::cbor::Value::from_json(&json!({"code": "fast"})),
        timeout_ms: None,
    };
    let tracer = opentelemetry::global::tracer("user");
    let parent = tracer.start("caller of otel-amp-called");
    let context = opentelemetry::Context::new().with_span(parent);
    client.invoke(&target(), None).with_context(context.clone()).await.unwrap();
    context.span().end();
    let failing =
        CapInvoke { params: capgen_amp::cbor::Value::from_json(&json!({"code": "MADE_UP_ERROR"})), ..target() };
    client.invoke(&failing, None).await.unwrap_err();
    let method = "did:web:example.com:provider/org.agentries.code-review";
    let [parent] = &recorder.spans("caller of otel-amp-called")[..] else { panic!("one span") };
    let spans = recorder.spans(method);
    let span = spans.iter().find(|span| span.parent == parent.id).unwrap();
    assert_eq!((&span.trace, &span.kind), (&parent.trace, &SpanKind::Client));
    assert_eq!(span.attributes["rpc.system.name"], "amp");
    let points = recorder.points("rpc.client.call.duration", method);
    assert!(points[""] > 0 && points["_OTHER"] > 0, "{points:?}");
    assert!(!recorder.metrics().contains("MADE_UP"));
}
