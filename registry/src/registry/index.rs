//! The indexes of a registry: registrations by capability in the order of their rank, by tag and by determinism class.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::effective::Effective;
use super::rank;
use crate::Configuration;
use crate::state::{Entry, Name, RowId, State};

/// If more rows of a capability than this change at once, its list is sorted anew; otherwise they are inserted one by one.
const FEW: usize = 8;

#[derive(Clone, Default, Debug)]
pub(super) struct Index {
    effective: HashMap<RowId, Effective>,
    /// The registrations of a capability, the best first.
    by_capability: HashMap<Name, Vec<RowId>>,
    by_tag: HashMap<Box<str>, HashSet<RowId>>,
    by_class: HashMap<Box<str>, HashSet<RowId>>,
}

impl Index {
    pub(super) fn effective(&self, id: RowId) -> Option<&Effective> {
        self.effective.get(&id)
    }

    /// The registrations of a capability, the best first.
    pub(super) fn ranked(&self, capability: Name) -> &[RowId] {
        self.by_capability.get(&capability).map_or(&[], Vec::as_slice)
    }

    pub(super) fn with_tag(&self, tag: &str) -> impl Iterator<Item = RowId> {
        self.by_tag.get(tag).into_iter().flatten().copied()
    }

    pub(super) fn of_class(&self, class: &str) -> impl Iterator<Item = RowId> {
        self.by_class.get(class).into_iter().flatten().copied()
    }

    /// Every registration.
    pub(super) fn all(&self) -> impl Iterator<Item = RowId> {
        self.effective.keys().copied()
    }

    /// Updates the rows that changes affect.
    pub(super) fn update(&mut self, state: &State, config: &Configuration, changes: &[Entry]) {
        let mut changed: HashMap<Name, BTreeSet<RowId>> = HashMap::new();
        for id in changes.iter().flat_map(|change| rows(state, change)) {
            let Some(row) = state.row(id) else { continue };
            if let Some(effective) = Effective::of(row, state, config) {
                self.replace(id, effective);
                changed.entry(row.capability).or_default().insert(id);
            }
        }
        for (capability, rows) in changed {
            self.rank(state, capability, &rows);
        }
    }

    fn replace(&mut self, id: RowId, new: Effective) {
        if let Some(old) = self.effective.remove(&id) {
            for tag in old.tags.iter().flat_map(|tags| tags.iter()) {
                remove(&mut self.by_tag, tag, id);
            }
            old.offer.determinism.iter().for_each(|class| remove(&mut self.by_class, class, id));
        }
        for tag in new.tags.iter().flat_map(|tags| tags.iter()) {
            self.by_tag.entry(tag.clone()).or_default().insert(id);
        }
        if let Some(class) = &new.offer.determinism {
            self.by_class.entry(class.clone()).or_default().insert(id);
        }
        self.effective.insert(id, new);
    }

    fn rank(&mut self, state: &State, capability: Name, changed: &BTreeSet<RowId>) {
        let effective = &self.effective;
        let candidate = |id: RowId| Some((state.names.text(state.row(id)?.agent), effective.get(&id)?));
        let compare = |one: RowId, other: RowId| match (candidate(one), candidate(other)) {
            (Some(one), Some(other)) => rank::compare(one, other).0,
            // Every listed row is registered.
            _ => one.cmp(&other),
        };
        let ranked = self.by_capability.entry(capability).or_default();
        ranked.retain(|id| !changed.contains(id));
        if changed.len() > FEW {
            ranked.extend(changed);
            ranked.sort_by(|one, other| compare(*one, *other));
            return;
        }
        for id in changed {
            let at = ranked.partition_point(|other| compare(*other, *id).is_lt());
            ranked.insert(at, *id);
        }
    }
}

/// The rows whose effective properties a change affects. Health is looked up when a question is asked.
fn rows(state: &State, change: &Entry) -> Vec<RowId> {
    match *change {
        Entry::Registrations(id) | Entry::Update(id, _) | Entry::Deprecation(id) => vec![id],
        Entry::DeprecationOfAll(agent, capability) => {
            state.offering(agent, capability).map(|offering| offering.rows.clone()).unwrap_or_default()
        }
        Entry::Evicted(..) | Entry::Health(_) => Vec::new(),
    }
}

fn remove(index: &mut HashMap<Box<str>, HashSet<RowId>>, key: &str, id: RowId) {
    if let Some(rows) = index.get_mut(key) {
        rows.remove(&id);
        if rows.is_empty() {
            index.remove(key);
        }
    }
}
