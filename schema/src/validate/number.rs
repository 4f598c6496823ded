//! Comparison of numbers in payloads: 64-bit integers, and binary64s. A binary64 equals both its exact value and the shortest
//! decimal that parses to it (see [`Number`]).

use std::cmp::Ordering;

use serde_json::Value;

use crate::Number;

/// Up to this, the exact value and the shortest decimal of a whole binary64 are the same.
const MAX_SAFE: f64 = Number::EXACT_INTEGER_LIMIT;

/// The range of 64-bit integers, signed and unsigned, as binary64s.
const INTEGERS: std::ops::Range<f64> = -9_223_372_036_854_775_808.0..18_446_744_073_709_551_616.0;

pub(super) fn is_integer(number: &serde_json::Number) -> bool {
    // A binary64 with a fraction is below 2^53, so its shortest decimal has a fraction as well.
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
}

/// Compares by mathematical value, except that a binary64 equals both of its values. If the nearest binary64s of the two numbers
/// differ, they decide; otherwise the exact values are compared, which is slower and rare.
pub(super) fn compare(number: &serde_json::Number, limit: &Number) -> Ordering {
    let float = number.as_f64().unwrap_or(f64::INFINITY);
    match float.partial_cmp(&limit.as_f64()) {
        Some(Ordering::Equal) | None => {}
        Some(ordering) => return ordering,
    }
    if float.abs() < MAX_SAFE && float.fract() == 0.0 && limit.is_integer() {
        return Ordering::Equal;
    }
    if let Some(integer) = integer(number) {
        return whole(integer).map_or(Ordering::Greater, |integer| integer.cmp(limit));
    }
    limit.compare_float(float)
}

/// Which of its two values a binary64 beyond 2^53 has if it is compared with the 64-bit integers of the same payload. For all
/// other numbers, the two readings are equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reading {
    Exact,
    Shortest,
}

impl Reading {
    /// The number as an integer, if it is one and its exact value is in the range of 64-bit integers.
    pub(super) fn integer(self, number: &serde_json::Number) -> Option<i128> {
        if let Some(integer) = integer(number) {
            return Some(integer);
        }
        let float = number.as_f64()?;
        if self == Reading::Shortest && float.abs() > MAX_SAFE && INTEGERS.contains(&float) {
            return Number::from_f64(float)?.to_string().parse().ok();
        }
        #[expect(clippy::cast_possible_truncation, reason = "a whole number of 64 bits")]
        (float.fract() == 0.0 && INTEGERS.contains(&float)).then_some(float as i128)
    }

    /// The number in this reading: two numbers are equal in this reading if and only if the results are equal.
    pub(super) fn number(self, number: &serde_json::Number) -> Option<Number> {
        self.integer(number).map_or_else(|| nearest(number), whole)
    }
}

/// Whether the value contains a number with two different readings. The recursion is as deep as the value.
pub(super) fn has_two_readings(value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            let two = |float: f64| float.abs() > MAX_SAFE && INTEGERS.contains(&float);
            integer(number).is_none() && number.as_f64().is_some_and(two)
        }
        Value::Array(items) => items.iter().any(has_two_readings),
        Value::Object(members) => members.values().any(has_two_readings),
        _ => false,
    }
}

/// The shortest decimal of the nearest binary64.
pub(super) fn nearest(number: &serde_json::Number) -> Option<Number> {
    Number::from_f64(number.as_f64()?)
}

fn integer(number: &serde_json::Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

fn whole(integer: i128) -> Option<Number> {
    integer.to_string().parse().ok()
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
            (json!(9_007_199_254_740_992.0), "9007199254740993", Ordering::Less),
            (json!(u64::MAX), "18446744073709551616", Ordering::Less),
            (json!(0.1), "0.1", Ordering::Equal),
            (json!(0.1), "0.10000000000000000555", Ordering::Greater),
            (json!(0.1), "0.10000000000000000556", Ordering::Less),
            (json!(-0.0), "0", Ordering::Equal),
            (json!(1e300), "1e300", Ordering::Equal),
            (json!(5e-324), "0", Ordering::Greater),
            (json!(5e-324), "4.9406564584124655e-324", Ordering::Less),
        ] {
            assert_eq!(compare(&number(&payload), &limit.parse().unwrap()), expected, "{payload} {limit}");
        }
    }

    fn numbers() -> impl Strategy<Value = Value> {
        let near = |center: u64| (0_u64..8).prop_map(move |n| json!(center - 4 + n));
        prop_oneof![
            any::<i64>().prop_map(|n| json!(n)),
            any::<u64>().prop_map(|n| json!(n)),
            near(1 << 53),
            near(1 << 60),
            (50_i32..70, any::<bool>()).prop_map(|(n, up)| json!(2_f64.powi(n) * if up { 1.0 } else { -1.0 })),
            (-3_i32..3).prop_map(|n| json!(f64::from(n) / 2.0)),
            any::<f64>().prop_filter_map("finite", |x| x.is_finite().then(|| json!(x)))
        ]
    }

    proptest! {
        #[test]
        fn the_fast_comparison_agrees_with_the_exact_one(a in numbers(), b in numbers()) {
            let (a, b) = (a.as_number().unwrap(), Number::from_payload(b.as_number().unwrap()).unwrap());
            let exact = integer(a).map_or_else(|| Number::exact(a.as_f64().unwrap()), whole).unwrap();
            let same = Number::from_payload(a).unwrap() == b;
            prop_assert_eq!(compare(a, &b), if same { Ordering::Equal } else { exact.cmp(&b) });
        }

        #[test]
        fn the_exact_value_of_a_binary64_round_trips(x in any::<f64>()) {
            prop_assume!(x.is_finite() && (x * 2.0).is_finite());
            let exact = Number::exact(x).unwrap();
            prop_assert_eq!(exact.as_f64(), x);
            prop_assert_eq!(compare(&serde_json::Number::from_f64(x).unwrap(), &exact), Ordering::Equal);
        }

        #[test]
        fn numbers_are_equal_if_and_only_if_they_share_a_reading(a in numbers(), b in numbers()) {
            let (a, b) = (a.as_number().unwrap(), b.as_number().unwrap());
            let shared = [Reading::Exact, Reading::Shortest].iter().any(|r| r.number(a) == r.number(b));
            let equal = match (integer(a), integer(b)) {
                (_, Some(b)) => compare(a, &whole(b).unwrap()).is_eq(),
                (Some(a), None) => compare(b, &whole(a).unwrap()).is_eq(),
                (None, None) => a.as_f64() == b.as_f64(),
            };
            prop_assert_eq!(shared, equal);
        }

        #[test]
        fn is_integer_agrees_with_the_shortest_decimal(a in numbers()) {
            prop_assert_eq!(is_integer(a.as_number().unwrap()), Number::from_payload(a.as_number().unwrap()).unwrap().is_integer());
        }
    }
}
