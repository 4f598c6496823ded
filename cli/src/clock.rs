//! Times as people write them.

#[cfg(any(feature = "amp", feature = "audit", feature = "dci"))]
use time::OffsetDateTime;
#[cfg(feature = "audit")]
use time::format_description::well_known::Rfc3339;

/// Reads a time of [RFC 3339](https://www.rfc-editor.org/rfc/rfc3339) such as `2026-11-23T10:00:00Z`, or a day such as `2026-11-23`, which
/// starts at midnight UTC. Returns the Unix time in ms, rounded down; `None` for another text, and for times before 1970.
#[cfg(feature = "audit")]
pub(crate) fn parse_time(text: &str) -> Option<u64> {
    let midnight;
    let text = if text.len() == 10 {
        midnight = format!("{text}T00:00:00Z");
        &midnight
    } else {
        text
    };
    // `time` accepts any character here.
    if !["T", "t", " "].contains(&text.get(10..11)?) {
        return None;
    }
    let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    u64::try_from(time.unix_timestamp_nanos().div_euclid(1_000_000)).ok()
}

/// Unix time in ms as `YYYY-MM-DDTHH:MM:SS.mmmZ`. Times after the year 9999 are returned as the number alone.
#[cfg(any(feature = "amp", feature = "audit", feature = "dci"))]
pub(crate) fn format_time(ms: u64) -> String {
    // With its feature `large-dates`, `time` accepts later years too.
    let time = OffsetDateTime::from_unix_timestamp_nanos(i128::from(ms) * 1_000_000).ok();
    let Some(time) = time.filter(|time| time.year() <= 9999) else { return ms.to_string() };
    let (date, (hour, minute, second, millisecond)) = (time.date(), time.to_hms_milli());
    let (year, month, day) = date.to_calendar_date();
    format!("{year:04}-{:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}Z", u8::from(month))
}

#[cfg(all(test, feature = "audit"))]
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
        assert_eq!(parse_time("1970-01-02"), Some(86_400_000));
        assert_eq!(format_time(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(format_time(253_402_300_799_999), "9999-12-31T23:59:59.999Z");
        assert_eq!(format_time(253_402_300_800_000), "253402300800000");
        assert_eq!(format_time(u64::MAX), "18446744073709551615");
    }

    #[test]
    fn times_are_rounded_down_and_have_any_offset() {
        let second = 1_798_761_599_000;
        for (text, ms) in [
            ("2026-12-31T23:59:59Z", second),
            ("2026-12-31t23:59:59.9999z", second + 999),
            ("2026-12-31 18:59:59.000999999999-05:00", second),
            ("2027-01-01T23:58:59+23:59", second),
            // A leap second is the end of the second before it.
            ("2026-12-31T23:59:60Z", second + 999),
        ] {
            assert_eq!(parse_time(text), Some(ms), "{text}");
        }
        assert_eq!(parse_time("1970-01-01T00:00:00+00:01"), None);
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
            "2026-11-23x10:00:00Z",
            "2026-11-23T10:00:60Z",
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
