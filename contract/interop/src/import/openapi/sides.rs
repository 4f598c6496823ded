//! Schemas whose meaning differs between requests and responses: `readOnly` and `writeOnly`.
//!
//! "If the property is marked as `readOnly` being `true` and is in the `required` list, the `required` will take effect
//! on the response only", and `writeOnly` likewise on the request only ([OpenAPI 3.0.3 section
//! 4.7.24.2](https://spec.openapis.org/oas/v3.0.3#fixed-fields-19)). So the schema of each side has its own `required`.
//!
//! A component is rewritten once for each side, so its `required` does not depend on the schemas that refer to it: a
//! property that only one of those marks stays required.

use std::collections::HashSet;

use capgen_manifest::Side;
use capgen_schema::{Json, MAX_WALK_DEPTH, Object, Subschemas};

use super::references::local;

/// The most members of schemas that are visited to find marked properties, for a whole document. Schemas that inherit
/// from large ones are visited once for each schema that inherits. Usual documents have far fewer than a million
/// members, and a step is a look at one.
const MAX_STEPS: usize = 20_000_000;

/// Finds the properties of a document that are marked for one side.
pub(super) struct Sides<'d> {
    document: &'d Json,
    /// Whether keywords next to `$ref` have no meaning, as in OpenAPI 3.0.
    ignores_siblings: bool,
    /// Whether the document has any mark.
    is_needed: bool,
    steps: usize,
}

/// The properties that need not be present in the value that a schema applies to.
struct Scope<'s, 'o> {
    names: HashSet<&'s str>,
    /// Those of the schemas around it that apply to the same value.
    outer: Option<&'o Scope<'s, 'o>>,
}

impl Scope<'_, '_> {
    fn contains(&self, name: &str) -> bool {
        self.names.contains(name) || self.outer.is_some_and(|outer| outer.contains(name))
    }
}

/// How a keyword applies its subschemas.
enum Applies {
    /// To the same value. `allOf` always does.
    Always,
    /// To the same value, if the value is on that branch.
    Maybe,
    /// To another value, such as that of a property.
    Elsewhere,
}

impl<'d> Sides<'d> {
    pub(super) fn of(document: &'d Json, ignores_siblings: bool) -> Self {
        let is_needed = Side::ALL.iter().any(|side| has_member(document, keyword(*side)));
        Self { document, ignores_siblings, is_needed, steps: MAX_STEPS }
    }

    /// Whether the document has any mark.
    pub(super) fn is_needed(&self) -> bool {
        self.is_needed
    }

    /// The schema as it applies to a side: properties that are absent from that side are not required. `None` if too
    /// many schemas would have to be visited.
    pub(super) fn schema(&mut self, side: Side, schema: &Json) -> Option<Json> {
        if !self.is_needed {
            return Some(schema.clone());
        }
        self.changed(keyword(side), schema, None, 0)
    }

    fn changed(&mut self, mark: &str, schema: &Json, outer: Option<&Scope<'_, '_>>, depth: usize) -> Option<Json> {
        let Json::Object(members) = schema else { return Some(schema.clone()) };
        if depth > MAX_WALK_DEPTH {
            return Some(schema.clone());
        }
        let scope = Scope { names: self.marked(mark, schema)?, outer };
        self.members(mark, members, &scope, depth)
    }

    fn members(&mut self, mark: &str, members: &Object, scope: &Scope<'_, '_>, depth: usize) -> Option<Json> {
        let mut changed = Object::new();
        for (key, value) in members {
            let value = match (key.as_str(), value) {
                ("required", Json::Array(names)) => match required(names, scope) {
                    Some(names) => Json::Array(names),
                    None => continue,
                },
                _ => self.keyword(mark, (key, value), scope, depth)?,
            };
            changed.push(key.clone(), value);
        }
        Some(Json::Object(changed))
    }

    /// The value of a keyword after its subschemas are changed.
    fn keyword(
        &mut self,
        mark: &str,
        (key, value): (&str, &Json),
        scope: &Scope<'_, '_>,
        depth: usize,
    ) -> Option<Json> {
        let applies = match key {
            "allOf" => Applies::Always,
            "anyOf" | "oneOf" | "not" | "if" | "then" | "else" | "dependentSchemas" | "dependencies" => Applies::Maybe,
            _ => Applies::Elsewhere,
        };
        let below = |_: Option<&str>, schema: &Json| match (&applies, schema) {
            // The names of the scope already include those of its branches.
            (Applies::Always, Json::Object(members)) if depth < MAX_WALK_DEPTH => {
                self.members(mark, members, scope, depth + 1).ok_or(())
            }
            (Applies::Always | Applies::Maybe, schema) => self.changed(mark, schema, Some(scope), depth + 1).ok_or(()),
            (Applies::Elsewhere, schema) => self.changed(mark, schema, None, depth + 1).ok_or(()),
        };
        Subschemas::try_map(key, value, below).ok()
    }

    /// The marked properties of a value that a schema applies to.
    fn marked<'s>(&mut self, mark: &str, schema: &'s Json) -> Option<HashSet<&'s str>>
    where
        'd: 's,
    {
        let mut names = HashSet::new();
        for object in self.applying(schema)? {
            for (name, property) in object.get("properties").and_then(Json::as_object).into_iter().flatten() {
                let is_marked = |object: &&Object| object.get(mark) == Some(&Json::Bool(true));
                if self.applying(property)?.iter().any(is_marked) {
                    names.insert(name.as_str());
                }
            }
        }
        Some(names)
    }

    /// The schema objects that apply to every value that a schema applies to: itself, and those in `$ref` and `allOf`.
    fn applying<'s>(&mut self, schema: &'s Json) -> Option<Vec<&'s Object>>
    where
        'd: 's,
    {
        let mut seen = HashSet::new();
        let mut open = vec![schema];
        let mut found = Vec::new();
        while let Some(schema) = open.pop() {
            let Json::Object(members) = schema else { continue };
            self.steps = self.steps.checked_sub(1 + members.len())?;
            let reference = members.get("$ref").and_then(Json::as_str);
            if let Some(reference) = reference.filter(|reference| seen.insert(*reference)) {
                open.extend(local(reference).and_then(|pointer| self.document.pointer(&pointer)));
            }
            if reference.is_some() && self.ignores_siblings {
                continue;
            }
            found.push(members);
            open.extend(members.get("allOf").and_then(Json::as_array).unwrap_or_default());
        }
        Some(found)
    }
}

/// The keyword whose properties need not be present on a side.
fn keyword(side: Side) -> &'static str {
    match side {
        Side::Request => "readOnly",
        Side::Response => "writeOnly",
    }
}

/// The names that stay required; `None` if there are none. An invalid list stays, so that it is reported at its place.
fn required(names: &[Json], scope: &Scope<'_, '_>) -> Option<Vec<Json>> {
    let is_valid = names.iter().all(|name| name.as_str().is_some());
    let stays = |name: &&Json| !is_valid || !name.as_str().is_some_and(|name| scope.contains(name));
    let kept: Vec<Json> = names.iter().filter(stays).cloned().collect();
    (!kept.is_empty() || names.is_empty()).then_some(kept)
}

/// Whether a value has `true` for a key anywhere.
fn has_member(value: &Json, key: &str) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Json::Object(members) => {
                for (name, value) in members {
                    if name == key && *value == Json::Bool(true) {
                        return true;
                    }
                    open.push(value);
                }
            }
            Json::Array(items) => open.extend(items),
            _ => {}
        }
    }
    false
}
