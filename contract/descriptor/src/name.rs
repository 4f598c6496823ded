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

/// The maximum length of the code of an error, in bytes. Generated code has it in the names of types and variants.
pub const MAX_ERROR_CODE_LEN: usize = 64;

/// The regular expression of the code of an error, without anchors.
pub const ERROR_CODE_PATTERN: &str = "[A-Z][A-Z0-9_]{0,63}";

/// The beginnings of the codes of the protocols, which no capability declares.
pub const RESERVED_ERROR_CODES: [&str; 4] = ["EAGENTRPC_", "EVERSION_", "MCP_", "HTTP_"];

/// The statuses of errors over HTTP ([RFC 9110, section 15](https://www.rfc-editor.org/rfc/rfc9110#section-15)).
pub const ERROR_STATUSES: std::ops::RangeInclusive<u16> = 400..=599;

/// The rule that [`is_error_code`] checks, for messages.
pub const ERROR_CODE_RULE: &str = "a code consists of capital letters, digits and `_`, starts with a letter, is at most 64 bytes long, and does not start with `EAGENTRPC_`, `EVERSION_`, `MCP_` or `HTTP_`";

/// Whether a capability may declare a text as the code of an error: `[A-Z][A-Z0-9_]*`, at most [`MAX_ERROR_CODE_LEN`]
/// bytes, and none of [`RESERVED_ERROR_CODES`].
///
/// ```
/// use capgen_descriptor::name::is_error_code;
/// assert!(is_error_code("NO_SEATS"));
/// assert!(!is_error_code("no-seats") && !is_error_code("HTTP_404") && !is_error_code(""));
/// ```
pub fn is_error_code(text: &str) -> bool {
    text.len() <= MAX_ERROR_CODE_LEN
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
        && !RESERVED_ERROR_CODES.iter().any(|prefix| text.starts_with(prefix))
}

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
        for (text, is_code) in [
            ("A", true),
            ("NO_SEATS_2", true),
            ("HTTP", true),
            ("EAGENTRPC_X", false),
            ("EVERSION_SKEW", false),
            ("MCP_X", false),
            ("HTTP_404", false),
            ("_A", false),
            ("2A", false),
            ("No_SEATS", false),
            ("Ä", false),
        ] {
            assert_eq!(is_error_code(text), is_code, "{text}");
        }
        assert!(is_error_code(&"A".repeat(MAX_ERROR_CODE_LEN)) && !is_error_code(&"A".repeat(MAX_ERROR_CODE_LEN + 1)));
        let (longest, too_long) = ("a".repeat(MAX_NAME_LEN), "a".repeat(MAX_NAME_LEN + 1));
        assert!(is_name(&longest) && is_id(&format!("{longest}.{longest}")));
        assert!(!is_name(&too_long) && !is_id(&format!("a.{too_long}")));
    }
}
