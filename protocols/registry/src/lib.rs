//! The capability registry of Noesium RFC-0005: a projection of events that converges, resolves and explains itself.
//!
//! The core is pure: events, facts, the state, queries, resolution and the kernel use no IO, clock or randomness. Logs
//! are beside it, behind features. `docs/registry.md` explains the join and why it converges.
//!
//! ```
//! use capgen_registry::{Configuration, Event, Fold};
//!
//! let mut fold = Fold::new(Configuration::default().into());
//! fold.event(&Event::parse(br#"{"event_type": "agent.heartbeat"}"#)?);
//! // The event lacks everything else, so it is invalid: it has no effect, and is listed with the reason.
//! assert_eq!(fold.invalid().len(), 1);
//! # Ok::<(), capgen_registry::NotJson>(())
//! ```
//!
//! # Reading order
//!
//! For contributors. `canonical.rs` first: all hashes cover canonical JSON. `event/` reads and checks an event, against
//! `config/`, and states it as facts (`fact.rs`); the payloads in `event/generated/` come from
//! `protocols/registry/contract`, a manifest of capgen, and the crate writes its own events with them. `state/` is the
//! join of facts, so order and repetition have no effect.
//!
//! `registry/` adds indexes to a state and answers questions: find, resolve, rank, explain. `fold.rs` is the fold of a
//! whole log, `kernel.rs` answers requests, and `snapshot/` is a state with its place in a log.
//!
//! `log/` is the trait of logs, with admission and hash chains for all of them, and the logs in memory, `log/jsonl/`,
//! `log/sqlite/` and `log/jetstream/`. `log/conformance/` has the tests that each log passes. `live/` follows a log in
//! a program: writers, heartbeats, and a directory of agents.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod access;
mod announce;
mod canonical;
mod claims;
mod config;
pub mod event;
mod fact;
mod fold;
mod id;
mod kernel;
#[cfg(feature = "live")]
pub mod live;
pub mod log;
mod monitor;
mod paths;
mod pieces;
mod producer;
mod registry;
mod requirement;
mod snapshot;
mod state;

pub use access::Access;
pub use announce::{Announcement, AnnouncementError, AnnouncementFault, AnnouncementStep, announce, capability_id};
pub use canonical::{canonical, hash_of};
pub use capgen_schema::Hash;
pub use claims::{Claims, InvalidToken, Issuer};
pub use config::{Configuration, ConfigurationError, ConfigurationErrors, DEFAULT_KERNEL};
pub use event::{Checked, Checker, Event, EventType, Invalid, InvalidSigningKey, NotJson, Offer, Reason, SigningKey};
pub use fact::{Fact, Field, KernelAnswer, Stamp, Stamped, Terminal};
pub use fold::{Fold, FoldReport, InvalidRow};
pub use id::{EventId, InvalidEventId};
pub use kernel::Kernel;
pub use monitor::{MonitorLimits, Overdue, overdue};
pub use producer::{EventIds, Producer};
pub use registry::{
    Conflict, DecidedBy, DeprecationMark, Explanation, Filter, FilterStep, Health, Invocation, Overview, Query,
    Question, RankedRow, Registry, Removed, Request, Resolution, Row, Scope, Status, Unresolved, View,
};
pub use requirement::{InvalidRequirement, Range, Requirement};
pub use snapshot::{FilePlace, InvalidSnapshot, Position, Restored, SNAPSHOT_FORMAT, Snapshot};
pub use state::{InvalidState, OtherConfiguration, STATE_FORMAT, State, UnreadableState};
