//! A schema of the subset as one that strict mode accepts.

use capgen_schema::{Json, Object, Pattern, Schema, Type, definition_name, pointer};

use super::super::definitions::{Definitions, Unions};
use super::combine::combined;
use crate::REQUEST_MEMBER;
use crate::root::wrap;

/// The formats of strict mode that the subset has, too.
const FORMATS: [&str; 9] = ["uuid", "email", "date-time", "date", "time", "duration", "ipv4", "ipv6", "hostname"];

/// The keywords that strict mode supports without a change.
const UNCHANGED: [&str; 10] = [
    "title",
    "description",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "type",
];

/// The keywords that assert nothing.
const ANNOTATIONS: [&str; 11] = [
    "$schema",
    "$id",
    "$comment",
    "default",
    "examples",
    "definitions",
    "title",
    "x-format",
    "deprecated",
    "readOnly",
    "writeOnly",
];

/// At most this many schemas are combined with others, which copies them. Without a limit, a small contract could grow
/// exponentially; usual contracts combine a few.
const MAX_COPIES: usize = 2_000;

/// The most levels of the result. Only a combination with a schema that contains itself has more than a checked schema.
/// That has at most 64. It bounds the recursion.
const MAX_DEPTH: usize = 100;

/// Rewrites one schema.
pub(super) struct Strict<'s> {
    schema: &'s Schema,
    definitions: Definitions<'s>,
    unions: Unions<'s>,
    report: &'s mut dyn FnMut(&str, String),
    copies: usize,
    depth: usize,
}

impl<'s> Strict<'s> {
    pub(super) fn new(schema: &'s Schema, report: &'s mut dyn FnMut(&str, String)) -> Self {
        Self {
            schema,
            definitions: Definitions::of(schema),
            unions: Unions::of(schema),
            report,
            copies: MAX_COPIES,
            depth: 0,
        }
    }

    /// The schema of the arguments: an object. If the request is another value, it is the argument `value`.
    pub(super) fn parameters(mut self) -> Json {
        let (source, at) = self.resolved(self.schema.source(), "");
        let is_object = source.get("type").and_then(Json::as_str) == Some("object");
        let has_union = ["anyOf", "oneOf", "enum", "const"].iter().any(|key| source.get(key).is_some());
        let mut parameters = self.rewrite(&source, &at);
        if !is_object || has_union || parameters.get("properties").is_none() {
            (self.report)("", format!("the request is the argument `{REQUEST_MEMBER}`"));
            parameters = wrap(parameters, REQUEST_MEMBER, "$defs");
        }
        let mut definitions = Object::new();
        while let Some((name, definition, at)) = self.definitions.next() {
            let definition = self.rewrite(definition, &at);
            definitions.push(name, definition);
        }
        if let (Json::Object(members), false) = (&mut parameters, definitions.is_empty()) {
            members.push("$defs".to_owned(), Json::Object(definitions));
        }
        parameters
    }

    pub(super) fn lose(&mut self, at: &str, message: impl Into<String>) {
        (self.report)(at, message.into());
    }

    /// The schema at the end of a chain of references, and its pointer. A schema that is checked has no endless chain.
    pub(super) fn resolved(&self, schema: &Json, at: &str) -> (Json, String) {
        let (mut schema, mut at) = (schema, at.to_owned());
        while let Some(reference) = schema.get("$ref").and_then(Json::as_str) {
            let name = definition_name(reference).unwrap_or_default();
            let Some(target) = self.definitions.get(&name) else { break };
            at = pointer::join("/definitions", &name);
            schema = target;
        }
        (schema.clone(), at)
    }

    /// The schema in the form of strict mode.
    pub(super) fn rewrite(&mut self, schema: &Json, at: &str) -> Json {
        if self.depth >= MAX_DEPTH {
            self.lose(at, "dropped: a schema that contains itself is combined with others");
            return scalar();
        }
        self.depth += 1;
        let strict = self.rewrite_within_depth(schema, at);
        self.depth -= 1;
        strict
    }

    fn rewrite_within_depth(&mut self, schema: &Json, at: &str) -> Json {
        let members = match schema {
            Json::Object(members) => members,
            Json::Bool(false) => {
                self.lose(at, "no value is valid here, but strict mode needs a type: it is `null`");
                return typed("null");
            }
            _ => return self.anything(at),
        };
        if let Some(reference) = members.get("$ref").and_then(Json::as_str) {
            return self.definitions.reference(&definition_name(reference).unwrap_or_default());
        }
        let members = self.without_all_of(members, at);
        if let Some(union) = ["anyOf", "oneOf"].into_iter().find(|key| members.get(key).is_some()) {
            return self.union(&members, union, at);
        }
        self.plain(&members, at)
    }

    fn anything(&mut self, at: &str) -> Json {
        self.lose(at, "any value is valid here, but strict mode needs a type: it is a scalar");
        scalar()
    }

    /// The schema with the branches of `allOf` combined with it.
    fn without_all_of(&mut self, members: &Object, at: &str) -> Object {
        let mut all = members.clone();
        let Some(Json::Array(branches)) = members.get("allOf") else { return all };
        all.set("allOf", None);
        for (index, branch) in branches.iter().enumerate() {
            let below = pointer::join(&pointer::join(at, "allOf"), &index.to_string());
            let (branch, target) = self.resolved(branch, &below);
            match branch {
                Json::Object(branch) if self.copies > 0 => {
                    self.copies -= 1;
                    // An `allOf` in a branch is combined, too.
                    let branch =
                        if branch.get("allOf").is_some() { self.without_all_of(&branch, &target) } else { branch };
                    let (together, conflicts) = combined(&all, &branch);
                    for keyword in conflicts {
                        self.lose(&format!("{target}/{keyword}"), "dropped: another branch of `allOf` asserts it, too");
                    }
                    all = together;
                }
                Json::Bool(true) => {}
                _ => self.lose(&below, "dropped: strict mode does not support `allOf`"),
            }
        }
        all
    }

    /// A union, whose branches get the keywords next to it.
    fn union(&mut self, members: &Object, keyword: &str, at: &str) -> Json {
        let below = pointer::join(at, keyword);
        if keyword == "oneOf" && !self.unions.are_exclusive(&below) {
            self.lose(&below, "several branches may match: `oneOf` becomes `anyOf`");
        }
        let mut rest = members.clone();
        rest.set(keyword, None);
        ANNOTATIONS.iter().chain(&["description"]).for_each(|key| rest.set(key, None));
        let mut branches = Vec::new();
        for (index, branch) in members.get(keyword).and_then(Json::as_array).unwrap_or_default().iter().enumerate() {
            let place = pointer::join(&below, &index.to_string());
            branches.push(if rest.is_empty() {
                self.rewrite(branch, &place)
            } else {
                self.branch(&rest, branch, &place)
            });
        }
        let mut union = Object::new();
        if let Some(description) = members.get("description") {
            union.push("description".to_owned(), description.clone());
        }
        union.push("anyOf".to_owned(), Json::Array(branches));
        Json::Object(union)
    }

    /// A branch of a union together with the keywords next to the union.
    fn branch(&mut self, rest: &Object, branch: &Json, at: &str) -> Json {
        let (resolved, target) = self.resolved(branch, at);
        let (Json::Object(own), true) = (&resolved, self.copies > 0) else {
            self.lose(at, "the keywords next to the union are dropped in this branch");
            return self.rewrite(branch, at);
        };
        self.copies -= 1;
        let (together, conflicts) = combined(own, rest);
        for keyword in conflicts {
            self.lose(&format!("{target}/{keyword}"), "the keyword of the same name next to the union is dropped");
        }
        self.rewrite(&Json::Object(together), &target)
    }

    /// A schema without references and combinations.
    fn plain(&mut self, members: &Object, at: &str) -> Json {
        let Some(types) = self.types(members, at) else { return self.anything(at) };
        let allows = |ty: &str| types.iter().any(|name| name == ty);
        let (is_object, is_array) = (allows("object"), allows("array"));
        let mut strict = Object::new();
        strict.push("type".to_owned(), type_value(&types));
        for (key, value) in members {
            self.keyword(&mut strict, (key, value), at);
        }
        if is_object {
            self.object(&mut strict, members, at);
        }
        if is_array && strict.get("items").is_none() {
            let items = self.anything(&pointer::join(at, "items"));
            strict.push("items".to_owned(), items);
        }
        Json::Object(strict)
    }

    /// The types of the values; `None` if it can be any value.
    fn types(&mut self, members: &Object, at: &str) -> Option<Vec<String>> {
        let values = members.get("enum").and_then(Json::as_array).map(<[Json]>::to_vec);
        let values = values.or_else(|| members.get("const").map(|value| vec![value.clone()]));
        if let Some(declared) = members.get("type") {
            let names = declared.as_array().map_or_else(|| vec![declared], |names| names.iter().collect());
            return Some(names.into_iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect());
        }
        if let Some(values) = values {
            let mut names: Vec<String> = Vec::new();
            for value in values.iter().filter(|value| is_scalar(value)) {
                let name = value.type_of().name();
                if !names.iter().any(|known| known == name) {
                    names.push(name.to_owned());
                }
            }
            return Some(names).filter(|names| !names.is_empty());
        }
        let implied = [
            (
                "object",
                &[
                    "properties",
                    "required",
                    "additionalProperties",
                    "patternProperties",
                    "minProperties",
                    "maxProperties",
                    "dependentRequired",
                ][..],
            ),
            ("array", &["items", "contains", "minItems", "maxItems", "uniqueItems"]),
            ("string", &["pattern", "format", "minLength", "maxLength"]),
            ("number", &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
        ];
        let (name, _) = implied.into_iter().find(|(_, keys)| keys.iter().any(|key| members.get(key).is_some()))?;
        self.lose(
            at,
            format!("values of other types are valid here, too, but strict mode needs a type: it is `{name}`"),
        );
        Some(vec![name.to_owned()])
    }

    fn keyword(&mut self, strict: &mut Object, (key, value): (&str, &Json), at: &str) {
        let place = pointer::join(at, key);
        match (key, value) {
            ("type" | "properties" | "required" | "additionalProperties", _) => {}
            (key, _) if UNCHANGED.contains(&key) => strict.push(key.to_owned(), value.clone()),
            (key, _) if ANNOTATIONS.contains(&key) => {}
            ("enum", Json::Array(values)) => self.values(strict, values, &place),
            ("const", value) => self.values(strict, std::slice::from_ref(value), &place),
            ("items", Json::Array(_)) => {
                self.lose(&place, "dropped: strict mode has no schemas for positions, so the items are any values");
            }
            // The list before it, or the condition, is dropped.
            ("additionalItems" | "then" | "else", _) => {}
            ("items", items) => {
                let items = self.rewrite(items, &place);
                strict.push(key.to_owned(), items);
            }
            ("format", Json::String(name)) if FORMATS.contains(&name.as_str()) => {
                strict.push(key.to_owned(), value.clone());
            }
            ("pattern", Json::String(text)) if Pattern::new(text).is_ok_and(|pattern| !pattern.has_lookaround()) => {
                strict.push(key.to_owned(), value.clone());
            }
            _ => self.lose(&place, format!("dropped: strict mode does not support this `{key}`")),
        }
    }

    /// The values of an `enum`, without lists and objects.
    fn values(&mut self, strict: &mut Object, values: &[Json], at: &str) {
        let scalars: Vec<Json> = values.iter().filter(|value| is_scalar(value)).cloned().collect();
        if scalars.len() < values.len() {
            self.lose(at, "strict mode supports only scalars as values: the others are dropped");
        }
        if !scalars.is_empty() && strict.get("enum").is_none() {
            strict.push("enum".to_owned(), Json::Array(scalars));
        }
    }
}

fn is_scalar(value: &Json) -> bool {
    !matches!(value.type_of(), Type::Array | Type::Object)
}

fn type_value(names: &[String]) -> Json {
    match names {
        [name] => Json::from(name.as_str()),
        names => Json::Array(names.iter().map(|name| Json::from(name.as_str())).collect()),
    }
}

fn typed(name: &str) -> Json {
    Json::Object([("type".to_owned(), Json::from(name))].into_iter().collect())
}

/// The schema of any scalar.
pub(super) fn scalar() -> Json {
    let names = ["string", "number", "boolean", "null"].map(str::to_owned);
    Json::Object([("type".to_owned(), type_value(&names))].into_iter().collect())
}
