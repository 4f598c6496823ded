//! A call that has started: its identity, its deadline, and its end.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use capgen_manifest::Side;
use capgen_payload::Violation;
use tokio::time::Instant;
use tracing::Span;
use uuid::Uuid;

use super::builder::Inner;
use super::{CallOptions, TIMEOUTS};
use crate::journal::Subject;
use crate::outcome::{CallError, Status, code, in_ms};
use crate::violation::summary;

/// A call that has started. If it is dropped before its end, because its future was, it ends as abandoned.
pub(super) struct Started {
    inner: Arc<Inner>,
    pub(super) subject: Subject,
    start: Instant,
    pub(super) deadline: Instant,
    has_ended: bool,
}

impl Started {
    /// Starts a call. `declared` is the timeout of the capability.
    pub(super) fn new(
        inner: Arc<Inner>,
        peer: &str,
        capability: &str,
        contract: &str,
        declared: Option<Duration>,
        options: &CallOptions,
    ) -> Self {
        let [least, most, default] = TIMEOUTS;
        let timeout = options.timeout.or(declared).or(inner.timeout).unwrap_or(default).clamp(least, most);
        // A call that serves another one does not outlive it.
        let rest = options.parent_deadline.map(|deadline| deadline.saturating_sub(inner.journal.clock.now_ms()));
        let timeout = rest.map_or(timeout, |rest| timeout.min(Duration::from_millis(rest)));
        let subject = Subject {
            tenant: options.tenant.clone().or_else(|| inner.tenant.clone()),
            session: options.session.clone(),
            capability: capability.to_owned(),
            peer: peer.to_owned(),
            contract: contract.to_owned(),
            correlation_id: Uuid::new_v4().simple().to_string(),
        };
        let start = Instant::now();
        Self { inner, subject, start, deadline: start + timeout, has_ended: false }
    }

    /// The span of the call.
    pub(super) fn span(&self) -> Span {
        let Subject { capability, peer, correlation_id, contract, .. } = &self.subject;
        tracing::info_span!("capgen.call", capability, peer, correlation_id, contract)
    }

    /// The time until the deadline.
    pub(super) fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Ends the call with a valid response.
    pub(super) async fn succeed(mut self) {
        self.finish(Status::Ok, None).await;
    }

    /// Ends the call with an error.
    pub(super) async fn end(mut self, error: CallError) -> CallError {
        self.finish(error.status, Some(&error.code)).await;
        CallError {
            correlation_id: self.subject.correlation_id.as_str().into(),
            latency: self.start.elapsed(),
            ..error
        }
    }

    /// Ends the call with the violations of a payload. The audit gets `redacted`: the same violations without values.
    pub(super) async fn violation(
        self,
        side: Side,
        violations: Vec<Violation>,
        redacted: Vec<Violation>,
        response: Option<Bytes>,
    ) -> CallError {
        self.inner.journal.violation(&self.subject, side, redacted, self.patience()).await;
        let error = CallError::violation(side, summary(side, violations.len()), violations);
        self.end(error.with_response(response)).await
    }

    async fn finish(&mut self, status: Status, code: Option<&str>) {
        self.has_ended = true;
        let latency = in_ms(self.start.elapsed());
        tracing::debug!(status = status.as_str(), code, latency_ms = latency, "the call ended");
        self.inner.journal.call(&self.subject, status.as_str(), code, latency, self.patience()).await;
    }

    /// How long an audit may delay the end of the call: half of the remaining time, at most 5 s, but at least a moment, so that timeouts are
    /// recorded too.
    fn patience(&self) -> Duration {
        (self.remaining() / 2).clamp(Duration::from_millis(100), Duration::from_secs(5))
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if self.has_ended || !self.inner.journal.records_calls {
            return;
        }
        let (inner, subject, latency) = (Arc::clone(&self.inner), self.subject.clone(), in_ms(self.start.elapsed()));
        self.inner.runtime.spawn(async move {
            let limit = Duration::from_secs(1);
            inner.journal.call(&subject, Status::Abandoned.as_str(), Some(code::ABANDONED), latency, limit).await;
        });
    }
}
