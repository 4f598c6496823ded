//! Removing redundant and unstable annotations of schemars.

use capgen_schema::{Json, Subschemas};

/// The schema of the type `name` without its name as the title, and with defaults and examples in a stable order: hash
/// sets and hash maps iterate in a random one.
pub(super) fn tidy(schema: &Json, name: &str) -> Json {
    let Json::Object(members) = schema else { return schema.clone() };
    let is_set = members.get("uniqueItems") == Some(&Json::Bool(true));
    let kept = members.iter().filter(|(key, value)| !(key == "title" && value.as_str() == Some(name)));
    let tidied = kept.map(|(key, value)| {
        let value = match (key.as_str(), value) {
            ("default", value) => ordered(value, is_set),
            ("examples", Json::Array(examples)) => {
                Json::Array(examples.iter().map(|example| ordered(example, is_set)).collect())
            }
            (key, value) => Subschemas::map(key, value, |_, schema| tidy(schema, name)),
        };
        (key.clone(), value)
    });
    Json::Object(tidied.collect())
}

fn ordered(value: &Json, is_set: bool) -> Json {
    match value {
        Json::Array(items) => {
            let mut items: Vec<Json> = items.iter().map(|item| ordered(item, false)).collect();
            if is_set {
                items.sort_by_cached_key(Json::canonical);
            }
            Json::Array(items)
        }
        Json::Object(members) => {
            let mut members: Vec<(String, Json)> =
                members.iter().map(|(name, value)| (name.clone(), ordered(value, false))).collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            Json::Object(members.into_iter().collect())
        }
        scalar => scalar.clone(),
    }
}
