//! The rules for the names and ids of capabilities.

/// The maximum length of a name, in bytes. Generated code repeats it in the name of every type. Usual names have fewer
/// than 40; the Model Context Protocol has the same limit for names of tools, so all of them can be imported.
pub const MAX_NAME_LEN: usize = 128;

/// The regular expression of a name, without anchors: a text is a name if the whole of it matches.
pub const NAME_PATTERN: &str = "[A-Za-z0-9][A-Za-z0-9_-]{0,127}";

/// The rule that [`is_name`] checks, for messages.
pub const NAME_RULE: &str =
    "a name consists of letters, digits, `_` and `-`, starts with a letter or a digit, and is at most 128 bytes long";

/// What to write as an id, for messages.
pub const ID_RULE: &str = "write at least two labels separated by dots, such as `org.example.code-review`";

/// Whether a text is a valid capability name: `[A-Za-z0-9][A-Za-z0-9_-]*`, at most [`MAX_NAME_LEN`] bytes.
///
/// ```
/// use capgen_descriptor::name::is_name;
/// assert!(is_name("review-pr"));
/// assert!(!is_name("review pr") && !is_name("-review") && !is_name(""));
/// ```
pub fn is_name(text: &str) -> bool {
    text.len() <= MAX_NAME_LEN
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

/// Whether a text is a valid capability id: two or more labels separated by dots, each of which is a valid
/// [name](is_name).
///
/// ```
/// use capgen_descriptor::name::is_id;
/// assert!(is_id("org.example.code-review"));
/// assert!(!is_id("code-review") && !is_id("org..review"));
/// ```
pub fn is_id(text: &str) -> bool {
    text.contains('.') && text.split('.').all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_follow_the_rules() {
        for (text, has_name, has_id) in [
            ("", false, false),
            (" ", false, false),
            ("a", true, false),
            ("9", true, false),
            ("-a", false, false),
            ("_a", false, false),
            ("a-", true, false),
            ("A_b-9", true, false),
            ("a b", false, false),
            ("a.b", false, true),
            ("a..b", false, false),
            (".a", false, false),
            ("a.", false, false),
            ("a.-b", false, false),
            ("ü", false, false),
            ("ü.a", false, false),
            ("a.b:1.0.0", false, false),
        ] {
            assert_eq!((is_name(text), is_id(text)), (has_name, has_id), "{text}");
        }
        let (longest, too_long) = ("a".repeat(MAX_NAME_LEN), "a".repeat(MAX_NAME_LEN + 1));
        assert!(is_name(&longest) && is_id(&format!("{longest}.{longest}")));
        assert!(!is_name(&too_long) && !is_id(&format!("a.{too_long}")));
    }
}
