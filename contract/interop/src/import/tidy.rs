//! One notation for schemas of the subset that libraries write differently.

use std::collections::HashMap;

use capgen_schema::{Json, Object, SCHEMA_KEYWORDS, Subschemas, Type};

/// The same schema with its keywords in the order of the table, `required` in the order of `properties`, `enum` and
/// `type` in place of unions of constants and of types, and the `type` of constants of one type. The recursion is
/// bounded, because a checked schema has at most 64 levels.
pub(super) fn tidy(schema: &Json) -> Json {
    let Json::Object(members) = schema else { return schema.clone() };
    let member = |(key, value): &(String, Json)| (key.clone(), Subschemas::map(key, value, |_, schema| tidy(schema)));
    let mut members = without_union(members.iter().map(member).collect());
    with_type(&mut members);
    with_order_of_types(&mut members);
    with_required(&mut members);
    let place = |key: &str| SCHEMA_KEYWORDS.iter().position(|row| row.name == key).unwrap_or(SCHEMA_KEYWORDS.len());
    let mut members: Vec<(String, Json)> = members.iter().cloned().collect();
    members.sort_by_key(|(key, _)| place(key));
    Json::Object(members.into_iter().collect())
}

/// The members with `enum` in place of a union of constants, or `type` in place of a union of types.
fn without_union(members: Object) -> Object {
    if ["type", "enum", "const"].iter().any(|key| members.get(key).is_some()) {
        return members;
    }
    let one_keyword = |key: &str, branches: &Json| -> Option<(&'static str, Vec<Json>)> {
        let branches = branches.as_array().filter(|_| matches!(key, "anyOf" | "oneOf"))?;
        constants(branches).map(|values| ("enum", values)).or_else(|| Some(("type", types(branches)?)))
    };
    let found = members.iter().find_map(|(key, value)| Some((key.clone(), one_keyword(key, value)?)));
    let Some((union, (keyword, values))) = found else { return members };
    let member = |(key, value): &(String, Json)| match *key == union {
        true => (keyword.to_owned(), Json::Array(values.clone())),
        false => (key.clone(), value.clone()),
    };
    members.iter().map(member).collect()
}

/// The types of a union, if each branch is a type and nothing else, and no value has two of them.
fn types(branches: &[Json]) -> Option<Vec<Json>> {
    let names: Vec<&str> = branches.iter().map(|branch| only_type(branch)).collect::<Option<_>>()?;
    let is_twice = |name: &str| names.iter().filter(|other| **other == name).count() > 1;
    let has_overlap = names.contains(&"integer") && names.contains(&"number");
    // There are seven types, so a longer list has one twice.
    let is_plain = (2..=7).contains(&names.len()) && !has_overlap && !names.iter().any(|name| is_twice(name));
    is_plain.then(|| names.into_iter().map(Json::from).collect())
}

/// The type of a schema whose only keyword is `type`.
fn only_type(schema: &Json) -> Option<&str> {
    let members = schema.as_object().filter(|members| members.len() == 1)?;
    members.get("type")?.as_str()
}

/// Puts the names in a list of types into one order, with `null` last, as people write it.
fn with_order_of_types(members: &mut Object) {
    let Some(Json::Array(names)) = members.get("type") else { return };
    let place = |name: &Json| {
        let known = name.as_str().and_then(Type::from_name);
        (known == Some(Type::Null), Type::ALL.iter().position(|other| Some(*other) == known))
    };
    let mut names = names.clone();
    names.sort_by_key(place);
    members.set("type", Some(Json::Array(names)));
}

/// The different values of a union, if each branch is one or more constants and nothing else.
fn constants(branches: &[Json]) -> Option<Vec<Json>> {
    let mut values: Vec<Json> = Vec::new();
    for branch in branches {
        if only_type(branch) == Some(Type::Null.name()) {
            values.push(Json::Null);
            continue;
        }
        let members = branch.as_object()?;
        let is_other = |key: &str| !matches!(key, "type" | "const" | "enum");
        let (constant, list) = (members.get("const"), members.get("enum").and_then(Json::as_array));
        let own = match (constant, list) {
            (Some(value), None) => std::slice::from_ref(value),
            (None, Some(list)) => list,
            _ => return None,
        };
        let has_type = members.get("type").is_none_or(|expected| types_allow(expected, own));
        if !has_type || members.iter().any(|(key, _)| is_other(key)) {
            return None;
        }
        values.extend_from_slice(own);
    }
    // With `oneOf`, a value of two branches is invalid.
    let mut texts: Vec<String> = values.iter().map(Json::canonical).collect();
    texts.sort_unstable();
    texts.windows(2).all(|pair| pair.first() != pair.last()).then_some(values)
}

/// Sets the `type` next to constants of one type, which libraries leave out or write.
fn with_type(members: &mut Object) {
    let values: &[Json] = match (members.get("enum"), members.get("const")) {
        (Some(Json::Array(values)), None) => values,
        (None, Some(value)) => std::slice::from_ref(value),
        _ => return,
    };
    if members.get("type").is_some_and(|expected| !types_allow(expected, values)) {
        return;
    }
    let candidates = [Type::Null, Type::Boolean, Type::Integer, Type::Number, Type::String];
    let is_empty = values.is_empty();
    let found = candidates.into_iter().find(|known| values.iter().all(|value| is_of(value, *known)));
    if let Some(found) = found.filter(|_| !is_empty) {
        members.set("type", Some(Json::from(found.name())));
    }
}

/// Whether the value of `type` allows each of these values.
fn types_allow(expected: &Json, values: &[Json]) -> bool {
    let names = expected.as_array().unwrap_or(std::slice::from_ref(expected));
    let types: Vec<Type> = names.iter().filter_map(|name| Type::from_name(name.as_str()?)).collect();
    values.iter().all(|value| types.iter().any(|known| is_of(value, *known)))
}

fn is_of(value: &Json, expected: Type) -> bool {
    match (value, expected) {
        (Json::Number(number), Type::Integer) => number.is_integer(),
        (Json::Null, Type::Null)
        | (Json::Bool(_), Type::Boolean)
        | (Json::Number(_), Type::Number)
        | (Json::String(_), Type::String)
        | (Json::Array(_), Type::Array)
        | (Json::Object(_), Type::Object) => true,
        _ => false,
    }
}

/// Puts the names in `required` into the order of `properties`; the others follow in their order. Removes an empty
/// list, which asserts nothing.
fn with_required(members: &mut Object) {
    let Some(Json::Array(names)) = members.get("required") else { return };
    let properties = members.get("properties").and_then(Json::as_object);
    let places: HashMap<&str, usize> =
        properties.into_iter().flatten().enumerate().map(|(index, (name, _))| (name.as_str(), index)).collect();
    let place = |name: &Json| name.as_str().and_then(|name| places.get(name).copied()).unwrap_or(usize::MAX);
    let mut names = names.clone();
    names.sort_by_key(place);
    members.set("required", (!names.is_empty()).then_some(Json::Array(names)));
}
