//! A contract as a document of OpenAPI 3.1.

use std::collections::HashSet;

use capgen_manifest::{Capability, Manifest, Side};
use capgen_schema::{Json, Kind, NodeId, Object, pointer};

use super::components::{Components, Placed};
use super::extra::{extra, push_unless_empty, revision};
use super::problems::{self, PROBLEM, problem};
use super::{Export, Loss, versions};
use crate::OPENAPI_KEY;
use crate::operation::Route;

/// A document of OpenAPI 3.1 with one operation for each capability: the method and path of `wireName` if it has these,
/// otherwise `POST /capabilities/<name>`. Errors have the form of [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457);
/// each declared error is described at its status, which is 409 by default, or 503 if a retry helps.
///
/// Definitions are members of `components.schemas`; those that all schemas share are one component. Whatever OpenAPI
/// cannot express is in the member `x-capgen` of the operation, so that an import gives a contract with the same hash.
///
/// ```
/// use capgen_manifest::{Source, load};
/// let text = "\
/// version: 1
/// agent: agent://shop
/// transports: [{ kind: memory, topics: { requests: shop } }]
/// capabilities: [{ name: find, inputSchema: { type: string } }]
/// ";
/// let contract = load(&Source::new("capabilities.yaml", text)).unwrap();
/// let document = capgen_interop::openapi(&contract.manifest).document;
/// assert!(document.pointer("/paths/~1capabilities~1find/post/requestBody").is_some());
/// ```
pub fn openapi(manifest: &Manifest) -> Export {
    let (manifest, mut losses) = versions::plain(manifest);
    let manifest = manifest.as_ref();
    let mut components = Components::of(manifest, PROBLEM);
    let mut paths = Object::new();
    let mut routes = HashSet::new();
    for (index, capability) in manifest.capabilities.iter().enumerate() {
        let own = Route::of_capability(capability);
        let wired = capability.wire_name.as_deref().and_then(Route::with_body).filter(|route| {
            // A path of its own is never that of another capability by default.
            !route.path.starts_with(Route::PREFIX) && !routes.contains(route)
        });
        if capability.wire_name.is_some() && wired.is_none() {
            losses.push(Loss::of_wire_name(capability, &format!("the operation is `{}`", own.wire_name())));
        }
        let route = wired.unwrap_or(own);
        losses.extend(Side::ALL.into_iter().flat_map(|side| marks_of_required(capability, side)));
        let operation = operation((index, capability), &mut components);
        push_operation(&mut paths, &route, operation);
        routes.insert(route);
    }
    let mut schemas = components.schemas;
    schemas.push(PROBLEM.to_owned(), problem());
    let components = [("schemas".to_owned(), Json::Object(schemas))].into_iter().collect();
    let info = [
        ("title".to_owned(), Json::from(manifest.agent.as_str())),
        ("version".to_owned(), Json::from(revision(manifest).as_str())),
    ];
    let agent = [("agent".to_owned(), Json::from(manifest.agent.as_str()))].into_iter().collect();
    let document = [
        ("openapi".to_owned(), Json::from("3.1.0")),
        ("info".to_owned(), Json::Object(info.into_iter().collect())),
        (OPENAPI_KEY.to_owned(), Json::Object(agent)),
        ("paths".to_owned(), Json::Object(paths)),
        ("components".to_owned(), Json::Object(components)),
    ];
    Export { document: Json::Object(document.into_iter().collect()), losses }
}

/// The required properties of a side that readers of OpenAPI do not require there, because of `readOnly` or
/// `writeOnly`.
fn marks_of_required(capability: &Capability, side: Side) -> Vec<Loss> {
    let Some(schema) = capability.schema(side) else { return Vec::new() };
    let is_marked = |id: NodeId| {
        let annotations = [id, schema.resolve(id)].map(|id| &schema.node(id).annotations);
        annotations.into_iter().any(|annotations| match side {
            Side::Request => annotations.read_only,
            Side::Response => annotations.write_only,
        })
    };
    let mark = if side == Side::Request { "readOnly" } else { "writeOnly" };
    let mut losses = Vec::new();
    for (_, node) in schema.nodes() {
        let Kind::Assertions(group) = &node.kind else { continue };
        let required: HashSet<&str> = group.required.iter().map(String::as_str).collect();
        for (name, _) in group.properties.iter().filter(|(name, id)| required.contains(name.as_str()) && is_marked(*id))
        {
            losses.push(Loss {
                capability: capability.name.clone(),
                side: Some(side),
                pointer: pointer::join(&pointer::join(&node.pointer, "properties"), name),
                message: format!("`{mark}`: in OpenAPI, the property is not required in a {}", side.name()),
            });
        }
    }
    losses
}

fn push_operation(paths: &mut Object, route: &Route, operation: Json) {
    if paths.get(&route.path).is_none() {
        paths.push(route.path.clone(), Json::Object(Object::new()));
    }
    if let Some(Json::Object(item)) = paths.get_mut(&route.path) {
        item.push(route.method.clone(), operation);
    }
}

fn operation<'m>((index, capability): (usize, &'m Capability), components: &mut Components<'m>) -> Json {
    let mut mark = extra(capability, &["description", "tags", "wireName"]);
    let mut restore = Object::new();
    let mut unused = Object::new();
    let mut side = |side: Side, mark: &mut Object| {
        let Some(schema) = capability.schema(side) else {
            mark.push(side.name().to_owned(), Json::from("loose"));
            return Json::Object(Object::new());
        };
        let placed: Placed = components.place((index, side), schema.source());
        push_unless_empty(&mut restore, side.name(), placed.restore);
        if let Some(names) = placed.unused {
            unused.push(side.name().to_owned(), Json::Array(names));
        }
        placed.schema
    };
    let request = side(Side::Request, &mut mark);
    let response = side(Side::Response, &mut mark);
    push_unless_empty(&mut mark, "definitions", unused);
    push_unless_empty(&mut mark, "restore", restore);
    let mut operation = Object::new();
    operation.push("operationId".to_owned(), Json::from(capability.name.as_str()));
    if let Some(description) = &capability.description {
        operation.push("description".to_owned(), Json::from(description.as_str()));
    }
    if !capability.tags.is_empty() {
        let tags = capability.tags.iter().map(|tag| Json::from(tag.as_str())).collect();
        operation.push("tags".to_owned(), Json::Array(tags));
    }
    operation.push(OPENAPI_KEY.to_owned(), Json::Object(mark));
    let body = [("required".to_owned(), Json::Bool(true)), content("application/json", request)];
    operation.push("requestBody".to_owned(), Json::Object(body.into_iter().collect()));
    let success = ("200".to_owned(), described("The response", content("application/json", response)));
    let responses = [success].into_iter().chain(problems::responses(&capability.errors)).collect();
    operation.push("responses".to_owned(), Json::Object(responses));
    Json::Object(operation)
}

pub(super) fn described(description: &str, content: (String, Json)) -> Json {
    Json::Object([("description".to_owned(), Json::from(description)), content].into_iter().collect())
}

/// The member `content` with one media type.
pub(super) fn content(media_type: &str, schema: Json) -> (String, Json) {
    let schema = [("schema".to_owned(), schema)].into_iter().collect();
    let types = [(media_type.to_owned(), Json::Object(schema))].into_iter().collect();
    ("content".to_owned(), Json::Object(types))
}
