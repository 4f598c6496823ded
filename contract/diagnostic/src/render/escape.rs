//! Escaping untrusted text.

use crate::public_text;

/// The text as [`crate::visible`] escapes it, without the secrets of URLs.
pub(super) fn visible(text: &str) -> String {
    crate::visible(&public_text(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_steer_a_terminal_are_escaped() {
        for (text, expected) in [
            ("a\u{1b}[31mb", "a\\u{1b}[31mb"),
            ("x\u{202e}y\u{9b}z\u{7f}", "x\\u{202e}y\\u{9b}z\\u{7f}"),
            ("one\ntwo\r\n", "one\\ntwo\\r\\n"),
            ("é 漢 😀", "é 漢 😀"),
            ("at amqp://me:p/#? '@ss@host/x", "at amqp://***@host/x"),
            ("at amqp://me:secret@host/x and mqtt://a@b", "at amqp://***@b"),
            ("https://host/a", "https://host/a"),
        ] {
            assert_eq!(visible(text), expected);
        }
    }
}
