//! Parses the keys of `#[capability(...)]`.
//!
//! After an error in one key, parsing continues after the next comma, so that all errors are reported at once.

use capgen_diagnostic::nearest;
use proc_macro2::{Ident, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Result};
use syn::{Attribute, Error, Meta, Token};

use crate::errors::Errors;
use crate::key::Key;
use crate::value::{self, Value};

/// A key with its value.
pub(crate) struct Entry {
    pub(crate) key: Key,
    pub(crate) value: Value,
}

/// Parses every `#[capability(...)]` of a struct. Together they may have a key only once.
pub(crate) fn read(attributes: &[Attribute], errors: &mut Errors) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut seen = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("capability")) {
        match &attribute.meta {
            Meta::Path(path) => {
                errors.at(path, "missing keys: write `#[capability(response = Review)]`, or remove the attribute")
            }
            Meta::NameValue(meta) => {
                errors.at(meta, "expected keys in parentheses: write `#[capability(name = \"review-pr\")]`");
            }
            Meta::List(list) => {
                let read = |input: ParseStream<'_>| {
                    read_list(input, &mut seen, &mut entries, errors);
                    Ok(())
                };
                if let Err(error) = list.parse_args_with(read) {
                    errors.push(error);
                }
            }
        }
    }
    entries
}

fn read_list(input: ParseStream<'_>, seen: &mut Vec<&'static str>, entries: &mut Vec<Entry>, errors: &mut Errors) {
    while !input.is_empty() {
        let entry = read_entry(input, seen).and_then(|entry| {
            entries.extend(entry);
            if input.is_empty() || input.peek(Token![,]) {
                Ok(())
            } else {
                Err(input.error("expected a comma between keys"))
            }
        });
        if let Err(error) = entry {
            errors.push(error);
            skip(input);
        }
        // Here is a comma or the end, and nothing else.
        let _ = input.parse::<Option<Token![,]>>();
    }
}

fn read_entry(input: ParseStream<'_>, seen: &mut Vec<&'static str>) -> Result<Option<Entry>> {
    let written = read_key(input)?;
    let name = written.to_string();
    let Some(key) = Key::all().find(|key| key.name == name) else {
        return Err(Error::new(written.span(), unknown(&name)));
    };
    if seen.contains(&key.name) {
        return Err(Error::new(written.span(), format!("duplicate key `{name}`")));
    }
    seen.push(key.name);
    let value = value::read(input, key, &written)?;
    Ok(Some(Entry { key, value }))
}

fn read_key(input: ParseStream<'_>) -> Result<Ident> {
    if !input.peek(syn::Ident::peek_any) {
        return Err(input.error("expected a key, such as `name = \"review-pr\"`"));
    }
    let first = input.call(Ident::parse_any)?;
    let mut name = first.to_string();
    // A key in kebab case is several tokens. Join them, so that the message can name it.
    while input.peek(Token![-]) && input.peek2(syn::Ident::peek_any) {
        input.parse::<Token![-]>()?;
        name = format!("{name}-{}", input.call(Ident::parse_any)?);
    }
    if first == name { Ok(first) } else { Err(Error::new(first.span(), unknown(&name))) }
}

fn unknown(name: &str) -> String {
    // Keys of the manifest that the derive does not have: the schemas come from the types.
    match name {
        "outputSchema" | "output_schema" | "output" => {
            return "the response is a type: write `response = Review`".to_owned();
        }
        "inputSchema" | "input_schema" | "input" | "request" => return "the request is the struct itself".to_owned(),
        _ => {}
    }
    match nearest(name, Key::all().map(|key| key.name)) {
        Some(near) => format!("unknown key `{name}`: did you mean `{near}`?"),
        None => {
            let names: Vec<String> = Key::all().map(|key| format!("`{}`", key.name)).collect();
            format!("unknown key `{name}`: the keys are {}", names.join(", "))
        }
    }
}

/// Skips to the next comma that is not inside the angle brackets of a type.
fn skip(input: ParseStream<'_>) {
    let mut depth = 0_usize;
    let mut before = ' ';
    while !input.is_empty() {
        if depth == 0 && input.peek(Token![,]) {
            return;
        }
        let Ok(token) = input.parse::<TokenTree>() else { return };
        let character = match token {
            TokenTree::Punct(punct) => punct.as_char(),
            _ => ' ',
        };
        match character {
            '<' => depth += 1,
            '>' if !matches!(before, '-' | '=') => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = character;
    }
}
