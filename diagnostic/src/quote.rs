//! Quoting untrusted text in messages.

/// Longer text, in code points, is shortened.
const LONGEST: usize = 60;

/// The text in backticks: on one line, without control characters, and shortened if it is long.
///
/// ```
/// assert_eq!(capgen_diagnostic::quoted("a\nb"), "`a\\nb`");
/// ```
pub fn quoted(text: &str) -> String {
    format!("`{}`", shortened(text, LONGEST))
}

/// The first `longest` code points of a text, on one line, without control characters. An ellipsis marks an omission.
pub fn shortened(text: &str, longest: usize) -> String {
    let mut shown = String::new();
    for c in text.chars().take(longest) {
        if c.is_control() { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    if text.chars().nth(longest).is_some() {
        shown.push('…');
    }
    shown
}
