//! Which schemas cannot reach a limit of the type model, found without their types.
//!
//! Most schemas combine nothing: each subschema applies alone, or is a branch of a union that asserts nothing else.
//! Their types repeat nothing and visit every subschema a few times, so one pass over the subschemas bounds the work
//! and the depth. For all other schemas, only their types show whether they reach a limit.

use capgen_schema::{Assertions, Kind, NodeId, Schema};

use super::branch::MAX_EXCLUSIVE;
use super::size::{own_bytes, own_steps};
use super::tuple::MAX_POSITIONS;

/// How many listed values cost as much as a subschema, at least.
const VALUES_PER_STEP: usize = 8;

/// How often the facets of a place are computed at most. This and the next number are at least twice the actual ones.
const VISITS: usize = 8;

/// How often the facets of a branch, and those of a property to find out whether it is a tag, are computed at most.
const BRANCH_VISITS: usize = 12;

/// Whether the types of a schema may reach a limit. If not, they are as precise as the schema.
pub(super) fn may_reach_a_limit(schema: &Schema) -> bool {
    let mut work: usize = 0;
    let mut repeated: usize = 0;
    for (_, node) in schema.nodes() {
        let Some(cost) = cost(schema, &node.kind) else { return true };
        work = work.saturating_add(cost);
        if let Some(branches) = branches(&node.kind) {
            let description = node.annotations.description.as_ref().map_or(0, String::len);
            repeated = repeated.saturating_add(branches.len().saturating_mul(description));
        }
    }
    // A schema that needs no more than its own amounts does not depend on the other schemas of the contract. Both
    // counts of the descriptions must stay below the limit: that of all branches together, and that of each union.
    work >= own_steps(schema) || (repeated > 0 && repeated.saturating_mul(2) >= own_bytes(schema))
}

/// The steps for one subschema, at most; `None` if it may be combined with others.
fn cost(schema: &Schema, kind: &Kind) -> Option<usize> {
    let group = match kind {
        Kind::Bool(_) => return Some(VISITS),
        Kind::Ref(target) => {
            return match &schema.node(*target).kind {
                Kind::Bool(_) => Some(2 * VISITS),
                Kind::Assertions(group) => Some(VISITS * (1 + own(group))),
                // A chain of references takes a step for each of them.
                Kind::Ref(_) => None,
            };
        }
        Kind::Assertions(group) => group,
    };
    if group.tuple.len() > MAX_POSITIONS {
        return None;
    }
    let Some(branches) = branches(kind) else {
        return group.all_of.is_none().then(|| VISITS * own(group) + 2 * required(schema, group));
    };
    // Next to another assertion, a branch is a combination.
    if group.keywords().count() > 1 {
        return None;
    }
    let others = branches.len().min(MAX_EXCLUSIVE);
    let mut cost = 2 * VISITS;
    for branch in branches {
        let target = match &schema.node(*branch).kind {
            Kind::Ref(target) => &schema.node(*target).kind,
            kind => kind,
        };
        cost += 2 * BRANCH_VISITS + others;
        match target {
            Kind::Bool(_) => {}
            Kind::Assertions(group) if !is_applied(group) => {
                let names = group.properties.len() + group.required.len();
                cost += BRANCH_VISITS * own(group) + 4 * required(schema, group) + names;
            }
            // The profile of the branch depends on all that it refers to.
            Kind::Ref(_) | Kind::Assertions(_) => return None,
        }
    }
    Some(cost)
}

/// The branches of the union that a subschema consists of.
fn branches(kind: &Kind) -> Option<&[NodeId]> {
    let Kind::Assertions(group) = kind else { return None };
    group.one_of.as_deref().or(group.any_of.as_deref())
}

/// Whether other subschemas apply to the same value.
fn is_applied(group: &Assertions) -> bool {
    group.all_of.is_some() || group.any_of.is_some() || group.one_of.is_some()
}

/// The cost of the facets of a subschema without those of its properties.
fn own(group: &Assertions) -> usize {
    1 + group.enum_values.as_ref().map_or(0, Vec::len).div_ceil(VALUES_PER_STEP)
}

/// The cost of the facets of the required properties, at most.
fn required(schema: &Schema, group: &Assertions) -> usize {
    let property = |id: NodeId| match &schema.node(schema.resolve(id)).kind {
        Kind::Assertions(group) => 1 + own(group),
        Kind::Bool(_) | Kind::Ref(_) => 2,
    };
    if group.required.is_empty() { 0 } else { group.properties.iter().map(|(_, id)| property(*id)).sum() }
}
