//! Patterns for formats that are not in the subset.
//!
//! Their parts are in `parts.rs`.

/// [RFC 2673 section 3.2](https://www.rfc-editor.org/rfc/rfc2673#section-3.2): four numbers up to 255 without leading zeros.
const IPV4: &str = concat!("^", ipv4!(), "$");
/// [RFC 4291 section 2.2](https://www.rfc-editor.org/rfc/rfc4291#section-2.2), without a zone.
const IPV6: &str = concat!("^", ipv6!(), "$");
/// An IPv4 or IPv6 address, the format of `std::net::IpAddr` in `schemars`.
const IP: &str = concat!("^(?:", ipv4!(), "|", ipv6!(), ")$");
/// `full-date` of [RFC 3339 section 5.6](https://www.rfc-editor.org/rfc/rfc3339#section-5.6).
const DATE: &str = concat!("^", date!(), "$");
/// `full-time` of [RFC 3339 section 5.6](https://www.rfc-editor.org/rfc/rfc3339#section-5.6), but with leap seconds in every
/// minute.
const TIME: &str = concat!("^", time!("(?:[0-5][0-9]|60)"), "$");

/// The pattern that accepts the same strings as a format.
pub(crate) fn equivalent(format: &str) -> Option<&'static str> {
    Some(match format {
        "ipv4" => IPV4,
        "ipv6" => IPV6,
        "ip" => IP,
        "date" => DATE,
        _ => return None,
    })
}

/// The pattern to write in place of a format. It may accept a few more strings.
pub(crate) fn replacement(format: &str) -> Option<&'static str> {
    if format == "time" { Some(TIME) } else { equivalent(format) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pattern;

    fn accepts(format: &str, text: &str) -> bool {
        Pattern::new(replacement(format).unwrap()).unwrap().is_match(text).unwrap()
    }

    #[test]
    fn times_have_seconds_and_an_offset() {
        for text in ["23:59:60Z", "00:00:00+23:59", "12:30:45.5z"] {
            assert!(accepts("time", text), "{text}");
        }
        for text in ["24:00:00Z", "12:30Z", "12:30:45", "12:30:45.Z", "12:30:45+24:00", "1:00:00Z"] {
            assert!(!accepts("time", text), "{text}");
        }
    }
}
