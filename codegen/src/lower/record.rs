//! Objects: the properties that all schemas of a place declare together.

use std::collections::{HashMap, HashSet};

use capgen_schema::{Kind, NodeId};

use super::conj::{Conj, Facets, flatten};
use super::guard::{self, Exactly};
use super::{Built, Lowering, Place};
use crate::model::{Field, Guard, Record, Rest, Shape, Type};
use crate::name;

impl<'a> Lowering<'a, '_> {
    /// The object part of a place.
    pub(super) fn object(&mut self, facets: &Facets<'a>, place: &Place) -> (Built, Exactly) {
        let declared = declared(facets);
        let required: HashSet<&str> = facets.groups.iter().flat_map(|g| &g.required).map(String::as_str).collect();
        if self.lacks_required(&declared, &required, facets) {
            return (Built::Type(Type::Never), Some(Guard::None));
        }
        let (rest, rest_guard) = self.rest(facets, place);
        let is_exact = guard::is_told(self.schema, facets);
        if declared.is_empty() {
            let is_exact = is_exact && facets.forbidden.is_empty();
            match rest {
                Rest::Kept(value) => {
                    let guard =
                        if rest_guard == Guard::None { Guard::None } else { Guard::Values(Box::new(rest_guard)) };
                    return (Built::Type(Type::Map(Box::new(value))), is_exact.then_some(guard));
                }
                Rest::Ignored => {
                    return (Built::Type(Type::Map(Box::new(Type::Unknown))), is_exact.then_some(Guard::None));
                }
                Rest::Closed => {}
            }
        }
        let mut fields = Vec::with_capacity(declared.len());
        for property in declared {
            fields.push(self.field(property, &required, facets, place));
        }
        let shape = Shape::Record(Record { fields, rest, rest_guard });
        (Built::Shape { shape, nullable: false }, is_exact.then_some(Guard::None))
    }

    fn field(&mut self, property: Property<'_>, required: &HashSet<&str>, facets: &Facets<'a>, place: &Place) -> Field {
        let at = place.child(&name::camel_or(property.name, "Field"), "properties", Some(property.name));
        let conj = Conj::of(property.nodes);
        let forbidden = facets.forbidden.iter().any(|name| name == property.name);
        let (ty, guard) = if forbidden { (Type::Never, None) } else { self.place(&conj, &at) };
        Field {
            name: property.name.to_owned(),
            ident: name::field_name(property.name),
            ty,
            guard: guard.unwrap_or_default(),
            required: required.contains(property.name),
            description: own_description(self, &conj),
        }
    }

    /// Whether a property must be there and cannot, as far as a look at its own schema tells.
    fn lacks_required(&mut self, declared: &[Property<'_>], required: &HashSet<&str>, facets: &Facets<'a>) -> bool {
        declared.iter().filter(|property| required.contains(property.name)).any(|property| {
            facets.forbidden.iter().any(|name| name == property.name)
                || self.flatten(&Conj::of(property.nodes.iter().copied())).is_never()
        })
    }

    fn rest(&mut self, facets: &Facets<'a>, place: &Place) -> (Rest, Guard) {
        let mut nodes = Vec::new();
        let mut kept = false;
        for node in facets.groups.iter().filter_map(|group| group.additional_properties) {
            match self.schema.node(node).kind {
                Kind::Bool(false) => return (Rest::Closed, Guard::None),
                Kind::Bool(true) => kept = true,
                _ => nodes.push(node),
            }
        }
        if nodes.is_empty() && !kept {
            return (Rest::Ignored, Guard::None);
        }
        match self.place(&Conj::of(nodes), &place.child("Value", "additionalProperties", None)) {
            (Type::Never, _) => (Rest::Closed, Guard::None),
            (value, guard) => (Rest::Kept(value), guard.unwrap_or_default()),
        }
    }
}

/// A property and the schemas that hold for it.
struct Property<'a> {
    name: &'a str,
    nodes: Vec<NodeId>,
}

/// The properties that a place names, in the order in which they are first named.
fn declared<'f, 'a: 'f>(facets: &'f Facets<'a>) -> Vec<Property<'f>> {
    let mut index: HashMap<&str, usize> = HashMap::new();
    let mut properties: Vec<Property<'f>> = Vec::new();
    for group in &facets.groups {
        let named = group.properties.iter().map(|(name, node)| (name.as_str(), Some(*node)));
        for (name, node) in named.chain(group.required.iter().map(|name| (name.as_str(), None))) {
            let at = *index.entry(name).or_insert_with(|| {
                properties.push(Property { name, nodes: Vec::new() });
                properties.len() - 1
            });
            if let (Some(property), Some(node)) = (properties.get_mut(at), node) {
                property.nodes.push(node);
            }
        }
    }
    if !properties.is_empty() {
        for name in &facets.forbidden {
            if !index.contains_key(name.as_str()) {
                properties.push(Property { name, nodes: Vec::new() });
            }
        }
    }
    for group in &facets.groups {
        let Some(additional) = group.additional_properties else { continue };
        let own: HashSet<&str> = group.properties.iter().map(|(name, _)| name.as_str()).collect();
        for property in properties.iter_mut().filter(|property| !own.contains(property.name)) {
            property.nodes.push(additional);
        }
    }
    properties
}

/// The description at the property itself; that of a definition belongs to the definition.
fn own_description(lowering: &Lowering<'_, '_>, conj: &Conj) -> Option<String> {
    let own = conj.atoms.iter().find_map(|atom| lowering.schema.node(atom.node).annotations.description.clone());
    own.or_else(|| match conj.atoms.as_slice() {
        [atom] if !matches!(lowering.schema.node(atom.node).kind, Kind::Ref(_)) => {
            flatten(lowering.schema, conj).description.map(str::to_owned)
        }
        _ => None,
    })
}
