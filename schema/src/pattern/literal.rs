//! Patterns as JavaScript literals.

use std::fmt::Write;

/// A valid pattern as ECMA-262's `RegularExpressionBody`, the text between the slashes of `/…/u`.
///
/// In a literal, line terminators are not allowed, an unescaped slash would end it, and an empty body would start a comment.
/// Invisible characters and characters that change the direction of the text are escaped as well, so that readers of the
/// generated source see the whole pattern.
pub(super) fn escape(source: &str) -> String {
    if source.is_empty() {
        return "(?:)".to_owned();
    }
    let mut out = String::with_capacity(source.len() + 8);
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                out.push('\\');
                out.extend(chars.next());
            }
            '/' => out.push_str("\\/"),
            _ if c.is_control() || is_invisible(c) => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out
}

/// Separators, joiners, direction marks and the byte order mark.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}
