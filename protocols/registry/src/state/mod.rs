//! The state: a join of facts (decisions 1 and 3).
//!
//! Every table keeps, for each subject, the least or the greatest fact, or the least facts. So joining facts is
//! associative, commutative and idempotent, and the state is the same for every order, repetition and partition of the
//! same events.

mod changes;
mod entry;
mod names;
mod parse;
mod prune;
mod read;
mod text;

use std::collections::HashMap;
use std::sync::Arc;

use capgen_schema::Hash;
use serde_json::Value;

use crate::EventId;
use crate::event::Offer;
use crate::fact::{Fact, Field, KernelAnswer, Stamp, Stamped, Terminal};
pub(crate) use changes::Changes;
pub(crate) use entry::{Entry as StateEntry, List, key_hash};
pub(crate) use names::{Name, Names};
pub use parse::InvalidState;
pub(crate) use parse::StateReader;
pub use read::UnreadableState;
pub(crate) use read::read_state;

/// `format` of a state, which is also the version of the fold.
pub const STATE_FORMAT: &str = "capgen.registry.state/1";

/// The number of contracts that are kept for a version of a capability of an agent (decision 3). An honest agent has
/// one. The others show the conflict, and without a limit an agent could make the state grow under one key.
const MAX_CONTRACTS: usize = 16;

/// The facts of a set of events.
///
/// States of the same configuration form a semilattice under [`merge`](Self::merge); `merge(fold(a), fold(b))` equals
/// the fold of the events of both. Memory is bounded by the number of subjects, not of events: about 600 bytes per
/// registration, and its schemas, which equal ones share.
#[derive(Clone, Debug)]
pub struct State {
    config_hash: Hash,
    pub(crate) names: Names,
    pub(crate) rows: Vec<Row>,
    row_ids: HashMap<(Name, Name, Name), RowId>,
    /// The greatest deprecation of all versions, by agent and capability.
    pub(crate) all_deprecated: HashMap<(Name, Name), Deprecation>,
    pub(crate) health: HashMap<Name, (Stamp, bool)>,
    pub(crate) outcomes: HashMap<(Name, Arc<str>), (Stamp, KernelAnswer)>,
    pub(crate) terminals: HashMap<(Arc<str>, Name), (Stamp, Terminal)>,
    /// The keys of the outcomes that are invocations, by the ids of their events. An honest kernel never uses an id
    /// twice.
    invocations: HashMap<EventId, Vec<(Name, Arc<str>)>>,
    pub(crate) changes: Changes,
}

/// The index of a row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct RowId(u32);

impl RowId {
    pub(crate) fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// The facts about a version of a capability of an agent.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) agent: Name,
    pub(crate) capability: Name,
    pub(crate) version: Name,
    /// The least fact of each contract, if the version is registered. The first is the winner.
    pub(crate) winner: Option<(Stamp, Arc<Offer>)>,
    /// The other contracts, in the order of facts; never resolved to.
    pub(crate) conflicts: Vec<(Stamp, Arc<Offer>)>,
    pub(crate) updates: Vec<(Field, Stamp, Value)>,
    pub(crate) deprecation: Option<Box<Deprecation>>,
    /// Whether the row is among the changes.
    is_changed: bool,
}

impl Row {
    /// The facts of each contract, the winner first.
    pub(crate) fn contracts(&self) -> impl Iterator<Item = &(Stamp, Arc<Offer>)> {
        self.winner.iter().chain(&self.conflicts)
    }
}

/// The least or greatest deprecation, and its reason.
pub(crate) type Deprecation = (Stamp, Option<Arc<str>>);

impl State {
    /// The state without events under a configuration with this [hash](crate::Configuration::hash).
    #[must_use]
    pub fn new(config_hash: Hash) -> Self {
        Self {
            config_hash,
            names: Names::default(),
            rows: Vec::new(),
            row_ids: HashMap::new(),
            all_deprecated: HashMap::new(),
            health: HashMap::new(),
            outcomes: HashMap::new(),
            terminals: HashMap::new(),
            invocations: HashMap::new(),
            changes: Changes::default(),
        }
    }

    /// The hash of the configuration that the facts are valid under.
    #[must_use]
    pub fn config_hash(&self) -> Hash {
        self.config_hash
    }

    /// Joins a fact. Takes time logarithmic in the number of facts about the subject.
    pub fn join(&mut self, Stamped { mut stamp, fact }: Stamped) {
        // The producer is nearly always an agent whose name the state has anyway.
        let producer = self.names.number(&stamp.producer);
        stamp.producer = self.names.shared(producer);
        match fact {
            Fact::Registration { agent, offer } => self.join_registration(&agent, stamp, offer),
            Fact::Update { agent, capability, version, field, value } => {
                self.join_update([&agent, &capability, &version], field, stamp, value);
            }
            Fact::Deprecation { agent, capability, version: Some(version), reason } => {
                self.join_deprecation([&agent, &capability, &version], (stamp, reason));
            }
            Fact::Deprecation { agent, capability, version: None, reason } => {
                self.join_deprecation_of_all(&agent, &capability, (stamp, reason));
            }
            Fact::Health { agent, healthy } => self.join_health(&agent, stamp, healthy),
            Fact::Outcome { caller, request, outcome } => {
                let key = (self.names.number(&caller), request);
                self.join_outcome(key, stamp, outcome);
            }
            Fact::Terminal { invocation, agent, terminal } => {
                let key = (invocation, self.names.number(&agent));
                if self.terminals.get(&key).is_none_or(|(known, _)| stamp < *known) {
                    self.terminals.insert(key, (stamp, terminal));
                }
            }
        }
    }

    /// Joins every fact of another state.
    ///
    /// # Errors
    ///
    /// The states belong to different configurations. Then this one is not changed.
    pub fn merge(&mut self, other: &State) -> Result<(), OtherConfiguration> {
        if self.config_hash != other.config_hash {
            return Err(OtherConfiguration);
        }
        other.facts().for_each(|fact| self.join(fact));
        Ok(())
    }

    pub(crate) fn row(&self, id: RowId) -> Option<&Row> {
        self.rows.get(id.index())
    }

    /// Whether a request has an outcome.
    #[must_use]
    pub(crate) fn has_outcome(&self, caller: &str, request: &str) -> bool {
        self.names.find(caller).is_some_and(|caller| self.outcomes.contains_key(&(caller, request.into())))
    }

    /// The payloads, without `input`, of the invocations whose event has an id, in the order of caller and request.
    pub(crate) fn invocations(&self, id: EventId) -> impl Iterator<Item = Value> {
        let mut keys: Vec<_> = self.invocations.get(&id).into_iter().flatten().collect();
        keys.sort_by_key(|(caller, request)| (self.names.text(*caller), request));
        keys.into_iter().filter_map(|key| Some(self.outcomes.get(key)?.1.payload()))
    }

    /// The changes so far, which are removed.
    pub(crate) fn take_changes(&mut self) -> Changes {
        let changes = std::mem::take(&mut self.changes);
        for id in &changes.rows {
            let row = self.rows.get_mut(id.index());
            row.into_iter().for_each(|row| row.is_changed = false);
        }
        changes
    }

    /// The row of (agent, capability, version), which is added if it is new.
    fn row_mut(&mut self, key: [&str; 3]) -> Option<(RowId, &mut Row, &mut Changes)> {
        let [agent, capability, version] = key.map(|text| self.names.number(text));
        let next = RowId(u32::try_from(self.rows.len()).unwrap_or(u32::MAX));
        let id = *self.row_ids.entry((agent, capability, version)).or_insert(next);
        if id == next {
            self.rows.push(Row {
                agent,
                capability,
                version,
                winner: None,
                conflicts: Vec::new(),
                updates: Vec::new(),
                deprecation: None,
                is_changed: false,
            });
        }
        Some((id, self.rows.get_mut(id.index())?, &mut self.changes))
    }

    fn join_registration(&mut self, agent: &str, stamp: Stamp, offer: Arc<Offer>) {
        let Some((id, row, changes)) = self.row_mut([agent, &offer.capability, &offer.version.to_string()]) else {
            return;
        };
        let contract = offer.contract_hash;
        if row.winner.is_none() {
            row.winner = Some((stamp, offer));
            return changes.row(id, &mut row.is_changed);
        }
        let mut contracts: Vec<(Stamp, Arc<Offer>)> = row.winner.take().into_iter().collect();
        contracts.append(&mut row.conflicts);
        let known = contracts.iter_mut().find(|(_, known)| known.contract_hash == contract);
        let changed = match known {
            Some(known) if known.0 <= stamp => false,
            Some(known) => {
                *known = (stamp, offer);
                true
            }
            None => {
                contracts.push((stamp, offer));
                true
            }
        };
        contracts.sort_by(|a, b| a.0.cmp(&b.0));
        let evicted: Vec<Hash> =
            contracts.drain(MAX_CONTRACTS.min(contracts.len())..).map(|(_, offer)| offer.contract_hash).collect();
        let mut contracts = contracts.into_iter();
        row.winner = contracts.next();
        row.conflicts = contracts.collect();
        changes.evicted.extend(evicted.into_iter().map(|contract| (id, contract)));
        if changed {
            changes.row(id, &mut row.is_changed);
        }
    }

    fn join_update(&mut self, key: [&str; 3], field: Field, stamp: Stamp, value: Value) {
        let Some((id, row, changes)) = self.row_mut(key) else { return };
        match row.updates.iter_mut().find(|(known, ..)| *known == field) {
            Some((_, known, _)) if *known >= stamp => return,
            Some(known) => *known = (field, stamp, value),
            None => row.updates.push((field, stamp, value)),
        }
        changes.row(id, &mut row.is_changed);
    }

    fn join_deprecation(&mut self, key: [&str; 3], deprecation: Deprecation) {
        let Some((id, row, changes)) = self.row_mut(key) else { return };
        if row.deprecation.as_ref().is_none_or(|known| deprecation.0 < known.0) {
            row.deprecation = Some(Box::new(deprecation));
            changes.row(id, &mut row.is_changed);
        }
    }

    fn join_deprecation_of_all(&mut self, agent: &str, capability: &str, deprecation: Deprecation) {
        let key = (self.names.number(agent), self.names.number(capability));
        if self.all_deprecated.get(&key).is_none_or(|known| known.0 < deprecation.0) {
            self.all_deprecated.insert(key, deprecation);
            self.changes.all_deprecated.insert(key);
        }
    }

    fn join_outcome(&mut self, key: (Name, Arc<str>), stamp: Stamp, outcome: KernelAnswer) {
        let known = self.outcomes.get(&key);
        if known.is_some_and(|(known, _)| *known <= stamp) {
            return;
        }
        if let Some((known, _)) = known {
            self.invocations.entry(known.event_id).or_default().retain(|other| *other != key);
        }
        if outcome.invoked {
            self.invocations.entry(stamp.event_id).or_default().push(key.clone());
        }
        self.outcomes.insert(key, (stamp, outcome));
    }

    fn join_health(&mut self, agent: &str, stamp: Stamp, healthy: bool) {
        let agent = self.names.number(agent);
        let known = self.health.get(&agent);
        if known.is_none_or(|(known, _)| *known < stamp) {
            self.health.insert(agent, (stamp, healthy));
            self.changes.health.insert(agent);
        }
    }
}

/// States of different configurations, which do not merge: an event can be valid under one and invalid under the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OtherConfiguration;

impl std::fmt::Display for OtherConfiguration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the states belong to different configurations; fold their logs again under one configuration")
    }
}

impl std::error::Error for OtherConfiguration {}
