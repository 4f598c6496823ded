//! Numbers between bounds: whether there is one, and the simplest.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::budget::Budget;
use super::solve::Gap;
use crate::Number;

/// The numbers that some assertions allow.
#[derive(Clone, Debug, Default)]
pub(super) struct Range {
    /// The least number, and whether it is excluded.
    low: Option<(Number, bool)>,
    high: Option<(Number, bool)>,
    /// `Some(true)` for integers only, `Some(false)` for numbers with a fraction only.
    pub(super) integer: Option<bool>,
    pub(super) excluded: BTreeSet<Number>,
    /// Every number is a multiple of these.
    multiple_of: Vec<Number>,
    /// No number is a multiple of one of these.
    not_multiple_of: Vec<Number>,
}

pub(super) static ONE: LazyLock<Number> = LazyLock::new(|| Number::from(1_i64));

impl Range {
    /// More decimal places than the difference of two binary64s of similar magnitude can need.
    pub(super) const MAX_PLACES: i64 = 700;

    pub(super) fn at_least(&mut self, limit: &Number, exclusive: bool) {
        let is_stricter = |(low, is_open): &(Number, bool)| limit > low || (limit == low && exclusive && !is_open);
        if self.low.as_ref().is_none_or(is_stricter) {
            self.low = Some((limit.clone(), exclusive));
        }
    }

    pub(super) fn at_most(&mut self, limit: &Number, exclusive: bool) {
        let is_stricter = |(high, is_open): &(Number, bool)| limit < high || (limit == high && exclusive && !is_open);
        if self.high.as_ref().is_none_or(is_stricter) {
            self.high = Some((limit.clone(), exclusive));
        }
    }

    /// Only the multiples of a number, or only the others.
    pub(super) fn multiple_of(&mut self, divisor: &Number, positive: bool) {
        if positive {
            self.multiple_of.push(divisor.clone());
        } else {
            self.not_multiple_of.push(divisor.clone());
        }
    }

    /// Whether every number is a multiple of the divisor, or none; `None` if that is not obvious.
    pub(super) fn is_multiple_of(&self, divisor: &Number, budget: &mut Budget) -> Option<bool> {
        let known = self.divisors().chain(self.non_divisors());
        let work = known.map(|known| known.work_to_divide_by(divisor) + divisor.work_to_divide_by(known)).sum();
        if !budget.spend(work) {
            return None;
        }
        if self.divisors().any(|known| known.is_multiple_of(divisor)) {
            return Some(true);
        }
        self.non_divisors().any(|known| divisor.is_multiple_of(known)).then_some(false)
    }

    /// The numbers of which every number is a multiple: 1 for integers.
    pub(super) fn divisors(&self) -> impl Iterator<Item = &Number> {
        self.multiple_of.iter().chain((self.integer == Some(true)).then_some(&*ONE))
    }

    /// The numbers of which no number is a multiple.
    pub(super) fn non_divisors(&self) -> impl Iterator<Item = &Number> {
        self.not_multiple_of.iter().chain((self.integer == Some(false)).then_some(&*ONE))
    }

    /// Whether no number is within the bounds, whatever its kind.
    pub(super) fn is_empty(&self) -> bool {
        let (Some((low, low_open)), Some((high, high_open))) = (&self.low, &self.high) else { return false };
        low > high || (low == high && (*low_open || *high_open))
    }

    /// Whether every number within the bounds is at least the limit.
    pub(super) fn is_at_least(&self, limit: &Number, exclusive: bool) -> bool {
        let is_within = |(low, is_open): &(Number, bool)| low > limit || (low == limit && (*is_open || !exclusive));
        self.low.as_ref().is_some_and(is_within)
    }

    /// Whether every number within the bounds is at most the limit.
    pub(super) fn is_at_most(&self, limit: &Number, exclusive: bool) -> bool {
        let is_within = |(high, is_open): &(Number, bool)| high < limit || (high == limit && (*is_open || !exclusive));
        self.high.as_ref().is_some_and(is_within)
    }

    /// The least number, which may be excluded.
    pub(super) fn low(&self) -> Option<&Number> {
        self.low.as_ref().map(|(low, _)| low)
    }

    /// The greatest number, which may be excluded.
    pub(super) fn high(&self) -> Option<&Number> {
        self.high.as_ref().map(|(high, _)| high)
    }

    /// Whether a number is within the bounds.
    pub(super) fn is_between(&self, number: &Number) -> bool {
        let above = |(low, is_open): &(Number, bool)| number > low || (number == low && !is_open);
        let below = |(high, is_open): &(Number, bool)| number < high || (number == high && !is_open);
        self.low.as_ref().is_none_or(above) && self.high.as_ref().is_none_or(below)
    }

    /// Whether a number is a bound.
    pub(super) fn is_limit(&self, number: &Number) -> bool {
        self.low() == Some(number) || self.high() == Some(number)
    }

    /// Whether a number meets all assertions.
    pub(super) fn allows(&self, number: &Number) -> bool {
        self.is_between(number)
            && self.integer.is_none_or(|integer| number.is_integer() == integer)
            && self.multiple_of.iter().all(|divisor| number.is_multiple_of(divisor))
            && !self.not_multiple_of.iter().any(|divisor| number.is_multiple_of(divisor))
            && !self.excluded.contains(number)
    }

    /// The number of the fewest decimal places that is closest to zero, positive rather than negative; `None` if no
    /// number fits.
    pub(super) fn simplest(&self, budget: &mut Budget) -> Result<Option<Number>, Gap> {
        if self.is_empty() {
            return Ok(None);
        }
        if let (Some(low), Some(high)) = (self.low(), self.high())
            && low == high
        {
            return Ok(self.allows(low).then(|| low.clone()));
        }
        if !self.multiple_of.is_empty() || !self.not_multiple_of.is_empty() {
            return self.simplest_multiple(budget);
        }
        let most = if self.integer == Some(true) { 0 } else { Self::MAX_PLACES };
        let least = i64::from(self.integer == Some(false));
        Ok((least..=most).find_map(|places| self.with_places(places)))
    }

    /// The number closest to zero with at most that many decimal places.
    fn with_places(&self, places: i64) -> Option<Number> {
        // The numbers with n decimal places are integers divided by 10^n. From the one nearest to zero, one after the
        // other is tried; only excluded numbers, and those of the wrong kind, are skipped. Of ten neighbours, at most
        // one is an integer.
        let start = self.nearest_to_zero(places);
        let tries = 2 * self.excluded.len() + 4;
        let mut up = Some(start.clone());
        let mut down = Some(start);
        for _ in 0..tries {
            for (next, is_up) in [(&mut up, true), (&mut down, false)] {
                let Some(number) = next.take() else { continue };
                if self.allows(&number) {
                    return Some(number);
                }
                *next = step(&number, places, is_up);
            }
        }
        None
    }

    /// The multiple of 10^-places within the bounds that is closest to zero, if the bounds contain one.
    fn nearest_to_zero(&self, places: i64) -> Number {
        if let Some((low, _)) = &self.low
            && !low.is_negative()
            && *low != Number::ZERO
        {
            return low.rounded(places, true);
        }
        match &self.high {
            Some((high, _)) if high.is_negative() => high.rounded(places, false),
            _ => Number::ZERO,
        }
    }
}

/// The next multiple of 10^-places.
fn step(number: &Number, places: i64, is_up: bool) -> Option<Number> {
    let scaled = number.shifted(places)?;
    let text = scaled.to_string();
    let (sign, digits) = text.strip_prefix('-').map_or((false, text.as_str()), |digits| (true, digits));
    let next = match (sign, is_up) {
        (false, true) | (true, false) => format!("{}{}", if sign { "-" } else { "" }, increment(digits)),
        (true, true) => format!("-{}", decrement(digits)),
        (false, false) if digits == "0" => "-1".to_owned(),
        (false, false) => decrement(digits),
    };
    next.parse::<Number>().ok()?.shifted(-places)
}

/// A decimal integer plus one.
fn increment(digits: &str) -> String {
    let mut digits: Vec<u8> = digits.bytes().collect();
    for digit in digits.iter_mut().rev() {
        if *digit == b'9' {
            *digit = b'0';
        } else {
            *digit += 1;
            return String::from_utf8(digits).unwrap_or_default();
        }
    }
    format!("1{}", String::from_utf8(digits).unwrap_or_default())
}

/// A positive decimal integer minus one.
fn decrement(digits: &str) -> String {
    let mut digits: Vec<u8> = digits.bytes().collect();
    for digit in digits.iter_mut().rev() {
        if *digit == b'0' {
            *digit = b'9';
        } else {
            *digit -= 1;
            break;
        }
    }
    let text = String::from_utf8(digits).unwrap_or_default();
    let trimmed = text.trim_start_matches('0');
    if trimmed.is_empty() { "0".to_owned() } else { trimmed.to_owned() }
}

impl Number {
    /// This number times 10^places; `None` if it leaves the range of binary64.
    fn shifted(&self, places: i64) -> Option<Number> {
        if *self == Number::ZERO {
            return Some(Number::ZERO);
        }
        self.parts().and_then(|(sign, digits, exponent)| {
            format!("{sign}0.{digits}e{}", exponent.saturating_add(places)).parse().ok()
        })
    }

    /// The multiple of 10^-places next to this number, above or below it.
    fn rounded(&self, places: i64, up: bool) -> Number {
        let Some((sign, digits, exponent)) = self.parts() else { return Number::ZERO };
        let kept = exponent.saturating_add(places);
        if i64::try_from(digits.len()).is_ok_and(|length| length <= kept) {
            return self.clone();
        }
        let kept = usize::try_from(kept).unwrap_or(0);
        let head = digits.get(..kept).filter(|head| !head.is_empty()).unwrap_or("0");
        let away = up != self.is_negative();
        let whole = if away { increment(head) } else { head.to_owned() };
        let text = format!("{sign}{whole}e{}", -places);
        text.parse().unwrap_or(Number::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n(text: &str) -> Number {
        text.parse().unwrap()
    }

    fn simplest(
        low: Option<(&str, bool)>,
        high: Option<(&str, bool)>,
        integer: Option<bool>,
        excluded: &[&str],
    ) -> String {
        let mut range = Range { integer, excluded: excluded.iter().map(|text| n(text)).collect(), ..Range::default() };
        low.iter().for_each(|(text, open)| range.at_least(&n(text), *open));
        high.iter().for_each(|(text, open)| range.at_most(&n(text), *open));
        range
            .simplest(&mut Budget::new(1_000_000))
            .unwrap()
            .map_or_else(|| "none".to_owned(), |number| number.to_string())
    }

    #[test]
    fn the_simplest_number_is_an_integer_close_to_zero() {
        for (low, high, integer, excluded, expected) in [
            (None, None, None, vec![], "0"),
            (None, None, None, vec!["0"], "1"),
            (None, None, None, vec!["0", "1"], "-1"),
            (None, None, Some(false), vec![], "0.1"),
            (None, None, Some(false), vec!["0.1"], "-0.1"),
            (Some(("5", true)), None, None, vec![], "6"),
            (Some(("5", false)), None, None, vec![], "5"),
            (Some(("5.5", false)), None, Some(true), vec![], "6"),
            (Some(("5", true)), Some(("6", true)), None, vec![], "5.1"),
            (Some(("5", true)), Some(("6", true)), Some(true), vec![], "none"),
            (Some(("5.2", true)), Some(("5.3", true)), None, vec![], "5.21"),
            (None, Some(("-5", true)), None, vec![], "-6"),
            (None, Some(("-5.5", true)), Some(false), vec![], "-5.6"),
            (Some(("9007199254740993", true)), Some(("9007199254740995", true)), None, vec![], "9007199254740994"),
            (Some(("0.1", false)), Some(("0.1", false)), None, vec![], "0.1"),
            (Some(("0.1", false)), Some(("0.1", false)), Some(true), vec![], "none"),
            (Some(("1e300", true)), None, Some(true), vec![], &format!("1{}1", "0".repeat(299))),
            (Some(("1", false)), Some(("2", false)), None, vec!["1", "2"], "1.1"),
            (Some(("99", true)), None, None, vec![], "100"),
            (None, Some(("-99", true)), None, vec![], "-100"),
        ] {
            assert_eq!(simplest(low, high, integer, &excluded), expected, "{low:?} {high:?} {integer:?} {excluded:?}");
        }
    }
}
