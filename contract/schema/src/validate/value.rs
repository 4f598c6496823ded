//! The values of payloads: types, equality, depth.

use std::collections::HashMap;

use serde_json::Value;

use super::number::{compare, nearest, to_integer, to_number};
use crate::exact::Digits;
use crate::instance::is_integer;
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

/// Whether the value has one of the types. The most expensive check, whether a number is an integer, comes last.
#[inline]
pub(super) fn has_type(value: &Value, types: TypeSet, digits: Digits<'_>) -> bool {
    types.contains(match value {
        Value::Null => Type::Null,
        Value::Bool(_) => Type::Boolean,
        Value::Number(number) => {
            return types.contains(Type::Number) || (types.contains(Type::Integer) && is_integer(number, digits));
        }
        Value::String(_) => Type::String,
        Value::Array(_) => Type::Array,
        Value::Object(_) => Type::Object,
    })
}

impl Json {
    /// Whether a payload equals this value, as `const` compares them. A binary64 of the payload counts as the shortest
    /// decimal that reads back as it. The depth of recursion is that of this value.
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
        equal(payload, self, Digits::OF_TREE)
    }
}

/// JSON equality. Recursion is bounded by the depth of `literal`, which the loader has checked.
pub(super) fn equal(value: &Value, literal: &Json, digits: Digits<'_>) -> bool {
    match (value, literal) {
        (Value::Null, Json::Null) => true,
        (Value::Bool(a), Json::Bool(b)) => a == b,
        (Value::Number(a), Json::Number(b)) => compare(a, b, digits).is_eq(),
        (Value::String(a), Json::String(b)) => a == b,
        (Value::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b, digits)),
        (Value::Object(a), Json::Object(b)) => {
            a.len() == b.len() && b.iter().all(|(name, b)| a.get(name).is_some_and(|a| equal(a, b, digits)))
        }
        _ => false,
    }
}

/// The canonical text, for messages.
pub(crate) fn canonical(value: &Value, digits: Digits<'_>) -> String {
    text(value, |number| to_number(number, digits))
}

/// A text that is the same for all values that equal one literal. Other values have the same text only if the nearest
/// binary64s of their numbers are the same.
pub(super) fn hash_text(value: &Value) -> String {
    text(value, nearest)
}

fn text(value: &Value, number: impl Fn(&serde_json::Number) -> Option<Number>) -> String {
    // Only numbers outside the range of binary64 have none, and the strict parser rejects those.
    Json::reading(value, &number).map_or_else(|| value.to_string(), |json| json.canonical())
}

/// The indexes of the first two items that are equal. Takes time about linear in the size of the items.
pub(super) fn repeated(items: &[Value], digits: Digits<'_>) -> Option<(usize, usize)> {
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
    let mut seen = HashMap::with_capacity(items.len());
    let mut numbered = items.iter().enumerate();
    numbered.find_map(|(index, item)| seen.insert(Key::new(item, digits), index).map(|first| (first, index)))
}

/// A key that is equal for values that are equal.
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
    fn new(value: &'v Value, digits: Digits<'_>) -> Self {
        match value {
            Value::String(text) => Key::String(text),
            Value::Number(number) => match (to_integer(number, digits), digits.of(number), number.as_f64()) {
                (Some(integer), ..) => Key::Integer(integer),
                // No other number of a tree is equal to one that the tree rounds.
                (None, Some(exact), _) => Key::Other(exact.to_string()),
                (None, None, Some(float)) => Key::Float(float.to_bits()),
                (None, None, None) => Key::Other(number.to_string()),
            },
            _ => Key::Other(canonical(value, digits)),
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
            assert_eq!(repeated(items.as_array().unwrap(), Digits::OF_TREE), expected, "{items}");
        }
    }
    #[test]
    fn repeated_items_are_found_by_their_digits() {
        for (text, expected) in [
            ("[0.1, 0.10000000000000000001]", None),
            ("[0.10000000000000000001, 1000000000000000000100e-22]", Some((0, 1))),
            ("[9007199254740993.0, 9007199254740992, 9007199254740993]", Some((0, 2))),
            (r#"[{"a": 1e30}, {"a": 1000000000000000000000000000001}]"#, None),
            (r#"[[1000000000000000000000000000001.0], [1000000000000000000000000000001]]"#, Some((0, 1))),
        ] {
            let payload = crate::ExactPayload::parse(text.as_bytes()).unwrap();
            assert_eq!(repeated(payload.value().as_array().unwrap(), payload.digits()), expected, "{text}");
        }
    }
}
