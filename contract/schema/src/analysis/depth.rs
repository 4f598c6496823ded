//! How deeply payloads are nested.

use super::graph::Graph;
use crate::{Assertions, Json, Kind, NodeId, Type, TypeSet};

/// The depth if there is no bound. Adding a level to it does not change it.
const UNBOUNDED: u32 = u32::MAX;

/// An upper bound on the depth of the payloads that the root accepts, in levels of arrays and objects; `None` without
/// a bound, or if it cannot be proved locally.
///
/// Linear in the size of the schema.
pub fn accepted(graph: &Graph<'_>) -> Option<u32> {
    let mut bounds = vec![UNBOUNDED; graph.vertices().len()];
    for &at in graph.components().iter().flatten() {
        let Some(vertex) = graph.vertices().get(at) else { continue };
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
    at_root(graph, &bounds)
}

fn own_bound(a: &Assertions, of: &impl Fn(&NodeId) -> u32) -> u32 {
    let types = a.types.unwrap_or(TypeSet::ALL);
    let mut bound = 0;
    if types.contains(Type::Array) {
        let rest = a.items.as_ref().or(a.additional_items.as_ref()).map_or(UNBOUNDED, of);
        let positions = a.tuple.iter().map(of).max().unwrap_or(0);
        bound = bound.max(rest.max(positions).saturating_add(1));
    }
    if types.contains(Type::Object) {
        let members = a.properties.iter().map(|(_, id)| of(id)).max().unwrap_or(0);
        let rest = a.additional_properties.as_ref().map_or(UNBOUNDED, of);
        let patterns = a.pattern_properties.iter().map(|(_, id)| of(id)).max().unwrap_or(0);
        bound = bound.max(members.max(rest).max(patterns).saturating_add(1));
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

/// The number of levels of arrays and objects that the schema itself describes; `None` if it is recursive.
///
/// Unlike [`accepted`], this ignores values to which no subschema applies: validation without a check of depth does not
/// recurse deeper than this. Linear in the size of the schema.
pub fn declared(graph: &Graph<'_>) -> Option<u32> {
    let mut heights = vec![0u32; graph.vertices().len()];
    for &at in graph.components().iter().flatten() {
        let Some(vertex) = graph.vertices().get(at) else { continue };
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
    at_root(graph, &heights)
}

fn at_root(graph: &Graph<'_>, depths: &[u32]) -> Option<u32> {
    let root = graph.position(graph.schema().root());
    root.and_then(|at| depths.get(at)).copied().filter(|depth| *depth != UNBOUNDED)
}
