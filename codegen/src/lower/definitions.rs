//! The types of definitions: which of them several sides share, and their names.
//!
//! Equal definitions have one type with the name of the definition. If definitions of one name differ, each side has a
//! type of its own, whose name starts with that of the side. [`capgen_manifest::Definitions`] compares them.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use capgen_manifest::{Definition, DefinitionPlace, Manifest};
use capgen_schema::Schema;

use super::{alias_shape, limited, root_type};
use crate::model::capability_name::CapabilityName;
use crate::model::note::Note;
use crate::model::{Coverage, Guard, Origin, Type, TypeDef, TypeId};
use crate::name;

/// The types of the definitions of a contract.
pub(super) struct Definitions<'a> {
    manifest: &'a Manifest,
    capabilities: Rc<Vec<CapabilityName>>,
    all: capgen_manifest::Definitions,
    /// By the definition that the type is made from: among equal ones that share a type, the first in source order.
    types: HashMap<DefinitionPlace, TypeId>,
    /// The names of the types of all definitions, also of those that turn out to need no type.
    names: HashSet<String>,
    /// Types without a shape yet.
    queue: Vec<(TypeId, DefinitionPlace)>,
}

impl<'a> Definitions<'a> {
    pub(super) fn of(manifest: &'a Manifest, capabilities: Rc<Vec<CapabilityName>>) -> Self {
        let all = capgen_manifest::Definitions::of(manifest);
        let names = all.iter().map(|definition| type_name(&capabilities, definition)).collect();
        Self { manifest, capabilities, all, types: HashMap::new(), names, queue: Vec::new() }
    }

    /// The name of the definition at a place.
    pub(super) fn name(&self, place: DefinitionPlace) -> &str {
        self.all.get(place).map(|definition| definition.name.as_str()).unwrap_or_default()
    }

    /// Whether the type of a definition has this name.
    pub(super) fn has_type_named(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The type of the definition at a place. `is_from_shared` is whether a type that sides share refers to it; such a
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
            name: type_name(&self.capabilities, definition),
            origin: Origin::Definition,
            definition: definition.is_shared.then(|| definition.name.clone()),
            capability: self.capabilities.get(source.capability)?.label.clone(),
            side: source.side,
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
    manifest.capabilities.get(place.capability)?.schema(place.side)
}

/// The name of the type that is made from a definition.
fn type_name(capabilities: &[CapabilityName], definition: &Definition) -> String {
    if definition.is_shared {
        return name::type_name(&definition.name, "Type");
    }
    let capability = capabilities.get(definition.place.capability);
    let root = capability.map(|capability| root_type(&capability.title, definition.place.side)).unwrap_or_default();
    name::nested(&root, &name::camel_or(&definition.name, "Type"))
}
