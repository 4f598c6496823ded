//! Spans and metrics of OpenTelemetry, recorded in memory.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use opentelemetry::trace::SpanKind;
use opentelemetry::{KeyValue, global};
use opentelemetry_sdk::metrics::data::{AggregatedMetrics, MetricData};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, SdkMeterProvider};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider};

/// The global providers of this process, which record everything. Tests that run at the same time share them, so each
/// looks only at spans and metrics of an agent of its own.
pub struct Recorder {
    spans: InMemorySpanExporter,
    metrics: InMemoryMetricExporter,
    meters: SdkMeterProvider,
    // It records until it is dropped.
    _tracers: SdkTracerProvider,
}

/// A span that has ended.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The trace, in hexadecimal.
    pub trace: String,
    /// The id, in hexadecimal.
    pub id: String,
    /// The id of the parent, in hexadecimal; only zeros if it has none.
    pub parent: String,
    /// The kind.
    pub kind: SpanKind,
    /// The attributes.
    pub attributes: BTreeMap<String, String>,
}

impl Recorder {
    /// The recorder, which is started by the first test that needs it.
    pub fn get() -> &'static Self {
        static RECORDER: OnceLock<Recorder> = OnceLock::new();
        RECORDER.get_or_init(|| {
            let (spans, metrics) = (InMemorySpanExporter::default(), InMemoryMetricExporter::default());
            let tracers = SdkTracerProvider::builder().with_simple_exporter(spans.clone()).build();
            let meters = SdkMeterProvider::builder().with_periodic_exporter(metrics.clone()).build();
            global::set_tracer_provider(tracers.clone());
            global::set_meter_provider(meters.clone());
            Self { spans, metrics, meters, _tracers: tracers }
        })
    }

    /// The spans with a name, in the order of their starts.
    ///
    /// # Panics
    ///
    /// The recorder does not work.
    #[must_use]
    pub fn spans(&self, name: &str) -> Vec<Recorded> {
        let mut spans = self.spans.get_finished_spans().expect("spans");
        spans.retain(|span| span.name == name);
        spans.sort_by_key(|span| span.start_time);
        let recorded = spans.into_iter().map(|span| Recorded {
            trace: span.span_context.trace_id().to_string(),
            id: span.span_context.span_id().to_string(),
            parent: span.parent_span_id.to_string(),
            kind: span.span_kind,
            attributes: texts(span.attributes.iter()),
        });
        recorded.collect()
    }

    /// The points of a metric with this value of `rpc.method`: their values of `error.type`, and their counts or sums.
    ///
    /// # Panics
    ///
    /// There is no such metric, or it is of another kind.
    #[must_use]
    pub fn points(&self, metric: &str, method: &str) -> BTreeMap<String, i64> {
        self.meters.force_flush().expect("metrics");
        let last = self.metrics.get_finished_metrics().expect("metrics").pop().expect("metrics");
        let mut all = last.scope_metrics().flat_map(|scope| scope.metrics());
        let metric = all.find(|it| it.name() == metric).unwrap_or_else(|| panic!("no metric `{metric}`"));
        let points: Vec<(BTreeMap<String, String>, i64)> = match metric.data() {
            AggregatedMetrics::F64(MetricData::Histogram(histogram)) => {
                let points = histogram.data_points();
                points.map(|it| (texts(it.attributes()), i64::try_from(it.count()).unwrap_or(i64::MAX))).collect()
            }
            AggregatedMetrics::I64(MetricData::Sum(sum)) => {
                sum.data_points().map(|it| (texts(it.attributes()), it.value())).collect()
            }
            other => panic!("{other:?}"),
        };
        let of_method = points.into_iter().filter(|(it, _)| it.get("rpc.method").is_some_and(|it| it == method));
        of_method.map(|(it, value)| (it.get("error.type").cloned().unwrap_or_default(), value)).collect()
    }

    /// All metrics as a text, to search it.
    ///
    /// # Panics
    ///
    /// The recorder does not work.
    #[must_use]
    pub fn metrics(&self) -> String {
        self.meters.force_flush().expect("metrics");
        format!("{:?}", self.metrics.get_finished_metrics().expect("metrics").pop())
    }
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").finish_non_exhaustive()
    }
}

fn texts<'a>(attributes: impl Iterator<Item = &'a KeyValue>) -> BTreeMap<String, String> {
    attributes.map(|attribute| (attribute.key.to_string(), attribute.value.to_string())).collect()
}
