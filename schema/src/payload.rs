//! Strict parsing of payloads: what some parsers read one way and some another is refused.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Levels of arrays and objects that a payload may have; a scalar is at level 0.
pub const MAX_PAYLOAD_DEPTH: usize = 128;

/// Code points of a property's name that an error shows.
const QUOTE_LIMIT: usize = 64;

/// With its feature `arbitrary_precision`, which any crate of a program may switch on, serde_json hands a number out as an
/// object with this one name and the number's text.
const NUMBER_TOKEN: &str = "$serde_json::private::Number";

fn keeps_texts_of_numbers() -> bool {
    "1e400".parse::<Number>().is_ok()
}

fn exact<E: de::Error>(text: &str) -> Result<Value, E> {
    text.parse::<crate::Number>().map_err(|_| E::custom("number out of range"))?;
    text.parse().map(Value::Number).map_err(E::custom)
}

/// Why bytes are no payload.
pub struct PayloadError {
    error: serde_json::Error,
    redacts: bool,
}

impl From<serde_json::Error> for PayloadError {
    fn from(error: serde_json::Error) -> Self {
        Self { error, redacts: false }
    }
}

/// Reads one JSON text ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)). Takes time linear in its length.
///
/// # Errors
/// Anything that is not JSON in UTF-8 or has more behind it, duplicate property names, lone surrogates, numbers
/// beyond binary64 such as `1e400`, and arrays and objects nested deeper than 128 levels.
///
/// ```
/// use capgen_schema::parse_payload;
/// assert!(parse_payload(br#"{"a": [1, 2.5]}"#).is_ok());
/// let error = parse_payload(b"{\"a\": 1,\n \"a\": 2}").unwrap_err();
/// assert_eq!((error.line(), error.message().as_str()), (2, "duplicate property \"a\""));
/// ```
pub fn parse_payload(bytes: &[u8]) -> Result<Value, PayloadError> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    deserializer.disable_recursion_limit();
    let value = Strict { depth: 0 }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Reads one value from any deserializer that tells what it has, as [`parse_payload`] does.
///
/// # Errors
/// The deserializer's own, duplicate property names, and arrays and objects nested deeper than 128 levels.
///
/// ```
/// let mut json = serde_json::Deserializer::from_str(r#"{"a": 1, "a": 2}"#);
/// assert!(capgen_schema::deserialize_payload(&mut json).is_err());
/// ```
pub fn deserialize_payload<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    Strict { depth: 0 }.deserialize(deserializer)
}

impl PayloadError {
    /// The line, from 1.
    pub fn line(&self) -> usize {
        self.error.line()
    }

    /// The column in bytes, from 1; 0 at the start of a line.
    pub fn column(&self) -> usize {
        self.error.column()
    }

    /// What is wrong, without the place.
    pub fn message(&self) -> String {
        let text = self.error.to_string();
        let place = format!(" at line {} column {}", self.line(), self.column());
        let message = text.strip_suffix(&place).unwrap_or(&text);
        // What is wrong with the syntax is said in fixed words, some of them in quotes.
        let end = if self.redacts && self.error.is_data() { message.find(['"', '`']) } else { None };
        end.and_then(|end| message.get(..end)).unwrap_or(message).trim_end().to_owned()
    }

    /// Whether the message leaves out what it would quote from the payload, which may be secret.
    #[must_use]
    pub fn redact(mut self, redact: bool) -> Self {
        self.redacts = redact;
        self
    }
}

impl fmt::Debug for PayloadError {
    /// As it is shown: what is redacted there is here too.
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

/// Reads a value that has `depth` arrays and objects around it.
#[derive(Clone, Copy)]
struct Strict {
    depth: usize,
}

impl Strict {
    fn inner<E: de::Error>(self) -> Result<Self, E> {
        if self.depth < MAX_PAYLOAD_DEPTH {
            Ok(Strict { depth: self.depth + 1 })
        } else {
            Err(E::custom(format_args!("nested deeper than {MAX_PAYLOAD_DEPTH} levels")))
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
        exact(&value.to_string())
    }

    fn visit_u128<E: de::Error>(self, value: u128) -> Result<Value, E> {
        exact(&value.to_string())
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
            if name == NUMBER_TOKEN && keeps_texts_of_numbers() {
                return exact(&members.next_value::<String>()?);
            }
            if object.contains_key(&name) {
                let name: String = name.chars().take(QUOTE_LIMIT).collect();
                return Err(de::Error::custom(format_args!("duplicate property {name:?}")));
            }
            object.insert(name, members.next_value_seed(inner)?);
        }
        Ok(Value::Object(object))
    }
}
