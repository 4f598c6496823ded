//! The stable codes of what can be wrong with what the command line names. A code never changes its meaning.
//!
//! `<CODE>.md` next to this file explains each one.

use capgen_schema::Code;

/// A payload that is not JSON.
pub(crate) const NOT_JSON: Code = Code::new("E0501");
/// A capability that the contract does not have.
pub(crate) const UNKNOWN_CAPABILITY: Code = Code::new("E0502");
/// A payload that cannot be read.
pub(crate) const PAYLOAD_IO: Code = Code::new("E0503");
/// A payload beyond the limit.
pub(crate) const PAYLOAD_TOO_LARGE: Code = Code::new("E0504");
/// A code that does not exist.
pub(crate) const UNKNOWN_CODE: Code = Code::new("E0505");
