//! Conversions between [`Json`] and `serde_json::Value`.

use serde_json::Value;

use crate::{Json, Number, NumberError};

impl TryFrom<&Value> for Json {
    type Error = NumberError;

    /// Converts a value. The recursion is as deep as `value`.
    ///
    /// # Errors
    /// [`NumberError::Range`], which can only happen with serde_json's feature `arbitrary_precision`.
    fn try_from(value: &Value) -> Result<Self, NumberError> {
        Json::reading(value, &Number::from_payload).ok_or(NumberError::Range)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Json::Bool(value)
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Json::String(text.to_owned())
    }
}

impl Json {
    /// Converts a value, with `number` for its numbers; `None` if that returns `None`. The interpreter passes a
    /// function that reads a binary64 as its exact value.
    pub(crate) fn reading(value: &Value, number: &impl Fn(&serde_json::Number) -> Option<Number>) -> Option<Self> {
        Some(match value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Number(value) => Json::Number(number(value)?),
            Value::String(text) => Json::String(text.clone()),
            Value::Array(items) => {
                Json::Array(items.iter().map(|item| Json::reading(item, number)).collect::<Option<_>>()?)
            }
            Value::Object(members) => {
                let member = |(name, value): (&String, &Value)| Some((name.clone(), Json::reading(value, number)?));
                Json::Object(members.iter().map(member).collect::<Option<_>>()?)
            }
        })
    }

    /// Converts to serde_json's value. A number that is not a 64-bit integer becomes the nearest binary64. The
    /// recursion is as deep as the value.
    pub fn to_value(&self) -> Value {
        match self {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(number) => Value::Number(number.to_payload()),
            Json::String(text) => Value::String(text.clone()),
            Json::Array(items) => Value::Array(items.iter().map(Json::to_value).collect()),
            Json::Object(members) => {
                Value::Object(members.iter().map(|(name, value)| (name.clone(), value.to_value())).collect())
            }
        }
    }
}

impl Number {
    /// Converts to serde_json's number: a 64-bit integer if the value is one, or else the nearest binary64.
    pub(crate) fn to_payload(&self) -> serde_json::Number {
        if let Some(n) = self.as_i64() {
            n.into()
        } else if let Some(n) = self.as_u64() {
            n.into()
        } else {
            // Always finite, so the fallback is never used.
            serde_json::Number::from_f64(self.as_f64()).unwrap_or_else(|| 0.into())
        }
    }
}
