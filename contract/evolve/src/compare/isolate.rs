//! The old version of a schema with one change of the new version, and nothing else.

use std::cmp::Reverse;

use capgen_schema::{Json, NodeId, Object, Schema, Steps};

use super::change::{Change, Edit, Value};
use super::fragment::{Assembly, Names, combined};

/// The budget for the decision about one change or branch: a part of the budget for a side.
pub(crate) const fn part_of(steps: Steps) -> Steps {
    Steps(steps.0 / 20)
}

/// The old schema with these changes and no others; `None` if the result is not a valid schema, or if one change
/// removes the place of another one.
pub(super) fn isolated(old: &Schema, new: &Schema, changes: &[&Change]) -> Option<Schema> {
    let mut assembly = Assembly::new(old.source());
    let mut names = Names::default();
    let mut root = old.source().clone();
    let mut edits: Vec<(&str, &Edit)> = Vec::new();
    for change in changes {
        edits.extend(change.edits.iter().map(|edit| (old.node(change.old).pointer.as_str(), edit)));
    }
    if changes.len() > 1 {
        edits.sort_by_key(|(pointer, edit)| order(pointer, edit));
    }
    for (pointer, Edit { path, value }) in edits {
        let edited = root.pointer_mut(pointer)?;
        let mut import = |value: &Json| assembly.import_at(path, value, new.source(), &mut names);
        let value = match value {
            Value::Set(value) => Value::Set(import(value)),
            // As a list, so that a branch is recognised as a schema.
            Value::Insert(element) => match import(&Json::Array(vec![element.clone()])) {
                Json::Array(mut list) => Value::Insert(list.pop()?),
                _ => return None,
            },
            other => other.clone(),
        };
        set(edited, path, value)?;
    }
    Schema::parse(&assembly.finish(root)).ok()
}

/// The order in which edits of several changes are made, so that the places of the later ones are still where they
/// were: inner places first, and of one list the last elements first.
fn order(pointer: &str, edit: &Edit) -> (Reverse<usize>, Reverse<usize>) {
    let depth = pointer.matches('/').count();
    // A list that is replaced is replaced before its elements, and new elements follow the old ones.
    let index = match edit.value {
        Value::Delete(index) => index.saturating_add(1),
        Value::Insert(_) => 0,
        Value::Set(_) | Value::Remove | Value::Declare(_) => usize::MAX,
    };
    (Reverse(depth), Reverse(index))
}

/// Sets the value at a path of at most two keys; an empty path is the whole subschema.
fn set(schema: &mut Json, path: &[String], value: Value) -> Option<()> {
    // The schema `true` is the one without keywords.
    if *schema == Json::Bool(true) {
        *schema = Json::Object(Object::new());
    }
    match path {
        [] => {
            let Value::Set(value) = value else { return None };
            *schema = value;
        }
        [keyword] => {
            let Json::Object(members) = schema else { return None };
            set_keyword(members, keyword, value)?;
        }
        [keyword, rest @ ..] => {
            let Json::Object(members) = schema else { return None };
            if members.get(keyword).is_none() {
                members.push(keyword.clone(), Json::Object(Object::new()));
            }
            let name = rest.first()?;
            let Json::Object(inner) = members.get_mut(keyword)? else { return None };
            let value = if let Value::Set(value) = value { Some(value) } else { None };
            inner.set(name, value);
        }
    }
    Some(())
}

fn set_keyword(members: &mut Object, keyword: &str, value: Value) -> Option<()> {
    let empty = match value {
        Value::Set(value) => {
            members.set(keyword, Some(value));
            return Some(());
        }
        Value::Remove => {
            members.set(keyword, None);
            return Some(());
        }
        Value::Insert(_) | Value::Delete(_) => Json::Array(Vec::new()),
        Value::Declare(_) => Json::Object(Object::new()),
    };
    if members.get(keyword).is_none() {
        members.push(keyword.to_owned(), empty);
    }
    match (members.get_mut(keyword)?, value) {
        (Json::Array(list), Value::Insert(element)) => list.push(element),
        (Json::Array(list), Value::Delete(index)) if index < list.len() => _ = list.remove(index),
        // The names are not declared yet: a search for each of them would take quadratic time.
        (Json::Object(properties), Value::Declare(names)) => {
            names.into_iter().for_each(|name| properties.push(name, Json::Object(Object::new())));
        }
        _ => return None,
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

/// The schema of the values that a subschema of one schema and a subschema of another one both accept.
pub(crate) fn overlap(one: (&Schema, NodeId), other: (&Schema, NodeId)) -> Option<Schema> {
    let mut assembly = Assembly::new(&Json::Null);
    let mut branches = Vec::new();
    for (schema, id) in [one, other] {
        let part = schema.source().pointer(&schema.node(id).pointer)?;
        branches.push(assembly.import(part, schema.source(), &mut Names::default()));
    }
    let root = Object::from_iter([("allOf".to_owned(), Json::Array(branches))]);
    Schema::parse(&assembly.finish(Json::Object(root))).ok()
}
