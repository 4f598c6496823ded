//! What is decided of a schema before it is printed: functions, memory, depth.

use std::collections::{HashMap, HashSet};

use capgen_schema::{Json, Kind, NodeId, Schema, Type, TypeSet};

use super::graph::{Graph, Label};
use super::union;

/// Payloads are nested no deeper.
pub(super) const MAX_DEPTH: u32 = 128;
/// A subschema whose verdict on one place may be asked for more often remembers it.
const MAX_REPEATS: u64 = 64;
const UNBOUNDED: u32 = u32::MAX;

pub(super) struct Plan<'s> {
    pub(super) graph: Graph<'s>,
    /// Those that remember their verdicts.
    pub(super) memory: HashSet<NodeId>,
    /// Whether the schema alone does not keep payloads from being too deep.
    pub(super) is_deep: bool,
    /// Whether what the schema declares may itself be too deep.
    pub(super) is_guarded: bool,
}

impl<'s> Plan<'s> {
    pub(super) fn new(schema: &'s Schema) -> Self {
        let graph = Graph::new(schema);
        let memory = memory(&graph);
        let is_deep = bounds(&graph) > MAX_DEPTH;
        let is_guarded = is_deep && heights(&graph) > MAX_DEPTH;
        Plan { graph, memory, is_deep, is_guarded }
    }

    /// Whether a subschema is checked by a function of its own wherever it is asked.
    pub(super) fn is_function(&self, id: NodeId) -> bool {
        // Every way back to a subschema leads through a reference.
        self.graph.find(id).is_some_and(|vertex| vertex.references > usize::from(!vertex.is_recursive))
    }
}

/// How deep a payload may be that the root accepts, as far as the schema tells at a look.
fn bounds(graph: &Graph<'_>) -> u32 {
    let mut bounds = vec![UNBOUNDED; graph.vertices.len()];
    for &at in graph.components.iter().flatten() {
        let Some(vertex) = graph.vertices.get(at) else { continue };
        if vertex.is_recursive {
            continue;
        }
        let of = |id: &NodeId| graph.position(*id).and_then(|at| bounds.get(at)).copied().unwrap_or(UNBOUNDED);
        let bound = match &vertex.node.kind {
            Kind::Assertions(a) => {
                let values = a.const_value.as_ref().map(std::slice::from_ref).or(a.enum_values.as_deref());
                let unions = [&a.any_of, &a.one_of].into_iter().flatten();
                let unions = unions.map(|branches| branches.iter().map(of).max().unwrap_or(0));
                let all = a.all_of.iter().flatten().map(of);
                let values = values.map(|values| values.iter().map(depth).max().unwrap_or(0));
                let structure = own_bound(a, &of);
                unions.chain(all).chain(values).chain([structure]).min().unwrap_or(UNBOUNDED)
            }
            Kind::Bool(false) => 0,
            Kind::Bool(true) | Kind::Ref(_) => UNBOUNDED,
        };
        if let Some(slot) = bounds.get_mut(at) {
            *slot = bound;
        }
    }
    graph.position(graph.schema.root()).and_then(|at| bounds.get(at)).copied().unwrap_or(UNBOUNDED)
}

fn own_bound(a: &capgen_schema::Assertions, of: &impl Fn(&NodeId) -> u32) -> u32 {
    let types = a.types.unwrap_or(TypeSet::ALL);
    let mut bound = 0;
    if types.contains(Type::Array) {
        bound = bound.max(a.items.as_ref().map_or(UNBOUNDED, |items| of(items).saturating_add(1)));
    }
    if types.contains(Type::Object) {
        let members = a.properties.iter().map(|(_, id)| of(id)).max().unwrap_or(0);
        let rest = a.additional_properties.as_ref().map_or(UNBOUNDED, of);
        bound = bound.max(members.max(rest).saturating_add(1));
    }
    bound
}

fn depth(value: &Json) -> u32 {
    match value {
        Json::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Json::Object(members) => 1 + members.iter().map(|(_, value)| depth(value)).max().unwrap_or(0),
        _ => 0,
    }
}

/// How deep what the schema declares may be.
fn heights(graph: &Graph<'_>) -> u32 {
    let mut heights = vec![0u32; graph.vertices.len()];
    for &at in graph.components.iter().flatten() {
        let Some(vertex) = graph.vertices.get(at) else { continue };
        let of = |at: &usize| heights.get(*at).copied().unwrap_or(0);
        let below = vertex.below.iter().map(|(_, target)| of(target).saturating_add(1));
        let height = if vertex.is_recursive {
            UNBOUNDED
        } else {
            vertex.in_place.iter().map(of).chain(below).max().unwrap_or(0)
        };
        if let Some(slot) = heights.get_mut(at) {
            *slot = height;
        }
    }
    graph.position(graph.schema.root()).and_then(|at| heights.get(at)).copied().unwrap_or(0)
}

/// The subschemas that one place may ask for so often that it is worth remembering what they said: in a loop that forks,
/// that is exponential in the depth of the payload, and elsewhere in the number of definitions.
fn memory(graph: &Graph<'_>) -> HashSet<NodeId> {
    let shared: HashSet<NodeId> = graph.schema.shared().into_iter().collect();
    let mut memory = HashSet::new();
    // How often each may be asked at one place: in place, and by label from above.
    let mut asked: Vec<(u64, HashMap<Label<'_>, u64>)> = vec![(0, HashMap::new()); graph.vertices.len()];
    for (number, component) in graph.components.iter().enumerate().rev() {
        let of_member = |at: &usize| asked.get(*at).map_or(0, |(in_place, labels)| times(*in_place, labels));
        let total = component.iter().map(of_member).fold(0, u64::saturating_add).max(1);
        let forks = component.iter().any(|at| forks(graph, *at, number));
        for &at in component {
            let Some(vertex) = graph.vertices.get(at) else { continue };
            let is_leaf = vertex.in_place.is_empty() && vertex.below.is_empty();
            let remembers = shared.contains(&vertex.id) && !is_leaf && (forks || total > MAX_REPEATS);
            if remembers {
                memory.insert(vertex.id);
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
    memory
}

fn times(in_place: u64, labels: &HashMap<Label<'_>, u64>) -> u64 {
    let any = labels.get(&Label::Additional).copied().unwrap_or(0);
    let named = labels.iter().filter(|(label, _)| **label != Label::Additional).map(|(_, times)| *times).max();
    in_place.saturating_add(any).saturating_add(named.unwrap_or(0))
}

/// Whether two ways part here that stay in the component and apply to one place.
fn forks(graph: &Graph<'_>, at: usize, component: usize) -> bool {
    let Some(vertex) = graph.vertices.get(at) else { return false };
    let Kind::Assertions(a) = &vertex.node.kind else { return false };
    let is_inside = |target: usize| graph.vertices.get(target).is_some_and(|v| v.component == component);
    let stays = |id: &NodeId| graph.position(*id).is_some_and(is_inside);
    let of_union = |branches: &Option<Vec<NodeId>>| {
        let Some(branches) = branches else { return 0 };
        let staying = branches.iter().filter(|id| stays(id)).count();
        if union::is_exclusive(graph.schema, branches) { staying.min(1) } else { staying }
    };
    let all = a.all_of.iter().flatten().filter(|id| stays(id)).count();
    let not = usize::from(a.not.as_ref().is_some_and(stays));
    let below = usize::from(vertex.below.iter().any(|(_, target)| is_inside(*target)));
    of_union(&a.any_of) + of_union(&a.one_of) + all + not + below > 1
}
