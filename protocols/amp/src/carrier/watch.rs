//! The audit, the log and the metrics of the invocations of handlers: those of servers of calls.

use std::sync::Arc;
#[cfg(feature = "otel")]
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use capgen_call::journal::{Journal, Subject};
use capgen_call::{Audit, AuditWriter, Side, Status, code};
use capgen_diagnostic::cut_short;
use capgen_time::{Clock as _, SystemClock};
use tracing::level_filters::LevelFilter;
use tracing::{Instrument as _, Span};

use super::BoxFuture;
use super::access::Access;
use super::call_code;
use super::execute::Watch;
use super::handlers::HandlerExecutor;
#[cfg(feature = "otel")]
use super::measure::{Measured, Requests};
use crate::body::NameOrType;
use crate::code::Code;
use crate::message::Rejection;
use crate::provider::{HandlerOutcome, InvocationEnd, RefusedInvocation, Start};

/// The longest text of a `type` that means no capability in the audit and in the log, in characters: as of tools that
/// do not exist over MCP.
const MAX_TYPE: usize = 200;

/// The name of a capability in records of invocations whose body has none.
const NO_NAME: &str = "-";

impl HandlerExecutor {
    /// The store of records: every violation, every invocation that is denied, and with
    /// [`audit_calls`](Self::audit_calls) every invocation. The caller in the records is the DID of the sender without
    /// fragment, and the id of the call is that of the message. An audit delays an answer by at most half of the time
    /// that its caller still waits, and by 5 s, and changes none.
    #[must_use]
    pub fn audit(mut self, audit: Arc<dyn Audit>) -> Self {
        self.journal = journal(AuditWriter::Provider, Some(audit), self.journal.records_calls());
        self
    }

    /// Whether the audit records every invocation, also those that are refused. A repetition of a message that gets the
    /// answer of the first one has no record of its own.
    #[must_use]
    pub fn audit_calls(mut self, records_calls: bool) -> Self {
        self.journal = journal(AuditWriter::Provider, self.journal.audit().cloned(), records_calls);
        self
    }

    /// The number of records that the audit did not accept. Clones of the executor count together.
    #[must_use]
    pub fn lost_audit_records(&self) -> u64 {
        self.journal.lost()
    }

    /// Watches an invocation if there is an audit, a log or the feature.
    pub(super) fn watched(&self, start: &Start) -> Option<Arc<dyn Watch>> {
        if self.journal.audit().is_none() && !cfg!(feature = "otel") && !is_logged() {
            return None;
        }
        let name = self.access.handler(&start.id.name);
        let contract = self.access.contract(name, &start.id.version);
        let (peer, correlation_id) = (start.caller.without_fragment().to_owned(), start.message.to_string());
        let hash = contract.map_or("", |contract| &contract.hash);
        let name = if contract.is_some() { name } else { start.id.name.as_str() };
        Some(Arc::new(Watched {
            journal: Arc::clone(&self.journal),
            has_handler: contract.is_some(),
            span: serve_span([name, &peer, &correlation_id], hash),
            #[cfg(feature = "otel")]
            measured: (Arc::clone(&self.requests), Mutex::default()),
            capability: name.to_owned(),
            contract: hash.to_owned(),
            peer,
            correlation_id,
            start: Instant::now(),
            deadline: start.deadline,
        }))
    }

    /// Records an invocation that is refused.
    pub(super) fn record_refused(&self, refused: RefusedInvocation) -> BoxFuture<'static, ()> {
        let code = call_code::of(refused.code);
        let (capability, contract) = named(&self.access, &refused);
        #[cfg(feature = "otel")]
        self.requests.start(&capability).end(Some(if refused.denied.is_some() { code::FORBIDDEN } else { code }));
        let journal = Arc::clone(&self.journal);
        if journal.audit().is_none() && !is_logged() {
            return Box::pin(async {});
        }
        let (peer, correlation_id) = (refused.caller.without_fragment().to_owned(), refused.message.to_string());
        let span = serve_span([&capability, &peer, &correlation_id], &contract);
        let record = async move {
            let mut subject = Subject::new([&capability, &peer, &correlation_id]);
            subject.contract = &contract;
            let RefusedInvocation { denied, violations, latency_ms, expires, .. } = refused;
            let limit = patience(expires);
            if let Some(reason) = denied {
                journal.denied(subject, reason, latency_ms, limit).await;
                return;
            }
            if let Some(violations) = violations {
                journal.violation(subject, Side::Request, violations, limit).await;
            }
            journal.call(subject, Status::of(code), Some(code), latency_ms, limit).await;
        };
        Box::pin(record.instrument(span))
    }

    /// Reports a message that nothing proves to be from its sender. It is not recorded: strangers could fill the audit,
    /// and write what others have done.
    pub(super) fn report_rejected(&self, rejection: &Rejection) {
        tracing::info!(code = rejection.code.number(), "a message was rejected");
        #[cfg(feature = "otel")]
        self.requests.start(NO_NAME).end(Some(call_code::of(rejection.code)));
    }
}

/// The journal of one end.
pub(super) fn journal(writer: AuditWriter, audit: Option<Arc<dyn Audit>>, records_calls: bool) -> Arc<Journal> {
    Arc::new(Journal::new(writer).with_audit(audit).with_calls(records_calls))
}

/// Whether the program has a log: without one, nothing is allocated for it.
pub(super) fn is_logged() -> bool {
    LevelFilter::current() != LevelFilter::OFF
}

/// How long an audit may delay an answer whose caller waits until a time, in Unix ms: half of the remaining time, but
/// at least a moment, so that timeouts are recorded too.
pub(super) fn patience(until: u64) -> Duration {
    let rest = Duration::from_millis(until.saturating_sub(SystemClock.now_ms()));
    (rest / 2).clamp(MIN_DELAY, Journal::MAX_DELAY)
}

/// As for clients of calls.
const MIN_DELAY: Duration = Duration::from_millis(100);

/// The span of an invocation, with the name and the fields of that of a server of calls.
fn serve_span([capability, peer, correlation_id]: [&str; 3], contract: &str) -> Span {
    tracing::info_span!("capgen.serve", capability, peer, correlation_id, contract)
}

/// The name of the capability of an invocation that is refused, and the hash of its contract; the name of the handler,
/// if there is one.
fn named(access: &Access, refused: &RefusedInvocation) -> (String, String) {
    if let Some(id) = &refused.id {
        let name = access.handler(&id.name);
        return match access.contract(name, &id.version) {
            Some(contract) => (name.to_owned(), contract.hash.clone()),
            None => (id.name.to_string(), String::new()),
        };
    }
    let name = match &refused.asked {
        Some(NameOrType::Name(name)) if access.has_handler(access.handler(name)) => access.handler(name).to_owned(),
        Some(NameOrType::Name(name)) => name.to_string(),
        Some(NameOrType::Type(text)) => cut_short(text, MAX_TYPE).into_owned(),
        None => NO_NAME.to_owned(),
    };
    (name, String::new())
}

/// An invocation that runs.
struct Watched {
    journal: Arc<Journal>,
    capability: String,
    peer: String,
    correlation_id: String,
    /// The hash of the contract of the handler; empty if that is loose.
    contract: String,
    has_handler: bool,
    start: Instant,
    /// In Unix ms.
    deadline: u64,
    span: Span,
    #[cfg(feature = "otel")]
    measured: (Arc<Requests>, Mutex<Option<Measured>>),
}

impl Watched {
    /// The code of the error, as calls have it.
    fn code<'e>(&self, end: &'e InvocationEnd) -> Option<&'e str> {
        let code = end.code?;
        Some(match &end.failure {
            Some(failure) => failure,
            None if end.invalid.is_some() => code::SCHEMA_VIOLATION,
            None if code == Code::Unavailable && !self.has_handler => code::NO_CAPABILITY,
            None => call_code::of(code),
        })
    }

    /// The span and the metrics, which start with the handler: not while the state of the provider is locked.
    #[cfg(feature = "otel")]
    fn measured(&self) -> Measured {
        let (requests, measured) = &self.measured;
        let started = measured.lock().unwrap_or_else(PoisonError::into_inner).take();
        started.unwrap_or_else(|| requests.start(&self.capability))
    }

    async fn record(&self, end: InvocationEnd) {
        let latency = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        let code = self.code(&end);
        // A handler does not decide by a code of the protocol how its call counts.
        let status = if end.failure.is_some() { Status::Error } else { code.map_or(Status::Ok, Status::of) };
        #[cfg(feature = "otel")]
        self.measured().end(code);
        let mut subject = Subject::new([&self.capability, &self.peer, &self.correlation_id]);
        subject.contract = &self.contract;
        let limit = patience(self.deadline);
        if let Some((side, violations)) = end.invalid.clone() {
            self.journal.violation(subject, side, violations, limit).await;
        }
        self.journal.call(subject, status, code, latency, limit).await;
    }
}

impl Watch for Watched {
    fn around(&self, handler: BoxFuture<'static, HandlerOutcome>) -> BoxFuture<'static, HandlerOutcome> {
        let handler = handler.instrument(self.span.clone());
        #[cfg(feature = "otel")]
        let handler = {
            let measured = self.measured();
            let handler = measured.run(handler);
            *self.measured.1.lock().unwrap_or_else(PoisonError::into_inner) = Some(measured);
            handler
        };
        Box::pin(handler)
    }

    fn ended(self: Arc<Self>, end: InvocationEnd) -> BoxFuture<'static, ()> {
        let span = self.span.clone();
        Box::pin(async move { self.record(end).await }.instrument(span))
    }
}
