//! The operation of HTTP that a capability describes, as an operation of OpenAPI.
//!
//! A request is divided into parameters and a body, and the responses into statuses, exactly as an import puts them
//! together. If that does not give the same schemas, the operation is not written in this form.

use std::collections::{HashMap, HashSet};

use capgen_manifest::{DeclaredError, Http};
use capgen_schema::{Json, Object};

use super::extra::push_unless_empty;
use super::openapi::described;
use crate::import::openapi::{GROUPS, Media, closed};

/// The description of a response that has no other one.
const RESPONSE: &str = "The response";

/// The codes 2xx that have no body (RFC 9110, section 15.3).
const WITHOUT_BODY: [&str; 2] = ["204", "205"];

/// The schemas of a capability in the document; `None` for a loose side.
pub(super) struct Sides<'s> {
    pub(super) request: Option<&'s Json>,
    pub(super) response: Option<&'s Json>,
    /// The components to which references lead.
    pub(super) components: &'s Object,
}

/// The members `parameters`, `requestBody` and `responses` of an operation, as far as there are any; `None` if an
/// import of them would not give the schemas again.
pub(super) fn members(http: &Http, sides: &Sides<'_>, errors: &[DeclaredError]) -> Option<Object> {
    let Request { parameters, body } = request(http, sides)?;
    let responses = responses(http, sides, errors)?;
    let mut members = Object::new();
    if !parameters.is_empty() {
        members.push("parameters".to_owned(), Json::Array(parameters));
    }
    if let Some(body) = body {
        members.push("requestBody".to_owned(), body);
    }
    push_unless_empty(&mut members, "responses", responses);
    Some(members)
}

struct Request {
    parameters: Vec<Json>,
    body: Option<Json>,
}

fn request(http: &Http, sides: &Sides<'_>) -> Option<Request> {
    let parameters = http.list("parameters");
    let body = http.get("body");
    let Some(schema) = sides.request else {
        let is_required = |json: &Json| json.get("in").and_then(Json::as_str) == Some("path");
        let parameters = parameters.iter().map(|json| parameter(json, is_required(json), None)).collect();
        return Some(Request { parameters, body: body.map(|json| request_body(json, true, None)) });
    };
    divided(http, schema, sides).or_else(|| {
        // A required body without parameters is the request.
        let body = body.filter(|body| parameters.is_empty() && keeps(media_type(body), schema, sides))?;
        Some(Request { parameters: Vec::new(), body: Some(request_body(body, true, Some(schema))) })
    })
}

/// The members of a request, and of the groups of parameters in it.
struct Members<'s> {
    schemas: HashMap<(&'s str, &'s str), &'s Json>,
    required: HashSet<(&'s str, &'s str)>,
    body: Option<&'s Json>,
    is_body_required: bool,
}

impl<'s> Members<'s> {
    fn of(schema: &'s Json) -> Self {
        let members = |schema: &'s Json| schema.get("properties").and_then(Json::as_object).into_iter().flatten();
        let required = |schema: &'s Json| {
            schema.get("required").and_then(Json::as_array).unwrap_or_default().iter().filter_map(Json::as_str)
        };
        let mut all = Self { schemas: HashMap::new(), required: HashSet::new(), body: None, is_body_required: false };
        for (group, schema) in members(schema) {
            if group == "body" {
                all.body = Some(schema);
                continue;
            }
            all.schemas.extend(members(schema).map(|(name, schema)| ((group.as_str(), name.as_str()), schema)));
            all.required.extend(required(schema).map(|name| (group.as_str(), name)));
        }
        all.is_body_required = required(schema).any(|name| name == "body");
        all
    }
}

/// The parts of a request whose members are the groups of parameters and the body; `None` if the request has another
/// form.
fn divided(http: &Http, schema: &Json, sides: &Sides<'_>) -> Option<Request> {
    let members = Members::of(schema);
    let (mut parameters, mut properties, mut required) = (Vec::new(), Object::new(), Vec::new());
    let mut groups: HashMap<&str, (Object, Vec<Json>)> = HashMap::new();
    for json in http.list("parameters") {
        let text = |key: &str| json.get(key).and_then(Json::as_str);
        let (group, name) = (text("in")?, text("name")?);
        let schema = members.schemas.get(&(group, name))?;
        if text("content").is_some_and(|media_type| !keeps(Some(media_type), schema, sides)) {
            return None;
        }
        let is_required = group == "path" || members.required.contains(&(group, name));
        let of_group = groups.entry(group).or_default();
        of_group.0.push(name.to_owned(), (*schema).clone());
        of_group.1.extend(is_required.then(|| Json::from(name)));
        parameters.push(parameter(json, is_required, Some(schema)));
    }
    for group in GROUPS {
        if let Some((of_group, names)) = groups.remove(group) {
            required.extend((!names.is_empty()).then(|| Json::from(group)));
            properties.push(group.to_owned(), closed(of_group, names));
        }
    }
    let body = match (members.body, http.get("body")) {
        (Some(of_body), Some(body)) => {
            // Without parameters, a required body would be the request.
            let is_whole = members.is_body_required && parameters.is_empty();
            if is_whole || !keeps(media_type(body), of_body, sides) {
                return None;
            }
            required.extend(members.is_body_required.then(|| Json::from("body")));
            properties.push("body".to_owned(), of_body.clone());
            Some(request_body(body, members.is_body_required, Some(of_body)))
        }
        (None, None) => None,
        _ => return None,
    };
    (closed(properties, required) == *schema).then_some(Request { parameters, body })
}

fn parameter(json: &Json, is_required: bool, schema: Option<&Json>) -> Json {
    let mut members = Object::new();
    for key in ["name", "in"] {
        members.push(key.to_owned(), json.get(key).cloned().unwrap_or(Json::Null));
    }
    if is_required {
        members.push("required".to_owned(), Json::Bool(true));
    }
    for key in ["style", "explode", "allowReserved"] {
        members.set(key, json.get(key).cloned());
    }
    let value = schema.cloned().unwrap_or(Json::Bool(true));
    match json.get("content").and_then(Json::as_str) {
        Some(media_type) => members.push("content".to_owned(), content([media_type], Some(&value), None)),
        None => members.push("schema".to_owned(), value),
    }
    Json::Object(members)
}

fn request_body(body: &Json, is_required: bool, schema: Option<&Json>) -> Json {
    let mut members = Object::new();
    if is_required {
        members.push("required".to_owned(), Json::Bool(true));
    }
    let types = body.get("mediaTypes").and_then(Json::as_array).unwrap_or_default();
    let types = types.iter().filter_map(Json::as_str);
    members.push("content".to_owned(), content(types, schema, body.get("encoding")));
    Json::Object(members)
}

/// The media types of a value, all with its schema.
fn content<'t>(types: impl IntoIterator<Item = &'t str>, schema: Option<&Json>, encoding: Option<&Json>) -> Json {
    let mut content = Object::new();
    for name in types {
        let mut members = Object::new();
        members.set("schema", schema.cloned());
        members.set("encoding", encoding.cloned());
        content.set(name, Some(Json::Object(members)));
    }
    Json::Object(content)
}

fn media_type(body: &Json) -> Option<&str> {
    body.get("mediaTypes").and_then(Json::as_array)?.first()?.as_str()
}

/// Whether an import reads the same schema again. A value that is not JSON is a string, or any value.
fn keeps(media_type: Option<&str>, schema: &Json, sides: &Sides<'_>) -> bool {
    let Some(media_type) = media_type else { return false };
    if !Media::is_other(media_type) {
        return true;
    }
    let component = || schema.get("$ref")?.as_str()?.strip_prefix("#/components/schemas/");
    let schema = component().and_then(|name| sides.components.get(name)).unwrap_or(schema);
    Media::is_string(schema) || (*schema == Json::Bool(true) && !Media::is_text(media_type))
}

fn responses(http: &Http, sides: &Sides<'_>, errors: &[DeclaredError]) -> Option<Object> {
    let declared = http.get("responses").and_then(Json::as_object);
    let mut declared: Vec<(&str, &Json)> =
        declared.into_iter().flatten().map(|(status, response)| (status.as_str(), response)).collect();
    declared.sort_unstable_by_key(|(status, _)| *status);
    let is_only = declared.len() == 1;
    let is_successful = |status: &str| status.starts_with('2') || (is_only && status == "default");
    let successful: Vec<(&str, &Json)> = declared.iter().filter(|(status, _)| is_successful(status)).copied().collect();
    let mut responses = Object::new();
    if let Some(schema) = sides.response.filter(|_| successful.is_empty()) {
        responses.push("200".to_owned(), response(RESPONSE, Some(content(["application/json"], Some(schema), None))));
    }
    let schemas = schemas(http, &successful, sides)?;
    for ((status, declared), schema) in successful.iter().zip(schemas) {
        let media_type = declared.get("mediaType").and_then(Json::as_str);
        let content = media_type.map(|media_type| content([media_type], schema, None));
        responses.push((*status).to_owned(), response(RESPONSE, content));
    }
    for (status, declared) in declared.iter().filter(|(status, _)| !is_successful(status)) {
        let code = declared.get("code").and_then(Json::as_str);
        let error = errors.iter().find(|error| code == Some(error.code.as_str()));
        let text = error.and_then(|error| error.description.as_deref()).or(code).unwrap_or("A failure");
        let media_type = declared.get("mediaType").and_then(Json::as_str);
        responses.push((*status).to_owned(), response(text, media_type.map(|it| content([it], None, None))));
    }
    Some(responses)
}

fn response(description: &str, content: Option<Json>) -> Json {
    match content {
        Some(content) => described(description, ("content".to_owned(), content)),
        None => Json::Object([("description".to_owned(), Json::from(description))].into_iter().collect()),
    }
}

/// The schema of each successful response, of which the schema of the response is the union; `None` if it is not.
fn schemas<'s>(http: &Http, successful: &[(&str, &Json)], sides: &Sides<'s>) -> Option<Vec<Option<&'s Json>>> {
    let Some(whole) = sides.response else { return Some(vec![None; successful.len()]) };
    let media_type = |response: &Json| response.get("mediaType").is_some();
    let is_head = http.method() == "HEAD";
    let has_no_value =
        |(status, response): &(&str, &Json)| !media_type(response) && !is_head && !WITHOUT_BODY.contains(status);
    if successful.iter().any(has_no_value) || (is_head && successful.iter().any(|(_, response)| media_type(response))) {
        return None;
    }
    let union = whole.as_object().filter(|members| members.len() == 1 && successful.len() > 1);
    let union = union.and_then(|members| members.get("anyOf")?.as_array());
    let branches = union.map(|branches| branches.iter().collect::<Vec<_>>());
    let bodies: Vec<bool> = successful.iter().map(|(_, response)| media_type(response)).collect();
    let assigned =
        branches.and_then(|branches| assigned(&bodies, &branches)).or_else(|| assigned(&bodies, &[whole]))?;
    let fits = successful.iter().zip(&assigned).all(|((_, response), schema)| {
        schema.is_none_or(|schema| keeps(response.get("mediaType").and_then(Json::as_str), schema, sides))
    });
    fits.then_some(assigned)
}

/// The branch of each response that has a body, so that the union of all responses, without equal ones, has these
/// branches in this order. Responses without a body are `null`.
fn assigned<'s>(bodies: &[bool], branches: &[&'s Json]) -> Option<Vec<Option<&'s Json>>> {
    let is_null = |schema: &Json| {
        schema.as_object().is_some_and(|it| it.len() == 1) && schema.get("type").and_then(Json::as_str) == Some("null")
    };
    let distinct: HashSet<String> = branches.iter().map(|branch| branch.canonical()).collect();
    let last_empty = bodies.iter().rposition(|has_body| !has_body);
    let (mut next, mut has_null, mut all) = (0, false, Vec::with_capacity(bodies.len()));
    for (index, has_body) in bodies.iter().enumerate() {
        let branch = branches.get(next).copied();
        // A later response without a body has this branch.
        let is_reserved = !has_null && branch.is_some_and(is_null) && last_empty.is_some_and(|last| last >= index);
        if !has_body {
            if !has_null && !is_reserved {
                return None;
            }
            next += usize::from(is_reserved);
            has_null = true;
            all.push(None);
        } else if let Some(branch) = branch.filter(|_| !is_reserved) {
            has_null |= is_null(branch);
            next += 1;
            all.push(Some(branch));
        } else {
            // One response may be like an earlier one.
            all.push(Some(branches.get(next.saturating_sub(1)).copied()?));
        }
    }
    (next == branches.len() && distinct.len() == next).then_some(all)
}
