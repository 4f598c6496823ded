//! Checks of a value below `http`, whatever text it comes from. Every problem is reported at its place.

use std::collections::HashMap;

use capgen_diagnostic::{is_typo, nearest, public_url, quoted};
use capgen_schema::{Json, Object, Type, pointer};

use super::keys::{METHODS, OPERATION, PLACES, SCHEME, SCHEME_TYPES, STYLES, SchemeType, Shape};
use crate::keys::{Key, Value};
use crate::masked::is_name;

/// Further problems are not reported: a hostile text can cause millions. More than a user reads.
const MAX_PROBLEMS: usize = 1000;

/// The kind of a problem, which has a code where positions are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProblemKind {
    UnknownKey,
    MissingKey,
    WrongType,
    UnknownValue,
    EmptyList,
    EmptyText,
    /// A method, a path, a webhook or a status.
    Operation,
    Parameter,
    Url,
    Security,
}

/// A problem of a value below `http`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct HttpProblem {
    pub(crate) kind: ProblemKind,
    /// JSON Pointer from `http`.
    pub(crate) pointer: String,
    /// Whether the name of that member is wrong, and not its value.
    pub(crate) is_key: bool,
    pub(crate) message: String,
    pub(crate) help: String,
}

/// The problems so far.
#[derive(Default)]
pub(crate) struct Checker {
    pub(crate) problems: Vec<HttpProblem>,
}

impl Checker {
    /// The problems of `http` of a capability, apart from the names of schemes.
    pub(crate) fn operation(&mut self, value: &Json) {
        self.value(value, OPERATION, "", "http");
        if let Some(members) = value.as_object() {
            self.target(members);
            self.parameters(members);
        }
    }

    /// The names of schemes that requirements use, each of which must be known.
    pub(crate) fn requirements(&mut self, security: Option<&Json>, is_known: impl Fn(&str) -> bool) {
        for (index, requirement) in security.and_then(Json::as_array).unwrap_or_default().iter().enumerate() {
            for (name, _) in requirement.as_object().into_iter().flatten().filter(|(name, _)| !is_known(name)) {
                let at = pointer::join(&pointer::join("/security", &index.to_string()), name);
                let message = format!("`security` names the scheme {}, which is not declared", quoted(name));
                let help = "declare it in `securitySchemes`, here or at the root of the manifest";
                self.report_key(ProblemKind::Security, at, message, help);
            }
        }
    }

    fn report(&mut self, kind: ProblemKind, at: &str, message: String, help: impl Into<String>) {
        self.push(HttpProblem { kind, pointer: at.to_owned(), is_key: false, message, help: help.into() });
    }

    fn report_key(&mut self, kind: ProblemKind, pointer: String, message: String, help: impl Into<String>) {
        self.push(HttpProblem { kind, pointer, is_key: true, message, help: help.into() });
    }

    fn push(&mut self, problem: HttpProblem) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        }
    }

    /// Checks a value by its shape. The tables bound the recursion.
    pub(crate) fn value(&mut self, value: &Json, shape: Shape, at: &str, key: &str) {
        match shape {
            Shape::Text => _ = self.text(value, at, key),
            Shape::Name => self.name(value, at, key),
            Shape::Flag => {
                if !matches!(value, Json::Bool(_)) {
                    self.wrong_type(at, key, "a boolean", "write `true` or `false`, without quotes");
                }
            }
            Shape::OneOf(names) => self.one_of(value, names, at, key),
            Shape::Method => self.method(value, at, key),
            Shape::Url => self.url(value, at, key),
            Shape::Path => self.path(value, at, key),
            Shape::Keys(keys) => {
                if let Some(members) = self.mapping(value, at, key) {
                    self.keys(members, keys, at, key);
                }
            }
            Shape::List(element) => self.list(value, *element, at, key),
            Shape::FilledList(element) => {
                if value.as_array().is_some_and(<[Json]>::is_empty) {
                    let message = format!("`{key}` must not be empty");
                    self.report(ProblemKind::EmptyList, at, message, "add an element, or remove the key");
                }
                self.list(value, *element, at, key);
            }
            Shape::Named(member) => {
                for (name, value) in self.mapping(value, at, key).into_iter().flatten() {
                    let below = pointer::join(at, name);
                    if name.is_empty() || name.contains(char::is_control) {
                        let message = format!("a name in `{key}` is empty, or has control characters");
                        self.report_key(ProblemKind::Operation, below.clone(), message, "write another name");
                    }
                    self.value(value, *member, &below, key);
                }
            }
            Shape::Statuses(member) => {
                for (status, value) in self.mapping(value, at, key).into_iter().flatten() {
                    let below = pointer::join(at, status);
                    if !is_status(status) {
                        let message = format!("a key of `{key}` is not a status of HTTP");
                        let help = "write three digits in quotes such as \"200\", a range such as 2XX, or default";
                        self.report_key(ProblemKind::Operation, below.clone(), message, help);
                    }
                    self.value(value, *member, &below, "responses");
                }
            }
            Shape::Scheme => self.scheme(value, at),
        }
    }

    fn wrong_type(&mut self, at: &str, key: &str, want: &str, help: &str) {
        self.report(ProblemKind::WrongType, at, format!("`{key}` must be {want}"), help);
    }

    fn text<'j>(&mut self, value: &'j Json, at: &str, key: &str) -> Option<&'j str> {
        let text = value.as_str();
        if text.is_none() {
            let help = match value.type_of() {
                Type::Number | Type::Boolean => "put it in quotes",
                _ => "write one string",
            };
            self.wrong_type(at, key, "a string", help);
        }
        text
    }

    fn name(&mut self, value: &Json, at: &str, key: &str) {
        let Some(text) = self.text(value, at, key) else { return };
        if text.is_empty() {
            let message = format!("`{key}` must not be empty");
            self.report(ProblemKind::EmptyText, at, message, "write a text, or remove the key");
        } else if text.contains(char::is_control) {
            let message = format!("`{key}` must not have control characters");
            self.report(ProblemKind::Operation, at, message, "write another text");
        }
    }

    fn one_of(&mut self, value: &Json, names: &[&'static str], at: &str, key: &str) {
        let Some(text) = self.text(value, at, key) else { return };
        if !names.contains(&text) {
            let help = match nearest(text, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the values are {}", listed(names)),
            };
            self.report(ProblemKind::UnknownValue, at, format!("unknown value of `{key}`"), help);
        }
    }

    /// Any method is valid, but a typo of a usual one is likelier.
    fn method(&mut self, value: &Json, at: &str, key: &str) {
        let Some(text) = self.text(value, at, key) else { return };
        let near = METHODS.into_iter().find(|usual| is_typo(text, usual));
        if METHODS.contains(&text) || (near.is_none() && is_token(text)) {
            return;
        }
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("write a method such as {}", listed(&METHODS)),
        };
        self.report(ProblemKind::UnknownValue, at, format!("unknown value of `{key}`"), help);
    }

    fn url(&mut self, value: &Json, at: &str, key: &str) {
        let Some(text) = self.text(value, at, key) else { return };
        if text.is_empty() {
            let message = format!("`{key}` must not be empty");
            return self.report(ProblemKind::EmptyText, at, message, "write a URL");
        }
        if text.contains(|c: char| c.is_control() || c.is_whitespace()) {
            let message = format!("`{key}` must not have spaces or control characters");
            self.report(ProblemKind::Url, at, message, "write a URL such as `https://api.example.com/v1`");
        } else if !is_public(text) {
            let message = format!("`{key}` has user info, parameters or a fragment, which can be secrets");
            let help = "write the URL without them: everyone who reads the contract reads it";
            self.report(ProblemKind::Url, at, message, help);
        }
    }

    fn path(&mut self, value: &Json, at: &str, key: &str) {
        let Some(text) = self.text(value, at, key) else { return };
        if !is_path(text) {
            let message = format!("`{key}` must start with `/`, and have no spaces or control characters");
            self.report(ProblemKind::Operation, at, message, "write a path such as `/things/{id}`");
        }
    }

    fn mapping<'j>(&mut self, value: &'j Json, at: &str, key: &str) -> Option<&'j Object> {
        let members = value.as_object();
        if members.is_none() {
            self.wrong_type(at, key, "a mapping", "write keys with their values");
        }
        members
    }

    fn list(&mut self, value: &Json, element: Shape, at: &str, key: &str) {
        let Some(items) = value.as_array() else {
            return self.wrong_type(at, key, "a list", "put it in brackets to make it a list");
        };
        for (index, item) in items.iter().enumerate() {
            self.value(item, element, &pointer::join(at, &index.to_string()), &format!("{key}[]"));
        }
    }

    fn keys(&mut self, members: &Object, keys: &[Key], at: &str, subject: &str) {
        for (name, value) in members {
            match keys.iter().find(|key| key.name == name) {
                Some(Key { name, value: Value::Http(shape), .. }) => {
                    self.value(value, **shape, &pointer::join(at, name), name);
                }
                _ => self.unknown_key(name, keys.iter().map(|key| key.name).collect(), at, subject),
            }
        }
        for key in keys.iter().filter(|key| key.is_required && members.get(key.name).is_none()) {
            self.missing(key.name, at, subject);
        }
    }

    fn unknown_key(&mut self, name: &str, keys: Vec<&'static str>, at: &str, subject: &str) {
        let help = match nearest(name, keys.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the keys here are {}", listed(&keys)),
        };
        // A value in place of a key may be a credential.
        let shown = if is_name(name) { format!(" {}", quoted(name)) } else { String::new() };
        let at = if is_name(name) { pointer::join(at, name) } else { at.to_owned() };
        self.report_key(ProblemKind::UnknownKey, at, format!("unknown key{shown} in `{subject}`"), help);
    }

    fn missing(&mut self, key: &str, at: &str, subject: &str) {
        let message = format!("missing key `{key}` in `{subject}`");
        self.report_key(ProblemKind::MissingKey, at.to_owned(), message, format!("add `{key}`"));
    }

    fn scheme(&mut self, value: &Json, at: &str) {
        let Some(members) = self.mapping(value, at, "securitySchemes") else { return };
        self.keys(members, &keys_of_scheme(members), at, "securitySchemes");
        let required = type_of_scheme(members).map_or(&[][..], |(_, required, _)| *required);
        for key in required.iter().filter(|key| members.get(key).is_none()) {
            self.missing(key, at, "securitySchemes");
        }
    }

    /// A capability has a method and a path, or is a webhook.
    fn target(&mut self, members: &Object) {
        let has = |key: &str| members.get(key).is_some();
        match (has("path"), has("webhook")) {
            (true, true) => {
                let message = "`http` has `path` and `webhook`".to_owned();
                let help = "remove one of them: the subscriber decides where a webhook is";
                self.report_key(ProblemKind::Operation, "/webhook".to_owned(), message, help);
            }
            (false, false) => {
                let message = "`http` has neither `path` nor `webhook`".to_owned();
                let help = "add the path below the URL of the server, such as `path: /things`, and the method";
                self.report_key(ProblemKind::Operation, String::new(), message, help);
            }
            (true, false) if !has("method") => self.missing("method", "", "http"),
            _ => {}
        }
    }

    /// Parameters are distinct, and have a style of their place.
    fn parameters(&mut self, members: &Object) {
        let mut known = HashMap::new();
        let parameters = members.get("parameters").and_then(Json::as_array).unwrap_or_default();
        for (index, parameter) in parameters.iter().enumerate() {
            let at = format!("/parameters/{index}");
            let text = |key: &str| parameter.get(key).and_then(Json::as_str);
            let (Some(name), Some(place)) = (text("name"), text("in")) else { continue };
            let folded = if place == "header" { name.to_ascii_lowercase() } else { name.to_owned() };
            if known.insert((place, folded), index).is_some() {
                let message = format!("two parameters have the name {} and the same place", quoted(name));
                let help = "remove or rename one of them; the names of headers ignore case";
                self.report(ProblemKind::Parameter, &pointer::join(&at, "name"), message, help);
            }
            let Some((style, places)) = text("style").and_then(|style| STYLES.iter().find(|(name, _)| *name == style))
            else {
                continue;
            };
            if PLACES.contains(&place) && !places.contains(&place) {
                let message = format!("a parameter in `{place}` cannot have the style `{style}`");
                let styles: Vec<&str> =
                    STYLES.iter().filter(|(_, places)| places.contains(&place)).map(|(name, _)| *name).collect();
                let help = format!("the styles here are {}", listed(&styles));
                self.report(ProblemKind::Parameter, &pointer::join(&at, "style"), message, help);
            }
        }
    }
}

/// The row of the type of a security scheme; `None` if its type is not known.
fn type_of_scheme(members: &Object) -> Option<&'static SchemeType> {
    let name = members.get("type").and_then(Json::as_str)?;
    SCHEME_TYPES.iter().find(|(known, ..)| name == *known)
}

/// The keys that a security scheme may have: all of them if its type is not known.
pub(super) fn keys_of_scheme(members: &Object) -> Vec<Key> {
    let Some((_, required, optional)) = type_of_scheme(members) else { return SCHEME.to_vec() };
    let of_a_type = |key: &str| SCHEME_TYPES.iter().any(|(_, a, b)| a.contains(&key) || b.contains(&key));
    let is_allowed = |key: &&Key| !of_a_type(key.name) || required.contains(&key.name) || optional.contains(&key.name);
    SCHEME.iter().filter(is_allowed).copied().collect()
}

/// Whether a text is a token of HTTP (RFC 9110, section 5.6.2).
fn is_token(text: &str) -> bool {
    let is_allowed = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !text.is_empty() && text.bytes().all(is_allowed)
}

/// Whether a path may be that of an operation.
fn is_path(text: &str) -> bool {
    text.starts_with('/') && !text.contains(|c: char| c.is_control() || c.is_whitespace())
}

/// Whether a URL has no part that could be a secret, by the rule that decides what findings display.
fn is_public(url: &str) -> bool {
    public_url(url) == url
}

/// Whether a text is a status of HTTP, a range of them, or `default`.
fn is_status(text: &str) -> bool {
    let is_one = |text: &str| text == "XX" || (text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit()));
    text == "default" || (text.starts_with(['1', '2', '3', '4', '5']) && text.get(1..).is_some_and(is_one))
}

/// Names in backticks, separated by commas.
fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
