//! Types as they are written where a value stands.

use std::collections::HashMap;

use capgen_manifest::Side;

use super::ident;
use super::writer::Writer;
use crate::model::{Model, Origin, Shape, Type, TypeDef, TypeId};

/// The types of one contract.
pub(super) struct Types<'a> {
    model: &'a Model<'a>,
    /// By capability and side.
    roots: HashMap<(&'a str, Side), &'a str>,
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

    /// The name of the root type of the side that a type belongs to.
    pub(super) fn root(&self, def: &TypeDef) -> &'a str {
        self.roots.get(&(def.capability.as_str(), def.side)).copied().unwrap_or_default()
    }

    /// The id of the agent.
    pub(super) fn agent(&self) -> &'a str {
        self.model.manifest.agent.as_str()
    }

    pub(super) fn name(&self, id: TypeId) -> &'a str {
        &self.model[id].name
    }

    /// Whether an alias needs a type of its own.
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

    /// A map from names to values of the type.
    pub(super) fn write_map(&self, writer: &mut Writer, value: &Type) {
        writer.generic("::std::collections::BTreeMap", |w| {
            w.text("String");
            w.comma();
            self.write(w, value);
        });
    }

    /// The only value of a type, where it has but one that a program need not give.
    pub(super) fn constant(&self, ty: &Type) -> Option<String> {
        let mut ty = ty;
        loop {
            let Type::Named { id, boxed: false } = ty else { return None };
            let def = &self.model[*id];
            match &def.shape {
                Shape::Alias { target, .. } if !self.is_newtype(def) => ty = target,
                _ => {
                    return Some(format!("{}::{}", def.name, ident::part(&def.constant()?.ident)));
                }
            }
        }
    }

    /// What a type is when aliases are resolved: equal for equal types. Boxes do not count.
    pub(super) fn resolved(&self, ty: &Type) -> String {
        let mut text = String::new();
        let mut ty = ty;
        loop {
            match ty {
                Type::Array { item, .. } => {
                    text.push('[');
                    ty = item;
                }
                Type::Map(value) => {
                    text.push('{');
                    ty = value;
                }
                Type::Nullable(inner) => {
                    text.push('?');
                    ty = inner;
                }
                Type::Named { id, .. } => match &self.model[*id] {
                    def @ TypeDef { shape: Shape::Alias { target, .. }, .. } if !self.is_newtype(def) => ty = target,
                    def => return text + &def.name,
                },
                scalar => return text + name(scalar),
            }
        }
    }
}

/// The name of a type that has no parts.
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
