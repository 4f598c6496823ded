//! The operation of HTTP, or the webhook, that a capability describes.

use capgen_manifest::Http;
use capgen_schema::Json;

use super::parts::code;
use super::properties::{pair, wide_pair};
use crate::html::{Html, class};
use crate::json;

/// Writes the operation. Its URLs come from the author of the contract, so they are texts and not links.
pub(super) fn operation(html: &mut Html, http: &Http) {
    let text = match http.webhook() {
        Some(_) => "A webhook: those who subscribe to it offer this capability, and the agent calls it.",
        None => "Programs can call it over HTTP. Calls over the transports of the agent do not use this.",
    };
    html.leaf("p", &[], text);
    html.element("dl", &[class("properties")], |html| {
        match (http.webhook(), http.path()) {
            (Some(name), _) => pair(html, "webhook", &[name.to_owned()]),
            (None, path) => wide_pair(html, "operation", &format!("{} {}", http.method(), path.unwrap_or_default())),
        }
        let values = [
            ("servers", texts(http.list("servers"), "url")),
            ("parameters", http.list("parameters").iter().map(parameter).collect()),
            ("body", http.get("body").map(media_types).unwrap_or_default()),
            ("responses", http.get("responses").map(responses).unwrap_or_default()),
            ("security", http.list("security").iter().map(requirement).collect()),
        ];
        for (name, values) in values.iter().filter(|(_, values)| !values.is_empty()) {
            pair(html, name, values);
        }
    });
    if let Some(schemes) = http.get("securitySchemes") {
        html.leaf("p", &[], "The security schemes:");
        code(html, |html| json::block(html, schemes));
    }
}

fn text<'j>(value: &'j Json, key: &str) -> &'j str {
    value.get(key).and_then(Json::as_str).unwrap_or_default()
}

fn texts(values: &[Json], key: &str) -> Vec<String> {
    values.iter().map(|value| text(value, key).to_owned()).collect()
}

/// The name of a parameter with its place, such as `id (path)`, and with its style or media type.
fn parameter(value: &Json) -> String {
    let parts = [text(value, "in"), text(value, "style"), text(value, "content")];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{} ({})", text(value, "name"), parts.join(", "))
}

fn media_types(body: &Json) -> Vec<String> {
    let types = body.get("mediaTypes").and_then(Json::as_array).unwrap_or_default();
    types.iter().filter_map(Json::as_str).map(str::to_owned).collect()
}

/// Each status with its media type, or with the declared error that has it.
fn responses(value: &Json) -> Vec<String> {
    let response = |(status, response): &(String, Json)| {
        let parts = [status.as_str(), text(response, "code"), text(response, "mediaType")];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    };
    value.as_object().into_iter().flatten().map(response).collect()
}

/// The names of the schemes that a requirement asks for, each with its scopes.
fn requirement(value: &Json) -> String {
    let scheme = |(name, scopes): &(String, Json)| {
        let scopes: Vec<&str> = scopes.as_array().unwrap_or_default().iter().filter_map(Json::as_str).collect();
        if scopes.is_empty() { name.clone() } else { format!("{name} ({})", scopes.join(", ")) }
    };
    let schemes: Vec<String> = value.as_object().into_iter().flatten().map(scheme).collect();
    if schemes.is_empty() { "none".to_owned() } else { schemes.join(" and ") }
}
