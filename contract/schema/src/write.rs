//! The compact text of JSON values.

use std::fmt;

use crate::Json;
use crate::canonical_text::{write_array, write_members, write_object, write_string};

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

/// The recursion is as deep as the value.
fn write<W: fmt::Write>(out: &mut W, value: &Json, order: Order) -> fmt::Result {
    let nested = |out: &mut W, value: &Json| write(out, value, order);
    match value {
        Json::Null => out.write_str("null"),
        Json::Bool(value) => out.write_str(if *value { "true" } else { "false" }),
        Json::Number(number) => write!(out, "{number}"),
        Json::String(text) => write_string(out, text),
        Json::Array(items) => write_array(out, items, nested),
        Json::Object(members) => {
            let members = members.iter().map(|(name, value)| (name.as_str(), value));
            match order {
                Order::Canonical => write_object(out, members, nested),
                Order::Value => write_members(out, members, nested),
            }
        }
    }
}
