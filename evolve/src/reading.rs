//! The readings of a schema: the payloads that a sender may send.

use std::collections::BTreeSet;

use capgen_schema::{Json, Kind, NodeId, Schema, Type, TypeSet};

/// The senders that are assumed. It decides which payloads of the sender's schema count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Assume {
    /// Any program that follows the schema. It may send undeclared properties in an open object.
    #[default]
    AnyPeer,
    /// A program built with generated types. Their writers send declared properties only, so a new optional property of an open object
    /// breaks nothing.
    CapgenPeer,
}

impl Assume {
    /// Both readings.
    pub const ALL: [Assume; 2] = [Assume::AnyPeer, Assume::CapgenPeer];

    /// `any-peer` or `capgen-peer`.
    pub const fn name(self) -> &'static str {
        match self {
            Assume::AnyPeer => "any-peer",
            Assume::CapgenPeer => "capgen-peer",
        }
    }

    /// The schema of the payloads that such a sender sends. Every one of them conforms to the result, but the result may accept more.
    pub(crate) fn sent(self, schema: &Schema) -> Option<Schema> {
        if self == Assume::AnyPeer {
            return None;
        }
        let records = Records::of(schema);
        if records.is_empty() {
            return None;
        }
        let mut source = schema.source().clone();
        for pointer in records {
            close(&mut source, &pointer);
        }
        Schema::parse(&source).ok()
    }
}

fn close(source: &mut Json, pointer: &str) {
    if let Some(Json::Object(members)) = source.pointer_mut(pointer) {
        members.set("additionalProperties", Some(Json::Bool(false)));
    }
}

/// Finds the open objects whose generated type has exactly their `properties` as fields.
struct Records<'s> {
    schema: &'s Schema,
    records: BTreeSet<NodeId>,
    /// Subschemas that are combined with others at the same place: a type may have fields of several of them.
    combined: BTreeSet<NodeId>,
    visited: BTreeSet<(NodeId, bool)>,
}

impl<'s> Records<'s> {
    /// The pointers of those objects.
    fn of(schema: &'s Schema) -> Vec<String> {
        let mut records =
            Self { schema, records: BTreeSet::new(), combined: BTreeSet::new(), visited: BTreeSet::new() };
        // An explicit stack: schemas are nested at most 64 levels deep, but references make chains of any length.
        let mut open = vec![(schema.root(), false)];
        while let Some((id, is_combined)) = open.pop() {
            records.visit(schema.resolve(id), is_combined, &mut open);
        }
        let alone = records.records.difference(&records.combined);
        alone.map(|id| schema.node(*id).pointer.clone()).collect()
    }

    fn visit(&mut self, id: NodeId, is_combined: bool, open: &mut Vec<(NodeId, bool)>) {
        if !self.visited.insert((id, is_combined)) {
            return;
        }
        let node = self.schema.node(id);
        let Kind::Assertions(group) = &node.kind else { return };
        let others = || node.kind.in_place().filter(|child| Some(*child) != group.not);
        let has_properties = !group.properties.is_empty();
        // Fields may come from several subschemas if one of them is next to `properties`, or if there are several in `allOf`.
        let combines = group.all_of.is_some() || has_properties && others().any(|child| self.declares(child));
        let is_combined = is_combined || combines;
        let is_object = group.types == Some(TypeSet::EMPTY.with(Type::Object));
        let is_open = group
            .additional_properties
            .is_none_or(|rest| matches!(self.schema.node(self.schema.resolve(rest)).kind, Kind::Bool(true)));
        if is_combined {
            self.combined.insert(id);
        } else if is_object && is_open && has_properties {
            self.records.insert(id);
        }
        open.extend(others().map(|child| (child, is_combined)));
        open.extend(group.not.map(|child| (child, true)));
        open.extend(node.kind.below().map(|child| (child, is_combined)));
    }

    /// Whether a subschema declares properties of the value itself.
    fn declares(&self, id: NodeId) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let node = self.schema.node(id);
            if let Kind::Assertions(group) = &node.kind
                && !group.properties.is_empty()
            {
                return true;
            }
            if seen.insert(id) {
                open.extend(node.kind.in_place());
            }
        }
        false
    }
}
