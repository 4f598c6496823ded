//! The JSON bodies of requests and responses.

use capgen_schema::{Json, Object, pointer};

use super::operation::Operation;

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

    /// The schema of the lowest successful response with a body; `None` if it has none, or after an error.
    pub(super) fn response(&mut self) -> Option<(Json, String)> {
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
            // Some documents describe only this one.
            successful.extend(responses.and_then(|all| all.get("default")).map(|response| ("default", response)));
        }
        if successful.is_empty() {
            let help = "describe the response 200 with its JSON body";
            self.unsupported(at, "the operation has no successful response", help);
            return None;
        }
        let mut other = None;
        for (status, response) in successful {
            let at = pointer::join(&at, status);
            let (response, at) = self.resolve(response, at)?;
            match response.get("content").and_then(Json::as_object).filter(|content| !content.is_empty()) {
                None => {}
                Some(content) if json_type(content).is_some() => {
                    let (schema, at) = self.json_content(content, &pointer::join(&at, "content"))?;
                    return schema.map(|schema| (schema.clone(), at));
                }
                Some(_) => other = other.or(Some(at)),
            }
        }
        match other {
            Some(at) => {
                self.unsupported(at, "the response is not JSON", HELP);
                None
            }
            // No content: the response is `null`.
            None => Some((Json::Object([("type".to_owned(), Json::from("null"))].into_iter().collect()), at)),
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

/// The type of content that is JSON: `application/json`, another one with the suffix `+json`, or any.
fn json_type(content: &Object) -> Option<(&str, &Json)> {
    let essence = |name: &str| name.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let find = |is_match: &dyn Fn(&str) -> bool| content.iter().find(|(name, _)| is_match(&essence(name)));
    let found = find(&|name| name == "application/json")
        .or_else(|| find(&|name| name.ends_with("+json")))
        .or_else(|| find(&|name| ["*/*", "application/*"].contains(&name)));
    found.map(|(name, media_type)| (name.as_str(), media_type))
}
