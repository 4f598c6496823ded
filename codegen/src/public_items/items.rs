//! The public items of generated code, with their types in the notation of a language.

use capgen_manifest::{ContractPart, Side};

use super::usage::{Usage, usages};
use crate::model::{Field, Member, Model, Record, SideModel, Type, TypeDef, TypeId};
use crate::target::Target;

/// A public item: a type, or a part of one.
pub(crate) struct Item {
    /// The name of the type that it is a part of.
    pub(super) owner: Option<String>,
    name: String,
    /// `struct`, `field` and so on.
    kind: &'static str,
    pub(crate) signature: String,
    /// The values of an enum, in the order in which programs see them: Rust compares them by it, and each language
    /// lists them in it.
    pub(super) values: Vec<String>,
    pub(super) capability: String,
    pub(super) side: Option<Side>,
    /// The code of the error whose details it is in.
    pub(super) error: Option<String>,
    pub(crate) usage: Usage,
    pub(super) role: Role,
}

/// How the source of a program depends on an item.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Programs that receive values handle every variant.
    Variant,
    /// Programs that send values call it with these arguments.
    Constructor,
    /// Programs that send values must set it: a required property of an object literal.
    Required,
    /// Every program may depend on it.
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

/// The items of a settled model in a language, in the order of the output.
pub(super) fn of<'m>(model: &'m Model<'m>, target: &dyn Target) -> Vec<Item> {
    let mut items = Items { model, usages: usages(model), items: Vec::new() };
    target.add_items(&mut items);
    items.items
}

/// Collects the items of a model.
pub(crate) struct Items<'m> {
    model: &'m Model<'m>,
    /// The sides that use each type.
    usages: Vec<Usage>,
    items: Vec<Item>,
}

impl<'m> Items<'m> {
    /// The model.
    pub(crate) fn model(&self) -> &'m Model<'m> {
        self.model
    }

    /// Calls `add` with each type, in the order of the output, and adds the types of sides without a schema, whose
    /// notation is `unknown`.
    pub(crate) fn each_type(&mut self, unknown: &str, add: impl Fn(&mut Self, TypeId, &'m TypeDef)) {
        for capability in &self.model.capabilities {
            for (side, types) in [(Side::Request, &capability.request), (Side::Response, &capability.response)] {
                match types {
                    SideModel::Loose(name) => self.items.push(Item {
                        owner: None,
                        name: name.clone(),
                        kind: "type",
                        signature: unknown.to_owned(),
                        values: Vec::new(),
                        capability: capability.name.label.clone(),
                        side: Some(side),
                        error: None,
                        usage: Usage::of(side.into()),
                        role: Role::Other,
                    }),
                    SideModel::Typed(root) => self.model.types_of(*root).for_each(|(id, def)| add(self, id, def)),
                }
            }
            for root in self.model.own_details(capability) {
                self.model.types_of(root).for_each(|(id, def)| add(self, id, def));
            }
        }
    }

    /// Adds a type.
    pub(crate) fn own(&mut self, id: TypeId, signature: &str) {
        let item = self.item(id, Role::Other, "type", &self.model[id].name);
        self.items.push(Item { signature: signature.to_owned(), ..item });
    }

    /// Adds an enum. Its values are compared in their order.
    pub(crate) fn own_enum(&mut self, id: TypeId, members: &[Member]) {
        self.own(id, "enum");
        if let Some(item) = self.items.last_mut() {
            item.values = members.iter().map(|member| member.value.canonical()).collect();
        }
    }

    /// Adds a part of a type.
    pub(crate) fn part(&mut self, id: TypeId, role: Role, kind: &'static str, name: &str, signature: String) {
        let owner = Some(self.model[id].name.clone());
        self.items.push(Item { owner, signature, ..self.item(id, role, kind, name) });
    }

    fn item(&self, id: TypeId, role: Role, kind: &'static str, name: &str) -> Item {
        let def = &self.model[id];
        Item {
            owner: None,
            name: name.to_owned(),
            kind,
            signature: String::new(),
            values: Vec::new(),
            capability: def.capability.clone(),
            side: match def.part {
                ContractPart::Request => Some(Side::Request),
                ContractPart::Response => Some(Side::Response),
                ContractPart::Details(_) => None,
            },
            error: def.error.as_ref().map(|error| error.code.clone()),
            usage: self.usages.get(id.0).copied().unwrap_or_else(|| Usage::of(def.part)),
            role,
        }
    }
}

/// The fields that values can have.
pub(crate) fn present(record: &Record) -> impl Iterator<Item = &Field> {
    record.fields.iter().filter(|field| field.ty != Type::Never || field.required)
}
