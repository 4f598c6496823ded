//! Objects.

use std::collections::{HashMap, HashSet};

use capgen_schema::{Json, Object, pointer};

use super::Simplifier;
use super::alternatives::is_any;
use super::conjunction::Part;
use super::scalar::{Tightest, limit, push_number};

/// The schemas of the properties in one of the schemas of an object.
struct Table<'s> {
    at: String,
    properties: HashMap<&'s str, &'s Json>,
    additional: Option<Part<'s>>,
}

impl<'s> Table<'s> {
    fn of(part: &Part<'s>) -> Self {
        let properties = part.get("properties").and_then(Json::as_object).into_iter().flatten();
        Self {
            at: pointer::join(&part.at, "properties"),
            properties: properties.map(|(name, schema)| (name.as_str(), schema)).collect(),
            // Without the patterns, the other properties include those that match them.
            additional: part.below("additionalProperties").filter(|_| part.get("patternProperties").is_none()),
        }
    }

    fn schema(&self, name: &str) -> Option<Part<'s>> {
        match self.properties.get(name) {
            Some(schema) => Some(Part::new(schema, pointer::join(&self.at, name))),
            None => self.additional.clone(),
        }
    }
}

impl<'s> Simplifier<'s> {
    /// `None` if no object is valid.
    pub(super) fn object(&mut self, parts: &[Part<'s>]) -> Option<Json> {
        for part in parts.iter().filter(|part| part.get("patternProperties").is_some()) {
            let at = pointer::join(&part.at, "patternProperties");
            self.lose(&at, "dropped, as is `additionalProperties` beside it: hosts do not support patterns of names");
        }
        let tables: Vec<Table<'s>> = parts.iter().map(Table::of).collect();
        let mut required: Vec<&str> = Vec::new();
        let mut is_required = HashSet::new();
        let lists = parts.iter().filter_map(|part| part.get("required")?.as_array());
        for name in lists.flatten().filter_map(Json::as_str) {
            if is_required.insert(name) {
                required.push(name);
            }
        }
        let additional = self.simplify_all(tables.iter().filter_map(|table| table.additional.clone()));
        let is_closed = additional.is_none();
        let mut properties = Object::new();
        let mut seen = HashSet::new();
        for (name, at) in names(parts) {
            if !seen.insert(name) {
                continue;
            }
            match self.simplify_all(tables.iter().filter_map(|table| table.schema(name))) {
                Some(schema) => properties.push(name.to_owned(), schema),
                None if is_required.contains(name) => return None,
                // Without a schema it is one of the other properties, which are not allowed either.
                None if is_closed => {}
                None => {
                    let schema = self.nothing(&at);
                    properties.push(name.to_owned(), schema);
                }
            }
        }
        if is_closed && required.iter().any(|name| !seen.contains(name)) {
            return None;
        }
        let mut out = Object::new();
        out.push("type".to_owned(), Json::from("object"));
        if parts.iter().any(|part| part.get("properties").is_some()) {
            out.push("properties".to_owned(), Json::Object(properties));
        }
        if !required.is_empty() {
            out.push("required".to_owned(), Json::Array(required.into_iter().map(Json::from).collect()));
        }
        match additional {
            None => out.push("additionalProperties".to_owned(), Json::Bool(false)),
            Some(schema) if is_any(&schema) => {}
            Some(schema) => out.push("additionalProperties".to_owned(), schema),
        }
        self.first(&mut out, parts, "propertyNames");
        self.first(&mut out, parts, "dependentRequired");
        push_number(&mut out, "minProperties", limit(parts, "minProperties", Tightest::Greatest));
        push_number(&mut out, "maxProperties", limit(parts, "maxProperties", Tightest::Least));
        Some(Json::Object(out))
    }
}

/// The names of the properties, and the pointers of their schemas.
fn names<'s>(parts: &[Part<'s>]) -> impl Iterator<Item = (&'s str, String)> {
    let of_part = |part: &Part<'s>| {
        let at = pointer::join(&part.at, "properties");
        let members = part.get("properties").and_then(Json::as_object).into_iter().flatten();
        members.map(|(name, _)| (name.as_str(), pointer::join(&at, name))).collect::<Vec<_>>()
    };
    parts.iter().flat_map(of_part)
}
