//! Unions whose branches exclude each other at a look.

use std::collections::HashSet;

use capgen_schema::{Assertions, Json, Kind, NodeId, Schema, Type, TypeSet};

use super::graph::follow;
use super::scalar;
use crate::typescript::literal;

/// What every object inherits: a property of that name is looked up with care.
const INHERITED: [&str; 12] = [
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
];

pub(super) fn is_inherited(name: &str) -> bool {
    INHERITED.contains(&name)
}

/// Whether at most one branch may fit, and the others are refused before they ask further.
pub(super) fn is_exclusive(schema: &Schema, branches: &[NodeId]) -> bool {
    has_distinct_types(schema, branches) || tag(schema, branches).is_some()
}

/// Whether no value has the types of two branches.
pub(super) fn has_distinct_types(schema: &Schema, branches: &[NodeId]) -> bool {
    let mut seen = TypeSet::EMPTY;
    branches.iter().all(|&branch| {
        let types = assertions(schema, branch).and_then(|a| a.types).unwrap_or(TypeSet::ALL);
        let types = if types.contains(Type::Integer) { types.with(Type::Number) } else { types };
        let is_new = seen.intersection(types).is_empty();
        seen = seen.union(types);
        is_new
    })
}

/// A property that has another constant in each branch.
pub(super) fn tag<'s>(schema: &'s Schema, branches: &[NodeId]) -> Option<&'s str> {
    let objects: Option<Vec<&Assertions>> = branches.iter().map(|&branch| object(schema, branch)).collect();
    let objects = objects.filter(|objects| objects.len() > 1)?;
    let mut names = objects.first().into_iter().flat_map(|object| &object.properties).map(|(name, _)| name.as_str());
    names.find(|name| {
        let values: Option<Vec<_>> = objects.iter().map(|object| values(schema, object, name)).collect();
        let mut seen = HashSet::new();
        !is_inherited(name)
            && values.is_some_and(|values| values.iter().flatten().all(|value| seen.insert(literal::primitive(value))))
    })
}

/// The assertions that a subschema stands for.
pub(super) fn assertions(schema: &Schema, id: NodeId) -> Option<&Assertions> {
    if let Kind::Assertions(assertions) = &schema.node(follow(schema, id)).kind { Some(assertions) } else { None }
}

fn object(schema: &Schema, id: NodeId) -> Option<&Assertions> {
    let only_objects = TypeSet::EMPTY.with(Type::Object);
    assertions(schema, id)
        .filter(|a| a.types == Some(only_objects) && a.enum_values.is_none() && a.const_value.is_none())
}

/// The scalars that a required property may have.
fn values<'s>(schema: &'s Schema, object: &'s Assertions, name: &str) -> Option<Vec<&'s Json>> {
    let (_, id) = object.properties.iter().find(|(n, _)| n == name)?;
    if !object.required.iter().any(|n| n == name) {
        return None;
    }
    let property = assertions(schema, *id)?;
    let mut keywords = property.keywords().filter(|keyword| *keyword != "type");
    let values: Vec<&Json> = match (&property.const_value, &property.enum_values) {
        (Some(value), None) => vec![value],
        (None, Some(values)) => values.iter().collect(),
        _ => return None,
    };
    let types = property.types.unwrap_or(TypeSet::ALL);
    let is_plain = |value: &&Json| match value {
        Json::Array(_) | Json::Object(_) => false,
        Json::Number(number) => scalar::is_held(number) && types.contains(value.type_of()),
        value => types.contains(value.type_of()),
    };
    let is_simple = keywords.next().is_some() && keywords.next().is_none() && !values.is_empty();
    (is_simple && values.iter().all(is_plain)).then_some(values)
}
