//! Changes of a contract: which of them break a caller or a provider, with a payload that proves it.
//!
//! [`compare`] compares two versions of a contract. For each side of each capability it decides whether the new schema
//! accepts everything that the old one accepts, and the converse, and explains the difference as [`Finding`]s: one for
//! each change, with its rule, its level, the smallest payload that shows it, and a fingerprint. It is pure: no IO,
//! clock or randomness.
//!
//! ```
//! use capgen_evolve::{Level, Settings, compare};
//! use capgen_manifest::{Source, load};
//!
//! let version = |schema: &str| {
//!     let text = format!(
//!         "version: 1\nagent: agent://shop\ntransports: [{{ kind: memory, topics: {{ requests: shop }} }}]\n\
//!          capabilities: [{{ name: find, inputSchema: {{ {schema} }} }}]\n"
//!     );
//!     load(&Source::new("capabilities.yaml", text)).unwrap().manifest
//! };
//! let comparison = compare(&version("type: string"), &version("type: string, maxLength: 2"), Settings::default());
//! let finding = &comparison.findings[0];
//! assert_eq!((finding.level, finding.code.as_str()), (Level::Breaking, "E0712"));
//! assert_eq!(finding.witness.as_ref().unwrap().payload.canonical(), "\"aaa\"");
//! ```
//!
//! # Reading order
//!
//! For contributors. `side.rs` and `reading.rs` first: whether the payloads of one version conform to the other, which
//! `capgen-schema` decides, and which payloads a sender can send. `compare/` explains the answer. It visits the keys of
//! a capability and, in `compare/schema/`, both schemas place by place; it builds the old schema with each change
//! alone, asks whether that breaks, and looks for changes that break only together. A rule then selects the code and
//! the level.
//!
//! A check of `capgen diff` is a rule: its code and page are in `codes/`, its place in `compare/`, and a row in
//! `tests/it/acceptance.rs`. `examples/evolution` shows most of them.
//!
//! `finding.rs`, `fingerprint.rs` and `level.rs` are the result; `accepted/` reads the file with the findings that
//! users accept, and `report/` writes documents for other programs.
//!
//! Three other questions about two contracts use the same parts: `lock/` (is everything as reviewed?), `call/` (may
//! this caller call this provider now?) and `matrix/` (which versions work together?).
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

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
mod text_change;
mod work;

#[cfg(feature = "parse")]
pub use accepted::read_accepted;
pub use accepted::{ACCEPTED_FILE, Acceptance, Accepted, AcceptedEntry, AcceptedOn};
pub use call::{
    CallSettings, Incompatibility, Refusal, SideMisfit, can_call, can_call_accepting, can_call_described,
    can_call_side, serves_version, side_misfit,
};
pub use capgen_manifest::Assume;
pub use capgen_schema::{Containment, Undecided};
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
pub use matrix::{Compatibility, DistinctVersions, Kept, MatrixVersion, VersionOf, matrix};
pub use reading::Sender;
#[cfg(feature = "reports")]
pub use report::{ComparedContract, ComparisonReport, Group};
pub use side::SideComparison;
pub use source_change::SourceChange;
pub use text_change::TextChange;
