//! Tokens: capabilities, models and keys, and the escapes in values.

/// The maximum length of a capability in bytes. The specification defines it (decision 7).
const MAX_CAPABILITY: usize = 128;

/// Whether a token is a valid capability: 1 to 128 characters of `[A-Za-z0-9._:/_-]`, of which the first and the last
/// are alphanumeric (decision 7).
pub fn is_capability(token: &str) -> bool {
    let is_alphanumeric = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = token.as_bytes();
    bytes.len() <= MAX_CAPABILITY
        && is_alphanumeric(bytes.first())
        && is_alphanumeric(bytes.last())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_./:".contains(byte))
}

/// Whether a token is a valid runtime of `Rt(...)`: a capability, or `*`.
pub(super) fn is_runtime(token: &str) -> bool {
    token == "*" || is_capability(token)
}

/// Whether a token is a valid model pattern of `M(...)`: characters of `[A-Za-z0-9._:/@_-]`, then optionally `*`; or
/// `*` alone.
pub fn is_model(pattern: &str) -> bool {
    let model = pattern.strip_suffix('*').unwrap_or(pattern);
    !pattern.is_empty() && model.bytes().all(is_safe)
}

/// Whether a text is a valid key of `A(...)` and `Pol(...)`.
pub(super) fn is_key(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// Whether a value contains only characters that the grammar allows without an escape, and escapes.
pub(super) fn is_value(value: &str) -> bool {
    let mut bytes = value.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'\\' {
            let _ = bytes.next();
        } else if !is_safe(byte) {
            return false;
        }
    }
    true
}

/// `safe-char` of the grammar.
fn is_safe(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_./:@".contains(&byte)
}

/// Whether a byte is escaped by a backslash, and has no other escape (decision 3).
pub(super) fn is_escaped(byte: u8) -> bool {
    b",()=\\ ".contains(&byte)
}

/// A value without its escapes, which are valid.
pub(super) fn decoded(value: &str) -> String {
    let mut decoded = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        let c = if c == '\\' { chars.next() } else { Some(c) };
        decoded.extend(c);
    }
    decoded
}

/// A value with its escapes.
pub(super) fn escaped(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for c in value.chars() {
        if u8::try_from(c).is_ok_and(is_escaped) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_follow_the_prose_of_the_specification() {
        let longest = "a".repeat(128);
        for token in ["a", "9", "a--b", "A.b_c:d/e-f", "a/./b", &longest] {
            assert!(is_capability(token), "{token}");
        }
        let too_long = "a".repeat(129);
        for token in ["", "-a", "a-", "_", "a b", "a,b", "a\\ b", "*", "é", "aé", "a@b", &too_long] {
            assert!(!is_capability(token), "{token}");
        }
    }

    #[test]
    fn models_have_a_star_only_at_their_end() {
        for pattern in ["*", "openai/gpt-5*", "openai/gpt-5.1", "-", "a@b:c", &"m".repeat(1000)] {
            assert!(is_model(pattern), "{pattern}");
        }
        for pattern in ["", "**", "a*b", "a?", "gpt 5", "é"] {
            assert!(!is_model(pattern), "{pattern}");
        }
        assert!(is_runtime("*") && is_runtime("all") && !is_runtime("cli*"));
    }

    #[test]
    fn values_contain_safe_characters_and_escapes() {
        assert!(
            is_value("a@b:c/d")
                && is_value("\\(a\\ b\\)\\=\\\\")
                && !is_value("a b")
                && !is_value("\\\\ ")
                && !is_value("é")
        );
        assert_eq!(decoded("\\,\\(\\)\\=\\\\\\ é"), ",()=\\ é");
        assert_eq!(escaped(",()=\\ é\u{120}"), "\\,\\(\\)\\=\\\\\\ é\u{120}");
    }
}
