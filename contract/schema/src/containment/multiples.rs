//! The simplest number that is a multiple of some numbers and not of others.

use super::budget::Budget;
use super::number::Range;
use super::solve::Gap;
use crate::Number;
use crate::natural::Natural;

/// Bounds with more digits are not divided, because the time grows with the square of their length. Divisors cannot
/// have more.
const MAX_DIGITS: usize = 1000;

/// The most multiples that are tried for one number of decimal places. Usual bounds need a few; without a limit,
/// negations of `multipleOf` could exclude very many in a row.
const MAX_TRIES: usize = 10_000;

const BUDGET: Gap = "the budget of the comparison";
const TOO_LONG: Gap = "a number with more than 1000 digits next to `multipleOf`";
const TOO_MANY: Gap = "the number of negations of `multipleOf`";

/// The least common multiple of some numbers, as an integer times 10^-scale.
enum Common {
    /// The list is empty.
    Nothing,
    Of(Natural),
    /// It is too large for a number, so that only zero is a multiple of all of them.
    Huge,
}

impl Range {
    /// The number of the fewest decimal places that is closest to zero, positive rather than negative, of a range with
    /// divisors.
    ///
    /// With at most n decimal places, the multiples of all divisors are the multiples of one number, the *unit*. From
    /// the one nearest to zero, one after the other is tried.
    pub(super) fn simplest_multiple(&self, budget: &mut Budget) -> Result<Option<Number>, Gap> {
        if self.allows(&Number::ZERO) {
            return Ok(Some(Number::ZERO));
        }
        let limits = [self.low(), self.high()].into_iter().flatten();
        let digits = |number: &Number| number.parts().map_or(0, |(_, digits, _)| digits.len());
        let longest = self.divisors().chain(self.non_divisors()).chain(limits).map(digits).max().unwrap_or(0);
        if longest > MAX_DIGITS {
            return Err(TOO_LONG);
        }
        let scale = self.divisors().chain(self.non_divisors()).map(Number::scale).max().unwrap_or(0).max(0);
        let common = match self.common_multiple(scale, budget)? {
            Common::Huge => return Ok(None),
            Common::Nothing => None,
            Common::Of(common) => Some(common),
        };
        let mut last = None;
        for places in 0..=if common.is_some() { scale } else { Range::MAX_PLACES } {
            let (unit, scale) = match &common {
                Some(common) => (common.common_multiple(&power_of_ten(scale - places)), scale),
                None => (power_of_ten(scale.max(places) - places), scale.max(places)),
            };
            if !budget.spend(work(unit.length())) {
                return Err(BUDGET);
            }
            if common.is_some() && last.as_ref() == Some(&unit) {
                continue;
            }
            if let Some(found) = self.with_unit(&unit, scale, budget)? {
                return Ok(Some(found));
            }
            last = Some(unit);
        }
        Ok(None)
    }

    fn common_multiple(&self, scale: i64, budget: &mut Budget) -> Result<Common, Gap> {
        let mut common: Option<Natural> = None;
        for divisor in self.divisors().filter_map(|divisor| divisor.scaled(scale)) {
            let next = common.map_or(divisor.clone(), |common| common.common_multiple(&divisor));
            if !budget.spend(work(next.length())) {
                return Err(BUDGET);
            }
            if number("", &next, scale).is_none() {
                return Ok(Common::Huge);
            }
            common = Some(next);
        }
        Ok(common.map_or(Common::Nothing, Common::Of))
    }

    /// The allowed multiple of a number that is closest to zero.
    fn with_unit(&self, unit: &Natural, scale: i64, budget: &mut Budget) -> Result<Option<Number>, Gap> {
        let is_excluded = |unit: &Number| self.non_divisors().any(|divisor| unit.is_multiple_of(divisor));
        if number("", unit, scale).is_none_or(|unit| is_excluded(&unit)) {
            return Ok(None);
        }
        // A multiple k of the unit is excluded if k is a multiple of one of n integers greater than 1, or if it is
        // listed. 1 and -1 are multiples of no such integer, so the multiples of n integers do not cover all integers,
        // and by a theorem of Crittenden and Vanden Eynden (1969) they do not cover 2^n consecutive ones. The limits
        // and zero are tried in addition.
        let windows = 1_usize.checked_shl(u32::try_from(self.non_divisors().count()).unwrap_or(u32::MAX));
        let tries = windows.and_then(|windows| windows.checked_mul(self.excluded.len() + 4));
        let (mut factor, mut signs) = self.nearest_factor(unit, scale);
        for _ in 0..tries.unwrap_or(MAX_TRIES).min(MAX_TRIES) {
            if !budget.spend(20 + self.excluded.len() as u64 + work(unit.length()) / 10) {
                return Err(BUDGET);
            }
            let product = factor.times(unit);
            let mut found = None;
            signs.retain(|sign| match number(sign, &product, scale) {
                Some(number) => {
                    let is_within = self.is_between(&number) || self.is_limit(&number);
                    if found.is_none() && self.allows(&number) {
                        found = Some(number);
                    }
                    is_within
                }
                // Numbers that are too small for a binary64 come before those that are not.
                None => i64::try_from(product.length()).is_ok_and(|length| length < scale),
            });
            if found.is_some() {
                return Ok(found);
            }
            if signs.is_empty() {
                return Ok(None);
            }
            factor = factor.plus(1);
        }
        Err(TOO_MANY)
    }

    /// The factor of the multiple within the bounds that is nearest to zero, and the signs of the multiples.
    fn nearest_factor(&self, unit: &Natural, scale: i64) -> (Natural, Vec<&'static str>) {
        let least = |limit: &Number| {
            let (whole, is_exact) = whole(limit, scale);
            let (quotient, rest) = whole.divide(unit);
            if is_exact && rest.is_zero() { quotient } else { quotient.plus(1) }
        };
        match (self.low(), self.high()) {
            (Some(low), _) if *low > Number::ZERO => (least(low), vec![""]),
            (_, Some(high)) if high.is_negative() => (least(high), vec!["-"]),
            _ => (Natural::ZERO, vec!["", "-"]),
        }
    }
}

/// Steps for dividing numbers of that many digits until nothing is left.
fn work(digits: usize) -> u64 {
    let digits = digits as u64;
    1 + digits * digits / 100
}

fn power_of_ten(exponent: i64) -> Natural {
    Natural::power_of_ten(usize::try_from(exponent).unwrap_or(0))
}

/// An integer times 10^-scale; `None` if it is outside the range of binary64.
fn number(sign: &str, integer: &Natural, scale: i64) -> Option<Number> {
    if integer.is_zero() {
        return Some(Number::ZERO);
    }
    format!("{sign}{}e-{scale}", integer.digits()).parse().ok()
}

/// The integer part of a number's magnitude times 10^scale, and whether nothing is missing.
fn whole(number: &Number, scale: i64) -> (Natural, bool) {
    let Some((_, digits, exponent)) = number.parts() else { return (Natural::ZERO, true) };
    let kept = usize::try_from(exponent.saturating_add(scale)).unwrap_or(0);
    match digits.get(..kept) {
        Some(head) => (Natural::new(head, 0), head.len() == digits.len()),
        None => (Natural::new(digits, kept - digits.len()), true),
    }
}
