//! The canonical form of JSON, which every hash of the registry covers.

use capgen_schema::{Hash, canonical_text};
use serde_json::{Number, Value};

/// The canonical text of a value: [RFC 8785](https://www.rfc-editor.org/rfc/rfc8785), except that 64-bit integers keep
/// their digits. Every other number is written as JavaScript writes its binary64. [`capgen_schema::canonical_text`]
/// compares this rule with that of contracts.
///
/// The recursion is as deep as the value.
///
/// ```
/// let value = serde_json::json!({"b": 1.0, "a": 18446744073709551615_u64, "c": 1e21});
/// assert_eq!(capgen_registry::canonical(&value), r#"{"a":18446744073709551615,"b":1,"c":1e+21}"#);
/// ```
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(&mut text, value);
    text
}

/// The SHA-256 hash of the [canonical text](canonical()).
#[must_use]
pub fn hash_of(value: &Value) -> Hash {
    Hash::of(canonical(value))
}

/// Appends the canonical text of a value.
pub(crate) fn write(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(out, number),
        Value::String(text) => write_string(out, text),
        Value::Array(items) => write_array(out, items, write),
        Value::Object(members) => write_object(out, members.iter(), write),
    }
}

/// Appends an array, whose items `write_item` writes.
pub(crate) fn write_array<T>(
    out: &mut String,
    items: impl IntoIterator<Item = T>,
    mut write_item: impl FnMut(&mut String, T),
) {
    // Writing to a `String` never fails, here and below.
    let _ = canonical_text::write_array(out, items, |out, item| {
        write_item(out, item);
        Ok(())
    });
}

/// The canonical text of an array in parts, from the texts of its items.
pub(crate) fn array_parts(items: impl Iterator<Item = String>) -> impl Iterator<Item = String> {
    let separated = items.zip(0_usize..).map(|(item, index)| if index == 0 { item } else { format!(",{item}") });
    std::iter::once("[".to_owned()).chain(separated).chain(["]".to_owned()])
}

/// Appends an object, whose values `write_value` writes. The names are sorted here.
pub(crate) fn write_object<'v, V>(
    out: &mut String,
    members: impl Iterator<Item = (&'v String, V)>,
    mut write_value: impl FnMut(&mut String, V),
) {
    let members = members.map(|(name, value)| (name.as_str(), value));
    let _ = canonical_text::write_object(out, members, |out, value| {
        write_value(out, value);
        Ok(())
    });
}

fn write_number(out: &mut String, number: &Number) {
    use std::fmt::Write as _;
    let _ = match (number.as_i64(), number.as_u64()) {
        (Some(integer), _) => write!(out, "{integer}"),
        (_, Some(integer)) => write!(out, "{integer}"),
        _ => out.write_str(ryu_js::Buffer::new().format_finite(number.as_f64().unwrap_or(0.0))),
    };
}

/// Appends a string.
pub(crate) fn write_string(out: &mut String, text: &str) {
    let _ = canonical_text::write_string(out, text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        canonical(&capgen_schema::ExactPayload::parse(text.as_bytes()).unwrap().with_integers())
    }

    #[test]
    fn numbers_are_written_by_value() {
        for (text, expected) in [
            ("1.0", "1"),
            ("-0.0", "0"),
            ("1e3", "1000"),
            ("9007199254740993.0", "9007199254740993"),
            ("18446744073709551615.0", "18446744073709551615"),
            ("9223372036854775808.0", "9223372036854775808"),
            ("18446744073709551616", "18446744073709552000"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("-9223372036854775809", "-9223372036854776000"),
            ("1e20", "100000000000000000000"),
            ("1e21", "1e+21"),
            ("0.000001", "0.000001"),
            ("1.5e-7", "1.5e-7"),
            ("0.10000000000000000001", "0.1"),
            ("5e-324", "5e-324"),
            ("1e-400", "0"),
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
    }

    #[test]
    fn names_are_sorted_by_utf_16_and_strings_have_the_shortest_escapes() {
        assert_eq!(of(r#"{"\uffff": 1, "\ud83d\ude00": 2, "a": 3}"#), "{\"a\":3,\"😀\":2,\"\u{ffff}\":1}");
        assert_eq!(of(r#""\u0008\u000b\u007f\/\"\\\n""#), "\"\\b\\u000b\u{7f}/\\\"\\\\\\n\"");
    }
}
