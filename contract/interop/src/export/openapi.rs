//! A contract as a document of OpenAPI 3.1.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use capgen_diagnostic::cut_short;
use capgen_manifest::{About, Capability, Contact, Http, HttpDefaults, Manifest, Side};
use capgen_schema::{Json, Kind, NodeId, Object, pointer};

use super::components::{Components, Placed};
use super::extra::{extra, push_unless_empty, revision};
use super::problems::{self, PROBLEM, problem};
use super::rights::Rights;
use super::{Export, Loss, http, versions};
use crate::OPENAPI_KEY;
use crate::import::Kept;
use crate::operation::Route;

/// A document of OpenAPI 3.1 with one operation for each capability: the one in its `http`, or the method and path of
/// `wireName` if it has these, otherwise `POST /capabilities/<name>`. Errors have the form of [RFC 9457](https://www.rfc-editor.org/rfc/rfc9457);
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
    let mut document = Document::of(manifest);
    for (index, capability) in manifest.capabilities.iter().enumerate() {
        losses.extend(document.add(index, capability));
        losses.extend(Side::ALL.into_iter().flat_map(|side| marks_of_required(capability, side)));
    }
    Export { document: document.finish(manifest), losses }
}

/// A document that is being written.
struct Document<'m> {
    components: Components<'m>,
    schemes: HashMap<&'m str, &'m Json>,
    routes: HashSet<Route>,
    operations: Vec<Written<'m>>,
}

/// An operation that is written apart from its servers and requirements.
struct Written<'m> {
    route: Route,
    members: Object,
    /// The operation of HTTP that it is; `None` for an operation with which the agent is called.
    http: Option<&'m Http>,
    capability: &'m Capability,
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

impl<'m> Document<'m> {
    fn of(manifest: &'m Manifest) -> Self {
        let (schemes, routes) = (HashMap::new(), HashSet::new());
        Self { components: Components::of(manifest, PROBLEM), schemes, routes, operations: Vec::new() }
    }

    /// Adds the operation of a capability.
    fn add(&mut self, index: usize, capability: &'m Capability) -> Vec<Loss> {
        let mut operation = Operation::of((index, capability), &mut self.components);
        let mut losses = Vec::new();
        let given = capability.http.as_ref().and_then(|http| Some((http, self.given(http, capability, &operation)?)));
        if let Some((http, (route, members))) = given {
            if capability.wire_name.as_ref().is_some_and(|name| *name != route.wire_name()) {
                losses.push(Loss::of_wire_name(capability, &format!("the operation is `{}`", route.wire_name())));
            }
            operation.mark.set(Http::KEY, Some(Json::from(Kept::OPERATION)));
            let members = operation.finish(capability, members);
            self.push(Written { route, members, http: Some(http), capability });
            return losses;
        }
        if capability.http.is_some() {
            losses.push(Loss::of_http(capability));
            // An import of the operation would not give it.
            operation.mark.set("wireName", capability.wire_name.as_deref().map(Json::from));
        }
        let own = Route::of_capability(capability);
        let wired = capability.wire_name.as_deref().and_then(Route::with_body).filter(|route| {
            // A path of its own is never that of another capability by default.
            capability.http.is_none() && !route.path.starts_with(Route::PREFIX) && !self.routes.contains(route)
        });
        if capability.wire_name.is_some() && wired.is_none() {
            losses.push(Loss::of_wire_name(capability, &format!("the operation is `{}`", own.wire_name())));
        }
        let members = operation.called(capability);
        let members = operation.finish(capability, members);
        self.push(Written { route: wired.unwrap_or(own), members, http: None, capability });
        losses
    }

    /// The route and the members of the operation of HTTP that a capability describes; `None` if the document cannot
    /// have it, or an import would not give the same capability.
    fn given(&mut self, http: &'m Http, capability: &Capability, operation: &Operation) -> Option<(Route, Object)> {
        let route = Route::of_http(http);
        let schemes = || http.get("securitySchemes").and_then(Json::as_object).into_iter().flatten();
        let is_free = route.is_webhook || !route.path.starts_with(Route::PREFIX);
        let is_known =
            |(name, scheme): &(String, Json)| self.schemes.get(name.as_str()).is_none_or(|known| *known == scheme);
        if !is_free || !route.is_of_openapi_3_1() || self.routes.contains(&route) || !schemes().all(is_known) {
            return None;
        }
        let [request, response] = [&operation.request, &operation.response].map(Option::as_ref);
        let sides = http::Sides { request, response, components: &self.components.schemas };
        let members = http::members(http, &sides, &capability.errors)?;
        self.schemes.extend(schemes().map(|(name, scheme)| (name.as_str(), scheme)));
        Some((route, members))
    }

    fn push(&mut self, written: Written<'m>) {
        self.routes.insert(written.route.clone());
        self.operations.push(written);
    }

    fn finish(self, manifest: &Manifest) -> Json {
        let Self { components, schemes, operations, .. } = self;
        let defaults = HttpDefaults::of(operations.iter().filter_map(|operation| operation.http));
        let has_problems = operations.iter().any(|operation| operation.http.is_none());
        let mut schemes: Vec<(String, Json)> =
            schemes.into_iter().map(|(name, scheme)| (name.to_owned(), scheme.clone())).collect();
        schemes.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let mut rights = Rights::new(&schemes);
        let (mut paths, mut webhooks) = (Paths::default(), Paths::default());
        for Written { route, mut members, http, capability } in operations {
            for (key, value) in places_of(http, &defaults) {
                members.push(key.to_owned(), value);
            }
            // Callers of an operation of HTTP prove their rights as it states.
            if http.is_none()
                && let Some(security) = rights.requirements(capability)
            {
                members.set("security", Some(security));
            }
            let place = if route.is_webhook { &mut webhooks } else { &mut paths };
            place.push(&route, members);
        }
        schemes.extend(rights.scheme());
        let mut components = components.schemas;
        if has_problems {
            components.push(PROBLEM.to_owned(), problem());
        }
        let mut parts = Object::new();
        push_unless_empty(&mut parts, "schemas", components);
        push_unless_empty(&mut parts, "securitySchemes", schemes.into_iter().collect());
        let mut document = head(manifest);
        for key in PLACES {
            let default = if key == "servers" { own_server() } else { Json::Array(Vec::new()) };
            document.push(key.to_owned(), defaults.definition().get(key).cloned().unwrap_or(default));
        }
        document.push("paths".to_owned(), Json::Object(paths.finish()));
        push_unless_empty(&mut document, "webhooks", webhooks.finish());
        push_unless_empty(&mut document, "components", parts);
        Json::Object(document)
    }
}

/// The server that a document without one has by the rules of OpenAPI: that of the document.
fn own_server() -> Json {
    let server = [("url".to_owned(), Json::from("/"))].into_iter().collect();
    Json::Array(vec![Json::Object(server)])
}

/// The keys of an operation that a document may have too, for all operations.
const PLACES: [&str; 2] = ["servers", "security"];

/// The servers and requirements of an operation, as far as they are not those of the document.
fn places_of(http: Option<&Http>, defaults: &HttpDefaults) -> Vec<(&'static str, Json)> {
    let own = http.map(|http| defaults.own(http));
    let value = |key: &'static str| match &own {
        // The server of the document is not a part of the operation that the capability describes.
        Some(own) if key == "servers" && own.get(key).is_none() && defaults.definition().get(key).is_none() => {
            Some((key, Json::Array(Vec::new())))
        }
        Some(own) => own.get(key).cloned().map(|value| (key, value)),
        // The operations of the agent are not on the servers of others.
        None => defaults.definition().get(key).map(|_| (key, Json::Array(Vec::new()))),
    };
    PLACES.into_iter().filter_map(value).collect()
}

fn head(manifest: &Manifest) -> Object {
    let text = |text: &str| Json::from(text);
    let about = &manifest.about;
    let mut info = Object::new();
    info.push("title".to_owned(), text(manifest.agent.as_str()));
    if let Some(description) = &about.description {
        info.push("description".to_owned(), text(description));
    }
    push_unless_empty(&mut info, "contact", contact(about));
    info.push("version".to_owned(), text(revision(manifest).as_str()));
    let agent: Object = [("agent".to_owned(), text(manifest.agent.as_str()))].into_iter().collect();
    let mut head = Object::new();
    head.push("openapi".to_owned(), text("3.1.0"));
    head.push("info".to_owned(), Json::Object(info));
    if let Some(url) = &about.documentation {
        let link: Object = [("url".to_owned(), text(url.as_str()))].into_iter().collect();
        head.push("externalDocs".to_owned(), Json::Object(link));
    }
    head.push(OPENAPI_KEY.to_owned(), Json::Object(agent));
    head
}

/// The owner and the address of the owner.
fn contact(about: &About) -> Object {
    let mut contact = Object::new();
    if let Some(owner) = &about.owner {
        contact.push("name".to_owned(), Json::from(owner.as_str()));
    }
    match &about.contact {
        Some(Contact::Url(url)) => contact.push("url".to_owned(), Json::from(url.as_str())),
        Some(Contact::Email(email)) => contact.push("email".to_owned(), Json::from(email.as_str())),
        None => {}
    }
    contact
}

/// The operations by path, in the order of the first one of each.
#[derive(Default)]
struct Paths {
    items: Vec<(String, Object)>,
    indexes: HashMap<String, usize>,
}

impl Paths {
    fn push(&mut self, route: &Route, operation: Object) {
        let next = self.items.len();
        let index = *self.indexes.entry(route.path.clone()).or_insert(next);
        if index == next {
            self.items.push((route.path.clone(), Object::new()));
        }
        if let Some((_, item)) = self.items.get_mut(index) {
            item.push(route.method.to_ascii_lowercase(), Json::Object(operation));
        }
    }

    fn finish(self) -> Object {
        self.items.into_iter().map(|(path, item)| (path, Json::Object(item))).collect()
    }
}

/// The parts of an operation that do not depend on its route.
struct Operation {
    mark: Object,
    /// The schemas in the document; `None` for a loose side.
    request: Option<Json>,
    response: Option<Json>,
}

impl Operation {
    fn of<'m>((index, capability): (usize, &'m Capability), components: &mut Components<'m>) -> Self {
        let mut mark = extra(capability, &["description", "tags", "wireName"]);
        let (mut restore, mut unused) = (Object::new(), Object::new());
        let mut side = |side: Side, mark: &mut Object| {
            let Some(schema) = capability.schema(side) else {
                mark.push(side.name().to_owned(), Json::from("loose"));
                return None;
            };
            let placed: Placed = components.place((index, side), schema.source());
            push_unless_empty(&mut restore, side.name(), placed.restore);
            if let Some(names) = placed.unused {
                unused.push(side.name().to_owned(), Json::Array(names));
            }
            Some(placed.schema)
        };
        let request = side(Side::Request, &mut mark);
        let response = side(Side::Response, &mut mark);
        push_unless_empty(&mut mark, "definitions", unused);
        push_unless_empty(&mut mark, "restore", restore);
        Self { mark, request, response }
    }

    /// The body and the responses of an operation with which an agent is called.
    fn called(&mut self, capability: &Capability) -> Object {
        let [request, response] =
            [&mut self.request, &mut self.response].map(|it| it.take().unwrap_or(Json::Object(Object::new())));
        let body = [("required".to_owned(), Json::Bool(true)), content("application/json", request)];
        let success = ("200".to_owned(), described("The response", content("application/json", response)));
        let responses = [success].into_iter().chain(problems::responses(&capability.errors)).collect();
        let members = [
            ("requestBody".to_owned(), Json::Object(body.into_iter().collect())),
            ("responses".to_owned(), Json::Object(responses)),
        ];
        members.into_iter().collect()
    }

    fn finish(self, capability: &Capability, members: Object) -> Object {
        let mut operation = Object::new();
        operation.push("operationId".to_owned(), Json::from(capability.name.as_str()));
        operation.push("summary".to_owned(), Json::from(summary(capability).as_ref()));
        if let Some(description) = &capability.description {
            operation.push("description".to_owned(), Json::from(description.as_str()));
        }
        if !capability.tags.is_empty() {
            let tags = capability.tags.iter().map(|tag| Json::from(tag.as_str())).collect();
            operation.push("tags".to_owned(), Json::Array(tags));
        }
        operation.push(OPENAPI_KEY.to_owned(), Json::Object(self.mark));
        for (key, value) in &members {
            operation.push(key.clone(), value.clone());
        }
        operation
    }
}

/// The first sentence of the description, or else the name.
fn summary(capability: &Capability) -> Cow<'_, str> {
    /// The longest summary, in characters: lists of operations show it on one line.
    const MAX_SUMMARY: usize = 120;
    let line = capability.description.as_deref().and_then(|text| text.trim().lines().next()).unwrap_or_default();
    let sentence = line.split_inclusive(". ").next().unwrap_or_default().trim();
    if sentence.is_empty() { Cow::from(capability.name.as_str()) } else { cut_short(sentence, MAX_SUMMARY) }
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
