//! One of several types: an enum where a look at a value tells which, or else the value itself with an accessor per type.

use std::collections::{HashMap, HashSet};

use capgen_schema::Type as SchemaType;
use proc_macro2::TokenStream;
use quote::quote;

use super::types::Types;
use super::{doc, ident};
use crate::model::{Type, TypeDef, Union, Variant};

pub(super) fn print(types: &Types<'_>, def: &TypeDef, union: &Union, docs: &TokenStream) -> TokenStream {
    let name = ident::type_name(&def.name);
    let body = if union.disjoint { tagged(types, def, union, docs) } else { open(types, def, union, docs) };
    quote!(#body ::capgen::deserialize!(#name);)
}

/// The variants whose type no other variant and not the union itself has.
fn distinct<'a>(types: &Types<'_>, def: &TypeDef, union: &'a Union) -> Vec<&'a Variant> {
    let resolved: Vec<String> = union.variants.iter().map(|variant| types.resolved(&variant.ty)).collect();
    let mut count: HashMap<&str, usize> = HashMap::new();
    for ty in &resolved {
        *count.entry(ty).or_default() += 1;
    }
    let is_distinct = |ty: &String| *ty != def.name && count.get(ty.as_str()) == Some(&1);
    union.variants.iter().zip(&resolved).filter(|(_, ty)| is_distinct(ty)).map(|(variant, _)| variant).collect()
}

/// The type without the box that recursion needs, and whether there is one.
fn unboxed(types: &Types<'_>, ty: &Type) -> (TokenStream, bool) {
    match ty {
        Type::Named { id, boxed: true } => (types.tokens(&Type::Named { id: *id, boxed: false }), true),
        ty => (types.tokens(ty), false),
    }
}

fn tagged(types: &Types<'_>, def: &TypeDef, union: &Union, docs: &TokenStream) -> TokenStream {
    let name = ident::type_name(&def.name);
    let idents: Vec<_> = union.variants.iter().map(|variant| ident::part(&variant.ident)).collect();
    let variants = union.variants.iter().zip(&idents).map(|(variant, ident)| {
        let docs = doc::sentence(selector(union, variant));
        let ty = types.tokens(&variant.ty);
        quote!(#docs #ident(#ty))
    });
    let from = distinct(types, def, union).into_iter().map(|variant| {
        let (ident, (ty, boxed)) = (ident::part(&variant.ident), unboxed(types, &variant.ty));
        let value = if boxed { quote!(Box::new(value)) } else { quote!(value) };
        quote! {
            impl From<#ty> for #name {
                fn from(value: #ty) -> Self {
                    Self::#ident(#value)
                }
            }
        }
    });
    let arms = arms(union);
    quote! {
        #docs
        #[derive(Debug, Clone, PartialEq)]
        pub enum #name { #(#variants,)* }
        #(#from)*
        impl ::capgen::wire::Read for #name {
            fn read(value: ::serde_json::Value) -> Result<Self, ::capgen::wire::Error> {
                match &value { #arms }
            }
        }
        impl ::serde::Serialize for #name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self { #(Self::#idents(value) => ::serde::Serialize::serialize(value, serializer),)* }
            }
        }
    }
}

/// What selects a variant.
fn selector(union: &Union, variant: &Variant) -> String {
    if let Some(tag) = union.tag.as_deref().filter(|_| !variant.tag_values.is_empty()) {
        let values: Vec<String> = variant.tag_values.iter().map(|value| doc::code(&value.canonical())).collect();
        return format!("Where {} is {}.", doc::code(tag), values.join(" or "));
    }
    let names: Vec<&str> = variant.types.iter().map(SchemaType::name).collect();
    format!("Where the value is of type {}.", names.join(" or "))
}

/// The arms that find a value's variant.
fn arms(union: &Union) -> TokenStream {
    let mut arms = TokenStream::new();
    let mut covered = HashSet::new();
    let tag = union.tag.as_deref();
    for variant in &union.variants {
        let tagged = tag.is_some() && !variant.tag_values.is_empty();
        let kinds = variant.types.iter().filter(|t| !(tagged && *t == SchemaType::Object));
        let patterns: Vec<TokenStream> = kinds.filter(|t| covered.insert(kind(*t))).map(pattern).collect();
        if !patterns.is_empty() {
            let ident = ident::part(&variant.ident);
            arms.extend(quote!(#(#patterns)|* => ::capgen::wire::Read::read(value).map(Self::#ident),));
        }
    }
    if let Some(tag) = tag.filter(|_| !covered.contains(kind(SchemaType::Object))) {
        let by_tag = by_tag(union, tag);
        arms.extend(quote!(::serde_json::Value::Object(_) => #by_tag,));
    }
    quote!(#arms other => Err(::capgen::wire::Error::no_variant(other)),)
}

fn by_tag(union: &Union, tag: &str) -> TokenStream {
    let variants: Vec<&Variant> = union.variants.iter().filter(|variant| !variant.tag_values.is_empty()).collect();
    let strings = variants.iter().flat_map(|variant| &variant.tag_values).all(|value| value.as_str().is_some());
    let arms = variants.iter().map(|variant| {
        let ident = ident::part(&variant.ident);
        let mut seen = HashSet::new();
        let patterns =
            variant.tag_values.iter().filter(|value| seen.insert(value.canonical())).map(|value| {
                match value.as_str().filter(|_| strings) {
                    Some(text) => quote!(Some(#text)),
                    None => {
                        let text = value.canonical();
                        quote!(#text)
                    }
                }
            });
        quote!(#(#patterns)|* => ::capgen::wire::Read::read(value).map(Self::#ident))
    });
    let scrutinee = if strings {
        quote!(::capgen::wire::tag(&value, #tag))
    } else {
        quote!(::capgen::wire::tag_json(&value, #tag).as_str())
    };
    quote!(match #scrutinee { #(#arms,)* _ => Err(::capgen::wire::Error::no_tag(#tag)), })
}

/// `integer` and `number` are one kind of JSON value.
fn kind(t: SchemaType) -> &'static str {
    match t {
        SchemaType::Integer => SchemaType::Number.name(),
        t => t.name(),
    }
}

fn pattern(t: SchemaType) -> TokenStream {
    match t {
        SchemaType::Null => quote!(::serde_json::Value::Null),
        SchemaType::Boolean => quote!(::serde_json::Value::Bool(_)),
        SchemaType::Integer | SchemaType::Number => quote!(::serde_json::Value::Number(_)),
        SchemaType::String => quote!(::serde_json::Value::String(_)),
        SchemaType::Array => quote!(::serde_json::Value::Array(_)),
        SchemaType::Object => quote!(::serde_json::Value::Object(_)),
    }
}

fn open(types: &Types<'_>, def: &TypeDef, union: &Union, docs: &TokenStream) -> TokenStream {
    let name = ident::type_name(&def.name);
    let accessors = union.variants.iter().map(|variant| {
        let (function, (ty, _)) = (ident::function("as", &variant.ident), unboxed(types, &variant.ty));
        let docs = doc::sentence(format!("The value as `{}`, where it is one. Copies it.", variant.ident));
        quote! {
            #docs
            pub fn #function(&self) -> Option<#ty> {
                ::capgen::wire::branch(&self.0)
            }
        }
    });
    let from = distinct(types, def, union).into_iter().map(|variant| {
        let (ty, _) = unboxed(types, &variant.ty);
        quote! {
            impl From<#ty> for #name {
                fn from(value: #ty) -> Self {
                    Self(::capgen::wire::to_value(&value))
                }
            }
        }
    });
    let mut covered = HashSet::new();
    let kinds = union.variants.iter().flat_map(|variant| variant.types.iter());
    let patterns = kinds.filter(|t| covered.insert(kind(*t))).map(pattern);
    quote! {
        #docs
        ///
        /// More than one type may fit a value, so it is kept as it is.
        #[derive(Debug, Clone, PartialEq)]
        pub struct #name(::serde_json::Value);
        impl #name {
            #(#accessors)*
            /// The value.
            pub const fn json(&self) -> &::serde_json::Value {
                &self.0
            }
            /// The value.
            pub fn into_json(self) -> ::serde_json::Value {
                self.0
            }
        }
        #(#from)*
        impl ::capgen::wire::Read for #name {
            fn read(value: ::serde_json::Value) -> Result<Self, ::capgen::wire::Error> {
                match &value {
                    #(#patterns)|* => Ok(Self(value)),
                    other => Err(::capgen::wire::Error::no_variant(other)),
                }
            }
        }
        impl ::serde::Serialize for #name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                ::serde::Serialize::serialize(&self.0, serializer)
            }
        }
    }
}
