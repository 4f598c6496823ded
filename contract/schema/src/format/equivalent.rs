//! Patterns that accept the same strings as the formats of the subset, so that formats compare with patterns.
//!
//! `date-time` has two patterns, between which it lies: whether a minute has a leap second depends on the offset, and a
//! pattern with all offsets is too large.

pub(crate) use super::email::MAX_MAILBOX;

/// [RFC 4122 section 3](https://www.rfc-editor.org/rfc/rfc4122#section-3), in upper or lower case.
pub(crate) const UUID: &str = "^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$";

/// `date-time` of [RFC 3339 section 5.6](https://www.rfc-editor.org/rfc/rfc3339#section-5.6) without leap seconds.
pub(crate) const DATE_TIME: &str = concat!("^", date!(), "[Tt]", time!("[0-5][0-9]"), "$");
/// The same with leap seconds in every minute.
pub(crate) const DATE_TIME_OF_ANY_LEAP_SECOND: &str = concat!("^", date!(), "[Tt]", time!("(?:[0-5][0-9]|60)"), "$");

/// `unreserved / pct-encoded / sub-delims` and more characters, repeated.
macro_rules! chars {
    ($more:literal, $times:literal) => {
        concat!("(?:[A-Za-z0-9._~!$&'()*+,;=", $more, "\\-]|%[0-9A-Fa-f]{2})", $times)
    };
}
macro_rules! future_address {
    () => {
        "[vV][0-9A-Fa-f]+\\.[A-Za-z0-9._~!$&'()*+,;=:\\-]+"
    };
}
macro_rules! authority {
    () => {
        concat!(
            "(?:",
            chars!(":", "*"),
            "@)?(?:\\[(?:",
            ipv6!(),
            "|",
            future_address!(),
            ")\\]|",
            chars!("", "*"),
            ")(?::[0-9]*)?"
        )
    };
}
macro_rules! segments {
    () => {
        concat!("(?:/", chars!(":@", "*"), ")*")
    };
}
/// `hier-part`, or `relative-part` if a first segment without a slash before it has no colon.
macro_rules! hierarchy {
    ($first:expr) => {
        concat!(
            "(?://",
            authority!(),
            segments!(),
            "|/(?:",
            chars!(":@", "+"),
            segments!(),
            ")?|",
            $first,
            segments!(),
            "|)"
        )
    };
}
macro_rules! query_and_fragment {
    () => {
        concat!("(?:\\?", chars!(":@/?", "*"), ")?(?:#", chars!(":@/?", "*"), ")?")
    };
}
macro_rules! absolute {
    () => {
        concat!("[A-Za-z][A-Za-z0-9+.\\-]*:", hierarchy!(chars!(":@", "+")))
    };
}

/// `URI` of [RFC 3986 appendix A](https://www.rfc-editor.org/rfc/rfc3986#appendix-A).
pub(crate) const URI: &str = concat!("^", absolute!(), query_and_fragment!(), "$");
/// `URI-reference` of [RFC 3986 appendix A](https://www.rfc-editor.org/rfc/rfc3986#appendix-A).
pub(crate) const URI_REFERENCE: &str =
    concat!("^(?:", absolute!(), "|", hierarchy!(chars!("@", "+")), ")", query_and_fragment!(), "$");

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
pub(crate) const MAILBOX: &str = concat!(
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
/// At most 64 characters before the last `@`.
pub(crate) const MAILBOX_LOCAL_PART: &str = "^[^]{0,64}@[^@]*$";

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
        let by_pattern = match format {
            Format::Uuid => matches(UUID, text),
            Format::Uri => matches(URI, text),
            Format::UriReference => matches(URI_REFERENCE, text),
            Format::Email => {
                matches(MAILBOX, text) && matches(MAILBOX_LOCAL_PART, text) && text.chars().count() <= MAX_MAILBOX
            }
            Format::DateTime => {
                let accepts = format.accepts(text);
                return (!matches(DATE_TIME, text) || accepts)
                    && (!accepts || matches(DATE_TIME_OF_ANY_LEAP_SECOND, text));
            }
        };
        by_pattern == format.accepts(text)
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
        }

        #[test]
        fn date_times_are_between_their_patterns(
            text in "[0-9]{2}(00|0[0-9])-(0[0-9]|1[0-3])-(0[1-9]|2[89]|3[0-2])[Tt ]2[2-4]:5[89]:(60|61|59)(\\.[0-9]{0,2})?(Z|z|[+-]0[01]:[0-6]0)",
        ) {
            prop_assert!(is_equivalent(Format::DateTime, &text), "{text}");
        }

        #[test]
        fn patterns_of_uuids_are_equivalent(text in "[0-9a-fA-Fg]{7,8}-([0-9a-f]{4}-){2,3}[0-9a-f]{4}-?[0-9a-f]{12}") {
            prop_assert!(is_equivalent(Format::Uuid, &text), "{text}");
        }
    }
}
