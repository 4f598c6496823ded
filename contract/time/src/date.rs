//! Days of the calendar.

use std::fmt;
use std::str::FromStr;

use crate::digits::Digits;

/// A day of the proleptic Gregorian calendar, from the year 0 to 9999. Earlier days are less.
///
/// ```
/// use capgen_time::Date;
/// let date: Date = "2024-02-29".parse()?;
/// assert_eq!(date.to_string(), "2024-02-29");
/// assert!("2023-02-29".parse::<Date>().is_err());
/// assert_eq!(Date::from_days(19_782), date);
/// # Ok::<(), capgen_time::InvalidDate>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Date {
    year: i32,
    month: i32,
    day: i32,
}

/// A text that is not a day in the form `YYYY-MM-DD`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidDate;

/// The days from 1970-01-01 to 9999-12-31.
const MAX_DAYS: i64 = 2_932_896;

/// The days from 1970-01-01 to 0000-01-01.
const MIN_DAYS: i64 = -719_528;

/// The days from 0000-03-01 to 1970-01-01. Years are counted from March, so that February 29 is the last day of a year.
const DAYS_BEFORE_1970: i64 = 719_468;

/// The days of 400 years, after which the calendar repeats.
const DAYS_OF_CYCLE: i64 = 146_097;

impl Date {
    /// The day that is this many days after 1970-01-01, such as the number of whole days of a Unix time. Days after
    /// 9999-12-31 are that day.
    #[must_use]
    pub fn from_days(days: u64) -> Self {
        Self::nearest(i64::try_from(days).unwrap_or(MAX_DAYS))
    }

    /// The day, in UTC, of a Unix time in ms.
    ///
    /// ```
    /// use capgen_time::Date;
    /// assert_eq!(Date::of_unix_ms(1_709_210_096_789).to_string(), "2024-02-29");
    /// ```
    #[must_use]
    pub fn of_unix_ms(ms: u64) -> Self {
        // A day of Unix time has no leap seconds.
        const MS_OF_A_DAY: u64 = 24 * 60 * 60 * 1000;
        Self::from_days(ms / MS_OF_A_DAY)
    }

    /// The day that is this many days after 1970-01-01, or the nearest one from 0000-01-01 to 9999-12-31.
    ///
    /// The algorithm is `civil_from_days` of <https://howardhinnant.github.io/date_algorithms.html>.
    pub(crate) fn nearest(days: i64) -> Self {
        let days = days.clamp(MIN_DAYS, MAX_DAYS) + DAYS_BEFORE_1970;
        let (cycle, day_of_cycle) = (days.div_euclid(DAYS_OF_CYCLE), days.rem_euclid(DAYS_OF_CYCLE));
        // Without the leap days of 4, 100 and 400 years, every year has 365 days.
        let leap_days = day_of_cycle / 1460 - day_of_cycle / 36_524 + day_of_cycle / 146_096;
        let year_of_cycle = (day_of_cycle - leap_days) / 365;
        let day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
        // From March on, five months have 153 days.
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = cycle * 400 + year_of_cycle + i64::from(month <= 2);
        let small = |number: i64| i32::try_from(number).unwrap_or_default();
        Self { year: small(year), month: small(month), day: small(day) }
    }

    /// The days from 1970-01-01 to this day; negative before it. The inverse of [`nearest`](Self::nearest).
    pub(crate) fn days(self) -> i64 {
        let (month, day) = (i64::from(self.month), i64::from(self.day));
        let year = i64::from(self.year) - i64::from(month <= 2);
        let (cycle, year_of_cycle) = (year.div_euclid(400), year.rem_euclid(400));
        let month_from_march = if month > 2 { month - 3 } else { month + 9 };
        let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
        let day_of_cycle = year_of_cycle * 365 + year_of_cycle / 4 - year_of_cycle / 100 + day_of_year;
        cycle * DAYS_OF_CYCLE + day_of_cycle - DAYS_BEFORE_1970
    }

    /// Reads `YYYY-MM-DD` at the start of a text; `None` if there is no such day.
    pub(crate) fn read(text: &mut Digits<'_>) -> Option<Self> {
        let year = text.number(4)?;
        text.byte(b'-')?;
        let month = text.number(2)?;
        text.byte(b'-')?;
        let day = text.number(2)?;
        (1..=days_in(year, month)).contains(&day).then_some(Self { year, month, day })
    }
}

fn days_in(year: i32, month: i32) -> i32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}

impl FromStr for Date {
    type Err = InvalidDate;

    /// Reads `YYYY-MM-DD` ([RFC 3339](https://www.rfc-editor.org/rfc/rfc3339), `full-date`).
    fn from_str(text: &str) -> Result<Self, InvalidDate> {
        let mut text = Digits(text.as_bytes());
        Self::read(&mut text).filter(|_| text.0.is_empty()).ok_or(InvalidDate)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl fmt::Display for InvalidDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a day in the form YYYY-MM-DD")
    }
}

impl std::error::Error for InvalidDate {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_1970() {
        for (days, text) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_778, "2026-11-21"),
            (2_932_896, "9999-12-31"),
        ] {
            assert_eq!(Date::from_days(days).to_string(), text);
        }
        assert_eq!(Date::from_days(u64::MAX).to_string(), "9999-12-31");
    }

    #[test]
    fn every_day_follows_the_one_before_it() {
        let mut before = Date::nearest(MIN_DAYS);
        assert_eq!(before.to_string(), "0000-01-01");
        for days in MIN_DAYS + 1..=MAX_DAYS {
            let date = Date::nearest(days);
            assert_eq!(date.days(), days);
            let next = if before.day < days_in(before.year, before.month) {
                Date { day: before.day + 1, ..before }
            } else if before.month < 12 {
                Date { month: before.month + 1, day: 1, ..before }
            } else {
                Date { year: before.year + 1, month: 1, day: 1 }
            };
            assert_eq!(date, next);
            before = date;
        }
        assert_eq!(before.to_string(), "9999-12-31");
    }

    #[test]
    fn only_days_of_the_calendar_are_read() {
        for text in
            ["2026-1-01", "2026-13-01", "2026-00-01", "2026-04-31", "2026-01-00", "+026-01-01", "2026-01-01T", ""]
        {
            assert_eq!(text.parse::<Date>(), Err(InvalidDate), "{text}");
        }
    }
}
