//! `date-time` of [RFC 3339 section 5.6](https://www.rfc-editor.org/rfc/rfc3339#section-5.6).

/// Whether `text` is a valid `date-time`. `t` and `z` may be lowercase. A space instead of `T` is rejected: section 5.6 mentions
/// it for readability, but the grammar does not include it.
pub(super) fn is_date_time(text: &str) -> bool {
    read(&mut Reader(text.as_bytes())).is_some()
}

/// Reads the whole text; `None` if it is invalid.
fn read(text: &mut Reader<'_>) -> Option<()> {
    let year = text.number(4)?;
    text.byte(b'-')?;
    let month = text.number(2)?;
    text.byte(b'-')?;
    let day = text.number(2)?;
    text.letter(b'T')?;
    let hour = text.number(2).filter(|hour| *hour < 24)?;
    text.byte(b':')?;
    let minute = text.number(2).filter(|minute| *minute < 60)?;
    text.byte(b':')?;
    let second = text.number(2)?;
    if text.byte(b'.').is_some() {
        text.digits()?;
    }
    let offset = text.offset()?;
    let is_date = (1..=days_in(year, month)).contains(&day);
    // A leap second is the last second of a day in UTC, so the time is converted with its offset.
    let is_last_minute = (hour * 60 + minute - offset).rem_euclid(24 * 60) == 24 * 60 - 1;
    let is_time = second < 60 || (second == 60 && is_last_minute);
    (is_date && is_time && text.0.is_empty()).then_some(())
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

/// The rest of the text.
struct Reader<'t>(&'t [u8]);

impl Reader<'_> {
    fn byte(&mut self, expected: u8) -> Option<()> {
        self.0 = self.0.strip_prefix(&[expected])?;
        Some(())
    }

    /// An ASCII letter in upper or lower case.
    fn letter(&mut self, expected: u8) -> Option<()> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        first.eq_ignore_ascii_case(&expected).then_some(())
    }

    fn number(&mut self, digits: usize) -> Option<i32> {
        let (number, rest) = self.0.split_at_checked(digits)?;
        self.0 = rest;
        number.iter().try_fold(0, |n, b| b.is_ascii_digit().then(|| n * 10 + i32::from(b - b'0')))
    }

    /// One or more digits.
    fn digits(&mut self) -> Option<()> {
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.0 = self.0.get(count..)?;
        (count > 0).then_some(())
    }

    /// The offset from UTC in minutes.
    fn offset(&mut self) -> Option<i32> {
        let sign = match self.0.first()? {
            b'+' => 1,
            b'-' => -1,
            _ => return self.letter(b'Z').map(|()| 0),
        };
        self.0 = self.0.get(1..)?;
        let hours = self.number(2).filter(|hours| *hours < 24)?;
        self.byte(b':')?;
        let minutes = self.number(2).filter(|minutes| *minutes < 60)?;
        Some(sign * (hours * 60 + minutes))
    }
}

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
            assert!(is_date_time(text), "{text}");
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
            assert!(is_date_time(text), "{text}");
        }
        for text in
            ["1998-12-31T23:59:61Z", "1998-12-31T23:58:60Z", "1998-12-31T22:59:60Z", "1998-12-31T23:59:60+01:00"]
        {
            assert!(!is_date_time(text), "{text}");
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
            assert!(!is_date_time(text), "{text}");
        }
    }
}
