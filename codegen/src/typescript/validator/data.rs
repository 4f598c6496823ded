//! A schema as data, from which violations are told.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use capgen_schema::analysis::graph::Graph;
use capgen_schema::analysis::shared;
use capgen_schema::{Assertions, Json, Kind, NodeId, Number, Type, TypeSet};

use super::layout::{self, Expression, array, key, object, text};
use super::output::Output;
use super::plan::Plan;
use super::scalar;
use crate::typescript::literal;

/// Definitions are written into each other no deeper.
const MAX_NESTING: usize = 24;

/// The contract that the collector reads: the root, and the definitions that references name.
pub(super) fn contract(plan: &Plan<'_>, output: &mut Output, features: &mut BTreeSet<&str>) -> Expression {
    let schema = plan.graph.schema();
    let names: HashMap<NodeId, &str> = schema.definitions().iter().map(|(name, id)| (*id, name.as_str())).collect();
    if !shared::nodes(schema).is_empty() {
        features.insert("shared");
    }
    let (queue, named) = (VecDeque::new(), HashSet::new());
    let mut data = Data { graph: &plan.graph, names, queue, named, nesting: 0, output, features };
    let mut parts = vec![data.rule(schema.root())];
    let mut definitions = Vec::new();
    while let Some(id) = data.queue.pop_front() {
        definitions.push((key(data.name(id)), data.rule(id)));
    }
    if !definitions.is_empty() {
        parts.push(object(definitions));
    }
    array(parts)
}

struct Data<'s, 'o, 'f> {
    graph: &'o Graph<'s>,
    names: HashMap<NodeId, &'s str>,
    /// Definitions that have been named and are still to be told.
    queue: VecDeque<NodeId>,
    named: HashSet<NodeId>,
    nesting: usize,
    output: &'o mut Output,
    /// What the collector needs beside keywords.
    features: &'o mut BTreeSet<&'f str>,
}

impl<'s> Data<'s, '_, '_> {
    fn name(&self, id: NodeId) -> &'s str {
        self.names.get(&id).copied().unwrap_or_default()
    }

    /// A reference as a name, or as what it stands for where nothing else does; types alone as a number, and everything
    /// else as keywords.
    fn rule(&mut self, id: NodeId) -> Expression {
        match &self.graph.schema().node(id).kind {
            Kind::Bool(true) => text(types(TypeSet::ALL)),
            Kind::Bool(false) => text("129"),
            Kind::Ref(target) if self.nesting < MAX_NESTING && self.is_single(*target) => {
                self.nesting += 1;
                let rule = self.rule(*target);
                self.nesting -= 1;
                rule
            }
            Kind::Ref(target) => self.reference(*target),
            Kind::Assertions(a) => match a.types {
                _ if a.keywords().next().is_none() => text(types(TypeSet::ALL)),
                Some(only) if only != TypeSet::EMPTY && a.keywords().all(|keyword| keyword == "type") => {
                    text(types(only))
                }
                _ => object(self.keywords(a)),
            },
        }
    }

    fn reference(&mut self, target: NodeId) -> Expression {
        if self.named.insert(target) {
            self.queue.push_back(target);
        }
        text(literal::string(self.name(target)))
    }

    /// Whether one reference alone leads to a definition.
    fn is_single(&self, target: NodeId) -> bool {
        self.graph.find(target).is_some_and(|vertex| vertex.references < 2 && !vertex.is_recursive)
    }

    /// Branches of a union: messages tell the names of those that have one.
    fn branches(&mut self, ids: &[NodeId]) -> Expression {
        let branch = |id: &NodeId| match self.graph.schema().node(*id).kind {
            Kind::Ref(target) => self.reference(target),
            _ => self.rule(*id),
        };
        array(ids.iter().map(branch).collect::<Vec<_>>())
    }

    /// What is asked of members that are not declared.
    fn rest(&mut self, id: Option<NodeId>) -> Expression {
        match id.map(|id| (id, &self.graph.schema().node(self.graph.schema().resolve(id)).kind)) {
            None => text(types(TypeSet::ALL)),
            Some((_, Kind::Bool(false))) => text("144"),
            Some((id, _)) => self.rule(id),
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
        members.extend(a.additional_properties.map(|id| ("rest", self.rest(Some(id)))));
        members.extend(a.items.map(|id| ("items", self.rule(id))));
        members.extend(a.all_of.as_ref().map(|ids| ("allOf", self.rules(ids))));
        for (name, ids) in [("anyOf", &a.any_of), ("oneOf", &a.one_of)] {
            members.extend(ids.as_ref().map(|ids| (name, self.branches(ids))));
        }
        members.extend(a.not.map(|id| ("not", self.rule(id))));
        members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Properties that are required, declared or not, and those that are not.
    fn members(&mut self, a: &Assertions, members: &mut Vec<(&str, Expression)>) {
        let required: HashSet<&str> = a.required.iter().map(String::as_str).collect();
        let declared: HashSet<&str> = a.properties.iter().map(|(name, _)| name.as_str()).collect();
        let undeclared: Vec<&String> = a.required.iter().filter(|name| !declared.contains(name.as_str())).collect();
        for (keyword, is_wanted) in [("properties", true), ("optional", false)] {
            let chosen = a.properties.iter().filter(|(name, _)| required.contains(name.as_str()) == is_wanted);
            let mut chosen: Vec<_> = chosen.map(|(name, id)| (key(name), self.rule(*id))).collect();
            if is_wanted {
                chosen.extend(undeclared.iter().map(|name| (key(name), self.rest(a.additional_properties))));
            }
            if !chosen.is_empty() {
                members.push((keyword, object(chosen)));
            }
        }
    }

    fn listed(&mut self, values: &[Json]) -> Expression {
        values.iter().for_each(|value| self.note(value));
        let values: Vec<&Json> = values.iter().collect();
        let is_plain =
            |value: &&Json| scalar::is_scalar(value) && value.as_number().is_none_or(Number::is_representable);
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
