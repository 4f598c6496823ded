//! The type model as Rust.
//!
//! A file is a header, a glob export, and one module that holds everything: attributes that a file cannot carry under
//! `include!` stand on the module, and no name of the user's scope reaches into it. Paths start at `::capgen`, `::serde`,
//! `::serde_json` and `::std`, or are names of the prelude, which lowering keeps free.

mod capability;
mod doc;
mod enums;
mod ident;
mod layout;
mod record;
mod types;
mod union;

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{Model, Shape, SideModel, TypeDef};
use layout::Text;
use types::Types;

/// The file's text. Items are formatted as they are made: tokens take much memory.
pub(crate) fn print(model: &Model<'_>) -> String {
    let types = Types::new(model);
    let mut file = Text::new(model.manifest);
    file.items(capability::constants(model));
    let mut defs = model.types.iter().peekable();
    for capability in &model.capabilities {
        file.items(capability::marker(&types, capability));
        for (side, label) in [(&capability.request, "request"), (&capability.response, "response")] {
            if let SideModel::Loose(name) = side {
                file.items(capability::loose(name, label, &capability.source.name));
            }
        }
        while let Some(def) = defs.next_if(|def| def.capability == capability.source.name) {
            file.items(definition(&types, def));
        }
    }
    file.finish()
}

fn definition(types: &Types<'_>, def: &TypeDef) -> TokenStream {
    let docs = doc::of(def.description.as_deref(), || place(def));
    match &def.shape {
        Shape::Record(record) => record::print(types, def, record, &docs),
        Shape::Enum(members) => enums::print(def, members, &docs),
        Shape::Union(union) => union::print(types, def, union, &docs),
        Shape::Alias { target, .. } => {
            let (name, ty) = (ident::type_name(&def.name), types.tokens(target));
            if !types.is_newtype(def) {
                return quote!(#docs pub type #name = #ty;);
            }
            quote! {
                #docs
                #[derive(Debug, Clone, PartialEq)]
                pub struct #name(
                    /// The value.
                    pub #ty
                );
                ::capgen::newtype!(#name);
            }
        }
    }
}

/// What a type without a description is.
fn place(def: &TypeDef) -> String {
    let (side, capability) = (def.side.name(), doc::code(&def.capability));
    if def.pointer.is_empty() {
        return format!("The {side} of {capability}.");
    }
    format!("{} in the {side} of {capability}.", doc::code(&def.pointer))
}
