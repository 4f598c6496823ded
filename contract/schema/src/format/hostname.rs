//! `hostname` of [RFC 1123 section 2.1](https://www.rfc-editor.org/rfc/rfc1123#section-2.1): labels of ASCII letters,
//! digits and hyphens, with the lengths of [RFC 1034 section 3.1](https://www.rfc-editor.org/rfc/rfc1034#section-3.1).
//!
//! The content of a label with `xn--` is not checked: its rules depend on tables that change with every version of
//! Unicode, so validators would disagree for years.

/// The longest name, in octets. The limit of 255 includes the length of the first label and the root, which this
/// notation does not have.
pub(crate) const MAX_HOSTNAME: usize = 253;
/// The longest label, in octets.
const MAX_LABEL: usize = 63;

pub(super) fn is_hostname(text: &str) -> bool {
    text.len() <= MAX_HOSTNAME && text.split('.').all(is_label)
}

fn is_label(text: &str) -> bool {
    let is_valid = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    (1..=MAX_LABEL).contains(&text.len()) && is_valid && !text.starts_with('-') && !text.ends_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_names_have_limits() {
        for text in ["a", "1host", "a.b-c", "a--b", "xn--x", "127.0.0.1"] {
            assert!(is_hostname(text), "{text}");
        }
        for text in ["", ".", ".a", "a.", "a..b", "-a", "a-", "a_b", "é", "a b", "a\n", "\u{212a}"] {
            assert!(!is_hostname(text), "{text}");
        }
        let labels = |last: usize| format!("{0}.{0}.{0}.{1}", "a".repeat(63), "b".repeat(last));
        assert!(is_hostname(&labels(61)) && !is_hostname(&labels(62)));
        assert!(is_hostname(&"a".repeat(63)) && !is_hostname(&"a".repeat(64)));
    }
}
