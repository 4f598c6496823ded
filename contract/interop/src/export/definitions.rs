//! The definitions of a schema, for exports that write only those that the result refers to.

use std::collections::{HashMap, HashSet};

use capgen_schema::analysis::branches::{Branches, equality_key};
use capgen_schema::{Json, Kind, NodeId, Schema, fragment_token, pointer};

/// The definitions of a schema, and which of them the result refers to.
pub(super) struct Definitions<'s> {
    schemas: HashMap<&'s str, &'s Json>,
    /// The names that are not yet written, in the order of the references.
    open: Vec<String>,
    seen: HashSet<String>,
}

impl<'s> Definitions<'s> {
    /// Those of a schema.
    pub(super) fn of(schema: &'s Schema) -> Self {
        let definitions = schema.source().get("definitions").and_then(Json::as_object).into_iter().flatten();
        Self {
            schemas: definitions.map(|(name, schema)| (name.as_str(), schema)).collect(),
            open: Vec::new(),
            seen: HashSet::new(),
        }
    }

    /// The definition with this name. Every reference of a checked schema has one.
    pub(super) fn get(&self, name: &str) -> Option<&'s Json> {
        self.schemas.get(name).copied()
    }

    /// A reference to a definition, which the result must then contain.
    pub(super) fn reference(&mut self, name: &str) -> Json {
        if self.seen.insert(name.to_owned()) {
            self.open.push(name.to_owned());
        }
        let reference = format!("#/$defs/{}", fragment_token(name));
        Json::Object([("$ref".to_owned(), Json::from(reference.as_str()))].into_iter().collect())
    }

    /// A definition that the result must contain, and that this has not returned yet: its name, schema and pointer.
    pub(super) fn next(&mut self) -> Option<(String, &'s Json, String)> {
        while let Some(name) = self.open.pop() {
            if let Some(schema) = self.get(&name) {
                let at = pointer::join("/definitions", &name);
                return Some((name, schema, at));
            }
        }
        None
    }
}

/// The unions with `oneOf` of a schema.
pub(super) struct Unions<'s> {
    schema: &'s Schema,
    by_pointer: HashMap<String, &'s [NodeId]>,
}

impl<'s> Unions<'s> {
    /// Those of a schema.
    pub(super) fn of(schema: &'s Schema) -> Self {
        let unions = schema.nodes().filter_map(|(_, node)| match &node.kind {
            Kind::Assertions(assertions) => {
                Some((pointer::join(&node.pointer, "oneOf"), assertions.one_of.as_deref()?))
            }
            _ => None,
        });
        Self { schema, by_pointer: unions.collect() }
    }

    /// Whether no value matches several branches of the `oneOf` at this pointer, so that `anyOf` has the same meaning.
    pub(super) fn are_exclusive(&self, at: &str) -> bool {
        self.by_pointer.get(at).is_some_and(|branches| {
            self.list_different_values(branches) || Branches::new(self.schema, branches).are_exclusive()
        })
    }

    /// Whether each branch lists its values, and none of them twice.
    fn list_different_values(&self, branches: &[NodeId]) -> bool {
        let mut seen = HashSet::new();
        branches.iter().all(|branch| {
            let Some(assertions) = self.schema.assertions(*branch) else { return false };
            let constant = assertions.const_value.as_ref().map(std::slice::from_ref);
            let values = constant.or(assertions.enum_values.as_deref());
            values.is_some_and(|values| values.iter().all(|value| seen.insert(equality_key(value))))
        })
    }
}
