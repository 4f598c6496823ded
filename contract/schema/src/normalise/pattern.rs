//! Patterns with escapes that ECMA-262 does not allow.

use crate::Pattern;

/// The only punctuation characters that may be escaped with the `u` flag (`SyntaxCharacter` and `/`).
pub(super) const SYNTAX: &str = "^$\\.*+?()[]{}|/";

/// Removes the backslash from escapes such as `\-` and `\#`, if the pattern does not load otherwise. All engines that
/// allow these escapes agree that they mean the character itself.
///
/// The character must not become part of the syntax around it: in `a{1\,2}`, the comma is literal, so the braces are as
/// well. The grammar decides that. With `\xHH` instead of such an escape, the character is literal wherever a character
/// may be, and an error in quantifiers and in the heads of groups. If that pattern loads, each character takes the
/// place of a whole atom.
pub(super) fn remove_needless_escapes(source: &str) -> String {
    if !source.contains('\\') || Pattern::new(source).is_ok() {
        return source.to_owned();
    }
    let fixed = with_escapes(source, |c| c.to_string());
    let is_safe = || Pattern::new(&with_escapes(source, |c| format!("\\x{:02x}", u32::from(c)))).is_ok();
    if fixed != source && is_safe() { fixed } else { source.to_owned() }
}

/// The pattern with each needless escape replaced by what `write` returns for its character.
fn with_escapes(source: &str, write: impl Fn(char) -> String) -> String {
    let mut fixed = String::with_capacity(source.len());
    let mut in_class = false;
    let mut rest = source.chars();
    while let Some(c) = rest.next() {
        let Some(escaped) = (c == '\\').then(|| rest.next()).flatten() else {
            in_class = c == '[' || (in_class && c != ']');
            fixed.push(c);
            continue;
        };
        let is_needed = SYNTAX.contains(escaped) || (in_class && escaped == '-');
        if is_needed || !(escaped.is_ascii_punctuation() || escaped == ' ') {
            fixed.extend([c, escaped]);
        } else {
            fixed.push_str(&write(escaped));
        }
    }
    fixed
}
