//! Quoting untrusted text in messages.

use crate::{cut_short, is_other_space, push_visible};

/// Longer text, in code points, is shortened. With the words around it, a message then fits on one line of a usual
/// terminal, or on two.
const MAX_LENGTH: usize = 60;

/// The text in backticks: on one line, with invisible characters escaped, and shortened if it is long.
///
/// ```
/// assert_eq!(capgen_diagnostic::quoted("a\nb"), "`a\\nb`");
/// ```
pub fn quoted(text: &str) -> String {
    format!("`{}`", shortened(text, MAX_LENGTH))
}

/// The first `longest` code points of a text, on one line, with invisible characters escaped. An ellipsis marks an
/// omission.
pub fn shortened(text: &str, longest: usize) -> String {
    let text = cut_short(text, longest);
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_other_space(c) { shown.extend(c.escape_unicode()) } else { push_visible(&mut shown, c) }
    }
    shown
}
