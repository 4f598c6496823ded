//! Which schemas cannot have types that are nested too deeply, found without their types.

use capgen_schema::analysis::components::components;
use capgen_schema::{Kind, Schema};

use super::depth::{BOX, MAP, MAX_HEIGHT, OPTION, VEC};

/// The steps of the definitions that a place can get: an alias of `T | null`, `T` itself, and a variant of a list of
/// types.
const OWN: usize = 3;

/// Whether the types of a schema may be nested too deeply.
pub(super) fn may_be_too_high(schema: &Schema) -> bool {
    height(schema) > MAX_HEIGHT
}

/// The steps of the most deeply nested type, at most. References lead to the same definition from every place, so this
/// follows the graph of the subschemas.
fn height(schema: &Schema) -> usize {
    let edges: Vec<Vec<(usize, usize)>> = schema.nodes().map(|(_, node)| edges(&node.kind)).collect();
    let successors: Vec<Vec<usize>> = edges.iter().map(|edges| edges.iter().map(|(to, _)| *to).collect()).collect();
    let numbers = components(&successors);
    let component = |at: usize| numbers.get(at).copied().unwrap_or(0);
    let mut members: Vec<usize> = (0..edges.len()).collect();
    // A component comes after those that it leads to.
    members.sort_by_key(|at| component(*at));
    let mut heights: Vec<usize> = Vec::new();
    for cycle in members.chunk_by(|a, b| component(*a) == component(*b)) {
        // In a cycle, rustc visits each definition once.
        let (mut inside, mut outside) = (0, 0);
        for at in cycle {
            let mut most = 0;
            for &(to, steps) in edges.get(*at).into_iter().flatten() {
                if component(to) == component(*at) {
                    most = most.max(steps + BOX);
                } else {
                    outside = outside.max(steps + heights.get(component(to)).copied().unwrap_or(0));
                }
            }
            inside += most;
        }
        heights.push(inside + outside);
    }
    1 + OWN + heights.into_iter().max().unwrap_or(0)
}

/// The subschemas that a subschema leads to, with the steps of the layers between their types.
fn edges(kind: &Kind) -> Vec<(usize, usize)> {
    let nullable = OWN + OPTION;
    let Kind::Assertions(group) = kind else { return kind.in_place().map(|to| (to.index(), nullable)).collect() };
    let properties = group.properties.iter().map(|(_, to)| (to.index(), nullable + OPTION));
    let rest = group.additional_properties.iter().map(|to| (to.index(), nullable + MAP));
    let patterns = group.pattern_properties.iter().map(|(_, to)| (to.index(), nullable + OPTION));
    let rest = rest.chain(patterns);
    let items =
        group.items.iter().chain(&group.tuple).chain(&group.additional_items).map(|to| (to.index(), nullable + VEC));
    let branches = group.any_of.iter().chain(&group.one_of).flatten().map(|to| (to.index(), nullable));
    properties.chain(rest).chain(items).chain(branches).collect()
}
