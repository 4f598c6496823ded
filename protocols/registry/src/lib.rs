//! The capability registry of Noesium RFC-0005: a projection of events that converges, resolves and explains itself.
//!
//! The core is pure: events, facts, the state, queries, resolution and the kernel use no IO, clock or randomness. Logs are beside it, behind
//! features. `docs/registry.md` explains the join and why it converges.
#![forbid(unsafe_code)]

// The generated code refers to this name.
extern crate capgen_payload as capgen;

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
pub use fact::{Fact, Field, Outcome, Stamp, Stamped, Terminal};
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
