//! The indexes of a registry: registrations by capability in the order of their rank, by tag and by determinism class.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::effective::{Effective, Registered};
use super::rank;
use crate::Configuration;
use crate::state::{Changes, Name, RowId, State};

/// If more rows of a capability than this change at once, its list is sorted anew; otherwise they are inserted one by
/// one. Each insertion moves the rows after it, so many of them would cost more than one sort.
const FEW: usize = 8;

#[derive(Clone, Default, Debug)]
pub(super) struct Index {
    /// By the index of the row.
    effective: Vec<Option<Effective>>,
    /// The registrations of a capability, the best first.
    by_capability: HashMap<Name, Vec<RowId>>,
    by_tag: HashMap<Box<str>, HashSet<RowId>>,
    by_class: HashMap<Box<str>, HashSet<RowId>>,
}

impl Index {
    /// The registration of a row, if its version is registered.
    pub(super) fn registered<'r>(&'r self, state: &'r State, id: RowId) -> Option<Registered<'r>> {
        let effective = self.effective.get(id.index())?.as_ref()?;
        let row = state.row(id)?;
        let (stamp, _) = row.winner.as_ref()?;
        Some(Registered { id, row, agent: state.names.text(row.agent), stamp, offer: &effective.offer, effective })
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
        self.by_capability.values().flatten().copied()
    }

    /// Updates the rows that changes affect. Health is looked up when a question is asked.
    pub(super) fn update(&mut self, state: &State, config: &Configuration, changes: &Changes) {
        self.effective.resize_with(state.rows.len(), || None);
        let covered = changes.all_deprecated.iter().flat_map(|(agent, capability)| {
            let rows = self.ranked(*capability).iter().copied();
            rows.filter(|id| state.row(*id).is_some_and(|row| row.agent == *agent))
        });
        let affected: BTreeSet<RowId> = changes.rows.iter().copied().chain(covered).collect();
        let mut changed: HashMap<Name, BTreeSet<RowId>> = HashMap::new();
        for id in affected {
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
        let Some(place) = self.effective.get_mut(id.index()) else { return };
        if let Some(old) = place.take() {
            old.tags.iter().flat_map(|tags| tags.iter()).for_each(|tag| remove(&mut self.by_tag, tag, id));
            old.offer.determinism.iter().for_each(|class| remove(&mut self.by_class, class, id));
        }
        new.tags.iter().flat_map(|tags| tags.iter()).for_each(|tag| insert(&mut self.by_tag, tag, id));
        new.offer.determinism.iter().for_each(|class| insert(&mut self.by_class, class, id));
        *place = Some(new);
    }

    fn rank(&mut self, state: &State, capability: Name, changed: &BTreeSet<RowId>) {
        let mut ranked = self.by_capability.remove(&capability).unwrap_or_default();
        let compare = |one: RowId, other: RowId| match (self.registered(state, one), self.registered(state, other)) {
            (Some(one), Some(other)) => rank::compare(&one, &other).0,
            // Every listed row is registered.
            _ => one.cmp(&other),
        };
        ranked.retain(|id| !changed.contains(id));
        if changed.len() > FEW {
            ranked.extend(changed);
            ranked.sort_by(|one, other| compare(*one, *other));
        } else {
            for id in changed {
                let at = ranked.partition_point(|other| compare(*other, *id).is_lt());
                ranked.insert(at, *id);
            }
        }
        self.by_capability.insert(capability, ranked);
    }
}

fn insert(index: &mut HashMap<Box<str>, HashSet<RowId>>, key: &str, id: RowId) {
    match index.get_mut(key) {
        Some(rows) => drop(rows.insert(id)),
        None => drop(index.insert(key.into(), HashSet::from([id]))),
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
