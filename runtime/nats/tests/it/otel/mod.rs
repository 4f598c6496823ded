//! The spans and the metrics of a call over NATS, as a collector receives them over OTLP.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod collector;
mod node;
mod queue;

use std::sync::Arc;
use std::time::Duration;

use capgen_call::{
    AgentId, CallMode, CallOptions, CapabilityContract, Client, Context, DeclaredError, Failure, Handlers, Incoming,
    IncomingContent, Manifest, MemoryBroker, PeerTable, Server, SubscribeOptions, Transport as _, TransportSettings,
};
use capgen_nats::NatsTransport;
use capgen_testkit::brokers::NatsServer;
use opentelemetry::trace::{FutureExt as _, TraceContextExt as _, Tracer as _};
use opentelemetry::{Context as OtelContext, global};
use opentelemetry_proto::tonic::trace::v1::Span;
use serde_json::{Value, json};

use crate::common::{connect, message};
use collector::{Collector, texts};

/// The kinds of spans in OTLP.
const INTERNAL: i32 = 1;
const SERVER: i32 = 2;
const CLIENT: i32 = 3;

/// The name of this process in metrics, without the part that the SDK adds.
const SERVICE: &str = "unknown_service";

/// A span of the user, and the id of its trace.
fn root() -> (OtelContext, [u8; 16]) {
    let root = OtelContext::current_with_span(global::tracer("user").start("root"));
    let trace = root.span().span_context().trace_id().to_bytes();
    (root, trace)
}

fn of_kind<'s>(spans: &'s [Span], name: &str, kind: i32) -> Vec<&'s Span> {
    let mut found: Vec<&Span> = spans.iter().filter(|span| span.name == name && span.kind == kind).collect();
    found.sort_by_key(|span| span.start_time_unix_nano);
    found
}

/// A client of an agent with one capability, at an address.
async fn client_of(transport: NatsTransport, agent: &str, contract: CapabilityContract, address: &str) -> Client {
    let agent = AgentId::new(agent).unwrap();
    let transports = vec![TransportSettings::nats(&["nats://localhost"], address)];
    let manifest = Manifest::new(agent, transports, vec![contract]);
    let peers = PeerTable::new().with_manifest(&manifest);
    Client::builder("caller").transport(Arc::new(transport)).peers(peers).build().await.unwrap()
}

async fn called(nats: &NatsServer) {
    let mut contract = CapabilityContract::new("guide");
    contract.errors.push(DeclaredError::new("LOST"));
    let inner = Client::builder("guide").transport(Arc::new(connect(nats).await)).build().await.unwrap();
    let handlers = Handlers::new("guide").with_json(&contract, move |_: Context, payload: Value| {
        let inner = inner.clone();
        async move {
            // A span of the user and a call, inside of the span of the request.
            global::tracer("user").in_span("look", |_| ());
            match payload.as_str() {
                Some("lost") => Err(Failure::new("LOST", "in the woods")),
                Some(code) => Err(Failure::new(code, "an undeclared error")),
                None => {
                    inner.call_json("elsewhere", "look", &payload).await;
                    Ok(json!("here"))
                }
            }
        }
    });
    let transport = connect(nats).await;
    let server = Server::builder(handlers).listen(Arc::new(transport.clone()), "agents.guide").start().await.unwrap();
    let client = client_of(transport, "guide", contract, "agents.guide").await;
    for payload in [json!(1), json!("lost"), json!("SECRET_LABEL")] {
        client.call_json("guide", "guide", &payload).await;
    }
    // A capability that no contract has, and a caller that states it.
    client.call_json_with("guide", "made-up", &json!(1), &CallOptions::new(), CallMode::Sync).await;
    server.shutdown(Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collector_receives_the_trace_and_the_metrics_of_a_call() {
    let Some(nats) = NatsServer::start() else { return };
    let collector = Collector::get();
    let (root, trace) = root();
    called(&nats).with_context(root.clone()).await;
    root.span().end();

    let spans = collector.spans(trace);
    let [root] = of_kind(&spans, "root", INTERNAL)[..] else { panic!("{spans:#?}") };
    // A call in a handler is below the request.
    let (calls, requests) = (of_kind(&spans, "guide/guide", CLIENT), of_kind(&spans, "guide/guide", SERVER));
    let inner = of_kind(&spans, "_OTHER", CLIENT);
    assert!(inner.iter().any(|inner| requests.iter().any(|it| it.span_id == inner.parent_span_id)), "{spans:#?}");
    assert_eq!((calls.len(), requests.len()), (3, 3), "{spans:#?}");
    for (call, request) in calls.iter().zip(&requests) {
        assert_eq!(call.parent_span_id, root.span_id);
        assert_eq!(request.parent_span_id, call.span_id);
        assert!(of_kind(&spans, "look", INTERNAL).iter().any(|look| look.parent_span_id == request.span_id));
    }
    let errors: Vec<_> = requests.iter().map(|span| texts(&span.attributes).get("error.type").copied()).collect();
    assert_eq!(errors, [None, Some("LOST"), Some("_OTHER")]);

    let metrics = collector.metrics();
    for name in ["rpc.client.call.duration", "rpc.server.call.duration"] {
        let expected = [(None, 1), (Some("LOST".to_owned()), 1), (Some("_OTHER".to_owned()), 1)];
        assert_eq!(metrics.values(SERVICE, name, Some("guide/guide")), expected, "{name}");
    }
    for name in ["capgen.client.active_calls", "capgen.server.active_requests"] {
        assert_eq!(metrics.values(SERVICE, name, Some("guide/guide")), [(None, 0)], "{name}");
    }
    let all = metrics.to_text();
    assert!(!all.contains("SECRET_LABEL") && !all.contains("made-up"), "a peer cannot create labels");
    assert!(!all.contains("caller") && !all.contains("elsewhere"), "the names of peers are no labels");
}

/// Answers each request with an error whose code is the payload, as a newer provider may have it.
async fn newer_provider(nats: &NatsServer, address: &str) {
    let transport = connect(nats).await;
    let mut requests = transport.subscribe(address, SubscribeOptions::default()).await.unwrap();
    tokio::spawn(async move {
        while let Some(Incoming { content: IncomingContent::Message(text), reply_to, .. }) = requests.next().await {
            let request: Value = serde_json::from_slice(&text).unwrap();
            let answer = json!({
                "version": 1, "kind": "response", "messageId": request["messageId"],
                "correlationId": request["correlationId"], "causedBy": request["messageId"],
                "from": request["to"], "to": request["from"], "capability": request["capability"],
                "headers": {"capgen-status": "error"},
                "payload": {"code": request["payload"], "message": "m", "retryable": false},
            });
            transport.publish(message(&reply_to.unwrap(), answer.to_string())).await.unwrap();
        }
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_codes_of_a_newer_provider_are_no_labels() {
    let Some(nats) = NatsServer::start() else { return };
    let collector = Collector::get();
    newer_provider(&nats, "agents.newer").await;
    let client = client_of(connect(&nats).await, "newer", CapabilityContract::new("look"), "agents.newer").await;
    for code in ["EAGENTRPC_MADE_UP", "NEWER_CODE", "EAGENTRPC_FORBIDDEN"] {
        let error = client.call_json("newer", "look", &json!(code)).await.error.unwrap();
        assert_eq!(error.code, code);
    }
    let metrics = collector.metrics();
    let expected = [(Some("EAGENTRPC_FORBIDDEN".to_owned()), 1), (Some("_OTHER".to_owned()), 2)];
    assert_eq!(metrics.values(SERVICE, "rpc.client.call.duration", Some("newer/look")), expected);
    let all = metrics.to_text();
    assert!(!all.contains("MADE_UP") && !all.contains("NEWER_CODE"), "a peer cannot create labels");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_without_room_are_in_the_metrics() {
    let collector = Collector::get();
    let broker = MemoryBroker::new();
    let contract = CapabilityContract::new("climb");
    let (entered, mut runs) = tokio::sync::mpsc::unbounded_channel();
    let end = Arc::new(tokio::sync::Notify::new());
    let handlers = Handlers::new("crowded").with_json(&contract, {
        let end = Arc::clone(&end);
        move |_: Context, _: Value| {
            let (entered, end) = (entered.clone(), Arc::clone(&end));
            async move {
                entered.send(()).unwrap();
                end.notified().await;
                Ok(json!("up"))
            }
        }
    });
    let server = Server::builder(handlers).listen(Arc::new(broker.connect()), "agents.crowded");
    let server = server.max_concurrent(1).max_waiting(0).start().await.unwrap();
    let transports = vec![TransportSettings::memory("agents.crowded")];
    let manifest = Manifest::new(AgentId::new("crowded").unwrap(), transports, vec![contract]);
    // A peer with this name has a capability that the agent does not have.
    let mut other = manifest.clone();
    other.capabilities.push(CapabilityContract::new("made-up-by-a-peer"));
    let peers = PeerTable::new().with_manifest(&other);
    let client = Client::builder("caller").transport(Arc::new(broker.connect())).peers(peers).build().await.unwrap();
    let first = tokio::spawn({
        let client = client.clone();
        async move { client.call_json("crowded", "climb", &json!(1)).await }
    });
    runs.recv().await.unwrap();
    for capability in ["climb", "climb", "made-up-by-a-peer"] {
        let refused = client.call_json("crowded", capability, &json!(1)).await;
        assert_eq!(refused.error.unwrap().code, "EAGENTRPC_BUSY");
    }
    end.notify_one();
    assert!(first.await.unwrap().error.is_none());
    server.shutdown(Duration::from_secs(5)).await;

    let metrics = collector.metrics();
    let expected = [(None, 1), (Some("EAGENTRPC_BUSY".to_owned()), 2)];
    assert_eq!(metrics.values(SERVICE, "rpc.server.call.duration", Some("crowded/climb")), expected);
    assert_eq!(metrics.values(SERVICE, "capgen.server.active_requests", Some("crowded/climb")), [(None, 0)]);
    let unknown = metrics.values(SERVICE, "rpc.server.call.duration", Some("_OTHER"));
    assert!(unknown.iter().any(|(code, _)| code.as_deref() == Some("EAGENTRPC_BUSY")), "{unknown:?}");
    let method = metrics.values(SERVICE, "rpc.server.call.duration", Some("crowded/made-up-by-a-peer"));
    assert!(method.is_empty(), "a peer cannot create labels");
}
