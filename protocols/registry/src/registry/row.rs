//! A registered version of a capability of an agent, as the answer to a question (formats page, "Rows").

use serde::Serialize;
use serde_json::Number;

use super::View;
use super::effective::{Effective, Registered, deprecation};
use crate::state::RowId;

/// A registered version of a capability of an agent, with its effective properties.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Row {
    /// The agent.
    pub agent: String,
    /// The id of the capability.
    pub capability: String,
    /// The version.
    pub version: String,
    /// The id of the event that registered it.
    pub event_id: String,
    /// The hash of the contract.
    pub contract_hash: String,
    /// Later registrations of the same version with other contracts, which are never resolved to.
    pub conflicts: Vec<Conflict>,
    /// The deprecation, if there is one.
    pub deprecated: Option<DeprecationMark>,
    /// Whether the agent is healthy.
    pub healthy: bool,
    /// The priority after the cap.
    pub priority: i64,
    /// The weight.
    pub weight: Number,
    /// The tags, sorted.
    pub tags: Vec<String>,
    /// `latency_class`.
    pub latency_class: Option<String>,
    /// `side_effects`.
    pub side_effects: Option<String>,
    /// `determinism_class`.
    pub determinism_class: Option<String>,
    /// The roles that a caller must all have, sorted.
    pub required_roles: Vec<String>,
    /// The scopes that a caller must all have, sorted.
    pub required_scopes: Vec<String>,
}

/// A registration with another contract than the winner's.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Conflict {
    /// The id of the event.
    pub event_id: String,
    /// The hash of the contract.
    pub contract_hash: String,
}

/// A deprecation that applies to a row.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DeprecationMark {
    /// The id of the event.
    pub event_id: String,
    /// The versions that the event deprecates.
    pub scope: Scope,
    /// The reason.
    pub reason: Option<String>,
}

/// The versions that an event deprecates.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// One version.
    Version,
    /// All versions that were registered before.
    All,
}

impl<'r> View<'r> {
    /// The registrations of a capability, the best first.
    pub(super) fn ranked(&self, capability: &str) -> &'r [RowId] {
        self.state.names.find(capability).map_or(&[], |name| self.index.ranked(name))
    }

    /// The registration of a row.
    pub(super) fn registered(&self, id: RowId) -> Option<Registered<'r>> {
        self.index.registered(self.state, id)
    }

    pub(super) fn is_healthy(&self, agent: crate::state::Name) -> bool {
        self.state.health.get(&agent).is_none_or(|(_, healthy)| *healthy)
    }

    /// The answer about a registered row.
    pub(super) fn row(&self, id: RowId) -> Option<Row> {
        let Registered { row, agent, stamp, offer, effective, .. } = self.registered(id)?;
        let Effective { priority, weight, tags, latency_class, deprecated, .. } = effective;
        let text = |text: &str| text.to_owned();
        let list = |items: &[Box<str>]| items.iter().map(|item| item.to_string()).collect();
        let mark = deprecated.and_then(|scope| {
            let (stamp, reason) = deprecation(row, self.state, scope)?;
            Some(DeprecationMark { event_id: stamp.event_id.to_string(), scope, reason: reason.as_deref().map(text) })
        });
        let conflicts = row.conflicts.iter().map(|(stamp, offer)| Conflict {
            event_id: stamp.event_id.to_string(),
            contract_hash: offer.contract_hash.to_string(),
        });
        Some(Row {
            agent: text(agent),
            capability: text(self.state.names.text(row.capability)),
            version: text(self.state.names.text(row.version)),
            event_id: stamp.event_id.to_string(),
            contract_hash: offer.contract_hash.to_string(),
            conflicts: conflicts.collect(),
            deprecated: mark,
            healthy: self.is_healthy(row.agent),
            priority: *priority,
            weight: weight.0.clone(),
            tags: tags.iter().flat_map(|tags| list(tags)).collect(),
            latency_class: latency_class.as_deref().map(text),
            side_effects: offer.side_effects.map(text),
            determinism_class: offer.determinism.map(text),
            required_roles: list(&offer.required_roles),
            required_scopes: list(&offer.required_scopes),
        })
    }
}
