//! The registry: a state with the indexes that answer questions about it.

mod buckets;
mod effective;
mod explain;
mod find;
mod index;
mod overview;
mod rank;
mod resolve;
mod row;

use std::sync::Arc;

use crate::state::{Changes, List, OtherConfiguration, State, StateEntry, key_hash};
use crate::{Configuration, Stamped};
use buckets::Buckets;
pub(crate) use effective::Registered;
pub use explain::{DecidedBy, Explanation, Filter, FilterStep, Question, RankedRow, Removed};
pub use find::Query;
use index::Index;
pub(crate) use overview::output_violations;
pub use overview::{Health, Invocation, Overview, Request, Status};
pub use resolve::{Resolution, Unresolved};
pub use row::{Conflict, DeprecationMark, Row, Scope};

/// A state, its indexes and its hash under a configuration.
///
/// [`join`](Self::join) only notes the changes; [`view`](Self::view) brings the indexes and the hash up to date, at a
/// cost that depends on the changes, and answers questions.
///
/// ```
/// use capgen_registry::{Configuration, Query, Registry};
/// let mut registry = Registry::new(Configuration::default().into());
/// assert!(registry.view().find(&Query::Id { id: "core.memory.snapshot", range: None }).is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Registry {
    config: Arc<Configuration>,
    state: State,
    index: Index,
    buckets: Buckets,
}

impl Registry {
    /// A registry without events.
    #[must_use]
    pub fn new(config: Arc<Configuration>) -> Self {
        let state = State::new(config.hash());
        Self { config, state, index: Index::default(), buckets: Buckets::default() }
    }

    /// A registry of a state.
    ///
    /// # Errors
    ///
    /// The state belongs to another configuration.
    pub fn of(state: State, config: Arc<Configuration>) -> Result<Self, OtherConfiguration> {
        let mut registry = Self::new(config);
        if registry.state.config_hash() != state.config_hash() {
            return Err(OtherConfiguration);
        }
        registry.state = state;
        Ok(registry)
    }

    /// The configuration.
    #[must_use]
    pub fn config(&self) -> &Arc<Configuration> {
        &self.config
    }

    /// The state.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Joins a fact.
    pub fn join(&mut self, fact: Stamped) {
        self.state.join(fact);
    }

    /// Joins the facts of an event.
    pub fn join_all(&mut self, facts: Vec<Stamped>) {
        facts.into_iter().for_each(|fact| self.join(fact));
    }

    /// Joins every fact of another state.
    ///
    /// # Errors
    ///
    /// The state belongs to another configuration.
    pub fn merge(&mut self, other: &State) -> Result<(), OtherConfiguration> {
        self.state.merge(other)
    }

    /// See [`State::prune`]. The indexes do not cover requests.
    pub(crate) fn prune(&mut self, keep: usize) -> u64 {
        self.state.prune(keep)
    }

    /// Brings the indexes and the registry hash up to date.
    pub fn settle(&mut self) {
        if self.state.changes.is_empty() {
            return;
        }
        let changes = self.state.take_changes();
        self.hash(&changes);
        self.buckets.settle();
        self.index.update(&self.state, &self.config, &changes);
    }

    /// The answers to questions about the events so far.
    pub fn view(&mut self) -> View<'_> {
        self.settle();
        self.as_settled()
    }

    /// Like [`view`](Self::view), for readers that share the registry; `None` if it is not [settled](Self::settle).
    #[must_use]
    pub fn settled(&self) -> Option<View<'_>> {
        self.state.changes.is_empty().then(|| self.as_settled())
    }

    /// Like [`settled`](Self::settled), for callers that have settled the registry: later changes are not in the
    /// answers.
    pub(crate) fn as_settled(&self) -> View<'_> {
        let Self { config, state, index, buckets } = self;
        View { config, state, index, buckets }
    }

    /// Updates the hashes of the entries of changed subjects.
    fn hash(&mut self, changes: &Changes) {
        let (state, buckets) = (&self.state, &mut self.buckets);
        // First, because the rows have the contracts that have returned.
        for (id, contract) in &changes.evicted {
            let key = state.row(*id).map(|row| state.registration_key(row, *contract));
            key.into_iter().for_each(|key| buckets.set(key_hash(List::Registrations, &key), None));
        }
        let mut set = |entry: StateEntry<'_>| buckets.set(entry.key_hash(), Some(entry.hash()));
        for row in changes.rows.iter().filter_map(|id| state.row(*id)) {
            row.contracts().for_each(|offer| set(state.registration_entry(row, offer)));
            row.updates.iter().for_each(|update| set(state.update_entry(row, update)));
            row.deprecation.iter().for_each(|deprecation| set(state.deprecation_entry(row, deprecation)));
        }
        for key in &changes.all_deprecated {
            let deprecation = state.all_deprecated.get(key);
            deprecation.into_iter().for_each(|all| set(state.deprecation_of_all_entry(*key, all)));
        }
        for agent in &changes.health {
            state.health.get(agent).into_iter().for_each(|health| set(state.health_entry(*agent, health)));
        }
    }
}

/// The answers to questions about a registry. Nothing in them depends on the order of events, on time or on chance.
#[derive(Clone, Copy, Debug)]
pub struct View<'r> {
    config: &'r Configuration,
    state: &'r State,
    index: &'r Index,
    buckets: &'r Buckets,
}

impl<'r> View<'r> {
    /// The state.
    pub(crate) fn state(&self) -> &'r State {
        self.state
    }

    /// `registry_hash` in lower-case hexadecimal: it covers registrations, updates, deprecations and health, but no
    /// requests.
    #[must_use]
    pub fn registry_hash(&self) -> String {
        self.buckets.root()
    }
}
