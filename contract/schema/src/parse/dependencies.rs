//! `dependentRequired`, and the `dependencies` of draft-07 whose values are lists of names: two spellings of one
//! keyword.

use std::collections::HashMap;

use super::{Draft, Loader, value};
use crate::{Json, Object, Problem, Subschemas, codes, pointer};

/// The spelling of the model, and of the sources of schemas.
const SPELLING: &str = "dependentRequired";

/// The spelling of draft-07.
const OTHER_SPELLING: &str = "dependencies";

impl Loader {
    pub(super) fn dependent_required(&mut self, draft: &mut Draft<'_>, keyword: &str, value: &Json) {
        let at = draft.at(keyword);
        let Some(members) = value.as_object() else {
            return self.wrong_type(keyword, at, "an object of arrays of names", value);
        };
        self.has_dependencies |= keyword == OTHER_SPELLING;
        let known = draft.assertions.dependent_required.iter().enumerate();
        let mut index: HashMap<String, usize> = known.map(|(at, (name, _))| (name.clone(), at)).collect();
        for (name, required) in members {
            let at = pointer::join(&at, name);
            if keyword == OTHER_SPELLING && matches!(required, Json::Object(_) | Json::Bool(_)) {
                self.report(of_schema(at, required));
                continue;
            }
            let names = self.names(keyword, &at, required).unwrap_or_default().into_iter();
            let names: Vec<String> = names.map(|(_, name)| name.to_owned()).collect();
            if names.is_empty() {
                continue;
            }
            let all = &mut draft.assertions.dependent_required;
            match index.get(name).and_then(|at| all.get_mut(*at)) {
                // Both spellings have the name.
                Some((_, known)) => {
                    known.extend(names.into_iter().filter(|name| !known.contains(name)).collect::<Vec<_>>())
                }
                None => {
                    index.insert(name.clone(), all.len());
                    all.push((name.clone(), names));
                }
            }
        }
    }
}

/// The problem of `dependencies` with a schema.
fn of_schema(at: String, found: &Json) -> Problem {
    let message = format!("`dependencies` must have lists of names, not {}", value::with_article(found));
    let problem = Problem::new(codes::UNKNOWN_KEYWORD, at, message).label("not enforced");
    problem.help("write `anyOf` with two branches: the schema, and `\"not\": {\"required\": [...]}` with the name")
}

/// The schema with [`SPELLING`] for both. The recursion is bounded, because the loader limits the nesting of
/// subschemas.
pub(super) fn with_one_spelling(schema: &Json) -> Json {
    let Json::Object(members) = schema else { return schema.clone() };
    let mut all = Object::new();
    for (name, value) in members {
        if name != OTHER_SPELLING && name != SPELLING {
            all.push(name.clone(), Subschemas::map(name, value, |_, schema| with_one_spelling(schema)));
            continue;
        }
        let both = match all.get(SPELLING) {
            Some(known) => merged(known, value),
            None => value.clone(),
        };
        all.set(SPELLING, Some(both));
    }
    Json::Object(all)
}

/// The names of both spellings.
fn merged(one: &Json, other: &Json) -> Json {
    let mut all: Vec<(String, Json)> = one.as_object().into_iter().flatten().cloned().collect();
    let index: HashMap<String, usize> = all.iter().enumerate().map(|(at, (name, _))| (name.clone(), at)).collect();
    for (name, more) in other.as_object().into_iter().flatten() {
        match index.get(name).and_then(|at| all.get_mut(*at)) {
            Some((_, Json::Array(names))) => {
                let more = more.as_array().unwrap_or_default().iter();
                let more: Vec<Json> = more.filter(|name| !names.contains(name)).cloned().collect();
                names.extend(more);
            }
            _ => all.push((name.clone(), more.clone())),
        }
    }
    Json::Object(all.into_iter().collect())
}
