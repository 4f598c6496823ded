//! Untrusted text as documentation.
//!
//! A peer's text reaches doc comments only through this module. It never becomes a code block, which rustdoc would
//! compile and run, or a link, or HTML.

use capgen_diagnostic::{is_other_space, is_unsafe};

use super::writer::Writer;
use crate::model::TypeDef;
use crate::model::note::{self, Note};

/// Documents an item with its description. If there is none, `default` gives the documentation; its result is written
/// as it is, so it must be trusted Markdown.
pub(super) fn write(writer: &mut Writer, description: Option<&str>, default: impl FnOnce() -> String) {
    write_with_note(writer, description, &Note::default(), default);
}

/// Like [`write`], followed by a note.
pub(super) fn write_with_note(
    writer: &mut Writer,
    description: Option<&str>,
    note: &Note,
    default: impl FnOnce() -> String,
) {
    let mut lines = description.map(markdown).unwrap_or_default();
    if lines.is_empty() {
        lines.push(default());
    }
    // Not the attribute `deprecated`: the generated code itself uses the item, and would warn.
    if note.is_deprecated {
        note::append(&mut lines, "Deprecated.".to_owned());
    }
    if let Some(sentence) = note.sentence() {
        note::append(&mut lines, sentence);
    }
    for line in lines {
        writer.doc(&line);
    }
}

/// A value or name as Markdown: a code span, unless it contains a backtick. At most 80 characters are shown.
pub(super) fn code(text: &str) -> String {
    let mut shown = String::new();
    for c in text.trim().chars().take(80) {
        if is_unsafe(c) || is_other_space(c) {
            shown.extend(c.escape_unicode());
        } else if !(c == ' ' && shown.ends_with(' ')) {
            shown.push(c);
        }
    }
    if text.trim().chars().nth(80).is_some() {
        shown.push('…');
    }
    match shown.trim() {
        // A code span cannot be empty.
        "" => "`\"\"`".to_owned(),
        shown if shown.contains('`') => escape(shown),
        shown => format!("`{shown}`"),
    }
}

/// The part to which a type belongs, and its owner: `request` and a capability, or `details` and an error.
pub(super) fn part(def: &TypeDef) -> (&str, String) {
    let capability = code(&def.capability);
    match &def.error {
        None => (def.part_name(), capability),
        Some(error) if error.is_shared => ("details", code(&error.code)),
        Some(error) => ("details", format!("{} of {capability}", code(&error.code))),
    }
}

/// `a`, `a or b`, `a, b or c`.
pub(super) fn any_of(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [item] => item.clone(),
        [items @ .., last] => format!("{} or {last}", items.join(", ")),
    }
}

/// The lines of a text as Markdown without code blocks, links and HTML, and without blank lines at either end or after
/// another.
fn markdown(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']) {
        let line = markdown_line(&plain(line));
        let last_is_blank = lines.last().is_none_or(String::is_empty);
        if !(line.is_empty() && last_is_blank) {
            lines.push(line);
        }
    }
    if lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// A line without invisible characters and with single spaces. Several spaces could start a code block, at the start of
/// a line or after a list marker.
fn plain(line: &str) -> String {
    let spaced = line.chars().map(|c| if is_other_space(c) { ' ' } else { c });
    let visible: String = spaced.filter(|c| c.is_whitespace() || !is_unsafe(*c)).collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A line as Markdown. Its code spans are kept if they are unambiguous: single backticks that pair up within the line.
fn markdown_line(line: &str) -> String {
    // Every second part is inside a code span.
    let parts: Vec<&str> = line.split('`').collect();
    let spans_pair = parts.len() % 2 == 1 && !line.contains("``") && !line.contains('\\');
    if !spans_pair {
        return escape(line);
    }
    let parts: Vec<String> = parts
        .iter()
        .enumerate()
        .map(|(index, part)| if index % 2 == 1 { (*part).to_owned() } else { escape(part) })
        .collect();
    parts.join("`")
}

/// Escapes the characters that start a code block, a link, HTML or, at the start of a line, a heading.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for (index, c) in text.chars().enumerate() {
        if matches!(c, '\\' | '`' | '~' | '[' | ']' | '<' | '>') || (index == 0 && c == '#') {
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
    fn text_stays_text() {
        for (text, expected) in [
            ("plain", &["plain"][..]),
            ("a\r\nb\u{2028}c\n\n\n\nd\n", &["a", "", "b", "c", "", "d"]),
            ("```\npanic!()\n```", &["\\`\\`\\`", "panic!()", "\\`\\`\\`"]),
            ("~~~rust", &["\\~\\~\\~rust"]),
            ("    let x = 1;\n\tlet y;", &["let x = 1;", "let y;"]),
            ("-       let x = 1;", &["- let x = 1;"]),
            ("1.\t\tcode", &["1. code"]),
            ("see [`crate::X`](http://x) <script>", &["see \\[`crate::X`\\](http://x) \\<script\\>"]),
            ("use `a[0]` or `<b>`", &["use `a[0]` or `<b>`"]),
            ("a ` b [c]", &["a \\` b \\[c\\]"]),
            ("*/ \u{202e}evil\u{0}", &["*/ evil"]),
            ("a\u{3164}\u{115f}\u{1d173}b\u{a0}\u{2800}c", &["ab c"]),
            ("# heading", &["\\# heading"]),
            (" \n ", &[]),
        ] {
            assert_eq!(markdown(text), expected, "{text:?}");
        }
    }

    #[test]
    fn lists_are_joined_by_or() {
        let list = |items: &[&str]| any_of(&items.iter().map(|&item| item.to_owned()).collect::<Vec<_>>());
        assert_eq!(list(&["a"]), "a");
        assert_eq!(list(&["a", "b"]), "a or b");
        assert_eq!(list(&["a", "b", "c"]), "a, b or c");
    }

    #[test]
    fn names_are_quoted() {
        for (text, expected) in
            [("a", "`a`"), ("", "`\"\"`"), ("a`b", "a\\`b"), ("a\nb  c", "`a\\u{a}b c`"), ("<x>", "`<x>`")]
        {
            assert_eq!(code(text), expected, "{text:?}");
        }
    }
}
