//! Spans and metrics of [OpenTelemetry](https://opentelemetry.io/docs/specs/semconv/rpc/), with the feature `otel`, by
//! its semantic conventions for remote procedure calls (1.38 and later).
//!
//! Clients and servers use the global providers of the crate `opentelemetry`: set them before you build a client or a
//! server. The parent of the span of a call is the current context or, if there is no span in it, the header
//! `traceparent` of its options; a detached call has only the latter. The span of a request has the span of the call as
//! its parent, and is current while the handler runs.
//!
//! | instrument | kind, unit | measures |
//! |---|---|---|
//! | `rpc.client.call.duration`, `rpc.server.call.duration` | histogram, s | calls with all their attempts, requests |
//! | `capgen.client.active_calls`, `capgen.server.active_requests` | up-down counter | calls that wait, requests that wait or run |
//! | `capgen.client.retries` | counter | attempts after the first one of a call |
//!
//! Spans and histograms have `rpc.system.name` (`capgen`), `rpc.method` (`<agent>/<capability>`), and, if they failed,
//! `error.type` with the code of the error. A text of a peer never becomes the value of an attribute of a metric: a
//! capability that the agent does not have is `_OTHER`, and so is a code that is neither one of capgen nor declared.
//!
//! Servers of other protocols that run [`Handlers`](crate::Handlers) record the same with [`Requests`], under the name
//! of their protocol, and clients of other protocols with [`ClientRequests`].

use std::future::Future;

use opentelemetry::context::FutureExt as _;
use opentelemetry::metrics::{Counter, Histogram, UpDownCounter};
use opentelemetry::trace::{SpanContext, SpanKind, Status, TraceContextExt as _, TraceFlags, TraceState, Tracer as _};
use opentelemetry::{Context, KeyValue, SpanId, TraceId, global};
use tokio::time::Instant;

use crate::outcome::code;
use crate::trace::Traceparent;

/// The name of the library in spans and metrics.
const SCOPE: &str = "capgen";

/// The value of attributes instead of texts that a peer chose, as the conventions have it.
const OTHER: &str = "_OTHER";

/// The boundaries of histograms in s, as the conventions advise.
const BOUNDARIES: [f64; 14] = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];

/// The instruments of a client or of a server.
#[derive(Clone, Debug)]
pub(crate) struct Instruments {
    duration: Histogram<f64>,
    active: UpDownCounter<i64>,
    retries: Option<Counter<u64>>,
    kind: SpanKind,
    /// The name of the protocol.
    system: &'static str,
}

impl Instruments {
    pub(crate) fn of_client() -> Self {
        Self::of_client_of(SCOPE)
    }

    fn of_client_of(system: &'static str) -> Self {
        let retries = global::meter(SCOPE).u64_counter("capgen.client.retries").build();
        let names = ["rpc.client.call.duration", "capgen.client.active_calls"];
        Self { retries: Some(retries), ..Self::new(names, SpanKind::Client, system) }
    }

    pub(crate) fn of_server() -> Self {
        Self::of_server_of(SCOPE)
    }

    fn of_server_of(system: &'static str) -> Self {
        Self::new(["rpc.server.call.duration", "capgen.server.active_requests"], SpanKind::Server, system)
    }

    fn new([duration, active]: [&'static str; 2], kind: SpanKind, system: &'static str) -> Self {
        let meter = global::meter(SCOPE);
        let duration = meter.f64_histogram(duration).with_unit("s").with_boundaries(BOUNDARIES.to_vec());
        let active = meter.i64_up_down_counter(active);
        Self { duration: duration.build(), active: active.build(), retries: None, kind, system }
    }

    /// Starts the span of a call or a request. `capability` is `None` if this agent or the contracts of its peers do
    /// not have it.
    pub(crate) fn start(&self, agent: &str, capability: Option<&str>, parent: Parent<'_>) -> Measured {
        let method = match capability {
            Some(capability) => format!("{agent}/{capability}"),
            None => OTHER.to_owned(),
        };
        let attributes = [KeyValue::new("rpc.system.name", self.system), KeyValue::new("rpc.method", method.clone())];
        let tracer = global::tracer(SCOPE);
        let builder = tracer.span_builder(method).with_kind(self.kind.clone()).with_attributes(attributes.to_vec());
        let context = parent.context();
        let context = context.with_span(tracer.build_with_context(builder, &context));
        self.active.add(1, &attributes);
        Measured { instruments: self.clone(), attributes, context, start: Instant::now(), has_ended: false }
    }
}

/// The parent of a span.
#[derive(Clone, Copy)]
pub(crate) enum Parent<'a> {
    /// The current context of the program; if there is no span in it, a `traceparent`.
    Current(Option<&'a str>),
    /// A `traceparent`, or nothing.
    Remote(Option<&'a str>),
}

impl Parent<'_> {
    fn context(self) -> Context {
        let remote = |text: Option<&str>| text.and_then(remote).unwrap_or_default();
        match self {
            Self::Current(text) => {
                let current = Context::current();
                if current.has_active_span() { current } else { remote(text) }
            }
            Self::Remote(text) => remote(text),
        }
    }
}

/// The context of a span of another program.
fn remote(traceparent: &str) -> Option<Context> {
    let (trace, span, flags) = Traceparent::parts(traceparent)?;
    let (trace, span) = (TraceId::from_hex(trace).ok()?, SpanId::from_hex(span).ok()?);
    let flags = TraceFlags::new(u8::from_str_radix(flags, 16).ok()?);
    let parent = SpanContext::new(trace, span, flags, true, TraceState::default());
    Some(Context::new().with_remote_span_context(parent))
}

/// A call or a request that is measured. If it is dropped before its end, it ends as abandoned.
#[derive(Debug)]
pub(crate) struct Measured {
    instruments: Instruments,
    attributes: [KeyValue; 2],
    pub(crate) context: Context,
    start: Instant,
    has_ended: bool,
}

impl Measured {
    /// The `traceparent` of messages that belong to the span; `None` if no provider makes spans: then that of the
    /// parent takes its place.
    pub(crate) fn traceparent(&self) -> Option<Traceparent> {
        let span = self.context.span();
        let span = span.span_context();
        let ids = (span.trace_id().to_bytes(), span.span_id().to_bytes(), span.trace_flags().to_u8());
        (span.is_valid() && !span.is_remote()).then(|| Traceparent::of(ids.0, ids.1, ids.2))
    }

    /// Counts an attempt after the first one.
    pub(crate) fn retried(&self) {
        if let Some(retries) = &self.instruments.retries {
            retries.add(1, &self.attributes);
        }
    }

    /// Ends it, with the code of its error if it failed. `is_declared` is whether the contract declares a code.
    pub(crate) fn end(&mut self, failed: Option<&str>, is_declared: impl Fn(&str) -> bool) {
        if std::mem::replace(&mut self.has_ended, true) {
            return;
        }
        let span = self.context.span();
        let mut attributes = self.attributes.to_vec();
        if let Some(failed) = failed {
            let known = code::KNOWN.contains(&failed) || is_declared(failed);
            let error = KeyValue::new("error.type", if known { failed.to_owned() } else { OTHER.to_owned() });
            span.set_attribute(error.clone());
            span.set_status(Status::error(""));
            attributes.push(error);
        }
        span.end();
        self.instruments.active.add(-1, &self.attributes);
        self.instruments.duration.record(self.start.elapsed().as_secs_f64(), &attributes);
    }
}

impl Drop for Measured {
    fn drop(&mut self) {
        self.end(Some(code::ABANDONED), |_| false);
    }
}

/// The spans and metrics of a server of another protocol that runs the handlers of an agent.
///
/// ```
/// use capgen_call::otel::Requests;
///
/// # async fn example() {
/// let requests = Requests::new("mcp", "trips");
/// // For each request, with the `traceparent` that it has.
/// let mut request = requests.start(Some("book-trip"), None);
/// request.run(async { /* the handler */ }).await;
/// request.end(Some("NO_SEATS"), |code| code == "NO_SEATS");
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Requests {
    instruments: Instruments,
    agent: String,
}

impl Requests {
    /// Those of an agent, given by its id, and a protocol: the value of `rpc.system.name`. Uses the global providers of
    /// the crate `opentelemetry` at this time.
    #[must_use]
    pub fn new(system: &'static str, agent: &str) -> Self {
        Self { instruments: Instruments::of_server_of(system), agent: agent.to_owned() }
    }

    /// Starts the span of a request for a capability; `None` if the agent does not have it. A `traceparent` that is
    /// invalid is ignored.
    #[must_use = "a request that is dropped was abandoned"]
    pub fn start(&self, capability: Option<&str>, traceparent: Option<&str>) -> MeasuredRequest {
        MeasuredRequest(self.instruments.start(&self.agent, capability, Parent::Remote(traceparent)))
    }
}

/// The spans and metrics of a client of another protocol.
#[derive(Clone, Debug)]
pub struct ClientRequests(Instruments);

impl ClientRequests {
    /// Those of a protocol: the value of `rpc.system.name`. Uses the global providers of the crate `opentelemetry` at
    /// this time.
    #[must_use]
    pub fn new(system: &'static str) -> Self {
        Self(Instruments::of_client_of(system))
    }

    /// Starts the span of a request to a peer, below the current one. Both names become values of attributes, so the
    /// program must have chosen them.
    #[must_use = "a request that is dropped was abandoned"]
    pub fn start(&self, peer: &str, capability: &str) -> MeasuredRequest {
        MeasuredRequest(self.0.start(peer, Some(capability), Parent::Current(None)))
    }
}

/// A request that is measured. If it is dropped before its end, it was abandoned.
#[derive(Debug)]
pub struct MeasuredRequest(Measured);

impl MeasuredRequest {
    /// Runs a future with the span of the request as the current one.
    pub fn run<F: Future>(&self, future: F) -> impl Future<Output = F::Output> + use<F> {
        future.with_context(self.0.context.clone())
    }

    /// Counts that a client sends the request again.
    pub fn retried(&self) {
        self.0.retried();
    }

    /// Ends it, with the code of its error if it failed. Of codes that are not those of the protocol of calls, only
    /// those that the contract declares become values of attributes; `is_declared` says whether it does.
    pub fn end(&mut self, error: Option<&str>, is_declared: impl Fn(&str) -> bool) {
        self.0.end(error, is_declared);
    }
}

/// Runs a future, such as that of a new task, with the span that is current now.
pub fn in_current_span<F: Future>(future: F) -> impl Future<Output = F::Output> + use<F> {
    future.with_current_context()
}
