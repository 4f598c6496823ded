//! Types of the model as Rust type expressions.

use std::collections::{HashMap, HashSet};

use capgen_manifest::ContractPart;

use super::ident;
use super::writer::Writer;
use crate::model::{CapabilityModel, Field, Model, Origin, Shape, Type, TypeDef, TypeId};

/// The types of one contract.
pub(super) struct Types<'a> {
    model: &'a Model<'a>,
    /// The names of the root types, by capability and part.
    roots: HashMap<(&'a str, ContractPart), &'a str>,
    /// The names of the types that contain a number or any JSON value, so that they cannot have `Eq` and `Hash`.
    inexact: HashSet<&'a str>,
    /// The JSON Pointers of all schemas of each part.
    pointers: HashMap<(&'a str, ContractPart), HashSet<&'a str>>,
    /// See [`Model::required_names`].
    required_names: HashMap<&'a str, String>,
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
    /// A tuple with so many items. Their types are not compared, because aliases inside tuples could multiply without
    /// end. So two tuples of one length count as the same type.
    Tuple(usize),
    Map,
    Nullable,
}

impl<'a> Types<'a> {
    pub(super) fn new(model: &'a Model<'a>) -> Self {
        let is_root = |def: &&TypeDef| def.origin == Origin::Root;
        let roots = model.types.iter().filter(is_root);
        let roots = roots.map(|def| ((def.capability.as_str(), def.part), def.name.as_str())).collect();
        let required_names = model.required_names();
        Self { model, roots, inexact: inexact(model), pointers: pointers(model), required_names }
    }

    pub(super) fn def(&self, id: TypeId) -> &'a TypeDef {
        &self.model[id]
    }

    /// The name of the root type of the part to which a type belongs.
    pub(super) fn root(&self, def: &TypeDef) -> &'a str {
        self.roots.get(&(def.capability.as_str(), def.part)).copied().unwrap_or_default()
    }

    /// The JSON Pointer of a schema that a type is generated from; `None` if it is generated from several, and none of
    /// them is at its place. For instance, the place of a property of a definition is inside the `$ref`.
    pub(super) fn source_pointer(&self, def: &'a TypeDef) -> Option<&'a str> {
        let place = def.pointer.as_str();
        match &def.coverage.pointers {
            Some(pointers) if !pointers.iter().any(|pointer| pointer == place) => {
                pointers.iter().map(String::as_str).find(|pointer| !pointer.is_empty())
            }
            Some(_) => Some(place),
            None => {
                let pointers = self.pointers.get(&(def.capability.as_str(), def.part));
                pointers.is_some_and(|pointers| pointers.contains(place)).then_some(place)
            }
        }
    }

    /// The agent's id.
    pub(super) fn agent(&self) -> &'a str {
        self.model.manifest.agent.as_str()
    }

    pub(super) fn name(&self, id: TypeId) -> &'a str {
        &self.model[id].name
    }

    /// The path of an item of the runtime; `item` is its path in the crate `capgen`.
    pub(super) fn runtime(&self, item: &str) -> String {
        format!("{}::{item}", self.model.options.runtime_path)
    }

    /// Writes the derived traits of a struct or of an enum with values.
    pub(super) fn derive(&self, writer: &mut Writer, def: &TypeDef) {
        let has_eq = !self.inexact.contains(def.name.as_str());
        writer.line(if has_eq {
            "#[derive(Debug, Clone, PartialEq, Eq, Hash)]"
        } else {
            "#[derive(Debug, Clone, PartialEq)]"
        });
    }

    /// Whether an alias is a newtype rather than a Rust `type`.
    pub(super) fn is_newtype(&self, def: &TypeDef) -> bool {
        matches!(def.shape, Shape::Alias { distinct: true, .. })
    }

    pub(super) fn write(&self, writer: &mut Writer, ty: &Type) {
        match ty {
            Type::Array { item, .. } => writer.generic("Vec", |w| self.write(w, item)),
            Type::Tuple(tuple) => writer.tuple(&tuple.items, |w, item| self.write(w, item)),
            Type::Map(value) => self.write_map(writer, value),
            Type::Nullable(inner) => writer.generic("Option", |w| self.write(w, inner)),
            Type::Named { id, boxed: true } => writer.generic("Box", |w| w.text(self.name(*id))),
            Type::Named { id, boxed: false } => writer.text(self.name(*id)),
            Type::Never => writer.text(&self.runtime("Never")),
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

    /// Whether an optional property has the type itself, an `Option`, instead of an `Option` around it. Never in a type
    /// that does not express every assertion: one of the others might distinguish a property that is `null` from an
    /// absent one.
    pub(super) fn merges(&self, def: &TypeDef, field: &Field) -> bool {
        let is_possible = self.model.options.merge_nullable && !field.required && def.coverage.is_exact;
        is_possible && self.is_option(&field.ty)
    }

    /// Whether the Rust type is an `Option`, also through aliases.
    pub(super) fn is_option(&self, ty: &Type) -> bool {
        // A box around an alias would be around the `Option`.
        let is_boxed = matches!(ty, Type::Named { boxed: true, .. });
        !is_boxed && self.resolved(ty).containers.first() == Some(&Container::Nullable)
    }

    /// The enum of a single value that the type resolves to, with the identifier of its variant. Such a property needs
    /// no constructor parameter.
    pub(super) fn constant(&self, ty: &Type) -> Option<Constant<'a>> {
        let (def, member) = self.model.constant(ty)?;
        Some(Constant { enumeration: &def.name, variant: &member.ident })
    }

    /// The name of the struct with the arguments of a type's constructor, if there are several.
    pub(super) fn required_name(&self, def: &TypeDef) -> Option<&str> {
        self.required_names.get(def.name.as_str()).map(String::as_str)
    }

    /// Whether a struct with the arguments of a constructor has this name.
    pub(super) fn is_required_name(&self, name: &str) -> bool {
        self.required_names.values().any(|other| other == name)
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
                Type::Tuple(tuple) => {
                    containers.push(Container::Tuple(tuple.items.len()));
                    break "";
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

/// The names of the types that contain a number, or any JSON value, at any depth. Recursive types contain each other,
/// so this starts at the types that contain one directly and continues with those that contain these.
fn inexact<'a>(model: &'a Model<'_>) -> HashSet<&'a str> {
    let mut holders: Vec<Vec<usize>> = vec![Vec::new(); model.types.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, def) in model.types.iter().enumerate() {
        if matches!(&def.shape, Shape::Union(union) if !union.disjoint) {
            // Its field is a JSON value.
            open.push(at);
            continue;
        }
        def.shape.each_type(&mut |ty| {
            ty.each_innermost(&mut |ty| match ty {
                Type::Number | Type::Unknown => open.push(at),
                Type::Named { id, .. } => holders.get_mut(id.0).into_iter().for_each(|holders| holders.push(at)),
                _ => {}
            });
        });
    }
    let mut found: HashSet<&str> = HashSet::new();
    while let Some(at) = open.pop() {
        if model.types.get(at).is_some_and(|def| found.insert(&def.name)) {
            open.extend(holders.get(at).into_iter().flatten());
        }
    }
    found
}

/// The JSON Pointers of all schemas of each part.
fn pointers<'a>(model: &'a Model<'a>) -> HashMap<(&'a str, ContractPart), HashSet<&'a str>> {
    let mut pointers = HashMap::new();
    for CapabilityModel { source, name, .. } in &model.capabilities {
        for part in source.parts() {
            let Some(schema) = source.schema(part) else { continue };
            let nodes = schema.nodes().map(|(_, node)| node.pointer.as_str()).collect();
            pointers.insert((name.label.as_str(), part), nodes);
        }
    }
    pointers
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

/// The Rust name of a type without parts. That of the type without values is only for comparisons: its path is not the
/// same in all files.
fn name(scalar: &Type) -> &'static str {
    match scalar {
        Type::Never => "!",
        Type::Null => "()",
        Type::Boolean => "bool",
        Type::Integer { unsigned: true } => "u64",
        Type::Integer { unsigned: false } => "i64",
        Type::Number => "f64",
        Type::String => "String",
        _ => "::serde_json::Value",
    }
}
