//! A collector, which receives spans and metrics over OTLP.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, OnceLock};

use opentelemetry::global;
use opentelemetry_otlp::{MetricExporter, SpanExporter, WithExportConfig as _};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::{Metric, number_data_point};
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use prost::Message as _;

/// The bodies of requests by their paths.
type Received = Arc<Mutex<Vec<(String, Vec<u8>)>>>;

/// The collector of this process, to which its global providers send, and programs that tests start.
pub(super) struct Collector {
    pub(super) address: String,
    received: Received,
    tracers: SdkTracerProvider,
    meters: SdkMeterProvider,
}

impl Collector {
    /// Starts it with the first test that needs it.
    pub(super) fn get() -> &'static Self {
        static COLLECTOR: OnceLock<Collector> = OnceLock::new();
        // The exporters block, which tasks must not.
        COLLECTOR.get_or_init(|| std::thread::spawn(Self::start).join().unwrap())
    }

    fn start() -> Self {
        let (address, received) = listen();
        let spans = SpanExporter::builder().with_http().with_endpoint(format!("{address}/v1/traces")).build().unwrap();
        let metrics =
            MetricExporter::builder().with_http().with_endpoint(format!("{address}/v1/metrics")).build().unwrap();
        let tracers = SdkTracerProvider::builder().with_batch_exporter(spans).build();
        let meters = SdkMeterProvider::builder().with_periodic_exporter(metrics).build();
        global::set_tracer_provider(tracers.clone());
        global::set_meter_provider(meters.clone());
        Self { address, received, tracers, meters }
    }

    /// Makes this process send all of its spans and metrics.
    fn flush(&self) {
        let (tracers, meters) = (self.tracers.clone(), self.meters.clone());
        std::thread::spawn(move || {
            tracers.force_flush().unwrap();
            meters.force_flush().unwrap();
        })
        .join()
        .unwrap();
    }

    fn bodies(&self, wanted: &str) -> Vec<Vec<u8>> {
        let received = self.received.lock().unwrap();
        received.iter().filter(|(path, _)| path == wanted).map(|(_, body)| body.clone()).collect()
    }

    /// The spans of a trace that have arrived, each with the name of the service that sent it.
    pub(super) fn spans(&self, trace: [u8; 16]) -> Vec<Span> {
        self.flush();
        let bodies = self.bodies("/v1/traces").into_iter();
        let requests = bodies.map(|body| ExportTraceServiceRequest::decode(body.as_slice()).unwrap());
        let spans = requests.flat_map(|request| request.resource_spans).flat_map(|spans| spans.scope_spans);
        spans.flat_map(|spans| spans.spans).filter(|span| span.trace_id == trace).collect()
    }

    /// The metrics that each service has sent last: the values of all points, by the names of the service and the
    /// metric, and then by the values of the attributes `rpc.method` and `error.type`.
    pub(super) fn metrics(&self) -> Metrics {
        self.flush();
        let mut latest = HashMap::new();
        for body in self.bodies("/v1/metrics") {
            for resource in ExportMetricsServiceRequest::decode(body.as_slice()).unwrap().resource_metrics {
                let attributes = resource.resource.unwrap_or_default().attributes;
                let service = texts(&attributes).get("service.name").copied().unwrap_or_default().to_owned();
                for metric in resource.scope_metrics.into_iter().flat_map(|scope| scope.metrics) {
                    latest.insert((service.clone(), metric.name.clone()), metric);
                }
            }
        }
        Metrics(latest)
    }
}

/// Metrics by the names of their services and their own.
pub(super) struct Metrics(HashMap<(String, String), Metric>);

impl Metrics {
    /// The values of the points of a metric, of those whose `rpc.method` is `method`, with the value of `error.type`:
    /// counts of histograms, and sums. Sorted.
    pub(super) fn values(&self, service: &str, name: &str, method: Option<&str>) -> Vec<(Option<String>, i64)> {
        let metric = self.0.iter().find(|((of, is), _)| of.starts_with(service) && is == name);
        let Some((_, metric)) = metric else { panic!("no {name} of {service}: {:?}", self.0.keys()) };
        let value = |attributes: &[KeyValue], value: i64| {
            let texts = texts(attributes);
            let error = texts.get("error.type").map(|error| (*error).to_owned());
            (texts.get("rpc.method").copied() == method).then_some((error, value))
        };
        let mut values: Vec<_> = match &metric.data {
            Some(Data::Histogram(histogram)) => {
                assert_eq!(metric.unit, "s");
                let points = histogram.data_points.iter();
                points.filter_map(|it| value(&it.attributes, i64::try_from(it.count).unwrap())).collect()
            }
            Some(Data::Sum(sum)) => {
                let number = |value: &Option<number_data_point::Value>| match value {
                    Some(number_data_point::Value::AsInt(number)) => *number,
                    _ => panic!("{metric:?}"),
                };
                sum.data_points.iter().filter_map(|it| value(&it.attributes, number(&it.value))).collect()
            }
            _ => panic!("{metric:?}"),
        };
        values.sort_unstable();
        values
    }

    /// All of it, to search for texts.
    pub(super) fn to_text(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// The attributes that are texts.
pub(super) fn texts(attributes: &[KeyValue]) -> HashMap<&str, &str> {
    let mut texts = HashMap::new();
    for KeyValue { key, value, .. } in attributes {
        if let Some(any_value::Value::StringValue(text)) = value.as_ref().and_then(|value| value.value.as_ref()) {
            texts.insert(key.as_str(), text.as_str());
        }
    }
    texts
}

/// Answers every request with success.
fn listen() -> (String, Received) {
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
        let path = line(&mut reader)?.split(' ').nth(1)?.to_owned();
        let mut body = Body::Sized(0);
        loop {
            let header = line(&mut reader)?.to_ascii_lowercase();
            match header.split_once(':').map(|(name, value)| (name, value.trim())) {
                Some(("content-length", size)) => body = Body::Sized(size.parse().ok()?),
                Some(("transfer-encoding", "chunked")) => body = Body::Chunked,
                Some(_) => {}
                None => break,
            }
        }
        let body = body.read(&mut reader)?;
        all.lock().unwrap().push((path, body));
        (&*stream)
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n")
            .ok()?;
    }
}

/// How long the body of a request is: the exporters in Rust state its size, and those in Node send chunks.
enum Body {
    Sized(usize),
    Chunked,
}

impl Body {
    fn read(self, reader: &mut BufReader<&TcpStream>) -> Option<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let size = match self {
                Self::Sized(size) => size,
                Self::Chunked => usize::from_str_radix(&line(reader)?, 16).ok()?,
            };
            let start = body.len();
            body.resize(start + size, 0);
            reader.read_exact(&mut body[start..]).ok()?;
            if let Self::Sized(_) = self {
                return Some(body);
            }
            // Each chunk ends with a line break, and so does the list of trailers, which is empty.
            line(reader)?;
            if size == 0 {
                return Some(body);
            }
        }
    }
}

/// The next line without its end; `None` if there is none.
fn line(reader: &mut BufReader<&TcpStream>) -> Option<String> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|size| *size > 0)?;
    Some(line.trim().to_owned())
}
