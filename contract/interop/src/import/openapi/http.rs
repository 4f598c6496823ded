//! The operation of HTTP, kept as data: the key `http` of the capability.
//!
//! Extensions, and texts about single parameters, are left out. So are servers and requirements that a manifest cannot
//! have, such as a URL with a password, each with a warning.

use std::collections::{HashMap, HashSet};

use capgen_diagnostic::quoted;
use capgen_manifest::Http;
use capgen_schema::{Json, Object, pointer};

use super::operation::Operation;
use crate::codes;
use crate::import::mark::Kept;

/// The name of a scheme in a requirement, with its scopes and the scheme.
type Requirement = (String, (Json, Json));

/// How much may still be kept of a document, by the limits of the reader of manifests.
pub(super) struct Room {
    values: usize,
    bytes: usize,
}

/// The parts of an operation that its capability keeps.
#[derive(Default)]
pub(super) struct Described {
    pub(super) parameters: Vec<Json>,
    pub(super) body: Option<Json>,
    pub(super) responses: Object,
}

impl Default for Room {
    fn default() -> Self {
        Self { values: Http::MAX_VALUES, bytes: Http::MAX_BYTES }
    }
}

impl Room {
    /// Takes the room of a value; `false` if there is too little.
    fn take(&mut self, value: &Json) -> bool {
        let (values, bytes) = Http::size(value);
        (self.values, self.bytes) = (self.values.saturating_sub(values), self.bytes.saturating_sub(bytes));
        !self.is_full()
    }

    fn is_full(&self) -> bool {
        self.values == 0 || self.bytes == 0
    }
}

impl<'d> Operation<'_, 'd> {
    /// The key `http` of the capability; `None` for an operation that capgen made for a capability without one.
    pub(super) fn http(&mut self) -> Option<Http> {
        match self.mark.as_ref().map(|mark| mark.http.clone()) {
            Some(Kept::Nothing) => return None,
            Some(Kept::Value(http)) => return Some(http),
            Some(Kept::Operation) | None => {}
        }
        // Nothing is collected in vain: every operation may have everything that the document declares.
        let is_full = self.references.http_room().is_full();
        let servers = if is_full { Vec::new() } else { self.servers() };
        let (security, schemes) = if is_full { Default::default() } else { self.security() };
        let described = std::mem::take(&mut self.described);
        let list = |items: Vec<Json>| (!items.is_empty()).then_some(Json::Array(items));
        let object = |members: Object| (!members.is_empty()).then_some(Json::Object(members));
        let method = self.place.method;
        let members = [
            ("method", (!self.place.is_webhook || method != "POST").then(|| Json::from(method))),
            (if self.place.is_webhook { "webhook" } else { "path" }, Some(Json::from(self.place.path))),
            ("servers", list(servers)),
            ("security", list(security)),
            ("securitySchemes", object(schemes)),
            ("parameters", list(described.parameters)),
            ("body", described.body),
            ("responses", object(described.responses)),
        ];
        let members = members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        let definition = Http::known(&Json::Object(members.collect()));
        if is_full || !self.references.http_room().take(&definition) {
            let message = "the servers and security schemes of all operations are too large to be kept";
            self.left_out(self.place.at.clone(), message, String::new());
            return None;
        }
        match Http::from_definition(&definition) {
            Ok(http) => Some(http),
            Err(problems) => {
                let reason = problems.first().map(ToString::to_string).unwrap_or_default();
                let message = format!("the operation of HTTP is not kept: {reason}");
                self.left_out(self.place.at.clone(), &message, self.place.at.clone());
                None
            }
        }
    }

    /// The servers of the operation, or else of its path, or else of the document.
    fn servers(&mut self) -> Vec<Json> {
        let places = [
            (self.json.get("servers"), self.place.at.clone()),
            (self.place.item.get("servers"), self.place.item_at.clone()),
            (self.references.document().get("servers"), String::new()),
        ];
        let Some((servers, at)) = places.into_iter().find_map(|(servers, at)| Some((servers?, at))) else {
            return Vec::new();
        };
        let at = pointer::join(&at, "servers");
        let mut kept = Vec::new();
        for (index, server) in servers.as_array().unwrap_or_default().iter().enumerate() {
            match part("servers", Json::Array(vec![server.clone()])) {
                Ok(Json::Array(server)) => kept.extend(server),
                Ok(_) => {}
                Err(reason) => {
                    let at = pointer::join(&at, &index.to_string());
                    self.left_out(at.clone(), &format!("a server is left out: {reason}"), at);
                }
            }
        }
        kept
    }

    /// The requirements of the operation, or else of the document, and the schemes that they name.
    fn security(&mut self) -> (Vec<Json>, Object) {
        let document = self.references.document();
        let (security, at) = match self.json.get("security") {
            Some(security) => (Some(security), pointer::join(&self.place.at, "security")),
            None => (document.get("security"), "/security".to_owned()),
        };
        let declared = document.pointer("/components/securitySchemes").and_then(Json::as_object);
        let declared: HashMap<&str, &'d Json> =
            declared.into_iter().flatten().map(|(name, scheme)| (name.as_str(), scheme)).collect();
        let (mut kept, mut schemes, mut known) = (Vec::new(), Object::new(), HashSet::new());
        for (index, requirement) in security.and_then(Json::as_array).unwrap_or_default().iter().enumerate() {
            let at = pointer::join(&at, &index.to_string());
            let found = match requirement.as_object() {
                Some(names) => self.requirement(names, &declared),
                None => Err("it is not an object".to_owned()),
            };
            let found = match found {
                Ok(found) => found,
                Err(reason) => {
                    self.left_out(at.clone(), &format!("a security requirement is left out: {reason}"), at);
                    continue;
                }
            };
            let mut one = Object::new();
            for (name, (scopes, scheme)) in found {
                if known.insert(name.clone()) {
                    schemes.push(name.clone(), scheme);
                }
                one.push(name, scopes);
            }
            kept.push(Json::Object(one));
        }
        (kept, schemes)
    }

    /// The scopes and the scheme of each name in a requirement.
    fn requirement(&self, names: &Object, declared: &HashMap<&str, &'d Json>) -> Result<Vec<Requirement>, String> {
        let mut found = Vec::new();
        for (name, scopes) in names {
            let scheme = declared.get(name.as_str());
            let scheme = scheme.and_then(|scheme| self.references.resolve(scheme, String::new()).ok());
            let texts = scopes.as_array().unwrap_or_default().iter().filter(|scope| scope.as_str().is_some());
            let one = Json::Object([(name.clone(), Json::Array(texts.cloned().collect()))].into_iter().collect());
            let own = scheme.map(|(scheme, _)| [(name.clone(), scheme.clone())].into_iter().collect::<Object>());
            let pair = with_schemes(one, own.unwrap_or_default()).map_err(|why| format!("{}: {why}", quoted(name)))?;
            found.push((name.clone(), pair));
        }
        Ok(found)
    }

    /// Reports a part that the manifest does not have, once for each subject.
    fn left_out(&mut self, at: String, message: &str, subject: String) {
        let finding = Self::finding(codes::HTTP_LEFT_OUT, at, message, "left out");
        self.importer.report_once(&mut self.entry, "", finding, subject);
    }
}

/// A value of a key as the manifest has it.
///
/// # Errors
///
/// The reason why a manifest cannot have it.
fn part(key: &str, value: Json) -> Result<Json, String> {
    checked([(key, value)]).map(|http| http.get(key).cloned().unwrap_or(Json::Null))
}

/// The scopes of a requirement with one scheme, and the scheme.
fn with_schemes(requirement: Json, schemes: Object) -> Result<(Json, Json), String> {
    let members = [("security", Json::Array(vec![requirement])), ("securitySchemes", Json::Object(schemes))];
    let http = checked(members)?;
    let first = |value: Option<&Json>| value?.as_object()?.iter().next().map(|(_, value)| value.clone());
    let scopes = first(http.list("security").first()).unwrap_or(Json::Array(Vec::new()));
    Ok((scopes, first(http.get("securitySchemes")).unwrap_or(Json::Null)))
}

fn checked<const N: usize>(members: [(&str, Json); N]) -> Result<Http, String> {
    let target = [("webhook", Json::from("part"))];
    let members = target.into_iter().chain(members).map(|(key, value)| (key.to_owned(), value));
    Http::from_definition(&Http::known(&Json::Object(members.collect())))
        .map_err(|problems| problems.first().map(ToString::to_string).unwrap_or_default())
}

/// The parameter as the key `http` has it: its name and place, and whatever differs from the defaults of its place.
pub(super) fn parameter(json: &Json, name: &str, place: &'static str, media_type: Option<&str>) -> Json {
    let mut members = Object::new();
    members.push("name".to_owned(), Json::from(name));
    members.push("in".to_owned(), Json::from(place));
    match media_type {
        Some(media_type) => members.push("content".to_owned(), Json::from(media_type)),
        None => style(json, place, &mut members),
    }
    Json::Object(members)
}

/// Adds the keys of a style that differ from the defaults of a place.
fn style(json: &Json, place: &str, members: &mut Object) {
    let default = if place == "query" || place == "cookie" { "form" } else { "simple" };
    let style = json.get("style").and_then(Json::as_str).filter(|style| Http::is_style(style, place));
    if let Some(style) = style.filter(|style| *style != default) {
        members.push("style".to_owned(), Json::from(style));
    }
    let flag = |key: &str| if let Some(Json::Bool(value)) = json.get(key) { Some(*value) } else { None };
    let is_exploded = matches!(style.unwrap_or(default), "form" | "cookie");
    if let Some(explode) = flag("explode").filter(|explode| *explode != is_exploded) {
        members.push("explode".to_owned(), Json::Bool(explode));
    }
    if flag("allowReserved") == Some(true) {
        members.push("allowReserved".to_owned(), Json::Bool(true));
    }
}

/// The body as the key `http` has it.
pub(super) fn body(types: &[(&str, &Json)], is_form: bool) -> Json {
    let mut members = Object::new();
    let names = types.iter().map(|(name, _)| Json::from(*name)).collect();
    members.push("mediaTypes".to_owned(), Json::Array(names));
    let encoding = types.iter().filter(|_| is_form).find_map(|(_, media_type)| media_type.get("encoding")?.as_object());
    let fields = encoding.into_iter().flatten().map(|(field, encoding)| {
        let mut members = Object::new();
        if let Some(media_type) = encoding.get("contentType").filter(|value| value.as_str().is_some()) {
            members.push("contentType".to_owned(), media_type.clone());
        }
        style(encoding, "query", &mut members);
        (field.clone(), Json::Object(members))
    });
    let fields: Object = fields.filter(|(_, field)| field.as_object().is_some_and(|field| !field.is_empty())).collect();
    if !fields.is_empty() {
        members.push("encoding".to_owned(), Json::Object(fields));
    }
    Json::Object(members)
}
