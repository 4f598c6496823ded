//! The walk over a schema that both sides of a comparison share. A path has `*` for the items of arrays and undeclared
//! properties.

use capgen_schema::{Assertions, Kind, NodeId, Schema, pointer};

/// The most places of a schema that are compared. With more, nothing is listed. Usual schemas have hundreds;
/// definitions that refer to each other can have exponentially many.
const MAX_PLACES: usize = 10_000;

/// Calls `visit` for the root and for each subschema that `visit` returns, with its path. Recursive schemas are
/// followed once. `None` if there are too many places.
pub(super) fn walk<'s>(
    schema: &'s Schema,
    mut visit: impl FnMut(NodeId, &'s Assertions, &str) -> Vec<(NodeId, String)>,
) -> Option<()> {
    // Each place, with the subschemas around it.
    let mut open: Vec<(NodeId, String, Vec<NodeId>)> = vec![(schema.root(), String::new(), Vec::new())];
    let mut visited = 0;
    while let Some((id, path, mut within)) = open.pop() {
        let id = schema.resolve(id);
        visited += 1;
        if visited > MAX_PLACES {
            return None;
        }
        let Kind::Assertions(group) = &schema.node(id).kind else { continue };
        if within.contains(&id) {
            continue;
        }
        within.push(id);
        open.extend(visit(id, group, &path).into_iter().map(|(child, path)| (child, path, within.clone())));
    }
    Some(())
}

/// The subschemas of properties with their paths, and those of items and undeclared properties, which are not
/// properties themselves.
pub(super) fn below(schema: &Schema, group: &Assertions, path: &str) -> Vec<(NodeId, String, bool)> {
    // A property that no object may have is not known.
    let is_possible = |id: NodeId| !matches!(schema.node(schema.resolve(id)).kind, Kind::Bool(false));
    let properties = group.properties.iter().filter(|(_, id)| is_possible(*id));
    let properties = properties.map(|(name, id)| (*id, pointer::join(path, name), true));
    let patterns = group.pattern_properties.iter().map(|(_, id)| *id);
    let items = group.items.into_iter().chain(group.tuple.iter().copied()).chain(group.additional_items);
    let items = items.chain(group.contains);
    let others = items.chain(patterns).chain(group.additional_properties);
    properties.chain(others.map(|id| (id, format!("{path}/*"), false))).collect()
}

/// The subschemas for the same value, except for `not` and `if`.
pub(super) fn in_place(schema: &Schema, id: NodeId, group: &Assertions) -> impl Iterator<Item = NodeId> {
    schema.node(id).kind.in_place().filter(|child| Some(*child) != group.not && Some(*child) != group.if_)
}
