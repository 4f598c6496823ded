//! Rewritten schemas of which a value matches at least one.

use std::collections::HashSet;

use capgen_schema::{Json, Object};

/// The keywords of a rewritten schema that assert nothing.
const ANNOTATIONS: [&str; 4] = ["title", "description", "default", "examples"];

/// The union of the schemas, all of which keep the rules; `None` if there is none.
pub(super) fn alternatives(schemas: Vec<Json>) -> Option<Json> {
    let mut seen = HashSet::new();
    let mut all: Vec<Json> = Vec::new();
    for schema in schemas {
        let branches = match schema.get("anyOf") {
            Some(Json::Array(branches)) => branches.clone(),
            _ => vec![schema],
        };
        for branch in branches {
            if is_any(&branch) {
                return Some(branch);
            }
            if !seen.insert(branch.canonical()) {
                continue;
            }
            match all.iter_mut().find(|known| is_choice(known)).filter(|_| is_choice(&branch)) {
                Some(known) => extend_choice(known, &branch),
                None => all.push(branch),
            }
        }
    }
    if all.len() > 1 {
        return Some(Json::Object([("anyOf".to_owned(), Json::Array(all))].into_iter().collect()));
    }
    all.pop()
}

/// Whether a rewritten schema accepts every value.
pub(super) fn is_any(schema: &Json) -> bool {
    match schema {
        Json::Object(members) => members.iter().all(|(key, _)| ANNOTATIONS.contains(&key.as_str())),
        other => *other == Json::Bool(true),
    }
}

/// Whether a schema is a list of strings, and nothing else but annotations.
fn is_choice(schema: &Json) -> bool {
    let is_known =
        |(key, _): &(String, Json)| matches!(key.as_str(), "type" | "enum") || ANNOTATIONS.contains(&key.as_str());
    schema.get("enum").is_some() && schema.as_object().is_some_and(|members| members.iter().all(is_known))
}

fn extend_choice(known: &mut Json, other: &Json) {
    let Json::Object(members) = known else { return };
    let Some(Json::Array(values)) = members.get_mut("enum") else { return };
    let more = other.get("enum").and_then(Json::as_array).unwrap_or_default();
    let seen: HashSet<String> = values.iter().map(Json::canonical).collect();
    values.extend(more.iter().filter(|value| !seen.contains(&value.canonical())).cloned());
}

/// An object schema that accepts every value that one of the objects accepts.
pub(super) fn hull(objects: &[Json]) -> Object {
    let member = |object: &Json, key: &str| object.get(key).cloned();
    let mut names: Vec<&str> = Vec::new();
    let mut seen = HashSet::new();
    for (name, _) in objects.iter().filter_map(|object| object.get("properties")?.as_object()).flatten() {
        if seen.insert(name.as_str()) {
            names.push(name);
        }
    }
    let tables: Vec<_> = objects.iter().map(Table::of).collect();
    let properties = names.iter().filter_map(|name| {
        let schemas = tables.iter().filter_map(|table| table.schema(name)).collect();
        Some(((*name).to_owned(), alternatives(schemas)?))
    });
    let mut hull = Object::new();
    hull.push("type".to_owned(), Json::from("object"));
    for key in ANNOTATIONS {
        if let Some(value) = objects.first().and_then(|first| member(first, key)) {
            hull.push(key.to_owned(), value);
        }
    }
    hull.push("properties".to_owned(), Json::Object(properties.collect()));
    let required = |object: &Json| -> HashSet<String> {
        let names = object.get("required").and_then(Json::as_array).unwrap_or_default();
        names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect()
    };
    let all: Vec<HashSet<String>> = objects.iter().map(required).collect();
    let first = objects.first().and_then(|first| first.get("required")?.as_array()).unwrap_or_default();
    let common = first.iter().filter(|name| all.iter().all(|set| name.as_str().is_some_and(|name| set.contains(name))));
    let common: Vec<Json> = common.cloned().collect();
    if !common.is_empty() {
        hull.push("required".to_owned(), Json::Array(common));
    }
    let additional: Vec<Json> = tables.iter().filter_map(|table| table.additional.clone()).collect();
    match alternatives(additional) {
        None => hull.push("additionalProperties".to_owned(), Json::Bool(false)),
        Some(schema) if is_any(&schema) => {}
        Some(schema) => hull.push("additionalProperties".to_owned(), schema),
    }
    let of_names = objects.first().and_then(|first| first.get("propertyNames"));
    if let Some(of_names) =
        of_names.filter(|names| objects.iter().all(|object| object.get("propertyNames") == Some(names)))
    {
        hull.push("propertyNames".to_owned(), of_names.clone());
    }
    hull
}

/// The schemas of the properties of a rewritten object.
struct Table<'j> {
    properties: std::collections::HashMap<&'j str, &'j Json>,
    /// That of all other properties; `None` if there are no others.
    additional: Option<Json>,
}

impl<'j> Table<'j> {
    fn of(object: &'j Json) -> Self {
        let properties = object.get("properties").and_then(Json::as_object).into_iter().flatten();
        let additional = match object.get("additionalProperties") {
            Some(Json::Bool(false)) => None,
            Some(schema) => Some(schema.clone()),
            None => Some(Json::Object(Object::new())),
        };
        Self { properties: properties.map(|(name, schema)| (name.as_str(), schema)).collect(), additional }
    }

    fn schema(&self, name: &str) -> Option<Json> {
        self.properties.get(name).map(|schema| (*schema).clone()).or_else(|| self.additional.clone())
    }
}
