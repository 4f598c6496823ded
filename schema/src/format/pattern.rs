//! Patterns for formats that are not in the subset.
//!
//! Each pattern is assembled from named parts by macros, because `concat!` accepts literals only.

/// A number from 0 to 255 without leading zeros.
macro_rules! octet {
    () => {
        "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
    };
}
macro_rules! ipv4 {
    () => {
        concat!("(?:", octet!(), "\\.){3}", octet!())
    };
}
/// A group of an IPv6 address.
macro_rules! group {
    () => {
        "[0-9A-Fa-f]{1,4}"
    };
}
/// The last 32 bits of an IPv6 address.
macro_rules! tail {
    () => {
        concat!("(?:", group!(), ":", group!(), "|", ipv4!(), ")")
    };
}
/// An alternative of `IPv6address` in RFC 3986 appendix A: at most `$most` + 1 groups, `::`, and the rest.
macro_rules! shortened {
    ($most:literal, $rest:expr) => {
        concat!("(?:(?:", group!(), ":){0,", $most, "}", group!(), ")?::", $rest)
    };
}
macro_rules! ipv6 {
    () => {
        concat!(
            "(?:(?:",
            group!(),
            ":){6}",
            tail!(),
            "|::(?:",
            group!(),
            ":){5}",
            tail!(),
            "|(?:",
            group!(),
            ")?::(?:",
            group!(),
            ":){4}",
            tail!(),
            "|",
            shortened!("1", concat!("(?:", group!(), ":){3}", tail!())),
            "|",
            shortened!("2", concat!("(?:", group!(), ":){2}", tail!())),
            "|",
            shortened!("3", concat!(group!(), ":", tail!())),
            "|",
            shortened!("4", tail!()),
            "|",
            shortened!("5", group!()),
            "|",
            shortened!("6", ""),
            ")"
        )
    };
}

/// [RFC 2673 section 3.2](https://www.rfc-editor.org/rfc/rfc2673#section-3.2): four numbers up to 255 without leading zeros.
const IPV4: &str = concat!("^", ipv4!(), "$");
/// [RFC 4291 section 2.2](https://www.rfc-editor.org/rfc/rfc4291#section-2.2), without a zone.
const IPV6: &str = concat!("^", ipv6!(), "$");
/// An IPv4 or IPv6 address, the format of `std::net::IpAddr` in `schemars`.
const IP: &str = concat!("^(?:", ipv4!(), "|", ipv6!(), ")$");
/// `full-date` of [RFC 3339 section 5.6](https://www.rfc-editor.org/rfc/rfc3339#section-5.6). February 29 is valid in leap years only.
const DATE: &str = concat!(
    "^(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])",
    "|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))",
    "|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)$"
);

/// `full-time` of [RFC 3339 section 5.6](https://www.rfc-editor.org/rfc/rfc3339#section-5.6), but with leap seconds in every
/// minute: whether a minute can have one depends on the offset, which a pattern cannot express.
const TIME: &str = concat!(
    "^(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\\.[0-9]+)?",
    "(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$"
);

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
