//! The audit of violations and calls in an SQLite database: append-only, with a hash chain for each tenant.
//!
//! With the feature `store` (on by default), [`SqliteAudit`] is an [`Audit`](capgen_call::Audit). The other items read a database:
//! [`Database::verify`] finds changed rows, [`Database::query`] selects rows, [`Anchor`] proves that rows still exist, and [`prune`]
//! removes old ones. `docs/audit.md` describes the table, so that other programs can verify it.
#![forbid(unsafe_code)]

mod append;
mod checkpoint;
mod database;
mod hash;
mod prune;
mod query;
mod row;
#[cfg(feature = "store")]
mod store;
mod table;
mod verify;

pub use capgen_schema::{Hash, InvalidHash};
pub use database::{Database, DatabaseError};
pub use prune::{Pruned, PrunedPart, prune};
pub use query::{Filter, KINDS};
pub use row::{MalformedRow, Row};
#[cfg(feature = "store")]
pub use store::{Durability, Lost, SqliteAudit, SqliteAuditOptions, WhenFull};
pub use verify::{
    Anchor, AnchorProblem, BrokenRow, Head, InvalidAnchor, Problem, Reason, TenantChain, UnconfirmedHead, Verification,
};
