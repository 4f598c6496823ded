//! Untrusted text made visible: the one place that escapes characters for readers.

use std::fmt::Write as _;

use crate::is_unsafe;

/// The text on one line, with every [unsafe character](is_unsafe) escaped as in Rust, line ends included.
///
/// ```
/// assert_eq!(capgen_diagnostic::visible("a\n\u{202e}é"), "a\\n\\u{202e}é");
/// ```
#[must_use]
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        push_visible(&mut out, c);
    }
    out
}

/// The text as [`visible`] escapes it, but with its line feeds, for messages of several lines.
///
/// ```
/// assert_eq!(capgen_diagnostic::visible_lines("a\r\n\u{202e}b\n"), "a\\r\n\\u{202e}b\n");
/// ```
#[must_use]
pub fn visible_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' { out.push(c) } else { push_visible(&mut out, c) }
    }
    out
}

/// Appends a character as [`visible`] escapes it.
pub fn push_visible(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if is_unsafe(c) => out.extend(c.escape_unicode()),
        c => out.push(c),
    }
}

/// The text of JSON documents, one per line, with escapes for unsafe characters. Such characters can only be in
/// strings, where the escapes mean the same. The text must have no line feed within a document.
///
/// ```
/// assert_eq!(capgen_diagnostic::visible_json("[\"\u{202e}\"]\n{}\n"), "[\"\\u202e\"]\n{}\n");
/// ```
#[must_use]
pub fn visible_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        // Nearly all lines have only these characters.
        if line.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n')) {
            out.push_str(line);
            continue;
        }
        for c in line.chars() {
            if c != '\n' && is_unsafe(c) { push_json_escape(&mut out, c) } else { out.push(c) }
        }
    }
    out
}

/// Appends a character as JSON and JavaScript escape it in a string: a `\u` with four digits for each unit of UTF-16.
///
/// ```
/// let mut out = String::new();
/// capgen_diagnostic::push_json_escape(&mut out, '\u{e0001}');
/// assert_eq!(out, "\\udb40\\udc01");
/// ```
pub fn push_json_escape(out: &mut String, c: char) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        // Writing to a string does not fail.
        let _ = write!(out, "\\u{unit:04x}");
    }
}
