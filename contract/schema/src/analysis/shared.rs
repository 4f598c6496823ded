//! Which definitions one place of a payload can reach more than once.
//!
//! If `allOf: [b, c]` leads to one definition through `b` and again through `c`, it is evaluated twice for one place;
//! if that definition does the same, four times, and so on. To keep the cost within the size of the schema times that
//! of the payload, an engine remembers the results of such definitions.

use std::collections::{HashMap, HashSet};

use super::branches;
use super::graph::{Graph, Label};
use crate::{Assertions, Kind, NodeId, Schema};

/// A subschema that may be evaluated more often at one place has to remember its result. It bounds the time for a
/// value; below it, evaluating again costs less than the table of results.
const MAX_REPEATS: u64 = 64;

/// The subschemas that one place of a payload may reach more than once. They are members of `definitions` and not
/// references.
///
/// Linear in the size of the schema.
pub fn nodes(schema: &Schema) -> Vec<NodeId> {
    let is_object = |id: &NodeId| matches!(schema.node(*id).kind, Kind::Assertions(_));
    let shared = schema.nodes().zip(reached_twice(schema)).filter(|(_, is_shared)| *is_shared);
    shared.map(|((id, _), _)| id).filter(is_object).collect()
}

/// Whether one place may reach each node more than once; indexed as [`Schema::nodes`] counts.
///
/// Two paths to one node for one place part at a node that applies several subschemas at once, and meet at a node that
/// has several references. That condition is necessary but not sufficient, so some nodes are marked that are reached
/// only once.
pub(crate) fn reached_twice(schema: &Schema) -> Vec<bool> {
    let count = schema.nodes().count();
    let mut references = vec![0_u32; count];
    let mut forked = vec![false; count];
    let mut open = Vec::new();
    for (id, node) in schema.nodes() {
        if matches!(node.kind, Kind::Ref(_)) {
            let target = schema.resolve(id).0 as usize;
            references.get_mut(target).into_iter().for_each(|count| *count = count.saturating_add(1));
        }
        let below = if let Kind::Assertions(group) = &node.kind { paths_below(group, |_| true) } else { 0 };
        if node.kind.in_place().count() + below > 1 {
            open.push(id);
        }
    }
    while let Some(id) = open.pop() {
        match forked.get_mut(id.0 as usize) {
            Some(seen) if !*seen => *seen = true,
            _ => continue,
        }
        open.extend(schema.node(id).kind.children());
    }
    references.into_iter().zip(forked).map(|(count, forked)| count > 1 && forked).collect()
}

/// The [shared nodes](nodes) that a validator without any memoized would evaluate so often at one place that it has to
/// remember the result: more than 64 times, or exponentially often in the depth of the payload.
///
/// Linear in the size of the schema, but for the size of the maps that count by property name.
pub fn memoized(graph: &Graph<'_>) -> HashSet<NodeId> {
    let shared: HashSet<NodeId> = nodes(graph.schema()).into_iter().collect();
    let mut memoized = HashSet::new();
    // How often each may be asked at one place: in place, and by label from above.
    let mut asked: Vec<(u64, HashMap<Label<'_>, u64>)> = vec![(0, HashMap::new()); graph.vertices().len()];
    for (number, component) in graph.components().iter().enumerate().rev() {
        let of_member = |at: &usize| asked.get(*at).map_or(0, |(in_place, labels)| times(*in_place, labels));
        let total = component.iter().map(of_member).fold(0, u64::saturating_add).max(1);
        let forks = component.iter().any(|at| forks(graph, *at, number));
        for &at in component {
            let Some(vertex) = graph.vertices().get(at) else { continue };
            let is_leaf = vertex.in_place.is_empty() && vertex.below.is_empty();
            let remembers = shared.contains(&vertex.id) && !is_leaf && (forks || total > MAX_REPEATS);
            if remembers {
                memoized.insert(vertex.id);
            }
            let times = if remembers { 1 } else { total };
            for &target in &vertex.in_place {
                if let Some((in_place, _)) = asked.get_mut(target) {
                    *in_place = in_place.saturating_add(times);
                }
            }
            for &(label, target) in &vertex.below {
                if let Some((_, labels)) = asked.get_mut(target) {
                    let sum = labels.entry(label).or_default();
                    *sum = sum.saturating_add(times);
                }
            }
        }
    }
    memoized
}

fn times(in_place: u64, labels: &HashMap<Label<'_>, u64>) -> u64 {
    // What applies to any property also applies to each of those with a name, and the same goes for items.
    let (mut properties, mut items) = (0_u64, 0_u64);
    for (label, times) in labels {
        match label {
            Label::Property(_) => properties = properties.max(*times),
            Label::Item(_) => items = items.max(*times),
            Label::Additional | Label::Items => {}
        }
    }
    let any = |label| labels.get(&label).copied().unwrap_or(0);
    let properties = properties.saturating_add(any(Label::Additional));
    in_place.saturating_add(properties.max(items.saturating_add(any(Label::Items))))
}

/// Whether two ways part here that stay in the component and apply to one place.
fn forks(graph: &Graph<'_>, at: usize, component: usize) -> bool {
    let Some(vertex) = graph.vertices().get(at) else { return false };
    let Kind::Assertions(a) = &vertex.node.kind else { return false };
    let is_inside = |target: usize| graph.vertices().get(target).is_some_and(|v| v.component == component);
    let stays = |id: &NodeId| graph.position(*id).is_some_and(is_inside);
    let of_union = |branches: &Option<Vec<NodeId>>| {
        let Some(branches) = branches else { return 0 };
        let staying = branches.iter().filter(|id| stays(id)).count();
        if branches::are_exclusive(graph.schema(), branches) { staying.min(1) } else { staying }
    };
    let all = a.all_of.iter().flatten().filter(|id| stays(id)).count();
    let not = usize::from(a.not.as_ref().is_some_and(stays));
    // One of `then` and `else` applies.
    let condition = usize::from(a.if_.as_ref().is_some_and(stays));
    let condition = condition + usize::from(a.then.iter().chain(&a.else_).any(stays));
    of_union(&a.any_of) + of_union(&a.one_of) + all + not + condition + paths_below(a, stays) > 1
}

/// How many of the subschemas that are counted can apply to one property or to one item.
fn paths_below(a: &Assertions, counts: impl Fn(&NodeId) -> bool) -> usize {
    let patterns = a.pattern_properties.iter().filter(|(_, id)| counts(id)).count();
    let mut others = a.properties.iter().map(|(_, id)| id).chain(&a.additional_properties);
    let members = patterns + usize::from(others.any(&counts));
    let mut items = a.items.iter().chain(&a.tuple).chain(&a.additional_items);
    let items = usize::from(items.any(&counts)) + usize::from(a.contains.as_ref().is_some_and(&counts));
    members.max(items)
}
