//! The input of the derive: a struct, its attributes and its generic parameters.

use proc_macro2::{Ident, TokenStream};
use syn::{Data, DeriveInput, Fields, Generics};

use crate::attr::{self, Entry};
use crate::doc;
use crate::errors::Errors;
use crate::field;

/// A struct with `#[derive(Capability)]`.
pub(crate) struct Subject<'a> {
    pub(crate) name: &'a Ident,
    pub(crate) generics: &'a Generics,
    /// Whether it is a unit struct (`struct Ping;`), whose request is empty.
    pub(crate) is_unit: bool,
    /// The documentation, as an expression of type `&'static str`.
    pub(crate) documentation: Option<TokenStream>,
}

/// Takes the input apart: the struct, and the keys of its attributes.
pub(crate) fn read<'a>(input: &'a DeriveInput, errors: &mut Errors) -> (Subject<'a>, Vec<Entry>) {
    let name = &input.ident;
    let is_unit = match &input.data {
        Data::Struct(data) => {
            field::check(data.fields.iter(), errors);
            matches!(data.fields, Fields::Unit)
        }
        Data::Enum(data) => {
            errors.at(&data.enum_token, not_a_struct("an enum", name));
            false
        }
        Data::Union(data) => {
            errors.at(&data.union_token, not_a_struct("a union", name));
            false
        }
    };
    let documentation = doc::description(&input.attrs);
    (Subject { name, generics: &input.generics, is_unit, documentation }, attr::read(&input.attrs, errors))
}

fn not_a_struct(input: &str, name: &Ident) -> String {
    format!("cannot derive `Capability` for {input}: wrap it in a struct, such as `struct Review{name}({name});`")
}
