//! The spans and the metrics of a call over NATS, as a collector receives them over OTLP.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use capgen_call::{
    AgentId, CallOptions, CapabilityContract, Client, Context, Failure, Handlers, Manifest, PeerTable, Server,
    TransportSettings,
};
use capgen_testkit::brokers::NatsServer;
use opentelemetry::trace::{FutureExt as _, TraceContextExt as _, Tracer as _};
use opentelemetry::{Context as OtelContext, global};
use opentelemetry_otlp::{MetricExporter, SpanExporter, WithExportConfig as _};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use prost::Message as _;
use serde_json::{Value, json};

use crate::common::connect;

/// The bodies of requests by their paths.
type Received = Arc<Mutex<Vec<(String, Vec<u8>)>>>;

/// A collector, which answers every request with success.
fn collector() -> (String, Received) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, received) = (listener.local_addr().unwrap(), Received::default());
    let all = Arc::clone(&received);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let all = Arc::clone(&all);
            std::thread::spawn(move || receive(&stream, &all));
        }
    });
    (format!("http://{address}"), received)
}

fn receive(stream: &TcpStream, all: &Received) -> Option<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|size| *size > 0)?;
        let path = line.split(' ').nth(1)?.to_owned();
        let mut length = 0;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok()?;
            if header.trim().is_empty() {
                break;
            }
            if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        all.lock().unwrap().push((path, body));
        (&*stream)
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n")
            .ok()?;
    }
}

fn providers(collector: &str) -> (SdkTracerProvider, SdkMeterProvider) {
    let spans = SpanExporter::builder().with_http().with_endpoint(format!("{collector}/v1/traces")).build().unwrap();
    let metrics =
        MetricExporter::builder().with_http().with_endpoint(format!("{collector}/v1/metrics")).build().unwrap();
    let tracers = SdkTracerProvider::builder().with_batch_exporter(spans).build();
    let meters = SdkMeterProvider::builder().with_periodic_exporter(metrics).build();
    global::set_tracer_provider(tracers.clone());
    global::set_meter_provider(meters.clone());
    (tracers, meters)
}

fn texts(attributes: &[KeyValue]) -> HashMap<&str, &str> {
    let mut texts = HashMap::new();
    for KeyValue { key, value, .. } in attributes {
        if let Some(any_value::Value::StringValue(text)) = value.as_ref().and_then(|value| value.value.as_ref()) {
            texts.insert(key.as_str(), text.as_str());
        }
    }
    texts
}

const ADDRESS: &str = "agents.guide";

async fn called(nats: &NatsServer) {
    let mut contract = CapabilityContract::new("guide");
    contract.errors.push(capgen_call::DeclaredError::new("LOST"));
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
    let server = Server::builder(handlers).listen(Arc::new(transport.clone()), ADDRESS).start().await.unwrap();
    let guide = AgentId::new("guide").unwrap();
    let transports = vec![TransportSettings::nats(&["nats://localhost"], ADDRESS)];
    let manifest = Manifest { agent: guide, transports, capabilities: vec![contract] };
    let peers = PeerTable::new().with_manifest(&manifest);
    let client = Client::builder("caller").transport(Arc::new(transport)).peers(peers).build().await.unwrap();
    for payload in [json!(1), json!("lost"), json!("SECRET_LABEL")] {
        client.call_json("guide", "guide", &payload).await;
    }
    // A capability that no contract has, and a caller that states it.
    let options = CallOptions::new();
    client.call_json_with("guide", "made-up", &json!(1), &options, capgen_call::CallMode::Sync).await;
    server.shutdown(std::time::Duration::from_secs(5)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collector_receives_the_trace_and_the_metrics_of_a_call() {
    let Some(nats) = NatsServer::start() else { return };
    let (address, received) = collector();
    // The exporters block, which tasks must not.
    let (tracers, meters) = std::thread::spawn(move || providers(&address)).join().unwrap();
    let root = global::tracer("user").start("root");
    let root = OtelContext::current_with_span(root);
    let trace = root.span().span_context().trace_id().to_bytes();
    called(&nats).with_context(root.clone()).await;
    root.span().end();
    std::thread::spawn(move || {
        tracers.force_flush().unwrap();
        meters.force_flush().unwrap();
    })
    .join()
    .unwrap();

    let received = received.lock().unwrap().clone();
    let spans: Vec<Span> = received
        .iter()
        .filter(|(path, _)| path == "/v1/traces")
        .flat_map(|(_, body)| ExportTraceServiceRequest::decode(body.as_slice()).unwrap().resource_spans)
        .flat_map(|spans| spans.scope_spans)
        .flat_map(|spans| spans.spans)
        .filter(|span| span.trace_id == trace)
        .collect();
    let of_kind = |name: &str, kind: i32| -> Vec<&Span> {
        spans.iter().filter(|span| span.name == name && span.kind == kind).collect()
    };
    let [root] = of_kind("root", 1)[..] else { panic!("{spans:#?}") };
    // A call in a handler is below the request.
    let (calls, requests) = (of_kind("guide/guide", 3), of_kind("guide/guide", 2));
    let inner = of_kind("_OTHER", 3);
    assert!(inner.iter().any(|inner| requests.iter().any(|it| it.span_id == inner.parent_span_id)), "{spans:#?}");
    assert_eq!((calls.len(), requests.len()), (3, 3), "{spans:#?}");
    for (call, request) in calls.iter().zip(&requests) {
        assert_eq!(call.parent_span_id, root.span_id);
        assert_eq!(request.parent_span_id, call.span_id);
        assert!(of_kind("look", 1).iter().any(|look| look.parent_span_id == request.span_id));
    }
    let errors: Vec<_> = requests.iter().map(|span| texts(&span.attributes).get("error.type").copied()).collect();
    assert_eq!(errors, [None, Some("LOST"), Some("_OTHER")]);

    let metrics: Vec<_> = received
        .iter()
        .filter(|(path, _)| path == "/v1/metrics")
        .flat_map(|(_, body)| ExportMetricsServiceRequest::decode(body.as_slice()).unwrap().resource_metrics)
        .flat_map(|metrics| metrics.scope_metrics)
        .flat_map(|metrics| metrics.metrics)
        .collect();
    for name in ["rpc.client.call.duration", "rpc.server.call.duration"] {
        let metric = metrics.iter().find(|metric| metric.name == name).unwrap();
        let Some(Data::Histogram(histogram)) = &metric.data else { panic!("{metric:?}") };
        let of_guide =
            histogram.data_points.iter().filter(|it| texts(&it.attributes).get("rpc.method") == Some(&"guide/guide"));
        let mut outcomes: Vec<_> =
            of_guide.map(|it| (texts(&it.attributes).get("error.type").copied(), it.count)).collect();
        outcomes.sort_unstable();
        assert_eq!(outcomes, [(None, 1), (Some("LOST"), 1), (Some("_OTHER"), 1)], "{name}");
        assert_eq!(metric.unit, "s");
    }
    let all = format!("{metrics:?}");
    assert!(all.contains("capgen.client.active_calls") && all.contains("capgen.server.active_requests"), "{all}");
    assert!(!all.contains("SECRET_LABEL") && !all.contains("made-up"), "a peer cannot create labels");
}
