//! Several schemas for one value as one schema.

use std::collections::HashMap;

use capgen_schema::{Json, Object};

/// The schema with the assertions of both. Keywords that both have, and that cannot be combined, keep the value of
/// `base`; their names are returned.
pub(super) fn combined(base: &Object, other: &Object) -> (Object, Vec<String>) {
    let mut all = base.clone();
    let mut conflicts = Vec::new();
    for (key, value) in other {
        let known = all.get(key).cloned();
        let together = match (key.as_str(), known) {
            (_, None) => value.clone(),
            (_, Some(known)) if known == *value => continue,
            (
                "title" | "description" | "default" | "examples" | "$comment" | "x-format" | "deprecated" | "readOnly"
                | "writeOnly",
                _,
            ) => continue,
            ("properties", Some(Json::Object(known))) => {
                let (properties, repeated) = properties(&known, value);
                conflicts.extend(repeated.into_iter().map(|name| format!("properties/{name}")));
                Json::Object(properties)
            }
            ("required", Some(Json::Array(known))) => {
                let more = value.as_array().unwrap_or_default().iter().filter(|name| !known.contains(name));
                Json::Array(known.iter().chain(more).cloned().collect())
            }
            _ => {
                conflicts.push(key.clone());
                continue;
            }
        };
        all.set(key, Some(together));
    }
    (all, conflicts)
}

/// The properties of both, and the names of those whose schemas differ.
fn properties(base: &Object, other: &Json) -> (Object, Vec<String>) {
    let known: HashMap<&str, &Json> = base.iter().map(|(name, schema)| (name.as_str(), schema)).collect();
    let mut all = base.clone();
    let mut repeated = Vec::new();
    for (name, schema) in other.as_object().into_iter().flatten() {
        match known.get(name.as_str()).copied() {
            None => all.push(name.clone(), schema.clone()),
            Some(known) if known == schema => {}
            Some(_) => repeated.push(name.clone()),
        }
    }
    (all, repeated)
}
