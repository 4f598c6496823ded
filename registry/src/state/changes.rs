//! The entries of a state that changed since its indexes and its hash were computed.

use std::collections::HashSet;

use capgen_schema::Hash;

use super::{Name, RowId};
use crate::fact::Field;

/// The entries of one subject that the registry hash covers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Entry {
    /// All contracts of a row.
    Registrations(RowId),
    /// A contract that is not kept any more.
    Evicted(RowId, Hash),
    Update(RowId, Field),
    Deprecation(RowId),
    DeprecationOfAll(Name, Name),
    Health(Name),
}

/// A set of changed entries.
#[derive(Clone, Default, Debug)]
pub(crate) struct Changes(HashSet<Entry>);

impl Changes {
    pub(super) fn add(&mut self, entry: Entry) {
        self.0.insert(entry);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The changes so far, which are removed. Evictions come first: their contracts may have returned.
    pub(crate) fn take(&mut self) -> Vec<Entry> {
        let mut entries: Vec<Entry> = self.0.drain().collect();
        entries.sort_by_key(|entry| !matches!(entry, Entry::Evicted(..)));
        entries
    }
}
