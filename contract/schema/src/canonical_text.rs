//! The canonical text of JSON ([RFC 8785](https://www.rfc-editor.org/rfc/rfc8785)) apart from its numbers, for every
//! value that has one.
//!
//! RFC 8785 writes each number as JavaScript writes its binary64, so integers beyond 2^53 lose digits, and two
//! different values may have one text. capgen has two rules for numbers instead, which agree on every number that RFC
//! 8785 writes without an exponent and that binary64 represents exactly:
//!
//! | text | numbers | why |
//! |---|---|---|
//! | [`Json::canonical`](crate::Json::canonical), of contracts | all digits; integers have no exponent | two schemas are equal if and only if their texts are, also with limits that no binary64 has |
//! | `capgen_registry::canonical`, of events | 64-bit integers keep their digits, and every other number is that of RFC 8785 | programs of any language compute the hash of an event with the numbers of their own parser of JSON |
//!
//! So hashes of contracts and hashes of events cannot be compared with each other, and no code does.

use std::cmp::Ordering;
use std::fmt;

/// The order of the names of members ([section 3.2.3](https://www.rfc-editor.org/rfc/rfc8785#section-3.2.3)): by UTF-16
/// code units, not by code points. U+10000 sorts before U+FFFF.
///
/// ```
/// use capgen_schema::canonical_text::compare_names;
/// assert!(compare_names("\u{10000}", "\u{ffff}").is_lt());
/// ```
pub fn compare_names(one: &str, other: &str) -> Ordering {
    // Nearly all names are ASCII, where that is the order of bytes.
    if one.is_ascii() && other.is_ascii() { one.cmp(other) } else { one.encode_utf16().cmp(other.encode_utf16()) }
}

/// Writes an array, whose items `write_item` writes.
///
/// # Errors
///
/// Those of the writer, and of `write_item`.
pub fn write_array<W: fmt::Write, T>(
    out: &mut W,
    items: impl IntoIterator<Item = T>,
    mut write_item: impl FnMut(&mut W, T) -> fmt::Result,
) -> fmt::Result {
    out.write_char('[')?;
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.write_char(',')?;
        }
        write_item(out, item)?;
    }
    out.write_char(']')
}

/// Writes an object, whose values `write_value` writes. The members are sorted here; their names must be distinct.
///
/// # Errors
///
/// Those of the writer, and of `write_value`.
///
/// ```
/// use std::fmt::Write as _;
/// let mut text = String::new();
/// let members = [("b", 1), ("a", 2)];
/// capgen_schema::canonical_text::write_object(&mut text, members, |out, value| write!(out, "{value}"))?;
/// assert_eq!(text, r#"{"a":2,"b":1}"#);
/// # Ok::<(), std::fmt::Error>(())
/// ```
pub fn write_object<'n, W: fmt::Write, V>(
    out: &mut W,
    members: impl IntoIterator<Item = (&'n str, V)>,
    write_value: impl FnMut(&mut W, V) -> fmt::Result,
) -> fmt::Result {
    let mut members: Vec<(&str, V)> = members.into_iter().collect();
    members.sort_unstable_by(|(one, _), (other, _)| compare_names(one, other));
    write_members(out, members, write_value)
}

/// Writes an object with its members in their order.
pub(crate) fn write_members<'n, W: fmt::Write, V>(
    out: &mut W,
    members: impl IntoIterator<Item = (&'n str, V)>,
    mut write_value: impl FnMut(&mut W, V) -> fmt::Result,
) -> fmt::Result {
    out.write_char('{')?;
    for (index, (name, value)) in members.into_iter().enumerate() {
        if index > 0 {
            out.write_char(',')?;
        }
        write_string(out, name)?;
        out.write_char(':')?;
        write_value(out, value)?;
    }
    out.write_char('}')
}

/// Writes a string, with the shortest escapes ([section
/// 3.2.2.2](https://www.rfc-editor.org/rfc/rfc8785#section-3.2.2.2)).
///
/// # Errors
///
/// Those of the writer.
pub fn write_string<W: fmt::Write>(out: &mut W, text: &str) -> fmt::Result {
    out.write_char('"')?;
    // Most texts have no character that needs an escape, and are written as a whole.
    let needs_escape = |byte: u8| matches!(byte, b'"' | b'\\' | 0..=0x1f);
    if text.bytes().any(needs_escape) {
        text.chars().try_for_each(|c| write_char(out, c))?;
    } else {
        out.write_str(text)?;
    }
    out.write_char('"')
}

fn write_char<W: fmt::Write>(out: &mut W, c: char) -> fmt::Result {
    match c {
        '"' => out.write_str("\\\""),
        '\\' => out.write_str("\\\\"),
        '\u{8}' => out.write_str("\\b"),
        '\t' => out.write_str("\\t"),
        '\n' => out.write_str("\\n"),
        '\u{c}' => out.write_str("\\f"),
        '\r' => out.write_str("\\r"),
        c if c < ' ' => write!(out, "\\u{:04x}", u32::from(c)),
        c => out.write_char(c),
    }
}
