//! Schemas whose root must be that of an object, as in formats that pass named arguments.

use capgen_schema::analysis::conjunction::Conjunction;
use capgen_schema::analysis::effort::Effort;
use capgen_schema::analysis::profile::Profiler;
use capgen_schema::{Json, Object, Schema, Type, TypeSet};

/// Whether every value that the schema accepts is provably an object, and it does not obviously reject every value.
pub(crate) fn accepts_only_objects(schema: &Schema) -> bool {
    types(schema).iter().eq([Type::Object])
}

/// The types of the values that the schema accepts, and possibly more.
pub(crate) fn types(schema: &Schema) -> TypeSet {
    let mut budget = 10 * schema.nodes().count() + 10_000;
    Profiler::new(schema, Effort::FULL).profile(&Conjunction::of([schema.root()]), &mut budget).types
}

/// An object with one required property `member`, whose schema is `inner`. The definitions in `container` move to the
/// new root, where references expect them.
pub(crate) fn wrap(inner: Json, member: &str, container: &str) -> Json {
    let (inner, definitions) = match inner {
        Json::Object(mut members) => {
            let definitions = members.get(container).cloned();
            members.set(container, None);
            (Json::Object(members), definitions)
        }
        other => (other, None),
    };
    let mut outer = Object::new();
    outer.push("type".to_owned(), Json::from("object"));
    outer.push("properties".to_owned(), Json::Object([(member.to_owned(), inner)].into_iter().collect()));
    outer.push("required".to_owned(), Json::Array(vec![Json::from(member)]));
    outer.push("additionalProperties".to_owned(), Json::Bool(false));
    if let Some(definitions) = definitions {
        outer.push(container.to_owned(), definitions);
    }
    Json::Object(outer)
}

/// The schema that [`wrap`] put into a property; `None` if the schema does not have that form.
pub(crate) fn unwrap(outer: &Json, member: &str, container: &str) -> Option<Json> {
    let [(name, inner)] = outer.get("properties")?.as_object()?.iter().as_slice() else { return None };
    let keywords = ["type", "properties", "required", "additionalProperties", container];
    let has_form = outer.as_object()?.iter().all(|(key, _)| keywords.contains(&key.as_str()))
        && outer.get("type")?.as_str() == Some("object")
        && matches!(outer.get("required")?.as_array()?, [required] if required.as_str() == Some(member))
        && *outer.get("additionalProperties")? == Json::Bool(false)
        && name == member;
    if !has_form {
        return None;
    }
    let mut inner = inner.clone();
    if let (Some(definitions), Json::Object(members)) = (outer.get(container), &mut inner) {
        members.set(container, Some(definitions.clone()));
    }
    Some(inner)
}
