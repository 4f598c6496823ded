//! Comparison of numbers in payloads: 64-bit integers, and binary64s, which count as the shortest decimal that parses
//! to them (see [`Number`]), unless the payload's text has other digits.

use std::cmp::Ordering;

use crate::exact::Digits;
use crate::{Divisor, Number};

/// Up to this, a whole binary64 is an integer that needs no rounding.
const MAX_SAFE: f64 = Number::MAX_EXACT_INTEGER;

/// The range of 64-bit integers, signed and unsigned, as binary64s.
const INTEGERS: std::ops::Range<f64> = -9_223_372_036_854_775_808.0..18_446_744_073_709_551_616.0;

/// Compares by mathematical value. If the nearest binary64s of the two numbers differ, they decide; otherwise the
/// decimals are compared, which is slower and rare.
pub(super) fn compare(number: &serde_json::Number, limit: &Number, digits: Digits<'_>) -> Ordering {
    let float = number.as_f64().unwrap_or(f64::INFINITY);
    match float.partial_cmp(&limit.as_f64()) {
        Some(Ordering::Equal) | None => {}
        Some(ordering) => return ordering,
    }
    if let Some(exact) = digits.of(number) {
        return exact.cmp(limit);
    }
    if float.abs() < MAX_SAFE && float.fract() == 0.0 && limit.is_integer() {
        return Ordering::Equal;
    }
    if let Some(integer) = integer(number) {
        return whole(integer).map_or(Ordering::Greater, |integer| integer.cmp(limit));
    }
    limit.compare_float(float)
}

/// Whether the number is a multiple of the divisor, by mathematical value.
pub(super) fn is_multiple(number: &serde_json::Number, divisor: &Divisor, digits: Digits<'_>) -> bool {
    if let Some(exact) = digits.of(number) {
        return divisor.divides(exact);
    }
    match (integer(number), number.as_f64()) {
        (Some(integer), _) => divisor.divides_integer(integer),
        (None, Some(float)) => divisor.divides_float(float),
        // Only with serde_json's feature `arbitrary_precision`, and outside the range of binary64.
        (None, None) => false,
    }
}

/// The number as an integer, if it is one in the range of 64-bit integers.
pub(crate) fn to_integer(number: &serde_json::Number, digits: Digits<'_>) -> Option<i128> {
    if let Some(exact) = digits.of(number) {
        return exact.as_i64().map(i128::from).or_else(|| exact.as_u64().map(i128::from));
    }
    if let Some(integer) = integer(number) {
        return Some(integer);
    }
    let float = number.as_f64()?;
    if float.abs() > MAX_SAFE && INTEGERS.contains(&float) {
        return Number::from_f64(float)?.to_string().parse().ok();
    }
    #[expect(clippy::cast_possible_truncation, reason = "a whole number of 64 bits")]
    (float.fract() == 0.0 && INTEGERS.contains(&float)).then_some(float as i128)
}

/// The exact value.
pub(super) fn to_number(number: &serde_json::Number, digits: Digits<'_>) -> Option<Number> {
    digits.of(number).cloned().or_else(|| Number::from_payload(number))
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
    use serde_json::{Value, json};

    use super::*;
    use crate::ExactPayload;
    use crate::instance::is_integer;

    const TREE: Digits<'static> = Digits::OF_TREE;

    fn number(value: &Value) -> serde_json::Number {
        value.as_number().unwrap().clone()
    }

    #[test]
    fn numbers_compare_by_the_value_that_they_print() {
        for (payload, limit, expected) in [
            (json!(1.0), "1", Ordering::Equal),
            (json!(9_007_199_254_740_993_u64), "9007199254740992", Ordering::Greater),
            (json!(9_007_199_254_740_993_u64), "9007199254740993", Ordering::Equal),
            (json!(9_007_199_254_740_992.0), "9007199254740993", Ordering::Less),
            (json!(u64::MAX), "18446744073709551616", Ordering::Less),
            (json!(0.1), "0.1", Ordering::Equal),
            (json!(0.1), "0.10000000000000000555", Ordering::Less),
            (json!(0.1), "0.1000000000000000055511151231257827021181583404541015625", Ordering::Less),
            (json!(-0.0), "0", Ordering::Equal),
            (json!(1e300), "1e300", Ordering::Equal),
            (json!(5e-324), "0", Ordering::Greater),
            (json!(5e-324), "4.9406564584124655e-324", Ordering::Greater),
        ] {
            assert_eq!(compare(&number(&payload), &limit.parse().unwrap(), TREE), expected, "{payload} {limit}");
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

    /// Decimals near each other, of which some are equal, and some have the same binary64.
    fn decimals() -> impl Strategy<Value = String> {
        let whole =
            prop_oneof![Just("0"), Just("9007199254740992"), Just("9223372036854775807"), Just("18446744073709551615")];
        let fraction =
            prop_oneof![Just(""), Just(".0"), Just(".5"), Just(".00000000000000000001"), Just(".1"), Just(".10")];
        let exponent = prop_oneof![Just(""), Just("e0"), Just("e-1"), Just("E+2")];
        (any::<bool>(), whole, fraction, exponent).prop_map(|(minus, whole, fraction, exponent)| {
            format!("{}{whole}{fraction}{exponent}", if minus { "-" } else { "" })
        })
    }

    proptest! {
        #[test]
        fn the_fast_comparison_agrees_with_the_exact_one(a in numbers(), b in numbers()) {
            let (a, b) = (a.as_number().unwrap(), Number::from_payload(b.as_number().unwrap()).unwrap());
            prop_assert_eq!(compare(a, &b, TREE), Number::from_payload(a).unwrap().cmp(&b));
        }

        #[test]
        fn the_digits_of_a_text_decide(a in decimals(), b in decimals()) {
            let payload = ExactPayload::parse(a.as_bytes()).unwrap();
            let (a, b): (Number, Number) = (a.parse().unwrap(), b.parse().unwrap());
            let number = payload.value().as_number().unwrap();
            prop_assert_eq!(compare(number, &b, payload.digits()), a.cmp(&b));
            prop_assert_eq!(is_integer(number, payload.digits()), a.is_integer());
            for divisor in ["1", "0.3", "0.00000000000000000001", "18446744073709551615", "18446744073709551615.1"] {
                let divisor = Divisor::new(divisor.parse().unwrap());
                prop_assert_eq!(is_multiple(number, &divisor, payload.digits()), a.is_multiple_of(divisor.number()));
            }
            prop_assert_eq!(to_number(number, payload.digits()), Some(a));
        }

        #[test]
        fn numbers_of_a_tree_are_equal_as_integers_if_they_are_equal(a in numbers(), b in numbers()) {
            let (a, b) = (a.as_number().unwrap(), b.as_number().unwrap());
            if let (Some(x), Some(y)) = (to_integer(a, TREE), to_integer(b, TREE)) {
                prop_assert_eq!(x == y, Number::from_payload(a) == Number::from_payload(b));
            }
        }

        #[test]
        fn is_integer_agrees_with_the_shortest_decimal(a in numbers()) {
            let exact = Number::from_payload(a.as_number().unwrap()).unwrap();
            prop_assert_eq!(is_integer(a.as_number().unwrap(), TREE), exact.is_integer());
        }
    }
}
