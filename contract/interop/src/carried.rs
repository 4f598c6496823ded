//! Schemas of the subset as other formats write them, and back.
//!
//! A format can have other names for definitions, `prefixItems` for a list in `items`, and no place for `$schema` and
//! `$id`. Whatever differs from the contract is noted in a *restore list*: an object whose keys are JSON Pointers into
//! the schema of the contract. A value that is an object has the keywords to set there, where `null` removes one; a
//! boolean is the whole schema there. An import applies the list, so that the hash is the same.

use std::collections::HashMap;

use capgen_schema::{
    Format, Json, MAX_WALK_DEPTH, Object, Subschemas, definition_name, definition_reference, is_standard_format,
    pointer,
};

/// The keywords, apart from `items` with one schema, whose boolean schemas every reader expects.
const TAKES_BOOLEANS: [&str; 3] = ["properties", "additionalProperties", "additionalItems"];

/// Writes a schema of the subset in another format.
pub(crate) struct Carrier<'c> {
    /// The `$ref` to a definition, by the name of the definition.
    pub(crate) reference: &'c dyn Fn(&str) -> String,
    /// The keyword for `definitions`.
    pub(crate) container: &'c str,
    /// Whether boolean schemas are objects at the places where readers of the format expect objects: everywhere except
    /// in `properties`, `items`, and keywords about the rest.
    pub(crate) has_objects: bool,
    /// The differences so far.
    pub(crate) restore: Object,
}

impl Carrier<'_> {
    /// The schema at `at` in the other format. The recursion is bounded, because a checked schema has at most 64
    /// levels.
    pub(crate) fn carry(&mut self, source: &Json, at: &str) -> Json {
        let members = match source {
            Json::Object(members) => members,
            Json::Bool(value) if self.has_objects && at.is_empty() => {
                self.note_boolean(at, *value);
                return object_form(*value);
            }
            other => return other.clone(),
        };
        let mut lost = Object::new();
        let mut carried = Object::new();
        let has_positions = matches!(members.get("items"), Some(Json::Array(_)));
        for (key, value) in members {
            match (key.as_str(), value) {
                ("$schema" | "$id", value) => lost.push(key.clone(), value.clone()),
                ("$ref", Json::String(text)) => {
                    let name = definition_name(text).unwrap_or_default();
                    if definition_reference(&name) != *text {
                        lost.push(key.clone(), value.clone());
                    }
                    carried.push(key.clone(), Json::String((self.reference)(&name)));
                }
                ("x-format", value) if is_written_as_format(value) => {
                    lost.push(key.clone(), value.clone());
                    carried.push("format".to_owned(), value.clone());
                }
                (key, value) => {
                    let at = pointer::join(at, key);
                    let has_objects =
                        self.has_objects && (has_positions || key != "items") && !TAKES_BOOLEANS.contains(&key);
                    let value = Subschemas::map(key, value, |token, schema| match schema {
                        Json::Bool(value) if has_objects => {
                            self.note_boolean(&below(&at, token), *value);
                            object_form(*value)
                        }
                        schema => self.carry(schema, &below(&at, token)),
                    });
                    let key = match key {
                        "definitions" => self.container,
                        // The names of draft 2020-12.
                        "items" if has_positions => "prefixItems",
                        "additionalItems" => "items",
                        key => key,
                    };
                    carried.push(key.to_owned(), value);
                }
            }
        }
        self.note(at, lost);
        Json::Object(carried)
    }

    /// Adds keywords to set at a place.
    pub(crate) fn note(&mut self, at: &str, keywords: Object) {
        if keywords.is_empty() {
            return;
        }
        // Only the root can have keywords already; looking for each place would take quadratic time.
        let known = if at.is_empty() { self.restore.get_mut(at) } else { None };
        match known {
            Some(Json::Object(known)) => keywords.iter().for_each(|(key, value)| known.set(key, Some(value.clone()))),
            _ => self.restore.push(at.to_owned(), Json::Object(keywords)),
        }
    }

    /// Adds a boolean schema that the other format writes as an object.
    pub(crate) fn note_boolean(&mut self, at: &str, value: bool) {
        self.restore.push(at.to_owned(), Json::Bool(value));
    }
}

/// Reads a schema that a [`Carrier`] wrote, or any other one.
pub(crate) struct Reader<'r> {
    /// The name of the definition that a `$ref` refers to; `None` if it is another reference.
    pub(crate) name: &'r dyn Fn(&str) -> Option<String>,
    /// The keyword for `definitions`.
    pub(crate) container: &'r str,
    /// Whether `prefixItems` is the list of `items`, as in draft 2020-12.
    pub(crate) has_prefix_items: bool,
    restore: HashMap<&'r str, &'r Json>,
}

impl<'r> Reader<'r> {
    /// A reader that applies a restore list, which may come from anyone.
    pub(crate) fn new(
        name: &'r dyn Fn(&str) -> Option<String>,
        container: &'r str,
        restore: Option<&'r Object>,
    ) -> Self {
        let restore = restore.into_iter().flatten().map(|(at, value)| (at.as_str(), value)).collect();
        Self { name, container, has_prefix_items: true, restore }
    }

    /// The schema as the contract has it; `None` if it is too deep, or uses a keyword whose renamed form is already
    /// there. Keywords outside the subset stay as they are.
    pub(crate) fn read(&self, schema: &Json) -> Option<Json> {
        let mut is_readable = true;
        // A carrier leaves `$schema` out. Other dialects than the default one may ignore `prefixItems`.
        let has_prefix_items = self.has_prefix_items && schema.get("$schema").is_none();
        let own = Self { has_prefix_items, restore: self.restore.clone(), ..*self };
        let read = own.at(schema, "", 0, &mut is_readable);
        is_readable.then_some(read)
    }

    fn at(&self, schema: &Json, at: &str, depth: usize, is_readable: &mut bool) -> Json {
        let restored = self.restore.get(at).copied();
        if let Some(Json::Bool(value)) = restored
            && *schema == object_form(*value)
        {
            return Json::Bool(*value);
        }
        let Json::Object(members) = schema else { return schema.clone() };
        if depth > MAX_WALK_DEPTH {
            *is_readable = false;
            return Json::Bool(true);
        }
        let mut read = Object::new();
        let has_positions = self.has_prefix_items && matches!(members.get("prefixItems"), Some(Json::Array(_)));
        for (key, value) in members {
            if let ("$ref", Json::String(text)) = (key.as_str(), value) {
                let text = (self.name)(text).map_or_else(|| text.clone(), |name| definition_reference(&name));
                read.push(key.clone(), Json::String(text));
                continue;
            }
            let key = match key.as_str() {
                key if key == self.container => "definitions",
                "prefixItems" if has_positions => "items",
                "items" if has_positions => "additionalItems",
                key => key,
            };
            *is_readable &= read.get(key).is_none();
            let at = pointer::join(at, key);
            let change =
                |token: Option<&str>, schema: &Json| self.at(schema, &below(&at, token), depth + 1, is_readable);
            let value = Subschemas::map(key, value, change);
            read.push(key.to_owned(), value);
        }
        if let Some(Json::Object(keywords)) = restored {
            restore_keywords(&mut read, keywords, at.is_empty());
        }
        Json::Object(read)
    }
}

/// The pointer of a subschema, given that of the value of its keyword.
fn below(at: &str, token: Option<&str>) -> String {
    token.map_or_else(|| at.to_owned(), |token| pointer::join(at, token))
}

/// Sets the keywords of a restore list. Only those that a [`Carrier`] notes are set: a list from elsewhere must not
/// hide an assertion of the schema.
fn restore_keywords(schema: &mut Object, keywords: &Object, is_root: bool) {
    for (key, value) in keywords {
        match (key.as_str(), value) {
            ("$schema" | "$id", value) => schema.set(key, Some(value.clone())),
            ("$ref", Json::String(text)) => {
                let name = definition_name(text);
                let target = schema.get("$ref").and_then(Json::as_str).and_then(definition_name);
                if name.is_some() && name == target {
                    schema.set(key, Some(value.clone()));
                }
            }
            ("x-format", Json::String(name)) if schema.get("format") == Some(value) && is_unknown_format(name) => {
                let renamed = |(name, value): &(String, Json)| {
                    (if name == "format" { key.clone() } else { name.clone() }, value.clone())
                };
                *schema = schema.iter().map(renamed).collect();
            }
            // `type: object` at the root, which some formats require next to assertions that imply it.
            ("type", value) if is_root && schema.get("type").and_then(Json::as_str) == Some("object") => {
                let allows_objects = |names: &[Json]| names.contains(&Json::from("object"));
                if value.as_array().is_some_and(allows_objects) || *value == Json::Null {
                    schema.set(key, Some(value.clone()).filter(|value| *value != Json::Null));
                }
            }
            _ => {}
        }
    }
}

/// Whether other formats have the `format` in place of an `x-format`.
fn is_written_as_format(name: &Json) -> bool {
    name.as_str().is_some_and(|name| !is_standard_format(name))
}

fn is_unknown_format(name: &str) -> bool {
    Format::from_name(name).is_none()
}

/// The schema with `format` in place of every `x-format` with a name that no draft of JSON Schema defines. The
/// recursion is bounded, because a checked schema has at most 64 levels.
pub(crate) fn with_formats(schema: &Json) -> Json {
    let Json::Object(members) = schema else { return schema.clone() };
    let keyword = |(key, value): &(String, Json)| {
        if key == "x-format" && is_written_as_format(value) {
            return ("format".to_owned(), value.clone());
        }
        (key.clone(), Subschemas::map(key, value, |_, schema| with_formats(schema)))
    };
    Json::Object(members.iter().map(keyword).collect())
}

/// The schema from which [`with_formats`] made another one. A contract has no `format` outside of the subset.
pub(crate) fn without_formats(schema: &Json) -> Json {
    fn at(schema: &Json, depth: usize) -> Json {
        let Json::Object(members) = schema else { return schema.clone() };
        if depth > MAX_WALK_DEPTH {
            return schema.clone();
        }
        let keyword = |(key, value): &(String, Json)| match (key.as_str(), value) {
            ("format", Json::String(name)) if is_unknown_format(name) && members.get("x-format").is_none() => {
                ("x-format".to_owned(), value.clone())
            }
            (key, value) => (key.to_owned(), Subschemas::map(key, value, |_, schema| at(schema, depth + 1))),
        };
        Json::Object(members.iter().map(keyword).collect())
    }
    at(schema, 0)
}

/// The schema with the keywords of draft-07, which ignores `dependentRequired`. The recursion is bounded, because the
/// nesting of a checked schema is.
pub(crate) fn of_draft_07(schema: &Json) -> Json {
    let Json::Object(members) = schema else { return schema.clone() };
    let member = |(name, value): &(String, Json)| {
        let spelling = if name == "dependentRequired" { "dependencies" } else { name };
        (spelling.to_owned(), Subschemas::map(name, value, |_, schema| of_draft_07(schema)))
    };
    Json::Object(members.iter().map(member).collect())
}

/// The object that accepts the same values as a boolean schema.
pub(crate) fn object_form(value: bool) -> Json {
    let nothing = || Json::Object(Object::new());
    if value { nothing() } else { Json::Object([("not".to_owned(), nothing())].into_iter().collect()) }
}
