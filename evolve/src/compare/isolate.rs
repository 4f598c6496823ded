//! The old version of a schema with one change of the new version, and nothing else.

use capgen_schema::{Json, Object, Schema};

use super::change::{Change, Edit};
use super::fragment::{Assembly, Names, combined};

/// The old schema with this change alone; `None` if the result is not a valid schema.
pub(super) fn isolated(old: &Schema, new: &Schema, change: &Change) -> Option<Schema> {
    let mut assembly = Assembly::new(old.source());
    let mut names = Names::default();
    let pointer = &old.node(change.old).pointer;
    let mut root = old.source().clone();
    let edited = root.pointer_mut(pointer)?;
    for Edit { path, value } in &change.edits {
        let value = value.as_ref().map(|value| assembly.import_at(path, value, new.source(), &mut names));
        set(edited, path, value)?;
    }
    Schema::parse(&assembly.finish(root)).ok()
}

/// Sets the value at a path of at most two keys; an empty path is the whole subschema.
fn set(schema: &mut Json, path: &[String], value: Option<Json>) -> Option<()> {
    // The schema `true` is the one without keywords.
    if *schema == Json::Bool(true) {
        *schema = Json::Object(Object::new());
    }
    match path {
        [] => *schema = value?,
        [keyword] => {
            let Json::Object(members) = schema else { return None };
            members.set(keyword, value);
        }
        [keyword, rest @ ..] => {
            let Json::Object(members) = schema else { return None };
            if members.get(keyword).is_none() {
                members.push(keyword.clone(), Json::Object(Object::new()));
            }
            let name = rest.first()?;
            let Json::Object(inner) = members.get_mut(keyword)? else { return None };
            inner.set(name, value);
        }
    }
    Some(())
}

/// The schema of the values that both accept.
pub(super) fn both(one: &Schema, other: &Schema) -> Option<Schema> {
    Schema::parse(&combined("allOf", one.source(), other.source())).ok()
}

/// The schema of the values that one of them accepts.
pub(super) fn either(one: &Schema, other: &Schema) -> Option<Schema> {
    Schema::parse(&combined("anyOf", one.source(), other.source())).ok()
}
