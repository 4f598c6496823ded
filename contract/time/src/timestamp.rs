//! Times as text.

use std::fmt;
use std::str::FromStr;

use crate::Date;
use crate::digits::Digits;

/// Unix time has no leap seconds, so every day has as many.
const SECONDS_OF_A_DAY: i64 = 24 * 60 * 60;

/// A time as a text of [RFC 3339 section 5.6](https://www.rfc-editor.org/rfc/rfc3339#section-5.6) (`date-time`).
/// Earlier times are less.
///
/// It is displayed in UTC with three digits after the second, whatever the offset and the digits of the text that was
/// read.
///
/// ```
/// use capgen_time::Timestamp;
/// let time: Timestamp = "2024-02-29T13:34:56.78999+01:00".parse()?;
/// assert_eq!(time.to_string(), "2024-02-29T12:34:56.789Z");
/// assert_eq!(time.to_ms(), Some(1_709_210_096_789));
/// # Ok::<(), capgen_time::InvalidTimestamp>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Timestamp {
    /// The seconds since 1970; negative before it.
    seconds: i64,
    nanoseconds: u32,
}

/// A text that is not a `date-time`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidTimestamp;

impl Timestamp {
    /// The last time of the year 9999 in whole ms. The notation has no later years.
    pub const LAST: Self = Self { seconds: 253_402_300_799, nanoseconds: 999_000_000 };

    /// The Unix time in ms; `None` after the year 9999.
    #[must_use]
    pub fn from_ms(ms: u64) -> Option<Self> {
        let seconds = i64::try_from(ms / 1000).ok()?;
        let milliseconds = u32::try_from(ms % 1000).ok()?;
        Some(Self { seconds, nanoseconds: milliseconds * 1_000_000 }).filter(|time| *time <= Self::LAST)
    }

    /// The Unix time in ms, rounded down; `None` before 1970.
    #[must_use]
    pub fn to_ms(self) -> Option<u64> {
        let seconds = u64::try_from(self.seconds).ok()?;
        Some(seconds * 1000 + u64::from(self.nanoseconds / 1_000_000))
    }
}

/// A time of the day in UTC.
struct TimeOfDay {
    /// From the start of the day; an offset can move it to another day.
    minutes: i32,
    second: i32,
    nanoseconds: u32,
}

impl TimeOfDay {
    /// Reads a `full-time` up to the end of the text; `None` if it is invalid.
    fn read(text: &mut Digits<'_>) -> Option<Self> {
        let hour = text.number(2).filter(|hour| *hour < 24)?;
        text.byte(b':')?;
        let minute = text.number(2).filter(|minute| *minute < 60)?;
        text.byte(b':')?;
        let second = text.number(2)?;
        let fraction = if text.byte(b'.').is_some() { text.fraction()? } else { 0 };
        let minutes = hour * 60 + minute - text.offset()?;
        // A leap second is the last second of a day in UTC, so the time is converted with its offset.
        let is_leap_second = second == 60 && minutes.rem_euclid(24 * 60) == 24 * 60 - 1;
        if !text.0.is_empty() || (second >= 60 && !is_leap_second) {
            return None;
        }
        // Unix times have no leap seconds: it is the end of the second before it.
        let (second, nanoseconds) = if is_leap_second { (59, 999_999_999) } else { (second, fraction) };
        Some(Self { minutes, second, nanoseconds })
    }
}

/// Whether a text is a `full-time` of [RFC 3339 section 5.6](https://www.rfc-editor.org/rfc/rfc3339#section-5.6): a
/// time of the day with its offset, as in a `date-time`.
///
/// ```
/// assert!(capgen_time::is_time("23:59:60Z") && capgen_time::is_time("12:00:00.5+01:00"));
/// assert!(!capgen_time::is_time("12:00:00") && !capgen_time::is_time("22:59:60Z"));
/// ```
#[must_use]
pub fn is_time(text: &str) -> bool {
    TimeOfDay::read(&mut Digits(text.as_bytes())).is_some()
}

/// Reads the whole text; `None` if it is invalid.
fn read(text: &mut Digits<'_>) -> Option<Timestamp> {
    let date = Date::read(text)?;
    text.letter(b'T')?;
    let TimeOfDay { minutes, second, nanoseconds } = TimeOfDay::read(text)?;
    let seconds = date.days() * SECONDS_OF_A_DAY + i64::from(minutes) * 60 + i64::from(second);
    Some(Timestamp { seconds, nanoseconds })
}

impl FromStr for Timestamp {
    type Err = InvalidTimestamp;

    /// Reads a `date-time`. `t` and `z` may be lowercase. A space instead of `T` is rejected: section 5.6 mentions it
    /// for readability, but the grammar does not include it. Digits after the ninth of a fraction are dropped.
    fn from_str(text: &str) -> Result<Self, InvalidTimestamp> {
        read(&mut Digits(text.as_bytes())).ok_or(InvalidTimestamp)
    }
}

impl fmt::Display for Timestamp {
    /// `YYYY-MM-DDThh:mm:ss.mmmZ`, rounded down. The few times that an offset moves out of the years 0 to 9999 have the
    /// nearest date.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = Date::nearest(self.seconds.div_euclid(SECONDS_OF_A_DAY));
        let second = self.seconds.rem_euclid(SECONDS_OF_A_DAY);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(f, "{date}T{hour:02}:{minute:02}:{second:02}.{:03}Z", self.nanoseconds / 1_000_000)
    }
}

impl fmt::Display for InvalidTimestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a time of RFC 3339")
    }
}

impl std::error::Error for InvalidTimestamp {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_date_times_are_accepted() {
        for text in [
            "1963-06-19T08:30:06.283185Z",
            "0000-01-01T00:00:00Z",
            "9999-12-31t23:59:59z",
            "2020-02-29T00:00:00+23:59",
            "2000-02-29T00:00:00-00:00",
            "2021-01-01T00:00:00.000000000000000000001Z",
        ] {
            assert!(text.parse::<Timestamp>().is_ok(), "{text}");
        }
    }

    #[test]
    fn leap_seconds_are_accepted_at_the_end_of_a_day_in_utc() {
        for text in [
            "1998-12-31T23:59:60Z",
            "1998-12-31T15:59:60.123-08:00",
            "1999-01-01T00:59:60+01:00",
            "1998-12-31T23:59:60.9+00:00",
        ] {
            assert!(text.parse::<Timestamp>().is_ok(), "{text}");
        }
        for text in
            ["1998-12-31T23:59:61Z", "1998-12-31T23:58:60Z", "1998-12-31T22:59:60Z", "1998-12-31T23:59:60+01:00"]
        {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }

    #[test]
    fn invalid_date_times_are_rejected() {
        for text in [
            "",
            "2021-01-01",
            "2021-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2021-00-01T00:00:00Z",
            "2021-13-01T00:00:00Z",
            "2021-04-31T00:00:00Z",
            "2021-01-00T00:00:00Z",
            "2021-01-01T24:00:00Z",
            "2021-01-01T00:60:00Z",
            "2021-01-01T00:00:60Z",
            "2021-01-01T00:00:00",
            "2021-01-01T00:00:00.Z",
            "2021-01-01T00:00:00+24:00",
            "2021-01-01T00:00:00+0000",
            "2021-01-01T00:00:00+00:60",
            "2021-01-01T00:00:00+00",
            "2021-01-01 00:00:00Z",
            "2021-1-01T00:00:00Z",
            "+2021-01-01T00:00:00Z",
            "-001-01-01T00:00:00Z",
            "12021-01-01T00:00:00Z",
            "2021-01-01T00:00Z",
            "2021-01-01T00:00:00Zx",
            "2021-01-01T00:00:00Z\n",
            "٢٠٢١-01-01T00:00:00Z",
            "2021-01-01T00:00:0é",
        ] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }

    #[test]
    fn times_are_moments_of_utc() {
        let second = 1_798_761_599_000;
        for (text, ms) in [
            ("2026-12-31T23:59:59Z", second),
            ("2026-12-31t23:59:59.9999z", second + 999),
            ("2026-12-31T18:59:59.000999999999-05:00", second),
            ("2027-01-01T23:58:59+23:59", second),
            // A leap second is the end of the second before it.
            ("2026-12-31T23:59:60Z", second + 999),
        ] {
            assert_eq!(text.parse::<Timestamp>().unwrap().to_ms(), Some(ms), "{text}");
        }
        assert_eq!("1970-01-01T00:00:00+00:01".parse::<Timestamp>().unwrap().to_ms(), None);
    }

    #[test]
    fn times_are_displayed_in_utc_with_three_digits() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_210_096_789, "2024-02-29T12:34:56.789Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] {
            let time = Timestamp::from_ms(ms).unwrap();
            assert_eq!(time.to_string(), text);
            assert_eq!(text.parse(), Ok(time));
        }
        assert_eq!(Timestamp::from_ms(253_402_300_799_999), Some(Timestamp::LAST));
        assert_eq!(Timestamp::from_ms(253_402_300_800_000), None);
        assert_eq!(Timestamp::from_ms(u64::MAX), None);
        for (text, shown) in [
            ("0000-01-01T00:00:00.5Z", "0000-01-01T00:00:00.500Z"),
            ("0000-01-01T00:00:00+00:01", "0000-01-01T23:59:00.000Z"),
            ("9999-12-31T23:59:59-00:01", "9999-12-31T00:00:59.000Z"),
        ] {
            assert_eq!(text.parse::<Timestamp>().unwrap().to_string(), shown);
        }
    }

    #[test]
    fn earlier_times_are_less() {
        let ascending = [
            "1969-12-31T23:59:59.9Z",
            "1970-01-01T00:00:00Z",
            "2026-01-01T00:30:00+01:00",
            "2026-01-01T00:00:00.000000001Z",
            "2026-01-01T00:00:00.1Z",
        ];
        assert!(ascending.map(|text| text.parse::<Timestamp>().unwrap()).is_sorted_by(|a, b| a < b));
    }
}
