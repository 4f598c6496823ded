//! The JSON bodies of requests and responses.

use std::collections::HashSet;

use capgen_schema::{Json, Object, pointer};

use super::operation::Operation;
use super::schema::{Part, Payload};

/// How to fix a body that is not JSON.
const HELP: &str = "describe a body of the type `application/json`, or leave the operation out with `--skip`";

/// A schema, and its pointer in the document. Without a schema, any JSON value is valid.
pub(super) type Body<'d> = (Option<&'d Json>, String);

impl<'d> Operation<'_, 'd> {
    /// The body of the request, and whether it is required; `None` if there is none.
    pub(super) fn request_body(&mut self) -> Option<(Body<'d>, bool)> {
        let at = pointer::join(&self.place.at, "requestBody");
        let (body, at) = self.resolve(self.json.get("requestBody")?, at)?;
        let is_required = body.get("required") == Some(&Json::Bool(true));
        let content = body.get("content").and_then(Json::as_object);
        let Some(content) = content.filter(|content| !content.is_empty()) else {
            self.malformed(at, "a request body must have `content`", HELP);
            return None;
        };
        Some((self.json_content(content, &pointer::join(&at, "content"))?, is_required))
    }

    /// The schema of the successful responses, the codes 2xx: that of their body, or of any of their bodies. It is
    /// `None` if they can have any body, or after an error.
    pub(super) fn response(&mut self) -> Option<Payload> {
        let at = pointer::join(&self.place.at, "responses");
        let responses = self.json.get("responses").and_then(Json::as_object);
        let mut successful: Vec<(&str, &Json)> = responses
            .into_iter()
            .flatten()
            .filter(|(status, _)| status.len() == 3 && status.starts_with('2'))
            .map(|(status, response)| (status.as_str(), response))
            .collect();
        successful.sort_by_key(|(status, _)| *status);
        if successful.is_empty() {
            let help = "describe the response 200 with its JSON body; `default` also describes errors";
            self.unsupported(at, "the operation has no successful response", help);
            return None;
        }
        let mut bodies: Vec<(Json, String)> = Vec::new();
        let mut seen = HashSet::new();
        let mut is_loose = false;
        for (status, response) in successful {
            match self.response_body(response, pointer::join(&at, status))? {
                (None, _) => is_loose = true,
                (Some(body), at) if seen.insert(body.canonical()) => bodies.push((body, at)),
                (Some(_), _) => {}
            }
        }
        (!is_loose).then(|| any_of(bodies, at))
    }

    /// The schema of the body of a response, which is `null` without a body; `None` after an error.
    fn response_body(&mut self, response: &'d Json, at: String) -> Option<(Option<Json>, String)> {
        let (response, at) = self.resolve(response, at)?;
        match response.get("content").and_then(Json::as_object).filter(|content| !content.is_empty()) {
            None => Some((Some(Json::Object([("type".to_owned(), Json::from("null"))].into_iter().collect())), at)),
            Some(content) if json_type(content).is_some() => {
                let (schema, at) = self.json_content(content, &pointer::join(&at, "content"))?;
                Some((schema.cloned(), at))
            }
            Some(_) => {
                self.unsupported(at, "the response is not JSON", HELP);
                None
            }
        }
    }

    /// The JSON body among the types of content.
    pub(super) fn json_content(&mut self, content: &'d Object, at: &str) -> Option<Body<'d>> {
        let Some((name, media_type)) = json_type(content) else {
            self.unsupported(at.to_owned(), "the content is not JSON", HELP);
            return None;
        };
        Some((media_type.get("schema"), pointer::join(&pointer::join(at, name), "schema")))
    }
}

/// The schema of a value that has any of the bodies. `at` is the place of all of them.
fn any_of(mut bodies: Vec<(Json, String)>, at: String) -> Payload {
    if bodies.len() == 1
        && let Some((json, at)) = bodies.pop()
    {
        return Payload { json, parts: vec![Part { prefix: String::new(), at }] };
    }
    let mut parts = vec![Part { prefix: String::new(), at }];
    let mut branches = Vec::new();
    for (index, (json, at)) in bodies.into_iter().enumerate() {
        parts.push(Part { prefix: pointer::join("/anyOf", &index.to_string()), at });
        branches.push(json);
    }
    Payload { json: Json::Object([("anyOf".to_owned(), Json::Array(branches))].into_iter().collect()), parts }
}

/// The type of content that is JSON: `application/json`, another one with the suffix `+json`, or any.
fn json_type(content: &Object) -> Option<(&str, &Json)> {
    let essence = |name: &str| name.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let find = |is_match: &dyn Fn(&str) -> bool| content.iter().find(|(name, _)| is_match(&essence(name)));
    let found = find(&|name| name == "application/json")
        .or_else(|| find(&|name| name.ends_with("+json")))
        .or_else(|| find(&|name| ["*/*", "application/*"].contains(&name)));
    found.map(|(name, media_type)| (name.as_str(), media_type))
}
