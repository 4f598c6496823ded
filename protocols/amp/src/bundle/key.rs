//! The keys of artifacts, which are names of files.

/// The maximum length of a key, in bytes. The key is the name of a file, for which usual file systems allow 255 bytes
/// (decision 16).
const MAX_LEN: usize = 128;

/// The expected form.
pub(super) const RULE: &str = "expected a key of letters, digits, `.`, `_` and `-` that starts with a letter or a digit and has at most 128 bytes";

/// Whether a text is `[A-Za-z0-9][A-Za-z0-9._-]{0,127}` (decision 16). Such a text is one component of a path, and
/// never `.` or `..`.
pub(super) fn is_key(text: &str) -> bool {
    let head = text.starts_with(|c: char| c.is_ascii_alphanumeric());
    let tail = text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
    head && tail && text.len() <= MAX_LEN
}

#[cfg(test)]
mod tests {
    use super::is_key;

    #[test]
    fn keys_are_names_of_files_in_one_folder() {
        for key in ["a", "0", "A.json", "a..b", "sha256-00.json", &"x".repeat(128)] {
            assert!(is_key(key), "{key}");
        }
        for text in ["", ".", "..", ".a", "-a", "_a", "a/b", "a\\b", "a b", "a\0", "é", "a:b", &"x".repeat(129)] {
            assert!(!is_key(text), "{text}");
        }
    }
}
