//! `Mailbox` of [RFC 5321 section 4.1.2](https://www.rfc-editor.org/rfc/rfc5321#section-4.1.2): `local-part@domain` in
//! ASCII, without a display name, angle brackets, comments or folding.

use std::net::Ipv6Addr;

/// [RFC 5321 section 4.5.3.1](https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1), in octets.
const MAX_LOCAL_PART: usize = 64;
/// The same section, in octets.
const MAX_DOMAIN: usize = 255;
/// A path has at most 256 octets, including the angle brackets around the mailbox. This is section 4.5.3.1.3.
pub(crate) const MAX_MAILBOX: usize = 254;
/// [RFC 1035 section 2.3.4](https://www.rfc-editor.org/rfc/rfc1035#section-2.3.4).
const MAX_LABEL: usize = 63;

pub(super) fn is_mailbox(text: &str) -> bool {
    // A quoted local part may contain `@`, but a domain may not, so the last `@` separates them.
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    text.len() <= MAX_MAILBOX && is_local_part(local) && is_domain_or_literal(domain)
}

fn is_local_part(text: &str) -> bool {
    text.len() <= MAX_LOCAL_PART && (is_quoted(text) || text.split('.').all(is_atom))
}

fn is_atom(text: &str) -> bool {
    let is_atext = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_atext)
}

/// `Quoted-string`; it may be empty.
fn is_quoted(text: &str) -> bool {
    let Some(content) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else { return false };
    let mut bytes = content.bytes();
    while let Some(byte) = bytes.next() {
        let is_valid = match byte {
            b'\\' => bytes.next().is_some_and(|escaped| matches!(escaped, b' '..=b'~')),
            b'"' => false,
            _ => matches!(byte, b' '..=b'~'),
        };
        if !is_valid {
            return false;
        }
    }
    true
}

fn is_domain_or_literal(text: &str) -> bool {
    if text.len() > MAX_DOMAIN {
        return false;
    }
    match text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(literal) => is_ipv4(literal) || is_tagged_ipv6(literal),
        None => text.split('.').all(is_label),
    }
}

fn is_label(text: &str) -> bool {
    let is_valid = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    (1..=MAX_LABEL).contains(&text.len()) && is_valid && !text.starts_with('-') && !text.ends_with('-')
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
