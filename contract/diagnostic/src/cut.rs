//! Shortened texts.

use std::borrow::Cow;

/// The end of a text that is cut.
const ELLIPSIS: char = '…';

/// The first `longest` code points of a text, and whether there are more.
///
/// ```
/// assert_eq!(capgen_diagnostic::cut("äöü", 2), ("äö", true));
/// assert_eq!(capgen_diagnostic::cut("äöü", 3), ("äöü", false));
/// ```
#[must_use]
pub fn cut(text: &str, longest: usize) -> (&str, bool) {
    // A text has at least as many bytes as code points.
    let end = if text.len() <= longest { None } else { text.char_indices().nth(longest) };
    end.and_then(|(end, _)| text.get(..end)).map_or((text, false), |start| (start, true))
}

/// The first `longest` code points of a text. An ellipsis after them marks an omission.
///
/// ```
/// assert_eq!(capgen_diagnostic::cut_short("äöü", 2), "äö…");
/// assert_eq!(capgen_diagnostic::cut_short("äöü", 3), "äöü");
/// ```
#[must_use]
pub fn cut_short(text: &str, longest: usize) -> Cow<'_, str> {
    match cut(text, longest) {
        (start, true) => Cow::Owned(format!("{start}{ELLIPSIS}")),
        (text, false) => Cow::Borrowed(text),
    }
}
