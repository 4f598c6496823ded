//! A schema as data, from which violations are told.

use std::collections::{BTreeSet, HashMap, HashSet};

use capgen_schema::{Assertions, Json, Kind, NodeId, Schema, Type, TypeSet};

use super::layout::{self, Expression, array, key, object, text};
use super::output::Output;
use super::plan::Plan;
use super::scalar;
use crate::typescript::literal;

/// The contract that the collector reads: the root, and the definitions that references name.
pub(super) fn contract(plan: &Plan<'_>, output: &mut Output, features: &mut BTreeSet<&str>) -> Expression {
    let schema = plan.graph.schema;
    let names: HashMap<NodeId, &str> = schema.definitions().iter().map(|(name, id)| (*id, name.as_str())).collect();
    let shared: HashSet<NodeId> = schema.shared().into_iter().collect();
    let mut data = Data { schema, names, shared, output, features };
    let mut parts = vec![data.rule(schema.root())];
    let definitions: Vec<(String, Expression)> = schema
        .definitions()
        .iter()
        .filter(|(_, id)| plan.graph.position(*id).is_some())
        .map(|(name, id)| (key(name), data.rule(*id)))
        .collect();
    if !definitions.is_empty() {
        parts.push(object(definitions));
    }
    array(parts)
}

struct Data<'s, 'o, 'f> {
    schema: &'s Schema,
    names: HashMap<NodeId, &'s str>,
    /// Those that one place may reach so often that it is worth remembering.
    shared: HashSet<NodeId>,
    output: &'o mut Output,
    /// What the collector needs beside keywords.
    features: &'o mut BTreeSet<&'f str>,
}

impl Data<'_, '_, '_> {
    /// A reference as a name, types alone as a number, and everything else as keywords.
    fn rule(&mut self, id: NodeId) -> Expression {
        let schema = self.schema;
        match &schema.node(id).kind {
            Kind::Bool(verdict) => text(types(if *verdict { TypeSet::ALL } else { TypeSet::EMPTY })),
            Kind::Ref(target) => text(literal::string(self.names.get(target).copied().unwrap_or_default())),
            Kind::Assertions(a) => match a.types {
                _ if a.keywords().next().is_none() => text(types(TypeSet::ALL)),
                Some(only) if only != TypeSet::EMPTY && a.keywords().all(|keyword| keyword == "type") => {
                    text(types(only))
                }
                _ => {
                    let mut members = self.keywords(a);
                    if self.shared.contains(&id) {
                        self.features.insert("shared");
                        let types = self.output.typed("<unknown, unknown>");
                        members.push(("shared".to_owned(), text(format!("new Map{types}()"))));
                    }
                    object(members)
                }
            },
        }
    }

    fn rules(&mut self, ids: &[NodeId]) -> Expression {
        array(ids.iter().map(|id| self.rule(*id)).collect::<Vec<_>>())
    }

    fn keywords(&mut self, a: &Assertions) -> Vec<(String, Expression)> {
        let mut members: Vec<(&str, Expression)> = Vec::new();
        if let Some(only) = a.types.filter(|types| *types != TypeSet::ALL) {
            members.push(("type", text(types(only))));
        }
        if let Some(values) = &a.enum_values {
            members.push(("enum", self.listed(values)));
        }
        if let Some(value) = &a.const_value {
            self.note(value);
            members.push(("const", layout::value(value)));
        }
        members.extend(scalar::bounds(a).map(|bound| (bound.keyword, text(bound.text()))));
        let size = |name, size: Option<u64>| size.map(|size| (name, text(scalar::size(size))));
        members.extend(size("minLength", a.min_length));
        members.extend(size("maxLength", a.max_length));
        if let Some(pattern) = &a.pattern {
            members.push(("pattern", text(self.output.pattern(pattern))));
        }
        if let Some(format) = a.format {
            let accepts = text(scalar::helper_of(format).name());
            members.push(("format", array([text(literal::string(format.name())), accepts])));
        }
        members.extend(size("minItems", a.min_items));
        members.extend(size("maxItems", a.max_items));
        members.extend(a.unique_items.then(|| ("uniqueItems", text("true"))));
        self.members(a, &mut members);
        for (name, id) in [("additionalProperties", a.additional_properties), ("items", a.items)] {
            members.extend(id.map(|id| (name, self.rule(id))));
        }
        for (name, ids) in [("allOf", &a.all_of), ("anyOf", &a.any_of), ("oneOf", &a.one_of)] {
            members.extend(ids.as_ref().map(|ids| (name, self.rules(ids))));
        }
        members.extend(a.not.map(|id| ("not", self.rule(id))));
        members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Properties that are required, those that are not, and required ones that are not declared.
    fn members(&mut self, a: &Assertions, members: &mut Vec<(&str, Expression)>) {
        let required: HashSet<&str> = a.required.iter().map(String::as_str).collect();
        let declared: HashSet<&str> = a.properties.iter().map(|(name, _)| name.as_str()).collect();
        let undeclared: Vec<&String> = a.required.iter().filter(|name| !declared.contains(name.as_str())).collect();
        if !undeclared.is_empty() {
            members.push(("others", array(undeclared.into_iter().map(|name| text(literal::string(name))))));
        }
        for (keyword, is_wanted) in [("properties", true), ("optional", false)] {
            let chosen = a.properties.iter().filter(|(name, _)| required.contains(name.as_str()) == is_wanted);
            let chosen: Vec<_> = chosen.map(|(name, id)| (key(name), self.rule(*id))).collect();
            if !chosen.is_empty() {
                members.push((keyword, object(chosen)));
            }
        }
    }

    fn listed(&mut self, values: &[Json]) -> Expression {
        values.iter().for_each(|value| self.note(value));
        let values: Vec<&Json> = values.iter().collect();
        let is_plain = |value: &&Json| scalar::is_scalar(value) && value.as_number().is_none_or(scalar::is_held);
        if values.len() > scalar::FEW && values.iter().all(is_plain) {
            return text(format!("[...{}]", self.output.set(&values)));
        }
        array(values.into_iter().map(layout::value))
    }

    fn note(&mut self, value: &Json) {
        if !scalar::is_scalar(value) {
            self.features.insert("structured");
        }
    }
}

/// A set of types as bits.
fn types(types: TypeSet) -> String {
    if types == TypeSet::ALL {
        return "127".to_owned();
    }
    let has_numbers = types.contains(Type::Number);
    let bits = types.iter().map(|ty| match ty.name() {
        "null" => 1,
        "boolean" => 2,
        "integer" if has_numbers => 0,
        "integer" => 4,
        "number" => 8,
        "string" => 16,
        "array" => 32,
        _ => 64,
    });
    bits.fold(0, |bits, bit| bits | bit).to_string()
}
