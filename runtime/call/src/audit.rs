//! The records of violations and calls, and the trait of their stores.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use capgen_manifest::Side;
use capgen_payload::{Violation, Violations};
use serde::{Deserialize, Serialize};

use crate::envelope::uri;
use crate::identity::Principal;
use crate::outcome::Status;
use crate::transport::BoxFuture;

/// The tenant of records of calls without one.
const NO_TENANT: &str = "-";

/// A record of the audit. As JSON, it has the form that the specification of typed capabilities gives, with `kind` as
/// its tag.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind")]
pub enum AuditRecord {
    /// A payload that violates its schema: one record for each envelope, with its violations.
    #[serde(rename = "capability_schema_violation")]
    Violation(ViolationRecord),
    /// A call that ended, if calls are audited.
    #[serde(rename = "capability_call")]
    Call(CallRecord),
}

/// The party that writes a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum AuditWriter {
    /// The client that calls.
    Caller,
    /// The server that serves the call.
    Provider,
}

/// A payload that violates its schema.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ViolationRecord {
    /// Unix time in ms.
    pub ts: u64,
    /// The tenant; `-` if the call has none.
    pub tenant_id: String,
    /// The name of the capability.
    pub capability_name: String,
    /// The other party, as `agent://<id>`: the provider if the caller writes the record, and the caller if the provider
    /// does.
    pub peer_id: String,
    /// The party that writes the record; `None` in records of older versions.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub written_by: Option<AuditWriter>,
    /// The side of the payload.
    #[serde(with = "side")]
    pub side: Side,
    /// The first violations of the payload, as a report has them.
    pub violations: Vec<AuditViolation>,
    /// Whether the payload has more violations than these.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub truncated: bool,
    /// The `correlationId` of the call.
    pub correlation_id: String,
    /// The session of the caller, if it has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub session_id: Option<String>,
    /// The principal for whom the call was made, in records of providers that verified its token.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub principal: Option<Box<AuditPrincipal>>,
}

/// The principal for whom a call was made, as the issuer of its token states. A record has neither the token nor its
/// other claims.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AuditPrincipal {
    /// The issuer of the token (`iss`).
    pub issuer: String,
    /// The principal (`sub`), unique for its issuer.
    pub subject: String,
    /// The program that the token was issued to (`client_id`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub client_id: Option<String>,
}

/// A violation in a [`ViolationRecord`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AuditViolation {
    /// The JSON Pointer ([RFC 6901](https://www.rfc-editor.org/rfc/rfc6901)) into the payload.
    pub path: String,
    /// The message, without values of the payload unless the user asked for them.
    pub message: String,
    /// The keyword of the schema.
    pub keyword: String,
}

/// A call that ended. It never contains a payload.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallRecord {
    /// Unix time in ms.
    pub ts: u64,
    /// The tenant; `-` if the call has none.
    pub tenant_id: String,
    /// The name of the capability.
    pub capability_name: String,
    /// The other party, as `agent://<id>`.
    pub peer_id: String,
    /// The party that writes the record; `None` in records of older versions.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub written_by: Option<AuditWriter>,
    /// The hash of the contract of the capability; empty if it is not known.
    pub contract_hash: String,
    /// The status, such as `ok` or `timeout`.
    pub status: String,
    /// The code of the error, if there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error_code: Option<String>,
    /// Why the caller may not call the capability, in records of providers with the code `EAGENTRPC_FORBIDDEN`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub denied: Option<String>,
    /// The duration of the call in ms.
    pub latency_ms: u64,
    /// The `correlationId` of the call.
    pub correlation_id: String,
    /// The principal for whom the call was made, in records of providers that verified its token.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub principal: Option<Box<AuditPrincipal>>,
}

impl ViolationRecord {
    /// A record at a Unix time in ms, with the names of the capability and of the other party (without `agent://`), and
    /// the id of the call. It has no tenant and no session. The violations must not contain values of the payload.
    ///
    /// For programs that run handlers with [`Handlers::run`](crate::Handlers::run); clients and servers write their
    /// records themselves.
    #[must_use]
    pub fn new(
        writer: AuditWriter,
        ts: u64,
        [capability, peer, correlation_id]: [&str; 3],
        side: Side,
        violations: Violations,
    ) -> Self {
        Self {
            ts,
            tenant_id: NO_TENANT.to_owned(),
            capability_name: capability.to_owned(),
            peer_id: uri(peer),
            written_by: Some(writer),
            side,
            truncated: violations.is_truncated(),
            violations: violations.into_iter().map(AuditViolation::from).collect(),
            correlation_id: correlation_id.to_owned(),
            session_id: None,
            principal: None,
        }
    }
}

impl From<Violation> for AuditViolation {
    fn from(Violation { path, message, keyword }: Violation) -> Self {
        Self { path, message, keyword: keyword.as_str().to_owned() }
    }
}

impl CallRecord {
    /// A record at a Unix time in ms, with the names of the capability and of the other party (without `agent://`), and
    /// the id of the call. It has no tenant, no contract, no error and a duration of 0: set these fields.
    ///
    /// For programs that run handlers with [`Handlers::run`](crate::Handlers::run); clients and servers write their
    /// records themselves.
    #[must_use]
    pub fn new(writer: AuditWriter, ts: u64, [capability, peer, correlation_id]: [&str; 3], status: Status) -> Self {
        Self {
            ts,
            tenant_id: NO_TENANT.to_owned(),
            capability_name: capability.to_owned(),
            peer_id: uri(peer),
            written_by: Some(writer),
            contract_hash: String::new(),
            status: status.as_str().to_owned(),
            error_code: None,
            denied: None,
            latency_ms: 0,
            correlation_id: correlation_id.to_owned(),
            principal: None,
        }
    }
}

impl From<&Principal> for AuditPrincipal {
    /// The names alone, without claims and rights.
    fn from(Principal { issuer, subject, client_id, .. }: &Principal) -> Self {
        Self { issuer: issuer.clone(), subject: subject.clone(), client_id: client_id.clone() }
    }
}

impl AuditRecord {
    /// The value of `kind`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Violation(_) => "capability_schema_violation",
            Self::Call(_) => "capability_call",
        }
    }

    /// The tenant; `-` if the call has none.
    #[must_use]
    pub fn tenant(&self) -> &str {
        match self {
            Self::Violation(record) => &record.tenant_id,
            Self::Call(record) => &record.tenant_id,
        }
    }

    /// Unix time in ms.
    #[must_use]
    pub fn ts(&self) -> u64 {
        match self {
            Self::Violation(record) => record.ts,
            Self::Call(record) => record.ts,
        }
    }

    /// The name of the capability.
    #[must_use]
    pub fn capability(&self) -> &str {
        match self {
            Self::Violation(record) => &record.capability_name,
            Self::Call(record) => &record.capability_name,
        }
    }
}

/// A store of audit records. A store that fails never hides a violation: the call ends with the same result, and the
/// lost record is counted.
pub trait Audit: Send + Sync + 'static {
    /// Hands over a record. The future ends when the store has accepted the record into its queue; if the queue is
    /// full, the store waits or drops the record, as its user chose.
    ///
    /// # Errors
    ///
    /// The record is lost. [`lost`](Self::lost) counts it.
    fn record(&self, record: AuditRecord) -> BoxFuture<'_, Result<(), AuditError>>;

    /// Waits until every accepted record is durable.
    ///
    /// # Errors
    ///
    /// An accepted record is not durable.
    fn flush(&self) -> BoxFuture<'_, Result<(), AuditError>>;

    /// The number of records that were lost since the start.
    fn lost(&self) -> u64;
}

/// Why a record was not stored.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AuditError {
    /// The queue is full, and the store drops records in this case.
    Full,
    /// The store is closed, or its writer ended.
    Closed,
    /// The store failed.
    Failed(String),
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full => f.write_str("the queue of the audit is full"),
            Self::Closed => f.write_str("the audit is closed"),
            Self::Failed(reason) => write!(f, "the audit failed: {reason}"),
        }
    }
}

impl std::error::Error for AuditError {}

/// An audit in memory, for tests and examples. It grows without limit.
#[derive(Default, Debug)]
pub struct MemoryAudit(Mutex<Vec<AuditRecord>>);

impl MemoryAudit {
    /// The records so far, oldest first.
    #[must_use]
    pub fn records(&self) -> Vec<AuditRecord> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Audit for MemoryAudit {
    fn record(&self, record: AuditRecord) -> BoxFuture<'_, Result<(), AuditError>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(record);
        Box::pin(async { Ok(()) })
    }

    fn flush(&self) -> BoxFuture<'_, Result<(), AuditError>> {
        Box::pin(async { Ok(()) })
    }

    fn lost(&self) -> u64 {
        0
    }
}

/// A side as `request` or `response`.
mod side {
    use capgen_manifest::Side;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(side: &Side, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(side.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Side, D::Error> {
        let text = String::deserialize(deserializer)?;
        let found = Side::ALL.into_iter().find(|side| side.name() == text);
        found.ok_or_else(|| D::Error::custom("expected `request` or `response`"))
    }
}
