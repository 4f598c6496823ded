//! Collections of schemas, as `typia.json.schemas` writes them: an object with the list `schemas`, their `components`,
//! and the `version` of OpenAPI whose dialect they have.

use capgen_schema::{Json, LINKED_FILES, pointer};

use super::Dialect;

/// The only schema of a collection.
pub(super) struct Only {
    pub(super) dialect: Dialect,
    /// The schema with the components.
    pub(super) schema: Json,
}

/// The dialect of a collection; `None` for another document.
pub(super) fn dialect(document: &Json) -> Option<Dialect> {
    let dialect = match document.get("version")?.as_str()? {
        "3.0" => Dialect::OpenApi30,
        "3.1" => Dialect::Modern,
        _ => return None,
    };
    let has_components = document.get("components").is_some_and(|components| components.as_object().is_some());
    (has_components && document.get("schemas")?.as_array().is_some()).then_some(dialect)
}

/// The schema of a collection that has one.
pub(super) fn only(document: &Json) -> Option<Only> {
    let dialect = dialect(document)?;
    let [Json::Object(schema)] = document.get("schemas")?.as_array()? else { return None };
    let mut members = schema.clone();
    for key in ["components", LINKED_FILES] {
        members.set(key, document.get(key).cloned());
    }
    Some(Only { dialect, schema: Json::Object(members) })
}

/// The place in the collection of a place in its only schema.
pub(super) fn original(at: &str) -> String {
    let first = pointer::tokens(at).next();
    let is_shared = first.is_some_and(|token| token == "components" || token == LINKED_FILES);
    if is_shared { at.to_owned() } else { format!("/schemas/0{at}") }
}
