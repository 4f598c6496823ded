//! Conversion to and from JSON, which never changes a value.

use std::fmt;

use capgen_schema::{ReportBudget, pointer};
use serde_json::{Map as Object, Number, Value as Json};

use super::{Float, Map, Value};

/// A value that JSON cannot represent (decision 14).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotJson {
    /// The place of the value, as a JSON Pointer. For a key that is not text, it is the place of its map.
    pub path: String,
    /// The kind of value, which does not contain the value itself: `a byte string`.
    pub reason: &'static str,
}

impl Value {
    /// The same value in JSON (decision 14). An integer remains an integer, and a floating-point number remains one, even if it is
    /// integral: `2.0`.
    ///
    /// # Errors
    ///
    /// The first value that JSON cannot represent: byte strings, tags, undefined, simple values, NaN, infinities, integers outside
    /// -2^63 to 2^64 - 1, and maps with keys that are not text.
    pub fn to_json(&self) -> Result<Json, NotJson> {
        let reason = match self {
            Self::Unsigned(number) => return Ok(Json::from(*number)),
            Self::Negative(_) => match self.as_integer().and_then(|number| i64::try_from(number).ok()) {
                Some(number) => return Ok(Json::from(number)),
                None => "an integer outside -2^63 to 2^64 - 1",
            },
            Self::Text(text) => return Ok(Json::String(text.clone())),
            Self::Array(elements) => return array(elements),
            Self::Map(map) => return object(map),
            Self::Bool(value) => return Ok(Json::Bool(*value)),
            Self::Null => return Ok(Json::Null),
            Self::Float(number) => match Number::from_f64(number.get()) {
                Some(number) => return Ok(Json::Number(number)),
                None => "NaN or an infinity",
            },
            Self::Bytes(_) => "a byte string",
            Self::Tag(..) => "a tag",
            Self::Undefined => "undefined",
            Self::Simple(_) => "a simple value",
        };
        Err(NotJson { path: String::new(), reason })
    }

    /// The same value in CBOR. A number without fraction and exponent is an integer, any other number is a floating-point number.
    ///
    /// The conversion is exact: `from_json` then [`to_json`](Self::to_json) returns the same JSON. `serde_json` itself reads integers
    /// outside -2^63 to 2^64 - 1 as floating-point numbers. Only if another crate enables its feature `arbitrary_precision`, a
    /// [`serde_json::Value`] has more digits than binary64; then the nearest number is taken. The recursion is as deep as the value.
    #[must_use]
    pub fn from_json(json: &Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(number) => from_number(number),
            Json::String(text) => Self::from(text.as_str()),
            Json::Array(elements) => Self::Array(elements.iter().map(Self::from_json).collect()),
            Json::Object(members) => {
                Self::Map(members.iter().map(|(key, value)| (key.as_str(), Self::from_json(value))).collect())
            }
        }
    }
}

fn from_number(number: &Number) -> Value {
    let integer = number.as_u64().map(i128::from).or_else(|| number.as_i64().map(i128::from));
    integer.and_then(Value::integer).unwrap_or_else(|| {
        let float = number.as_f64().or_else(|| number.to_string().parse().ok()).unwrap_or_default();
        Value::Float(Float::from(float.clamp(f64::MIN, f64::MAX)))
    })
}

fn array(elements: &[Value]) -> Result<Json, NotJson> {
    // Collecting results would allocate up to three times as much.
    let mut json = Vec::with_capacity(elements.len());
    for (index, element) in elements.iter().enumerate() {
        json.push(element.to_json().map_err(|error| error.below(&index.to_string()))?);
    }
    Ok(Json::Array(json))
}

fn object(map: &Map) -> Result<Json, NotJson> {
    let mut members = Object::with_capacity(map.len());
    for (key, value) in map.iter() {
        let Value::Text(key) = key else {
            return Err(NotJson { path: String::new(), reason: "a map with a key that is not text" });
        };
        members.insert(key.clone(), value.to_json().map_err(|error| error.below(key))?);
    }
    Ok(Json::Object(members))
}

impl NotJson {
    /// The same error, seen from the parent of the value.
    fn below(self, token: &str) -> Self {
        Self { path: pointer::join("", &ReportBudget::DEFAULT.cut_name(token)) + &self.path, ..self }
    }
}

impl fmt::Display for NotJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: JSON cannot represent {}", self.path, self.reason)
    }
}

impl std::error::Error for NotJson {}
