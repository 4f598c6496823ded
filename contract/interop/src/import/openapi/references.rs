//! References to other parts of an OpenAPI document.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use capgen_manifest::Side;
use capgen_schema::{Json, Object, definition_name};

use super::http::Room;
use super::other_files::{OtherFiles, elsewhere};
use super::sides::Sides;
use crate::OPENAPI_DEFINITION_KEY;
use crate::import::Dialect;

/// How to fix a reference.
pub(super) const HELP: &str =
    "bundle the document, or write the files into its folder (`--root-dir`): nothing is fetched; or pass `--skip`";

/// The longest chain of references. Usual chains have one or two; a cycle ends here, too.
const MAX_CHAIN: usize = 16;

/// The most values of components that are copied into capabilities. The reader of manifests does not accept more.
const MAX_VALUES: usize = 2_000_000;

/// The start of a reference to a schema among the components.
const SCHEMAS: &str = "#/components/schemas/";

/// The document, and the parts of it that references find.
pub(super) struct References<'d> {
    document: &'d Json,
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
    pub(super) fn of(document: &'d Json, dialect: Dialect) -> Self {
        let schemas = document.get("components").and_then(|components| components.get("schemas")?.as_object());
        let schemas = schemas.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema)).collect();
        let sides = Sides::of(document, dialect == Dialect::OpenApi30);
        let (known, sided, others) = (HashMap::new(), HashMap::new(), OtherFiles::default());
        let http_room = Room::default();
        Self { document, schemas, known, room: MAX_VALUES, sides, sided, others, http_room }
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
    pub(super) fn resolve(&self, value: &'d Json, at: String) -> Result<(&'d Json, String), String> {
        let (mut value, mut at) = (value, at);
        for _ in 0..MAX_CHAIN {
            let Some(reference) = value.get("$ref").and_then(Json::as_str) else { return Ok((value, at)) };
            let Some(pointer) = local(reference) else {
                return Err("the reference leads to another document: bundle the document first".to_owned());
            };
            value = self.document.pointer(&pointer).ok_or("the reference has no target")?;
            at = pointer;
        }
        Err("the reference leads to too many others".to_owned())
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
