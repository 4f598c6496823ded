//! The codes of calls for those of AMP, so that records and metrics of all protocols have the same.

use capgen_call::code;

use crate::code::Code;

/// The code that a call with this error has. `docs/amp.md` has the table.
pub(super) const fn of(code: Code) -> &'static str {
    match code {
        Code::InvalidMessage | Code::UnsupportedVersion | Code::UnknownType | Code::BadRequest => {
            code::INVALID_ENVELOPE
        }
        Code::InvalidSignature => code::AUTH_FAILED,
        Code::InvalidTimestamp => code::DEADLINE_EXCEEDED,
        Code::Unauthorized => code::FORBIDDEN,
        Code::CapabilityNotFound => code::NO_CAPABILITY,
        Code::VersionMismatch => code::VERSION_SKEW,
        Code::SchemaViolation => code::SCHEMA_VIOLATION,
        Code::InternalError => code::HANDLER_FAILED,
        Code::Unavailable => code::ABANDONED,
        Code::Timeout => code::TIMEOUT,
        Code::Overloaded => code::BUSY,
    }
}

/// The code that a call with the error of a peer has. Later versions of the protocol may have other numbers.
pub(super) fn of_number(number: u64) -> &'static str {
    Code::from_number(number).map_or(code::HANDLER_FAILED, of)
}
