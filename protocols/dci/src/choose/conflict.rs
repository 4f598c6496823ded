//! Capabilities that one part of the graph requires and another part denies (section "Require-Deny Conflict
//! Semantics").

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::budget::{Budget, Exceeded};
use super::corpus::Corpus;
use super::transitive::{Graph, Root};
use crate::inputs::Aliases;

/// A node of the graph, or the consumer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Party {
    /// The id of the candidate or of the consumer; `consumer` for a run without one (decision 23).
    pub id: String,
    /// 0 for the consumer.
    pub depth: u32,
}

/// A capability that is required and denied, with the parties that a path names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The capability, after alias resolution.
    pub capability: String,
    /// The shallowest party that requires it.
    pub required_by: Party,
    /// The shallowest party that denies it.
    pub denied_by: Party,
}

/// The conflicts of a run.
#[derive(Clone, Debug, Default)]
pub struct Conflicts {
    /// `R_eff` and `D_eff` have these capabilities in common.
    pub capabilities: Vec<String>,
    /// The providers with conflicts among those that the run selected, in the order of the corpus.
    pub providers: Vec<ProviderConflicts>,
}

/// The conflicts of a provider.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProviderConflicts {
    /// The id of the candidate, for [`Corpus::candidate`].
    pub id: Arc<str>,
    /// One for each path and capability (decision 34); at least one.
    pub conflicts: Vec<Conflict>,
}

impl Conflicts {
    /// The conflicts of a provider by its id; empty if it has none.
    pub fn of(&self, provider: &str) -> &[Conflict] {
        let one = self.providers.iter().find(|one| &*one.id == provider);
        one.map_or(&[], |one| &one.conflicts)
    }

    /// The number of distinct capabilities in conflict on the paths of a provider.
    pub(crate) fn count(&self, provider: &str) -> usize {
        let entries = self.of(provider);
        entries.iter().map(|entry| &entry.capability).collect::<BTreeSet<_>>().len()
    }
}

/// The capabilities in conflict that a party requires and denies.
#[derive(Default)]
struct Sides {
    requires: BTreeSet<String>,
    denies: BTreeSet<String>,
}

/// Who requires and who denies a capability.
#[derive(Clone, Default)]
struct Parties {
    requires: Option<Party>,
    denies: Option<Party>,
}

struct Finder<'f> {
    corpus: &'f Corpus,
    graph: &'f Graph,
    consumer: Party,
    root: &'f Sides,
    /// Those of each candidate in the graph.
    sides: &'f BTreeMap<usize, Sides>,
    /// The shallowest parties of the whole traversal.
    shallowest: BTreeMap<&'f str, Parties>,
}

/// Finds all conflicts of a graph.
///
/// # Errors
///
/// There are too many paths and conflicts.
pub(crate) fn find(
    corpus: &Corpus,
    aliases: &Aliases,
    (consumer, root): (&str, &Root),
    graph: &Graph,
    budget: &mut Budget,
) -> Result<Conflicts, Exceeded> {
    let candidates: BTreeSet<usize> = graph.nodes.iter().map(|node| node.candidate).collect();
    let own =
        |index: &usize| corpus.candidates().get(*index).map(|one| (one.requires(), one.denies())).unwrap_or_default();
    for (requires, denies) in candidates.iter().map(own) {
        budget.spend(requires.len() + denies.len())?;
    }
    let canonical = |token: &'_ String| aliases.canonical(token).to_owned();
    let mut required: BTreeSet<String> = candidates.iter().flat_map(|index| own(index).0).map(canonical).collect();
    required.extend(root.required.iter().cloned());
    let denied = candidates.iter().flat_map(|index| own(index).1).map(canonical).chain(root.denied.iter().cloned());
    // Most capabilities are in no conflict, and are not kept for each candidate.
    let common: BTreeSet<String> = denied.filter(|token| required.contains(token)).collect();
    let kept = |tokens: &[String]| tokens.iter().map(canonical).filter(|token| common.contains(token)).collect();
    let sides: BTreeMap<usize, Sides> = candidates
        .iter()
        .map(|index| (*index, Sides { requires: kept(own(index).0), denies: kept(own(index).1) }))
        .collect();
    let root = Sides {
        requires: root.required.intersection(&common).cloned().collect(),
        denies: root.denied.intersection(&common).cloned().collect(),
    };
    let consumer = Party { id: consumer.to_owned(), depth: 0 };
    let mut finder = Finder { corpus, graph, consumer, root: &root, sides: &sides, shallowest: BTreeMap::new() };
    finder.shallowest = finder.parties(0..graph.nodes.len());
    let by_provider = if common.is_empty() { BTreeMap::new() } else { finder.entries(budget)? };
    let providers = by_provider.into_iter().filter_map(|(index, conflicts)| {
        let id = Arc::clone(&corpus.candidates().get(index)?.id);
        Some(ProviderConflicts { id, conflicts })
    });
    Ok(Conflicts { capabilities: common.into_iter().collect(), providers: providers.collect() })
}

impl<'f> Finder<'f> {
    /// The first party on each side of each conflict: the consumer, or one of some nodes in their order.
    fn parties(&self, nodes: impl Iterator<Item = usize>) -> BTreeMap<&'f str, Parties> {
        let mut parties: BTreeMap<&str, Parties> = BTreeMap::new();
        let known = nodes.filter_map(|node| Some((self.party(node)?, self.sides_of(node)?)));
        for (party, sides) in [(self.consumer.clone(), self.root)].into_iter().chain(known) {
            for token in &sides.requires {
                parties.entry(token).or_default().requires.get_or_insert_with(|| party.clone());
            }
            for token in &sides.denies {
                parties.entry(token).or_default().denies.get_or_insert_with(|| party.clone());
            }
        }
        parties
    }

    fn sides_of(&self, node: usize) -> Option<&'f Sides> {
        self.sides.get(&self.graph.nodes.get(node)?.candidate)
    }

    fn party(&self, node: usize) -> Option<Party> {
        let node = self.graph.nodes.get(node)?;
        let id = self.corpus.candidates().get(node.candidate)?.id.to_string();
        Some(Party { id, depth: node.depth })
    }

    /// The entries of every path from the consumer to a leaf, depth first.
    fn entries(&self, budget: &mut Budget) -> Result<BTreeMap<usize, Vec<Conflict>>, Exceeded> {
        let mut entries: BTreeMap<usize, Vec<Conflict>> = BTreeMap::new();
        for leaf in self.leaves() {
            let path = self.path(leaf);
            let Some(provider) = path.first().and_then(|node| self.graph.nodes.get(*node)) else { continue };
            let below: BTreeSet<&str> =
                path.iter().filter_map(|node| self.sides_of(*node)).flat_map(Sides::tokens).collect();
            budget.spend((below.len() + self.root.requires.len() + self.root.denies.len()) * ENTRY_STEPS)?;
            let parties = self.parties(path.iter().copied());
            budget.keep(parties.len() * ENTRY_ELEMENTS)?;
            let list = entries.entry(provider.candidate).or_default();
            list.extend(parties.into_iter().filter_map(|(token, parties)| self.entry(token, parties, &below)));
        }
        entries.retain(|_, list| !list.is_empty());
        Ok(entries)
    }

    /// The entry of a path for a capability: if a node below the consumer introduces a side, or if the path has both
    /// sides.
    fn entry(&self, token: &str, parties: Parties, below: &BTreeSet<&str>) -> Option<Conflict> {
        if !below.contains(token) && (parties.requires.is_none() || parties.denies.is_none()) {
            return None;
        }
        // The side that the path lacks is elsewhere in the graph.
        let shallowest = self.shallowest.get(token).cloned().unwrap_or_default();
        Some(Conflict {
            capability: token.to_owned(),
            required_by: parties.requires.or(shallowest.requires)?,
            denied_by: parties.denies.or(shallowest.denies)?,
        })
    }

    fn leaves(&self) -> Vec<usize> {
        let tops = self.graph.nodes.iter().enumerate().filter(|(_, node)| node.parent.is_none());
        let mut waiting: Vec<usize> = tops.map(|(number, _)| number).collect();
        waiting.reverse();
        let mut leaves = Vec::new();
        while let Some(number) = waiting.pop() {
            match self.graph.nodes.get(number) {
                Some(node) if !node.children.is_empty() => waiting.extend(node.children.iter().rev()),
                _ => leaves.push(number),
            }
        }
        leaves
    }

    /// The nodes from the provider that the run selected to a leaf.
    fn path(&self, leaf: usize) -> Vec<usize> {
        let parent = |number: &usize| self.graph.nodes.get(*number).and_then(|node| node.parent);
        let mut path: Vec<usize> = std::iter::successors(Some(leaf), parent).collect();
        path.reverse();
        path
    }
}

/// An entry copies names, which costs about as much as this many comparisons of numbers.
const ENTRY_STEPS: usize = 100;

/// The elements of [`Exceeded::ELEMENTS`] that an entry counts for. An entry has several names, and an element is one.
const ENTRY_ELEMENTS: usize = 20;

impl Sides {
    fn tokens(&self) -> impl Iterator<Item = &str> {
        self.requires.iter().chain(&self.denies).map(String::as_str)
    }
}
