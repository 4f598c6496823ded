//! Exact decimal numbers.
//!
//! A schema's `maximum: 9007199254740992` must reject 9007199254740993, although both round to the same binary64. So
//! numbers of schemas are decimals of any precision. Payloads arrive through parsers that may have rounded already;
//! [`Number`] documents how such a number compares.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A JSON number with its exact mathematical value, of any precision.
///
/// `1`, `1.0` and `1e0` are equal. The value is always within the range of binary64: a `Number` is never `1e400`, which
/// overflows, or `1e-400`, which underflows to zero.
///
/// In a `serde_json::Value`, a number that is not a 64-bit integer is a binary64. It counts as the shortest decimal
/// that parses to it, which is also the decimal that serde_json and JavaScript print: `0.1` equals `0.1`, and not the
/// exact value of its binary64. An [`ExactPayload`](crate::ExactPayload) keeps the digits of numbers that are longer.
///
/// ```
/// use capgen_schema::Number;
/// let big: Number = "9007199254740993".parse()?;
/// assert!(big > "9007199254740992".parse()?);
/// assert_eq!("1.50".parse::<Number>()?, "15e-1".parse()?);
/// # Ok::<(), capgen_schema::NumberError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Number {
    negative: bool,
    /// Decimal digits without leading or trailing zeros; empty for zero.
    digits: String,
    /// The value is `0.digits × 10^exponent`.
    exponent: i64,
    /// The nearest binary64. Stored because most comparisons with a payload can be decided by it.
    float: f64,
}

/// The reason why a text is not a [`Number`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NumberError {
    /// Not a number in JSON's grammar ([RFC 8259 section 6](https://www.rfc-editor.org/rfc/rfc8259#section-6)).
    Syntax,
    /// The number overflows or underflows binary64.
    Range,
}

impl Number {
    /// 2^53. Every integer up to this magnitude is a binary64, and every binary64 from this magnitude on is an integer,
    /// which may be the result of rounding.
    pub const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

    /// Zero.
    pub const ZERO: Number = Number { negative: false, digits: String::new(), exponent: 0, float: 0.0 };

    /// The shortest decimal that parses to `float`, and of several the closest, as serde_json and JavaScript print it;
    /// `None` for infinities and NaN.
    pub fn from_f64(float: f64) -> Option<Self> {
        // The standard library breaks ties differently: it prints 900719925474099.25 with `.3` at the end, the others
        // with `.2`.
        serde_json::Number::from_f64(float)?.to_string().parse().ok()
    }

    /// The exact value of `float`, which has up to 1074 digits after the decimal point; `None` for infinities and NaN.
    pub fn exact(float: f64) -> Option<Self> {
        // For the smallest exponent, the last bit of the mantissa has the value 2^-1074. Each step of the exponent
        // doubles it. A multiple of 2^-n has at most n decimal places.
        let exponent = usize::try_from(float.to_bits() >> 52 & 0x7ff).unwrap_or(0).max(1);
        let places = 1075_usize.saturating_sub(exponent);
        if float.is_finite() { format!("{float:.places$}").parse().ok() } else { None }
    }

    /// Compares a payload's binary64 with this number of a schema. The binary64 counts as the shortest decimal that
    /// parses to it. Infinities and NaN are greater than any number.
    pub fn compare_float(&self, float: f64) -> Ordering {
        // Decimals of at most 15 digits parse to different binary64s (in the normal range). So if this number is one of
        // them and parses to `float`, it is the shortest decimal of `float`. This avoids the conversions below for
        // typical numbers.
        if float == self.float && self.digits.len() <= f64::DIGITS as usize && float.is_normal() {
            return Ordering::Equal;
        }
        Number::from_f64(float).map_or(Ordering::Greater, |shortest| shortest.cmp(self))
    }

    /// The number of a payload: a 64-bit integer, or the shortest decimal of the nearest binary64. serde_json's feature
    /// `arbitrary_precision`, which any crate of a build can enable, does not change it. `None` if the number is
    /// outside of binary64's range, which can only happen with that feature.
    pub fn from_payload(number: &serde_json::Number) -> Option<Self> {
        if let Some(n) = number.as_i64() {
            Some(n.into())
        } else if let Some(n) = number.as_u64() {
            Some(n.into())
        } else {
            Self::from_f64(number.as_f64()?)
        }
    }

    /// Whether some binary64 equals this number, as [`compare_float`](Self::compare_float) compares: whether the number
    /// can be parsed to binary64 and printed again without a change of its value.
    pub fn is_representable(&self) -> bool {
        self.compare_float(self.float).is_eq()
    }

    /// The nearest binary64, always finite.
    pub fn as_f64(&self) -> f64 {
        self.float
    }

    /// The value as an `i64`, if the conversion is exact.
    pub fn as_i64(&self) -> Option<i64> {
        if self.is_integer() { self.to_string().parse().ok() } else { None }
    }

    /// The value as a `u64`, if the conversion is exact.
    pub fn as_u64(&self) -> Option<u64> {
        if self.is_integer() { self.to_string().parse().ok() } else { None }
    }

    /// Whether the number has no fractional part. `1.0` and `1e3` have none.
    pub fn is_integer(&self) -> bool {
        self.scale() <= 0
    }

    /// Whether the number is less than zero. `-0` is not.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// The sign, the digits and the exponent: the value is `0.digits × 10^exponent`. `None` for zero.
    pub(crate) fn parts(&self) -> Option<(&'static str, &str, i64)> {
        let sign = if self.negative { "-" } else { "" };
        (!self.digits.is_empty()).then_some((sign, self.digits.as_str(), self.exponent))
    }

    /// The number of digits after the decimal point. If negative, the number of zeros at the end of the integer.
    pub(crate) fn scale(&self) -> i64 {
        i64::try_from(self.digits.len()).unwrap_or(i64::MAX).saturating_sub(self.exponent)
    }

    /// The non-negative number `0.digits × 10^exponent`, normalised: equal values have equal fields.
    fn unsigned(digits: &str, exponent: i64, float: f64) -> Self {
        let significant = digits.trim_start_matches('0');
        let leading = i64::try_from(digits.len() - significant.len()).unwrap_or(i64::MAX);
        let digits = significant.trim_end_matches('0');
        if digits.is_empty() {
            return Self::ZERO;
        }
        Number { negative: false, digits: digits.to_owned(), exponent: exponent.saturating_sub(leading), float }
    }

    /// Compares without the signs.
    pub(crate) fn cmp_magnitude(&self, other: &Self) -> Ordering {
        match (self.digits.is_empty(), other.digits.is_empty()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => self.exponent.cmp(&other.exponent).then_with(|| self.digits.cmp(&other.digits)),
        }
    }
}

impl std::str::FromStr for Number {
    type Err = NumberError;

    /// Parses a number in JSON's grammar. Takes time linear in the length of `text`, whatever its exponent.
    fn from_str(text: &str) -> Result<Self, NumberError> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (unsigned, None),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (mantissa, None),
        };
        let is_digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        let exponent_digits = exponent.map(|e| e.strip_prefix(['+', '-']).unwrap_or(e));
        if !is_digits(whole)
            || (whole.len() > 1 && whole.starts_with('0'))
            || fraction.is_some_and(|f| !is_digits(f))
            || exponent_digits.is_some_and(|e| !is_digits(e))
        {
            return Err(NumberError::Syntax);
        }
        let float: f64 = text.parse().map_err(|_| NumberError::Syntax)?;
        let fraction = fraction.unwrap_or_default();
        let is_zero = whole.bytes().chain(fraction.bytes()).all(|b| b == b'0');
        if !float.is_finite() || (float == 0.0 && !is_zero) {
            return Err(NumberError::Range);
        }
        if is_zero {
            return Ok(Self::ZERO);
        }
        // The value is in range and not zero, so the exponent is at most about the number of digits plus 324. It fits.
        let exponent: i64 = exponent.map_or(Ok(0), str::parse).map_err(|_| NumberError::Range)?;
        let point = i64::try_from(whole.len()).map_err(|_| NumberError::Range)?;
        let mut number = Self::unsigned(&format!("{whole}{fraction}"), exponent.saturating_add(point), float);
        number.negative = text.starts_with('-');
        Ok(number)
    }
}

impl From<i64> for Number {
    fn from(n: i64) -> Self {
        let digits = n.unsigned_abs().to_string();
        let mut number = Self::unsigned(&digits, i64::try_from(digits.len()).unwrap_or(0), n as f64);
        number.negative = n < 0;
        number
    }
}

impl From<u64> for Number {
    fn from(n: u64) -> Self {
        let digits = n.to_string();
        Self::unsigned(&digits, i64::try_from(digits.len()).unwrap_or(0), n as f64)
    }
}

impl Ord for Number {
    /// Compares by mathematical value.
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.cmp_magnitude(other),
            (true, true) => other.cmp_magnitude(self),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.negative, &self.digits, self.exponent).hash(state);
    }
}

impl fmt::Display for Number {
    /// Writes the number as in [RFC 8785 section 3.2.2.3](https://www.rfc-editor.org/rfc/rfc8785#section-3.2.2.3),
    /// except that all digits are kept even if binary64 cannot represent them, and that integers have no exponent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.digits.is_empty() {
            return f.write_str("0");
        }
        if self.negative {
            f.write_str("-")?;
        }
        let digits = self.digits.as_str();
        let zeros = |n: i64| "0".repeat(usize::try_from(n).unwrap_or(0));
        if self.is_integer() {
            return write!(f, "{digits}{}", zeros(-self.scale()));
        }
        if self.exponent > 0 {
            let (whole, fraction) = digits.split_at(usize::try_from(self.exponent).unwrap_or(0));
            return write!(f, "{whole}.{fraction}");
        }
        if self.exponent > -6 {
            return write!(f, "0.{}{digits}", zeros(-self.exponent));
        }
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        write!(f, "{first}{point}{rest}e{}", self.exponent - 1)
    }
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NumberError::Syntax => "not a JSON number",
            NumberError::Range => "the number is outside the range of binary64",
        })
    }
}

impl std::error::Error for NumberError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn n(text: &str) -> Number {
        text.parse().unwrap()
    }

    #[test]
    fn numbers_are_equal_by_value_not_by_notation() {
        for (a, b) in [("1", "1.0"), ("100", "1e2"), ("-0", "0.000e7"), ("0.001", "1E-3"), ("12.50", "1250e-2")] {
            assert_eq!(n(a), n(b), "{a} {b}");
        }
    }

    #[test]
    fn order_is_exact_beyond_binary64() {
        let ascending =
            ["-1e300", "-10", "-9.5", "-0.001", "0", "1e-300", "0.5", "9007199254740992", "9007199254740993", "1e16"];
        for pair in ascending.windows(2) {
            assert!(n(pair[0]) < n(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn display_follows_rfc_8785_and_keeps_all_digits_of_integers() {
        for (text, expected) in [
            ("1.0", "1"),
            ("-0.0", "0"),
            ("1e21", "1000000000000000000000"),
            ("9007199254740993", "9007199254740993"),
            ("0.000001", "0.000001"),
            ("1e-7", "1e-7"),
            ("1.5e-9", "1.5e-9"),
            ("-123.456", "-123.456"),
        ] {
            assert_eq!(n(text).to_string(), expected);
        }
    }

    #[test]
    fn invalid_and_out_of_range_texts_are_rejected() {
        for text in ["", "-", "01", "+1", ".5", "1.", "1e", "0x1", "1e+", "Infinity", "NaN", "1_0"] {
            assert_eq!(text.parse::<Number>(), Err(NumberError::Syntax), "{text}");
        }
        for text in ["1e400", "-1e999999999999999999999", "1e-400"] {
            assert_eq!(text.parse::<Number>(), Err(NumberError::Range), "{text}");
        }
        assert_eq!(n("0e999999999999999999999"), Number::ZERO);
    }

    #[test]
    fn the_shortest_decimal_is_the_one_that_javascript_prints() {
        for (float, shortest) in [(900_719_925_474_099.2, "900719925474099.2"), (5e-324, "5e-324"), (1e23, "1e23")] {
            assert_eq!(Number::from_f64(float), Some(n(shortest)));
        }
        assert!(n("900719925474099.2").is_representable() && !n("900719925474099.3").is_representable());
    }

    #[test]
    fn integers_convert_only_if_exact() {
        assert_eq!(n("9223372036854775807").as_i64(), Some(i64::MAX));
        assert_eq!(n("9223372036854775808").as_i64(), None);
        assert_eq!(n("18446744073709551615").as_u64(), Some(u64::MAX));
        assert_eq!(n("1e3").as_u64(), Some(1000));
        assert_eq!(n("1.5").as_i64(), None);
    }
}
