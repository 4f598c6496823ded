//! Escaping untrusted text.

use crate::credentials::user_info;
use crate::is_unsafe;

/// The text with every unsafe character escaped as in Rust (`\u{202e}`), and without the user info of URLs.
pub(super) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in without_user_info(text).chars() {
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

/// Shortens `amqp://user:pass@host` to `amqp://…@host`.
pub(super) fn without_user_info(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("://") {
        out.push_str(before);
        out.push_str("://");
        rest = match user_info(after) {
            Some(length) => {
                out.push('…');
                after.get(length..).unwrap_or_default()
            }
            None => after,
        };
    }
    out.push_str(rest);
    out
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
            ("at amqp://me:p%40ss@host/x and mqtt://a@b", "at amqp://…@host/x and mqtt://…@b"),
            ("https://host/a@b", "https://host/a@b"),
        ] {
            assert_eq!(visible(text), expected);
        }
    }
}
