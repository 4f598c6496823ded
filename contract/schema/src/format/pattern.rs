//! Patterns for formats that are not in the subset.
//!
//! Their parts are in `parts.rs`.

/// An IPv4 or IPv6 address, the format of `std::net::IpAddr` in `schemars`.
const IP: &str = concat!("^(?:", ipv4!(), "|", ipv6!(), ")$");
/// `partial-time` of [RFC 3339 section 5.6](https://www.rfc-editor.org/rfc/rfc3339#section-5.6), the format of times
/// without an offset in `schemars`.
const PARTIAL_TIME: &str = concat!("^", partial_time!("(?:[0-5][0-9]|60)"), "$");
/// A date and a time without an offset, the format of such values in `schemars`.
const PARTIAL_DATE_TIME: &str = concat!("^", date!(), "T", partial_time!("(?:[0-5][0-9]|60)"), "$");

/// The formats that are patterns.
pub(crate) const EQUIVALENTS: [&str; 3] = ["ip", "partial-time", "partial-date-time"];

/// The pattern that accepts the same strings as a format.
pub(crate) fn equivalent(format: &str) -> Option<&'static str> {
    Some(match format {
        "ip" => IP,
        "partial-time" => PARTIAL_TIME,
        "partial-date-time" => PARTIAL_DATE_TIME,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pattern;

    fn accepts(format: &str, text: &str) -> bool {
        Pattern::new(equivalent(format).unwrap()).unwrap().is_match(text).unwrap()
    }

    #[test]
    fn times_without_an_offset_have_seconds() {
        for (time, is_time) in [
            ("00:00:00", true),
            ("23:59:60", true),
            ("12:30:45.250", true),
            ("24:00:00", false),
            ("12:30", false),
            ("12:30:45.", false),
            ("12:30:45Z", false),
            ("12:30:45+01:00", false),
        ] {
            assert_eq!(accepts("partial-time", time), is_time, "{time}");
            assert_eq!(accepts("partial-date-time", &format!("2024-02-29T{time}")), is_time, "{time}");
            assert!(!accepts("partial-date-time", &format!("2023-02-29T{time}")), "{time}");
            assert!(!accepts("partial-date-time", &format!("2024-02-29 {time}")), "{time}");
        }
    }
}
