//! Untrusted text as Rust string literals. No other function puts such text into code.

use capgen_diagnostic::{is_other_space, is_unsafe};

/// Appends a string literal with the value `text`. Characters that end a line, are invisible or reorder text when
/// displayed are escaped.
pub(super) fn push(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.bytes().position(|b| !is_plain(b)).unwrap_or(rest.len());
        // Every byte before `end` is ASCII, so `end` is the start of a character.
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

fn escape(out: &mut String, c: char, following: &str) {
    match c {
        // Before a digit, `\0` would look like an octal escape; rustc prints the long form too.
        '\0' if following.starts_with(|c| matches!(c, '0'..='7')) => out.push_str("\\x00"),
        '\0' => out.push_str("\\0"),
        // `escape_debug` escapes both quotes, but only `"` needs it here.
        '\'' => out.push('\''),
        // The compiler prints some of these as they are.
        c if !c.is_ascii() && (is_unsafe(c) || is_other_space(c)) => out.extend(c.escape_unicode()),
        c => out.extend(c.escape_debug()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_escaped() {
        let mut literal = String::new();
        push(&mut literal, "\u{3164}\u{115f}\u{1d173}\u{e0041}\u{fe0f}\u{a0}\u{2800}");
        assert_eq!(literal, r#""\u{3164}\u{115f}\u{1d173}\u{e0041}\u{fe0f}\u{a0}\u{2800}""#);
    }

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
