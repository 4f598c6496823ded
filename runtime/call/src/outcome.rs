//! The results of calls: status, codes and errors.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use capgen_manifest::Side;
use capgen_payload::{Violation, Violations};
use serde::Serialize;
use serde_json::Value;

use crate::envelope::SkewDetails;

/// The codes of errors. Codes of [`Failure`](crate::Failure)s are chosen by the provider.
pub mod code {
    /// The deadline passed before the response arrived.
    pub const TIMEOUT: &str = "EAGENTRPC_TIMEOUT";
    /// The call ended before its response: the client or the server closed.
    pub const ABANDONED: &str = "EAGENTRPC_ABANDONED";
    /// Too many calls are in flight, at the caller or at the provider.
    pub const BUSY: &str = "EAGENTRPC_BUSY";
    /// No usable transport to the peer, or it failed.
    pub const NO_TRANSPORT: &str = "EAGENTRPC_NO_TRANSPORT";
    /// The peer is not in the table of peers, or nothing receives its requests.
    pub const NO_PEER: &str = "EAGENTRPC_NO_PEER";
    /// The peer does not have the capability.
    pub const NO_CAPABILITY: &str = "EAGENTRPC_NO_CAPABILITY";
    /// The message is not a valid envelope.
    pub const INVALID_ENVELOPE: &str = "EAGENTRPC_INVALID_ENVELOPE";
    /// The signature is missing or invalid, or the message is a replay.
    pub const AUTH_FAILED: &str = "EAGENTRPC_AUTH_FAILED";
    /// The caller may not call the capability, which may not even exist.
    pub const FORBIDDEN: &str = "EAGENTRPC_FORBIDDEN";
    /// The deadline had passed when the provider received the request.
    pub const DEADLINE_EXCEEDED: &str = "EAGENTRPC_DEADLINE_EXCEEDED";
    /// The provider does not serve the tenant.
    pub const TENANT_MISMATCH: &str = "EAGENTRPC_TENANT_MISMATCH";
    /// A payload violates its schema.
    pub const SCHEMA_VIOLATION: &str = "EAGENTRPC_SCHEMA_VIOLATION";
    /// The contracts of the caller and the provider are not compatible.
    pub const VERSION_SKEW: &str = "EVERSION_SKEW";
    /// The idempotency key was used for a request with another payload.
    pub const KEY_REUSED: &str = "EAGENTRPC_KEY_REUSED";
    /// The handler of the provider failed without a code of its own, or panicked.
    pub const HANDLER_FAILED: &str = "EAGENTRPC_HANDLER_FAILED";

    /// All of these.
    #[cfg(feature = "otel")]
    pub(crate) const KNOWN: [&str; 15] = [
        TIMEOUT,
        ABANDONED,
        BUSY,
        NO_TRANSPORT,
        NO_PEER,
        NO_CAPABILITY,
        INVALID_ENVELOPE,
        AUTH_FAILED,
        FORBIDDEN,
        DEADLINE_EXCEEDED,
        TENANT_MISMATCH,
        SCHEMA_VIOLATION,
        VERSION_SKEW,
        KEY_REUSED,
        HANDLER_FAILED,
    ];

    /// Whether a code is one of the protocol, which no handler may choose: it starts with `EAGENTRPC_`, or is
    /// [`VERSION_SKEW`].
    #[must_use]
    pub fn is_of_protocol(code: &str) -> bool {
        code.starts_with("EAGENTRPC_") || code == VERSION_SKEW
    }

    /// Whether a provider may answer with this code before it decided whether the caller may call the capability.
    pub(crate) fn may_precede_authorization(code: &str) -> bool {
        matches!(
            code,
            BUSY | DEADLINE_EXCEEDED
                | AUTH_FAILED
                | FORBIDDEN
                | NO_CAPABILITY
                | TENANT_MISMATCH
                | INVALID_ENVELOPE
                | ABANDONED
        )
    }

    /// Whether a provider that answers with this code started no handler, also if it does not state that, as
    /// older providers do not. A violation of the request has no code of its own.
    pub(crate) fn is_without_effect(code: &str) -> bool {
        matches!(
            code,
            BUSY | DEADLINE_EXCEEDED
                | VERSION_SKEW
                | AUTH_FAILED
                | FORBIDDEN
                | NO_CAPABILITY
                | TENANT_MISMATCH
                | INVALID_ENVELOPE
                | KEY_REUSED
        )
    }
}

/// The reasons of errors because contracts differ, in [`SkewDetails::reason`]. Later versions may have others.
pub mod reason {
    /// The provider cannot read the request.
    pub const PAYLOAD: &str = "payload";
    /// The caller could not read a response.
    pub const RESPONSE: &str = "response";
    /// `minSchemaVersion` or `supportedVersions` exclude the caller's version.
    pub const VERSION: &str = "version";
    /// The provider does not know the caller's contract.
    pub const UNKNOWN_CONTRACT: &str = "unknown-contract";
    /// The comparison of the contracts did not end within its budget.
    pub const UNDECIDED: &str = "undecided";
}

/// The status of a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The response is valid. In the modes that do not wait: the request was sent.
    Ok,
    /// The call failed; its code is the reason.
    Error,
    /// No response arrived before the deadline.
    Timeout,
    /// The client or the server closed before the response.
    Abandoned,
    /// Too many calls are in flight.
    Busy,
    /// The request or the response violates its schema.
    SchemaViolation,
}

impl Status {
    /// The status in the form of [`CallResult`], such as `schema-violation`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Timeout => "timeout",
            Self::Abandoned => "abandoned",
            Self::Busy => "busy",
            Self::SchemaViolation => "schema-violation",
        }
    }

    /// The status of a call that ends with a code: [`Error`](Self::Error) for those without a status of their own.
    #[must_use]
    pub fn of(code: &str) -> Self {
        match code {
            code::TIMEOUT => Self::Timeout,
            code::ABANDONED => Self::Abandoned,
            code::BUSY => Self::Busy,
            code::SCHEMA_VIOLATION => Self::SchemaViolation,
            _ => Self::Error,
        }
    }
}

/// A call that did not end with a valid response.
///
/// [`Display`](fmt::Display) writes the message, then a line for each violation, and `and more` if there are others.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct CallError {
    /// The status; never [`Status::Ok`].
    pub status: Status,
    /// A code of [`code`], or of the provider's [`Failure`](crate::Failure).
    pub code: String,
    /// A human-readable message.
    pub message: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// The side that violates its schema.
    pub side: Option<Side>,
    /// The violations, the first ones if there are many.
    pub violations: Violations,
    /// The `correlationId` of the call.
    pub correlation_id: Box<str>,
    /// The duration of the call.
    pub latency: Duration,
    /// Whether it is known that no handler started.
    pub(crate) is_without_effect: bool,
    /// In a box, because errors that are returned by value should be small.
    pub(crate) details: Option<Box<Details>>,
}

/// The rarely used parts of a [`CallError`].
#[derive(Clone, PartialEq, Default)]
pub(crate) struct Details {
    finding: Option<Value>,
    response: Option<Bytes>,
    skew: Option<SkewDetails>,
    data: Option<Value>,
    retry_after: Option<Duration>,
}

impl CallError {
    pub(crate) fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            status: Status::of(code),
            code: code.to_owned(),
            message: message.into(),
            retryable: matches!(code, code::TIMEOUT | code::ABANDONED | code::BUSY | code::NO_PEER),
            side: None,
            violations: Violations::default(),
            correlation_id: Box::default(),
            latency: Duration::ZERO,
            // Of the errors that clients make, not those that providers send.
            is_without_effect: matches!(code, code::BUSY | code::NO_PEER | code::NO_CAPABILITY),
            details: None,
        }
    }

    /// Whether it is known that the call started no handler of the provider, so that it can be repeated although its
    /// capability is not idempotent. `false` if this is not known.
    ///
    /// ```
    /// # use capgen_call::CallError;
    /// fn may_repeat(error: &CallError) -> bool {
    ///     error.retryable && error.has_no_effect()
    /// }
    /// ```
    #[must_use]
    pub fn has_no_effect(&self) -> bool {
        self.is_without_effect
    }

    /// The versions and hashes of both contracts, if the error is due to their difference: for
    /// [`code::VERSION_SKEW`], and for a violation of the response by a provider with another contract.
    #[must_use]
    pub fn skew(&self) -> Option<&SkewDetails> {
        self.details.as_ref()?.skew.as_ref()
    }

    /// Data about the error. For an error that the contract of the caller declares, its details, which conform to their
    /// schema: other details of providers are dropped. For [`code::DEADLINE_EXCEEDED`], `lateMs` is the time in ms for
    /// which the deadline had passed, and `timeoutMs` the time that the caller gave.
    #[must_use]
    pub fn details(&self) -> Option<&Value> {
        self.details.as_ref()?.data.as_ref()
    }

    /// The pause for which the provider asks before the call is repeated.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.details.as_ref()?.retry_after
    }

    /// For [`code::VERSION_SKEW`]: the first change that breaks this caller, with the members `code`, `message`,
    /// `side`, `pointer`, `help` and `fingerprint` of a finding of `capgen diff`, and in `witness` a payload that
    /// proves it.
    #[must_use]
    pub fn finding(&self) -> Option<&Value> {
        self.details.as_ref()?.finding.as_ref()
    }

    /// The text of the response, if it arrived and violates its schema.
    #[must_use]
    pub fn response(&self) -> Option<&[u8]> {
        self.details.as_ref()?.response.as_deref()
    }

    pub(crate) fn with_finding(mut self, finding: Option<Value>) -> Self {
        self.details.get_or_insert_default().finding = finding;
        self
    }

    pub(crate) fn with_skew(mut self, skew: Option<SkewDetails>) -> Self {
        self.details.get_or_insert_default().skew = skew;
        self
    }

    /// Adds the data that a provider sent.
    pub(crate) fn with_data(mut self, data: Option<Value>, retry_after: Option<Duration>) -> Self {
        if data.is_some() || retry_after.is_some() {
            let details = self.details.get_or_insert_default();
            (details.data, details.retry_after) = (data, retry_after);
        }
        self
    }

    /// The same error without the data that a provider sent.
    pub(crate) fn without_data(mut self) -> Self {
        if let Some(details) = &mut self.details {
            details.data = None;
        }
        self
    }

    pub(crate) fn with_response(mut self, response: Option<Bytes>) -> Self {
        self.details.get_or_insert_default().response = response;
        self
    }

    /// The error of a payload that violates its schema.
    pub(crate) fn violation(side: Side, message: String, violations: Violations) -> Self {
        let is_without_effect = side == Side::Request;
        Self { side: Some(side), violations, is_without_effect, ..Self::new(code::SCHEMA_VIOLATION, message) }
    }
}

impl fmt::Debug for Details {
    /// Leaves out the response, which may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let response_bytes = self.response.as_ref().map(Bytes::len);
        f.debug_struct("Details")
            .field("finding", &self.finding)
            .field("response_bytes", &response_bytes)
            .field("skew", &self.skew)
            .field("data", &self.data)
            .field("retry_after", &self.retry_after)
            .finish()
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)?;
        self.violations.iter().try_for_each(|violation| {
            let path = if violation.path.is_empty() { "(root)" } else { &violation.path };
            write!(f, "\n{path}: {}", violation.message)
        })?;
        if self.violations.is_truncated() { f.write_str("\nand more") } else { Ok(()) }
    }
}

impl std::error::Error for CallError {}

/// The result of a call as data, in the form that the specification of typed capabilities gives.
///
/// ```
/// # use capgen_call::{CallResult, Status};
/// fn report(result: &CallResult) -> String {
///     match (&result.status, &result.error) {
///         (Status::Ok, _) => "ok".to_owned(),
///         (status, Some(error)) => format!("{}: {} {}", status.as_str(), error.code, error.message),
///         (status, None) => status.as_str().to_owned(),
///     }
/// }
/// ```
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallResult {
    /// The status.
    pub status: Status,
    /// The side that violates its schema.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "side")]
    pub schema_side: Option<Side>,
    /// The violations, the first ones if there are many.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<Violation>,
    /// Whether the payload has more violations than these.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The error, unless the status is `ok`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ResultError>,
    /// The `correlationId` of the call.
    pub correlation_id: String,
    /// The duration of the call in ms.
    pub latency_ms: u64,
    /// The response. A response that violates its schema is kept as it arrived: as a string if it is not JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<Value>,
    /// The contracts of a call that succeeded, if the provider states that other responses may be invalid for this
    /// caller. It compares the contracts beside the calls, so the first calls do not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skew: Option<SkewDetails>,
}

/// The error of a [`CallResult`].
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct ResultError {
    /// See [`CallError::code`].
    pub code: String,
    /// See [`CallError::message`].
    pub message: String,
    /// See [`CallError::finding`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<Value>,
    /// See [`CallError::skew`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skew: Option<SkewDetails>,
    /// See [`CallError::details`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

impl From<CallError> for CallResult {
    fn from(error: CallError) -> Self {
        let Details { finding, response, skew, data, .. } = error.details.map(|details| *details).unwrap_or_default();
        let response = response.map(|text| {
            capgen_schema::parse_payload(&text)
                .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&text).into_owned()))
        });
        Self {
            status: error.status,
            schema_side: error.side,
            truncated: error.violations.is_truncated(),
            violations: error.violations.into_vec(),
            error: Some(ResultError { code: error.code, message: error.message, finding, skew, details: data }),
            correlation_id: error.correlation_id.into(),
            latency_ms: in_ms(error.latency),
            response,
            skew: None,
        }
    }
}

/// A duration in ms, rounded down.
pub(crate) fn in_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn side<S: serde::Serializer>(side: &Option<Side>, serializer: S) -> Result<S::Ok, S::Error> {
    side.map(Side::name).serialize(serializer)
}
