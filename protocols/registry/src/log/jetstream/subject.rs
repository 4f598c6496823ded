//! The subjects of partitions.

use std::fmt::Write as _;

use capgen_schema::Hash;

/// The longest token without a hash. The ids of usual producers fit. A token with a hash has at most 155 bytes, so no
/// token is longer than this.
const MAX_PLAIN: usize = 160;
/// How much of a longer one is readable. With `~` and 64 digits of the hash, the token has 155 bytes, which is within
/// the limit.
const READABLE: usize = 90;

/// The last token of the subject of a partition: `core=2Ememory` for `core.memory`.
///
/// ASCII letters, digits, `-` and `_` stay as they are, any other byte becomes `=` and two digits, and the empty
/// partition becomes `=`. A token of more than 160 bytes ends with `~` and the SHA-256 hash of the partition instead.
/// So different partitions have different tokens, as far as their hashes differ.
pub(super) fn token(partition: &str) -> String {
    if partition.is_empty() {
        return "=".to_owned();
    }
    let mut token = String::new();
    for byte in partition.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') {
            token.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(token, "={byte:02X}");
        }
    }
    if token.len() > MAX_PLAIN {
        token.truncate(READABLE);
        token.push('~');
        let _ = write!(token, "{}", Hash::of(partition));
    }
    token
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::token;

    #[test]
    fn partitions_have_different_valid_tokens_of_limited_length() {
        let long = "x".repeat(255);
        let partitions = [
            "",
            " ",
            ".",
            "..",
            "*",
            ">",
            "=",
            "==",
            "=2E",
            "~",
            "a",
            "A",
            "a.b",
            "a=2Eb",
            "a b",
            "a*",
            "a.>",
            "a\r\nPUB x",
            "$JS",
            "ä",
            "a\u{308}",
            "\u{0}",
            &"é".repeat(255),
            &long,
            &"x".repeat(254),
            &format!("{long}y"),
            &format!("{long}z"),
        ];
        let tokens: BTreeSet<String> = partitions.iter().map(|partition| token(partition)).collect();
        assert_eq!(tokens.len(), partitions.len());
        for token in &tokens {
            assert!((1..=160).contains(&token.len()), "{token}");
            assert!(token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_=~".contains(&byte)), "{token}");
        }
        assert_eq!(token("core.memory"), "core=2Ememory");
        assert_eq!(token("a_b-9"), "a_b-9");
    }
}
