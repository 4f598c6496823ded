//! The canonical text of a state, and its facts.

use capgen_schema::Hash;

use super::entry::EntryRef;
use super::{List, Name, STATE_FORMAT, State};
use crate::canonical::array_parts;
use crate::fact::{Fact, Stamped};

/// The place of an entry in its list: a first part of its key that is not a name, the ranks of the names, and the last
/// parts.
type Order<'s> = (&'s str, [u32; 3], &'s str, Option<Hash>);

impl State {
    /// The canonical text (formats page, "State").
    #[must_use]
    pub fn to_json(&self) -> String {
        self.parts().collect()
    }

    /// The canonical text in parts of at most one entry, so that the whole text need not be in memory. Takes 32 bytes
    /// of memory for each entry of a list.
    pub fn parts(&self) -> impl Iterator<Item = String> {
        let first = format!("{{\"config_hash\":\"{}\"", self.config_hash);
        let lists = |lists: &'static [List]| lists.iter().flat_map(|list| self.member(*list));
        std::iter::once(first)
            .chain(lists(&[List::Deprecations]))
            .chain([format!(",\"format\":\"{STATE_FORMAT}\"")])
            .chain(lists(&[List::Health, List::Outcomes, List::Registrations, List::Terminals, List::Updates]))
            .chain(["}".to_owned()])
    }

    /// `hash`: SHA-256 over the canonical text.
    #[must_use]
    pub fn hash(&self) -> Hash {
        Hash::of_parts(self.parts())
    }

    /// The member of a list, after a comma.
    fn member(&self, list: List) -> impl Iterator<Item = String> {
        let entries = self.sorted(list).into_iter().map(|entry| self.entry(entry).text());
        std::iter::once(format!(",\"{}\":", list.as_str())).chain(array_parts(entries))
    }

    /// The entries of a list in the order of their keys.
    fn sorted(&self, list: List) -> Vec<EntryRef<'_>> {
        let mut entries = self.entries(list);
        let ranks = self.names.ranks();
        entries.sort_unstable_by(|one, other| order(*one, &ranks).cmp(&order(*other, &ranks)));
        entries
    }

    fn entries(&self, list: List) -> Vec<EntryRef<'_>> {
        let rows = self.rows.iter();
        match list {
            List::Registrations => {
                rows.flat_map(|row| row.contracts().map(move |offer| EntryRef::Registration(row, offer))).collect()
            }
            List::Updates => {
                rows.flat_map(|row| row.updates.iter().map(move |update| EntryRef::Update(row, update))).collect()
            }
            List::Deprecations => {
                let versions = rows.filter_map(|row| Some(EntryRef::Deprecation(row, row.deprecation.as_ref()?)));
                let all = self.all_deprecated.iter();
                let all = all.map(|(key, deprecation)| EntryRef::DeprecationOfAll(*key, deprecation));
                versions.chain(all).collect()
            }
            List::Health => self.health.iter().map(|(agent, health)| EntryRef::Health(*agent, health)).collect(),
            List::Outcomes => self.outcomes.iter().map(|(key, outcome)| EntryRef::Outcome(key, outcome)).collect(),
            List::Terminals => self.terminals.iter().map(|(key, end)| EntryRef::Terminal(key, end)).collect(),
        }
    }

    /// Every fact of the state, in any order.
    pub(crate) fn facts(&self) -> impl Iterator<Item = Stamped> {
        let name = |name| self.names.shared(name);
        let stamped = |stamp: &crate::Stamp, fact| Stamped { stamp: stamp.clone(), fact };
        let registrations = self.rows.iter().flat_map(move |row| {
            row.contracts().map(move |(stamp, offer)| {
                stamped(stamp, Fact::Registration { agent: name(row.agent), offer: offer.clone() })
            })
        });
        let updates = self.rows.iter().flat_map(move |row| {
            row.updates.iter().map(move |(field, stamp, value)| {
                let (agent, capability, version) = (name(row.agent), name(row.capability), name(row.version));
                stamped(stamp, Fact::Update { agent, capability, version, field: *field, value: value.clone() })
            })
        });
        let deprecations = self.rows.iter().filter_map(move |row| {
            let (stamp, reason) = row.deprecation.as_deref()?;
            let (agent, capability, version) = (name(row.agent), name(row.capability), Some(name(row.version)));
            Some(stamped(stamp, Fact::Deprecation { agent, capability, version, reason: reason.clone() }))
        });
        let all = self.all_deprecated.iter().map(move |((agent, capability), (stamp, reason))| {
            let (agent, capability) = (name(*agent), name(*capability));
            stamped(stamp, Fact::Deprecation { agent, capability, version: None, reason: reason.clone() })
        });
        let health = self.health.iter().map(move |(agent, (stamp, healthy))| {
            stamped(stamp, Fact::Health { agent: name(*agent), healthy: *healthy })
        });
        let outcomes = self.outcomes.iter().map(move |((caller, request), (stamp, outcome))| {
            let (caller, request) = (name(*caller), request.clone());
            stamped(stamp, Fact::Outcome { caller, request, outcome: outcome.clone() })
        });
        let terminals = self.terminals.iter().map(move |((invocation, agent), (stamp, terminal))| {
            let (invocation, agent) = (invocation.clone(), name(*agent));
            stamped(stamp, Fact::Terminal { invocation, agent, terminal: terminal.clone() })
        });
        registrations.chain(updates).chain(deprecations).chain(all).chain(health).chain(outcomes).chain(terminals)
    }
}

/// The place of an entry among those of its list.
fn order<'s>(entry: EntryRef<'s>, ranks: &[u32]) -> Order<'s> {
    let rank = |name: Name| ranks.get(name.index()).copied().unwrap_or(0);
    let of_row = |row: &super::Row| [rank(row.agent), rank(row.capability), rank(row.version)];
    match entry {
        EntryRef::Registration(row, (_, offer)) => ("", of_row(row), "", Some(offer.contract_hash)),
        EntryRef::Update(row, (field, ..)) => ("", of_row(row), field.as_str(), None),
        EntryRef::Deprecation(row, _) => ("", of_row(row), "", None),
        // Null is less than every string: the ranks of names start at 1.
        EntryRef::DeprecationOfAll((agent, capability), _) => ("", [rank(agent), rank(capability), 0], "", None),
        EntryRef::Health(agent, _) => ("", [rank(agent), 0, 0], "", None),
        EntryRef::Outcome((caller, request), _) => ("", [rank(*caller), 0, 0], request, None),
        EntryRef::Terminal((invocation, agent), _) => (invocation, [rank(*agent), 0, 0], "", None),
    }
}
