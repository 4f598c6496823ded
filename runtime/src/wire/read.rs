//! Values from JSON.

use std::collections::BTreeMap;

use serde::Deserializer;
use serde::de::Error as _;
use serde_json::Value;

use super::Error;

/// A type that can be read from a JSON value.
///
/// ```
/// use capgen::wire::Read;
/// use serde_json::json;
/// assert_eq!(i64::read(json!(1.0)), Ok(1));
/// assert!(i64::read(json!(1.5)).is_err());
/// assert_eq!(Option::<bool>::read(json!(null)), Ok(None));
/// ```
pub trait Read: Sized {
    /// Reads the value. Recurses as deep as the value is.
    ///
    /// # Errors
    ///
    /// The first thing found that the type does not allow.
    fn read(value: Value) -> Result<Self, Error>;
}

/// Reads a value through serde. Generated types implement `Deserialize` with it.
///
/// # Errors
///
/// What the deserializer refuses; an object that has a name twice; a value nested deeper than 128 levels; what the type
/// does not allow.
///
/// ```
/// let mut json = serde_json::Deserializer::from_str("[1e3]");
/// let numbers: Vec<u64> = capgen::wire::deserialize(&mut json)?;
/// assert_eq!(numbers, [1000]);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn deserialize<'de, T: Read, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::read(capgen_schema::deserialize_payload(deserializer)?).map_err(D::Error::custom)
}

impl Read for Value {
    fn read(value: Value) -> Result<Self, Error> {
        Ok(value)
    }
}

impl Read for () {
    fn read(value: Value) -> Result<Self, Error> {
        match value {
            Value::Null => Ok(()),
            other => Err(Error::expected("null", &other)),
        }
    }
}

impl Read for bool {
    fn read(value: Value) -> Result<Self, Error> {
        match value {
            Value::Bool(value) => Ok(value),
            other => Err(Error::expected("a boolean", &other)),
        }
    }
}

impl Read for String {
    fn read(value: Value) -> Result<Self, Error> {
        match value {
            Value::String(text) => Ok(text),
            other => Err(Error::expected("a string", &other)),
        }
    }
}

impl Read for i64 {
    fn read(value: Value) -> Result<Self, Error> {
        integer(&value, serde_json::Number::as_i64, "integer outside -2^63..2^63")
    }
}

impl Read for u64 {
    fn read(value: Value) -> Result<Self, Error> {
        integer(&value, serde_json::Number::as_u64, "integer outside 0..2^64")
    }
}

fn integer<T: TryFrom<i128>>(
    value: &Value,
    direct: fn(&serde_json::Number) -> Option<T>,
    range: &'static str,
) -> Result<T, Error> {
    let Value::Number(number) = value else { return Err(Error::expected("an integer", value)) };
    if let Some(n) = direct(number) {
        return Ok(n);
    }
    if number.is_i64() || number.is_u64() {
        return Err(Error::new(range));
    }
    match number.as_f64() {
        Some(float) if float.fract() != 0.0 => Err(Error::new("expected an integer, found a fraction")),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "what is beyond i128 becomes its limit, which is out of range"
        )]
        Some(float) => T::try_from(float as i128).map_err(|_| Error::new(range)),
        None => Err(Error::new(range)),
    }
}

impl Read for f64 {
    /// Refuses a 64-bit integer that binary64 does not hold exactly: it would be written back as another number.
    fn read(value: Value) -> Result<Self, Error> {
        let Value::Number(number) = &value else { return Err(Error::expected("a number", &value)) };
        let float = number.as_f64().filter(|float| float.is_finite());
        let float = float.ok_or_else(|| Error::new("number beyond binary64"))?;
        // Beyond 2^53 a float is an integer, and 2^64 is beyond both integer types.
        #[expect(clippy::cast_possible_truncation, reason = "a float casts to the nearest value of the integer type")]
        let exact = match (number.as_i64(), number.as_u64()) {
            (Some(n), _) => i128::from(n) == float as i128,
            (None, Some(n)) => i128::from(n) == float as i128,
            (None, None) => true,
        };
        if exact { Ok(float) } else { Err(Error::new("integer that binary64 cannot hold exactly")) }
    }
}

impl<T: Read> Read for Option<T> {
    fn read(value: Value) -> Result<Self, Error> {
        if value.is_null() { Ok(None) } else { T::read(value).map(Some) }
    }
}

impl<T: Read> Read for Box<T> {
    fn read(value: Value) -> Result<Self, Error> {
        T::read(value).map(Box::new)
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(value: Value) -> Result<Self, Error> {
        let Value::Array(items) = value else { return Err(Error::expected("an array", &value)) };
        let item = |(index, item): (usize, Value)| T::read(item).map_err(|error| error.under(&index.to_string()));
        items.into_iter().enumerate().map(item).collect()
    }
}

impl<T: Read> Read for BTreeMap<String, T> {
    fn read(value: Value) -> Result<Self, Error> {
        super::Object::new(value)?.rest()
    }
}
