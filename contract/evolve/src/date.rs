//! Days of the calendar.

use std::fmt;
use std::str::FromStr;

use time::{Duration, Month, OffsetDateTime};

/// A day of the proleptic Gregorian calendar, from the year 0 to 9999. Earlier days are less.
///
/// ```
/// use capgen_evolve::Date;
/// let date: Date = "2024-02-29".parse()?;
/// assert_eq!(date.to_string(), "2024-02-29");
/// assert!("2023-02-29".parse::<Date>().is_err());
/// assert_eq!(Date::from_days(19_782), date);
/// # Ok::<(), capgen_evolve::InvalidDate>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Date(time::Date);

/// A text that is not a day in the form `YYYY-MM-DD`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidDate;

/// The days from 1970-01-01 to 9999-12-31.
const MOST_DAYS: i64 = 2_932_896;

impl Date {
    /// The day that is this many days after 1970-01-01, such as the number of whole days of a Unix time. Days after 9999-12-31 are that
    /// day.
    pub fn from_days(days: u64) -> Self {
        let days = i64::try_from(days).unwrap_or(MOST_DAYS).min(MOST_DAYS);
        Self(OffsetDateTime::UNIX_EPOCH.date().saturating_add(Duration::days(days)))
    }
}

impl FromStr for Date {
    type Err = InvalidDate;

    /// Reads `YYYY-MM-DD` ([RFC 3339](https://www.rfc-editor.org/rfc/rfc3339), `full-date`).
    fn from_str(text: &str) -> Result<Self, InvalidDate> {
        read(text).map(Self).ok_or(InvalidDate)
    }
}

fn read(text: &str) -> Option<time::Date> {
    let parts: Vec<&str> = text.splitn(4, '-').collect();
    let [year, month, day] = parts.as_slice() else { return None };
    let month = u8::try_from(number(month, 2)?).ok()?;
    let day = u8::try_from(number(day, 2)?).ok()?;
    time::Date::from_calendar_date(number(year, 4)?.into(), Month::try_from(month).ok()?, day).ok()
}

fn number(text: &str, digits: usize) -> Option<u16> {
    let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.0.to_calendar_date();
        write!(f, "{year:04}-{:02}-{day:02}", u8::from(month))
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
    fn only_days_of_the_calendar_are_read() {
        for text in
            ["2026-1-01", "2026-13-01", "2026-00-01", "2026-04-31", "2026-01-00", "+026-01-01", "2026-01-01T", ""]
        {
            assert_eq!(text.parse::<Date>(), Err(InvalidDate), "{text}");
        }
    }
}
