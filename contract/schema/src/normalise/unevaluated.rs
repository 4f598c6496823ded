//! `unevaluatedProperties` next to schemas that apply to the same value, such as the branches of `allOf`.
//!
//! The keyword is `additionalProperties` that also knows the properties of those schemas. It can be translated if they
//! are the same for every value: then they are declared next to it.

use std::collections::HashSet;

use super::array::{applies_in_place, is_trivial};
use super::dialect::{Dialect, is_beside_reference};
use super::pattern::remove_needless_escapes;
use super::tree::{Node, Value};
use super::version;
use super::walk::{Draft, Walk};
use crate::{Json, Object};

/// The most schemas that one keyword looks at. Usual ones have a few branches.
const MAX_PARTS: usize = 256;

/// The most bytes of names that all keywords of a document declare again. It bounds the time and the output; usual
/// documents need a few thousand.
pub(super) const NAME_BYTES: usize = 4 << 20;

/// The properties that the schemas next to the keyword evaluate.
#[derive(Default)]
struct Evaluated<'a> {
    /// In the order in which they are found.
    names: Vec<&'a str>,
    patterns: Vec<&'a str>,
    /// Those that depend on the value.
    uncertain_names: Vec<&'a str>,
    uncertain_patterns: Vec<&'a str>,
    /// Whether every property is evaluated.
    is_all: bool,
    /// The addresses of the schemas that were visited, and whether their properties are certain.
    seen: HashSet<(usize, bool)>,
}

impl<'a> Walk<'a> {
    /// `unevaluatedProperties` in an object with other schemas for the same value. The other keywords of the object
    /// have been translated.
    pub(super) fn unevaluated_properties(&mut self, draft: &mut Draft<'a>) {
        let name = "unevaluatedProperties";
        let Some(value) = draft.get(name) else { return };
        // With `additionalProperties`, every property is evaluated.
        if !applies_in_place(draft) || is_trivial(value) || draft.get("additionalProperties").is_some() {
            return;
        }
        let mut evaluated = Evaluated::default();
        let is_known = self.evaluated_beside(draft.object, true, &mut evaluated).is_some();
        if evaluated.is_all {
            return;
        }
        let has_listed_names = draft.additional.is_some() && draft.get("propertyNames").is_some();
        if !is_known || has_listed_names {
            return self.reject(draft, name);
        }
        // A pattern of the object matches every name.
        if draft.additional.is_some() {
            return;
        }
        let keys = |keyword| draft.get(keyword).and_then(Json::as_object).into_iter().flatten();
        let mut names: HashSet<&str> = keys("properties").map(|(name, _)| name.as_str()).collect();
        let mut patterns: HashSet<&str> = keys("patternProperties").map(|(pattern, _)| pattern.as_str()).collect();
        let new_names: Vec<&str> = evaluated.names.into_iter().filter(|name| names.insert(name)).collect();
        let new_patterns: Vec<&str> = evaluated.patterns.into_iter().filter(|one| patterns.insert(one)).collect();
        let depends_on_value = evaluated.uncertain_names.iter().any(|name| !names.contains(name))
            || evaluated.uncertain_patterns.iter().any(|pattern| !patterns.contains(pattern));
        if depends_on_value {
            return self.reject(draft, name);
        }
        let anything = || Node::plain(draft.origin.join(name), Json::Bool(true));
        let listed: HashSet<&str> = draft.properties.iter().map(|(name, _)| name.as_str()).collect();
        let new: Vec<_> = new_names.into_iter().filter(|name| !listed.contains(name)).collect();
        let new: Vec<_> = new.into_iter().map(|name| (name.to_owned(), anything())).collect();
        let mut of_patterns: Vec<_> =
            new_patterns.into_iter().map(|one| (remove_needless_escapes(one), anything())).collect();
        draft.properties.extend(new);
        match draft.out.iter_mut().find(|(name, _)| name == "patternProperties") {
            Some((_, Value::Map(members))) => {
                of_patterns.retain(|(pattern, _)| members.iter().all(|(known, _)| known != pattern));
                members.append(&mut of_patterns);
            }
            _ if of_patterns.is_empty() => {}
            _ => draft.push("patternProperties", Value::Map(of_patterns)),
        }
        let node = self.child(draft, name, value);
        draft.push("additionalProperties", Value::Node(Box::new(node)));
    }

    /// Adds the properties that the schemas in an object evaluate which apply to the same value; `None` if they are not
    /// known.
    fn evaluated_beside(&mut self, object: &'a Object, is_certain: bool, found: &mut Evaluated<'a>) -> Option<()> {
        for (name, value) in object {
            if version::ignores(self.version, object, name) || is_beside_reference(self.dialect, object, name) {
                continue;
            }
            match (name.as_str(), value) {
                ("$ref", Json::String(text)) => {
                    let target = self.targets.resolve(text).ok()?;
                    let json = self.targets.get(target)?.json;
                    self.evaluated(json, is_certain, found)?;
                }
                ("$dynamicRef" | "$recursiveRef", _) => return None,
                ("allOf" | "anyOf" | "oneOf", Json::Array(branches)) => {
                    for branch in branches {
                        self.evaluated(branch, is_certain && name == "allOf", found)?;
                    }
                }
                ("if" | "then" | "else", schema) => self.evaluated(schema, false, found)?,
                ("dependentSchemas" | "dependencies", Json::Object(members)) => {
                    for (_, schema) in members {
                        self.evaluated(schema, false, found)?;
                    }
                }
                _ => {}
            }
        }
        Some(())
    }

    /// Adds the properties that a schema evaluates.
    fn evaluated(&mut self, schema: &'a Json, is_certain: bool, found: &mut Evaluated<'a>) -> Option<()> {
        let Json::Object(object) = schema else { return Some(()) };
        if !found.seen.insert((std::ptr::from_ref(schema).addr(), is_certain)) {
            return Some(());
        }
        if found.seen.len() > MAX_PARTS {
            return None;
        }
        let ignores_siblings = self.dialect == Dialect::Legacy && object.get("$ref").is_some();
        for (keyword, value) in object.iter().filter(|_| !ignores_siblings) {
            let is_pattern = match keyword.as_str() {
                "properties" => false,
                "patternProperties" => true,
                "additionalProperties" | "unevaluatedProperties"
                    if !self.version.is_some_and(|version| version.ignores(keyword)) =>
                {
                    if !is_certain {
                        return None;
                    }
                    found.is_all = true;
                    continue;
                }
                _ => continue,
            };
            let list = match (is_pattern, is_certain) {
                (false, true) => &mut found.names,
                (false, false) => &mut found.uncertain_names,
                (true, true) => &mut found.patterns,
                (true, false) => &mut found.uncertain_patterns,
            };
            for (name, _) in value.as_object().into_iter().flatten() {
                self.name_bytes = self.name_bytes.checked_sub(name.len() + 1)?;
                list.push(name);
            }
        }
        self.evaluated_beside(object, is_certain, found)
    }
}
