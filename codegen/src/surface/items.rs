//! The items of generated code, with their types in the notation of a language.

use std::collections::HashMap;

use capgen_manifest::Side;

use super::usage::{Usage, usages};
use crate::Language;
use crate::model::{Field, Model, Record, Rest, Shape, SideModel, Type, TypeDef, TypeId, Union};
use crate::typescript::exported;

/// A public item: a type, or a part of one.
pub(super) struct Item {
    /// The name of the type that it is a part of.
    pub(super) owner: Option<String>,
    name: String,
    /// `struct`, `field` and so on.
    kind: &'static str,
    pub(super) signature: String,
    /// The values of an enum, in the order in which programs see them: Rust compares them by it, and both languages list them in it.
    pub(super) values: Vec<String>,
    pub(super) capability: String,
    pub(super) side: Side,
    pub(super) usage: Usage,
    pub(super) role: Role,
}

/// How the source of a program depends on an item.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Programs that receive values handle every variant.
    Variant,
    /// Programs that send values call it with these arguments.
    Constructor,
    /// Programs that send values must set it: a required property of an object literal.
    Required,
    Other,
}

impl Item {
    /// Its identity among the items of its language.
    pub(super) fn key(&self) -> String {
        match &self.owner {
            Some(owner) => format!("{owner} {}", self.name),
            None => self.name.clone(),
        }
    }

    /// The item in words.
    pub(super) fn described(&self) -> String {
        match &self.owner {
            Some(owner) => format!("{} `{}` of `{owner}`", self.kind, self.name),
            None => format!("{} `{}`", self.kind, self.name),
        }
    }
}

/// The items of a language, in the order of the output.
pub(super) fn of(model: &Model<'_>, language: Language) -> Vec<Item> {
    let (exported, usages) = (exported(model), usages(model));
    let printer = Notation { model, language, exported, usages, required_names: model.required_names() };
    let mut items = Vec::new();
    for capability in &model.capabilities {
        for (side, types) in [(Side::Request, &capability.request), (Side::Response, &capability.response)] {
            match types {
                SideModel::Loose(name) => items.push(Item {
                    owner: None,
                    name: name.clone(),
                    kind: "type",
                    signature: printer.text(&Type::Unknown),
                    values: Vec::new(),
                    capability: capability.source.name.clone(),
                    side,
                    usage: Usage::of(side),
                    role: Role::Other,
                }),
                SideModel::Typed(root) => {
                    for (id, def) in model.types_of(*root) {
                        if language == Language::Rust || printer.is_exported(id) {
                            printer.items(id, def, &mut items);
                        }
                    }
                }
            }
        }
    }
    items
}

/// Writes types on one line in the notation of a language.
struct Notation<'m> {
    model: &'m Model<'m>,
    language: Language,
    /// Which types have a name in TypeScript.
    exported: Vec<bool>,
    /// The sides that use each type.
    usages: Vec<Usage>,
    /// See [`Model::required_names`].
    required_names: HashMap<&'m str, String>,
}

impl Notation<'_> {
    fn is_exported(&self, id: TypeId) -> bool {
        self.exported.get(id.0).copied().unwrap_or(true)
    }

    fn items(&self, id: TypeId, def: &TypeDef, items: &mut Vec<Item>) {
        let usage = self.usages.get(id.0).copied().unwrap_or_else(|| Usage::of(def.side));
        let item = |owner: Option<&str>, kind: &'static str, name: &str, signature: String| Item {
            owner: owner.map(str::to_owned),
            name: name.to_owned(),
            kind,
            signature,
            values: Vec::new(),
            capability: def.capability.clone(),
            side: def.side,
            usage,
            role: match kind {
                "variant" => Role::Variant,
                "constructor" => Role::Constructor,
                _ => Role::Other,
            },
        };
        let part = |kind, name: &str, signature| item(Some(&def.name), kind, name, signature);
        let own = |signature: &str| item(None, "type", &def.name, signature.to_owned());
        let is_rust = self.language == Language::Rust;
        match &def.shape {
            Shape::Record(record) => {
                items.push(own(if is_rust { "struct" } else { "interface" }));
                for field in present(record) {
                    let (kind, name) = if is_rust { ("field", &field.ident) } else { ("property", &field.name) };
                    let role = if is_rust || !field.required { Role::Other } else { Role::Required };
                    items.push(Item { role, ..part(kind, name, self.field(field)) });
                }
                if is_rust {
                    items.push(part("constructor", "new", self.parameters(def, record)));
                    if let Rest::Kept(value) = &record.rest {
                        items.push(part("field", "additional_properties", self.map(value)));
                    }
                }
            }
            Shape::Enum(members) => {
                let values = members.iter().map(|member| member.value.canonical()).collect();
                items.push(Item { values, ..own("enum") });
                for member in members {
                    let value = member.value.canonical();
                    let name = if is_rust { &member.ident } else { &value };
                    items.push(part("variant", name, value.clone()));
                }
            }
            Shape::Union(union) if is_rust && !union.disjoint => items.push(own("struct with one accessor per branch")),
            Shape::Union(union) => {
                items.push(own("union"));
                self.variants(union, |name, signature| items.push(part("variant", name, signature)));
            }
            Shape::Alias { target, distinct: true, .. } if is_rust => {
                items.push(own(&format!("struct of {}", self.text(target))));
            }
            Shape::Alias { target, .. } => items.push(own(&self.text(target))),
        }
    }

    fn variants(&self, union: &Union, mut push: impl FnMut(&str, String)) {
        for variant in &union.variants {
            push(&variant.ident, self.text(&variant.ty));
        }
    }

    /// The type of a field, with the mark of an optional one.
    fn field(&self, field: &Field) -> String {
        let ty = self.text(&field.ty);
        match (self.language == Language::Rust, field.required) {
            (_, true) => ty,
            (true, false) => format!("Option<{ty}>"),
            (false, false) => format!("{ty} | undefined"),
        }
    }

    /// The parameters of `new`. The order of the fields of a struct does not matter to programs.
    fn parameters(&self, def: &TypeDef, record: &Record) -> String {
        let field = |field: &&Field| format!("{}: {}", field.ident, self.text(&field.ty));
        let mut fields: Vec<String> = self.model.arguments(record).iter().map(field).collect();
        fields.sort_unstable();
        match self.required_names.get(def.name.as_str()) {
            Some(name) => format!("({name} {{ {} }})", fields.join(", ")),
            None => format!("({})", fields.join(", ")),
        }
    }

    fn map(&self, value: &Type) -> String {
        match self.language {
            Language::Rust => format!("BTreeMap<String, {}>", self.text(value)),
            _ => format!("Record<string, {}>", self.text(value)),
        }
    }

    /// A type on one line. Types are nested as deeply as schemas, at most 64 levels; recursive ones have a name.
    fn text(&self, ty: &Type) -> String {
        let rust = |rust: &'static str, typescript: &'static str| {
            if self.language == Language::Rust { rust } else { typescript }.to_owned()
        };
        match ty {
            Type::Unknown => rust("Value", "unknown"),
            Type::Never => rust("Never", "never"),
            Type::Null => rust("()", "null"),
            Type::Boolean => rust("bool", "boolean"),
            Type::Integer { unsigned: true } => rust("u64", "number"),
            Type::Integer { unsigned: false } => rust("i64", "number"),
            Type::Number => rust("f64", "number"),
            Type::String => rust("String", "string"),
            Type::Array { item, .. } if self.language == Language::Rust => format!("Vec<{}>", self.text(item)),
            Type::Array { item, min: 0, max: None } => format!("Array<{}>", self.text(item)),
            Type::Array { item, .. } if self.model.options.plain_arrays => format!("Array<{}>", self.text(item)),
            Type::Array { item, min, max } => {
                let most = max.map(|max| max.to_string()).unwrap_or_default();
                format!("Array<{}> of {min}..{most}", self.text(item))
            }
            Type::Map(value) => self.map(value),
            Type::Nullable(inner) if self.language == Language::Rust => format!("Option<{}>", self.text(inner)),
            Type::Nullable(inner) => format!("{} | null", self.text(inner)),
            Type::Named { id, boxed: true } if self.language == Language::Rust => {
                format!("Box<{}>", self.model[*id].name)
            }
            Type::Named { id, .. } if self.language == Language::Rust || self.is_exported(*id) => {
                self.model[*id].name.clone()
            }
            Type::Named { id, .. } => self.inline(&self.model[*id]),
        }
    }

    /// A type without a name of its own. The order of its parts does not matter to programs.
    fn inline(&self, def: &TypeDef) -> String {
        let sorted = |mut parts: Vec<String>, separator: &str| {
            parts.sort_unstable();
            parts.join(separator)
        };
        match &def.shape {
            Shape::Record(record) => {
                let fields = present(record).map(|field| format!("{}: {}", field.name, self.field(field)));
                format!("{{ {} }}", sorted(fields.collect(), "; "))
            }
            Shape::Enum(members) => sorted(members.iter().map(|member| member.value.canonical()).collect(), " | "),
            Shape::Union(union) => {
                let mut variants = Vec::new();
                self.variants(union, |_, signature| variants.push(signature));
                sorted(variants, " | ")
            }
            Shape::Alias { target, .. } => self.text(target),
        }
    }
}

/// The fields that values can have.
fn present(record: &Record) -> impl Iterator<Item = &Field> {
    record.fields.iter().filter(|field| field.ty != Type::Never || field.required)
}
