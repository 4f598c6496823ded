//! Schemas that all apply to one value, taken apart.

use std::collections::HashSet;

use capgen_schema::{Json, Object, definition_name, pointer};

/// A subschema of the contract, and its JSON Pointer.
#[derive(Clone)]
pub(super) struct Part<'s> {
    pub(super) schema: &'s Json,
    pub(super) at: String,
}

impl<'s> Part<'s> {
    pub(super) fn new(schema: &'s Json, at: String) -> Self {
        Self { schema, at }
    }

    pub(super) fn members(&self) -> Option<&'s Object> {
        self.schema.as_object()
    }

    /// The value of a keyword.
    pub(super) fn get(&self, keyword: &str) -> Option<&'s Json> {
        self.members()?.get(keyword)
    }

    /// The value of a keyword that is a schema.
    pub(super) fn below(&self, keyword: &str) -> Option<Self> {
        Some(Self::new(self.get(keyword)?, pointer::join(&self.at, keyword)))
    }
}

/// A union that applies to the value.
#[derive(Clone)]
pub(super) struct Union<'s> {
    /// The pointer of its keyword.
    pub(super) at: String,
    pub(super) branches: &'s [Json],
    pub(super) is_one_of: bool,
}

/// Schemas that all apply to one value.
#[derive(Clone, Default)]
pub(super) struct Conjunction<'s> {
    /// Objects. Their unions are in `unions`, and their `allOf` is part of the conjunction.
    pub(super) plain: Vec<Part<'s>>,
    /// Names of definitions, and the schemas with the references.
    pub(super) references: Vec<(String, Part<'s>)>,
    /// In reverse order.
    pub(super) unions: Vec<Union<'s>>,
    /// The pointers of all schemas that are part of the conjunction.
    seen: HashSet<String>,
}

impl<'s> Conjunction<'s> {
    /// Adds a schema; `false` if it accepts no value.
    pub(super) fn add(&mut self, part: Part<'s>) -> bool {
        let mut open = vec![part];
        let mut unions = Vec::new();
        while let Some(part) = open.pop() {
            let members = match part.schema {
                Json::Object(members) => members,
                Json::Bool(false) => return false,
                _ => continue,
            };
            if !self.seen.insert(part.at.clone()) {
                continue;
            }
            // Draft-07 ignores assertions next to a reference.
            if let Some(reference) = members.get("$ref").and_then(Json::as_str) {
                self.references.push((definition_name(reference).unwrap_or_default(), part));
                continue;
            }
            for keyword in ["anyOf", "oneOf"] {
                if let Some(Json::Array(branches)) = members.get(keyword) {
                    let is_one_of = keyword == "oneOf";
                    unions.push(Union { at: pointer::join(&part.at, keyword), branches, is_one_of });
                }
            }
            let below = pointer::join(&part.at, "allOf");
            let branches = part.get("allOf").and_then(Json::as_array).unwrap_or_default();
            let branches = branches.iter().enumerate();
            let branch =
                |(index, schema): (usize, &'s Json)| Part::new(schema, pointer::join(&below, &index.to_string()));
            open.extend(branches.rev().map(branch));
            self.plain.push(part);
        }
        // The first of them is rewritten first.
        unions.reverse();
        self.unions.splice(0..0, unions);
        true
    }

    /// The reference that is all of the conjunction, apart from annotations.
    pub(super) fn lone_reference(&self) -> Option<(&str, &Part<'s>)> {
        let asserts = self.plain.iter().any(|part| part.members().is_some_and(asserts));
        match self.references.as_slice() {
            [(name, part)] if !asserts && self.unions.is_empty() => Some((name, part)),
            _ => None,
        }
    }

    /// The pointer of its first schema.
    pub(super) fn at(&self) -> &str {
        let first = self.plain.first().or_else(|| self.references.first().map(|(_, part)| part));
        first.map_or("", |part| part.at.as_str())
    }

    /// A text for each schema and union in it, the same for the same conjunction.
    pub(super) fn key(&self) -> Vec<String> {
        let unions = self.unions.iter().map(|union| format!("{} ", union.at));
        let mut key: Vec<String> = self.seen.iter().cloned().chain(unions).collect();
        key.sort_unstable();
        key
    }

    /// The number of subschemas that are visited to combine the schemas.
    pub(super) fn cost(&self) -> usize {
        let properties = |part: &Part<'_>| part.get("properties").and_then(Json::as_object).map_or(0, Object::len);
        let combined = if self.plain.len() > 1 { self.plain.iter().map(properties).sum() } else { 0 };
        1 + self.plain.len() + self.references.len() + combined
    }
}

/// Whether a schema has assertions of its own, which are not those of its unions or of its `allOf`.
pub(super) fn asserts(members: &Object) -> bool {
    const OTHERS: [&str; 15] = [
        "$comment",
        "$id",
        "$schema",
        "allOf",
        "anyOf",
        "default",
        "definitions",
        "deprecated",
        "description",
        "examples",
        "oneOf",
        "readOnly",
        "title",
        "writeOnly",
        "x-format",
    ];
    members.iter().any(|(key, _)| !OTHERS.contains(&key.as_str()))
}
