//! The assertions and the default of a place that its type does not show, as a sentence for comments.
//!
//! The sentence is the same in every language: `1 to 64 characters; default "x".` Only the schemas at the place itself
//! count. Those behind a `$ref` are described at the type of the definition.

use capgen_diagnostic::{is_other_space, is_unsafe};
use capgen_schema::analysis::conjunction::Conjunction;
use capgen_schema::{Annotations, Assertions, Format, Json, NodeId, Number, Schema};

use super::Type;

/// A value or a pattern is shortened to this many characters.
const MAX_VALUE: usize = 80;

/// A number is shortened to this many characters.
const MAX_NUMBER: usize = 32;

/// A sentence is not added to a line that would become longer than this many bytes.
const MAX_LINE: usize = 100;

/// At most this many patterns are described.
const MAX_PATTERNS: usize = 3;

/// At most this many divisors are described.
const MAX_DIVISORS: usize = 3;

/// The parts of a comment that the type does not express.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Note {
    /// Whether the values should no longer be used. It is not a part of the sentence, because languages mark it.
    pub(crate) is_deprecated: bool,
    parts: Vec<Part>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Part {
    /// Trusted text.
    Words(String),
    /// Words, and a text of the contract that follows them.
    Code(&'static str, String),
}

impl Note {
    /// The note of a place with a type.
    pub(crate) fn of(schema: &Schema, conjunction: &Conjunction, ty: &Type) -> Self {
        let own = conjunction.terms.iter().map(|term| term.node);
        let mut parts = Vec::new();
        let ty = if let Type::Nullable(inner) = ty { inner } else { ty };
        match ty {
            Type::String => string(groups(schema, own.clone()), ["", "format", "pattern"], &mut parts),
            Type::Map(_) => {
                let names = groups(schema, own.clone()).filter_map(|group| group.property_names.as_deref());
                string(names, ["names of ", "names with format", "names with pattern"], &mut parts);
            }
            Type::Integer { .. } | Type::Number => {
                parts.extend(number(schema, own.clone()).map(Part::Words));
                parts.extend(multiple(schema, own.clone()).map(Part::Words));
            }
            Type::Array { .. } | Type::Tuple(_) => array(schema, own.clone(), ty, &mut parts),
            _ => {}
        }
        let annotations = own.clone().map(|id| &schema.node(id).annotations);
        let has = |flag: fn(&Annotations) -> bool| annotations.clone().any(flag);
        parts.extend(has(|annotations| annotations.read_only).then(|| Part::Words("read-only".to_owned())));
        parts.extend(has(|annotations| annotations.write_only).then(|| Part::Words("write-only".to_owned())));
        let is_deprecated = has(|annotations| annotations.deprecated);
        let unchecked = own.clone().find_map(|id| schema.node(id).annotations.x_format.as_deref());
        let unchecked = unchecked.filter(|name| !name.is_empty()).map(|name| cut(name, MAX_VALUE));
        parts.extend(unchecked.map(|name| Part::Code("unchecked format", name)));
        let default = own.into_iter().find_map(|id| schema.node(id).annotations.default.as_ref());
        parts.extend(default.map(|value| Part::Code("default", shown(value))));
        Self { is_deprecated, parts }
    }

    /// The note as a sentence, if there is something to add. It is one line of Markdown without invisible characters.
    /// The text of the contract in it is in code spans, but may contain the end of a comment.
    pub(crate) fn sentence(&self) -> Option<String> {
        let parts = self.parts.iter().map(|part| match part {
            Part::Words(words) => words.clone(),
            Part::Code(words, text) => format!("{words} {}", code_span(text)),
        });
        let mut sentence = parts.collect::<Vec<_>>().join("; ");
        sentence.get_mut(..1)?.make_ascii_uppercase();
        Some(sentence + ".")
    }
}

/// Adds the sentence of a note to the lines of a comment: to the only line if that is a short sentence, otherwise as a
/// paragraph.
pub(crate) fn append(lines: &mut Vec<String>, sentence: String) {
    match lines.as_mut_slice() {
        [line] if line.ends_with('.') && line.len() + sentence.len() < MAX_LINE => {
            line.push(' ');
            line.push_str(&sentence);
        }
        [] => lines.push(sentence),
        _ => lines.extend([String::new(), sentence]),
    }
}

fn groups(schema: &Schema, own: impl Iterator<Item = NodeId> + Clone) -> impl Iterator<Item = &Assertions> + Clone {
    own.filter_map(|id| schema.assertions(id))
}

/// The assertions about a string, or about the names of a map.
fn string<'s>(groups: impl Iterator<Item = &'s Assertions> + Clone, words: [&'static str; 3], parts: &mut Vec<Part>) {
    let least = groups.clone().filter_map(|group| group.min_length).max();
    let most = groups.clone().filter_map(|group| group.max_length).min();
    let [before, format, pattern] = words;
    parts.extend(count(least, most, "character").map(|count| Part::Words(format!("{before}{count}"))));
    let mut formats: Vec<Format> = Vec::new();
    for format in groups.clone().filter_map(|group| group.format) {
        if !formats.contains(&format) {
            formats.push(format);
        }
    }
    parts.extend(formats.iter().map(|name| Part::Code(format, name.name().to_owned())));
    let mut patterns: Vec<&str> = Vec::new();
    for pattern in groups.clone().filter_map(|group| group.pattern.as_ref()).map(|pattern| pattern.source()) {
        // A code span cannot be empty, and the empty pattern matches every string.
        if !pattern.is_empty() && patterns.len() < MAX_PATTERNS && !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }
    parts.extend(patterns.iter().map(|source| Part::Code(pattern, cut(source, MAX_VALUE))));
}

fn array(schema: &Schema, own: impl Iterator<Item = NodeId> + Clone, ty: &Type, parts: &mut Vec<Part>) {
    let groups = || own.clone().filter_map(|id| schema.assertions(id));
    // A tuple in every language shows its length.
    let is_shown = ty.fixed().is_some();
    let least = groups().filter_map(|group| group.min_items).max().filter(|_| !is_shown);
    let most = groups().filter_map(|group| group.max_items).min().filter(|_| !is_shown);
    let is_unique = groups().any(|group| group.unique_items);
    let counted = count(least, most, if is_unique { "distinct item" } else { "item" });
    parts.extend(counted.or_else(|| is_unique.then(|| "distinct items".to_owned())).map(Part::Words));
}

/// `1 to 64 characters`.
fn count(least: Option<u64>, most: Option<u64>, noun: &str) -> Option<String> {
    let (last, text) = match (least.filter(|least| *least > 0), most) {
        (None, None) => return None,
        (Some(least), None) => (least, format!("at least {least}")),
        (None, Some(most)) => (most, format!("at most {most}")),
        (Some(least), Some(most)) if least == most => (most, format!("exactly {most}")),
        (Some(least), Some(most)) => (most, format!("{least} to {most}")),
    };
    Some(format!("{text} {noun}{}", if last == 1 { "" } else { "s" }))
}

/// The bounds of a number: `0 to 100`, or `more than 0 and at most 1`.
fn number(schema: &Schema, own: impl Iterator<Item = NodeId> + Clone) -> Option<String> {
    let groups = || own.clone().filter_map(|id| schema.assertions(id));
    let inclusive = |limit| (limit, false);
    let exclusive = |limit| (limit, true);
    let lower = groups().flat_map(|group| {
        group.minimum.as_ref().map(inclusive).into_iter().chain(group.exclusive_minimum.as_ref().map(exclusive))
    });
    let upper = groups().flat_map(|group| {
        group.maximum.as_ref().map(inclusive).into_iter().chain(group.exclusive_maximum.as_ref().map(exclusive))
    });
    // Of two equal limits, the exclusive one is stricter.
    let lower = lower.max_by(|(a, a_open), (b, b_open)| a.cmp(b).then(a_open.cmp(b_open)));
    let upper = upper.min_by(|(a, a_open), (b, b_open)| a.cmp(b).then(b_open.cmp(a_open)));
    let digits = |number: &Number| match number.to_string().as_str() {
        // The safe integers of JavaScript, which other tools write as the bounds of every integer.
        "9007199254740991" => "2^53 - 1".to_owned(),
        "-9007199254740991" => "-(2^53 - 1)".to_owned(),
        text => cut(text, MAX_NUMBER),
    };
    let above = |(limit, is_open): (&Number, bool)| match is_open {
        true => format!("more than {}", digits(limit)),
        false => format!("at least {}", digits(limit)),
    };
    let below = |(limit, is_open): (&Number, bool)| match is_open {
        true => format!("less than {}", digits(limit)),
        false => format!("at most {}", digits(limit)),
    };
    Some(match (lower, upper) {
        (None, None) => return None,
        (Some(lower), None) => above(lower),
        (None, Some(upper)) => below(upper),
        (Some((low, false)), Some((high, false))) if low == high => format!("exactly {}", digits(low)),
        (Some((low, false)), Some((high, false))) => format!("{} to {}", digits(low), digits(high)),
        (Some(lower), Some(upper)) => format!("{} and {}", above(lower), below(upper)),
    })
}

/// The divisors of a number: `multiple of 5`.
fn multiple(schema: &Schema, own: impl Iterator<Item = NodeId>) -> Option<String> {
    let mut divisors: Vec<String> = Vec::new();
    for divisor in own.filter_map(|id| schema.assertions(id)?.multiple_of.as_ref()) {
        let text = cut(&divisor.to_string(), MAX_NUMBER);
        if divisors.len() < MAX_DIVISORS && !divisors.contains(&text) {
            divisors.push(text);
        }
    }
    (!divisors.is_empty()).then(|| format!("multiple of {}", divisors.join(" and of ")))
}

/// A value as compact JSON, shortened.
fn shown(value: &Json) -> String {
    let mut text = String::new();
    write(value, &mut text);
    cut(&text, MAX_VALUE)
}

/// Writes a value until the text is longer than is shown. A default can be as large as the contract.
fn write(value: &Json, text: &mut String) {
    // In bytes: a character has at most four.
    if text.len() > 4 * MAX_VALUE {
        return;
    }
    let string = |string: &str| Json::String(string.chars().take(MAX_VALUE).collect()).canonical();
    match value {
        Json::Null => text.push_str("null"),
        Json::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Json::Number(number) => text.push_str(&number.to_string()),
        Json::String(value) => text.push_str(&string(value)),
        Json::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate().take(MAX_VALUE) {
                text.push_str(if index == 0 { "" } else { ", " });
                write(item, text);
            }
            text.push(']');
        }
        Json::Object(members) => {
            text.push('{');
            for (index, (name, value)) in members.iter().enumerate().take(MAX_VALUE) {
                text.push_str(if index == 0 { "" } else { ", " });
                text.push_str(&string(name));
                text.push_str(": ");
                write(value, text);
            }
            text.push('}');
        }
    }
}

/// A text as a Markdown code span. Invisible characters are escaped as in JSON and in patterns, and so is everything
/// that could look like a code block to a tool that reads comments line by line: backticks, several spaces and several
/// tildes.
fn code_span(text: &str) -> String {
    let mut shown = String::with_capacity(text.len() + 2);
    shown.push('`');
    let mut before = None;
    for c in text.chars() {
        let is_repeated = matches!(c, ' ' | '~') && before == Some(c);
        if c == '`' || is_repeated || is_unsafe(c) || is_other_space(c) {
            shown.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            shown.push(c);
        }
        before = Some(c);
    }
    shown.push('`');
    shown
}

/// The first characters of a text; an ellipsis marks an omission.
fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(schema: &str, ty: &Type) -> String {
        let schema = Schema::parse(&schema.parse().unwrap()).unwrap();
        let root = schema.nodes().next().unwrap().0;
        Note::of(&schema, &Conjunction::of([root]), ty).sentence().unwrap_or_default()
    }

    #[test]
    fn bounds_formats_and_defaults_are_one_sentence() {
        let items = Type::Array { item: Box::new(Type::String), min: 0, max: None };
        let optional = Type::Nullable(Box::new(Type::String));
        for (schema, ty, expected) in [
            ("{}", Type::String, ""),
            (r#"{"minLength": 0}"#, Type::String, ""),
            (r#"{"maxLength": 64, "default": "x"}"#, Type::String, "At most 64 characters; default `\"x\"`."),
            (r#"{"minLength": 1, "maxLength": 64}"#, optional, "1 to 64 characters."),
            (r#"{"minLength": 1}"#, Type::String, "At least 1 character."),
            (
                r#"{"minLength": 3, "maxLength": 3, "pattern": "^[A-Z]+$"}"#,
                Type::String,
                "Exactly 3 characters; pattern `^[A-Z]+$`.",
            ),
            (r#"{"format": "uuid"}"#, Type::String, "Format `uuid`."),
            (r#"{"x-format": "url", "maxLength": 9}"#, Type::String, "At most 9 characters; unchecked format `url`."),
            (r#"{"readOnly": true, "deprecated": true}"#, Type::Unknown, "Read-only."),
            (r#"{"minimum": 0, "maximum": 100}"#, Type::Number, "0 to 100."),
            (r#"{"exclusiveMinimum": 0, "maximum": 1}"#, Type::Number, "More than 0 and at most 1."),
            (r#"{"minimum": 1, "exclusiveMinimum": 1}"#, Type::Number, "More than 1."),
            (r#"{"maximum": 1, "exclusiveMaximum": 1}"#, Type::Number, "Less than 1."),
            (
                r#"{"minimum": -9007199254740991, "maximum": 9007199254740991}"#,
                Type::Integer { unsigned: false },
                "-(2^53 - 1) to 2^53 - 1.",
            ),
            (r#"{"multipleOf": 0.01}"#, Type::Number, "Multiple of 0.01."),
            (
                r#"{"propertyNames": {"minLength": 1, "maxLength": 9, "pattern": "^x"}}"#,
                Type::Map(Box::new(Type::Unknown)),
                "Names of 1 to 9 characters; names with pattern `^x`.",
            ),
            (r#"{"maximum": 1e3, "multipleOf": 5}"#, Type::Integer { unsigned: false }, "At most 1000; multiple of 5."),
            (r#"{"minimum": 5, "maximum": 5}"#, Type::Integer { unsigned: true }, "Exactly 5."),
            (
                r#"{"minItems": 1, "maxItems": 10, "uniqueItems": true, "default": []}"#,
                items,
                "1 to 10 distinct items; default `[]`.",
            ),
            (r#"{"maxLength": 5, "default": {"a": [1, null]}}"#, Type::Unknown, "Default `{\"a\": [1, null]}`."),
        ] {
            assert_eq!(sentence(schema, &ty), expected, "{schema}");
        }
    }

    #[test]
    fn a_sentence_continues_a_short_line_or_is_a_paragraph() {
        let sentence = || "At least 1.".to_owned();
        for (before, after) in [
            (&[][..], &["At least 1."][..]),
            (&["How many."], &["How many. At least 1."]),
            (&["How many"], &["How many", "", "At least 1."]),
            (&["One.", "Two."], &["One.", "Two.", "", "At least 1."]),
        ] {
            let mut lines: Vec<String> = before.iter().map(|&line| line.to_owned()).collect();
            append(&mut lines, sentence());
            assert_eq!(lines, after);
        }
        let mut lines = vec!["long ".repeat(20) + "."];
        append(&mut lines, sentence());
        assert_eq!(lines.len(), 3);
    }

    #[test]
    fn text_of_the_contract_is_short_visible_and_inside_its_code_span() {
        let default = |value: &str| sentence(&format!("{{\"default\": {value}}}"), &Type::Unknown);
        assert_eq!(default(r#""a`b  c~~~""#), "Default `\"a\\u0060b \\u0020c~\\u007e\\u007e\"`.");
        assert_eq!(
            default(r#""\u202e\u2028\u00a0\udb40\udc41""#),
            "Default `\"\\u202e\\u2028\\u00a0\\udb40\\udc41\"`."
        );
        assert_eq!(default(r#""a\nb""#), "Default `\"a\\nb\"`.");
        assert_eq!(default(&format!("\"{}\"", "x".repeat(1000))).chars().count(), "Default `…`.".len() - 2 + MAX_VALUE);
        let large = format!("[{}0]", "{\"a\": [1, 2]},".repeat(10_000));
        assert!(default(&large).ends_with("…`."), "{}", default(&large));
        assert_eq!(sentence(r#"{"pattern": ""}"#, &Type::String), "");
    }
}
