//! Types of the model as Rust type expressions.

use std::collections::HashMap;

use capgen_manifest::Side;

use super::ident;
use super::writer::Writer;
use crate::model::{Field, Model, Origin, Shape, Type, TypeDef, TypeId};

/// The types of one contract.
pub(super) struct Types<'a> {
    model: &'a Model<'a>,
    /// The names of the root types, by capability and side.
    roots: HashMap<(&'a str, Side), &'a str>,
}

/// A type that is compared with others: equal if and only if the Rust types are the same, apart from boxes.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Resolved<'a> {
    /// From the outside.
    containers: Vec<Container>,
    /// The name of the type inside all containers.
    name: &'a str,
}

impl Resolved<'_> {
    /// Whether the type is the definition itself, not a container of it.
    pub(super) fn is(&self, def: &TypeDef) -> bool {
        self.containers.is_empty() && self.name == def.name
    }
}

#[derive(PartialEq, Eq, Hash)]
enum Container {
    Array,
    Map,
    Nullable,
}

impl<'a> Types<'a> {
    pub(super) fn new(model: &'a Model<'a>) -> Self {
        let is_root = |def: &&TypeDef| def.origin == Origin::Root;
        let roots = model.types.iter().filter(is_root);
        let roots = roots.map(|def| ((def.capability.as_str(), def.side), def.name.as_str())).collect();
        Self { model, roots }
    }

    pub(super) fn def(&self, id: TypeId) -> &'a TypeDef {
        &self.model[id]
    }

    /// The name of the root type of the side to which a type belongs.
    pub(super) fn root(&self, def: &TypeDef) -> &'a str {
        self.roots.get(&(def.capability.as_str(), def.side)).copied().unwrap_or_default()
    }

    /// The marker type of the capability to which a type belongs.
    pub(super) fn marker(&self, def: &TypeDef) -> &'a str {
        let capability = self.model.capabilities.iter().find(|capability| capability.source.name == def.capability);
        capability.map(|capability| capability.marker.as_str()).unwrap_or_default()
    }

    /// The agent's id.
    pub(super) fn agent(&self) -> &'a str {
        self.model.manifest.agent.as_str()
    }

    pub(super) fn name(&self, id: TypeId) -> &'a str {
        &self.model[id].name
    }

    /// Whether an alias is a newtype rather than a Rust `type`.
    pub(super) fn is_newtype(&self, def: &TypeDef) -> bool {
        matches!(def.shape, Shape::Alias { distinct: true, .. })
    }

    pub(super) fn write(&self, writer: &mut Writer, ty: &Type) {
        match ty {
            Type::Array { item, .. } => writer.generic("Vec", |w| self.write(w, item)),
            Type::Map(value) => self.write_map(writer, value),
            Type::Nullable(inner) => writer.generic("Option", |w| self.write(w, inner)),
            Type::Named { id, boxed: true } => writer.generic("Box", |w| w.text(self.name(*id))),
            Type::Named { id, boxed: false } => writer.text(self.name(*id)),
            scalar => writer.text(name(scalar)),
        }
    }

    /// A map from property names to values of the type.
    pub(super) fn write_map(&self, writer: &mut Writer, value: &Type) {
        writer.generic("::std::collections::BTreeMap", |w| {
            w.text("String");
            w.comma();
            self.write(w, value);
        });
    }

    /// Whether an optional property has the type itself, an `Option`, instead of an `Option` around it. Never in a type that does
    /// not express every assertion: one of the others might distinguish a property that is `null` from an absent one.
    pub(super) fn merges(&self, def: &TypeDef, field: &Field) -> bool {
        let is_possible = self.model.options.merge_nullable && !field.required && def.coverage.is_exact;
        let resolved = is_possible.then(|| self.resolved(&field.ty));
        // A box around an alias would be around the `Option`.
        let is_boxed = matches!(field.ty, Type::Named { boxed: true, .. });
        !is_boxed && resolved.is_some_and(|resolved| resolved.containers.first() == Some(&Container::Nullable))
    }

    /// The enum of a single value that the type resolves to, with the identifier of its variant. Such a property needs no
    /// constructor parameter.
    pub(super) fn constant(&self, ty: &Type) -> Option<Constant<'a>> {
        let mut ty = ty;
        loop {
            let Type::Named { id, boxed: false } = ty else { return None };
            let def = &self.model[*id];
            match &def.shape {
                Shape::Alias { target, .. } if !self.is_newtype(def) => ty = target,
                _ => return Some(Constant { enumeration: &def.name, variant: &def.constant()?.ident }),
            }
        }
    }

    /// The type with its aliases resolved, which Rust does not distinguish, and without boxes.
    pub(super) fn resolved(&self, ty: &Type) -> Resolved<'a> {
        let mut containers = Vec::new();
        let mut ty = ty;
        let name = loop {
            match ty {
                Type::Array { item, .. } => {
                    containers.push(Container::Array);
                    ty = item;
                }
                Type::Map(value) => {
                    containers.push(Container::Map);
                    ty = value;
                }
                Type::Nullable(inner) => {
                    containers.push(Container::Nullable);
                    ty = inner;
                }
                Type::Named { id, .. } => match &self.model[*id] {
                    def @ TypeDef { shape: Shape::Alias { target, .. }, .. } if !self.is_newtype(def) => ty = target,
                    def => break def.name.as_str(),
                },
                scalar => break name(scalar),
            }
        };
        Resolved { containers, name }
    }
}

/// The only value of an enum with one variant.
pub(super) struct Constant<'a> {
    enumeration: &'a str,
    variant: &'a str,
}

impl Constant<'_> {
    pub(super) fn write(&self, writer: &mut Writer) {
        writer.text(self.enumeration);
        writer.text("::");
        writer.text(&ident::escaped(self.variant));
    }
}

/// The Rust name of a type without parts.
fn name(scalar: &Type) -> &'static str {
    match scalar {
        Type::Never => "::capgen::Never",
        Type::Null => "()",
        Type::Boolean => "bool",
        Type::Integer { unsigned: true } => "u64",
        Type::Integer { unsigned: false } => "i64",
        Type::Number => "f64",
        Type::String => "String",
        _ => "::serde_json::Value",
    }
}
