//! Patterns that accept the same strings as the formats of the subset, so that formats compare with patterns.
//!
//! Some formats have two patterns, between which they lie. Whether a minute has a leap second depends on the offset,
//! and a pattern with all offsets is too large; the lengths of `idn-email` are in octets; and `regex` has groups in
//! groups.

use super::MAX_HOSTNAME;
use super::email::MAX_MAILBOX;
use crate::Format;

/// The texts of a format by patterns.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Equivalent {
    /// The texts that match all patterns and have at most so many characters.
    Exact { patterns: &'static [&'static str], max_length: Option<usize> },
    /// Texts that match `least` are valid, and valid texts match `most`.
    Between { least: &'static str, most: &'static str },
}

/// The patterns of a format.
pub(crate) const fn equivalent(format: Format) -> Equivalent {
    let (patterns, max_length): (&'static [&'static str], _) = match format {
        Format::Uuid => (&[UUID], None),
        Format::Uri => (&[URI], None),
        Format::UriReference => (&[URI_REFERENCE], None),
        Format::Email => (&[MAILBOX, MAILBOX_LOCAL_PART], Some(MAX_MAILBOX)),
        Format::Date => (&[DATE], None),
        Format::Duration => (&[DURATION], None),
        Format::Ipv4 => (&[IPV4], None),
        Format::Ipv6 => (&[IPV6], None),
        Format::Hostname => (&[HOSTNAME], Some(MAX_HOSTNAME)),
        Format::Iri => (&[IRI], None),
        Format::UriTemplate => (&[URI_TEMPLATE], None),
        Format::JsonPointer => (&[JSON_POINTER], None),
        Format::DateTime => return Equivalent::Between { least: DATE_TIME, most: DATE_TIME_OF_ANY_LEAP_SECOND },
        Format::Time => return Equivalent::Between { least: TIME, most: TIME_OF_ANY_LEAP_SECOND },
        Format::IdnEmail => return Equivalent::Between { least: SHORT_MAILBOX, most: IDN_MAILBOX },
        Format::Regex => return Equivalent::Between { least: SHORT_LITERAL, most: "" },
    };
    Equivalent::Exact { patterns, max_length }
}

/// [RFC 4122 section 3](https://www.rfc-editor.org/rfc/rfc4122#section-3), in upper or lower case.
const UUID: &str = "^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$";

/// `date-time` of [RFC 3339 section 5.6](https://www.rfc-editor.org/rfc/rfc3339#section-5.6) without leap seconds.
const DATE_TIME: &str = concat!("^", date!(), "[Tt]", time!("[0-5][0-9]"), "$");
/// The same with leap seconds in every minute.
const DATE_TIME_OF_ANY_LEAP_SECOND: &str = concat!("^", date!(), "[Tt]", time!("(?:[0-5][0-9]|60)"), "$");
/// `full-date` of the same section.
const DATE: &str = concat!("^", date!(), "$");
/// `full-time` of the same section without leap seconds.
const TIME: &str = concat!("^", time!("[0-5][0-9]"), "$");
/// The same with leap seconds in every minute.
const TIME_OF_ANY_LEAP_SECOND: &str = concat!("^", time!("(?:[0-5][0-9]|60)"), "$");

macro_rules! duration_time {
    () => {
        "T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)"
    };
}

/// `duration` of [RFC 3339 appendix A](https://www.rfc-editor.org/rfc/rfc3339#appendix-A).
const DURATION: &str = concat!(
    "^P(?:[0-9]+W|(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)(?:",
    duration_time!(),
    ")?|",
    duration_time!(),
    ")$"
);

/// [RFC 2673 section 3.2](https://www.rfc-editor.org/rfc/rfc2673#section-3.2): four numbers up to 255 without leading
/// zeros.
const IPV4: &str = concat!("^", ipv4!(), "$");
/// [RFC 4291 section 2.2](https://www.rfc-editor.org/rfc/rfc4291#section-2.2), without a zone.
const IPV6: &str = concat!("^", ipv6!(), "$");

/// [RFC 6901 section 3](https://www.rfc-editor.org/rfc/rfc6901#section-3).
const JSON_POINTER: &str = "^(?:/(?:[^~/]|~[01])*)*$";

/// Some texts that are regular expressions: those without syntax.
const SHORT_LITERAL: &str = "^[A-Za-z0-9 !\"#%&',:;<=>@_`~\\-]{0,200}$";

/// `unreserved / pct-encoded / sub-delims` and more characters, repeated.
macro_rules! chars {
    ($more:literal, $times:literal) => {
        concat!("(?:[A-Za-z0-9._~!$&'()*+,;=", $more, "\\-]|%[0-9A-Fa-f]{2})", $times)
    };
}
/// The same with `ucschar` of [RFC 3987 section 2.2](https://www.rfc-editor.org/rfc/rfc3987#section-2.2).
macro_rules! international_chars {
    ($more:literal, $times:literal) => {
        concat!("(?:[A-Za-z0-9._~!$&'()*+,;=", $more, ucschar!(), "\\-]|%[0-9A-Fa-f]{2})", $times)
    };
}
/// The same with `iprivate`.
macro_rules! private_chars {
    ($more:literal, $times:literal) => {
        concat!("(?:[A-Za-z0-9._~!$&'()*+,;=", $more, ucschar!(), iprivate!(), "\\-]|%[0-9A-Fa-f]{2})", $times)
    };
}
macro_rules! future_address {
    () => {
        "[vV][0-9A-Fa-f]+\\.[A-Za-z0-9._~!$&'()*+,;=:\\-]+"
    };
}
macro_rules! authority {
    ($chars:ident) => {
        concat!(
            "(?:",
            $chars!(":", "*"),
            "@)?(?:\\[(?:",
            ipv6!(),
            "|",
            future_address!(),
            ")\\]|",
            $chars!("", "*"),
            ")(?::[0-9]*)?"
        )
    };
}
macro_rules! segments {
    ($chars:ident) => {
        concat!("(?:/", $chars!(":@", "*"), ")*")
    };
}
/// `hier-part`, or `relative-part` if a first segment without a slash before it has no colon.
macro_rules! hierarchy {
    ($chars:ident, $first:expr) => {
        concat!(
            "(?://",
            authority!($chars),
            segments!($chars),
            "|/(?:",
            $chars!(":@", "+"),
            segments!($chars),
            ")?|",
            $first,
            segments!($chars),
            "|)"
        )
    };
}
macro_rules! query_and_fragment {
    ($query:ident, $fragment:ident) => {
        concat!("(?:\\?", $query!(":@/?", "*"), ")?(?:#", $fragment!(":@/?", "*"), ")?")
    };
}
macro_rules! absolute {
    ($chars:ident) => {
        concat!("[A-Za-z][A-Za-z0-9+.\\-]*:", hierarchy!($chars, $chars!(":@", "+")))
    };
}

/// `URI` of [RFC 3986 appendix A](https://www.rfc-editor.org/rfc/rfc3986#appendix-A).
const URI: &str = concat!("^", absolute!(chars), query_and_fragment!(chars, chars), "$");
/// `URI-reference` of [RFC 3986 appendix A](https://www.rfc-editor.org/rfc/rfc3986#appendix-A).
const URI_REFERENCE: &str = concat!(
    "^(?:",
    absolute!(chars),
    "|",
    hierarchy!(chars, chars!("@", "+")),
    ")",
    query_and_fragment!(chars, chars),
    "$"
);
/// `IRI` of [RFC 3987 section 2.2](https://www.rfc-editor.org/rfc/rfc3987#section-2.2).
const IRI: &str =
    concat!("^", absolute!(international_chars), query_and_fragment!(private_chars, international_chars), "$");

/// `varspec` of [RFC 6570 section 2.3](https://www.rfc-editor.org/rfc/rfc6570#section-2.3).
macro_rules! variable {
    () => {
        "(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*(?::[1-9][0-9]{0,3}|\\*)?"
    };
}
/// [RFC 6570 section 2](https://www.rfc-editor.org/rfc/rfc6570#section-2).
const URI_TEMPLATE: &str = concat!(
    "^(?:[!#$&-;=?-\\[\\]_a-z~",
    ucschar!(),
    iprivate!(),
    "]|%[0-9A-Fa-f]{2}|\\{[+#.\\/;?&=,!@|]?",
    variable!(),
    "(?:,",
    variable!(),
    ")*\\})*$"
);

macro_rules! atom {
    () => {
        "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\-]+"
    };
}
macro_rules! label {
    () => {
        "[A-Za-z0-9](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?"
    };
}
macro_rules! idn_atom {
    () => {
        "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\-\\u{80}-\\u{10ffff}]+"
    };
}
macro_rules! idn_label {
    () => {
        concat!(
            "[A-Za-z0-9\\u{80}-\\u{10ffff}]",
            "(?:[A-Za-z0-9\\-\\u{80}-\\u{10ffff}]{0,61}[A-Za-z0-9\\u{80}-\\u{10ffff}])?"
        )
    };
}
/// A number up to 255, possibly with leading zeros.
macro_rules! number {
    () => {
        "(?:25[0-5]|2[0-4][0-9]|[01]?[0-9]{1,2})"
    };
}
macro_rules! mail_ipv4 {
    () => {
        concat!("(?:", number!(), "\\.){3}", number!())
    };
}
/// Groups before `::`, and at most `$more` + 1 after it.
macro_rules! short_ipv6 {
    ($groups:expr, $more:literal) => {
        concat!("|", $groups, ":(?:", group!(), "(?::", group!(), "){0,", $more, "})?")
    };
}
/// Groups before `::`, and at most `$more` and an IPv4 address after it.
macro_rules! short_ipv6_with_ipv4 {
    ($groups:expr, $more:literal) => {
        concat!("|", $groups, ":(?:", group!(), ":){0,", $more, "}", mail_ipv4!())
    };
}
macro_rules! groups {
    ($count:literal) => {
        concat!("(?:", group!(), ":){", $count, "}")
    };
}
/// `IPv6-addr`, where `::` replaces at least two groups.
macro_rules! mail_ipv6 {
    () => {
        concat!(
            "(?:",
            groups!("7"),
            group!(),
            "|",
            groups!("6"),
            mail_ipv4!(),
            short_ipv6!(":", "5"),
            short_ipv6!(groups!("1"), "4"),
            short_ipv6!(groups!("2"), "3"),
            short_ipv6!(groups!("3"), "2"),
            short_ipv6!(groups!("4"), "1"),
            short_ipv6!(groups!("5"), "0"),
            "|",
            groups!("6"),
            ":",
            short_ipv6_with_ipv4!(":", "4"),
            short_ipv6_with_ipv4!(groups!("1"), "3"),
            short_ipv6_with_ipv4!(groups!("2"), "2"),
            short_ipv6_with_ipv4!(groups!("3"), "1"),
            short_ipv6_with_ipv4!(groups!("4"), "0"),
            ")"
        )
    };
}

/// `Mailbox` of [RFC 5321 section 4.1.2](https://www.rfc-editor.org/rfc/rfc5321#section-4.1.2) without the limits of
/// the lengths of the local part and of the whole.
const MAILBOX: &str = concat!(
    "^(?:",
    atom!(),
    "(?:\\.",
    atom!(),
    ")*|\"(?:[ !#-\\[\\]-~]|\\\\[ -~])*\")@(?:",
    label!(),
    "(?:\\.",
    label!(),
    ")*|\\[(?:",
    mail_ipv4!(),
    "|[iI][pP][vV]6:",
    mail_ipv6!(),
    ")\\])$"
);
/// `Mailbox` of [RFC 6531 section 3.3](https://www.rfc-editor.org/rfc/rfc6531#section-3.3) without the limits of the
/// lengths of the local part and of the whole.
const IDN_MAILBOX: &str = concat!(
    "^(?:",
    idn_atom!(),
    "(?:\\.",
    idn_atom!(),
    ")*|\"(?:[ !#-\\[\\]-~\\u{80}-\\u{10ffff}]|\\\\[ -~])*\")@(?:",
    idn_label!(),
    "(?:\\.",
    idn_label!(),
    ")*|\\[(?:",
    mail_ipv4!(),
    "|[iI][pP][vV]6:",
    mail_ipv6!(),
    ")\\])$"
);
/// Some mailboxes.
const SHORT_MAILBOX: &str = "^[A-Za-z0-9]{1,64}@[A-Za-z0-9]{1,63}$";
/// [RFC 1123 section 2.1](https://www.rfc-editor.org/rfc/rfc1123#section-2.1) without the limit of the length of the
/// whole.
const HOSTNAME: &str = concat!("^", label!(), "(?:\\.", label!(), ")*$");
/// At most 64 characters before the last `@`.
const MAILBOX_LOCAL_PART: &str = "^[^]{0,64}@[^@]*$";

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    use proptest::prelude::*;

    use super::*;
    use crate::{Format, Pattern};

    /// Compiling the patterns takes longer than all matches.
    fn matches(source: &'static str, text: &str) -> bool {
        static COMPILED: Mutex<BTreeMap<&str, Pattern>> = Mutex::new(BTreeMap::new());
        let pattern = COMPILED.lock().unwrap().entry(source).or_insert_with(|| Pattern::new(source).unwrap()).clone();
        pattern.is_match(text).unwrap()
    }

    fn is_equivalent(format: Format, text: &str) -> bool {
        let accepts = format.accepts(text);
        match equivalent(format) {
            Equivalent::Exact { patterns, max_length } => {
                let is_short = max_length.is_none_or(|max| text.chars().count() <= max);
                (is_short && patterns.iter().all(|source| matches(source, text))) == accepts
            }
            Equivalent::Between { least, most } => {
                (!matches(least, text) || accepts) && (!accepts || matches(most, text))
            }
        }
    }

    /// Texts of the pieces that the grammars distinguish.
    fn texts(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(pieces), 0..14).prop_map(|pieces| pieces.concat())
    }

    const ADDRESSES: &[&str] =
        &["1", ":", "::", "::", "ffff", "12345", "0", ".", "1.2.3.4", "255.0.01.256", "v1.a", "g", ":1:2:3:4", "IPv6:"];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn patterns_of_uris_are_equivalent(
            text in texts(&[
                "a", "http:", ":", "//", "/", "?", "#", "[", "]", "@", "%41", "%4", "é", "[::1]", "[v1.a]", "1", ".", "..", "-", "~",
                "!$&'()*+,;=", " ", "\"", "<", "^", "[1:2:3:4:5:6:7:8]", "user:x@", ":80", ":x",
            ]),
        ) {
            prop_assert!(is_equivalent(Format::Uri, &text), "{text}");
            prop_assert!(is_equivalent(Format::UriReference, &text), "{text}");
        }

        #[test]
        fn patterns_of_addresses_are_equivalent(address in texts(ADDRESSES)) {
            let uri = format!("a://[{address}]/");
            prop_assert!(is_equivalent(Format::Uri, &uri), "{uri}");
            for mailbox in [format!("a@[{address}]"), format!("a@[IPv6:{address}]")] {
                prop_assert!(is_equivalent(Format::Email, &mailbox), "{mailbox}");
            }
        }

        #[test]
        fn patterns_of_mailboxes_are_equivalent(
            text in texts(&[
                "a", "@", "@", ".", "-", "\"", "\\", " ", "a.b", "[1.2.3.4]", "é", "_", "\u{7f}", "x.y-z",
                "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "!#$%&'*+/=?^`{|}~",
                "ccccccccccccccccccccccccccccccccc", "c.c.c.c.c.c.c.c.c.c.c.c.c.c.c.c.c.c.c.c.c.c.c.c.c.c.c.c.c.c.c.c.c",
            ]),
        ) {
            prop_assert!(is_equivalent(Format::Email, &text), "{text}");
            prop_assert!(is_equivalent(Format::IdnEmail, &text), "{text}");
        }

        #[test]
        fn date_times_are_between_their_patterns(
            text in "[0-9]{2}(00|0[0-9])-(0[0-9]|1[0-3])-(0[1-9]|2[89]|3[0-2])[Tt ]2[2-4]:5[89]:(60|61|59)(\\.[0-9]{0,2})?(Z|z|[+-]0[01]:[0-6]0)",
        ) {
            prop_assert!(is_equivalent(Format::DateTime, &text), "{text}");
        }

        #[test]
        fn patterns_of_iris_are_equivalent(
            text in texts(&[
                "a", "http:", ":", "//", "/", "?", "?", "#", "[", "]", "@", "%41", "%4", "é", "\u{e000}", "\u{f0000}", "\u{fffe}",
                "\u{80}", "\u{2028}", "[::1]", "[v1.a]", "[v1.é]", ":8", ":é", "\u{1fffe}", "\u{10300}", "\u{e0fff}", " ",
            ]),
        ) {
            prop_assert!(is_equivalent(Format::Iri, &text), "{text:?}");
            prop_assert!(is_equivalent(Format::Iri, &format!("a:{text}")), "{text:?}");
        }

        #[test]
        fn patterns_of_templates_are_equivalent(
            text in texts(&[
                "a", "{", "{", "}", "}", "{a", ",", ".", ":1", ":0", "*", "+", "%41", "%", "_", "-", "é", "\u{e000}", "\u{fffe}", " ",
                "'", "\"", "|", "~", "^", "`", "\\", "<", "9", "=",
            ]),
        ) {
            prop_assert!(is_equivalent(Format::UriTemplate, &text), "{text:?}");
        }

        #[test]
        fn patterns_of_names_pointers_and_expressions_are_equivalent(
            text in texts(&[
                "a", "A", "0", "-", ".", "_", "/", "~", "~0", "~1", "~2", "é", "\n", "xn--", "(", ")", "[", "]", "*", "\\", "$", "#",
                "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.",
            ]),
        ) {
            for format in [Format::Hostname, Format::JsonPointer, Format::Regex] {
                prop_assert!(is_equivalent(format, &text), "{} {text:?}", format.name());
            }
        }

        #[test]
        fn patterns_of_durations_are_equivalent(text in texts(&["P", "T", "W", "Y", "M", "D", "H", "S", "1", "1D", "T1", "1M", "-", "."])) {
            prop_assert!(is_equivalent(Format::Duration, &text), "{text}");
            prop_assert!(is_equivalent(Format::Duration, &format!("P{text}")), "{text}");
        }

        #[test]
        fn patterns_of_plain_addresses_are_equivalent(address in texts(ADDRESSES)) {
            prop_assert!(is_equivalent(Format::Ipv4, &address), "{address}");
            prop_assert!(is_equivalent(Format::Ipv6, &address), "{address}");
        }

        #[test]
        fn times_are_between_their_patterns(text in "2[2-4]:5[89]:(60|61|59)(\\.[0-9]{0,2})?(Z|z|[+-]0[01]:[0-6]0)") {
            prop_assert!(is_equivalent(Format::Time, &text), "{text}");
        }

        #[test]
        fn dates_are_those_of_their_pattern(text in "[0-9]{2}(00|0[0-9])-(0[0-9]|1[0-3])-(0[1-9]|2[89]|3[0-2])") {
            prop_assert!(is_equivalent(Format::Date, &text), "{text}");
        }

        #[test]
        fn patterns_of_uuids_are_equivalent(text in "[0-9a-fA-Fg]{7,8}-([0-9a-f]{4}-){2,3}[0-9a-f]{4}-?[0-9a-f]{12}") {
            prop_assert!(is_equivalent(Format::Uuid, &text), "{text}");
        }
    }
}
