//! JSON as CBOR, which never changes a value: from a text, and from a tree.

use std::ops::Range;

use capgen_schema::{JsonBuilder, JsonScalar, JsonTextError, JsonTextErrorKind, MAX_PAYLOAD_DEPTH, read_json};
use serde_json::{Number, Value as Json};

use super::{Float, Map, Value};

impl Value {
    /// The value of a JSON text in UTF-8, of at most 128 levels. A number without fraction and exponent is an integer,
    /// any other number is a floating-point number, and so are -0 and integers outside -2^63 to 2^64 - 1, which a
    /// message cannot have otherwise.
    ///
    /// ```
    /// use capgen_amp::cbor::Value;
    /// let value = Value::from_json_text(br#"{"lines": [1, 2.0]}"#)?;
    /// assert_eq!(value.to_json_text().as_deref(), Ok(r#"{"lines":[1,2.0]}"#));
    /// assert!(Value::from_json_text(br#"{"a": 1, "a": 2}"#).is_err());
    /// # Ok::<(), capgen_schema::JsonTextError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The text is not JSON, or is one on which parsers disagree: as for [`capgen_schema::parse_payload`]. The message
    /// does not contain values of the text.
    pub fn from_json_text(text: &[u8]) -> Result<Self, JsonTextError> {
        let text = str::from_utf8(text).map_err(|error| {
            let start = error.valid_up_to();
            invalid(JsonTextErrorKind::Syntax, "not UTF-8".to_owned(), start..start + 1)
        })?;
        read_json(text, 0, &mut Builder)
    }

    /// The value of a tree. A number without fraction and exponent is an integer, any other number is a floating-point
    /// number.
    ///
    /// The conversion is exact: `from_json` then [`to_json`](Self::to_json) returns the same JSON. `serde_json` itself
    /// reads integers outside -2^63 to 2^64 - 1 as floating-point numbers. Only if another crate enables its feature
    /// `arbitrary_precision`, a [`serde_json::Value`] has more digits than binary64; then the nearest number is taken.
    /// The recursion is as deep as the value.
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

/// The number of a text in the grammar of JSON; `None` if it is outside the range of binary64.
///
/// It is the number that `serde_json` reads, so that a text and its tree are the same value.
fn parse_number(text: &str) -> Option<Value> {
    match (text.parse::<u64>(), text.parse::<i64>()) {
        (Ok(number), _) => Some(Value::Unsigned(number)),
        // Zero has a sign only as a floating-point number.
        (_, Ok(number)) if number < 0 => Value::integer(number.into()),
        _ => text.parse().ok().filter(|number: &f64| number.is_finite()).map(|number| Value::Float(number.into())),
    }
}

/// Builds a value from the parts of a text.
struct Builder;

impl JsonBuilder for Builder {
    type Value = Value;
    type Members = Vec<(Value, Value)>;
    type Error = JsonTextError;

    fn start(&mut self, at: usize, depth: usize, is_container: bool) -> Result<(), JsonTextError> {
        if is_container && depth >= MAX_PAYLOAD_DEPTH {
            let message = format!("nested deeper than {MAX_PAYLOAD_DEPTH} levels");
            return Err(invalid(JsonTextErrorKind::TooDeep, message, at..at + 1));
        }
        Ok(())
    }

    fn scalar(&mut self, scalar: JsonScalar<'_>, span: Range<usize>) -> Result<Value, JsonTextError> {
        Ok(match scalar {
            JsonScalar::Null => Value::Null,
            JsonScalar::Bool(value) => Value::Bool(value),
            JsonScalar::Number(text) => parse_number(text)
                .ok_or_else(|| invalid(JsonTextErrorKind::NumberRange, "number out of range".to_owned(), span))?,
            JsonScalar::String(text) => Value::Text(text),
        })
    }

    fn array(&mut self, items: Vec<Value>, _: Range<usize>) -> Value {
        Value::Array(items)
    }

    fn member(&mut self, members: &mut Self::Members, name: String, _: Range<usize>, value: Value) {
        members.push((Value::Text(name), value));
    }

    fn object(&mut self, members: Self::Members, span: Range<usize>) -> Result<Value, JsonTextError> {
        let count = members.len();
        let map: Map = members.into_iter().collect();
        if map.len() < count {
            // Another parser may take another one of the values. The name may be secret.
            return Err(invalid(JsonTextErrorKind::DuplicateName, "duplicate property".to_owned(), span));
        }
        Ok(Value::Map(map))
    }

    fn fail(&mut self, error: JsonTextError) -> JsonTextError {
        error
    }
}

fn invalid(kind: JsonTextErrorKind, message: String, span: Range<usize>) -> JsonTextError {
    JsonTextError::new(kind, message, span)
}
