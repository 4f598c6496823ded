//! Times as people write them.

/// Reads a time of [RFC 3339](https://www.rfc-editor.org/rfc/rfc3339) such as `2026-11-23T10:00:00Z`, or a day such as `2026-11-23`, which
/// starts at midnight UTC. Returns the Unix time in ms, rounded down; `None` for another text, and for times before 1970.
///
/// ```
/// use capgen_audit::parse_time;
/// assert_eq!(parse_time("1970-01-02"), Some(86_400_000));
/// assert_eq!(parse_time("1970-01-01T01:00:00.5+01:00"), Some(500));
/// assert_eq!(parse_time("1970-02-30"), None);
/// ```
#[must_use]
pub fn parse_time(text: &str) -> Option<u64> {
    let date = text.get(..10)?;
    let days = days(number(date, 0, 4)?, number(date, 5, 2)?, number(date, 8, 2)?)?;
    if date.get(4..5)? != "-" || date.get(7..8)? != "-" {
        return None;
    }
    let rest = text.get(10..)?;
    let day = days.checked_mul(86_400_000)?;
    if rest.is_empty() {
        return u64::try_from(day).ok();
    }
    let clock = rest.get(1..9)?;
    if !["T", "t", " "].contains(&rest.get(..1)?) || clock.get(2..3)? != ":" || clock.get(5..6)? != ":" {
        return None;
    }
    let (hour, minute, second) = (number(clock, 0, 2)?, number(clock, 3, 2)?, number(clock, 6, 2)?);
    // A leap second counts as the second after it.
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (milliseconds, zone) = fraction(rest.get(9..)?)?;
    let time = day + ((hour * 60 + minute) * 60 + second) * 1000 + milliseconds - offset(zone)?;
    u64::try_from(time).ok()
}

/// Unix time in ms as `YYYY-MM-DDTHH:MM:SS.mmmZ`. Times after the year 9999 are returned as the number alone.
///
/// ```
/// assert_eq!(capgen_audit::format_time(86_400_000), "1970-01-02T00:00:00.000Z");
/// ```
#[must_use]
pub fn format_time(ms: u64) -> String {
    // 10000-01-01.
    if ms >= 253_402_300_800_000 {
        return ms.to_string();
    }
    let (day, rest) = (ms / 86_400_000, ms % 86_400_000);
    let (year, month, day) = date(day);
    let (hour, minute, second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", rest % 1000)
}

fn number(text: &str, start: usize, digits: usize) -> Option<i64> {
    let digits = text.get(start..start + digits)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// The milliseconds of a fraction, and the text after it.
fn fraction(text: &str) -> Option<(i64, &str)> {
    let Some(rest) = text.strip_prefix('.') else { return Some((0, text)) };
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, zone) = rest.split_at_checked(end)?;
    let digits: String = digits.chars().chain("000".chars()).take(3).collect();
    (end > 0).then_some((digits.parse().ok()?, zone))
}

/// The offset of a time zone in ms.
fn offset(zone: &str) -> Option<i64> {
    if zone == "Z" || zone == "z" {
        return Some(0);
    }
    let sign = match zone.get(..1)? {
        "+" => 1,
        "-" => -1,
        _ => return None,
    };
    let (hour, minute) = (number(zone, 1, 2)?, number(zone, 4, 2)?);
    let is_valid = zone.len() == 6 && zone.get(3..4)? == ":" && hour <= 23 && minute <= 59;
    is_valid.then_some(sign * (hour * 60 + minute) * 60_000)
}

/// The days of the months before one in a year that starts with March.
fn days_before(month: i64) -> i64 {
    (153 * month + 2) / 5
}

/// The days since 1970-01-01. Years are counted from March, so that the leap day is the last one of its year.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if day < 1 || day > length {
        return None;
    }
    let shifted = if month <= 2 { year - 1 } else { year };
    let leap_days = shifted.div_euclid(4) - shifted.div_euclid(100) + shifted.div_euclid(400);
    // 719,468 days from 0000-03-01 to 1970-01-01.
    Some(shifted * 365 + leap_days + days_before((month + 9) % 12) + day - 1 - 719_468)
}

/// The year, month and day that is this many days after 1970-01-01, up to the year 9999.
fn date(since_1970: u64) -> (i64, i64, i64) {
    let days_since = i64::try_from(since_1970).unwrap_or(i64::MAX);
    // A few years too late, because of leap days.
    let mut year = 1970 + days_since / 365;
    while days(year, 1, 1).is_none_or(|first| first > days_since) {
        year -= 1;
    }
    let mut month = 12;
    while days(year, month, 1).is_none_or(|first| first > days_since) {
        month -= 1;
    }
    (year, month, days_since - days(year, month, 1).unwrap_or(days_since) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_is_read_as_it_is_written() {
        for day in 0..2_932_897 {
            let ms = day * 86_400_000;
            if day % 7 == 0 || day % 365 < 2 {
                assert_eq!(parse_time(&format_time(ms)), Some(ms));
            }
        }
        assert_eq!(format_time(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(format_time(253_402_300_799_999), "9999-12-31T23:59:59.999Z");
    }

    #[test]
    fn other_texts_are_no_times() {
        let texts = [
            "",
            "2026",
            "2026-13-01",
            "2026-02-29",
            "2026-11-23T10:00:00",
            "2026-11-23T24:00:00Z",
            "2026-11-23T10:00:00+1:00",
            "2026-11-23T10:00:00.Z",
            "1969-12-31",
            "2026-11-23T10:00:00Zx",
            "+026-11-23",
            "ééééé",
            "2026-11-2é",
        ];
        for text in texts {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }
}
