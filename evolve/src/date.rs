//! Days of the calendar.

use std::fmt;
use std::str::FromStr;

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
pub struct Date {
    year: u16,
    month: u16,
    day: u16,
}

/// A text that is not a day in the form `YYYY-MM-DD`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidDate;

impl Date {
    /// The day that is this many days after 1970-01-01, such as the number of whole days of a Unix time. Days after 9999-12-31 are that
    /// day.
    pub fn from_days(days: u64) -> Self {
        let mut rest = days;
        for year in 1970..=9999 {
            for month in 1..=12 {
                let length = u64::from(length(year, month));
                if rest < length {
                    return Self { year, month, day: u16::try_from(rest + 1).unwrap_or(1) };
                }
                rest -= length;
            }
        }
        Self { year: 9999, month: 12, day: 31 }
    }
}

impl FromStr for Date {
    type Err = InvalidDate;

    /// Reads `YYYY-MM-DD` ([RFC 3339](https://www.rfc-editor.org/rfc/rfc3339), `full-date`).
    fn from_str(text: &str) -> Result<Self, InvalidDate> {
        let parts: Vec<&str> = text.split('-').collect();
        let [year, month, day] = parts.as_slice() else { return Err(InvalidDate) };
        let number = |text: &str, digits: usize| {
            let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
            if is_number { text.parse::<u16>().map_err(|_| InvalidDate) } else { Err(InvalidDate) }
        };
        let (year, month, day) = (number(year, 4)?, number(month, 2)?, number(day, 2)?);
        let is_valid = (1..=12).contains(&month) && day >= 1 && day <= length(year, month);
        if is_valid { Ok(Self { year, month, day }) } else { Err(InvalidDate) }
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

/// The number of days of a month.
fn length(year: u16, month: u16) -> u16 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_1970() {
        for (days, text) in [(0, "1970-01-01"), (59, "1970-03-01"), (11_016, "2000-02-29"), (20_778, "2026-11-21")] {
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
