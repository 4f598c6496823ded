//! The subschemas of a schema of the subset.

use capgen_schema::{Json, Object, pointer};

/// How the value of a keyword contains subschemas.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contents {
    /// It is a subschema.
    One,
    /// It is a list of subschemas.
    List,
    /// It is a mapping whose values are subschemas.
    Map,
    /// It contains none.
    Data,
}

/// How the value of a keyword contains subschemas, in the subset and after its `definitions` became `$defs`.
pub(crate) fn contents(keyword: &str) -> Contents {
    match keyword {
        "additionalProperties" | "items" | "not" => Contents::One,
        "oneOf" | "anyOf" | "allOf" => Contents::List,
        "properties" | "definitions" | "$defs" => Contents::Map,
        _ => Contents::Data,
    }
}

/// The value of a keyword after `change` replaced each of its subschemas, given with its JSON Pointer. `at` is the pointer of the
/// value.
pub(crate) fn map_subschemas(
    keyword: &str,
    value: &Json,
    at: &str,
    change: &mut impl FnMut(&Json, &str) -> Json,
) -> Json {
    match (contents(keyword), value) {
        (Contents::One, value) => change(value, at),
        (Contents::List, Json::Array(items)) => {
            let item = |(index, item): (usize, &Json)| change(item, &pointer::join(at, &index.to_string()));
            Json::Array(items.iter().enumerate().map(item).collect())
        }
        (Contents::Map, Json::Object(members)) => Json::Object(map_members(members, at, change)),
        (_, other) => other.clone(),
    }
}

/// The members of a mapping of subschemas after `change` replaced each of them.
pub(crate) fn map_members(members: &Object, at: &str, change: &mut impl FnMut(&Json, &str) -> Json) -> Object {
    members.iter().map(|(name, value)| (name.clone(), change(value, &pointer::join(at, name)))).collect()
}

/// Calls `visit` for each direct subschema.
pub(crate) fn subschemas<'j>(object: &'j Object, visit: &mut impl FnMut(&'j Json)) {
    for (keyword, value) in object {
        match (contents(keyword), value) {
            (Contents::One, value) => visit(value),
            (Contents::List, Json::Array(items)) => items.iter().for_each(&mut *visit),
            (Contents::Map, Json::Object(members)) => members.iter().for_each(|(_, value)| visit(value)),
            _ => {}
        }
    }
}
