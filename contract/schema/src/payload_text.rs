//! Strict parsing of payloads: input on which parsers disagree is rejected. `lexer.rs` lists the readers of JSON text,
//! and the reason for each.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Maximum nesting of arrays and objects in a payload; a scalar is at level 0. The limit is the same in every language.
/// Usual payloads have fewer than ten levels; this one is small enough for the recursion of parsers and validators,
/// such as that of `serde_json` with its default of 128.
pub const MAX_PAYLOAD_DEPTH: usize = 128;

/// An error quotes at most this many code points of a property's name. Usual names are shorter; a peer may send one of
/// many MB.
const MAX_QUOTED: usize = 64;

/// With its feature `arbitrary_precision`, serde_json deserializes a number as an object with this one key, whose value
/// is the number's text. Any crate of a program can enable that feature, so we must handle both forms.
const NUMBER_TOKEN: &str = "$serde_json::private::Number";

/// Whether serde_json's feature `arbitrary_precision` is enabled. Otherwise a payload may legitimately contain the key
/// [`NUMBER_TOKEN`].
fn has_arbitrary_precision() -> bool {
    "1e400".parse::<Number>().is_ok()
}

/// A number from its text. Rejects numbers outside of binary64's range, which `arbitrary_precision` would accept.
fn number_from_text<E: de::Error>(text: &str) -> Result<Value, E> {
    text.parse::<crate::Number>().map_err(|_| E::custom("number out of range"))?;
    text.parse().map(Value::Number).map_err(E::custom)
}

/// The reason why a payload was rejected: invalid JSON, or JSON on which parsers disagree.
pub struct PayloadError {
    error: serde_json::Error,
    redacts: bool,
}

impl From<serde_json::Error> for PayloadError {
    fn from(error: serde_json::Error) -> Self {
        Self { error, redacts: false }
    }
}

/// Parses one JSON text ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)). Takes time linear in its length.
///
/// # Errors
/// Rejects text that is not JSON in UTF-8, trailing characters, duplicate property names, lone surrogates, numbers that
/// overflow binary64 such as `1e400`, and arrays and objects nested more than 128 levels deep.
///
/// ```
/// use capgen_schema::parse_payload;
/// assert!(parse_payload(br#"{"a": [1, 2.5]}"#).is_ok());
/// let error = parse_payload(b"{\"a\": 1,\n \"a\": 2}").unwrap_err();
/// assert_eq!((error.line(), error.message().as_str()), (2, "duplicate property \"a\""));
/// ```
pub fn parse_payload(bytes: &[u8]) -> Result<Value, PayloadError> {
    parse_document(bytes, MAX_PAYLOAD_DEPTH)
}

/// Parses one JSON text that may contain payloads, and therefore more levels than they have. The recursion is as deep
/// as `levels`.
///
/// # Errors
/// Those of [`parse_payload`], with another number of levels.
///
/// ```
/// use capgen_schema::parse_document;
/// assert!(parse_document(b"[[1]]", 2).is_ok());
/// assert!(parse_document(b"[[[]]]", 2).is_err());
/// ```
pub fn parse_document(bytes: &[u8], levels: usize) -> Result<Value, PayloadError> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    // serde_json's own limit is one level lower than ours, and `Strict` enforces ours.
    deserializer.disable_recursion_limit();
    let value = Strict { depth: 0, levels }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Reads one value from any self-describing deserializer, with the same checks as [`parse_payload`].
///
/// # Errors
/// The deserializer's own errors, duplicate property names, and arrays and objects nested more than 128 levels deep.
///
/// ```
/// let mut json = serde_json::Deserializer::from_str(r#"{"a": 1, "a": 2}"#);
/// assert!(capgen_schema::deserialize_payload(&mut json).is_err());
/// ```
pub fn deserialize_payload<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    Strict { depth: 0, levels: MAX_PAYLOAD_DEPTH }.deserialize(deserializer)
}

impl PayloadError {
    /// The line, counted from 1.
    pub fn line(&self) -> usize {
        self.error.line()
    }

    /// The column in bytes, counted from 1; 0 if the error is at the end of the previous line.
    pub fn column(&self) -> usize {
        self.error.column()
    }

    /// The error message, without line and column.
    pub fn message(&self) -> String {
        let text = self.error.to_string();
        let place = format!(" at line {} column {}", self.line(), self.column());
        let message = text.strip_suffix(&place).unwrap_or(&text);
        // Only data errors quote the payload. Syntax errors have fixed texts, some of which contain quotation marks.
        let end = if self.redacts && self.error.is_data() { message.find(['"', '`']) } else { None };
        end.and_then(|end| message.get(..end)).unwrap_or(message).trim_end().to_owned()
    }

    /// Sets whether the message omits quotations from the payload, which may contain secrets.
    #[must_use]
    pub fn redact(mut self, redact: bool) -> Self {
        self.redacts = redact;
        self
    }
}

impl fmt::Debug for PayloadError {
    /// Formats the same message as `Display`, so that debug output is redacted as well.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PayloadError").field(&self.to_string()).finish()
    }
}

impl fmt::Display for PayloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at line {} column {}", self.message(), self.line(), self.column())
    }
}

impl std::error::Error for PayloadError {}

/// Reads a value that is inside of `depth` arrays and objects, of at most `levels`.
#[derive(Clone, Copy)]
struct Strict {
    depth: usize,
    levels: usize,
}

impl Strict {
    /// The reader for the elements of an array or object at this depth.
    fn inner<E: de::Error>(self) -> Result<Self, E> {
        if self.depth < self.levels {
            Ok(Strict { depth: self.depth + 1, ..self })
        } else {
            Err(E::custom(format_args!("nested deeper than {} levels", self.levels)))
        }
    }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_i128<E: de::Error>(self, value: i128) -> Result<Value, E> {
        number_from_text(&value.to_string())
    }

    fn visit_u128<E: de::Error>(self, value: u128) -> Result<Value, E> {
        number_from_text(&value.to_string())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(inner)? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let inner = self.inner()?;
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if name == NUMBER_TOKEN && has_arbitrary_precision() {
                return number_from_text(&members.next_value::<String>()?);
            }
            if object.contains_key(&name) {
                // The last value must not win silently: another parser may take the first.
                let name: String = name.chars().take(MAX_QUOTED).collect();
                return Err(de::Error::custom(format_args!("duplicate property {name:?}")));
            }
            object.insert(name, members.next_value_seed(inner)?);
        }
        Ok(Value::Object(object))
    }
}
