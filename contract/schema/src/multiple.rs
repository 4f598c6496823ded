//! `multipleOf`: whether a number is a multiple of another, by their decimal digits.
//!
//! Division of binary64s is not exact: `0.3 / 0.1` is not an integer, and `1e308 / 0.123456789` overflows.

use crate::Number;
use crate::natural::Natural;

impl Number {
    /// Whether this number divided by `divisor` is an integer, by mathematical value. Zero is a multiple of every other
    /// number; nothing is a multiple of zero.
    ///
    /// Takes time proportional to the product of the numbers of digits, whatever the exponents are.
    ///
    /// ```
    /// use capgen_schema::Number;
    /// let number = |text: &str| text.parse::<Number>();
    /// assert!(number("0.3")?.is_multiple_of(&number("0.1")?));
    /// assert!(!number("7")?.is_multiple_of(&number("2.5")?));
    /// # Ok::<(), capgen_schema::NumberError>(())
    /// ```
    pub fn is_multiple_of(&self, divisor: &Number) -> bool {
        let Some((_, divisor_digits, _)) = divisor.parts() else { return false };
        let Some((_, digits, _)) = self.parts() else { return true };
        if self.cmp_magnitude(divisor).is_lt() {
            return false;
        }
        // Both numbers are integers times a power of ten. If the divisor's power is greater, the integer of this number
        // would have to be a multiple of ten, but it does not end with a zero.
        let Ok(zeros) = usize::try_from(divisor.scale().saturating_sub(self.scale())) else { return false };
        match divisor_digits.parse() {
            Ok(divisor) => remainder(digits, zeros, divisor) == 0,
            Err(_) => Natural::new(digits, zeros).divide(&Natural::new(divisor_digits, 0)).1.is_zero(),
        }
    }

    /// The least positive number that is a multiple of both of two positive numbers; `None` if it is outside the range
    /// of binary64, or if one of them has more than 100 digits.
    ///
    /// ```
    /// use capgen_schema::Number;
    /// let number = |text: &str| text.parse::<Number>();
    /// assert_eq!(number("2.5")?.common_multiple(&number("1.5")?), Some(number("7.5")?));
    /// # Ok::<(), capgen_schema::NumberError>(())
    /// ```
    pub fn common_multiple(&self, other: &Number) -> Option<Number> {
        /// Euclid's algorithm takes time that grows with the square of the length. Usual divisors have a few digits.
        const MAX_DIGITS: usize = 100;
        let is_short = |number: &Number| number.parts().is_some_and(|(_, digits, _)| digits.len() <= MAX_DIGITS);
        if !is_short(self) || !is_short(other) {
            return None;
        }
        let scale = self.scale().max(other.scale());
        let multiple = self.scaled(scale)?.common_multiple(&other.scaled(scale)?);
        format!("{}e{}", multiple.digits(), -scale).parse().ok()
    }

    /// A measure of the time that [`is_multiple_of`](Self::is_multiple_of) takes: about one for numbers of usual
    /// length.
    pub(crate) fn work_to_divide_by(&self, divisor: &Number) -> u64 {
        let length = |number: &Number| number.parts().map_or(0, |(_, digits, _)| digits.len() as u64);
        // An exponent adds up to 700 zeros.
        1 + (length(self) + 700) * length(divisor) / 10_000
    }

    /// The number as an integer times 10^-scale; `None` if it has more decimal places. The sign is dropped.
    pub(crate) fn scaled(&self, scale: i64) -> Option<Natural> {
        let Some((_, digits, _)) = self.parts() else { return Some(Natural::ZERO) };
        let zeros = usize::try_from(scale.saturating_sub(self.scale())).ok()?;
        Some(Natural::new(digits, zeros))
    }
}

/// The remainder of a number, given by its decimal digits followed by some zeros.
fn remainder(digits: &str, zeros: usize, divisor: u64) -> u64 {
    /// The most digits whose number is less than 2^64.
    const CHUNK: usize = 19;
    let divisor = u128::from(divisor);
    // Less than 2^64 times 10^19, plus less than 10^19.
    let append = |rest: u128, chunk: u128, length: usize| {
        (rest * 10_u128.pow(u32::try_from(length).unwrap_or(0)) + chunk) % divisor
    };
    let mut rest = 0;
    for chunk in digits.as_bytes().chunks(CHUNK) {
        let number = chunk.iter().fold(0, |number, digit| number * 10 + u128::from(digit.wrapping_sub(b'0')));
        rest = append(rest, number, chunk.len());
    }
    let mut zeros = zeros;
    while zeros > 0 && rest > 0 {
        let length = zeros.min(CHUNK);
        rest = append(rest, 0, length);
        zeros -= length;
    }
    u64::try_from(rest).unwrap_or(0)
}

/// The value of `multipleOf`, prepared for many payloads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Divisor {
    number: Number,
    /// The number itself, if it is an integer of 64 bits.
    integer: Option<u64>,
}

impl Divisor {
    /// A divisor; a number other than a positive one has no multiples.
    pub fn new(number: Number) -> Self {
        Self { integer: number.as_u64().filter(|integer| *integer > 0), number }
    }

    /// The number.
    pub fn number(&self) -> &Number {
        &self.number
    }

    /// Whether an integer is a multiple.
    #[inline]
    pub fn divides_integer(&self, integer: i128) -> bool {
        match self.integer {
            Some(divisor) => match u64::try_from(integer.unsigned_abs()) {
                Ok(integer) => integer.is_multiple_of(divisor),
                Err(_) => integer.unsigned_abs().is_multiple_of(u128::from(divisor)),
            },
            None => integer.to_string().parse().is_ok_and(|number| self.divides(&number)),
        }
    }

    /// Whether a binary64 is a multiple. It counts as the shortest decimal that parses to it.
    #[inline]
    pub fn divides_float(&self, float: f64) -> bool {
        if float.fract() == 0.0 && float.abs() < Number::MAX_EXACT_INTEGER {
            #[expect(clippy::cast_possible_truncation, reason = "an integer of at most 53 bits")]
            return self.divides_integer(i128::from(float as i64));
        }
        // An integer has only integers as multiples.
        let is_fraction = float.abs() < Number::MAX_EXACT_INTEGER;
        !(is_fraction && self.integer.is_some()) && Number::from_f64(float).is_some_and(|number| self.divides(&number))
    }

    /// Whether a number is a multiple.
    pub fn divides(&self, number: &Number) -> bool {
        !self.number.is_negative() && number.is_multiple_of(&self.number)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;

    fn n(text: &str) -> Number {
        text.parse().unwrap()
    }

    #[test]
    fn multiples_are_exact_for_all_digits_and_exponents() {
        for (number, divisor, expected) in [
            ("0", "5", true),
            ("-0.0", "0.1", true),
            ("10", "5", true),
            ("7", "5", false),
            ("-10", "5", true),
            ("0.3", "0.1", true),
            ("0.30000000000000004", "0.1", false),
            ("4.35", "0.01", true),
            ("1.1", "0.1", true),
            ("7.5", "2.5", true),
            ("7", "2.5", false),
            ("0.0075", "0.0001", true),
            ("0.00751", "0.0001", false),
            ("1e300", "7", false),
            ("1e300", "8", true),
            ("1e300", "1e-300", true),
            ("1e-300", "1e300", false),
            ("1e308", "0.5", true),
            ("1e308", "0.123456789", false),
            ("9007199254740993", "3", true),
            ("9007199254740992", "3", false),
            ("123456789012345678901234567890", "12345678901234567890123456789", true),
            ("123456789012345678901234567891", "12345678901234567890123456789", false),
            ("246913578024691357802469135780.2", "123456789012345678901234567890.1", true),
            ("246913578024691357802469135780.3", "123456789012345678901234567890.1", false),
            ("5e-324", "5e-324", true),
            ("2", "4", false),
            ("20", "40", false),
            ("100", "1e2", true),
            ("1", "0", false),
        ] {
            assert_eq!(n(number).is_multiple_of(&n(divisor)), expected, "{number} {divisor}");
            assert_eq!(Divisor::new(n(divisor)).divides(&n(number)), expected, "{number} {divisor}");
        }
    }

    #[test]
    fn the_time_is_bounded_by_the_digits() {
        let start = Instant::now();
        let long = |digits: usize| format!("{}.{}", "7".repeat(300), "3".repeat(digits));
        n(&long(100_000)).is_multiple_of(&n("3e-323"));
        n(&long(100_000)).is_multiple_of(&n("0.123456789"));
        n(&long(20_000)).is_multiple_of(&n(&long(10_000)));
        n("1e308").is_multiple_of(&n(&format!("0.{}", "1".repeat(10_000))));
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    }

    proptest! {
        #[test]
        fn products_are_multiples(factor in 1..u64::MAX, digits in 1..u64::MAX, exponent in -300..250_i32) {
            let divisor = n(&format!("{digits}e{exponent}"));
            let product = u128::from(factor) * u128::from(digits);
            let [positive, negative, next] =
                [format!("{product}"), format!("-{product}"), format!("{}", product + 1)].map(|digits| n(&format!("{digits}e{exponent}")));
            prop_assert!(positive.is_multiple_of(&divisor) && negative.is_multiple_of(&divisor));
            prop_assert_eq!(next.is_multiple_of(&divisor), digits == 1);
        }

        #[test]
        fn fast_paths_agree_with_the_digits(
            integer in any::<i64>(), shift in 0..64_u32, float in any::<f64>(), divisor in 1..200_u64, places in 0..4,
        ) {
            let divisor = Divisor::new(n(&format!("{divisor}e-{places}")));
            let integer = integer >> shift;
            prop_assert_eq!(divisor.divides_integer(integer.into()), Number::from(integer).is_multiple_of(divisor.number()));
            for float in [float, integer as f64, integer as f64 / 8.0] {
                let Some(number) = Number::from_f64(float) else { continue };
                prop_assert_eq!(divisor.divides_float(float), number.is_multiple_of(divisor.number()));
            }
        }
    }
}
