//! The keys of `#[capability(...)]`, as written.
//!
//! What is wrong at one key is told, and reading goes on behind the next comma.

use proc_macro2::{Ident, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Result};
use syn::{Attribute, Error, Meta, Token};

use crate::errors::Errors;
use crate::key::{KEYS, Key};
use crate::value::{self, Value};
use capgen_diagnostic::nearest;

/// A key with its value.
pub(crate) struct Entry {
    pub(crate) key: &'static Key,
    pub(crate) value: Value,
}

/// Reads every `#[capability(...)]`: a key stands once in all of them.
pub(crate) fn read(attributes: &[Attribute], errors: &mut Errors) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut seen = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("capability")) {
        match &attribute.meta {
            Meta::Path(path) => errors.at(path, "no keys: write `#[capability(response = Review)]`, or leave it out"),
            Meta::NameValue(meta) => {
                errors.at(meta, "keys stand in parentheses: write `#[capability(name = \"review-pr\")]`");
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
                Err(input.error("write a comma between keys"))
            }
        });
        if let Err(error) = entry {
            errors.push(error);
            skip(input);
        }
        // Nothing else stands here: a comma, or the end.
        let _ = input.parse::<Option<Token![,]>>();
    }
}

fn read_entry(input: ParseStream<'_>, seen: &mut Vec<&'static str>) -> Result<Option<Entry>> {
    let written = read_key(input)?;
    let name = written.to_string();
    let Some(key) = KEYS.iter().find(|key| key.name == name) else {
        return Err(Error::new(written.span(), unknown(&name)));
    };
    if seen.contains(&key.name) {
        return Err(Error::new(written.span(), format!("`{name}` stands twice: keep one of them")));
    }
    seen.push(key.name);
    let value = value::read(input, key, &written)?;
    Ok(Some(Entry { key, value }))
}

fn read_key(input: ParseStream<'_>) -> Result<Ident> {
    if !input.peek(syn::Ident::peek_any) {
        return Err(input.error("write a key here, such as `name = \"review-pr\"`"));
    }
    let first = input.call(Ident::parse_any)?;
    let mut name = first.to_string();
    // What is written in kebab case is one key for the message.
    while input.peek(Token![-]) && input.peek2(syn::Ident::peek_any) {
        input.parse::<Token![-]>()?;
        name = format!("{name}-{}", input.call(Ident::parse_any)?);
    }
    if first == name { Ok(first) } else { Err(Error::new(first.span(), unknown(&name))) }
}

fn unknown(name: &str) -> String {
    // Of the manifest, where the schemas come from elsewhere.
    match name {
        "outputSchema" | "output_schema" | "output" => {
            return "the response is a type: write `response = Review`".to_owned();
        }
        "inputSchema" | "input_schema" | "input" | "request" => return "the struct itself is the request".to_owned(),
        _ => {}
    }
    match nearest(name, KEYS.iter().map(|key| key.name)) {
        Some(near) => format!("no such key `{name}`: did you mean `{near}`?"),
        None => {
            let names: Vec<String> = KEYS.iter().map(|key| format!("`{}`", key.name)).collect();
            format!("no such key `{name}`: the keys are {}", names.join(", "))
        }
    }
}

/// Goes on to the next comma that is not part of a type.
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
