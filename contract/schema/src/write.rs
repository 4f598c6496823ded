//! The compact text of JSON values.

use std::cmp::Ordering;
use std::fmt;

use crate::Json;

/// The order of the members of objects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// As in the value.
    Value,
    /// [RFC 8785 section 3.2.3](https://www.rfc-editor.org/rfc/rfc8785#section-3.2.3).
    Canonical,
}

/// The text on one line, without spaces, with the members of objects in their order.
///
/// ```
/// let json: capgen_schema::Json = r#"{ "b": [1.5, null], "a": "\u00e9" }"#.parse()?;
/// assert_eq!(json.to_string(), r#"{"b":[1.5,null],"a":"é"}"#);
/// # Ok::<(), capgen_schema::JsonTextError>(())
/// ```
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, self, Order::Value)
    }
}

/// The text in an order.
pub(crate) fn text(value: &Json, order: Order) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut text, value, order);
    text
}

/// By UTF-16 code units, not by code points. U+10000 sorts before U+FFFF.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}

/// The recursion is as deep as the value.
fn write<W: fmt::Write>(out: &mut W, value: &Json, order: Order) -> fmt::Result {
    match value {
        Json::Null => out.write_str("null"),
        Json::Bool(value) => out.write_str(if *value { "true" } else { "false" }),
        Json::Number(number) => write!(out, "{number}"),
        Json::String(text) => write_string(out, text),
        Json::Array(items) => {
            out.write_char('[')?;
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.write_char(',')?;
                }
                write(out, item, order)?;
            }
            out.write_char(']')
        }
        Json::Object(members) if order == Order::Canonical => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_unstable_by(|(a, _), (b, _)| compare(a, b));
            write_members(out, sorted.into_iter(), order)
        }
        Json::Object(members) => write_members(out, members.iter(), order),
    }
}

fn write_members<'a, W: fmt::Write>(
    out: &mut W,
    members: impl Iterator<Item = &'a (String, Json)>,
    order: Order,
) -> fmt::Result {
    out.write_char('{')?;
    for (index, (name, value)) in members.enumerate() {
        if index > 0 {
            out.write_char(',')?;
        }
        write_string(out, name)?;
        out.write_char(':')?;
        write(out, value, order)?;
    }
    out.write_char('}')
}

/// [RFC 8785 section 3.2.2.2](https://www.rfc-editor.org/rfc/rfc8785#section-3.2.2.2).
fn write_string<W: fmt::Write>(out: &mut W, text: &str) -> fmt::Result {
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
