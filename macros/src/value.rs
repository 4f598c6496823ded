//! The value of a key, parsed by the type of the key.

use capgen_descriptor::ValueType;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Result};
use syn::{Error, LitBool, LitInt, LitStr, Path, Token, Type, bracketed, token};

use crate::key::{Key, KeyKind};

/// A value of a key.
pub(crate) enum Value {
    Text(LitStr),
    Number(LitInt),
    Flag(bool),
    Texts(Vec<LitStr>),
    Type(Box<Type>),
    Path(Path),
}

/// Reads `= value`. After an error, the input may be anywhere in the value.
pub(crate) fn read(input: ParseStream<'_>, key: Key, written: &Ident) -> Result<Value> {
    let ends = |input: ParseStream<'_>| input.is_empty() || input.peek(Token![,]);
    if key.value_type() == Some(ValueType::Flag) && (ends(input) || input.peek(Ident::peek_any)) {
        return Ok(Value::Flag(true));
    }
    if !ends(input) && !input.peek(Token![=]) {
        return Err(input.error(format!("write `{}`", key.example())));
    }
    let equals: Option<Token![=]> = input.parse()?;
    if ends(input) {
        let message = format!("missing value of `{}`: write `{}`", key.name, key.example());
        return Err(Error::new_spanned(quote!(#written #equals), message));
    }
    match key.kind {
        KeyKind::Name => text(input, key),
        KeyKind::Property(property) => match property.value_type {
            ValueType::Milliseconds => number(input, key),
            ValueType::Flag => flag(input, key),
            ValueType::Words | ValueType::VersionRanges => texts(input, key),
            _ => text(input, key),
        },
        KeyKind::Response => response(input),
        KeyKind::Errors => error_type(input, key),
        KeyKind::Crate => path(input, key),
    }
}

fn text(input: ParseStream<'_>, key: Key) -> Result<Value> {
    match string(input) {
        Some(text) => Ok(Value::Text(text)),
        None => {
            let rest = rest(input);
            let example = match quotable(&rest) {
                Some(text) => format!("{} = \"{text}\"", key.name),
                None => key.example(),
            };
            Err(Error::new_spanned(rest, format!("`{}` must be a string: write `{example}`", key.name)))
        }
    }
}

/// Consumes the next token if it is a string literal.
fn string(input: ParseStream<'_>) -> Option<LitStr> {
    let literal = input.fork().parse::<LitStr>().ok().filter(|literal| literal.suffix().is_empty());
    if literal.is_some() { input.parse().ok() } else { None }
}

fn number(input: ParseStream<'_>, key: Key) -> Result<Value> {
    if let Ok(literal) = input.fork().parse::<LitInt>() {
        let negative = literal.base10_digits().starts_with('-');
        if matches!(literal.suffix(), "" | "u64") && !negative {
            return input.parse().map(Value::Number);
        }
    }
    let message = format!("`{}` must be a whole number of milliseconds: write `{}`", key.name, key.example());
    Err(Error::new_spanned(rest(input), message))
}

fn flag(input: ParseStream<'_>, key: Key) -> Result<Value> {
    if input.peek(LitBool) {
        return input.parse::<LitBool>().map(|literal| Value::Flag(literal.value));
    }
    let message = format!("`{0}` must be true or false: write `{0}`, or `{0} = false`", key.name);
    Err(Error::new_spanned(rest(input), message))
}

fn texts(input: ParseStream<'_>, key: Key) -> Result<Value> {
    if !input.peek(token::Bracket) {
        let rest = rest(input);
        let example = match syn::parse2::<LitStr>(rest.clone()) {
            Ok(text) => format!("{} = [{}]", key.name, text.to_token_stream()),
            Err(_) => key.example(),
        };
        return Err(Error::new_spanned(rest, format!("`{}` must be a list: write `{example}`", key.name)));
    }
    let elements;
    bracketed!(elements in input);
    let mut texts = Vec::new();
    let mut wrong: Option<Error> = None;
    while !elements.is_empty() {
        match string(&elements) {
            Some(text) => texts.push(text),
            None => combine(&mut wrong, not_a_string(&elements, key)),
        }
        if !elements.is_empty() && !elements.peek(Token![,]) {
            combine(&mut wrong, elements.error("expected a comma between elements"));
            rest(&elements);
        }
        elements.parse::<Option<Token![,]>>()?;
    }
    wrong.map_or(Ok(Value::Texts(texts)), Err)
}

fn not_a_string(elements: ParseStream<'_>, key: Key) -> Error {
    if elements.peek(Token![,]) {
        return elements.error("missing element: remove this comma");
    }
    let rest = rest(elements);
    let advice = match quotable(&rest) {
        Some(text) => format!("write `\"{text}\"`"),
        None => format!("write `{}`", key.example()),
    };
    Error::new_spanned(rest, format!("an element of `{}` must be a string: {advice}", key.name))
}

fn combine(all: &mut Option<Error>, error: Error) {
    match all {
        Some(all) => all.combine(error),
        none => *none = Some(error),
    }
}

fn response(input: ParseStream<'_>) -> Result<Value> {
    if let Some(literal) = string(input) {
        let text = literal.value();
        let example = if syn::parse_str::<Path>(&text).is_ok() { text } else { "Review".to_owned() };
        return Err(Error::new_spanned(literal, format!("expected a type: write `response = {example}`")));
    }
    match input.fork().call(Type::without_plus) {
        Ok(ty) if is_owned(&ty) => input.call(Type::without_plus).map(|ty| Value::Type(Box::new(ty))),
        _ => {
            let message = "expected a type that owns its data: write `response = Review`";
            Err(Error::new_spanned(rest(input), message))
        }
    }
}

fn error_type(input: ParseStream<'_>, key: Key) -> Result<Value> {
    match input.fork().parse::<Type>() {
        Ok(_) => input.parse().map(Value::Type),
        Err(_) => {
            let message =
                format!("`errors` must be an enum with `#[derive(CapabilityError)]`: write `{}`", key.example());
            Err(Error::new_spanned(rest(input), message))
        }
    }
}

/// Whether values of a type can own their data.
fn is_owned(ty: &Type) -> bool {
    match ty {
        Type::Group(group) => is_owned(&group.elem),
        Type::Paren(paren) => is_owned(&paren.elem),
        Type::Reference(_) | Type::Ptr(_) | Type::Infer(_) | Type::ImplTrait(_) | Type::TraitObject(_) => false,
        _ => true,
    }
}

fn path(input: ParseStream<'_>, key: Key) -> Result<Value> {
    let parsed = match string(input) {
        Some(literal) => literal.parse_with(Path::parse_mod_style).map_err(|_| literal.to_token_stream()),
        None => match input.fork().call(Path::parse_mod_style) {
            Ok(_) => return input.call(Path::parse_mod_style).map(Value::Path),
            Err(_) => Err(rest(input)),
        },
    };
    parsed.map(Value::Path).map_err(|tokens| {
        Error::new_spanned(tokens, format!("`crate` must be the path of the crate capgen: write `{}`", key.example()))
    })
}

/// The tokens up to the next comma.
fn rest(input: ParseStream<'_>) -> TokenStream {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        match input.parse::<TokenTree>() {
            Ok(token) => tokens.extend([token]),
            Err(_) => break,
        }
    }
    tokens
}

/// The tokens as the text of a string whose quotes were forgotten; `None` unless they are a few words, numbers, dots
/// and hyphens.
fn quotable(tokens: &TokenStream) -> Option<String> {
    let mut text = String::new();
    for token in tokens.clone() {
        match token {
            TokenTree::Ident(ident) => text.push_str(&ident.to_string()),
            TokenTree::Punct(punct) if matches!(punct.as_char(), '.' | '-' | ':') => text.push(punct.as_char()),
            TokenTree::Literal(literal) if literal.to_string().starts_with(|c: char| c.is_ascii_digit()) => {
                text.push_str(&literal.to_string());
            }
            _ => return None,
        }
    }
    (!text.is_empty() && text.len() <= 40).then_some(text)
}
