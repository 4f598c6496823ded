//! Changes of a schema that fix a mistake, and whether each is certain: the text has one plain meaning, and the change
//! only writes it as draft-07 does. `advice` has the help texts.

use capgen_diagnostic::{Applicability, similar};

use super::advice::{boolean, keyword_help, type_advice};
use super::table;
use crate::{Anchor, Edit, Fix, Json, Number, Object, Problem, Type, definition_reference, pointer};

/// A name to write instead of a wrong one.
pub(crate) type Instead = (&'static str, Applicability);

/// Keywords of other drafts with the meaning that a keyword of draft-07 has. Other synonyms are guesses.
const SAME_MEANING: [(&str, &str); 2] = [("$defs", "definitions"), ("divisibleBy", "multipleOf")];

fn string(text: &str) -> Json {
    Json::String(text.to_owned())
}

/// The change for a name of a type that is not one of JSON Schema. `siblings` are the elements of the list that
/// contains it, in which the correct name may be already.
pub(super) fn of_type(problem: Problem, name: &str, instead: Option<Instead>, siblings: &[Json]) -> Problem {
    let text = name.trim();
    if let Some((to, applicability)) = instead {
        return if siblings.contains(&string(to)) { problem } else { problem.fix_value(applicability, string(to)) };
    }
    if !siblings.is_empty() {
        return problem;
    }
    let names = match (text.strip_suffix('?'), text.contains('|')) {
        (Some(known), _) => vec![known, "null"],
        (None, true) => text.split('|').collect(),
        (None, false) => Vec::new(),
    };
    let types: Option<Vec<Type>> = names.iter().map(|name| type_advice(name.trim())).collect();
    match types {
        Some(types) if !types.is_empty() => {
            let types = types.into_iter().map(|known| string(known.name())).collect();
            problem.fix_value(Applicability::Certain, Json::Array(types))
        }
        _ if matches!(text.to_ascii_lowercase().as_str(), "any" | "unknown" | "mixed") => {
            problem.fix_removal(Applicability::NeedsReview)
        }
        _ => problem,
    }
}

/// The change for a format that is not in the subset: the right name, or the keyword for formats that are not checked.
pub(super) fn of_format(problem: Problem, siblings: &Object, name: &str, instead: Option<Instead>) -> Problem {
    if instead.is_some() || siblings.get("x-format").is_some() {
        return problem.rename(name, instead);
    }
    let (pointer, to) = (problem.pointer.clone(), "x-format".to_owned());
    let edit = Edit::Rename { pointer, anchor: Anchor::Key, from: "format".to_owned(), to };
    problem.fix(Applicability::NeedsReview, vec![edit])
}

/// The change for a keyword that is not in the subset.
pub(super) fn of_keyword(problem: Problem, siblings: &Object, name: &str, value: &Json) -> Problem {
    let rename = |to: &str, applicability| match siblings.get(to) {
        // The schema has that keyword already.
        Some(_) => problem.clone(),
        None => problem.clone().rename(name, Some((to, applicability))),
    };
    if let Some((_, to)) = SAME_MEANING.iter().find(|(other, _)| *other == name) {
        return rename(to, Applicability::Certain);
    }
    match name {
        "nullable" => return nullable(problem, siblings, value),
        "example" if siblings.get("examples").is_none() => {
            let edit = Edit::Wrap { pointer: problem.pointer.clone() };
            let mut problem = rename("examples", Applicability::Certain);
            problem.fix.iter_mut().for_each(|fix| fix.edits.push(edit.clone()));
            return problem;
        }
        "prefixItems" if value.as_array().is_some() => return prefix_items(problem, siblings),
        "$vocabulary" => return problem.fix_removal(Applicability::NeedsReview),
        _ => {}
    }
    if let Some(help) = keyword_help(siblings, name) {
        // The help of a synonym names one keyword, and nothing else.
        let named = help.strip_prefix("write `").and_then(|rest| rest.strip_suffix('`')).unwrap_or_default();
        return match table::keywords().find(|keyword| *keyword == named) {
            Some(to) => rename(to, Applicability::NeedsReview),
            None => problem,
        };
    }
    let keywords: Vec<&str> = table::keywords().collect();
    match similar(name, keywords) {
        Some((to, applicability)) => rename(to, applicability),
        None => problem,
    }
}

/// OpenAPI's `nullable` next to a `type`. An `enum` may or may not contain `null`, so it remains for its author.
fn nullable(problem: Problem, siblings: &Object, value: &Json) -> Problem {
    if *value == Json::Bool(false) {
        return problem.fix_removal(Applicability::Certain);
    }
    let names = match siblings.get("type") {
        Some(Json::String(name)) => vec![name.as_str()],
        Some(Json::Array(names)) => names.iter().take(Type::ALL.len()).filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    };
    let is_known = !names.is_empty() && names.iter().all(|name| Type::from_name(name).is_some());
    if *value != Json::Bool(true) || !is_known || siblings.get("enum").is_some() || siblings.get("const").is_some() {
        return problem;
    }
    if names.contains(&"null") {
        return problem.fix_removal(Applicability::Certain);
    }
    let types = names.into_iter().chain(["null"]).map(string).collect();
    let here = problem.pointer.clone();
    let replace = Edit::Replace { pointer: sibling(&here, "type"), value: Json::Array(types) };
    problem.fix(Applicability::Certain, vec![replace, Edit::Remove { pointer: here }])
}

/// `prefixItems` of draft 2020-12, in which `items` is about the further items.
fn prefix_items(problem: Problem, siblings: &Object) -> Problem {
    if siblings.get("additionalItems").is_some() {
        return problem;
    }
    let rename = |from: &str, to: &str| Edit::Rename {
        pointer: sibling(&problem.pointer, from),
        anchor: Anchor::Key,
        from: from.to_owned(),
        to: to.to_owned(),
    };
    let further = siblings.get("items").map(|_| rename("items", "additionalItems"));
    let edits = std::iter::once(rename("prefixItems", "items")).chain(further).collect();
    problem.fix(Applicability::Certain, edits)
}

/// The pointer of another keyword of the same schema.
fn sibling(pointer: &str, keyword: &str) -> String {
    pointer::join(pointer.rsplit_once('/').map_or("", |(parent, _)| parent), keyword)
}

/// The change for a keyword whose value has the wrong type.
pub(super) fn of_wrong_type(keyword: &str, at: &str, found: &Json) -> Option<Fix> {
    let pointer = at.to_owned();
    let certain = |edit| Some(Fix { edits: vec![edit], applicability: Applicability::Certain });
    match (keyword, found) {
        ("exclusiveMinimum" | "exclusiveMaximum", Json::Bool(false)) => certain(Edit::Remove { pointer }),
        ("required", Json::String(name)) if !name.contains([',', ' ']) => certain(Edit::Wrap { pointer }),
        ("enum", Json::String(_) | Json::Number(_) | Json::Bool(_)) => certain(Edit::Wrap { pointer }),
        ("examples", Json::Null) => None,
        ("examples", _) => certain(Edit::Wrap { pointer }),
        ("oneOf" | "anyOf" | "allOf", Json::Object(_)) => {
            Some(Fix { edits: vec![Edit::Wrap { pointer }], applicability: Applicability::NeedsReview })
        }
        ("type", Json::Null) => certain(Edit::Replace { pointer, value: string("null") }),
        ("uniqueItems" | "deprecated" | "readOnly" | "writeOnly", Json::String(text)) => {
            certain(Edit::Replace { pointer, value: Json::Bool(boolean(text)?) })
        }
        ("title" | "description" | "$comment" | "pattern" | "format" | "x-format", Json::Number(_) | Json::Bool(_)) => {
            certain(Edit::Quote { pointer })
        }
        (keyword, Json::String(text)) if is_number(keyword) => {
            let value = Json::Number(text.parse::<Number>().ok()?);
            certain(Edit::Replace { pointer, value })
        }
        _ => None,
    }
}

fn is_number(keyword: &str) -> bool {
    matches!(keyword, "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf")
        || ["Length", "Items", "Properties"].iter().any(|end| keyword.ends_with(end)) && keyword.starts_with("m")
}

/// The change for `exclusiveMinimum: true` of draft-04, whose bound is in `minimum`; likewise for the maximum.
pub(super) fn of_exclusive(keyword: &str, at: &str, siblings: &Object) -> Option<Fix> {
    let bound = if keyword == "exclusiveMinimum" { "minimum" } else { "maximum" };
    let value = siblings.get(bound).filter(|value| value.as_number().is_some())?.clone();
    let edits = vec![Edit::Replace { pointer: at.to_owned(), value }, Edit::Remove { pointer: sibling(at, bound) }];
    Some(Fix { edits, applicability: Applicability::Certain })
}

/// The change for a value that is not a schema.
pub(super) fn of_schema(problem: Problem, found: &Json) -> Problem {
    match found {
        Json::Null => problem.fix_value(Applicability::NeedsReview, Json::Object([].into_iter().collect())),
        Json::String(text) => match (type_advice(text), boolean(text)) {
            (Some(known), _) => {
                let members = [("type".to_owned(), string(known.name()))];
                problem.fix_value(Applicability::Certain, Json::Object(members.into_iter().collect()))
            }
            (None, Some(verdict)) => problem.fix_value(Applicability::Certain, Json::Bool(verdict)),
            (None, None) => problem,
        },
        _ => problem,
    }
}

/// The change for a `$ref` that does not point into `definitions`.
pub(super) fn of_reference(problem: Problem, target: &str) -> Problem {
    let start = |start: &str| target.strip_prefix(start).filter(|name| !name.is_empty() && !name.contains('/'));
    let same = ["#/$defs/", "#definitions/", "/definitions/", "definitions/"].into_iter().find_map(start);
    let (name, applicability) = match (same, start("#/components/schemas/")) {
        (Some(name), _) => (name, Applicability::Certain),
        (None, Some(name)) => (name, Applicability::NeedsReview),
        (None, None) => return problem,
    };
    problem.rename(target, Some((&format!("#/definitions/{name}"), applicability)))
}

/// The change for a `$ref` to an unknown definition. Names of definitions are the author's own, so it is a guess.
pub(super) fn of_definition(problem: Problem, name: &str, near: Option<&str>) -> Problem {
    let near = near.map(definition_reference);
    problem.rename(&definition_reference(name), near.as_deref().map(|near| (near, Applicability::NeedsReview)))
}
