//! Handing records to the audit, for clients and servers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use capgen_manifest::Side;
use capgen_payload::Violations;
use capgen_time::Clock;
use tokio::time::timeout;

use crate::audit::{Audit, AuditRecord, AuditWriter, CallRecord, ViolationRecord};
use crate::outcome::{Status, code};

/// The audit of a client or a server.
pub(crate) struct Journal {
    pub(crate) audit: Option<Arc<dyn Audit>>,
    writer: AuditWriter,
    /// Whether calls are recorded too.
    pub(crate) records_calls: bool,
    pub(crate) clock: Arc<dyn Clock>,
    lost: AtomicU64,
}

/// The properties of a call that records contain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) tenant: Option<&'a str>,
    pub(crate) session: Option<&'a str>,
    pub(crate) capability: &'a str,
    /// The id of the other party.
    pub(crate) peer: &'a str,
    /// The hash of the contract of the capability.
    pub(crate) contract: &'a str,
    pub(crate) correlation_id: &'a str,
}

impl<'a> Subject<'a> {
    /// The capability, the other party and the id of the call, as records name them.
    fn names(&self) -> [&'a str; 3] {
        [self.capability, self.peer, self.correlation_id]
    }
}

impl Journal {
    pub(crate) fn new(
        writer: AuditWriter,
        audit: Option<Arc<dyn Audit>>,
        records_calls: bool,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { audit, writer, records_calls, clock, lost: AtomicU64::new(0) }
    }

    /// The number of records that were not accepted by the audit.
    pub(crate) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Records the violations of a payload, which must not contain its values.
    pub(crate) async fn violation(&self, subject: Subject<'_>, side: Side, violations: Violations, limit: Duration) {
        tracing::warn!(
            capability = subject.capability,
            peer = subject.peer,
            correlation_id = subject.correlation_id,
            side = side.name(),
            violations = violations.len(),
            "a payload violates its schema"
        );
        let record = || {
            let new = ViolationRecord::new(self.writer, self.clock.now_ms(), subject.names(), side, violations);
            let session_id = subject.session.map(str::to_owned);
            let tenant_id = subject.tenant.map_or(new.tenant_id, str::to_owned);
            AuditRecord::Violation(ViolationRecord { tenant_id, session_id, ..new })
        };
        self.record(record, limit).await;
    }

    /// Records a call that ended, if calls are recorded.
    pub(crate) async fn call(
        &self,
        subject: Subject<'_>,
        status: Status,
        code: Option<&str>,
        latency: u64,
        limit: Duration,
    ) {
        if !self.records_calls {
            return;
        }
        let record = || {
            let new = CallRecord::new(self.writer, self.clock.now_ms(), subject.names(), status);
            AuditRecord::Call(CallRecord {
                tenant_id: subject.tenant.map_or(new.tenant_id, str::to_owned),
                contract_hash: subject.contract.to_owned(),
                error_code: code.map(str::to_owned),
                latency_ms: latency,
                ..new
            })
        };
        self.record(record, limit).await;
    }

    /// Records a call that the caller may not make, also if other calls are not recorded.
    pub(crate) async fn denied(&self, subject: Subject<'_>, reason: String, latency: u64, limit: Duration) {
        tracing::warn!(
            capability = subject.capability,
            peer = subject.peer,
            correlation_id = subject.correlation_id,
            reason,
            "a call was denied"
        );
        let record = || {
            let new = CallRecord::new(self.writer, self.clock.now_ms(), subject.names(), Status::Error);
            AuditRecord::Call(CallRecord {
                tenant_id: subject.tenant.map_or(new.tenant_id, str::to_owned),
                error_code: Some(code::FORBIDDEN.to_owned()),
                denied: Some(reason),
                latency_ms: latency,
                ..new
            })
        };
        self.record(record, limit).await;
    }

    /// Hands over a record. An audit that blocks delays the call at most by `limit`; then the record counts as lost.
    async fn record(&self, record: impl FnOnce() -> AuditRecord, limit: Duration) {
        let Some(audit) = &self.audit else { return };
        // If the call is dropped here, the record counts as lost too.
        let unless_accepted = Lost(&self.lost);
        if matches!(timeout(limit, audit.record(record())).await, Ok(Ok(()))) {
            std::mem::forget(unless_accepted);
        }
    }
}

/// Counts a lost record when it is dropped.
struct Lost<'a>(&'a AtomicU64);

impl Drop for Lost<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
        tracing::error!("an audit record is lost");
    }
}
