//! The limit on how often types repeat parts of a schema.
//!
//! Each branch of a union repeats the assertions next to the union, and each place that combines a definition with
//! other schemas repeats the definition. The output could be as large as the square of the contract, so parts may be
//! repeated up to a multiple of the size of the schema. Types beyond it are widened.
//!
//! Small schemas need more than that, and a contract can have many of them. So each schema takes its additional amount
//! from one that all schemas of the contract [share](Shared).

use std::collections::{HashMap, HashSet};

use capgen_schema::analysis::facets::Facets;
use capgen_schema::{Assertions, Json, Kind, NodeId, Schema};

/// How often the schema may be repeated as a whole. A small number keeps the output in proportion to the contract.
const REPEATS: usize = 4;

/// How many bytes all schemas of a contract together may repeat in addition. It bounds what many small schemas, which
/// need more than a multiple of themselves, add to the output.
const SHARED_BYTES: usize = 500_000;

/// The values of longer lists are visited only if their type may repeat them.
const LONG_LIST: usize = 64;

/// How many steps the types of a schema may take for each subschema, so that the time is linear in the size of the
/// schema.
const STEPS: usize = 100;

/// How many steps all schemas of a contract together may take in addition: a small schema with many combinations needs
/// more than its share.
const SHARED_STEPS: usize = 10_000;

/// The size of a property or a value, in addition to its text.
const PART: usize = 32;

/// The amounts that the schemas of a contract share. They are lowered in source order, and each uses up its own amount
/// first. So a schema that has enough of its own does not depend on the others, and none depends on those after it.
pub(super) struct Shared {
    bytes: usize,
    steps: usize,
}

impl Shared {
    pub(super) const fn new() -> Self {
        Self { bytes: SHARED_BYTES, steps: SHARED_STEPS }
    }

    /// Calls `f` with the amounts that a schema may use: its own, and those that are shared. Returns the result, and
    /// whether the steps are used up.
    pub(super) fn lend<'a, T>(
        &mut self,
        size: &mut Size<'a>,
        steps: &mut usize,
        f: impl FnOnce(&mut Size<'a>, &mut usize) -> T,
    ) -> (T, bool) {
        let own_bytes = size.remaining;
        size.remaining = size.remaining.saturating_add(self.bytes);
        let mut all_steps = steps.saturating_add(self.steps);
        let result = f(size, &mut all_steps);
        (size.remaining, self.bytes) = settle(own_bytes, self.bytes, size.remaining);
        (*steps, self.steps) = settle(*steps, self.steps, all_steps);
        (result, all_steps == 0)
    }
}

/// The own and the shared part of the amount that is left of both together. The own part is used up first.
fn settle(own: usize, shared: usize, left: usize) -> (usize, usize) {
    let own = own.min(left.saturating_sub(shared));
    (own, left - own)
}

/// The steps of its own that a schema has.
pub(super) fn own_steps(schema: &Schema) -> usize {
    STEPS.saturating_mul(schema.nodes().count())
}

/// The bytes of its own that a schema may repeat.
pub(super) fn own_bytes(schema: &Schema) -> usize {
    REPEATS.saturating_mul(of_value(schema.source()))
}

/// What types may still repeat, in bytes of the schema.
pub(super) struct Size<'a> {
    schema: &'a Schema,
    remaining: usize,
    has_long_lists: bool,
    /// The subschemas that types contain already.
    seen: HashSet<NodeId>,
    sizes: HashMap<NodeId, usize>,
    /// Whether something would have repeated more.
    pub(super) is_exceeded: bool,
}

impl<'a> Size<'a> {
    pub(super) fn new(schema: &'a Schema) -> Self {
        let has_long_lists = schema.nodes().filter_map(|(id, _)| schema.assertions(id)).any(is_long_list);
        let remaining = own_bytes(schema);
        Self { schema, remaining, has_long_lists, seen: HashSet::new(), sizes: HashMap::new(), is_exceeded: false }
    }

    /// Whether the assertions may be repeated so many times. This does not repeat them yet.
    pub(super) fn allows(&mut self, facets: &Facets<'a>, times: usize) -> bool {
        let size: usize = facets.nodes.iter().map(|node| self.of(*node)).sum();
        let is_allowed = size.saturating_mul(times) <= self.remaining;
        self.is_exceeded |= !is_allowed;
        is_allowed
    }

    /// Takes the assertions that are repeated from the remaining size. Returns whether they may be repeated.
    pub(super) fn take(&mut self, facets: &Facets<'a>) -> bool {
        let has_room = self.has_room(facets);
        if has_room {
            self.remaining = self.remaining.saturating_sub(self.repeated(facets));
        }
        self.seen.extend(&facets.nodes);
        has_room
    }

    /// Whether the assertions that are repeated may be. This does not repeat them yet.
    pub(super) fn has_room(&mut self, facets: &Facets<'a>) -> bool {
        let has_room = self.repeated(facets) <= self.remaining;
        self.is_exceeded |= !has_room;
        has_room
    }

    fn repeated(&mut self, facets: &Facets<'a>) -> usize {
        let mut repeated = 0_usize;
        for node in &facets.nodes {
            if self.seen.contains(node) {
                repeated = repeated.saturating_add(self.of(*node));
            }
        }
        // Every property gets the `additionalProperties` of every schema that does not declare it, or its patterns.
        let rests: usize = facets
            .groups
            .iter()
            .map(|group| usize::from(group.additional_properties.is_some()) + group.pattern_properties.len())
            .sum();
        let properties: usize = facets.groups.iter().map(|group| group.properties.len()).sum();
        repeated.saturating_add(rests.saturating_sub(1).saturating_mul(properties))
    }

    /// Whether some `enum` of the schema is long.
    pub(super) fn has_long_lists(&self) -> bool {
        self.has_long_lists
    }

    /// The size of a subschema's own assertions and of the texts of its properties.
    fn of(&mut self, node: NodeId) -> usize {
        let schema = self.schema;
        *self.sizes.entry(node).or_insert_with(|| {
            let own = texts(schema, node);
            let Kind::Assertions(group) = &schema.node(node).kind else { return own };
            let properties = group.properties.iter().map(|(name, id)| name.len() + PART + texts(schema, *id));
            let required = group.required.iter().map(|name| name.len() + PART);
            let values = group.enum_values.iter().flatten().chain(&group.const_value).map(|v| of_value(v) + PART);
            let positions = group.tuple.iter().map(|id| PART + texts(schema, *id));
            own + properties.chain(required).chain(values).chain(positions).sum::<usize>()
        })
    }
}

/// Whether a place lists many values.
pub(super) fn has_long_list(facets: &Facets<'_>) -> bool {
    facets.groups.iter().any(|group| is_long_list(group))
}

fn is_long_list(group: &Assertions) -> bool {
    group.enum_values.as_ref().is_some_and(|values| values.len() > LONG_LIST)
}

/// The size of a subschema's texts.
fn texts(schema: &Schema, id: NodeId) -> usize {
    let node = schema.node(id);
    let pattern = match &node.kind {
        Kind::Assertions(group) => group.pattern.as_ref().map_or(0, |pattern| pattern.source().len()),
        Kind::Bool(_) | Kind::Ref(_) => 0,
    };
    node.annotations.description.as_ref().map_or(0, String::len) + pattern
}

/// The approximate length of the text of a value.
fn of_value(value: &Json) -> usize {
    match value {
        Json::Null | Json::Bool(_) => 4,
        Json::Number(number) => number.to_string().len(),
        Json::String(text) => text.len() + 2,
        Json::Array(items) => 2 + items.iter().map(|item| of_value(item) + 1).sum::<usize>(),
        Json::Object(members) => {
            2 + members.iter().map(|(name, value)| name.len() + 4 + of_value(value)).sum::<usize>()
        }
    }
}
