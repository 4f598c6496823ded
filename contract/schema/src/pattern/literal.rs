//! Patterns as JavaScript literals.

use std::fmt::Write;

use capgen_diagnostic::{is_other_space, is_unsafe};

/// A valid pattern as ECMA-262's `RegularExpressionBody`, the text between the slashes of `/…/u`.
///
/// In a literal, line terminators are not allowed, an unescaped slash would end it, and an empty body would start a
/// comment. Invisible characters and characters that change the direction of the text are escaped as well, so that
/// readers of the generated source see the whole pattern.
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
            // The pattern has the flag `u`, with which braces enclose code points beyond the first plane.
            _ if (is_unsafe(c) || is_other_space(c)) && u32::from(c) > 0xffff => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            _ if is_unsafe(c) || is_other_space(c) => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out
}
