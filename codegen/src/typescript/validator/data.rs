//! A schema as data, from which violations are told.

use std::collections::HashMap;

use capgen_schema::{Assertions, Kind, NodeId, Number, Schema, TypeSet};

use super::layout::{self, Expression, array, key, object, text};
use super::output::Output;
use super::plan::Plan;
use super::scalar;
use crate::typescript::literal;

/// The contract that the collector reads.
pub(super) fn contract(plan: &Plan<'_>, output: &mut Output) -> Expression {
    let schema = plan.graph.schema;
    let names: HashMap<NodeId, &str> = schema.definitions().iter().map(|(name, id)| (*id, name.as_str())).collect();
    let mut data = Data { schema, names, output };
    let mut members = vec![("root".to_owned(), data.rule(schema.root()))];
    let is_needed = |id: NodeId| plan.graph.position(id).is_some();
    let definitions: Vec<(String, Expression)> = schema
        .definitions()
        .iter()
        .filter(|(_, id)| is_needed(*id))
        .map(|(name, id)| (key(name), data.rule(*id)))
        .collect();
    if !definitions.is_empty() {
        members.push(("definitions".to_owned(), object(definitions)));
    }
    let shared = schema.shared();
    let shared = shared.iter().filter(|id| is_needed(**id)).filter_map(|id| data.names.get(id));
    let shared: Vec<Expression> = shared.map(|name| text(literal::string(name))).collect();
    if !shared.is_empty() {
        members.push(("shared".to_owned(), array(shared)));
    }
    object(members)
}

struct Data<'s, 'o> {
    schema: &'s Schema,
    names: HashMap<NodeId, &'s str>,
    output: &'o mut Output,
}

impl Data<'_, '_> {
    fn rule(&mut self, id: NodeId) -> Expression {
        let schema = self.schema;
        match &schema.node(id).kind {
            Kind::Bool(verdict) => text(verdict.to_string()),
            Kind::Ref(target) => {
                let name = self.names.get(target).copied().unwrap_or_default();
                object(vec![("ref".to_owned(), text(literal::string(name)))])
            }
            Kind::Assertions(a) => object(self.keywords(a)),
        }
    }

    fn rules(&mut self, ids: &[NodeId]) -> Expression {
        array(ids.iter().map(|id| self.rule(*id)).collect::<Vec<_>>())
    }

    fn keywords(&mut self, a: &Assertions) -> Vec<(String, Expression)> {
        let mut members: Vec<(&str, Expression)> = Vec::new();
        let names = |names: Vec<&str>| array(names.into_iter().map(|name| text(literal::string(name))));
        if let Some(types) = a.types.filter(|types| *types != TypeSet::ALL) {
            members.push(("type", names(types.iter().map(|t| t.name()).collect())));
        }
        members.extend(a.enum_values.as_ref().map(|values| ("enum", array(values.iter().map(layout::value)))));
        members.extend(a.const_value.as_ref().map(|value| ("const", layout::value(value))));
        let bounds = [
            ("minimum", &a.minimum, '>', false),
            ("maximum", &a.maximum, '<', false),
            ("exclusiveMinimum", &a.exclusive_minimum, '>', true),
            ("exclusiveMaximum", &a.exclusive_maximum, '<', true),
        ];
        for (name, limit, sign, is_strict) in bounds {
            members.extend(limit.as_ref().map(|limit| (name, bound(limit, sign, is_strict))));
        }
        let size = |name, size: Option<u64>| size.map(|size| (name, text(scalar::size(size))));
        members.extend(size("minLength", a.min_length));
        members.extend(size("maxLength", a.max_length));
        if let Some(pattern) = &a.pattern {
            members.push(("pattern", text(self.output.pattern(pattern))));
            if pattern.escaped_for_js_literal() != pattern.source() {
                members.push(("source", text(literal::string(pattern.source()))));
            }
        }
        if let Some(format) = a.format {
            members.push(("format", text(literal::string(format.name()))));
        }
        members.extend(size("minItems", a.min_items));
        members.extend(size("maxItems", a.max_items));
        members.extend(a.unique_items.then(|| ("unique", text("true"))));
        if !a.required.is_empty() {
            members.push(("required", names(a.required.iter().map(String::as_str).collect())));
        }
        self.applied(a, &mut members);
        members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    fn applied(&mut self, a: &Assertions, members: &mut Vec<(&str, Expression)>) {
        if !a.properties.is_empty() {
            let properties = a.properties.iter().map(|(name, id)| (key(name), self.rule(*id))).collect();
            members.push(("properties", object(properties)));
        }
        for (name, id) in [("additional", a.additional_properties), ("items", a.items)] {
            members.extend(id.map(|id| (name, self.rule(id))));
        }
        for (name, ids) in [("allOf", &a.all_of), ("anyOf", &a.any_of), ("oneOf", &a.one_of)] {
            members.extend(ids.as_ref().map(|ids| (name, self.rules(ids))));
        }
        members.extend(a.not.map(|id| ("not", self.rule(id))));
    }
}

fn bound(limit: &Number, sign: char, is_strict: bool) -> Expression {
    let nearest = text(literal::number(limit));
    if Number::from_f64(limit.as_f64()).is_some_and(|printed| printed == *limit) {
        return nearest;
    }
    let is_within = text(scalar::holds(limit, sign, is_strict).to_string());
    let digits = text(literal::string(&limit.to_string()));
    let members = [("nearest", nearest), ("isWithin", is_within), ("digits", digits)];
    object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}
