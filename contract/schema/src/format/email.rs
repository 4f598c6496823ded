//! `Mailbox` of [RFC 5321 section 4.1.2](https://www.rfc-editor.org/rfc/rfc5321#section-4.1.2): `local-part@domain` in
//! ASCII, without a display name, angle brackets, comments or folding.
//!
//! [RFC 6531 section 3.3](https://www.rfc-editor.org/rfc/rfc6531#section-3.3) adds all characters outside of ASCII,
//! except after a backslash. Which of them a label of a domain may have depends on the version of Unicode, and is not
//! checked.

use std::net::Ipv6Addr;

/// [RFC 5321 section 4.5.3.1](https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1), in octets.
const MAX_LOCAL_PART: usize = 64;
/// The same section, in octets.
const MAX_DOMAIN: usize = 255;
/// A path has at most 256 octets, including the angle brackets around the mailbox. This is section 4.5.3.1.3.
pub(crate) const MAX_MAILBOX: usize = 254;
/// [RFC 1035 section 2.3.4](https://www.rfc-editor.org/rfc/rfc1035#section-2.3.4).
const MAX_LABEL: usize = 63;

/// The characters of a mailbox.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Charset {
    Ascii,
    Unicode,
}

impl Charset {
    fn has(self, c: char) -> bool {
        self == Self::Unicode && !c.is_ascii()
    }
}

/// The limits of lengths are in octets of UTF-8, except for labels: the limit of a label applies to its form in ASCII,
/// which has more octets than the label has characters.
pub(super) fn is_mailbox(text: &str, charset: Charset) -> bool {
    // A quoted local part may contain `@`, but a domain may not, so the last `@` separates them.
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    text.len() <= MAX_MAILBOX && is_local_part(local, charset) && is_domain_or_literal(domain, charset)
}

fn is_local_part(text: &str, charset: Charset) -> bool {
    text.len() <= MAX_LOCAL_PART && (is_quoted(text, charset) || text.split('.').all(|atom| is_atom(atom, charset)))
}

fn is_atom(text: &str, charset: Charset) -> bool {
    let is_atext = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c) || charset.has(c);
    !text.is_empty() && text.chars().all(is_atext)
}

/// `Quoted-string`; it may be empty.
fn is_quoted(text: &str, charset: Charset) -> bool {
    let Some(content) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else { return false };
    let mut characters = content.chars();
    while let Some(c) = characters.next() {
        let is_valid = match c {
            '\\' => characters.next().is_some_and(|escaped| matches!(escaped, ' '..='~')),
            '"' => false,
            _ => matches!(c, ' '..='~') || charset.has(c),
        };
        if !is_valid {
            return false;
        }
    }
    true
}

fn is_domain_or_literal(text: &str, charset: Charset) -> bool {
    if text.len() > MAX_DOMAIN {
        return false;
    }
    match text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(literal) => is_ipv4(literal) || is_tagged_ipv6(literal),
        None => text.split('.').all(|label| is_label(label, charset)),
    }
}

fn is_label(text: &str, charset: Charset) -> bool {
    let is_valid = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || charset.has(c));
    (1..=MAX_LABEL).contains(&text.chars().count()) && is_valid && !text.starts_with('-') && !text.ends_with('-')
}

/// `IPv4-address-literal`. Unlike in `std`'s parser, leading zeros are allowed.
fn is_ipv4(text: &str) -> bool {
    let is_octet =
        |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()) && part.len() <= 3 && part.parse::<u8>().is_ok();
    text.split('.').count() == 4 && text.split('.').all(is_octet)
}

/// `IPv6-address-literal`. `IPv6:` is the only registered tag.
fn is_tagged_ipv6(text: &str) -> bool {
    match text.split_at_checked(5) {
        Some((tag, address)) => tag.eq_ignore_ascii_case("IPv6:") && is_ipv6(address),
        None => false,
    }
}

/// `IPv6-addr`. In this grammar, unlike in `std`'s parser, `::` replaces at least two groups.
fn is_ipv6(text: &str) -> bool {
    // An IPv4 address at the end replaces two groups.
    let groups = match text.rsplit_once(':') {
        Some((head, tail)) if tail.contains('.') => {
            if !is_ipv4(tail) {
                return false;
            }
            format!("{head}:0:0")
        }
        _ => text.to_owned(),
    };
    let count = groups.split(':').filter(|group| !group.is_empty()).count();
    groups.parse::<Ipv6Addr>().is_ok() && (!groups.contains("::") || count <= 6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_mailbox(text: &str) -> bool {
        let is_ascii = super::is_mailbox(text, Charset::Ascii);
        if text.is_ascii() {
            assert_eq!(super::is_mailbox(text, Charset::Unicode), is_ascii, "{text}");
        }
        is_ascii
    }

    #[test]
    fn international_mailboxes_have_all_other_characters_and_lengths_in_octets() {
        let is_mailbox = |text: &str| super::is_mailbox(text, Charset::Unicode);
        for text in ["실례@실례.테스트", "\"δ@ο\"@a", "é@é-é", "\u{85}@\u{ffff}", &format!("{}@a", "é".repeat(32))]
        {
            assert!(is_mailbox(text), "{text}");
        }
        let long = format!("{}@a", "é".repeat(33));
        for text in ["é", "é@", "@é", "a＠b", "\"\\é\"@a", "é@-é", "é@é.", "é b@c", "é@[é]", "é\n@a", &long]
        {
            assert!(!is_mailbox(text), "{text}");
        }
        assert!(is_mailbox(&format!("a@{}", "é".repeat(63))) && !is_mailbox(&format!("a@{}", "é".repeat(64))));
        let domain = |last: usize| format!("{0}.{0}.{1}", "é".repeat(50), "b".repeat(last));
        assert!(is_mailbox(&format!("a@{}", domain(50))) && !is_mailbox(&format!("a@{}", domain(51))));
    }

    #[test]
    fn valid_mailboxes_are_accepted() {
        for text in [
            "joe.bloggs@example.com",
            "a@b",
            "te~st+tag=x@a-b.c",
            "\"joe bloggs\"@example.com",
            "\"joe..bloggs\"@example.com",
            "\"joe@bloggs\"@example.com",
            "\"a\\\"b\\\\\"@example.com",
            "\"\"@example.com",
            "joe@[127.0.0.1]",
            "joe@[IPv6:::1]",
            "joe@[ipv6:1:2:3:4:5:6:7:8]",
            "joe@[IPv6:::ffff:1.2.3.4]",
            "joe@123.45",
        ] {
            assert!(is_mailbox(text), "{text}");
        }
    }

    #[test]
    fn invalid_mailboxes_are_rejected() {
        for text in [
            "",
            "@",
            "a",
            "a@",
            "@b",
            ".a@b",
            "a.@b",
            "a..b@c",
            "a@.b",
            "a@b.",
            "a@b..c",
            "a@-b",
            "a@b-",
            "a@b_c",
            "a b@c",
            "\"a\"b@c",
            "\"a\"b\"@c",
            "\"a\\\"@c",
            "\"a\tb\"@c",
            "Joe <joe@example.com>",
            "<joe@example.com>",
            "joe(comment)@example.com",
            "joe@example.com ",
            "joe@example.com\n",
            "jöe@example.com",
            "joe@exämple.com",
            "joe@[127.0.0.256]",
            "joe@[127.0.0]",
            "joe@[127.0.0.0001]",
            "joe@[::1]",
            "joe@[IPv6:1::2:3:4:5:6:7:8]",
            "joe@[IPv6:1::2:3:4:5:6:7]",
            "joe@[IPv6:fe80::1%eth0]",
            "joe@[x:y]",
            "joe@[]",
        ] {
            assert!(!is_mailbox(text), "{text}");
        }
    }

    #[test]
    fn lengths_are_limited_in_octets() {
        let domain = |len: usize| format!("{}.{}.{}", "a".repeat(63), "b".repeat(63), "c".repeat(len - 128));
        assert!(is_mailbox(&format!("{}@b", "a".repeat(64))));
        assert!(!is_mailbox(&format!("{}@b", "a".repeat(65))));
        assert!(is_mailbox(&format!("a@{}", "b".repeat(63))));
        assert!(!is_mailbox(&format!("a@{}", "b".repeat(64))));
        assert!(is_mailbox(&format!("{}@{}", "a".repeat(64), domain(189))));
        assert!(!is_mailbox(&format!("{}@{}", "a".repeat(64), domain(190))));
    }
}
