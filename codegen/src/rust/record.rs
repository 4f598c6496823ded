//! Objects with declared properties: structs.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::types::Types;
use super::{doc, ident};
use crate::model::{Field, Record, Rest, Type, TypeDef};

/// A field of the struct: a property that can be there.
struct Member<'a> {
    field: &'a Field,
    ident: Ident,
    ty: TokenStream,
}

pub(super) fn print(types: &Types<'_>, def: &TypeDef, record: &Record, docs: &TokenStream) -> TokenStream {
    let (absent, present): (Vec<&Field>, Vec<&Field>) =
        record.fields.iter().partition(|field| field.ty == Type::Never && !field.required);
    let members: Vec<Member<'_>> = present
        .into_iter()
        .map(|field| Member { field, ident: ident::part(&field.ident), ty: types.tokens(&field.ty) })
        .collect();
    let structure = structure(types, def, record, &members, docs);
    let new = new(types, def, record, &members);
    let read = read(def, record, &members, &absent);
    let write = write(def, record, &members);
    let name = ident::type_name(&def.name);
    quote!(#structure #new #read #write ::capgen::deserialize!(#name);)
}

fn structure(
    types: &Types<'_>,
    def: &TypeDef,
    record: &Record,
    members: &[Member<'_>],
    docs: &TokenStream,
) -> TokenStream {
    let name = ident::type_name(&def.name);
    let fields = members.iter().map(|Member { field, ident, ty }| {
        let docs = doc::of(field.description.as_deref(), || format!("The property {}.", doc::code(&field.name)));
        if field.required { quote!(#docs pub #ident: #ty) } else { quote!(#docs pub #ident: Option<#ty>) }
    });
    let rest = kept(record).map(|ty| {
        let ty = types.tokens(ty);
        quote! {
            /// The properties that are not declared.
            pub additional_properties: ::std::collections::BTreeMap<String, #ty>
        }
    });
    let fields = fields.chain(rest);
    quote! {
        #docs
        #[derive(Debug, Clone, PartialEq)]
        pub struct #name { #(#fields,)* }
    }
}

/// What the record keeps of properties that are not declared.
fn kept(record: &Record) -> Option<&Type> {
    if let Rest::Kept(ty) = &record.rest { Some(ty) } else { None }
}

/// The constructor: a parameter for every required field that has not one value only.
fn new(types: &Types<'_>, def: &TypeDef, record: &Record, members: &[Member<'_>]) -> TokenStream {
    let name = ident::type_name(&def.name);
    let mut parameters = Vec::new();
    let mut fields = Vec::new();
    for Member { field, ident, ty } in members {
        fields.push(match (field.required, types.constant(&field.ty)) {
            (false, _) => quote!(#ident: None),
            (true, Some(constant)) => quote!(#ident: #constant),
            (true, None) if field.ty == Type::String => {
                parameters.push(quote!(#ident: impl Into<String>));
                quote!(#ident: #ident.into())
            }
            (true, None) => {
                parameters.push(quote!(#ident: #ty));
                quote!(#ident)
            }
        });
    }
    fields.extend(kept(record).map(|_| quote!(additional_properties: ::std::collections::BTreeMap::new())));
    let default = parameters.is_empty().then(|| {
        quote! {
            impl Default for #name {
                fn default() -> Self {
                    Self::new()
                }
            }
        }
    });
    quote! {
        impl #name {
            /// With the required properties, and no others.
            pub fn new(#(#parameters),*) -> Self {
                Self { #(#fields,)* }
            }
        }
        #default
    }
}

fn read(def: &TypeDef, record: &Record, members: &[Member<'_>], absent: &[&Field]) -> TokenStream {
    let name = ident::type_name(&def.name);
    let fields = members.iter().map(|Member { field, ident, .. }| {
        let property = &field.name;
        if field.required {
            quote!(#ident: object.required(#property)?)
        } else {
            quote!(#ident: object.optional(#property)?)
        }
    });
    let absent = absent.iter().map(|field| &field.name);
    let rest = kept(record).map(|_| quote!(additional_properties: object.rest()?));
    let fields = fields.chain(rest);
    let body = match record.rest {
        Rest::Closed => quote! {
            let read = Self { #(#fields,)* };
            object.close()?;
            Ok(read)
        },
        _ => quote!(Ok(Self { #(#fields,)* })),
    };
    quote! {
        impl ::capgen::wire::Read for #name {
            fn read(value: ::serde_json::Value) -> Result<Self, ::capgen::wire::Error> {
                let mut object = ::capgen::wire::Object::new(value)?;
                #(object.absent(#absent)?;)*
                #body
            }
        }
    }
}

fn write(def: &TypeDef, record: &Record, members: &[Member<'_>]) -> TokenStream {
    let name = ident::type_name(&def.name);
    let fields = members.iter().map(|Member { field, ident, .. }| {
        let property = &field.name;
        if field.required {
            quote!(fields.required(#property, &self.#ident)?;)
        } else {
            quote!(fields.optional(#property, &self.#ident)?;)
        }
    });
    let rest = kept(record).map(|_| {
        let declared = record.fields.iter().map(|field| &field.name);
        quote!(fields.rest(&self.additional_properties, &[#(#declared),*])?;)
    });
    quote! {
        impl ::serde::Serialize for #name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut fields = ::capgen::wire::Fields::new(serializer)?;
                #(#fields)*
                #rest
                fields.end()
            }
        }
    }
}
