//! The audit, the log and the metrics of a client: those of clients of calls.

use std::sync::Arc;
use std::time::{Duration, Instant};

use capgen_call::journal::{Journal, RecordedCall, Subject};
#[cfg(feature = "otel")]
use capgen_call::otel::{ClientRequests, MeasuredRequest};
use capgen_call::{Audit, AuditWriter, Side, Status, code};
use capgen_descriptor::ErrorDescriptor;
use capgen_schema::{Validator, Violations};
use tracing::{Instrument as _, Span};

use super::call_code;
use super::watch::{is_logged, journal, patience};
use super::{Client, ClientError};
use crate::body::{NameOrType, Target};
use crate::cbor::Value;
use crate::message::{Did, MessageId};

/// The journal and the instruments of a client.
pub(super) struct Observer {
    journal: Arc<Journal>,
    #[cfg(feature = "otel")]
    requests: ClientRequests,
}

/// The contract of a call, as far as it is known.
#[derive(Clone, Copy)]
pub(super) struct Called<'a> {
    pub(super) capability: &'a str,
    /// The hash of the contract; empty if it is not known.
    pub(super) contract: &'a str,
    /// The errors that the contract declares.
    #[cfg_attr(not(feature = "otel"), expect(dead_code, reason = "only metrics have the codes of a contract"))]
    pub(super) errors: &'a [ErrorDescriptor],
}

/// A call that has started. If it is dropped before its end, it was abandoned.
pub(super) struct Outgoing<'a> {
    journal: &'a Arc<Journal>,
    called: Called<'a>,
    peer: &'a str,
    /// Empty if neither the audit nor the log gets it.
    correlation_id: String,
    recorded: Option<RecordedCall>,
    #[cfg(feature = "otel")]
    measured: MeasuredRequest,
    span: Span,
    start: Instant,
    /// In Unix ms.
    expires: u64,
}

/// How a call ended.
#[derive(Default)]
pub(super) struct End {
    status: Option<Status>,
    code: Option<String>,
    /// The payload that violates its schema. The violations have no values of it.
    invalid: Option<(Side, Violations)>,
}

impl Client {
    /// The store of records: every payload that violates its schema, and with [`audit_calls`](Self::audit_calls) every
    /// call. The provider in the records is its DID, and the id of the call is that of the message. An audit delays the
    /// end of a call by at most half of its remaining time, and by 5 s, and changes no result.
    #[must_use]
    pub fn audit(mut self, audit: Arc<dyn Audit>) -> Self {
        self.observer.journal = journal(AuditWriter::Caller, Some(audit), self.observer.journal.records_calls());
        self
    }

    /// Whether the audit records calls too, but not queries. A call whose future is dropped has the status
    /// `abandoned`.
    #[must_use]
    pub fn audit_calls(mut self, records_calls: bool) -> Self {
        self.observer.journal = journal(AuditWriter::Caller, self.observer.journal.audit().cloned(), records_calls);
        self
    }

    /// The number of records that the audit did not accept.
    #[must_use]
    pub fn lost_audit_records(&self) -> u64 {
        self.observer.journal.lost()
    }
}

impl Observer {
    pub(super) fn new() -> Self {
        Self {
            journal: journal(AuditWriter::Caller, None, false),
            #[cfg(feature = "otel")]
            requests: ClientRequests::new(super::measure::SYSTEM),
        }
    }

    /// Whether there is an audit.
    pub(super) fn is_audited(&self) -> bool {
        self.journal.audit().is_some()
    }

    /// Starts a call to a provider with the id of its message, which expires at a time in Unix ms.
    pub(super) fn start<'a>(
        &'a self,
        called: Called<'a>,
        provider: &'a Did,
        id: MessageId,
        expires: u64,
    ) -> Outgoing<'a> {
        let Called { capability, contract, .. } = called;
        let peer = provider.without_fragment();
        let is_named = self.journal.audit().is_some() || is_logged();
        let correlation_id = if is_named { id.to_string() } else { String::new() };
        let subject = subject(&called, peer, &correlation_id);
        Outgoing {
            journal: &self.journal,
            called,
            peer,
            recorded: RecordedCall::start(&self.journal, &subject),
            #[cfg(feature = "otel")]
            measured: self.requests.start(peer, capability),
            span: tracing::info_span!("capgen.call", capability, peer, correlation_id, contract),
            start: Instant::now(),
            expires,
            correlation_id,
        }
    }
}

fn subject<'a>(called: &Called<'a>, peer: &'a str, correlation_id: &'a str) -> Subject<'a> {
    let mut subject = Subject::new([called.capability, peer, correlation_id]);
    subject.contract = called.contract;
    subject
}

impl Outgoing<'_> {
    /// Does the work of the call, in its span.
    pub(super) async fn within<F: Future>(&self, work: F) -> F::Output {
        let work = work.instrument(self.span.clone());
        #[cfg(feature = "otel")]
        let work = self.measured.run(work);
        work.await
    }

    /// The request is sent again.
    pub(super) fn retried(&self) {
        #[cfg(feature = "otel")]
        self.measured.retried();
    }

    /// Ends the call.
    pub(super) async fn end(mut self, end: End) {
        let span = std::mem::replace(&mut self.span, Span::none());
        self.recorded_end(end).instrument(span).await;
    }

    async fn recorded_end(mut self, End { status, code, invalid }: End) {
        let (status, code) = (status.unwrap_or(Status::Ok), code.as_deref());
        #[cfg(feature = "otel")]
        self.measured.end(code, |code| self.called.errors.iter().any(|error| error.code == code));
        let latency = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        tracing::debug!(status = status.as_str(), code, latency_ms = latency, "the call ended");
        let limit = patience(self.expires);
        match (self.recorded.take(), invalid) {
            (Some(recorded), invalid) => recorded.end(status, code, invalid, limit).await,
            // For the log.
            (None, Some((side, violations))) => {
                let subject = subject(&self.called, self.peer, &self.correlation_id);
                self.journal.violation(subject, side, violations, Duration::ZERO).await;
            }
            (None, None) => {}
        }
    }
}

impl End {
    /// An error with a code.
    pub(super) fn error(code: &str) -> Self {
        Self { status: Some(Status::of(code)), code: Some(code.to_owned()), invalid: None }
    }

    /// The failure of a handler, which does not decide by its code how the call counts.
    pub(super) fn failure(code: &str) -> Self {
        Self { status: Some(Status::Error), ..Self::error(code) }
    }

    /// A payload that violates its schema.
    pub(super) fn invalid(side: Side, violations: Violations) -> Self {
        Self { invalid: Some((side, violations)), ..Self::error(code::SCHEMA_VIOLATION) }
    }

    /// The end of an invocation without types, whose result was checked with a validator.
    pub(super) fn of(result: &Result<Value, ClientError>, checked: Option<Validator>) -> Self {
        match result {
            Ok(_) => Self::default(),
            Err(ClientError::InvalidResult { result, violations }) => {
                // The violations may quote the result, so it is checked again.
                let redacted = checked.zip(result.to_json().ok());
                let redacted = redacted.map(|(validator, result)| validator.redact(true).validate(&result));
                Self::invalid(Side::Response, redacted.unwrap_or_else(|| violations.clone()))
            }
            Err(error) => Self::of_error(error),
        }
    }

    pub(super) fn of_error(error: &ClientError) -> Self {
        match error {
            ClientError::Refused(error) => Self::error(call_code::of_number(error.code)),
            ClientError::Failed(error) => match super::typed::failure(error) {
                Some(code) => Self::failure(code),
                None => Self::error(call_code::of_number(error.code)),
            },
            ClientError::InvalidResult { .. } => Self::error(code::SCHEMA_VIOLATION),
            ClientError::Timeout { .. } => Self::error(code::TIMEOUT),
            ClientError::Carrier(_) | ClientError::NoRandomness => Self::error(code::NO_TRANSPORT),
            ClientError::Unexpected => Self::error(code::INVALID_ENVELOPE),
        }
    }
}

/// The name of a target, for records.
pub(super) fn name(target: &Target) -> &str {
    match target {
        Target::Id(id) => id.name.as_str(),
        Target::Version { capability, .. } | Target::Negotiate { capability, .. } => match capability {
            NameOrType::Name(name) => name.as_str(),
            NameOrType::Type(text) => text,
        },
    }
}
