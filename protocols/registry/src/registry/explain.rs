//! The choice of a target with its reasons (formats page, "Explanation").

use serde::Serialize;
use serde_json::Number;

use super::effective::Registered;
use super::resolve::is_allowed;
use super::{Row, Unresolved, View, rank};
use crate::Requirement;
use crate::access::Access;
use crate::canonical::hash_of;

/// The question that an explanation answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Question {
    /// The id of the capability.
    pub capability: String,
    /// The requirement as text.
    pub requirement: String,
    /// The roles of the caller, sorted.
    pub roles: Vec<String>,
    /// The scopes of the caller, sorted.
    pub scopes: Vec<String>,
    /// The caller, if it is known.
    pub caller: Option<String>,
}

/// Why a target was chosen, or none. Equal states and questions have equal explanations.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Explanation {
    /// The question.
    pub question: Question,
    /// The registry hash of the state.
    pub registry_hash: String,
    /// The hash of the configuration.
    pub config_hash: String,
    /// The hash of the grants.
    pub policy_hash: String,
    /// Each filter, up to the one that left nothing.
    pub filters: Vec<FilterStep>,
    /// The candidates that passed all filters, the best first.
    pub ranking: Vec<RankedRow>,
    /// The step that decided.
    pub decided_by: DecidedBy,
    /// Why there is no target.
    pub reason: Option<&'static str>,
    /// Whether the target is deprecated.
    pub deprecated: bool,
}

/// A filter, and the candidates that it removed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FilterStep {
    /// The filter.
    pub filter: Filter,
    /// The number of candidates that it left.
    pub left: usize,
    /// The candidates that it removed, in the order of queries. Empty for the filter by id.
    pub removed: Vec<Removed>,
}

/// A filter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Filter {
    /// Registrations of the capability.
    Id,
    /// Versions that satisfy the requirement.
    Version,
    /// Agents that are healthy.
    Health,
    /// Registrations whose roles and scopes the caller has.
    Access,
    /// Versions that are not deprecated, if there are any.
    Deprecation,
}

/// A candidate that a filter removed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Removed {
    /// The agent.
    pub agent: String,
    /// The version.
    pub version: String,
    /// The id of the registration.
    pub event_id: String,
}

/// A candidate that passed all filters.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RankedRow {
    /// The agent.
    pub agent: String,
    /// The version.
    pub version: String,
    /// The id of the registration.
    pub event_id: String,
    /// The priority after the cap.
    pub priority: i64,
    /// The weight.
    pub weight: Number,
}

/// The step that decided: of two or more candidates, the rank step in which the first two differ; of one, the last
/// filter that removed another; of none, the filter that removed the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "these are the names of filters and of the properties that rank")]
pub enum DecidedBy {
    Id,
    Version,
    Health,
    Access,
    Deprecation,
    Priority,
    Weight,
    RegistrationOrder,
    Agent,
}

impl From<Filter> for DecidedBy {
    fn from(filter: Filter) -> Self {
        match filter {
            Filter::Id => Self::Id,
            Filter::Version => Self::Version,
            Filter::Health => Self::Health,
            Filter::Access => Self::Access,
            Filter::Deprecation => Self::Deprecation,
        }
    }
}

impl Question {
    /// The question of a caller with these roles and scopes.
    #[must_use]
    pub fn new(capability: &str, requirement: &Requirement, access: &Access, caller: Option<&str>) -> Self {
        Self {
            capability: capability.to_owned(),
            requirement: requirement.as_str().to_owned(),
            roles: access.roles.iter().cloned().collect(),
            scopes: access.scopes.iter().cloned().collect(),
            caller: caller.map(str::to_owned),
        }
    }
}

impl Explanation {
    /// The hash of the explanation in lower-case hexadecimal, which the kernel's events contain as `resolution_hash`.
    #[must_use]
    pub fn hash(&self) -> String {
        hash_of(&serde_json::to_value(self).unwrap_or_default()).to_string()
    }
}

impl<'r> View<'r> {
    /// Chooses the target for a caller as [`resolve`](Self::resolve) does, and reports for every candidate the step
    /// that removed it. Takes time O(n log n) in the number of registrations of the capability.
    #[must_use]
    pub fn explain(
        &self,
        capability: &str,
        requirement: &Requirement,
        access: &Access,
        caller: Option<&str>,
    ) -> (Option<Row>, Explanation) {
        let (target, explanation) = self.choose(capability, requirement, access, caller);
        (target.and_then(|target| self.row(target.id)), explanation)
    }

    /// The choice of [`explain`](Self::explain), with the whole registration.
    pub(crate) fn choose(
        &self,
        capability: &str,
        requirement: &Requirement,
        access: &Access,
        caller: Option<&str>,
    ) -> (Option<Registered<'r>>, Explanation) {
        let mut left = self.candidates(capability);
        let mut steps = vec![FilterStep { filter: Filter::Id, left: left.len(), removed: Vec::new() }];
        let filters: [(Filter, Condition<'_>); 3] = [
            (Filter::Version, &|candidate| requirement.matches(&candidate.offer.version)),
            (Filter::Health, &|candidate| self.is_healthy(candidate.row.agent)),
            (Filter::Access, &|candidate| is_allowed(candidate.offer, access)),
        ];
        for (filter, passes) in filters {
            if !left.is_empty() {
                steps.push(apply(filter, &mut left, passes));
            }
        }
        if !left.is_empty() {
            let is_current = |candidate: &Registered<'_>| candidate.effective.deprecated.is_none();
            let has_current = left.iter().any(is_current);
            steps.push(apply(Filter::Deprecation, &mut left, &|candidate| !has_current || is_current(candidate)));
        }
        let decided_by = decided_by(&mut left, &steps);
        let reason = if left.is_empty() { steps.last().map(|step| unresolved(step.filter).as_str()) } else { None };
        let target = left.first().copied();
        let explanation = Explanation {
            question: Question::new(capability, requirement, access, caller),
            registry_hash: self.registry_hash(),
            config_hash: self.config.hash().to_string(),
            policy_hash: self.config.policy_hash().to_string(),
            filters: steps,
            ranking: left.iter().map(ranked).collect(),
            decided_by,
            reason,
            deprecated: target.is_some_and(|target| target.effective.deprecated.is_some()),
        };
        (target, explanation)
    }

    /// The registrations of a capability, in the order of queries.
    fn candidates(&self, capability: &str) -> Vec<Registered<'r>> {
        let view = *self;
        view.in_order(view.ranked(capability).to_vec()).into_iter().filter_map(|id| view.registered(id)).collect()
    }
}

type Condition<'f> = &'f dyn Fn(&Registered<'_>) -> bool;

fn apply(filter: Filter, left: &mut Vec<Registered<'_>>, passes: Condition<'_>) -> FilterStep {
    let removed = left.iter().filter(|candidate| !passes(candidate)).map(|candidate| Removed {
        agent: candidate.agent.to_owned(),
        version: candidate.offer.version.to_string(),
        event_id: candidate.stamp.event_id.to_string(),
    });
    let removed = removed.collect();
    left.retain(|candidate| passes(candidate));
    FilterStep { filter, left: left.len(), removed }
}

/// Sorts the candidates, the best first, and finds the step that decided.
fn decided_by(left: &mut [Registered<'_>], steps: &[FilterStep]) -> DecidedBy {
    left.sort_by(|one, other| rank::compare(one, other).0);
    let last = |is_decisive: &dyn Fn(&FilterStep) -> bool| steps.iter().rev().find(|step| is_decisive(step));
    match left {
        [one, other, ..] => rank::compare(one, other).1,
        [_] => last(&|step| !step.removed.is_empty()).map_or(DecidedBy::Id, |step| step.filter.into()),
        [] => last(&|_| true).map_or(DecidedBy::Id, |step| step.filter.into()),
    }
}

fn unresolved(filter: Filter) -> Unresolved {
    match filter {
        Filter::Id => Unresolved::NotFound,
        Filter::Version => Unresolved::NoCompatibleVersion,
        Filter::Health => Unresolved::Unhealthy,
        Filter::Access | Filter::Deprecation => Unresolved::AccessDenied,
    }
}

fn ranked(candidate: &Registered<'_>) -> RankedRow {
    RankedRow {
        agent: candidate.agent.to_owned(),
        version: candidate.offer.version.to_string(),
        event_id: candidate.stamp.event_id.to_string(),
        priority: candidate.effective.priority,
        weight: candidate.effective.weight.0.clone(),
    }
}
