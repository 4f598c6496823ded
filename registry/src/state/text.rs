//! The canonical text of a state, and its facts.

use capgen_schema::Hash;

use super::entry::{Entry, object};
use super::{List, STATE_FORMAT, State};
use crate::fact::{Fact, Stamped};

impl State {
    /// The canonical text (formats page, "State").
    #[must_use]
    pub fn to_json(&self) -> String {
        let list = |list| (List::as_str(list), self.list_text(list));
        object(&[
            ("config_hash", format!("\"{}\"", self.config_hash)),
            list(List::Deprecations),
            ("format", format!("\"{STATE_FORMAT}\"")),
            list(List::Health),
            list(List::Outcomes),
            list(List::Registrations),
            list(List::Terminals),
            list(List::Updates),
        ])
    }

    /// `hash`: SHA-256 over the canonical text.
    #[must_use]
    pub fn hash(&self) -> Hash {
        Hash::of(self.to_json())
    }

    fn list_text(&self, list: List) -> String {
        let mut entries = self.entries(list);
        // `None`, which is null, is less than every string.
        entries.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        let texts: Vec<String> = entries.iter().map(Entry::text).collect();
        format!("[{}]", texts.join(","))
    }

    fn entries(&self, list: List) -> Vec<Entry<'_>> {
        let rows = self.rows.iter();
        match list {
            List::Registrations => rows
                .flat_map(|row| {
                    row.winner.iter().chain(&row.conflicts).map(|offer| self.registration_entry(row, offer))
                })
                .collect(),
            List::Updates => {
                rows.flat_map(|row| row.updates.iter().map(|update| self.update_entry(row, update))).collect()
            }
            List::Deprecations => {
                let versions = rows.filter_map(|row| Some(self.deprecation_entry(row, row.deprecation.as_ref()?)));
                let all = self.all_deprecated.iter();
                let all = all.map(|(key, deprecation)| self.deprecation_of_all_entry(*key, deprecation));
                versions.chain(all).collect()
            }
            List::Health => self.health.iter().map(|(agent, health)| self.health_entry(*agent, health)).collect(),
            List::Outcomes => self
                .outcomes
                .iter()
                .map(|((caller, request), outcome)| self.outcome_entry(*caller, request, outcome))
                .collect(),
            List::Terminals => self
                .terminals
                .iter()
                .map(|((invocation, agent), terminal)| self.terminal_entry(invocation, *agent, terminal))
                .collect(),
        }
    }

    /// Every fact of the state, in any order.
    pub(crate) fn facts(&self) -> impl Iterator<Item = Stamped> {
        let name = |name| self.names.text(name).into();
        let stamped = |stamp: &crate::Stamp, fact| Stamped { stamp: stamp.clone(), fact };
        let registrations = self.rows.iter().flat_map(move |row| {
            row.winner.iter().chain(&row.conflicts).map(move |(stamp, offer)| {
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
