//! A call that has started: its identity, its deadline, and its end.

use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;
#[cfg(feature = "tower")]
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use capgen_manifest::Side;
use capgen_payload::Violations;
use tokio::time::Instant;
use tracing::Span;

use super::TIMEOUTS;
use super::builder::Inner;
use crate::decimal::Decimal;
#[cfg(feature = "otel")]
use crate::declared_errors::DeclaredErrors;
use crate::envelope::SkewDetails;
#[cfg(feature = "otel")]
use crate::envelope::header;
use crate::id::Id;
use crate::journal::Subject;
use crate::options::CallOptions;
#[cfg(feature = "otel")]
use crate::otel::{Measured, Parent};
use crate::outcome::{CallError, Status, code, in_ms};
use crate::violation::summary;

/// A call that has started. If it is dropped before its end, because its future was, it ends as abandoned.
pub(super) struct Started {
    pub(super) inner: Arc<Inner>,
    /// The id of the peer.
    pub(super) peer: Cow<'static, str>,
    pub(super) capability: Cow<'static, str>,
    /// The hash of the contract.
    contract: Cow<'static, str>,
    pub(super) correlation_id: Id,
    pub(super) tenant: Option<Arc<str>>,
    pub(super) session: Option<Arc<str>>,
    pub(super) start: Instant,
    pub(super) deadline: Instant,
    /// The same as Unix time in ms.
    pub(super) unix_deadline: u64,
    has_ended: bool,
    /// The requests that were sent, if the client has layers: one that makes the call again has the same id of the
    /// call.
    #[cfg(feature = "tower")]
    pub(super) sent: Option<Mutex<Vec<Id>>>,
    /// The span and the metrics of the call.
    #[cfg(feature = "otel")]
    pub(super) measured: Option<Measured>,
    /// The codes that the contract declares.
    #[cfg(feature = "otel")]
    pub(super) codes: Codes,
}

/// The codes that the contract of a call declares.
#[cfg(feature = "otel")]
#[derive(Clone, Default)]
pub(super) enum Codes {
    /// Those of generated or derived code.
    Typed(&'static [capgen_descriptor::ErrorDescriptor]),
    /// Those of the table of peers.
    Loaded(Arc<DeclaredErrors>),
    /// None.
    #[default]
    None,
}

#[cfg(feature = "otel")]
impl Codes {
    fn declare(&self, code: &str) -> bool {
        match self {
            Self::Typed(errors) => errors.iter().any(|error| error.code == code),
            Self::Loaded(errors) => errors.declare(code),
            Self::None => false,
        }
    }
}

/// The names of a call: of its peer, its capability, and the hash of its contract.
pub(super) type Names = [Cow<'static, str>; 3];

impl Started {
    /// Starts a call. `declared` is the timeout of the capability.
    pub(super) fn new(
        inner: Arc<Inner>,
        [peer, capability, contract]: Names,
        declared: Option<Duration>,
        options: &CallOptions,
    ) -> Self {
        let [least, most, default] = TIMEOUTS;
        let timeout = options.timeout.or(declared).or(inner.timeout).unwrap_or(default).clamp(least, most);
        let now = inner.journal.clock.now_ms();
        // A call that serves another one does not outlive it.
        let start = Instant::now();
        let rest = options.parent_deadline.map(|deadline| deadline.saturating_duration_since(start));
        let timeout = rest.map_or(timeout, |rest| timeout.min(rest));
        #[cfg(feature = "otel")]
        let measured = {
            // Only a capability of a known contract has a hash.
            let known = Some(&*capability).filter(|_| !contract.is_empty());
            let header = options.headers.get(header::TRACEPARENT).map(String::as_str);
            let parent = if options.is_detached { Parent::Remote(header) } else { Parent::Current(header) };
            inner.instruments.start(&peer, known, parent)
        };
        Self {
            #[cfg(feature = "tower")]
            sent: inner.layers.is_some().then(Mutex::default),
            #[cfg(feature = "otel")]
            measured: Some(measured),
            #[cfg(feature = "otel")]
            codes: Codes::None,
            peer,
            capability,
            contract,
            correlation_id: Id::random(),
            tenant: options.tenant.clone().or_else(|| inner.tenant.clone()),
            session: options.session.clone(),
            inner,
            start,
            deadline: start + timeout,
            unix_deadline: now.saturating_add(in_ms(timeout).max(1)),
            has_ended: false,
        }
    }

    /// Notes a request that is sent, if the client has layers.
    #[cfg(feature = "tower")]
    pub(super) fn note(&self, id: Id) {
        if let Some(sent) = &self.sent {
            sent.lock().unwrap_or_else(PoisonError::into_inner).push(id);
        }
    }

    /// Takes the requests that were sent; `None` if the client has no layers.
    #[cfg(feature = "tower")]
    pub(super) fn take_sent(&self) -> Option<Vec<Id>> {
        Some(std::mem::take(&mut *self.sent.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// The call with the codes that its contract declares.
    #[cfg(feature = "otel")]
    pub(super) fn with_codes(mut self, codes: Codes) -> Self {
        self.codes = codes;
        self
    }

    /// The span of the call.
    pub(super) fn span(&self) -> Span {
        tracing::info_span!(
            "capgen.call",
            capability = &*self.capability,
            peer = &*self.peer,
            correlation_id = self.correlation_id.as_str(),
            contract = &*self.contract
        )
    }

    fn subject(&self) -> Subject<'_> {
        Subject {
            tenant: self.tenant.as_deref(),
            session: self.session.as_deref(),
            contract: &self.contract,
            ..Subject::new([&*self.capability, &*self.peer, self.correlation_id.as_str()])
        }
    }

    /// The time until the deadline.
    pub(super) fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Ends the call with a valid response.
    pub(super) fn succeed(mut self) -> impl Future<Output = ()> + Send + use<> {
        self.finish(Status::Ok, None);
        // In a box, because most calls are not recorded, and their futures should not have its size.
        let record = self.inner.journal.records_calls.then_some(self);
        let record = record.map(|started| Box::pin(async move { started.record(Status::Ok, None).await }));
        async {
            if let Some(record) = record {
                record.await;
            }
        }
    }

    /// Ends the call with an error.
    pub(super) async fn end(mut self, error: CallError) -> CallError {
        self.finish(error.status, Some(&error.code));
        self.record(error.status, Some(&error.code)).await;
        CallError { correlation_id: self.correlation_id.as_str().into(), latency: self.start.elapsed(), ..error }
    }

    /// Ends the call with the violations of a payload. The audit gets `redacted`: the same violations without values.
    pub(super) async fn violation(
        self,
        side: Side,
        violations: Violations,
        redacted: Violations,
        response: Option<(Bytes, Option<Box<SkewDetails>>)>,
    ) -> CallError {
        self.inner.journal.violation(self.subject(), side, redacted, self.patience()).await;
        let (response, skew) = response.map_or((None, None), |(response, skew)| (Some(response), skew));
        let message = summary(side, &violations);
        let versions =
            skew.as_ref().and_then(|skew| Some((skew.provider_version.as_ref()?, skew.caller_version.as_ref()?)));
        let message = match versions {
            Some((provider, caller)) => {
                format!("the provider has version {provider}, your contract is {caller}: {message}")
            }
            None => message,
        };
        let error = CallError::violation(side, message, violations).with_response(response);
        self.end(error.with_skew(skew.map(|skew| *skew))).await
    }

    fn finish(&mut self, status: Status, code: Option<&str>) {
        self.has_ended = true;
        #[cfg(feature = "otel")]
        if let Some(measured) = &mut self.measured {
            measured.end(code, |code| self.codes.declare(code));
        }
        tracing::debug!(status = status.as_str(), code, latency_ms = in_ms(self.elapsed()), "the call ended");
    }

    /// Records the call, if calls are recorded.
    async fn record(&self, status: Status, code: Option<&str>) {
        let latency = in_ms(self.elapsed());
        self.inner.journal.call(self.subject(), status, code, latency, self.patience()).await;
    }

    /// How long an audit may delay the end of the call: half of the remaining time, at most 5 s, but at least a moment,
    /// so that timeouts are recorded too.
    fn patience(&self) -> Duration {
        (self.remaining() / 2).clamp(Duration::from_millis(100), Duration::from_secs(5))
    }
}

/// The value of the header `capgen-timeout-ms`: the time until the deadline in ms, at least 1.
pub(super) fn stated(remaining: Duration) -> Decimal {
    Decimal::new(in_ms(remaining).max(1))
}

impl Drop for Started {
    fn drop(&mut self) {
        if self.has_ended || !self.inner.journal.records_calls {
            return;
        }
        // A copy that is dropped at its end.
        let copy = Self {
            inner: Arc::clone(&self.inner),
            peer: self.peer.clone(),
            capability: self.capability.clone(),
            contract: self.contract.clone(),
            tenant: self.tenant.clone(),
            session: self.session.clone(),
            has_ended: true,
            #[cfg(feature = "tower")]
            sent: None,
            #[cfg(feature = "otel")]
            measured: None,
            #[cfg(feature = "otel")]
            codes: Codes::None,
            ..*self
        };
        let latency = in_ms(self.elapsed());
        self.inner.runtime.spawn(async move {
            let (status, code) = (Status::Abandoned, Some(code::ABANDONED));
            // The caller does not wait for this record, so the limit only ends the task if the audit is stuck.
            copy.inner.journal.call(copy.subject(), status, code, latency, Duration::from_secs(1)).await;
        });
    }
}
