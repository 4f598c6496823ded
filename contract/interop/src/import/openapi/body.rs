//! The bodies of requests and responses.

use std::collections::HashSet;

use capgen_diagnostic::quoted;
use capgen_schema::{Json, Object, pointer};

use super::http;
use super::media::Media;
use super::operation::Operation;
use super::schema::{Part, Payload};
use crate::codes;

/// How to fix a body without types of content.
const HELP: &str =
    "describe the body with its type, such as `application/json`, or leave the operation out with `--skip`";

/// How to describe a response whose schema is not known.
const LOOSE_HELP: &str = "describe the response 200 with its JSON body, or 204 if it has none";

/// The schema of a body; `None` if it can be any value.
pub(super) type Body = Option<Payload>;

impl<'d> Operation<'_, 'd> {
    /// The body of the request, and whether it is required; `None` if there is none.
    pub(super) fn request_body(&mut self) -> Option<(Body, bool)> {
        let at = pointer::join(&self.place.at, "requestBody");
        let (body, at) = self.resolve(self.json.get("requestBody")?, at)?;
        let is_required = body.get("required") == Some(&Json::Bool(true));
        let content = body.get("content").and_then(Json::as_object);
        let Some(content) = content.filter(|content| !content.is_empty()) else {
            self.malformed(at, "a request body must have `content`", HELP);
            return None;
        };
        let at = pointer::join(&at, "content");
        let media = Media::most_useful(content);
        let types: Vec<(&str, &Json)> = media
            .types
            .iter()
            .filter_map(|(name, media_type)| {
                let found = self.references.resolve(media_type, pointer::join(&at, name));
                Some((*name, found.ok()?.0))
            })
            .collect();
        self.described.body = Some(http::body(&types, media.kind == Media::FORM));
        Some((self.content(content, &at), is_required))
    }

    /// The schema of the successful responses: that of their body, or of any of their bodies. It is `None` if they can
    /// have any body, or after an error.
    ///
    /// They are those of the codes 2xx. `default` also describes errors, so it counts only if there is no other one.
    pub(super) fn response(&mut self) -> Option<Payload> {
        let at = pointer::join(&self.place.at, "responses");
        let responses = self.json.get("responses").and_then(Json::as_object);
        let all: Vec<&'d (String, Json)> =
            responses.into_iter().flatten().filter(|(status, _)| !status.starts_with("x-")).collect();
        let is_only = all.len() == 1;
        let is_successful =
            |status: &str| (status.len() == 3 && status.starts_with('2')) || (is_only && status == "default");
        let mut successful: Vec<&(String, Json)> =
            all.into_iter().filter(|(status, _)| is_successful(status)).collect();
        successful.sort_by_key(|(status, _)| status);
        if successful.is_empty() {
            self.loose(at, "the operation has no successful response, so its response can be any value");
            return None;
        }
        let mut bodies: Vec<Payload> = Vec::new();
        let mut seen = HashSet::new();
        let mut is_loose = false;
        for (status, response) in successful {
            let (response, at) = self.resolve(response, pointer::join(&at, status))?;
            self.describe(status, response);
            match self.response_body(status, response, at) {
                None => is_loose = true,
                Some(body) if seen.insert(body.json.canonical()) => bodies.push(body),
                Some(_) => {}
            }
        }
        (!is_loose).then(|| any_of(bodies, at))
    }

    /// Keeps the status of a response, and its media type.
    fn describe(&mut self, status: &str, response: &'d Json) {
        let content = response.get("content").and_then(Json::as_object);
        let media_type = content.and_then(|content| Media::most_useful(content).types.first().map(|(name, _)| *name));
        let media_type = media_type.filter(|_| self.place.method != "HEAD");
        let members = media_type.map(|name| ("mediaType".to_owned(), Json::from(name)));
        self.described.responses.push(status.to_owned(), Json::Object(members.into_iter().collect()));
    }

    /// The schema of the body of a response, which is `null` if its code, or the method, excludes a body.
    fn response_body(&mut self, status: &str, response: &'d Json, at: String) -> Body {
        /// The codes 2xx that have no body (RFC 9110, section 15.3).
        const WITHOUT_BODY: [&str; 2] = ["204", "205"];
        let content = response.get("content").and_then(Json::as_object).filter(|content| !content.is_empty());
        if WITHOUT_BODY.contains(&status) && content.is_none() || self.place.method == "HEAD" {
            let json = Json::Object([("type".to_owned(), Json::from("null"))].into_iter().collect());
            return Some(Payload { json, parts: vec![Part { prefix: String::new(), at }] });
        }
        let Some(content) = content else {
            self.loose(at, "the response has no `content`, so it can be any value");
            return None;
        };
        self.content(content, &pointer::join(&at, "content"))
    }

    /// The schema of a body with these types of content: that of JSON, if there is any.
    pub(super) fn content(&mut self, content: &'d Object, at: &str) -> Body {
        let media = Media::most_useful(content);
        let mut bodies = Vec::new();
        let mut seen = HashSet::new();
        let mut is_loose = false;
        for (name, media_type) in media.types {
            // Since OpenAPI 3.2, a type of content may be a reference.
            let (media_type, type_at) = self.resolve(media_type, pointer::join(at, name))?;
            let schema_at = pointer::join(&type_at, "schema");
            let schema = self.schema_of(media.kind, name, media_type);
            if media.kind != Media::JSON {
                self.other_body(media.kind, name, type_at, schema.is_none());
            }
            match schema {
                None => is_loose = true,
                Some(json) if seen.insert(json.canonical()) => {
                    bodies.push(Payload { json, parts: vec![Part { prefix: String::new(), at: schema_at }] });
                }
                Some(_) => {}
            }
        }
        if media.kind == Media::JSON && (bodies.len() > 1 || (is_loose && !bodies.is_empty())) {
            let message =
                "the body has several types of JSON with different schemas, and can be a value of any of them";
            self.note(codes::SEVERAL_BODIES, at.to_owned(), message, "any of these", at);
        }
        (!is_loose && !bodies.is_empty()).then(|| any_of(bodies, at.to_owned()))
    }

    /// The schema of a type of content; `None` if the body can be any value.
    fn schema_of(&mut self, kind: Media, name: &str, media_type: &'d Json) -> Option<Json> {
        let schema = media_type.get("schema");
        if kind == Media::JSON || kind == Media::FORM {
            return schema.cloned();
        }
        let resolved = schema.and_then(|schema| self.references.resolve(schema, String::new()).ok());
        let is_text = resolved.is_some_and(|(schema, _)| Media::is_string(schema));
        let text = || Json::Object([("type".to_owned(), Json::from("string"))].into_iter().collect());
        match Media::is_text(name) {
            _ if is_text => schema.cloned(),
            is_text => is_text.then(text),
        }
    }

    fn other_body(&mut self, kind: Media, name: &str, at: String, is_loose: bool) {
        let read = match (kind, is_loose) {
            (Media::FORM, _) => "a form: its fields are those of an object",
            (_, false) => "not JSON: it is a string",
            (_, true) => "not JSON: it can be any value",
        };
        let message = format!("a body of the type {} is {read}", quoted(name));
        self.note(codes::OTHER_BODY, at, &message, "not JSON", name);
    }

    fn loose(&mut self, at: String, message: &str) {
        let mut finding = Self::finding(codes::LOOSE_RESPONSE, at, message, "any value");
        finding.help = Some(LOOSE_HELP.to_owned());
        self.importer.report_once(&mut self.entry, "", finding, message.to_owned());
    }
}

/// The schema of a value that has any of the bodies. `at` is the place of all of them.
fn any_of(mut bodies: Vec<Payload>, at: String) -> Payload {
    if bodies.len() == 1
        && let Some(body) = bodies.pop()
    {
        return body;
    }
    let mut parts = vec![Part { prefix: String::new(), at }];
    let mut branches = Vec::new();
    for (index, body) in bodies.into_iter().enumerate() {
        parts.extend(body.parts_below(&pointer::join("/anyOf", &index.to_string())));
        branches.push(body.json);
    }
    Payload { json: Json::Object([("anyOf".to_owned(), Json::Array(branches))].into_iter().collect()), parts }
}
