//! The values of payloads: types, equality, depth.

use std::collections::HashMap;

use serde_json::Value;

use super::number::{Reading, compare, has_two_readings, is_integer, nearest};
use crate::{Json, Number, Type, TypeSet};

/// Arrays of up to this many items are searched for duplicates without a hash table, which is faster.
const FEW: usize = 8;

/// Whether the value has at most `levels` levels of arrays and objects. Recursion stops at the limit.
pub(super) fn is_shallow(value: &Value, levels: usize) -> bool {
    let inside = levels.checked_sub(1);
    match value {
        Value::Array(items) => inside.is_some_and(|levels| items.iter().all(|item| is_shallow(item, levels))),
        Value::Object(members) => {
            inside.is_some_and(|levels| members.values().all(|member| is_shallow(member, levels)))
        }
        _ => true,
    }
}

pub(crate) fn type_of(value: &Value) -> Type {
    match value {
        Value::Null => Type::Null,
        Value::Bool(_) => Type::Boolean,
        Value::Number(number) if is_integer(number) => Type::Integer,
        Value::Number(_) => Type::Number,
        Value::String(_) => Type::String,
        Value::Array(_) => Type::Array,
        Value::Object(_) => Type::Object,
    }
}

/// Whether the value has one of the types. The most expensive check, whether a number is an integer, comes last.
#[inline]
pub(super) fn has_type(value: &Value, types: TypeSet) -> bool {
    types.contains(match value {
        Value::Null => Type::Null,
        Value::Bool(_) => Type::Boolean,
        Value::Number(number) => {
            return types.contains(Type::Number) || (types.contains(Type::Integer) && is_integer(number));
        }
        Value::String(_) => Type::String,
        Value::Array(_) => Type::Array,
        Value::Object(_) => Type::Object,
    })
}

impl Json {
    /// Whether a payload equals this value, as `const` compares them. A binary64 of the payload equals both its exact value and
    /// the shortest decimal that reads back as it. The depth of recursion is that of this value.
    ///
    /// ```
    /// use capgen_schema::Json;
    /// use serde_json::json;
    /// let value = Json::try_from(&json!({"a": 1}))?;
    /// assert!(value.equals(&json!({"a": 1.0})));
    /// assert!(!value.equals(&json!({"a": true})));
    /// # Ok::<(), capgen_schema::NumberError>(())
    /// ```
    pub fn equals(&self, payload: &Value) -> bool {
        equal(payload, self)
    }
}

/// JSON equality. Recursion is bounded by the depth of `literal`, which the loader has checked.
pub(super) fn equal(value: &Value, literal: &Json) -> bool {
    match (value, literal) {
        (Value::Null, Json::Null) => true,
        (Value::Bool(a), Json::Bool(b)) => a == b,
        (Value::Number(a), Json::Number(b)) => compare(a, b).is_eq(),
        (Value::String(a), Json::String(b)) => a == b,
        (Value::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Json::Object(b)) => {
            a.len() == b.len() && b.iter().all(|(name, b)| a.get(name).is_some_and(|a| equal(a, b)))
        }
        _ => false,
    }
}

/// The canonical text, for messages.
pub(super) fn canonical(value: &Value) -> String {
    text(value, Number::from_payload)
}

/// A text that is the same for all values that equal one literal. Other values have the same text only if the nearest binary64s of
/// their numbers are the same.
pub(super) fn hash_text(value: &Value) -> String {
    text(value, nearest)
}

fn text(value: &Value, number: impl Fn(&serde_json::Number) -> Option<Number>) -> String {
    // Only numbers outside the range of binary64 have none, and the strict parser rejects those.
    Json::reading(value, &number).map_or_else(|| value.to_string(), |json| json.canonical())
}

/// The indexes of the first two items that are equal: equal if every binary64 is read as its exact value, or equal if every
/// binary64 is read as its shortest decimal. Takes time about linear in the size of the items.
pub(super) fn repeated(items: &[Value]) -> Option<(usize, usize)> {
    if items.len() < 2 {
        return None;
    }
    if items.len() <= FEW && items.iter().all(Value::is_string) {
        let pairs = items
            .iter()
            .enumerate()
            .flat_map(|(j, b)| items.iter().take(j).enumerate().map(move |(i, a)| (i, a, j, b)));
        return pairs.into_iter().find(|(_, a, _, b)| a == b).map(|(i, _, j, _)| (i, j));
    }
    let exact = repeated_as(items, Reading::Exact);
    let shortest = items.iter().any(has_two_readings).then(|| repeated_as(items, Reading::Shortest)).flatten();
    exact.into_iter().chain(shortest).min_by_key(|&(first, second)| (second, first))
}

fn repeated_as(items: &[Value], reading: Reading) -> Option<(usize, usize)> {
    let mut seen = HashMap::with_capacity(items.len());
    let mut numbered = items.iter().enumerate();
    numbered.find_map(|(index, item)| seen.insert(Key::new(item, reading), index).map(|first| (first, index)))
}

/// A key that is equal for values that are equal in one reading.
#[derive(PartialEq, Eq, Hash)]
enum Key<'v> {
    String(&'v str),
    Integer(i128),
    /// The bits of a binary64 that is not a 64-bit integer.
    Float(u64),
    /// Any other value, by its canonical text.
    Other(String),
}

impl<'v> Key<'v> {
    fn new(value: &'v Value, reading: Reading) -> Self {
        match value {
            Value::String(text) => Key::String(text),
            Value::Number(number) => match (reading.integer(number), number.as_f64()) {
                (Some(integer), _) => Key::Integer(integer),
                (None, Some(float)) => Key::Float(float.to_bits()),
                (None, None) => Key::Other(number.to_string()),
            },
            _ => Key::Other(text(value, |number| reading.number(number))),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn repeated_items_are_found_whatever_their_form() {
        for (items, expected) in [
            (json!([1, true, "1", null, [], {}]), None),
            (json!([1, 2, 1.0]), Some((0, 2))),
            (json!([{"a": 1, "b": [2]}, {"b": [2.0], "a": 1}]), Some((0, 1))),
            (json!(["a", "b", "b", "a"]), Some((1, 2))),
            (json!([u64::MAX, 1.844_674_407_370_955_2e19]), None),
            (json!([1e19, 10_000_000_000_000_000_000_u64]), Some((0, 1))),
            (json!([0, -0.0]), Some((0, 1))),
            (json!([[0], [false]]), None),
        ] {
            assert_eq!(repeated(items.as_array().unwrap()), expected, "{items}");
        }
    }
}
