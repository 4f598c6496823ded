//! Which branch of an `anyOf` or `oneOf` a value can match.

use std::collections::HashSet;

use crate::{Assertions, Json, NodeId, Schema, Type, TypeSet};

/// Whether at most one branch can match a value, and a look at the value's JSON type or at one property shows which.
///
/// Takes time linear in the assertions of the branches themselves; subschemas of branches are not visited, except
/// those of properties.
pub fn are_exclusive(schema: &Schema, branches: &[NodeId]) -> bool {
    have_distinct_types(schema, branches) || tags(schema, branches).next().is_some()
}

/// Whether no JSON value has a type that two branches allow. A branch without `type` allows every type.
pub fn have_distinct_types(schema: &Schema, branches: &[NodeId]) -> bool {
    let mut seen = TypeSet::EMPTY;
    branches.iter().all(|&branch| {
        let types = schema.assertions(branch).and_then(|a| a.types).unwrap_or(TypeSet::ALL);
        let is_new = seen.intersection(types).is_empty();
        seen = seen.union(types);
        is_new
    })
}

/// The properties that every branch requires and for which no two branches allow the same value, in source order of the
/// first branch. Every branch is then an object schema, and each allows a fixed set of scalars for the property.
pub fn tags<'s>(schema: &'s Schema, branches: &[NodeId]) -> impl Iterator<Item = &'s str> {
    let objects: Option<Vec<&Assertions>> = branches.iter().map(|&branch| object(schema, branch)).collect();
    let objects = objects.filter(|objects| objects.len() > 1).unwrap_or_default();
    let properties = objects.first().map_or(&[][..], |object| object.properties.as_slice());
    properties.iter().map(|(name, _)| name.as_str()).filter(move |name| {
        let values: Option<Vec<_>> = objects.iter().map(|object| values(schema, object, name)).collect();
        let mut seen = HashSet::new();
        values.is_some_and(|values| values.into_iter().flatten().all(|value| seen.insert(equality_key(value))))
    })
}

/// A text that is the same for two values of a schema if one payload may equal both.
///
/// It differs from the canonical form for numbers: a payload's binary64 equals both its exact value and the shortest decimal
/// that reads back as it, so two different numbers of a schema can equal the same payload.
pub fn equality_key(value: &Json) -> String {
    match value {
        // Adding zero makes `-0` the same as `0`.
        Json::Number(number) => format!("{:e}", number.as_f64() + 0.0),
        Json::Array(items) => format!("[{}]", items.iter().map(equality_key).collect::<Vec<_>>().join(",")),
        Json::Object(members) => {
            let mut members: Vec<String> =
                members.iter().map(|(name, value)| format!("{name:?}:{}", equality_key(value))).collect();
            members.sort_unstable();
            format!("{{{}}}", members.join(","))
        }
        scalar => scalar.canonical(),
    }
}

fn object(schema: &Schema, id: NodeId) -> Option<&Assertions> {
    let only_objects = TypeSet::EMPTY.with(Type::Object);
    schema
        .assertions(id)
        .filter(|a| a.types == Some(only_objects) && a.enum_values.is_none() && a.const_value.is_none())
}

/// The values that an object schema allows for a required property, if they are listed scalars.
fn values<'s>(schema: &'s Schema, object: &'s Assertions, name: &str) -> Option<Vec<&'s Json>> {
    let (_, id) = object.properties.iter().find(|(n, _)| n == name)?;
    if !object.required.iter().any(|n| n == name) {
        return None;
    }
    let property = schema.assertions(*id)?;
    let mut keywords = property.keywords().filter(|keyword| *keyword != "type");
    let values: Vec<&Json> = match (&property.const_value, &property.enum_values) {
        (Some(value), None) => vec![value],
        (None, Some(values)) => values.iter().collect(),
        _ => return None,
    };
    let types = property.types.unwrap_or(TypeSet::ALL);
    let is_plain = |value: &&Json| match value {
        Json::Array(_) | Json::Object(_) => false,
        Json::Number(number) => number.is_representable() && types.contains(value.type_of()),
        value => types.contains(value.type_of()),
    };
    let is_simple = keywords.next().is_some() && keywords.next().is_none() && !values.is_empty();
    (is_simple && values.iter().all(is_plain)).then_some(values)
}
