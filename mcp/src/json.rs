//! Building and writing JSON.

use std::fmt::Write as _;

use capgen_schema::{Json, Number, Object};

/// An object of members whose names differ.
pub(crate) fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// A string.
pub(crate) fn string(text: impl Into<String>) -> Json {
    Json::String(text.into())
}

/// An object without members.
pub(crate) fn empty() -> Json {
    Json::Object(Object::new())
}

/// An integer.
pub(crate) fn integer(number: i64) -> Json {
    Json::Number(Number::from(number))
}

/// The text of a value on one line. The recursion is as deep as the value.
pub(crate) fn text(value: &Json) -> String {
    let mut text = String::new();
    write(&mut text, value);
    text
}

/// Writes a string with its quotes.
pub(crate) fn quote(out: &mut String, text: &str) {
    // A string is always JSON.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

fn write(out: &mut String, value: &Json) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        // Writing to a string does not fail.
        Json::Number(number) => drop(write!(out, "{number}")),
        Json::String(text) => quote(out, text),
        Json::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(out, item);
            }
            out.push(']');
        }
        Json::Object(members) => {
            out.push('{');
            for (index, (name, value)) in members.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                quote(out, name);
                out.push(':');
                write(out, value);
            }
            out.push('}');
        }
    }
}

/// The start of a text that may be long, for messages: at most `max` characters.
pub(crate) fn start(text: &str, max: usize) -> String {
    let mut start: String = text.chars().take(max).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_they_were_read() {
        for source in ["null", "[true,false]", r#"{"b":1.5,"a":[{}, "\"\n\u0001é"]}"#, "123456789012345678901234567890"]
        {
            let value: Json = source.parse().unwrap();
            assert_eq!(text(&value).parse::<Json>().unwrap(), value);
            assert!(!text(&value).contains('\n'));
        }
    }

    #[test]
    fn a_long_text_is_shortened_at_a_character() {
        assert_eq!(start("äöü", 2), "äö…");
        assert_eq!(start("äöü", 3), "äöü");
    }
}
