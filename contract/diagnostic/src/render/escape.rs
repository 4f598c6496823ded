//! Escaping untrusted text.

use crate::{is_unsafe, public_text};

/// The text with every unsafe character escaped as in Rust (`\u{202e}`), and without the secrets of URLs.
pub(super) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in public_text(text).chars() {
        push_visible(&mut out, c);
    }
    out
}

/// Appends a character the way [`visible`] escapes it.
pub(super) fn push_visible(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if is_unsafe(c) => out.extend(c.escape_unicode()),
        c => out.push(c),
    }
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
