//! The columns of a row that follow from its event.

use capgen_schema::Hash;
use serde_json::json;

use crate::canonical::hash_of;
use crate::{Event, EventType};

use super::super::admission::{Subject, subjects};

/// The columns that an append searches.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Derived<'e> {
    pub(super) agent: &'e str,
    pub(super) event_id: &'e str,
    pub(super) content: Hash,
    /// The idempotency key, if the event claims it.
    pub(super) claim: Option<&'e str>,
}

impl<'e> Derived<'e> {
    /// `None` if the event has no identity. Such an event is never appended.
    pub(super) fn of(event: &'e Event, valid: bool) -> Option<Self> {
        Some(Self {
            agent: event.agent()?,
            event_id: event.member("event_id")?,
            content: event.hash(),
            claim: event.member("idempotency_key").filter(|_| valid),
        })
    }
}

/// The subjects of a row.
pub(super) fn subjects_of(event: &Event, valid: bool) -> Vec<Subject> {
    event.event_type().filter(|_| valid).map(|kind: EventType| subjects(event, kind)).unwrap_or_default()
}

/// The hash that chains all rows of the file in their order: SHA-256 over the canonical `[id, row_hash, valid, previous
/// log_hash or ""]`. It covers the order of rows of different partitions, and whether an event was valid when it was
/// appended.
pub(super) fn log_hash(id: u64, row_hash: &Hash, valid: bool, previous: Option<&Hash>) -> Hash {
    let previous = previous.map(ToString::to_string).unwrap_or_default();
    hash_of(&json!([id, row_hash.to_string(), valid, previous]))
}
