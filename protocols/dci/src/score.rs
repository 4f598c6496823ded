//! Scores.

use std::iter::Sum;
use std::ops::{Add, Sub};

use serde::{Serialize, Serializer};

/// A score, penalty or factor: an integer multiple of 10^-9 (decision 17), so that sums and comparisons are exact on
/// every machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Score(i64);

impl Score {
    /// 0.
    pub const ZERO: Score = Score(0);
    /// 1.
    pub const ONE: Score = Score(Self::UNITS);
    // Scores are multiples of 10^-9 (decision 17).
    const UNITS: i64 = 1_000_000_000;

    /// A number of thousandths.
    pub const fn thousandths(n: i64) -> Self {
        Self(n * (Self::UNITS / 1000))
    }

    /// The number of multiples of 10^-9.
    pub const fn units(self) -> i64 {
        self.0
    }

    /// `numerator / denominator`, rounded half to even. A denominator of 0 gives 0.
    pub fn ratio(numerator: i128, denominator: i128) -> Self {
        Self::rounded(numerator.saturating_mul(i128::from(Self::UNITS)), denominator)
    }

    /// The quotient of two finite numbers, rounded half to even. It is 0 if the divisor is not positive.
    pub fn quotient(dividend: f64, divisor: f64) -> Self {
        if divisor > 0.0 { Self::from_f64(dividend / divisor) } else { Self::ZERO }
    }

    /// The nearest score to a number, rounded half to even, between 0 and 1.
    pub fn from_f64(number: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "the number is between 0 and 1")]
        Self((number.clamp(0.0, 1.0) * 1e9).round_ties_even() as i64)
    }

    /// The product, rounded half to even.
    pub fn times(self, factor: Score) -> Self {
        Self::rounded(i128::from(self.0) * i128::from(factor.0), i128::from(Self::UNITS))
    }

    /// The sum of products with weights in thousandths, rounded half to even once.
    pub fn weighted<const N: usize>(parts: [(i64, Score); N]) -> Self {
        let sum: i128 = parts.iter().map(|(weight, score)| i128::from(*weight) * i128::from(score.0)).sum();
        Self::rounded(sum, 1000)
    }

    /// `dividend / divisor` in multiples of 10^-9, rounded half to even.
    fn rounded(dividend: i128, divisor: i128) -> Self {
        Self(i64::try_from(half_even(dividend, divisor)).unwrap_or(i64::MAX))
    }

    /// The number for reports: rounded half to even to at most 6 decimals (decision 17).
    pub fn shown(self) -> serde_json::Value {
        let millionths = half_even(i128::from(self.0), 1000);
        let integer = i64::try_from(millionths / 1_000_000).unwrap_or(i64::MAX);
        if millionths % 1_000_000 == 0 {
            return integer.into();
        }
        // The nearest binary64 of at most 6 decimals prints these decimals again.
        #[expect(clippy::cast_precision_loss, reason = "scores are small")]
        (millionths as f64 / 1e6).into()
    }
}

/// `dividend / divisor`, rounded half to even; 0 if the divisor is 0. The divisor is not negative.
fn half_even(dividend: i128, divisor: i128) -> i128 {
    if divisor == 0 {
        return 0;
    }
    let quotient = dividend.div_euclid(divisor);
    let twice = dividend.rem_euclid(divisor).saturating_mul(2);
    let is_up = twice > divisor || (twice == divisor && quotient % 2 != 0);
    quotient + i128::from(is_up)
}

impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.shown().serialize(serializer)
    }
}

impl Add for Score {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Score {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Sum for Score {
    fn sum<I: Iterator<Item = Self>>(scores: I) -> Self {
        scores.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_rounded_to_even() {
        assert_eq!(half_even(5, 10), 0);
        assert_eq!(half_even(15, 10), 2);
        assert_eq!(half_even(-5, 10), 0);
        assert_eq!(half_even(26, 10), 3);
        assert_eq!(Score::ratio(1, 3).units(), 333_333_333);
        assert_eq!(Score::ratio(2, 3).units(), 666_666_667);
        assert_eq!(Score::weighted([(1, Score(500)), (1, Score::ZERO)]).units(), 0);
    }

    #[test]
    fn reports_have_at_most_six_decimals() {
        let shown = |units| Score(units).shown().to_string();
        assert_eq!(shown(1_000_000_000), "1");
        assert_eq!(shown(0), "0");
        assert_eq!(shown(333_333_333), "0.333333");
        assert_eq!(shown(500), "0");
        assert_eq!(shown(1_500), "2e-6");
        assert_eq!(shown(450_000_000), "0.45");
    }
}
