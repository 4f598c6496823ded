//! Checks the values of the keys by the rules of the manifest, and collects the parts of the expansion.

use capgen_descriptor::name::{NAME_RULE, is_id, is_name};
use capgen_descriptor::{
    CapabilityKey, Determinism, InvalidVersionRange, LARGE_NUMBER, SideEffects, Skew, ValueType, VersionRange,
    complete_version, has_large_number,
};
use capgen_diagnostic::nearest;
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};
use semver::Version;
use syn::ext::IdentExt;
use syn::{LitInt, LitStr, Path, Type, parse_quote};

use crate::ast::Subject;
use crate::attr::Entry;
use crate::errors::Errors;
use crate::key::{Key, KeyKind};
use crate::value::Value;
use crate::{generics, kebab};

/// A checked capability. If there were errors, it has the values without errors, and defaults for the others.
pub(crate) struct Declared {
    pub(crate) name: String,
    /// The path of the crate `capgen`.
    pub(crate) capgen: Path,
    /// `None` if the response has no schema.
    pub(crate) response: Option<Box<Type>>,
    /// The enum of the declared errors.
    pub(crate) errors: Option<Box<Type>>,
    /// The optional properties: the setter of `Descriptor`, and an expression for its argument.
    pub(crate) properties: Vec<(&'static str, TokenStream)>,
}

/// Checks the keys.
pub(crate) fn check(subject: &Subject<'_>, entries: Vec<Entry>, errors: &mut Errors) -> Declared {
    generics::check(subject.generics, errors);
    let mut declared = Declared {
        name: kebab::kebab(&subject.name.unraw().to_string()),
        capgen: parse_quote!(::capgen),
        response: None,
        errors: None,
        properties: Vec::new(),
    };
    let mut response = None;
    let (mut named, mut described) = (false, false);
    for Entry { key, value } in entries {
        match (key.kind, value) {
            (KeyKind::Name, Value::Text(literal)) => {
                declared.name = name(&literal, errors);
                named = true;
            }
            (KeyKind::Response, Value::Type(ty)) => response = Some(ty),
            (KeyKind::Errors, Value::Type(ty)) => declared.errors = Some(ty),
            (KeyKind::Crate, Value::Path(path)) => declared.capgen = path,
            (KeyKind::Property(property), value) => {
                described |= property.field == DESCRIPTION;
                let argument = argument(key, property, &value, errors);
                declared.properties.extend(argument.map(|argument| (property.setter, argument)));
            }
            // `value::read` returns the variant of the key.
            (KeyKind::Name | KeyKind::Response | KeyKind::Errors | KeyKind::Crate, _) => {}
        }
    }
    if !named && !is_name(&declared.name) {
        let message = format!("not a valid capability name: write `#[capability(name = \"...\")]`; {NAME_RULE}");
        errors.at(subject.name, message);
    }
    if let Some(documentation) = subject.documentation.clone().filter(|_| !described) {
        declared.properties.push(("with_description", documentation));
    }
    declared.response = response.filter(|ty| !is_loose(ty, &declared.capgen));
    declared
}

/// The property that has the documentation of the struct as its default.
const DESCRIPTION: &str = "description";

/// The argument of a property's setter; `None` if the value leaves the property absent, or is invalid.
fn argument(key: Key, property: &CapabilityKey, value: &Value, errors: &mut Errors) -> Option<TokenStream> {
    match value {
        // An empty description keeps the documentation out of the manifest.
        Value::Text(literal) if property.field == DESCRIPTION && literal.value().is_empty() => None,
        Value::Text(literal) => {
            if let Some(advice) = text_advice(key, property.value_type, &literal.value()) {
                errors.at(literal, advice);
            }
            Some(literal.to_token_stream())
        }
        Value::Number(literal) => Some(Literal::u64_suffixed(milliseconds(literal, key, errors)?).to_token_stream()),
        Value::Flag(flag) => Some(flag.to_token_stream()),
        Value::Texts(literals) => {
            for literal in literals {
                if let Some(advice) = element_advice(key, property.value_type, &literal.value()) {
                    errors.at(literal, advice);
                }
            }
            (!literals.is_empty()).then(|| quote!(&[#(#literals),*]))
        }
        Value::Type(_) | Value::Path(_) => None,
    }
}

fn name(literal: &LitStr, errors: &mut Errors) -> String {
    let name = literal.value();
    if !is_name(&name) {
        let made = kebab::kebab(&name);
        let example = if is_name(&made) { made } else { "review-pr".to_owned() };
        errors.at(literal, format!("{NAME_RULE}: write `name = \"{example}\"`"));
    }
    name
}

/// The message for a string that breaks the rule of its key.
fn text_advice(key: Key, value_type: ValueType, text: &str) -> Option<String> {
    match value_type {
        ValueType::Id => id_advice(text),
        ValueType::Version => version_advice(key.name, text),
        ValueType::NonEmptyText if text.is_empty() => {
            Some(format!("`{}` is empty: write `{}`, or remove the key", key.name, key.example()))
        }
        ValueType::SideEffects => choice_advice(key.name, text, &SideEffects::ALL.map(SideEffects::name)),
        ValueType::Determinism => choice_advice(key.name, text, &Determinism::ALL.map(Determinism::name)),
        ValueType::Skew => choice_advice(key.name, text, &Skew::ALL.map(Skew::name)),
        _ => None,
    }
}

fn choice_advice(key: &str, text: &str, values: &[&'static str]) -> Option<String> {
    if values.contains(&text) {
        return None;
    }
    Some(match nearest(text, values.iter().copied()) {
        Some(near) => format!("unknown value of `{key}`: did you mean `\"{near}\"`?"),
        None => {
            let values: Vec<String> = values.iter().map(|value| format!("`\"{value}\"`")).collect();
            format!("unknown value of `{key}`: write {}", values.join(" or "))
        }
    })
}

fn id_advice(text: &str) -> Option<String> {
    if is_id(text) {
        return None;
    }
    Some(match text.split_once(':') {
        Some((id, version)) if Version::parse(version).is_ok() => {
            format!("an id does not contain the version: write `id = \"{id}\", version = \"{version}\"`")
        }
        _ => "an id is a reverse-domain name of at least two labels: write `id = \"org.example.review-pr\"`".to_owned(),
    })
}

fn version_advice(key: &str, text: &str) -> Option<String> {
    if Version::parse(text).is_ok() {
        return None;
    }
    if has_large_number(text) {
        return Some(format!("write smaller numbers: {LARGE_NUMBER}"));
    }
    let version = complete_version(text).map_or_else(|| "1.2.0".to_owned(), |version| version.to_string());
    Some(format!("a version has three numbers: write `{key} = \"{version}\"`"))
}

fn element_advice(key: Key, value_type: ValueType, text: &str) -> Option<String> {
    match value_type {
        ValueType::VersionRanges => range_advice(text),
        _ if text.is_empty() => Some(format!("empty element of `{}`: remove it", key.name)),
        _ => None,
    }
}

fn range_advice(text: &str) -> Option<String> {
    let reason = text.parse::<VersionRange>().err()?;
    Some(match complete_version(text) {
        Some(version) => format!("a version has three numbers: write `\"{version}\"`"),
        None if reason == InvalidVersionRange::NumberTooLarge => format!("write smaller numbers: {reason}"),
        None => format!("{reason}: write a version, such as `\"1.2.0\"`, or a range, such as `\">=1.2.0 <2.0.0\"`"),
    })
}

fn milliseconds(literal: &LitInt, key: Key, errors: &mut Errors) -> Option<u64> {
    let value = literal.base10_parse::<u64>();
    let limit = match value {
        Ok(0) => "at least 1",
        Ok(value) => return Some(value),
        Err(_) => "at most 18446744073709551615",
    };
    errors.at(literal, format!("`{}` must be {limit}: write `{}`, or remove the key", key.name, key.example()));
    None
}

/// Whether the response is written as `Loose`, with or without the path of capgen.
fn is_loose(ty: &Type, capgen: &Path) -> bool {
    match ty {
        Type::Group(group) => is_loose(&group.elem, capgen),
        Type::Path(path) if path.qself.is_none() => {
            let names = |path: &Path| path.segments.iter().map(|s| s.ident.to_string()).collect::<Vec<_>>();
            let mut written = names(&path.path);
            let last = written.pop();
            last.is_some_and(|last| last == "Loose")
                && (written.is_empty() || written == ["capgen"] || written == names(capgen))
        }
        _ => false,
    }
}
