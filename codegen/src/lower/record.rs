//! Objects: a record of the properties that the schemas of a place declare together, or a map.

use std::collections::HashSet;

use capgen_schema::Kind;
use capgen_schema::analysis::conjunction::Conjunction;
use capgen_schema::analysis::facets::{Facets, Property};

use super::guard::{self, ExactGuard};
use super::{Built, Lowering, Place};
use crate::model::note::Note;
use crate::model::{Field, Guard, Record, Rest, Shape, Type};
use crate::name;

impl<'a> Lowering<'a, '_> {
    /// The type of the objects of a place.
    pub(super) fn object(&mut self, facets: &Facets<'a>, place: &Place) -> (Built, ExactGuard) {
        let declared = declared(facets);
        let required: HashSet<&str> = facets.required().collect();
        if self.lacks_required(&declared, &required, facets) {
            return (Built::Type(Type::Never), Some(Guard::None));
        }
        let (rest, rest_guard) = self.rest(facets, place);
        if declared.is_empty() {
            let value = match &rest {
                Rest::Kept(value) => Some(value.clone()),
                // A record without fields would lose every property.
                Rest::Ignored => Some(Type::Unknown),
                Rest::Closed => None,
            };
            if let Some(value) = value {
                return (Built::Type(Type::Map(Box::new(value))), guard::map(facets, rest_guard));
            }
        }
        let fields = self.fields(declared, &required, facets, place);
        // Without its undeclared properties, a value that is written could have too few properties, or lack one that
        // another one requires.
        let is_counted = facets.property_counts().min > required.len() as u64;
        let is_field = |name: &str| fields.iter().any(|field| field.name == name);
        let lacks = |names: &[String]| !names.iter().all(|name| is_field(name));
        let is_needed = facets.dependent_required().any(|(name, names)| is_field(name) && lacks(names));
        let is_rest_compared = (is_counted || is_needed) && matches!(rest, Rest::Ignored);
        let rest = if is_rest_compared { Rest::Kept(Type::Unknown) } else { rest };
        let record = Record { fields, rest, rest_guard, is_rest_compared };
        let guard = guard::record(facets, &record);
        (Built::Shape { shape: Shape::Record(record), nullable: false }, guard)
    }

    /// The fields in source order. They get their types in the order of their names: a type that several properties
    /// share has its name from the first of them, which must be the same one whatever the order of keys in the file.
    fn fields(
        &mut self,
        declared: Vec<Property<'_>>,
        required: &HashSet<&str>,
        facets: &Facets<'a>,
        place: &Place,
    ) -> Vec<Field> {
        let mut by_name: Vec<(usize, Property<'_>)> = declared.into_iter().enumerate().collect();
        by_name.sort_by_key(|(_, property)| property.name);
        // A loop, because the closures of iterators need a lot of the stack for each level of a schema.
        let mut fields: Vec<(usize, Field)> = Vec::with_capacity(by_name.len());
        for (at, property) in by_name {
            fields.push((at, self.field(property, required, facets, place)));
        }
        fields.sort_by_key(|(at, _)| *at);
        fields.into_iter().map(|(_, field)| field).collect()
    }

    fn field(&mut self, property: Property<'_>, required: &HashSet<&str>, facets: &Facets<'a>, place: &Place) -> Field {
        let at = place.child(&name::camel_or(property.name, "Field"), "properties", Some(property.name));
        let conjunction = Conjunction::of(property.nodes);
        let forbidden = facets.forbidden.iter().any(|name| name == property.name);
        let (ty, guard) = if forbidden { (Type::Never, None) } else { self.place(&conjunction, &at) };
        let note = Note::of(self.schema, &conjunction, &ty);
        Field {
            name: property.name.to_owned(),
            ident: name::field_name(property.name),
            ty,
            guard: guard.unwrap_or_default(),
            required: required.contains(property.name),
            description: own_description(self, &conjunction),
            note,
        }
    }

    /// Whether a property is required and forbidden, as far as its own schemas show. Then no object is accepted.
    fn lacks_required(&mut self, declared: &[Property<'_>], required: &HashSet<&str>, facets: &Facets<'a>) -> bool {
        declared.iter().filter(|property| required.contains(property.name)).any(|property| {
            let conjunction = Conjunction::of(property.nodes.iter().copied());
            facets.forbidden.iter().any(|name| name == property.name)
                || (!self.lists_too_much(&conjunction) && self.facets(&conjunction).is_never())
        })
    }

    /// The properties that are not declared, and the guard of their values.
    fn rest(&mut self, facets: &Facets<'a>, place: &Place) -> (Rest, Guard) {
        let mut nodes = Vec::new();
        let (mut kept, mut is_wide) = (false, false);
        for group in &facets.groups {
            // The types do not show which names match a pattern.
            if !group.pattern_properties.is_empty() {
                is_wide = true;
                continue;
            }
            let Some(node) = group.additional_properties else { continue };
            match self.schema.node(node).kind {
                Kind::Bool(false) => return (Rest::Closed, Guard::None),
                // An explicit `true` asks to keep undeclared properties; without the keyword they are dropped.
                Kind::Bool(true) => kept = true,
                _ => nodes.push(node),
            }
        }
        if is_wide {
            return (Rest::Kept(Type::Unknown), Guard::None);
        }
        if nodes.is_empty() && !kept {
            return (Rest::Ignored, Guard::None);
        }
        match self.place(&Conjunction::of(nodes), &place.child("Value", "additionalProperties", None)) {
            (Type::Never, _) => (Rest::Closed, Guard::None),
            (value, guard) => (Rest::Kept(value), guard.unwrap_or_default()),
        }
    }
}

/// The properties that become fields, each with the schemas that apply to it.
fn declared<'f, 'a: 'f>(facets: &'f Facets<'a>) -> Vec<Property<'f>> {
    let mut properties: Vec<Property<'f>> = facets.properties();
    // A forbidden property becomes a field of type `never`, so that a record rejects it. Without declared properties
    // there is no record.
    if !properties.is_empty() {
        let names: HashSet<&str> = properties.iter().map(|property| property.name).collect();
        let forbidden = facets.forbidden.iter().filter(|name| !names.contains(name.as_str()));
        properties.extend(forbidden.map(|name| Property::undeclared(name)));
    }
    facets.apply_additional_properties(&mut properties);
    properties
}

/// The description at the property itself. The description of a definition belongs to the definition's type.
fn own_description(lowering: &Lowering<'_, '_>, conjunction: &Conjunction) -> Option<String> {
    let own = conjunction.terms.iter().find_map(|term| lowering.schema.node(term.node).annotations.description.clone());
    own.or_else(|| match conjunction.terms.as_slice() {
        [term] if !matches!(lowering.schema.node(term.node).kind, Kind::Ref(_)) => {
            conjunction.description(lowering.schema).map(str::to_owned)
        }
        _ => None,
    })
}
