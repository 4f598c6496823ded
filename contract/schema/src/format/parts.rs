//! The parts that the patterns of formats share. They are macros, because `concat!` accepts literals only.

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
/// `full-date` of [RFC 3339 section 5.6](https://www.rfc-editor.org/rfc/rfc3339#section-5.6). February 29 is valid in
/// leap years only.
macro_rules! date {
    () => {
        concat!(
            "(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])",
            "|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))",
            "|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)"
        )
    };
}
/// `partial-time` of the same section. `$second` matches the seconds: whether a minute has a leap second depends on the
/// offset, which a pattern cannot express.
macro_rules! partial_time {
    ($second:literal) => {
        concat!("(?:[01][0-9]|2[0-3]):[0-5][0-9]:", $second, "(?:\\.[0-9]+)?")
    };
}
/// `full-time` of the same section: a `partial-time` with an offset.
macro_rules! time {
    ($second:literal) => {
        concat!(partial_time!($second), "(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])")
    };
}
