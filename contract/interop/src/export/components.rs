//! The definitions of all schemas of a contract as named components of one document.

use std::collections::{HashMap, HashSet};

use capgen_manifest::{Manifest, Side};
use capgen_schema::{Json, Object, Subschemas, definition_name, pointer};

use crate::OPENAPI_DEFINITION_KEY;
use crate::carried::{Carrier, object_form};

/// The longest name of a component, in characters, without the number that makes it unique. Usual names of capabilities
/// are far shorter; each reference repeats the name.
const MAX_NAME: usize = 120;

/// A side of a capability, by the index of the capability.
type Place = (usize, Side);

/// The names of components, and their schemas.
pub(crate) struct Components<'m> {
    /// The component of each definition that differs between sides.
    own: HashMap<Place, HashMap<&'m str, String>>,
    /// The component of each definition that is the same on all sides.
    shared: HashMap<&'m str, String>,
    /// The components.
    pub(crate) schemas: Object,
    written: HashSet<String>,
}

/// A schema in the document, and its differences from the contract.
pub(crate) struct Placed {
    pub(crate) schema: Json,
    pub(crate) restore: Object,
    /// The components of the definitions, if they are not those that the schema refers to.
    pub(crate) unused: Option<Vec<Json>>,
}

impl<'m> Components<'m> {
    /// Assigns the names. `reserved` is a name that no definition gets. Takes time linear in the contract, apart from
    /// hashing.
    pub(crate) fn of(manifest: &'m Manifest, reserved: &str) -> Self {
        let shared_names = shared(manifest);
        let mut names = Names { taken: HashSet::from([reserved.to_owned()]) };
        let mut components =
            Self { own: HashMap::new(), shared: HashMap::new(), schemas: Object::new(), written: HashSet::new() };
        for (place, source) in sides(manifest) {
            for (name, _) in definitions(source) {
                if shared_names.contains(name.as_str()) {
                    components.shared.entry(name).or_insert_with(|| names.unique(name));
                } else {
                    let capability = manifest.capabilities.get(place.0).map_or("", |c| c.name.as_str());
                    let long = format!("{capability}.{}.{name}", place.1.name());
                    components.own.entry(place).or_default().insert(name, names.unique(&long));
                }
            }
        }
        components
    }

    /// Writes a schema, and the components of its definitions.
    pub(crate) fn place(&mut self, place: Place, source: &'m Json) -> Placed {
        let (own, shared) = (self.own.get(&place), &self.shared);
        let component = |name: &str| -> String {
            let name = own.and_then(|own| own.get(name)).or_else(|| shared.get(name));
            name.cloned().unwrap_or_default()
        };
        let reference = |name: &str| format!("#/components/schemas/{}", component(name));
        let mut carrier =
            Carrier { reference: &reference, container: "definitions", has_objects: true, restore: Object::new() };
        let mut root = source.clone();
        if let Json::Object(members) = &mut root {
            members.set("definitions", None);
        }
        let schema = carrier.carry(&root, "");
        let mut written = Vec::new();
        for (name, definition) in definitions(source) {
            let at = pointer::join("/definitions", name);
            let component = component(name);
            let carried = match definition {
                Json::Bool(value) => {
                    carrier.note_boolean(&at, *value);
                    object_form(*value)
                }
                definition => carrier.carry(definition, &at),
            };
            let carried = if component == *name { carried } else { named(carried, name) };
            written.push((component, carried));
        }
        let restore = carrier.restore;
        let all: Vec<String> = written.iter().map(|(component, _)| component.clone()).collect();
        let has_definitions = source.get("definitions").is_some();
        let has_other = has_definitions && (all.is_empty() || reachable(source).len() != all.len());
        for (component, schema) in written {
            if self.written.insert(component.clone()) {
                self.schemas.push(component, schema);
            }
        }
        let unused = has_other.then(|| all.iter().map(|name| Json::from(name.as_str())).collect());
        Placed { schema, restore, unused }
    }
}

/// The schema with the name of its definition.
fn named(schema: Json, name: &str) -> Json {
    let name = [(OPENAPI_DEFINITION_KEY.to_owned(), Json::from(name))];
    let members = schema.as_object().into_iter().flatten().cloned();
    Json::Object(name.into_iter().chain(members).collect())
}

fn sides(manifest: &Manifest) -> impl Iterator<Item = (Place, &Json)> {
    manifest.capabilities.iter().enumerate().flat_map(|(index, capability)| {
        let source = move |side| Some(((index, side), capability.schema(side)?.source()));
        Side::ALL.into_iter().filter_map(source)
    })
}

/// The members of `definitions` at the root.
fn definitions(source: &Json) -> impl Iterator<Item = &(String, Json)> {
    source.get("definitions").and_then(Json::as_object).into_iter().flatten()
}

/// The names of definitions that have the same text in every schema that has them, and so have all definitions that
/// they refer to.
fn shared(manifest: &Manifest) -> HashSet<&str> {
    let mut texts: HashMap<&str, (String, Vec<String>)> = HashMap::new();
    let mut differ: HashSet<&str> = HashSet::new();
    for (_, source) in sides(manifest) {
        for (name, definition) in definitions(source) {
            let text = definition.canonical();
            match texts.get(name.as_str()) {
                None => _ = texts.insert(name, (text, references(definition))),
                Some((known, _)) if *known == text => {}
                Some(_) => _ = differ.insert(name),
            }
        }
    }
    let mut users: HashMap<&str, Vec<&str>> = HashMap::new();
    for (name, (_, targets)) in &texts {
        for target in targets {
            users.entry(target).or_default().push(name);
        }
    }
    let mut open: Vec<&str> = differ.iter().copied().collect();
    while let Some(name) = open.pop() {
        let more = users.get(name).into_iter().flatten().filter(|user| differ.insert(user));
        open.extend(more.copied().collect::<Vec<_>>());
    }
    texts.keys().copied().filter(|name| !differ.contains(name)).collect()
}

/// The names of the definitions that a schema refers to, not through other definitions.
pub(crate) fn references(schema: &Json) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        let Some(members) = schema.as_object() else { continue };
        found.extend(members.get("$ref").and_then(Json::as_str).and_then(definition_name));
        open.extend(members.iter().flat_map(|(name, value)| Subschemas::of(name, value).iter()));
    }
    found
}

/// The names of the definitions that the root of a schema refers to, also through other definitions.
pub(crate) fn reachable(source: &Json) -> HashSet<String> {
    let all: HashMap<&str, &Json> = definitions(source).map(|(name, schema)| (name.as_str(), schema)).collect();
    let mut root = source.clone();
    if let Json::Object(members) = &mut root {
        members.set("definitions", None);
    }
    let mut open = references(&root);
    let mut reached = HashSet::new();
    while let Some(name) = open.pop() {
        if let Some(schema) = all.get(name.as_str())
            && reached.insert(name)
        {
            open.extend(references(schema));
        }
    }
    reached
}

/// Unique names of components: `[A-Za-z0-9._-]+`.
struct Names {
    taken: HashSet<String>,
}

impl Names {
    fn unique(&mut self, wanted: &str) -> String {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let base: String = wanted.chars().take(MAX_NAME).map(|c| if is_allowed(c) { c } else { '_' }).collect();
        let base = if base.is_empty() { "_".to_owned() } else { base };
        let mut name = base.clone();
        let mut number = 1;
        while !self.taken.insert(name.clone()) {
            number += 1;
            name = format!("{base}_{number}");
        }
        name
    }
}
