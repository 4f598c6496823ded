//! The keywords of a schema in words.

use std::collections::HashSet;

use capgen_schema::{Annotations, Assertions, Format, Json, Kind, NodeId, Number, Type, TypeSet};

use super::View;
use crate::json::one_line;
use capgen_diagnostic::cut;

/// A part of a phrase.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Piece {
    /// Words of this program.
    Words(String),
    /// A value or a name, which comes from the contract.
    Code(String),
    /// A definition, which pages link to.
    Definition(String),
}

/// A phrase, such as `at least 1 character`.
pub(crate) type Phrase = Vec<Piece>;

/// The most values of an `enum` that are listed. Usual enumerations have fewer, and a longer list hides the rest of the
/// table.
const MAX_VALUES: usize = 200;
/// The longest text of a value or a pattern, in characters. Usual ones fit on a line or two; the manifest contains the
/// rest.
const MAX_VALUE_LENGTH: usize = 400;

pub(crate) fn words(text: impl Into<String>) -> Piece {
    Piece::Words(text.into())
}

fn value(value: &Json) -> Piece {
    Piece::Code(one_line(value, MAX_VALUE_LENGTH))
}

/// The type of a place in a few words: `string or null`, `array of Money`.
pub(crate) fn type_of(view: &View<'_>, id: NodeId) -> Phrase {
    match &view.node(id).kind {
        Kind::Bool(true) => vec![words("any value")],
        Kind::Bool(false) => vec![words("not allowed")],
        Kind::Ref(target) => match view.definition(*target) {
            Some(name) => vec![Piece::Definition(name.to_owned())],
            // Every reference points to a definition.
            None => vec![words("a definition")],
        },
        Kind::Assertions(assertions) => of_assertions(view, assertions),
    }
}

fn of_assertions(view: &View<'_>, assertions: &Assertions) -> Phrase {
    if let Some(constant) = &assertions.const_value {
        return vec![words("always "), value(constant)];
    }
    if let Some(values) = &assertions.enum_values {
        let mut phrase = vec![words(if values.len() == 1 { "always " } else { "one of " })];
        for (index, member) in values.iter().take(MAX_VALUES).enumerate() {
            if index > 0 {
                phrase.push(words(", "));
            }
            phrase.push(value(member));
        }
        if values.len() > MAX_VALUES {
            phrase.push(words(format!(" and {} more", values.len() - MAX_VALUES)));
        }
        return phrase;
    }
    let branches = |ids: &Option<Vec<NodeId>>| ids.as_ref().and_then(|ids| listed(view, ids));
    match assertions.types {
        Some(types) => named(view, assertions, types),
        None => match (branches(&assertions.one_of), branches(&assertions.any_of), branches(&assertions.all_of)) {
            (Some(list), None, None) => [vec![words("exactly one of ")], list].concat(),
            (None, Some(list), None) => [vec![words("any of ")], list].concat(),
            (None, None, Some(list)) => [vec![words("all of ")], list].concat(),
            _ if assertions.is_empty() => vec![words("any value")],
            _ if assertions.one_of.is_some() => vec![words("exactly one of the options")],
            _ if assertions.any_of.is_some() => vec![words("any of the options")],
            _ if assertions.all_of.is_some() => vec![words("all of the parts")],
            _ => vec![words("any type")],
        },
    }
}

/// The names of types, with the type of the items of arrays.
fn named(view: &View<'_>, assertions: &Assertions, types: TypeSet) -> Phrase {
    let names: Vec<Type> =
        [Type::Object, Type::Array, Type::String, Type::Number, Type::Integer, Type::Boolean, Type::Null]
            .into_iter()
            .filter(|t| types.contains(*t) && !(*t == Type::Integer && types.contains(Type::Number)))
            .collect();
    if types == TypeSet::ALL {
        return vec![words("any type")];
    }
    let mut phrase = Vec::new();
    for (index, name) in names.iter().enumerate() {
        if index > 0 {
            phrase.push(words(if index + 1 == names.len() { " or " } else { ", " }));
        }
        phrase.push(words(name.name()));
        if let (Type::Array, Some(items)) = (*name, assertions.items) {
            phrase.push(words(" of "));
            match short(view, items) {
                Some(short) => phrase.extend(short),
                None => phrase.push(words("items")),
            }
        }
    }
    phrase
}

/// The type of a place, if it is a reference or a type and nothing else needs to be stated about it.
fn short(view: &View<'_>, id: NodeId) -> Option<Phrase> {
    match &view.node(id).kind {
        Kind::Assertions(assertions) => {
            let types = assertions.types.filter(|types| *types != TypeSet::ALL)?;
            let count = Type::ALL.iter().filter(|t| types.contains(**t)).count();
            let is_one = count == 1 || (count == 2 && types.contains(Type::Number));
            (is_one && !types.contains(Type::Array)).then(|| named(view, assertions, types))
        }
        Kind::Ref(_) => Some(type_of(view, id)),
        Kind::Bool(_) => None,
    }
}

/// Whether the rows below a place add nothing to the type of that place.
pub(crate) fn is_plain(view: &View<'_>, id: NodeId) -> bool {
    let node = view.node(id);
    let annotations = &node.annotations;
    let is_bare = annotations.description.is_none()
        && described(annotations).next().is_none()
        && annotations.default.is_none()
        && annotations.examples.is_empty();
    let is_short = match &node.kind {
        Kind::Ref(_) => true,
        Kind::Assertions(assertions) => assertions.types.is_some() && assertions.keywords().count() == 1,
        Kind::Bool(_) => false,
    };
    is_bare && is_short && short(view, id).is_some()
}

/// The branches of a union as a list, if each is plain.
fn listed(view: &View<'_>, ids: &[NodeId]) -> Option<Phrase> {
    let mut phrase = Vec::new();
    for (index, id) in ids.iter().enumerate() {
        if !is_plain(view, *id) {
            return None;
        }
        if index > 0 {
            phrase.push(words(", "));
        }
        phrase.extend(short(view, *id)?);
    }
    Some(phrase)
}

/// Whether the branches are part of the type of the place, so that they need no rows.
pub(crate) fn are_listed(view: &View<'_>, assertions: &Assertions, ids: &[NodeId]) -> bool {
    let unions = [&assertions.one_of, &assertions.any_of, &assertions.all_of];
    let has_one = unions.iter().filter(|union| union.is_some()).count() == 1;
    assertions.types.is_none()
        && assertions.const_value.is_none()
        && assertions.enum_values.is_none()
        && has_one
        && listed(view, ids).is_some()
}

/// The assertions about the names of properties, one phrase each.
fn of_names(names: &Assertions) -> Vec<Phrase> {
    if names.types.is_some_and(|types| !types.contains(Type::String)) {
        return vec![vec![words("none is allowed")]];
    }
    of_text(names)
}

/// The other assertions of a place, one phrase each.
pub(crate) fn facts(view: &View<'_>, id: NodeId) -> Vec<Phrase> {
    let node = view.node(id);
    let described = described(&node.annotations);
    let Kind::Assertions(assertions) = &node.kind else { return described.collect() };
    let mut facts = Vec::new();
    let has_values = assertions.const_value.is_some() || assertions.enum_values.is_some();
    if let (true, Some(types)) = (has_values, assertions.types) {
        // The types are part of the type of the place unless it lists values.
        let phrase = named(view, assertions, types);
        let is_implied = values(assertions).all(|value| types.contains(value.type_of()));
        facts.extend((!is_implied).then_some(phrase));
    }
    if assertions.const_value.is_some()
        && let Some(values) = &assertions.enum_values
    {
        facts.push(vec![words("one of "), value(&Json::Array(values.clone()))]);
    }
    let mut add = |applies: Type, text: Phrase| facts.push(conditional(assertions, applies, text));
    if let Some(text) = range(assertions) {
        add(Type::Number, text);
    }
    if let Some(divisor) = &assertions.multiple_of {
        add(Type::Number, vec![words("a multiple of "), number(divisor)]);
    }
    of_text(assertions).into_iter().for_each(|phrase| add(Type::String, phrase));
    if let Some(text) = length(assertions.min_items, assertions.max_items, "item", "items") {
        add(Type::Array, vec![words(text)]);
    }
    if assertions.unique_items {
        add(Type::Array, vec![words("no duplicate items")]);
    }
    if let Some(contained) = assertions.contains {
        match &view.node(contained).kind {
            Kind::Bool(false) => add(Type::Array, vec![words("no array is allowed")]),
            Kind::Bool(true) if assertions.min_items.is_none() => add(Type::Array, vec![words("at least 1 item")]),
            _ => {}
        }
    }
    let number = length(assertions.min_properties, assertions.max_properties, "property", "properties");
    if let Some(text) = number {
        add(Type::Object, vec![words(text)]);
    }
    let declared: HashSet<&String> = assertions.properties.iter().map(|(name, _)| name).collect();
    for name in assertions.required.iter().filter(|name| !declared.contains(name)) {
        add(Type::Object, vec![words("requires "), Piece::Code(cut(name, MAX_VALUE_LENGTH).0.to_owned())]);
    }
    for (name, required) in &assertions.dependent_required {
        let code = |name: &str| Piece::Code(cut(name, MAX_VALUE_LENGTH).0.to_owned());
        for other in required {
            add(Type::Object, vec![words("requires "), code(other), words(" next to "), code(name)]);
        }
    }
    for fact in assertions.property_names.iter().flat_map(|names| of_names(names)) {
        add(Type::Object, [vec![words("names of properties: ")], fact].concat());
    }
    if let Some(others) = assertions.additional_properties {
        match &view.node(others).kind {
            Kind::Bool(false) => add(Type::Object, vec![words("no other properties")]),
            Kind::Bool(true) => add(Type::Object, vec![words("keeps other properties")]),
            Kind::Ref(_) | Kind::Assertions(_) => {}
        }
    }
    if let Some(items) = assertions.additional_items
        && matches!(view.node(items).kind, Kind::Bool(false))
    {
        add(Type::Array, vec![words("no other items")]);
    }
    if let Some(items) = assertions.items
        && matches!(view.node(items).kind, Kind::Bool(false))
    {
        add(Type::Array, vec![words("always empty")]);
    }
    facts.extend(described);
    facts
}

/// The assertions about strings, apart from their values.
fn of_text(assertions: &Assertions) -> Vec<Phrase> {
    let mut facts = Vec::new();
    let length = length(assertions.min_length, assertions.max_length, "character", "characters");
    facts.extend(length.map(|text| vec![words(text)]));
    facts.extend(assertions.format.map(|format| vec![words(format_name(format))]));
    if let Some(pattern) = &assertions.pattern {
        let (source, is_cut) = cut(pattern.source(), MAX_VALUE_LENGTH);
        let mut phrase = vec![words("matches "), Piece::Code(source.to_owned())];
        phrase.extend(is_cut.then(|| words("…")));
        facts.push(phrase);
    }
    facts
}

fn values(assertions: &Assertions) -> impl Iterator<Item = &Json> {
    assertions.const_value.iter().chain(assertions.enum_values.iter().flatten())
}

/// A phrase about values of one type, which other values need not conform to.
fn conditional(assertions: &Assertions, applies: Type, phrase: Phrase) -> Phrase {
    let is_certain = assertions.types.is_some_and(|types| {
        let others = Type::ALL.into_iter().filter(|t| *t != Type::Null && types.contains(*t));
        let mut others = others.filter(|t| !(applies == Type::Number && *t == Type::Integer)).peekable();
        others.all(|t| t == applies)
    });
    let has_values = assertions.const_value.is_some() || assertions.enum_values.is_some();
    if is_certain || has_values {
        return phrase;
    }
    let condition = match applies {
        Type::Number => "if a number: ",
        Type::String => "if a string: ",
        Type::Array => "if an array: ",
        _ if assertions.types.is_none() => return phrase,
        _ => "if an object: ",
    };
    [vec![words(condition)], phrase].concat()
}

fn number(number: &Number) -> Piece {
    Piece::Code(cut(&number.to_string(), MAX_VALUE_LENGTH).0.to_owned())
}

/// The bounds of a number: `from 1 to 10`, `more than 0 and at most 1`.
fn range(assertions: &Assertions) -> Option<Phrase> {
    let Assertions { minimum, maximum, exclusive_minimum, exclusive_maximum, .. } = assertions;
    if let (Some(low), Some(high), None, None) = (minimum, maximum, exclusive_minimum, exclusive_maximum) {
        return Some(vec![words("from "), number(low), words(" to "), number(high)]);
    }
    let bounds = [
        ("at least ", minimum),
        ("more than ", exclusive_minimum),
        ("at most ", maximum),
        ("less than ", exclusive_maximum),
    ];
    let mut phrase = Vec::new();
    for (text, bound) in bounds {
        if let Some(bound) = bound {
            let joint = if phrase.is_empty() { "" } else { " and " };
            phrase.extend([words(format!("{joint}{text}")), number(bound)]);
        }
    }
    (!phrase.is_empty()).then_some(phrase)
}

/// `1 to 64 characters`.
fn length(least: Option<u64>, most: Option<u64>, one: &str, many: &str) -> Option<String> {
    let unit = |number: u64| if number == 1 { one } else { many };
    Some(match (least.filter(|least| *least > 0), most) {
        (Some(least), Some(most)) if least == most => format!("exactly {least} {}", unit(least)),
        (Some(least), Some(most)) => format!("{least} to {most} {}", unit(most)),
        (Some(least), None) => format!("at least {least} {}", unit(least)),
        (None, Some(most)) => format!("at most {most} {}", unit(most)),
        (None, None) => return None,
    })
}

/// The annotations about values, which are not checked.
fn described(annotations: &Annotations) -> impl Iterator<Item = Phrase> {
    let Annotations { x_format, deprecated, read_only, write_only, .. } = annotations;
    let flags = [(*deprecated, "deprecated"), (*read_only, "read-only"), (*write_only, "write-only")];
    let flags = flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, text)| vec![words(text)]);
    x_format.as_deref().map(unchecked_format).into_iter().chain(flags)
}

fn unchecked_format(name: &str) -> Phrase {
    let (name, is_cut) = cut(name, MAX_VALUE_LENGTH);
    let end = if is_cut { "…, which is not checked" } else { ", which is not checked" };
    vec![words("format "), Piece::Code(name.to_owned()), words(end)]
}

const fn format_name(format: Format) -> &'static str {
    match format {
        Format::Uuid => "a UUID",
        Format::Email => "an email address",
        Format::Uri => "a URI",
        Format::UriReference => "a URI or a relative reference",
        Format::DateTime => "a date and time (RFC 3339)",
        Format::Date => "a date (RFC 3339)",
        Format::Time => "a time with an offset (RFC 3339)",
        Format::Duration => "a duration (RFC 3339)",
        Format::Ipv4 => "an IPv4 address",
        Format::Ipv6 => "an IPv6 address",
        Format::Hostname => "a host name",
        Format::IdnEmail => "an international email address",
        Format::Iri => "an IRI",
        Format::UriTemplate => "a URI template",
        Format::JsonPointer => "a JSON Pointer",
        Format::Regex => "a regular expression (ECMA-262)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(phrase: &Phrase) -> String {
        phrase
            .iter()
            .map(|piece| match piece {
                Piece::Words(text) => text.clone(),
                Piece::Code(text) => format!("`{text}`"),
                Piece::Definition(name) => format!("[{name}]"),
            })
            .collect()
    }

    /// The type and the facts of the root of a schema.
    fn described(text: &str) -> String {
        let schema = capgen_schema::Schema::parse_text(text).unwrap();
        let view = View::new(&schema);
        let mut parts = vec![shown(&type_of(&view, schema.root()))];
        parts.extend(facts(&view, schema.root()).iter().map(shown));
        parts.join("; ")
    }

    #[test]
    fn constraints_are_in_words() {
        let cases = [
            (r#"{"type": "string", "minLength": 1, "maxLength": 64}"#, "string; 1 to 64 characters"),
            (
                r#"{"type": "integer", "minimum": 1, "maximum": 10, "multipleOf": 5}"#,
                "integer; from `1` to `10`; a multiple of `5`",
            ),
            (r#"{"type": "number", "exclusiveMinimum": 0}"#, "number; more than `0`"),
            (r#"{"type": "number", "minimum": 0, "exclusiveMaximum": 1}"#, "number; at least `0` and less than `1`"),
            (r#"{"type": ["string", "null"], "pattern": "^a"}"#, "string or null; matches `^a`"),
            (
                r#"{"type": ["string", "integer"], "minLength": 2}"#,
                "string or integer; if a string: at least 2 characters",
            ),
            (r#"{"minimum": 3}"#, "any type; if a number: at least `3`"),
            (r#"{"enum": ["a", 1]}"#, "one of `\"a\"`, `1`"),
            (r#"{"const": null}"#, "always `null`"),
            (r#"{"type": "string", "enum": ["a", 1]}"#, "one of `\"a\"`, `1`; string"),
            (
                r#"{"type": "array", "items": {"type": "string"}, "uniqueItems": true}"#,
                "array of string; no duplicate items",
            ),
            (r#"{"type": "array", "items": [{}], "additionalItems": false}"#, "array; no other items"),
            (r#"{"type": "array", "contains": true}"#, "array; at least 1 item"),
            (r#"{"if": {"type": "string"}, "then": {"minLength": 1}}"#, "any type"),
            (
                r#"{"type": "object", "required": ["x"], "additionalProperties": false}"#,
                "object; requires `x`; no other properties",
            ),
            (
                r#"{"type": "object", "dependencies": {"a": ["b", "c"]}}"#,
                "object; requires `b` next to `a`; requires `c` next to `a`",
            ),
            (
                r#"{"type": "object", "propertyNames": {"maxLength": 3, "pattern": "^a"}}"#,
                "object; names of properties: at most 3 characters; names of properties: matches `^a`",
            ),
            (r#"{"propertyNames": {"format": "uuid"}}"#, "any type; names of properties: a UUID"),
            (r#"{"type": "object", "minProperties": 1}"#, "object; at least 1 property"),
            (
                r#"{"type": ["object", "null"], "minProperties": 2, "maxProperties": 3}"#,
                "object or null; 2 to 3 properties",
            ),
            (r#"{"type": "string", "format": "uuid", "maxLength": 1}"#, "string; at most 1 character; a UUID"),
            (r#"{"type": "string", "x-format": "url"}"#, "string; format `url`, which is not checked"),
            (r#"{"type": "null", "deprecated": true, "readOnly": true}"#, "null; deprecated; read-only"),
            ("true", "any value"),
            ("{}", "any value"),
            ("false", "not allowed"),
            (
                r##"{"oneOf": [{"$ref": "#/definitions/a"}, {"type": "null"}], "definitions": {"a": {"type": "string"}}}"##,
                "exactly one of [a], null",
            ),
        ];
        for (schema, expected) in cases {
            assert_eq!(described(schema), expected, "{schema}");
        }
    }
}
