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
/// `ucschar` of [RFC 3987 section 2.2](https://www.rfc-editor.org/rfc/rfc3987#section-2.2), inside a class.
macro_rules! ucschar {
    () => {
        concat!(
            "\\u{a0}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{ffef}\\u{10000}-\\u{1fffd}",
            "\\u{20000}-\\u{2fffd}\\u{30000}-\\u{3fffd}\\u{40000}-\\u{4fffd}\\u{50000}-\\u{5fffd}",
            "\\u{60000}-\\u{6fffd}\\u{70000}-\\u{7fffd}\\u{80000}-\\u{8fffd}\\u{90000}-\\u{9fffd}",
            "\\u{a0000}-\\u{afffd}\\u{b0000}-\\u{bfffd}\\u{c0000}-\\u{cfffd}\\u{d0000}-\\u{dfffd}",
            "\\u{e1000}-\\u{efffd}",
        )
    };
}
/// `iprivate` of the same section, inside a class.
macro_rules! iprivate {
    () => {
        "\\u{e000}-\\u{f8ff}\\u{f0000}-\\u{ffffd}\\u{100000}-\\u{10fffd}"
    };
}
