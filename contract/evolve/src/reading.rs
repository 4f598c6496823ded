//! The readings of a schema: the payloads that a sender may send.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use capgen_manifest::{Assume, Capability, Side};
use capgen_schema::analysis::branches::tags;
use capgen_schema::{Assertions, Json, Kind, NodeId, Schema, Type, TypeSet};

/// A sender of payloads: the capabilities of the contract that it was built with.
#[derive(Debug)]
pub struct Sender<'c> {
    capabilities: &'c [Capability],
    /// The definitions whose types keep undeclared properties in some schema of the contract: by name and text, as
    /// generated code shares the type of equal definitions.
    kept: OnceCell<BTreeSet<(String, String)>>,
}

impl<'c> Sender<'c> {
    /// The sender whose contract has these capabilities.
    pub fn new(capabilities: &'c [Capability]) -> Self {
        Self { capabilities, kept: OnceCell::new() }
    }

    /// The schema of the payloads that the sender sends under an assumption, for a schema of its contract: every such
    /// payload conforms to it, but it may accept more. `None` if it is `schema` itself.
    ///
    /// An open object counts as closed only if its generated type certainly has its `properties` as fields and no
    /// others. Objects that are combined with others, by `allOf` or next to a union that declares properties, stay
    /// open, and so do those on which `not`, `uniqueItems` or a union without a tag depends. Takes time linear in the
    /// size of the schema; the first call takes time linear in the size of the contract.
    pub fn sent(&self, assume: Assume, schema: &Schema) -> Option<Schema> {
        if assume == Assume::AnyPeer {
            return None;
        }
        let records = Records::of(schema);
        let has_definition = records.in_definitions(schema);
        let kept = if has_definition { Some(self.kept.get_or_init(|| self.kept_definitions())) } else { None };
        let pointers = records.pointers(schema, kept);
        if pointers.is_empty() {
            return None;
        }
        let mut source = schema.source().clone();
        for pointer in pointers {
            close(&mut source, &pointer);
        }
        Schema::parse(&source).ok()
    }

    fn kept_definitions(&self) -> BTreeSet<(String, String)> {
        let schemas = self.capabilities.iter().flat_map(|capability| Side::ALL.map(|side| capability.schema(side)));
        let mut kept = BTreeSet::new();
        for schema in schemas.flatten() {
            let records = Records::of(schema);
            for (index, (name, id)) in schema.definitions().iter().enumerate() {
                if records.combined.contains(&schema.resolve(*id)) {
                    kept.extend(schema.canonical_definition(index).map(|text| (name.clone(), text)));
                }
            }
        }
        kept
    }
}

/// Closes an object. Properties that are required but not declared are fields too, of any type.
fn close(source: &mut Json, pointer: &str) {
    let Some(Json::Object(members)) = source.pointer_mut(pointer) else { return };
    members.set("additionalProperties", Some(Json::Bool(false)));
    let required = members.get("required").and_then(Json::as_array).unwrap_or_default().to_vec();
    if let Some(Json::Object(properties)) = members.get_mut("properties") {
        for name in required.iter().filter_map(Json::as_str) {
            if properties.get(name).is_none() {
                properties.push(name.to_owned(), Json::Bool(true));
            }
        }
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
    /// Visits everything that the root reaches.
    fn of(schema: &'s Schema) -> Self {
        let mut records =
            Self { schema, records: BTreeSet::new(), combined: BTreeSet::new(), visited: BTreeSet::new() };
        records.visit_from(schema.root(), false);
        records
    }

    fn visit_from(&mut self, root: NodeId, is_combined: bool) {
        // An explicit stack: schemas are nested at most 64 levels deep, but references make chains of any length.
        let mut open = vec![(root, is_combined)];
        while let Some((id, is_combined)) = open.pop() {
            self.visit(self.schema.resolve(id), is_combined, &mut open);
        }
    }

    /// Whether one of the objects is in a definition.
    fn in_definitions(&self, schema: &Schema) -> bool {
        self.records.iter().any(|id| schema.node(*id).pointer.starts_with("/definitions/"))
    }

    /// The pointers of the objects; those that are part of a definition in `kept` stay open.
    fn pointers(mut self, schema: &Schema, kept: Option<&BTreeSet<(String, String)>>) -> Vec<String> {
        for (index, (name, id)) in schema.definitions().iter().enumerate() {
            let is_kept = kept.is_some_and(|kept| {
                kept.iter().any(|(other, _)| other == name)
                    && schema.canonical_definition(index).is_some_and(|text| kept.contains(&(name.clone(), text)))
            });
            if is_kept {
                self.visit_from(*id, true);
            }
        }
        let alone = self.records.difference(&self.combined);
        alone.map(|id| schema.node(*id).pointer.clone()).collect()
    }

    fn visit(&mut self, id: NodeId, is_combined: bool, open: &mut Vec<(NodeId, bool)>) {
        if !self.visited.insert((id, is_combined)) {
            return;
        }
        let node = self.schema.node(id);
        let Kind::Assertions(group) = &node.kind else { return };
        let is_combined = is_combined || self.keeps_everything(group, &node.kind);
        let is_object = group.types == Some(TypeSet::EMPTY.with(Type::Object));
        // With `additionalProperties: true`, the type keeps undeclared properties in a map.
        // The type also keeps those that `patternProperties`, `minProperties` or `dependentRequired` may need.
        let is_open = group.additional_properties.is_none()
            && group.pattern_properties.is_empty()
            && group.min_properties.is_none()
            && group.dependent_required.is_empty();
        if is_combined {
            self.combined.insert(id);
        } else if is_object && is_open && !group.properties.is_empty() {
            self.records.insert(id);
        }
        open.extend(node.kind.children().map(|child| (child, is_combined)));
    }

    /// Whether the types of a place and of everything in it may have fields from several subschemas, or keep undeclared
    /// properties because an assertion depends on them.
    fn keeps_everything(&self, group: &Assertions, kind: &Kind) -> bool {
        let own = || group.properties.iter().map(|(name, _)| name).chain(&group.required).map(String::as_str).collect();
        let unions = [&group.any_of, &group.one_of];
        group.all_of.is_some()
            || group.not.is_some()
            || group.if_.is_some()
            || group.contains.is_some()
            || group.unique_items
            || group.enum_values.is_some()
            || group.const_value.is_some()
            || unions.into_iter().flatten().any(|branches| !self.is_plain_union(branches))
            || !group.properties.is_empty() && kind.in_place().any(|child| self.declares(child, &own()))
    }

    /// Whether a value matches one branch at most, as far as types and tags show: then its type is the one of that
    /// branch.
    fn is_plain_union(&self, branches: &[NodeId]) -> bool {
        let objects: Vec<NodeId> = branches.iter().copied().filter(|branch| self.allows(*branch)).collect();
        objects.len() < 2 || objects.len() == branches.len() && tags(self.schema, branches).next().is_some()
    }

    /// Whether a branch allows objects or arrays, as far as its own assertions show.
    fn allows(&self, branch: NodeId) -> bool {
        let structured = TypeSet::EMPTY.with(Type::Object).with(Type::Array);
        self.schema.assertions(branch).is_none_or(|group| {
            let listed = group.enum_values.iter().flatten().chain(&group.const_value);
            let types = match group.const_value.is_some() || group.enum_values.is_some() {
                true => listed.map(Json::type_of).collect(),
                false => group.types.unwrap_or(TypeSet::ALL),
            };
            !types.intersection(structured).is_empty()
        })
    }

    /// Whether a subschema declares or requires a property of the value itself that is not in `own`.
    fn declares(&self, id: NodeId, own: &BTreeSet<&str>) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let node = self.schema.node(id);
            if let Kind::Assertions(group) = &node.kind {
                let names = group.required.iter().map(String::as_str);
                if !group.properties.is_empty() || names.into_iter().any(|name| !own.contains(name)) {
                    return true;
                }
            }
            if seen.insert(id) {
                open.extend(node.kind.in_place());
            }
        }
        false
    }
}
