//! Untrusted text on one line.

use capgen_diagnostic::is_unsafe;

/// The text with every character escaped that a viewer may act on instead of displaying it, line ends included.
pub(super) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unsafe(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}
