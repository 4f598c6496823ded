//! Types as they are written where a value stands.

use proc_macro2::TokenStream;
use quote::quote;

use super::ident;
use crate::model::{Model, Shape, Type, TypeDef, TypeId};

/// The types of one contract.
pub(super) struct Types<'a> {
    model: &'a Model<'a>,
}

impl<'a> Types<'a> {
    pub(super) fn new(model: &'a Model<'a>) -> Self {
        Self { model }
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
        matches!(def.shape, Shape::Alias { recursive: true, .. })
    }

    pub(super) fn tokens(&self, ty: &Type) -> TokenStream {
        match ty {
            Type::Unknown => quote!(::serde_json::Value),
            Type::Never => quote!(::capgen::Never),
            Type::Null => quote!(()),
            Type::Boolean => quote!(bool),
            Type::Integer { unsigned: true } => quote!(u64),
            Type::Integer { unsigned: false } => quote!(i64),
            Type::Number => quote!(f64),
            Type::String => quote!(String),
            Type::Array { item, .. } => {
                let item = self.tokens(item);
                quote!(Vec<#item>)
            }
            Type::Map(value) => {
                let value = self.tokens(value);
                quote!(::std::collections::BTreeMap<String, #value>)
            }
            Type::Nullable(inner) => {
                let inner = self.tokens(inner);
                quote!(Option<#inner>)
            }
            Type::Named { id, boxed } => {
                let name = ident::type_name(self.name(*id));
                if *boxed { quote!(Box<#name>) } else { quote!(#name) }
            }
        }
    }

    /// The only value of a type, where it has but one that a program need not give.
    pub(super) fn constant(&self, ty: &Type) -> Option<TokenStream> {
        let mut ty = ty;
        loop {
            let Type::Named { id, boxed: false } = ty else { return None };
            let def = &self.model[*id];
            match &def.shape {
                Shape::Alias { target, .. } if !self.is_newtype(def) => ty = target,
                _ => {
                    let (name, member) = (ident::type_name(&def.name), ident::part(&def.constant()?.ident));
                    return Some(quote!(#name::#member));
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
                scalar => return text + &self.tokens(scalar).to_string(),
            }
        }
    }
}
