//! Patterns that escape more than ECMA-262 allows.

use crate::Pattern;

/// With the `u` flag, these and no others may be escaped.
const SYNTAX: &str = "^$\\.*+?()[]{}|/";

/// Takes the backslash from before characters that need none, such as `\-` and `\#`, where the pattern does not load
/// otherwise: all who allow them give them that meaning.
pub(super) fn mend(source: &str) -> String {
    if !source.contains('\\') || Pattern::new(source).is_ok() {
        return source.to_owned();
    }
    let mut mended = String::with_capacity(source.len());
    let mut in_class = false;
    let mut rest = source.chars();
    while let Some(c) = rest.next() {
        let Some(escaped) = (c == '\\').then(|| rest.next()).flatten() else {
            in_class = c == '[' || (in_class && c != ']');
            mended.push(c);
            continue;
        };
        let is_needed = SYNTAX.contains(escaped) || (in_class && escaped == '-');
        if is_needed || !(escaped.is_ascii_punctuation() || escaped == ' ') {
            mended.push(c);
        }
        mended.push(escaped);
    }
    mended
}
