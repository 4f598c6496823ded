//! The subjects that changed since the indexes and the hash of a registry were computed.

use std::collections::HashSet;

use capgen_schema::Hash;

use super::{Name, RowId};

/// The changed subjects that the registry hash covers.
#[derive(Clone, Default, Debug)]
pub(crate) struct Changes {
    /// Distinct, because a changed row is marked.
    pub(crate) rows: Vec<RowId>,
    /// Contracts that were not kept. They may have returned since.
    pub(crate) evicted: Vec<(RowId, Hash)>,
    pub(crate) all_deprecated: HashSet<(Name, Name)>,
    pub(crate) health: HashSet<Name>,
}

impl Changes {
    pub(super) fn row(&mut self, id: RowId, is_changed: &mut bool) {
        if !std::mem::replace(is_changed, true) {
            self.rows.push(id);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        // An eviction is a change of its row.
        self.rows.is_empty() && self.evicted.is_empty() && self.all_deprecated.is_empty() && self.health.is_empty()
    }
}
