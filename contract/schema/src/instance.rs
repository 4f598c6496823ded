//! The JSON types of payload values.

use serde_json::{Number, Value};

use crate::Type;
use crate::exact::Digits;

/// Whether a number of a payload has no fraction.
#[inline]
pub(crate) fn is_integer(number: &Number, digits: Digits<'_>) -> bool {
    if let Some(exact) = digits.of(number) {
        return exact.is_integer();
    }
    // A binary64 with a fraction is below 2^53, so its shortest decimal has a fraction as well.
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
}

/// The type of a value of a tree.
pub(crate) fn type_of(value: &Value) -> Type {
    exact_type_of(value, Digits::OF_TREE)
}

pub(crate) fn exact_type_of(value: &Value, digits: Digits<'_>) -> Type {
    match value {
        Value::Null => Type::Null,
        Value::Bool(_) => Type::Boolean,
        Value::Number(number) if is_integer(number, digits) => Type::Integer,
        Value::Number(_) => Type::Number,
        Value::String(_) => Type::String,
        Value::Array(_) => Type::Array,
        Value::Object(_) => Type::Object,
    }
}
