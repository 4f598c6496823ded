//! The audit of a server.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use capgen_call::{
    Audit, AuditRecord, AuditWriter, CallRecord, Clock as _, Side, Status, SystemClock, ViolationRecord, code,
};
use capgen_schema::Violations;
use tokio::runtime::Handle;
use tokio::time::timeout;

/// The id of callers, which the protocol does not identify.
pub(super) const CALLER: &str = "mcp";

/// How long an audit may delay an answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// The audit of a server.
#[derive(Default)]
pub(super) struct Journal {
    pub(super) audit: Option<Arc<dyn Audit>>,
    /// Whether calls are recorded too.
    pub(super) records_calls: bool,
    lost: AtomicU64,
}

/// The end of a call, for its record.
#[derive(Debug)]
pub(super) struct End {
    pub(super) status: Status,
    pub(super) code: Option<String>,
    /// The payload that violates its schema.
    pub(super) invalid: Option<(Side, Violations)>,
}

/// A call that is recorded at its end. If it is dropped before, it was cancelled.
pub(super) struct Recorded {
    journal: Arc<Journal>,
    capability: String,
    contract: String,
    id: String,
    start: Instant,
    has_ended: bool,
}

impl Journal {
    /// The number of records that the audit did not accept.
    pub(super) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Records a call that its client may not make, also if other calls are not recorded.
    pub(super) fn denied(
        self: &Arc<Self>,
        capability: &str,
        id: &str,
        reason: String,
        start: tokio::time::Instant,
    ) -> impl Future<Output = ()> + Send + use<> {
        tracing::warn!(capability, peer = CALLER, correlation_id = id, reason, "a call was denied");
        let names = [capability, CALLER, id];
        let mut record = CallRecord::new(AuditWriter::Provider, SystemClock.now_ms(), names, Status::Error);
        record.error_code = Some(code::FORBIDDEN.to_owned());
        record.denied = Some(reason);
        record.latency_ms = in_ms(start.elapsed());
        let journal = Arc::clone(self);
        async move { journal.record(AuditRecord::Call(record)).await }
    }

    /// Hands over a record, and counts it if it is not accepted.
    async fn record(&self, record: AuditRecord) {
        let Some(audit) = &self.audit else { return };
        if !matches!(timeout(PATIENCE, audit.record(record)).await, Ok(Ok(()))) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Recorded {
    /// Starts a call, given the names of its capability and its contract, and its id. `None` if there is no audit.
    pub(super) fn start(journal: &Arc<Journal>, capability: &str, contract: &str, id: &str) -> Option<Self> {
        journal.audit.is_some().then(|| Self {
            journal: Arc::clone(journal),
            capability: capability.to_owned(),
            contract: contract.to_owned(),
            id: id.to_owned(),
            start: Instant::now(),
            has_ended: false,
        })
    }

    /// Records the end of the call.
    pub(super) async fn end(mut self, End { status, code, invalid }: End) {
        self.has_ended = true;
        if let Some((side, violations)) = invalid {
            let now = SystemClock.now_ms();
            let record = ViolationRecord::new(AuditWriter::Provider, now, self.names(), side, violations);
            self.journal.record(AuditRecord::Violation(record)).await;
        }
        if let Some(record) = self.call(status, code) {
            self.journal.record(record).await;
        }
    }

    fn names(&self) -> [&str; 3] {
        [&self.capability, CALLER, &self.id]
    }

    /// The record of the call; `None` if calls are not recorded.
    fn call(&self, status: Status, code: Option<String>) -> Option<AuditRecord> {
        if !self.journal.records_calls {
            return None;
        }
        let mut record = CallRecord::new(AuditWriter::Provider, SystemClock.now_ms(), self.names(), status);
        record.contract_hash.clone_from(&self.contract);
        record.error_code = code;
        record.latency_ms = in_ms(self.start.elapsed());
        Some(AuditRecord::Call(record))
    }
}

fn in_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl Drop for Recorded {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        let record = self.call(Status::Abandoned, Some(code::ABANDONED.to_owned()));
        // Without a runtime, the process ends.
        if let (Some(record), Ok(runtime)) = (record, Handle::try_current()) {
            let journal = Arc::clone(&self.journal);
            runtime.spawn(async move { journal.record(record).await });
        }
    }
}
