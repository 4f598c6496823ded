//! The responses of operations that fail: problem details (RFC 9457), and the declared errors among them.

use std::collections::BTreeMap;

use capgen_manifest::DeclaredError;
use capgen_schema::{Json, Object};

use super::openapi::{content, described};
use crate::carried::object_form;

/// The component that describes errors.
pub(super) const PROBLEM: &str = "Problem";

/// The responses of an operation that fails: one for each status of a declared error, and the default.
pub(super) fn responses(errors: &[DeclaredError]) -> Vec<(String, Json)> {
    let mut by_status: BTreeMap<u16, Vec<&DeclaredError>> = BTreeMap::new();
    for error in errors {
        // That of a service that may be available later, or of a conflict.
        let status = error.status.unwrap_or(if error.retryable { 503 } else { 409 });
        by_status.entry(status).or_default().push(error);
    }
    let mut responses: Vec<(String, Json)> =
        by_status.iter().map(|(status, errors)| (status.to_string(), declared(errors))).collect();
    if !by_status.keys().any(|status| (400..500).contains(status)) {
        let invalid = "The request is invalid, or the caller may not make the call";
        responses.push(("4XX".to_owned(), described(invalid, content(MEDIA_TYPE, reference()))));
    }
    let default = described("The problem that prevented a response", content(MEDIA_TYPE, reference()));
    responses.push(("default".to_owned(), default));
    responses
}

const MEDIA_TYPE: &str = "application/problem+json";

fn reference() -> Json {
    object([("$ref", Json::from(format!("#/components/schemas/{PROBLEM}").as_str()))])
}

/// The response of a status. The set of errors is open, so other problems may have the same status.
fn declared(errors: &[&DeclaredError]) -> Json {
    let lines = errors.iter().map(|error| match &error.description {
        Some(description) => format!("`{}`: {description}", error.code),
        None => format!("`{}`", error.code),
    });
    let schemas = errors.iter().map(|error| schema(error)).chain([reference()]).collect();
    described(&lines.collect::<Vec<_>>().join("\n\n"), content(MEDIA_TYPE, object([("anyOf", Json::Array(schemas))])))
}

/// The problem details of an error.
fn schema(error: &DeclaredError) -> Json {
    let mut properties = Object::new();
    properties.push("code".to_owned(), object([("const", Json::from(error.code.as_str()))]));
    let mut required = vec![Json::from("code")];
    if let Some(details) = &error.details {
        // References into definitions would point elsewhere in this document. The whole schema is in `x-capgen`.
        let is_plain = details.definitions().is_empty();
        let schema = match details.source() {
            Json::Bool(value) => object_form(*value),
            source if is_plain => source.clone(),
            _ => object_form(true),
        };
        properties.push("details".to_owned(), schema);
        required.push(Json::from("details"));
    }
    let own = object([
        ("type", Json::from("object")),
        ("properties", Json::Object(properties)),
        ("required", Json::Array(required)),
    ]);
    object([("allOf", Json::Array(vec![reference(), own]))])
}

fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// The schema of problem details ([RFC 9457 section 3.1](https://www.rfc-editor.org/rfc/rfc9457#section-3.1)).
pub(super) fn problem() -> Json {
    let text = |format: Option<&str>, description: &str| {
        let format = format.map(|format| ("format".to_owned(), Json::from(format)));
        let ty = [("type".to_owned(), Json::from("string"))];
        let description = [("description".to_owned(), Json::from(description))];
        Json::Object(ty.into_iter().chain(format).chain(description).collect())
    };
    let status = [
        ("type".to_owned(), Json::from("integer")),
        ("description".to_owned(), Json::from("The status code of HTTP.")),
    ];
    let properties = [
        ("type".to_owned(), text(Some("uri-reference"), "Identifies the type of problem.")),
        ("title".to_owned(), text(None, "The type of problem, for readers.")),
        ("status".to_owned(), Json::Object(status.into_iter().collect())),
        ("detail".to_owned(), text(None, "This occurrence of the problem, for readers.")),
        ("instance".to_owned(), text(Some("uri-reference"), "Identifies this occurrence of the problem.")),
    ];
    let problem = [
        ("type".to_owned(), Json::from("object")),
        ("properties".to_owned(), Json::Object(properties.into_iter().collect())),
    ];
    Json::Object(problem.into_iter().collect())
}
