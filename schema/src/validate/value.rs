//! Payload values as JSON Schema sees them.

use std::cmp::Ordering;
use std::collections::HashMap;

use serde_json::Value;

use crate::payload::MAX_PAYLOAD_DEPTH;
use crate::{Json, Number, Type};

/// Below this, every integer is a binary64.
const MAX_SAFE: f64 = 9_007_199_254_740_992.0;

/// Arrays of up to so many items are searched for duplicates without a table.
const FEW: usize = 8;

/// Whether the payload is nested no deeper than allowed. Stops at the limit.
pub(super) fn is_shallow(value: &Value) -> bool {
    fn within(value: &Value, depth: usize) -> bool {
        match value {
            Value::Array(items) => depth < MAX_PAYLOAD_DEPTH && items.iter().all(|item| within(item, depth + 1)),
            Value::Object(members) => {
                depth < MAX_PAYLOAD_DEPTH && members.values().all(|member| within(member, depth + 1))
            }
            _ => true,
        }
    }
    within(value, 0)
}

pub(super) fn type_of(value: &Value) -> Type {
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

fn is_integer(number: &serde_json::Number) -> bool {
    // A binary64 with a fraction is below 2^53, so the decimal it is written as has a fraction too.
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
}

/// Compares by mathematical value. Only where the nearest binary64s are the same do the decimals decide.
pub(super) fn compare(number: &serde_json::Number, limit: &Number) -> Ordering {
    let float = number.as_f64().unwrap_or(f64::INFINITY);
    match float.partial_cmp(&limit.as_f64()) {
        Some(Ordering::Equal) | None => {}
        Some(ordering) => return ordering,
    }
    if float.abs() < MAX_SAFE && float.fract() == 0.0 && limit.is_integer() {
        return Ordering::Equal;
    }
    Number::from_payload(number).map_or(Ordering::Greater, |exact| exact.cmp(limit))
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

/// The canonical text: equal values, and no others, have the same.
pub(super) fn canonical(value: &Value) -> String {
    // Only numbers beyond binary64 have none, and the strict parser refuses those.
    Json::try_from(value).map_or_else(|_| value.to_string(), |json| json.canonical())
}

/// The first two items that are equal, by their indexes. Takes time about linear in the size of the items.
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
    let mut seen = HashMap::with_capacity(items.len());
    items.iter().enumerate().find_map(|(index, item)| seen.insert(Key::new(item), index).map(|first| (first, index)))
}

/// Equal for equal values.
#[derive(PartialEq, Eq, Hash)]
enum Key<'v> {
    String(&'v str),
    Integer(i64),
    /// Any other value, by its canonical text.
    Other(String),
}

impl<'v> Key<'v> {
    fn new(value: &'v Value) -> Self {
        match value {
            Value::String(text) => Key::String(text),
            Value::Number(number) => match number.as_i64().or_else(|| Number::from_payload(number)?.as_i64()) {
                Some(integer) => Key::Integer(integer),
                None => Key::Other(canonical(value)),
            },
            _ => Key::Other(canonical(value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn number(value: &Value) -> serde_json::Number {
        value.as_number().unwrap().clone()
    }

    #[test]
    fn numbers_compare_by_exact_value() {
        for (payload, limit, expected) in [
            (json!(1.0), "1", Ordering::Equal),
            (json!(9_007_199_254_740_993_u64), "9007199254740992", Ordering::Greater),
            (json!(9_007_199_254_740_993_u64), "9007199254740993", Ordering::Equal),
            (json!(u64::MAX), "18446744073709551616", Ordering::Less),
            (json!(0.1), "0.1", Ordering::Equal),
            (json!(0.1), "0.10000000000000000555", Ordering::Less),
            (json!(-0.0), "0", Ordering::Equal),
            (json!(1e300), "1e300", Ordering::Equal),
            (json!(5e-324), "0", Ordering::Greater),
        ] {
            assert_eq!(compare(&number(&payload), &limit.parse().unwrap()), expected, "{payload} {limit}");
        }
    }

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

    fn numbers() -> impl Strategy<Value = Value> {
        let near = (-4_i64..4).prop_map(|n| json!(n + 9_007_199_254_740_992));
        prop_oneof![
            any::<i64>().prop_map(|n| json!(n)),
            any::<u64>().prop_map(|n| json!(n)),
            near,
            (-3_i32..3).prop_map(|n| json!(f64::from(n) / 2.0)),
            any::<f64>().prop_filter_map("finite", |x| x.is_finite().then(|| json!(x)))
        ]
    }

    proptest! {
        #[test]
        fn the_fast_comparison_agrees_with_the_exact_one(a in numbers(), b in numbers()) {
            let exact = |value: &Value| Number::from_payload(value.as_number().unwrap()).unwrap();
            prop_assert_eq!(compare(a.as_number().unwrap(), &exact(&b)), exact(&a).cmp(&exact(&b)));
        }

        #[test]
        fn integers_are_those_whose_decimal_is_one(a in numbers()) {
            prop_assert_eq!(is_integer(a.as_number().unwrap()), Number::from_payload(a.as_number().unwrap()).unwrap().is_integer());
        }
    }
}
