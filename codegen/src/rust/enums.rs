//! Closed sets of values: enums of unit variants.

use proc_macro2::TokenStream;
use quote::quote;

use super::{doc, ident};
use crate::model::{Member, TypeDef};

pub(super) fn print(def: &TypeDef, members: &[Member], docs: &TokenStream) -> TokenStream {
    let name = ident::type_name(&def.name);
    let idents: Vec<_> = members.iter().map(|member| ident::part(&member.ident)).collect();
    let variants = members.iter().zip(&idents).map(|(member, ident)| {
        let value = member.value.canonical();
        let docs = doc::of(member.description.as_deref(), || format!("The value {}.", doc::code(&value)));
        quote!(#docs #ident)
    });
    let strings: Option<Vec<&str>> = members.iter().map(|member| member.value.as_str()).collect();
    let (access, implement) = match strings {
        Some(strings) => (
            quote! {
                /// The value as text.
                pub const fn as_str(self) -> &'static str {
                    match self { #(Self::#idents => #strings,)* }
                }
            },
            quote!(::capgen::string_enum!(#name);),
        ),
        None => {
            let texts = members.iter().map(|member| member.value.canonical());
            let access = quote! {
                /// The value as canonical JSON.
                pub const fn as_json(self) -> &'static str {
                    match self { #(Self::#idents => #texts,)* }
                }
            };
            (access, quote!(::capgen::json_enum!(#name);))
        }
    };
    quote! {
        #docs
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum #name { #(#variants,)* }
        impl #name {
            /// Every value, in the order of the schema.
            pub const fn all() -> &'static [Self] {
                &[#(Self::#idents),*]
            }
            #access
        }
        #implement
    }
}
