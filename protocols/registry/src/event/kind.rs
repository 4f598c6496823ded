//! The types of events.

use capgen_payload::Payload as _;
use capgen_schema::Validator;

use super::generated as payloads;

/// A type of event that the registry knows (section 5); all others are ignored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the contract of the events describes each type")]
pub enum EventType {
    Registered,
    Updated,
    Deprecated,
    Heartbeat,
    Recovered,
    Unavailable,
    Requested,
    Completed,
    Failed,
    Invoked,
    Unresolved,
    ValidationFailed,
}

impl EventType {
    /// Every type.
    pub const ALL: [Self; 12] = [
        Self::Registered,
        Self::Updated,
        Self::Deprecated,
        Self::Heartbeat,
        Self::Recovered,
        Self::Unavailable,
        Self::Requested,
        Self::Completed,
        Self::Failed,
        Self::Invoked,
        Self::Unresolved,
        Self::ValidationFailed,
    ];

    /// The value of `event_type`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Registered => "capability.registered",
            Self::Updated => "capability.updated",
            Self::Deprecated => "capability.deprecated",
            Self::Heartbeat => "agent.heartbeat",
            Self::Recovered => "agent.recovered",
            Self::Unavailable => "agent.unavailable",
            Self::Requested => "capability.requested",
            Self::Completed => "capability.completed",
            Self::Failed => "capability.failed",
            Self::Invoked => "capability.invoked",
            Self::Unresolved => "capability.unresolved",
            Self::ValidationFailed => "system.event.validation_failed",
        }
    }

    pub(crate) fn of(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// Whether only the kernel emits events of this type, which in turn emits no others (decision 4, ruling 9).
    #[must_use]
    pub const fn is_of_kernel(self) -> bool {
        matches!(self, Self::Invoked | Self::Unresolved | Self::ValidationFailed)
    }

    /// The validator of the payload.
    pub(super) fn validator(self) -> Option<&'static Validator> {
        match self {
            Self::Registered => payloads::CapabilityRegisteredRequest::validator(),
            Self::Updated => payloads::CapabilityUpdatedRequest::validator(),
            Self::Deprecated => payloads::CapabilityDeprecatedRequest::validator(),
            Self::Heartbeat => payloads::AgentHeartbeatRequest::validator(),
            Self::Recovered => payloads::AgentRecoveredRequest::validator(),
            Self::Unavailable => payloads::AgentUnavailableRequest::validator(),
            Self::Requested => payloads::CapabilityRequestedRequest::validator(),
            Self::Completed => payloads::CapabilityCompletedRequest::validator(),
            Self::Failed => payloads::CapabilityFailedRequest::validator(),
            Self::Invoked => payloads::CapabilityInvokedRequest::validator(),
            Self::Unresolved => payloads::CapabilityUnresolvedRequest::validator(),
            Self::ValidationFailed => payloads::SystemEventValidationFailedRequest::validator(),
        }
    }
}
