//! Patterns as JavaScript literals.

use std::fmt::Write;

/// `source`, which is a pattern, as `RegularExpressionBody`: what stands between the slashes of `/…/u`.
///
/// Line terminators may not stand in it, an unescaped slash ends it, and nothing at all makes a comment. Characters that
/// nobody sees, or that change how the line is shown, are escaped as well.
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
            _ if c.is_control() || is_unseen(c) => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out
}

/// Separators, joiners, marks of direction, the byte order mark.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}
