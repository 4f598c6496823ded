//! Changes of a contract: which of them break a caller or a provider, with a payload that proves it.
//!
//! [`compare`] compares two versions of a contract. For each side of each capability it decides whether the new schema accepts
//! everything that the old one accepts, and the converse, and explains the difference as [`Finding`]s: one for each change, with its
//! rule, its level, the smallest payload that shows it, and a fingerprint. It is pure: no IO, clock or randomness.
#![forbid(unsafe_code)]

#[cfg(feature = "reports")]
mod accepted;
mod call;
pub mod codes;
mod compare;
mod finding;
mod fingerprint;
mod level;
mod levels;
#[cfg(feature = "reports")]
mod lock;
mod matrix;
mod reading;
#[cfg(feature = "reports")]
mod report;
mod side;
mod source_change;
mod work;

#[cfg(feature = "parse")]
pub use accepted::read_accepted;
#[cfg(feature = "reports")]
pub use accepted::{ACCEPTED_FILE, Acceptance, Accepted, AcceptedEntry};
pub use call::{CallSettings, Incompatibility, Refusal, can_call, can_call_described, serves_version};
pub use capgen_schema::{Containment, Undecided};
#[cfg(feature = "reports")]
pub use capgen_time::{Date, InvalidDate};
pub use compare::{CapabilityComparison, Comparison, Settings, compare, compare_with_levels};
pub use finding::{Finding, Witness};
pub use fingerprint::Fingerprint;
pub use level::{Bump, Level};
pub use levels::Levels;
#[cfg(feature = "parse")]
pub use lock::LockFile;
#[cfg(feature = "reports")]
pub use lock::{
    LOCK_FILE, LOCK_VERSION, Lock, LockChange, LockChangeKind, LockedAgent, LockedCapability, LockedTransport,
};
pub use matrix::{Compatibility, MatrixVersion, VersionOf, matrix};
pub use reading::{Assume, Sender};
#[cfg(feature = "reports")]
pub use report::{ComparedContract, Report};
pub use side::SideComparison;
pub use source_change::SourceChange;
