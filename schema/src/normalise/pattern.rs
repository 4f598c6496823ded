//! Patterns with escapes that ECMA-262 does not allow.

use crate::Pattern;

/// The only punctuation characters that may be escaped with the `u` flag (`SyntaxCharacter` and `/`).
const SYNTAX: &str = "^$\\.*+?()[]{}|/";

/// Removes the backslash from escapes such as `\-` and `\#`, if the pattern does not load otherwise. All engines that allow these
/// escapes agree that they mean the character itself.
pub(super) fn remove_needless_escapes(source: &str) -> String {
    if !source.contains('\\') || Pattern::new(source).is_ok() {
        return source.to_owned();
    }
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
            fixed.push(c);
        }
        fixed.push(escaped);
    }
    fixed
}
