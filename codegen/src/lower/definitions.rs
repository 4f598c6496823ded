//! The types of definitions: which of them several parts share, and their names.
//!
//! Equal definitions have one type with the name of the definition. If definitions of one name differ, each part has a
//! type of its own, whose name starts with that of the part. [`capgen_manifest::Definitions`] compares them.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use capgen_manifest::{Definition, DefinitionPlace, Manifest};
use capgen_schema::Schema;

use super::details::{Details, DetailsType};
use super::{alias_shape, limited, root_name};
use crate::model::capability_name::CapabilityName;
use crate::model::note::Note;
use crate::model::{Coverage, Guard, Origin, Type, TypeDef, TypeId};
use crate::name;

/// The types of the definitions of a contract.
pub(super) struct Definitions<'a> {
    manifest: &'a Manifest,
    capabilities: Rc<Vec<CapabilityName>>,
    details: Rc<Details>,
    all: capgen_manifest::Definitions,
    /// By the definition that the type is made from: among equal ones that share a type, the first in source order.
    types: HashMap<DefinitionPlace, TypeId>,
    /// The names of the types of all definitions, also of those that turn out to need no type.
    names: HashSet<String>,
    /// Types without a shape yet.
    queue: Vec<(TypeId, DefinitionPlace)>,
}

impl<'a> Definitions<'a> {
    /// The definitions of a contract, and the types of the details of its errors, whose names depend on each other.
    pub(super) fn of(manifest: &'a Manifest, capabilities: &Rc<Vec<CapabilityName>>) -> (Self, Rc<Details>) {
        let all = capgen_manifest::Definitions::of(manifest);
        let shared: HashSet<String> = all.iter().filter_map(shared_name).collect();
        let details = Rc::new(Details::of(manifest, capabilities, |name| shared.contains(name)));
        let names = all.iter().map(|definition| type_name(capabilities, &details, definition)).collect();
        let (capabilities, types) = (Rc::clone(capabilities), HashMap::new());
        let definitions =
            Self { manifest, capabilities, details: Rc::clone(&details), all, types, names, queue: Vec::new() };
        (definitions, details)
    }

    /// The name of the definition at a place.
    pub(super) fn name(&self, place: DefinitionPlace) -> &str {
        self.all.get(place).map(|definition| definition.name.as_str()).unwrap_or_default()
    }

    /// Whether the type of a definition has this name.
    pub(super) fn has_type_named(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The type of the definition at a place. `is_from_shared` is whether a type that parts share refers to it; such a
    /// type must not depend on the order of the capabilities.
    pub(super) fn type_of(
        &mut self,
        place: DefinitionPlace,
        is_from_shared: bool,
        types: &mut Vec<TypeDef>,
    ) -> Option<TypeId> {
        let definition = self.all.get(place)?;
        let source = match (definition.is_shared, is_from_shared) {
            (true, _) => definition.first,
            (false, true) => definition.least,
            (false, false) => place,
        };
        if let Some(id) = self.types.get(&source) {
            return Some(*id);
        }
        let definition = self.all.get(source)?;
        let id = TypeId(types.len());
        types.push(TypeDef {
            name: type_name(&self.capabilities, &self.details, definition),
            origin: Origin::Definition,
            definition: definition.is_shared.then(|| definition.name.clone()),
            capability: self.capabilities.get(source.capability)?.label.clone(),
            part: source.part,
            error: self.details.get(source.capability, source.part).map(DetailsType::error),
            pointer: limited(schema(self.manifest, source)?.node(source.node).pointer.clone()),
            description: None,
            note: Note::default(),
            shape: alias_shape(Type::Unknown, Guard::None),
            coverage: Coverage { is_exact: true, pointers: None, is_partial: false },
        });
        self.types.insert(source, id);
        self.queue.push((id, source));
        Some(id)
    }

    /// Takes a type that has no shape yet.
    pub(super) fn next(&mut self) -> Option<(TypeId, DefinitionPlace)> {
        self.queue.pop()
    }
}

fn schema(manifest: &Manifest, place: DefinitionPlace) -> Option<&Schema> {
    manifest.capabilities.get(place.capability)?.schema(place.part)
}

/// The name of the type that is made from a definition.
fn type_name(capabilities: &[CapabilityName], details: &Details, definition: &Definition) -> String {
    if let Some(name) = shared_name(definition) {
        return name;
    }
    let DefinitionPlace { capability: index, part, .. } = definition.place;
    let root = capabilities.get(index).map(|capability| root_name(capability, details, index, part));
    name::nested(&root.unwrap_or_default(), &name::camel_or(&definition.name, "Type"))
}

/// The name of the type of a definition that parts share.
fn shared_name(definition: &Definition) -> Option<String> {
    definition.is_shared.then(|| name::type_name(&definition.name, "Type"))
}
