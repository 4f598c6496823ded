//! Names of the model as Rust identifiers.

use std::borrow::Cow;

/// Words that no edition takes as an identifier, not even a raw one.
const NEVER_RAW: [&str; 4] = ["Self", "crate", "self", "super"];

/// Words that are keywords in edition 2021 or 2024, or reserved.
const KEYWORDS: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
    "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
    "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// The name of a field, parameter or variant: keywords are raw, or get a trailing `_` where they cannot be. No other name
/// ends in `_`.
pub(super) fn part(name: &str) -> Cow<'_, str> {
    if NEVER_RAW.contains(&name) {
        Cow::Owned(format!("{name}_"))
    } else if KEYWORDS.contains(&name) {
        Cow::Owned(format!("r#{name}"))
    } else {
        Cow::Borrowed(name)
    }
}

/// `AbC` to `ab_c`, with a prefix. Distinct names stay distinct.
pub(super) fn function(prefix: &str, name: &str) -> String {
    let mut snake = prefix.to_owned();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_escaped() {
        for (name, expected) in [("type", "r#type"), ("gen", "r#gen"), ("self", "self_"), ("Self", "Self_"), ("a", "a")]
        {
            assert_eq!(part(name), expected);
        }
    }

    #[test]
    fn functions_are_named_after_types() {
        for (name, expected) in [("Circle", "as_circle"), ("N1_0", "as_n1_0"), ("AscX12ab", "as_asc_x12ab")] {
            assert_eq!(function("as", name), expected);
        }
    }
}
