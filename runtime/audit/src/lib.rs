//! The audit of violations and calls in an SQLite database: append-only, with a hash chain for each tenant.
//!
//! With the feature `store` (on by default), [`SqliteAudit`] is an [`Audit`](capgen_call::Audit). The other items read
//! a database: [`Database::verify`] finds changed rows, [`Database::query`] selects rows, [`Anchor`] proves that rows
//! still exist, and [`prune`] removes old ones. `docs/audit.md` describes the table, so that other programs can verify
//! it.
//!
//! ```
//! # #[cfg(feature = "store")] {
//! use capgen_audit::{Database, SqliteAudit};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("capgen-audit.db");
//! drop(SqliteAudit::open(&path)?);
//! assert!(Database::open(&path)?.verify(None)?.is_intact());
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Reading order
//!
//! For contributors. `table.rs` is the table with its triggers, `row.rs` a row and `hash.rs` its hash, which covers
//! every column and the hash before. A new column is added in these three and wherever rows are written or compared;
//! CONTRIBUTING.md lists the places.
//!
//! `append.rs` adds rows to the chains in one transaction. `store/` is the other end: a bounded queue, the thread that
//! commits batches, and the rules that remove values and cut records before they are stored.
//!
//! `verify/` computes every chain again and compares it with anchors that are stored elsewhere. `query.rs` selects
//! rows, `prune.rs` removes old ones, and `checkpoint.rs` is the row that replaces them. `database.rs` opens files.
#![cfg_attr(docsrs, feature(doc_cfg))]
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
    Anchor, AnchorProblem, BrokenRow, Damage, Head, InvalidAnchor, Reason, TenantChain, UnconfirmedHead, Verification,
};
