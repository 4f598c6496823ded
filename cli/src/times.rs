//! Times as people write them.

use capgen_time::Timestamp;

/// Reads a time of [RFC 3339](https://www.rfc-editor.org/rfc/rfc3339) such as `2026-11-23T10:00:00Z`, or a day such as
/// `2026-11-23`, which starts at midnight UTC. Returns the Unix time in ms, rounded down; `None` for another text, and
/// for times before 1970.
#[cfg(feature = "audit")]
pub(crate) fn parse_time(text: &str) -> Option<u64> {
    let midnight;
    let text = if text.len() == 10 {
        midnight = format!("{text}T00:00:00Z");
        &midnight
    } else {
        text
    };
    // RFC 3339 mentions the space, which is outside of its grammar.
    let text = if text.get(10..11) == Some(" ") { text.replacen(' ', "T", 1) } else { text.to_owned() };
    text.parse::<Timestamp>().ok()?.to_ms()
}

/// Unix time in ms as `YYYY-MM-DDTHH:MM:SS.mmmZ`. Times after the year 9999 are returned as the number alone.
pub(crate) fn format_time(ms: u64) -> String {
    Timestamp::from_ms(ms).map_or_else(|| ms.to_string(), |time| time.to_string())
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
