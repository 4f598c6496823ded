//! Handing records to the audit, for clients and servers of calls and of other protocols.
//!
//! Each end of a call has a [`Journal`], which makes the same records and the same events of the log for every
//! protocol. A server of another protocol that runs [`Handlers`](crate::Handlers), or a client of one, has its own.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use capgen_call::journal::{Journal, RecordedCall, Subject};
//! use capgen_call::{AuditRecord, AuditWriter, MemoryAudit, Status};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let audit = Arc::new(MemoryAudit::default());
//! let journal = Arc::new(Journal::new(AuditWriter::Provider).with_audit(Some(audit.clone())).with_calls(true));
//! let call = RecordedCall::start(&journal, &Subject::new(["book-trip", "concierge", "17"]));
//! // The handler runs here.
//! if let Some(call) = call {
//!     call.end(Status::Ok, None, None, Duration::from_secs(1)).await;
//! }
//! assert!(matches!(&audit.records()[..], [AuditRecord::Call(call)] if call.status == "ok"));
//! # }
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use capgen_manifest::Side;
use capgen_payload::{InvalidPayload, Violations};
use capgen_time::{Clock, SystemClock};
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::audit::{Audit, AuditPrincipal, AuditRecord, AuditWriter, CallRecord, ViolationRecord};
use crate::identity::Principal;
use crate::outcome::{Status, code, in_ms};
use crate::violation::list;

/// The audit of a client or a server.
///
/// Violations and denied calls are also warnings of the log, without an audit too.
pub struct Journal {
    audit: Option<Arc<dyn Audit>>,
    writer: AuditWriter,
    /// Whether calls are recorded too.
    pub(crate) records_calls: bool,
    pub(crate) clock: Arc<dyn Clock>,
    lost: AtomicU64,
}

/// The properties of a call that records contain.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Subject<'a> {
    /// The tenant, if the call has one.
    pub tenant: Option<&'a str>,
    /// The session of the caller, if it has one.
    pub session: Option<&'a str>,
    /// The name of the capability.
    pub capability: &'a str,
    /// The id of the other party, without `agent://`.
    pub peer: &'a str,
    /// The principal whose token the server has verified, if there is one.
    pub principal: Option<&'a Arc<Principal>>,
    /// The hash of the contract of the capability; empty if it is not known.
    pub contract: &'a str,
    /// The id of the call.
    pub correlation_id: &'a str,
}

impl<'a> Subject<'a> {
    /// The capability, the other party (without `agent://`) and the id of the call; nothing else.
    #[must_use]
    pub const fn new([capability, peer, correlation_id]: [&'a str; 3]) -> Self {
        Self { tenant: None, session: None, capability, peer, principal: None, contract: "", correlation_id }
    }

    /// The capability, the other party and the id of the call, as records name them.
    fn names(&self) -> [&'a str; 3] {
        [self.capability, self.peer, self.correlation_id]
    }

    /// The principal without its token, its claims and its rights.
    fn principal(&self) -> Option<Box<AuditPrincipal>> {
        self.principal.map(|principal| Box::new((&**principal).into()))
    }
}

impl Journal {
    /// How long an audit may delay the end of a call, at most. The caller waits for the end, so a disk that is slow or
    /// full must not use up its time.
    pub const MAX_DELAY: Duration = Duration::from_secs(5);

    /// A journal without an audit, for one end of calls.
    #[must_use]
    pub fn new(writer: AuditWriter) -> Self {
        Self { audit: None, writer, records_calls: false, clock: Arc::new(SystemClock), lost: AtomicU64::new(0) }
    }

    /// Sets the audit; `None` for none.
    #[must_use]
    pub fn with_audit(self, audit: Option<Arc<dyn Audit>>) -> Self {
        Self { audit, ..self }
    }

    /// Sets whether calls are recorded too. The default is `false`: violations and denied calls alone.
    #[must_use]
    pub fn with_calls(self, records_calls: bool) -> Self {
        Self { records_calls, ..self }
    }

    /// Sets the clock of records.
    #[must_use]
    pub(crate) fn with_clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }

    /// The audit.
    #[must_use]
    pub fn audit(&self) -> Option<&Arc<dyn Audit>> {
        self.audit.as_ref()
    }

    /// Whether calls are recorded too.
    #[must_use]
    pub fn records_calls(&self) -> bool {
        self.records_calls
    }

    /// The number of records that were not accepted by the audit.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Records the violations of a payload, which must not contain its values. An audit that blocks delays the call at
    /// most by `limit`; then the record counts as lost.
    pub async fn violation(&self, subject: Subject<'_>, side: Side, violations: Violations, limit: Duration) {
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
            AuditRecord::Violation(ViolationRecord { tenant_id, session_id, principal: subject.principal(), ..new })
        };
        self.record(record, limit).await;
    }

    /// Records a call that ended, if calls are recorded: its status, the code of its error, and its duration in ms. An
    /// audit that blocks delays the call at most by `limit`; then the record counts as lost.
    pub async fn call(&self, subject: Subject<'_>, status: Status, code: Option<&str>, latency: u64, limit: Duration) {
        if !self.records_calls {
            return;
        }
        let record = || {
            let new = CallRecord::new(self.writer, self.clock.now_ms(), subject.names(), status);
            AuditRecord::Call(CallRecord {
                tenant_id: subject.tenant.map_or(new.tenant_id, str::to_owned),
                principal: subject.principal(),
                contract_hash: subject.contract.to_owned(),
                error_code: code.map(str::to_owned),
                latency_ms: latency,
                ..new
            })
        };
        self.record(record, limit).await;
    }

    /// Records a call that the caller may not make, also if other calls are not recorded: the reason, and the duration
    /// in ms. An audit that blocks delays the call at most by `limit`; then the record counts as lost.
    pub async fn denied(&self, subject: Subject<'_>, reason: String, latency: u64, limit: Duration) {
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
                principal: subject.principal(),
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

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut journal = f.debug_struct("Journal");
        journal.field("has_audit", &self.audit.is_some()).field("writer", &self.writer);
        journal.field("records_calls", &self.records_calls).finish_non_exhaustive()
    }
}

/// The violations of an invalid payload, for a record. They have no values of the payload if it was checked with
/// [`Options::redact`](capgen_payload::Options::redact).
pub fn violations_of(error: InvalidPayload) -> Violations {
    list(error)
}

/// Counts a lost record when it is dropped.
struct Lost<'a>(&'a AtomicU64);

impl Drop for Lost<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
        tracing::error!("an audit record is lost");
    }
}

/// A call over another protocol, which is recorded at its end. If it is dropped before, it was abandoned.
#[derive(Debug)]
pub struct RecordedCall {
    journal: Arc<Journal>,
    capability: String,
    peer: String,
    correlation_id: String,
    contract: String,
    principal: Option<Arc<Principal>>,
    start: Instant,
    has_ended: bool,
}

impl RecordedCall {
    /// Starts a call. `None` if the journal has no audit: then nothing is allocated.
    #[must_use]
    pub fn start(journal: &Arc<Journal>, subject: &Subject<'_>) -> Option<Self> {
        journal.audit.is_some().then(|| Self {
            journal: Arc::clone(journal),
            capability: subject.capability.to_owned(),
            peer: subject.peer.to_owned(),
            correlation_id: subject.correlation_id.to_owned(),
            contract: subject.contract.to_owned(),
            principal: subject.principal.cloned(),
            start: Instant::now(),
            has_ended: false,
        })
    }

    /// Records the end of the call: its status, the code of its error, and the payload that violates its schema, if
    /// there is one. An audit that blocks delays each record at most by `limit`.
    pub async fn end(
        mut self,
        status: Status,
        code: Option<&str>,
        invalid: Option<(Side, Violations)>,
        limit: Duration,
    ) {
        self.has_ended = true;
        let latency = in_ms(self.start.elapsed());
        if let Some((side, violations)) = invalid {
            self.journal.violation(self.subject(), side, violations, limit).await;
        }
        self.journal.call(self.subject(), status, code, latency, limit).await;
    }

    fn subject(&self) -> Subject<'_> {
        Subject {
            principal: self.principal.as_ref(),
            contract: &self.contract,
            ..Subject::new([&self.capability, &self.peer, &self.correlation_id])
        }
    }
}

impl Drop for RecordedCall {
    fn drop(&mut self) {
        if self.has_ended || !self.journal.records_calls {
            return;
        }
        // Without a runtime, the process ends.
        let Ok(runtime) = Handle::try_current() else { return };
        // A copy that is dropped at its end.
        let copy = Self {
            journal: Arc::clone(&self.journal),
            capability: std::mem::take(&mut self.capability),
            peer: std::mem::take(&mut self.peer),
            correlation_id: std::mem::take(&mut self.correlation_id),
            contract: std::mem::take(&mut self.contract),
            principal: self.principal.take(),
            start: self.start,
            has_ended: true,
        };
        let latency = in_ms(copy.start.elapsed());
        runtime.spawn(async move {
            let (status, code) = (Status::Abandoned, Some(code::ABANDONED));
            // No call waits for this record, so the limit only ends the task if the audit is stuck.
            copy.journal.call(copy.subject(), status, code, latency, Journal::MAX_DELAY).await;
        });
    }
}
