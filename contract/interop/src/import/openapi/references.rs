//! References to other parts of an OpenAPI document.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use capgen_diagnostic::quoted;
use capgen_manifest::Side;
use capgen_schema::{Json, Object, definition_name};

use super::http::Room;
use super::other_files::{OtherFiles, elsewhere};
use super::sides::Sides;
use crate::OPENAPI_DEFINITION_KEY;
use crate::import::unread::NoTarget;
use crate::import::{Dialect, Document};

/// How to fix a reference to another document, if it is not known why it was not read.
const ELSEWHERE: &str =
    "bundle the document, or write the files into its folder (`--root-dir`): nothing is fetched; or pass `--skip`";

/// The option that leaves out an entry with a reference that has no target.
const SKIP: &str = "or leave the operation out with `--skip`";

/// The longest chain of references. Usual chains have one or two; a cycle ends here, too.
const MAX_CHAIN: usize = 16;

/// The most values of components that are copied into capabilities. The reader of manifests does not accept more.
const MAX_VALUES: usize = 2_000_000;

/// The start of a reference to a schema among the components.
const SCHEMAS: &str = "#/components/schemas/";

/// A reference that has no target.
pub(super) struct Unresolved {
    /// The place of the reference, or of the one that it leads to.
    pub(super) at: String,
    pub(super) message: String,
    pub(super) help: String,
}

/// The document, and the parts of it that references find.
pub(super) struct References<'d> {
    document: &'d Json,
    text: &'d Document,
    schemas: HashMap<&'d str, &'d Json>,
    /// The targets of the references in each schema, and its size; found when it is first needed.
    known: HashMap<&'d str, (Vec<String>, Vec<String>, usize)>,
    room: usize,
    sides: Sides<'d>,
    /// The components as they apply to a side.
    sided: HashMap<(&'static str, String), Json>,
    /// The schemas in other files, as components.
    others: OtherFiles,
    http_room: Room,
}

/// The components that a schema uses.
pub(super) struct Used<'d> {
    /// Their names and schemas, in the order in which they are found.
    pub(super) schemas: Vec<(&'d str, &'d Json)>,
    /// The names and schemas of those in other files.
    pub(super) others: Vec<(String, &'d Json)>,
}

impl<'d> References<'d> {
    pub(super) fn of(text: &'d Document, dialect: Dialect) -> Self {
        let document = text.json();
        let schemas = document.get("components").and_then(|components| components.get("schemas")?.as_object());
        let schemas = schemas.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema)).collect();
        let sides = Sides::of(document, dialect == Dialect::OpenApi30);
        let (known, sided, others) = (HashMap::new(), HashMap::new(), OtherFiles::default());
        let http_room = Room::default();
        Self { document, text, schemas, known, room: MAX_VALUES, sides, sided, others, http_room }
    }

    /// The document.
    pub(super) fn document(&self) -> &'d Json {
        self.document
    }

    /// What may still be kept of the operations of HTTP.
    pub(super) fn http_room(&mut self) -> &mut Room {
        &mut self.http_room
    }

    /// The schemas in other files.
    pub(super) fn others(&self) -> &OtherFiles {
        &self.others
    }

    /// Whether `readOnly` or `writeOnly` may make a property optional.
    pub(super) fn have_marks(&self) -> bool {
        self.sides.is_needed()
    }

    /// The value, or the one that it refers to, with its pointer.
    ///
    /// # Errors
    ///
    /// The reason why a reference has no target.
    pub(super) fn resolve(&self, value: &'d Json, at: String) -> Result<(&'d Json, String), Unresolved> {
        let (mut value, mut at) = (value, at);
        let mut seen: Vec<String> = Vec::new();
        for _ in 0..MAX_CHAIN {
            let Some(reference) = value.get("$ref").and_then(Json::as_str) else { return Ok((value, at)) };
            if seen.contains(&at) {
                return Err(self.cycle(&seen, at));
            }
            let target = local(reference);
            let found = target.and_then(|pointer| Some((self.document.pointer(&pointer)?, pointer)));
            let Some((target, pointer)) = found else { return Err(self.no_target(reference, at)) };
            seen.push(std::mem::replace(&mut at, pointer));
            value = target;
        }
        let help = "refer to the last of them".to_owned();
        Err(Unresolved { at, message: format!("the reference leads to more than {MAX_CHAIN} others"), help })
    }

    fn no_target(&self, reference: &str, at: String) -> Unresolved {
        if let Some(NoTarget { message, help }) = self.text.no_target(&at) {
            return Unresolved { at, message, help: format!("{help}; {SKIP}") };
        }
        if reference.starts_with('#') {
            let help = format!("declare it in `components`, or correct the reference; {SKIP}");
            return Unresolved { at, message: format!("the reference {} has no target", quoted(reference)), help };
        }
        let message = "the reference leads to another document: bundle the document first".to_owned();
        Unresolved { at, message, help: ELSEWHERE.to_owned() }
    }

    /// A reference that leads to itself. `seen` has the places of the references, and `at` is one of them.
    fn cycle(&self, seen: &[String], at: String) -> Unresolved {
        let start = seen.iter().position(|place| *place == at).unwrap_or_default();
        let written = |place: &String| quoted(self.text.reference(place).unwrap_or_default());
        let names: Vec<String> = seen.get(start..).unwrap_or_default().iter().map(written).collect();
        let message = format!("the references form a cycle: {}", names.join(", which contains "));
        let help = format!("write the value in place of one of them; {SKIP}");
        Unresolved { at, message, help }
    }

    /// A schema with its components where references expect them, as both apply to a side; `None` if that takes too
    /// many steps.
    pub(super) fn with_components(&mut self, side: Side, schema: &Json, used: &Used<'d>) -> Option<Json> {
        let schema = self.sides.schema(side, schema)?;
        let schema = if used.others.is_empty() { schema } else { self.others.linked(&schema) };
        let Json::Object(mut members) = schema else { return Some(schema) };
        let mut schemas = Object::new();
        let own = used.schemas.iter().map(|(name, schema)| ((*name).to_owned(), *schema));
        for (name, schema) in own.chain(used.others.iter().cloned()) {
            let schema = match self.sided.entry((side.name(), name.clone())) {
                Entry::Occupied(known) => known.get().clone(),
                Entry::Vacant(place) => {
                    let sided = self.sides.schema(side, &without_name(schema))?;
                    let linked = if used.others.is_empty() { sided } else { self.others.linked(&sided) };
                    place.insert(linked).clone()
                }
            };
            schemas.push(name, schema);
        }
        if !schemas.is_empty() {
            let components = [("schemas".to_owned(), Json::Object(schemas))].into_iter().collect();
            members.set("components", Some(Json::Object(components)));
        }
        Some(Json::Object(members))
    }

    /// The components that a schema refers to, also through others; `None` if more values would be copied than a
    /// manifest can have. `more` are further names.
    pub(super) fn used(&mut self, schema: &Json, more: &[String]) -> Option<Used<'d>> {
        let (mut open, mut places, _) = names(schema);
        open.extend(more.iter().cloned());
        open.reverse();
        places.reverse();
        let mut seen = HashSet::new();
        let mut used = Used { schemas: Vec::new(), others: Vec::new() };
        let mut seen_places = HashSet::new();
        loop {
            let Some(name) = open.pop() else {
                // The schemas in other files come after those of the document.
                let Some(place) = places.pop() else { break };
                let found = self.document.pointer(&place).filter(|_| seen_places.insert(place.clone()));
                let Some(schema) = found else { continue };
                let (more, more_places, size) = names(schema);
                self.room = self.room.checked_sub(size)?;
                open.extend(more.into_iter().rev());
                places.extend(more_places.into_iter().rev());
                used.others.push((self.others.name(&place, &self.schemas), schema));
                continue;
            };
            let Some((name, schema)) = self.schemas.get_key_value(name.as_str()).map(|(name, schema)| (*name, *schema))
            else {
                continue;
            };
            if !seen.insert(name) {
                continue;
            }
            let (targets, elsewhere, size) = self.known.entry(name).or_insert_with(|| names(schema));
            self.room = self.room.checked_sub(*size)?;
            open.extend(targets.iter().rev().cloned());
            places.extend(elsewhere.iter().rev().cloned());
            used.schemas.push((name, schema));
        }
        Some(used)
    }
}

/// The pointer of a reference within the document.
pub(super) fn local(reference: &str) -> Option<String> {
    // The decoder of references to definitions also decodes the tokens of other pointers, one at a time.
    let tokens = reference.strip_prefix("#/")?.split('/');
    let mut pointer = String::new();
    for token in tokens {
        capgen_schema::pointer::push(&mut pointer, &definition_name(&format!("#/definitions/{token}"))?);
    }
    Some(pointer)
}

/// The name of the component that a reference leads to or into.
pub(super) fn component(reference: &str) -> Option<String> {
    let token = reference.strip_prefix(SCHEMAS)?.split('/').next()?;
    definition_name(&format!("#/definitions/{token}"))
}

/// The name of the definition in the contract of a component.
pub(super) fn definition_of<'j>(component: &'j str, schema: &'j Json) -> &'j str {
    schema.get(OPENAPI_DEFINITION_KEY).and_then(Json::as_str).unwrap_or(component)
}

/// A component's schema without the name of its definition.
pub(super) fn without_name(schema: &Json) -> Json {
    match schema {
        Json::Object(members) => {
            Json::Object(members.iter().filter(|(key, _)| key != OPENAPI_DEFINITION_KEY).cloned().collect::<Object>())
        }
        other => other.clone(),
    }
}

/// The components that a value refers to anywhere, the pointers of the places in other files that it refers to, and the
/// number of values in it.
fn names(value: &Json) -> (Vec<String>, Vec<String>, usize) {
    let (mut found, mut places) = (Vec::new(), Vec::new());
    let mut size = 0;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        size += 1;
        match value {
            Json::Object(members) => {
                let reference = members.get("$ref").and_then(Json::as_str);
                found.extend(reference.and_then(component));
                places.extend(reference.and_then(elsewhere));
                open.extend(members.iter().rev().map(|(_, value)| value));
            }
            Json::Array(items) => open.extend(items.iter().rev()),
            _ => {}
        }
    }
    (found, places, size)
}
