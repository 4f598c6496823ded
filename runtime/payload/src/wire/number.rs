//! Numbers in a JSON text ([RFC 8259 section 6](https://www.rfc-editor.org/rfc/rfc8259#section-6)).

use capgen_schema::{JsonCursor, Number};
use serde::Serializer;
use serde_json::Value;

/// A number in the representations of `serde_json::Number`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Numeral {
    Natural(u64),
    /// Below zero.
    Negative(i64),
    /// A finite number that has a fraction or an exponent, does not fit into 64 bits, or is `-0`.
    Float(f64),
}

/// Reads the number at the position; `None` if there is no number, or one outside the range of binary64.
///
/// Nearly all numbers are short integers, whose value is computed while their digits are read. The cursor reads the
/// others.
#[inline]
pub(super) fn scan(cursor: &mut JsonCursor<'_>) -> Option<Numeral> {
    let bytes = cursor.text().as_bytes();
    let at = cursor.at();
    let is_negative = bytes.get(at) == Some(&b'-');
    let first = at + usize::from(is_negative);
    let mut end = first;
    let mut value: u64 = 0;
    while let Some(digit) = bytes.get(end).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        end += 1;
    }
    let digits = end - first;
    if digits == 0 || (digits > 1 && bytes.get(first) == Some(&b'0')) {
        return None;
    }
    cursor.advance(end - at);
    let is_integer = !matches!(bytes.get(end), Some(b'.' | b'e' | b'E'));
    if !is_integer || digits > 18 || (is_negative && value == 0) {
        return scan_slowly(cursor, at, is_integer);
    }
    #[expect(clippy::cast_possible_wrap, reason = "18 digits are below 2^63")]
    let numeral = if is_negative { Numeral::Negative(-(value as i64)) } else { Numeral::Natural(value) };
    Some(numeral)
}

/// Reads a number that is not a short integer. It starts at `start`, and the cursor is after its integer part.
#[cold]
fn scan_slowly(cursor: &mut JsonCursor<'_>, start: usize, is_integer: bool) -> Option<Numeral> {
    cursor.fraction()?;
    let numeral = cursor.since(start);
    if is_integer {
        if let Ok(natural) = numeral.parse() {
            return Some(Numeral::Natural(natural));
        }
        if let Ok(negative @ ..0) = numeral.parse() {
            return Some(Numeral::Negative(negative));
        }
    }
    let float: f64 = numeral.parse().ok()?;
    float.is_finite().then_some(Numeral::Float(float))
}

/// More significant digits than this may be rounded by binary64.
const FEW_DIGITS: usize = f64::DIGITS as usize;

/// The exact value of a number in JSON's grammar, which parses to `float`.
pub(super) fn exact(text: &str, float: f64) -> Option<Number> {
    // A number that underflows is zero.
    text.parse().ok().or_else(|| Number::from_f64(float))
}

impl Numeral {
    /// Whether the number, whose text has this length, may be written with another value after it has been read as
    /// binary64: it may have been rounded, or it is one of those that are not written as the shortest decimal. `false`
    /// for nearly all numbers that keep their value.
    #[inline]
    pub(super) fn may_change(self, length: usize) -> bool {
        matches!(self, Self::Float(float)
            if length > FEW_DIGITS || float.is_subnormal() || float.abs() >= Number::MAX_EXACT_INTEGER)
    }

    /// The integer of at most 64 bits with this text, if the number is rounded; otherwise the number itself. A tree
    /// then keeps the value of such an integer in every notation.
    #[cold]
    pub(super) fn or_integer(self, text: &str) -> Self {
        if !Number::is_rounded_text(text) {
            return self;
        }
        let exact = text.parse::<Number>().ok();
        let natural = exact.as_ref().and_then(Number::as_u64).map(Self::Natural);
        natural.or_else(|| exact?.as_i64().map(Self::Negative)).unwrap_or(self)
    }

    pub(super) fn to_value(self) -> Value {
        match self {
            Self::Natural(natural) => Value::from(natural),
            Self::Negative(negative) => Value::from(negative),
            Self::Float(float) => Value::from(float),
        }
    }

    pub(super) fn serialize<S: Serializer>(self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Natural(natural) => serializer.serialize_u64(natural),
            Self::Negative(negative) => serializer.serialize_i64(negative),
            Self::Float(float) => serializer.serialize_f64(float),
        }
    }

    /// The number as an integer, if it is one that fits and is written without a fraction or an exponent.
    #[inline]
    pub(super) fn to_integer<T: TryFrom<u64> + TryFrom<i64>>(self) -> Option<T> {
        match self {
            Self::Natural(natural) => T::try_from(natural).ok(),
            Self::Negative(negative) => T::try_from(negative).ok(),
            Self::Float(_) => None,
        }
    }

    /// The number as binary64, if that represents it exactly.
    #[inline]
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "the comparison detects a loss")]
    pub(super) fn to_float(self) -> Option<f64> {
        match self {
            Self::Natural(natural) => Some(natural as f64).filter(|float| *float as u128 == u128::from(natural)),
            Self::Negative(negative) => Some(negative as f64).filter(|float| *float as i128 == i128::from(negative)),
            Self::Float(float) => Some(float),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_by_serde_json() {
        let texts = [
            "0",
            "-0",
            "1",
            "-1",
            "01",
            "-",
            "+1",
            "1.",
            ".5",
            "1.5",
            "1e3",
            "1E-3",
            "1e",
            "1e+",
            "1e400",
            "-1e400",
            "1e-400",
            "123456789012345678",
            "1234567890123456789",
            "9223372036854775807",
            "-9223372036854775808",
            "-9223372036854775809",
            "18446744073709551615",
            "18446744073709551616",
            "100000000000000000000000",
            "0.1",
            "00",
            "0.30000000000000004",
            "9007199254740993.0",
            "5e-324",
            "1.7976931348623157e308",
            "2e308",
            "0x1",
            "1_0",
            "-00",
        ];
        for text in texts {
            let expected = serde_json::from_str::<Value>(text).ok();
            let mut cursor = JsonCursor::new(text, 0);
            let found = scan(&mut cursor).filter(|_| cursor.at() == text.len()).map(Numeral::to_value);
            assert_eq!(found, expected, "{text}");
        }
    }
}
