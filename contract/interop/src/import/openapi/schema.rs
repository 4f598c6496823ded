//! The schemas of requests and responses, with the components that they use.

use capgen_manifest::Side;
use capgen_schema::{Json, Object, Schema, pointer};

use super::operation::Operation;
use super::parameters::{GROUPS, Parameter};
use super::references::{Used, component, definition_of, without_name};
use crate::OPENAPI_KEY;
use crate::carried::Reader;
use crate::import::Foreign;

/// The schema of a request or response, and where its parts come from.
pub(super) struct Payload {
    pub(super) json: Json,
    pub(super) parts: Vec<Part>,
}

/// A part of a schema, and its place in the document.
pub(super) struct Part {
    /// The pointer in the schema.
    pub(super) prefix: String,
    /// The pointer in the document.
    pub(super) at: String,
}

impl Payload {
    /// The parts, if the schema is at `prefix` of another one.
    pub(super) fn parts_below(&self, prefix: &str) -> impl Iterator<Item = Part> {
        self.parts.iter().map(move |part| Part { prefix: format!("{prefix}{}", part.prefix), at: part.at.clone() })
    }
}

impl Operation<'_, '_> {
    /// The schema of the request: that of the body, or with parameters, an object with a member for each group of them
    /// and `body`.
    pub(super) fn request(&mut self) -> Option<Payload> {
        let parameters = self.parameters();
        self.described.parameters = parameters.iter().map(|parameter| parameter.http.clone()).collect();
        let body = self.request_body();
        let body = match body {
            Some((body, true)) if parameters.is_empty() => return body,
            body => body,
        };
        let mut parts = vec![Part { prefix: String::new(), at: self.place.at.clone() }];
        let mut properties = Object::new();
        let mut required = Vec::new();
        for group in GROUPS {
            let members: Vec<&Parameter<'_>> = parameters.iter().filter(|p| p.group == group).collect();
            if members.is_empty() {
                continue;
            }
            if members.iter().any(|parameter| parameter.is_required) {
                required.push(Json::from(group));
            }
            let at = pointer::join("/properties", group);
            properties.push(group.to_owned(), group_schema(&members, &at, &mut parts));
        }
        if let Some((body, is_required)) = body {
            if is_required {
                required.push(Json::from("body"));
            }
            parts.extend(body.iter().flat_map(|body| body.parts_below("/properties/body")));
            properties.push("body".to_owned(), body.map_or(Json::Bool(true), |body| body.json));
        }
        Some(Payload { json: closed(properties, required), parts })
    }

    /// The schema of a side, or `None` after errors.
    pub(super) fn schema(&mut self, side: Side, json: Json, parts: &[Part]) -> Option<Schema> {
        let mark = self.json.get(OPENAPI_KEY);
        let listed = mark.and_then(|mark| mark.get("definitions")?.get(side.name())?.as_array());
        let more: Vec<String> =
            listed.unwrap_or_default().iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect();
        let used = self.references.used(&json, &more);
        let with_components = used.and_then(|used| Some((self.references.with_components(side, &json, &used)?, used)));
        let Some((source, used)) = with_components else {
            let help = "use fewer operations, or smaller components";
            self.unsupported(self.place.at.clone(), "the capabilities would be too large for a manifest", help);
            return None;
        };
        let restore = mark.and_then(|mark| mark.get("restore")?.get(side.name())?.as_object());
        let own = own(&json, &used, mark.is_some(), listed.is_some(), restore);
        // An annotation in the schemas of a contract. In other documents it makes properties optional, see `sides.rs`.
        let own = own.filter(|_| mark.is_some() || !self.references.have_marks());
        let own = own.unwrap_or_else(|| source.clone());
        let others = self.references.others();
        let locate = |at: &str| others.original(&located(at, parts));
        let foreign =
            Foreign { part: side.schema_key(), source: &source, own, dialect: self.dialect, keeps_dialect: false };
        self.importer.schema(&mut self.entry, foreign, &locate)
    }
}

/// The place in the document of a place in a schema.
fn located(at: &str, parts: &[Part]) -> String {
    if at.starts_with("/components/") {
        return at.to_owned();
    }
    let is_below = |part: &&Part| {
        at.strip_prefix(part.prefix.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let part = parts.iter().filter(is_below).max_by_key(|part| part.prefix.len());
    part.map_or_else(String::new, |part| format!("{}{}", part.at, at.get(part.prefix.len()..).unwrap_or_default()))
}

fn group_schema(parameters: &[&Parameter<'_>], at: &str, parts: &mut Vec<Part>) -> Json {
    let mut properties = Object::new();
    let mut required = Vec::new();
    for parameter in parameters {
        let below = pointer::join(&pointer::join(at, "properties"), parameter.name);
        parts.extend(parameter.schema.iter().flat_map(|schema| schema.parts_below(&below)));
        let schema = parameter.schema.as_ref().map_or(Json::Bool(true), |schema| schema.json.clone());
        properties.push(parameter.name.to_owned(), schema);
        if parameter.is_required {
            required.push(Json::from(parameter.name));
        }
    }
    closed(properties, required)
}

/// The schema of an object without other properties.
pub(crate) fn closed(properties: Object, required: Vec<Json>) -> Json {
    let mut schema = Object::new();
    schema.push("type".to_owned(), Json::from("object"));
    if !properties.is_empty() {
        schema.push("properties".to_owned(), Json::Object(properties));
    }
    if !required.is_empty() {
        schema.push("required".to_owned(), Json::Array(required));
    }
    schema.push("additionalProperties".to_owned(), Json::Bool(false));
    Json::Object(schema)
}

/// The schema as the contract has it; `None` if it was not written by an export.
fn own(json: &Json, used: &Used<'_>, is_export: bool, has_definitions: bool, restore: Option<&Object>) -> Option<Json> {
    // An export is one file.
    if !used.others.is_empty() {
        return None;
    }
    let names: std::collections::HashMap<&str, &str> =
        used.schemas.iter().map(|(name, schema)| (*name, definition_of(name, schema))).collect();
    let name = |reference: &str| {
        // A reference into a component is not one to a definition.
        let component = component(reference).filter(|_| reference.matches('/').count() == 3)?;
        names.get(component.as_str()).map(|name| (*name).to_owned())
    };
    let mut whole = json.clone();
    if let Json::Object(members) = &mut whole
        && (has_definitions || !used.schemas.is_empty())
    {
        let definitions: Object = used
            .schemas
            .iter()
            .map(|(name, schema)| (definition_of(name, schema).to_owned(), without_name(schema)))
            .collect();
        let distinct: std::collections::HashSet<&str> = definitions.iter().map(|(name, _)| name.as_str()).collect();
        if members.get("definitions").is_some() || distinct.len() != definitions.len() {
            return None;
        }
        members.push("definitions".to_owned(), Json::Object(definitions));
    }
    // In another document, whether `prefixItems` has a meaning depends on its version.
    let mut reader = Reader::new(&name, "definitions", restore);
    reader.has_prefix_items = is_export;
    reader.read(&whole)
}
