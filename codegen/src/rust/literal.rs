//! Text as Rust literals: the only way that it gets into code.

/// Appends a string literal. What could end a line, hide, or change how other text is shown is written as an escape.
pub(super) fn push(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.bytes().position(|b| !is_plain(b)).unwrap_or(rest.len());
        // The first byte that is not plain is never inside a character.
        let (plain, others) = rest.split_at_checked(end).unwrap_or((rest, ""));
        out.push_str(plain);
        let mut chars = others.chars();
        if let Some(c) = chars.next() {
            escape(out, c, chars.as_str());
        }
        rest = chars.as_str();
    }
    out.push('"');
}

fn is_plain(b: u8) -> bool {
    matches!(b, b' '..=b'~') && !matches!(b, b'"' | b'\\')
}

fn escape(out: &mut String, c: char, behind: &str) {
    match c {
        // With a digit behind it the short form would look like an octal one.
        '\0' if behind.starts_with(|c| matches!(c, '0'..='7')) => out.push_str("\\x00"),
        '\0' => out.push_str("\\0"),
        '\'' => out.push('\''),
        c => out.extend(c.escape_debug()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_those_of_the_compiler() {
        for text in
            ["", "a'b\"c\\d", "\u{0}1\u{0}8\u{0}", "\n\r\t\u{7f}\u{85}\u{2028}\u{202e}\u{feff}", "größe 🦀 e\u{301}"]
        {
            let mut literal = String::new();
            push(&mut literal, text);
            assert_eq!(literal, proc_macro2::Literal::string(text).to_string());
            assert!(literal.chars().all(|c| !c.is_control() && !matches!(c, '\u{2028}' | '\u{202e}' | '\u{feff}')));
        }
    }
}
