//! Which capabilities of two contracts are versions of each other.
//!
//! A capability that both contracts have once is compared, whatever its versions are. If one of them has several
//! versions of it, their callers decide: a caller gets the version that it was generated from, or one of its
//! compatibility line.

use std::collections::BTreeMap;

use capgen_descriptor::{are_in_one_line, may_run};
use capgen_manifest::{Capability, Manifest};

/// An old capability, a new one, or both.
#[derive(Debug)]
pub(super) struct Pair<'c> {
    /// The name of the capability, or `<name>@<version>` if a contract has several versions of it; unique.
    pub(super) label: String,
    pub(super) old: Option<usize>,
    pub(super) new: New<'c>,
    /// The versions that serve the callers of an old one which has a match with another contract, by their indexes in
    /// the order in which a provider tries them; otherwise empty.
    pub(super) tried: Vec<usize>,
}

/// The new capability of a pair.
#[derive(Debug)]
pub(super) enum New<'c> {
    /// The new version of the same capability, by its index; `None` if the contract has no capability of this name.
    Same(Option<usize>),
    /// The version is served no longer. The callers get one of these versions, if their payloads are valid for it, by
    /// their indexes in the order in which a provider tries them; not empty.
    Others(Vec<usize>),
    /// A version was added beside others of the old contract, such as this one.
    Beside(usize, &'c Capability),
}

/// All pairs, sorted by name, then by version.
pub(super) fn pairs<'c>(old: &'c Manifest, new: &'c Manifest) -> Vec<Pair<'c>> {
    let mut names: BTreeMap<&str, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for (index, capability) in old.capabilities.iter().enumerate() {
        names.entry(&capability.name).or_default().0.push(index);
    }
    for (index, capability) in new.capabilities.iter().enumerate() {
        names.entry(&capability.name).or_default().1.push(index);
    }
    let mut pairs = Vec::with_capacity(names.len());
    for (name, (before, after)) in names {
        if before.len() <= 1 && after.len() <= 1 {
            let (old, new) = (before.first().copied(), New::Same(after.first().copied()));
            pairs.push(Pair { label: name.to_owned(), old, new, tried: Vec::new() });
        } else {
            Named { old, new, before, after }.add_to(&mut pairs);
        }
    }
    pairs
}

/// The versions with one name, of which a contract has several.
struct Named<'c> {
    old: &'c Manifest,
    new: &'c Manifest,
    before: Vec<usize>,
    after: Vec<usize>,
}

impl<'c> Named<'c> {
    fn add_to(mut self, pairs: &mut Vec<Pair<'c>>) {
        let (old, new) = (self.old, self.new);
        sort(old, &mut self.before);
        sort(new, &mut self.after);
        let mut partners: BTreeMap<usize, usize> = BTreeMap::new();
        // An equal version is the partner, and each version has at most one.
        self.add_partners(&mut partners, |old, new| old.version.is_some() && is_equal(old, new));
        self.add_partners(&mut partners, |old, new| match (&old.version, &new.version) {
            (Some(old), Some(new)) => old.cmp_precedence(new).is_lt() && are_in_one_line(old, new),
            _ => false,
        });
        for &index in &self.before {
            let Some(capability) = old.capabilities.get(index) else { continue };
            pairs.push(match partners.get(&index) {
                Some(&partner) => {
                    let label = new.capabilities.get(partner).map(Capability::version_label).unwrap_or_default();
                    let hash = capability.hash();
                    let mut offered = self.after.iter().filter_map(|&after| new.capabilities.get(after));
                    let is_served = offered.any(|other| other.hash() == hash);
                    let tried = if is_served { Vec::new() } else { self.served(capability) };
                    Pair { label, old: Some(index), new: New::Same(Some(partner)), tried }
                }
                None => {
                    let others = self.served(capability);
                    let new = if others.is_empty() { New::Same(None) } else { New::Others(others) };
                    Pair { label: capability.version_label(), old: Some(index), new, tried: Vec::new() }
                }
            });
        }
        let beside = self.before.last().and_then(|&index| old.capabilities.get(index));
        for &index in self.after.iter().filter(|index| !partners.values().any(|partner| partner == *index)) {
            let label = new.capabilities.get(index).map(Capability::version_label).unwrap_or_default();
            let new = beside.map_or(New::Same(Some(index)), |beside| New::Beside(index, beside));
            pairs.push(Pair { label, old: None, new, tried: Vec::new() });
        }
    }

    /// Adds the lowest new version without a partner to each old one without a partner for which `is_next`.
    fn add_partners(&self, partners: &mut BTreeMap<usize, usize>, is_next: impl Fn(&Capability, &Capability) -> bool) {
        for &before in &self.before {
            let Some(old) = self.old.capabilities.get(before).filter(|_| !partners.contains_key(&before)) else {
                continue;
            };
            let is_free = |index: &&usize| !partners.values().any(|partner| partner == *index);
            let is_next = |index: &&usize| self.new.capabilities.get(**index).is_some_and(|new| is_next(old, new));
            let next = self.after.iter().filter(is_free).find(is_next).copied();
            partners.extend(next.map(|next| (before, next)));
        }
    }

    /// The new versions that serve the callers of an old one, the highest first: those of its line, or else all.
    fn served(&self, old: &Capability) -> Vec<usize> {
        let version = |index: &usize| self.new.capabilities.get(*index)?.version.as_ref();
        let may_run = may_run(old.version.as_ref(), self.after.iter().map(version));
        self.after.iter().rev().filter(|index| may_run(version(index))).copied().collect()
    }
}

fn sort(manifest: &Manifest, indexes: &mut [usize]) {
    indexes.sort_by_key(|&index| manifest.capabilities.get(index).and_then(|capability| capability.version.as_ref()));
}

fn is_equal(old: &Capability, new: &Capability) -> bool {
    matches!((&old.version, &new.version), (Some(old), Some(new)) if old.cmp_precedence(new).is_eq())
}
