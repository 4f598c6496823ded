//! The attributes of fields, which belong to serde and schemars.

use proc_macro2::{Ident, TokenTree};
use syn::{Attribute, Field, Meta};

use crate::errors::Errors;

/// The keys of `#[serde(...)]` with which a function writes or reads the field.
const FUNCTIONS: [&str; 3] = ["with", "serialize_with", "deserialize_with"];

/// The keys of `#[schemars(...)]` that describe the JSON of the field, or leave it out of the schema.
const DESCRIPTIONS: [&str; 4] = ["with", "schema_with", "skip", "skip_deserializing"];

/// Reports attributes that are at the wrong place or incomplete.
pub(crate) fn check<'a>(fields: impl Iterator<Item = &'a Field>, errors: &mut Errors) {
    for field in fields {
        for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("capability")) {
            errors.at(
                attribute.path(),
                "`#[capability]` belongs before the struct; for a field, write `#[serde(...)]` or `#[schemars(...)]`",
            );
        }
        described(&field.attrs, errors);
    }
}

/// A function of serde changes the JSON of a field. schemars does not read the function, so it would describe the type
/// of the field.
fn described(attributes: &[Attribute], errors: &mut Errors) {
    let find = |name: &str, names: &[&str]| {
        let mut keys = attributes.iter().filter(|attribute| attribute.path().is_ident(name)).flat_map(keys);
        keys.find(|key| names.iter().any(|name| *key == *name))
    };
    let is_skipped = find("serde", &["skip", "skip_deserializing"]).is_some();
    if is_skipped || find("schemars", &DESCRIPTIONS).is_some() {
        return;
    }
    if let Some(key) = find("serde", &FUNCTIONS) {
        let message = format!(
            "`#[serde({key})]` changes the JSON of the field, but not its schema: also write `#[schemars(with = \"String\")]`, with \
             the type that has this JSON"
        );
        errors.at(&key, message);
    }
}

/// The keys in the parentheses of an attribute.
fn keys(attribute: &Attribute) -> Vec<Ident> {
    let Meta::List(list) = &attribute.meta else { return Vec::new() };
    let mut is_start = true;
    let mut keys = Vec::new();
    for token in list.tokens.clone() {
        let starts =
            std::mem::replace(&mut is_start, matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ','));
        if let (TokenTree::Ident(key), true) = (token, starts) {
            keys.push(key);
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use syn::{DeriveInput, parse_quote};

    use super::*;

    /// The error of a struct with one field that has these attributes.
    fn error(input: DeriveInput) -> Option<String> {
        let syn::Data::Struct(data) = input.data else { return None };
        let mut errors = Errors::default();
        check(data.fields.iter(), &mut errors);
        errors.finish().map(|error| error.to_string())
    }

    #[test]
    fn a_function_of_serde_needs_a_schema() {
        let function = error(parse_quote!(
            struct A {
                #[serde(default, serialize_with = "f")]
                a: u8,
            }
        ));
        assert!(function.is_some_and(|error| error.starts_with("`#[serde(serialize_with)]` changes the JSON")));
        let function = error(parse_quote!(
            struct A(
                #[serde(deserialize_with = "f")]
                #[schemars(length(min = 1))]
                u8,
            );
        ));
        assert!(function.is_some_and(|error| error.starts_with("`#[serde(deserialize_with)]`")));
    }

    #[test]
    fn fields_with_a_schema_or_without_a_function_are_accepted() {
        for input in [
            parse_quote!(
                struct A {
                    #[serde(with = "f")]
                    #[schemars(with = "String")]
                    a: u8,
                }
            ),
            parse_quote!(
                struct A {
                    #[schemars(title = "a", schema_with = "g")]
                    #[serde(with = "f")]
                    a: u8,
                }
            ),
            parse_quote!(
                struct A {
                    #[serde(skip, with = "f")]
                    a: u8,
                }
            ),
            parse_quote!(
                struct A {
                    #[serde(rename = "with")]
                    a: u8,
                }
            ),
            parse_quote!(
                struct A {
                    #[serde]
                    #[serde = "with"]
                    a: u8,
                }
            ),
        ] {
            assert_eq!(error(input), None);
        }
    }
}
