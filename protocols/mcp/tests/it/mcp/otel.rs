//! The spans and metrics of the calls of tools.

use capgen_call::{
    CapabilityContract, Client, Context, Decision, DeclaredError, Failure, Handlers, Manifest, PeerTable,
    TransportSettings,
};
use capgen_mcp::{
    ClientOptions, HttpOptions, HttpServer, McpClient, McpServer, McpServerBuilder, McpTransport, ToolNames,
};
use capgen_testkit::otel::Recorder;
use opentelemetry::trace::{SpanKind, Tracer as _};
use serde_json::{Value, json};

use crate::mcp::fixture::{Lines, meta};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN: &str = "00f067aa0ba902b7";

/// An agent of this id with the tool `look`, which fails with the code that it gets.
fn builder(agent: &str) -> McpServerBuilder {
    let mut contract = CapabilityContract::new("look");
    contract.errors.push(DeclaredError::new("LOST"));
    let user = format!("user of {agent}");
    let handlers = Handlers::new(agent).with_json(&contract, move |_: Context, payload: Value| {
        // A span of the user, inside of that of the request.
        opentelemetry::global::tracer("user").in_span(user.clone(), |_| ());
        async move {
            match payload["fail"].as_str() {
                None => Ok(json!("here")),
                Some("never") => std::future::pending().await,
                Some(code) => Err(Failure::new(code, "m")),
            }
        }
    });
    McpServer::of_handlers(handlers).unwrap()
}

async fn call(client: &mut Lines, tool: &str, arguments: Value, traceparent: Value) -> Value {
    let mut meta = meta();
    meta["traceparent"] = traceparent;
    client.request("tools/call", json!({"name": tool, "arguments": arguments, "_meta": meta})).await
}

#[tokio::test]
async fn a_call_is_a_span_in_the_trace_of_its_client() {
    let recorder = Recorder::get();
    let mut client = Lines::of(builder("otel-traced").build().unwrap());
    let traceparent = format!("00-{TRACE}-{SPAN}-01");
    assert!(call(&mut client, "look", json!({}), json!(traceparent)).await["result"].is_object());
    let [span] = &recorder.spans("otel-traced/look")[..] else { panic!("one span") };
    assert_eq!((span.trace.as_str(), span.parent.as_str(), &span.kind), (TRACE, SPAN, &SpanKind::Server));
    let attributes = [("rpc.method", "otel-traced/look"), ("rpc.system.name", "mcp")];
    assert_eq!(span.attributes, attributes.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
    let [user] = &recorder.spans("user of otel-traced")[..] else { panic!("one span") };
    assert_eq!((user.trace.as_str(), &user.parent), (TRACE, &span.id));
}

#[tokio::test]
async fn a_call_over_the_transport_and_its_request_are_in_one_trace() {
    let recorder = Recorder::get();
    let service = builder("otel-transport").build().unwrap().listen(0, HttpOptions::default()).await.unwrap();
    let url = HttpServer::new(&format!("http://{}/mcp", service.address())).unwrap();
    let server = McpClient::connect(url, ClientOptions::default()).await.unwrap();
    let transport = McpTransport::new().with_server("look", server, ToolNames::default());
    let (agent, transports) = ("otel-transport".parse().unwrap(), vec![TransportSettings::mcp("look")]);
    let manifest = Manifest::new(agent, transports, vec![CapabilityContract::new("look")]);
    let peers = PeerTable::new().with_manifest(&manifest);
    let client = Client::builder("me").transport(transport).peers(peers).build().await.unwrap();
    let called = client.call_json("otel-transport", "look", &json!({})).await;
    assert_eq!(called.response, Some(json!("here")));
    let [caller, served] = &recorder.spans("otel-transport/look")[..] else { panic!("two spans") };
    assert_eq!((&caller.kind, &served.kind), (&SpanKind::Client, &SpanKind::Server));
    assert_eq!((&caller.trace, &caller.id), (&served.trace, &served.parent));
}

#[tokio::test]
async fn an_invalid_trace_of_a_client_is_ignored() {
    let recorder = Recorder::get();
    let mut client = Lines::of(builder("otel-invalid").build().unwrap());
    let zeros = format!("00-{}-{SPAN}-01", "0".repeat(32));
    let long = format!("01-{TRACE}-{SPAN}-01-{}", "x".repeat(1000));
    let invalid =
        [json!(""), json!("00-é"), json!(7), json!({}), json!(zeros), json!(long), json!([TRACE]), Value::Null];
    for traceparent in &invalid {
        let answer = call(&mut client, "look", json!({}), traceparent.clone()).await;
        assert!(answer["result"].is_object(), "{traceparent}: {answer}");
    }
    let spans = recorder.spans("otel-invalid/look");
    assert_eq!(spans.len(), invalid.len());
    assert!(spans.iter().all(|span| span.parent == "0".repeat(16) && span.trace != TRACE), "{spans:#?}");
}

#[tokio::test]
async fn the_outcomes_of_calls_are_counted_and_no_client_creates_values() {
    let recorder = Recorder::get();
    let mut client = Lines::of(builder("otel-outcomes").build().unwrap());
    for code in ["LOST", "MADE_UP_CODE", "EAGENTRPC_MADE_UP"] {
        call(&mut client, "look", json!({"fail": code}), Value::Null).await;
    }
    call(&mut client, "look", json!({}), Value::Null).await;
    call(&mut client, "look", json!("not an object"), Value::Null).await;
    call(&mut client, "made-up-tool", json!({}), Value::Null).await;
    // A handler cannot choose the codes of the protocol.
    let codes = ["", "EAGENTRPC_HANDLER_FAILED", "EAGENTRPC_INVALID_ENVELOPE", "LOST", "_OTHER"];
    let expected = codes.map(|code| (code.to_owned(), 1)).into();
    assert_eq!(recorder.points("rpc.server.call.duration", "otel-outcomes/look"), expected);
    assert!(recorder.points("rpc.server.call.duration", "_OTHER")["EAGENTRPC_NO_CAPABILITY"] > 0);
    assert_eq!(recorder.points("capgen.server.active_requests", "otel-outcomes/look")[""], 0);
    let metrics = recorder.metrics();
    assert!(!metrics.contains("MADE_UP") && !metrics.contains("made-up"), "{metrics}");
}

#[tokio::test]
async fn denied_and_cancelled_calls_are_counted() {
    let recorder = Recorder::get();
    let server = builder("otel-denied").authorize(|_, _| Decision::deny("a test")).build().unwrap();
    let mut client = Lines::of(server);
    for tool in ["look", "made-up-tool"] {
        call(&mut client, tool, json!({}), Value::Null).await;
    }
    let points = recorder.points("rpc.server.call.duration", "otel-denied/look");
    assert_eq!(points, [("EAGENTRPC_FORBIDDEN".to_owned(), 1)].into());

    let mut client = Lines::of(builder("otel-cancelled").build().unwrap());
    let method = "otel-cancelled/look";
    let params = json!({"name": "look", "arguments": {"fail": "never"}, "_meta": meta()});
    let request = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params});
    client.send(&request.to_string()).await;
    while recorder.spans("user of otel-cancelled").is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(recorder.points("capgen.server.active_requests", method)[""], 1);
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#).await;
    while recorder.spans(method).is_empty() {
        tokio::task::yield_now().await;
    }
    let points = recorder.points("rpc.server.call.duration", method);
    assert_eq!(points, [("EAGENTRPC_ABANDONED".to_owned(), 1)].into());
    assert_eq!(recorder.points("capgen.server.active_requests", method)[""], 0);
}
