//! The rules of the keys, which are those of the manifest, and what a descriptor is made of.

use proc_macro2::TokenStream;
use quote::ToTokens;
use semver::Version;
use syn::ext::IdentExt;
use syn::{LitInt, LitStr, Path, Type, parse_quote};

use crate::ast::Subject;
use crate::attr::Entry;
use crate::errors::Errors;
use crate::key::{Key, Rule};
use crate::value::Value;
use crate::{generics, json, kebab, version};
use capgen_diagnostic::nearest;

/// A capability without mistakes, or what is left of one without them.
pub(crate) struct Declared {
    pub(crate) name: String,
    /// Where capgen is found.
    pub(crate) capgen: Path,
    /// `None` where it is loose.
    pub(crate) response: Option<Box<Type>>,
    /// An expression, where there is one.
    pub(crate) description: Option<TokenStream>,
    /// The other keys as the manifest has them, with their values as JSON.
    pub(crate) said: Vec<(String, String)>,
}

/// Holds what was written against the rules.
pub(crate) fn check(subject: &Subject<'_>, entries: Vec<Entry>, errors: &mut Errors) -> Declared {
    generics::check(subject.generics, errors);
    let mut declared = Declared {
        name: kebab::kebab(&subject.name.unraw().to_string()),
        capgen: parse_quote!(::capgen),
        response: None,
        description: None,
        said: Vec::new(),
    };
    let mut response = None;
    let (mut named, mut described) = (false, false);
    for Entry { key, value } in entries {
        named |= key.rule == Rule::Name;
        described |= key.name == "description";
        match value {
            Value::Text(literal) if key.rule == Rule::Name => declared.name = name(&literal, errors),
            Value::Type(ty) => response = Some(ty),
            Value::Path(path) => declared.capgen = path,
            // The manifest has no use for a description of nothing: it keeps the doc comment away.
            Value::Text(literal) if key.name == "description" => {
                declared.description = (!literal.value().is_empty()).then(|| literal.to_token_stream());
            }
            value => declared.said.extend(said(key, &value, errors)),
        }
    }
    if !named && !is_name(&declared.name) {
        let message = "this makes no name of a capability: write `#[capability(name = \"...\")]` with letters, digits, `_` and `-`";
        errors.at(subject.name, message);
    }
    if !described {
        declared.description.clone_from(&subject.documentation);
    }
    declared.response = response.filter(|ty| !is_loose(ty, &declared.capgen));
    declared
}

/// The key and the value that the manifest has.
fn said(key: &Key, value: &Value, errors: &mut Errors) -> Option<(String, String)> {
    let value = match value {
        Value::Text(literal) => {
            if let Some(advice) = text_advice(key, &literal.value()) {
                errors.at(literal, advice);
            }
            json::string(&literal.value())
        }
        Value::Number(literal) => milliseconds(literal, key, errors)?.to_string(),
        Value::Flag(flag) => flag.to_string(),
        Value::Texts(literals) => {
            for literal in literals {
                if let Some(advice) = element_advice(key, &literal.value()) {
                    errors.at(literal, advice);
                }
            }
            if literals.is_empty() {
                return None;
            }
            json::list(literals.iter().map(LitStr::value))
        }
        Value::Type(_) | Value::Path(_) => return None,
    };
    Some((key.in_manifest(), value))
}

fn name(literal: &LitStr, errors: &mut Errors) -> String {
    let name = literal.value();
    if !is_name(&name) {
        let made = kebab::kebab(&name);
        let example = if is_name(&made) { made } else { "review-pr".to_owned() };
        let rule = "a name has letters, digits, `_` and `-`, and starts with a letter or a digit";
        errors.at(literal, format!("{rule}: write `name = \"{example}\"`"));
    }
    name
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

/// What to write instead of a string that breaks the rule of its key.
fn text_advice(key: &Key, text: &str) -> Option<String> {
    let example = key.example;
    match key.rule {
        Rule::Id => id_advice(text),
        Rule::Version => version::advice(key.name, text),
        Rule::Filled if text.is_empty() => Some(format!("nothing is said here: write `{example}`, or leave it out")),
        Rule::Choice(values) if !values.contains(&text) => Some(match nearest(text, values.iter().copied()) {
            Some(near) => format!("no such value of `{}`: did you mean `\"{near}\"`?", key.name),
            None => {
                let values: Vec<String> = values.iter().map(|value| format!("`\"{value}\"`")).collect();
                format!("no such value of `{}`: write {}", key.name, values.join(" or "))
            }
        }),
        _ => None,
    }
}

fn id_advice(text: &str) -> Option<String> {
    if text.split('.').count() >= 2 && text.split('.').all(is_name) {
        return None;
    }
    Some(match text.split_once(':') {
        Some((id, version)) if Version::parse(version).is_ok() => {
            format!("an id has no version: write `id = \"{id}\", version = \"{version}\"`")
        }
        _ => "an id is a reverse-domain name, at least two labels with dots between: write `id = \"org.example.review-pr\"`"
            .to_owned(),
    })
}

fn element_advice(key: &Key, text: &str) -> Option<String> {
    match key.rule {
        Rule::Ranges => version::range_advice(text),
        _ if text.is_empty() => Some(format!("an empty element of `{}`: leave it out", key.name)),
        _ => None,
    }
}

fn milliseconds(literal: &LitInt, key: &Key, errors: &mut Errors) -> Option<u64> {
    let value = literal.base10_parse::<u64>();
    let wrong = match value {
        Ok(0) => "at least 1",
        Ok(value) => return Some(value),
        Err(_) => "at most 18446744073709551615",
    };
    errors.at(literal, format!("`{}` is {wrong}: write `{}`, or leave it out", key.name, key.example));
    None
}

/// Whether the response is written as `Loose`, alone or below the path of capgen.
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

#[cfg(test)]
mod tests {
    use capgen_manifest::version::check_range;
    use capgen_manifest::{Capability, Determinism, SideEffects};

    use super::*;
    use crate::key::KEYS;

    /// Texts near the borders of the rules.
    const TEXTS: &[&str] = &[
        "",
        " ",
        "a",
        "-a",
        "_a",
        "a-",
        "A_b-9",
        "9",
        "a b",
        "a.b",
        "a..b",
        ".a",
        "a.",
        "a.-b",
        "ü",
        "ü.a",
        "a.b:1.0.0",
        "1",
        "1.2",
        "1.2.3",
        "v1.2.3",
        "01.2.3",
        "1.2.3-rc.1+build",
        "1.2.3-",
        "latest",
        ">=1.0.0",
        ">= 1.0.0",
        ">=1.0",
        ">=1.0.0 <2.0.0",
        ">=1.0.0  <2.0.0 ",
        "1.0.0 2.0.0",
        "^1.0.0",
        "~1.0.0",
        "1.x",
        "*",
        "1.0.0 || 2.0.0",
        "=1.0.0",
        ">=1.0.0,<2.0.0",
        "==1.0.0",
        "!=1.0.0",
        ">=1.0.0\t<2.0.0",
    ];

    #[test]
    fn the_rules_are_those_of_the_manifest() {
        for text in TEXTS {
            assert_eq!(is_name(text), Capability::is_name(text), "{text}");
            assert_eq!(id_advice(text).is_none(), Capability::is_id(text), "{text}");
            assert_eq!(version::range_advice(text).is_none(), check_range(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn the_values_are_those_of_the_manifest() {
        let values = |name: &str| match KEYS.iter().find(|key| key.name == name).map(|key| key.rule) {
            Some(Rule::Choice(values)) => values.to_vec(),
            _ => Vec::new(),
        };
        assert_eq!(values("side_effects"), SideEffects::ALL.map(|value| value.name()));
        assert_eq!(values("determinism"), Determinism::ALL.map(|value| value.name()));
    }
}
