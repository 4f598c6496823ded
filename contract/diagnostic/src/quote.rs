//! Quoting untrusted text in messages.

use crate::{is_other_space, is_unsafe};

/// Longer text, in code points, is shortened.
const LONGEST: usize = 60;

/// The text in backticks: on one line, with invisible characters escaped, and shortened if it is long.
///
/// ```
/// assert_eq!(capgen_diagnostic::quoted("a\nb"), "`a\\nb`");
/// ```
pub fn quoted(text: &str) -> String {
    format!("`{}`", shortened(text, LONGEST))
}

/// The first `longest` code points of a text, on one line, with invisible characters escaped. An ellipsis marks an omission.
pub fn shortened(text: &str, longest: usize) -> String {
    let mut shown = String::new();
    for c in text.chars().take(longest) {
        if is_unsafe(c) || is_other_space(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    if text.chars().nth(longest).is_some() {
        shown.push('…');
    }
    shown
}
