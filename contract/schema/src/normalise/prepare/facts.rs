//! The values that a schema allows for a property, as far as its constants show.

use std::collections::HashSet;

use super::super::target::local;
use super::lookup::Lookup;
use crate::{Json, Object};

/// At most this many schema objects are visited for all unions of a schema. Usual schemas need a few thousand.
const MAX_STEPS: usize = 1_000_000;

/// A schema, and how far its references may be followed.
pub(super) struct Reader<'a> {
    pub(super) lookup: Lookup<'a>,
    /// Whether keywords next to `$ref` have no meaning.
    ignores_siblings: bool,
    steps: usize,
}

/// The facts about a property of the objects that a schema accepts.
pub(super) struct Facts {
    /// The values that its constants leave, in their canonical form; `None` if it has none.
    pub(super) values: Option<Vec<String>>,
    pub(super) is_required: bool,
    /// Whether the property may be a string.
    pub(super) may_be_text: bool,
    /// Whether the property is not declared and no others are allowed.
    pub(super) is_excluded: bool,
    /// Whether the schema is a union, whose branches were not read.
    pub(super) is_union: bool,
    /// Whether the schema accepts objects.
    pub(super) accepts_objects: bool,
}

/// The constants of a property.
struct Property {
    values: Option<Vec<String>>,
    may_be_text: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn of(root: &'a Json, ignores_siblings: bool) -> Self {
        Self { lookup: Lookup::of(root), ignores_siblings, steps: MAX_STEPS }
    }

    /// The facts about the property `tag`; `None` if too many schemas have been visited.
    pub(super) fn facts(&mut self, schema: &'a Json, tag: &str) -> Option<Facts> {
        let mut facts = Facts {
            values: None,
            is_required: false,
            may_be_text: true,
            is_excluded: false,
            is_union: false,
            accepts_objects: true,
        };
        let (mut is_declared, mut is_closed) = (false, false);
        for object in self.applying(schema)? {
            let declared = object.get("properties").and_then(|properties| properties.get(tag));
            if let Some(declared) = declared {
                let property = self.property(declared)?;
                facts.may_be_text &= property.may_be_text;
                facts.values = both(facts.values, property.values);
            }
            is_declared |= declared.is_some();
            // A pattern could allow the name.
            let closes =
                |name| object.get(name) == Some(&Json::Bool(false)) && object.get("patternProperties").is_none();
            facts.is_excluded |= declared.is_none() && closes("additionalProperties");
            is_closed |= closes("unevaluatedProperties");
            let required = object.get("required").and_then(Json::as_array).unwrap_or_default();
            facts.is_required |= required.iter().any(|name| name.as_str() == Some(tag));
            facts.is_union |= ["anyOf", "oneOf"].iter().any(|name| object.get(name).is_some());
            facts.accepts_objects &= types_allow(object, "object");
        }
        // This keyword also sees the properties that the other objects declare.
        facts.is_excluded |= is_closed && !is_declared;
        Some(facts)
    }

    fn property(&mut self, schema: &'a Json) -> Option<Property> {
        let mut property = Property { values: None, may_be_text: *schema != Json::Bool(false) };
        for object in self.applying(schema)? {
            property.may_be_text &= types_allow(object, "string");
            let constant = object.get("const").map(|value| vec![value.canonical()]);
            let listed = object.get("enum").and_then(Json::as_array);
            let listed = listed.map(|values| values.iter().map(Json::canonical).collect());
            property.values = both(property.values, both(constant, listed));
        }
        Some(property)
    }

    /// The schema objects that apply to every value that a schema applies to: itself, and those in `$ref` and `allOf`.
    fn applying(&mut self, schema: &'a Json) -> Option<Vec<&'a Object>> {
        let mut seen = HashSet::new();
        let mut open = vec![schema];
        let mut found = Vec::new();
        while let Some(schema) = open.pop() {
            let Json::Object(members) = schema else { continue };
            self.steps = self.steps.checked_sub(1 + members.len())?;
            let reference = members.get("$ref").and_then(Json::as_str);
            if let Some(reference) = reference.filter(|reference| seen.insert(*reference)) {
                open.extend(local(reference).and_then(|at| self.lookup.get(&at)));
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

fn types_allow(object: &Object, name: &str) -> bool {
    match object.get("type") {
        Some(Json::String(one)) => one == name,
        Some(Json::Array(names)) => names.iter().any(|one| one.as_str() == Some(name)),
        _ => true,
    }
}

/// The values that both lists have; one that is absent allows every value.
fn both(a: Option<Vec<String>>, b: Option<Vec<String>>) -> Option<Vec<String>> {
    match (a, b) {
        (Some(a), Some(b)) => {
            let b: HashSet<String> = b.into_iter().collect();
            Some(a.into_iter().filter(|value| b.contains(value)).collect())
        }
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(schema: &str, is_excluded: bool, is_required: bool) {
        let json: Json = schema.parse().unwrap();
        let facts = Reader::of(&json, false).facts(&json, "kind").unwrap();
        assert_eq!((facts.is_excluded, facts.is_required), (is_excluded, is_required), "{schema}");
    }

    #[test]
    fn closed_schemas_exclude_undeclared_properties() {
        check(r#"{"additionalProperties": false}"#, true, false);
        check(r#"{"additionalProperties": false, "properties": {"kind": {}}, "required": ["kind"]}"#, false, true);
        check(r#"{"additionalProperties": false, "patternProperties": {"k": {}}}"#, false, false);
        check(r#"{"unevaluatedProperties": false}"#, true, false);
        check(r#"{"unevaluatedProperties": false, "allOf": [{"properties": {"kind": {}}}]}"#, false, false);
        check(r#"{"additionalProperties": false, "allOf": [{"properties": {"kind": {}}}]}"#, true, false);
    }
}
