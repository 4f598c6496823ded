//! Values and names from a contract as TypeScript literals. They get into code only through this module.

use capgen_diagnostic::{is_other_space, is_unsafe};

use crate::typescript::syntax::{Literal, follows_dot};

/// A string literal. Characters that could end a line, be invisible, or close an HTML script are escaped.
pub(super) fn string(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            '<' if matches!(chars.peek(), Some('/' | '!')) => literal.push_str("\\u003c"),
            c if is_unsafe(c) || is_other_space(c) => literal.push_str(&escape(c)),
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}

/// `\u202e`, with a pair of surrogates beyond the first plane.
pub(in crate::typescript) fn escape(c: char) -> String {
    c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect()
}

/// A property's name in a type.
pub(super) fn property(name: &str) -> String {
    if follows_dot(name) && name != "__proto__" { name.to_owned() } else { string(name) }
}

/// A property's name in an object literal: never one that would set the prototype.
pub(super) fn key(name: &str) -> String {
    if name == "__proto__" { format!("[{}]", string(name)) } else { property(name) }
}

fn float(float: f64) -> String {
    let size = float.abs();
    if float == 0.0 {
        "0".to_owned()
    } else if float.is_infinite() {
        if float > 0.0 { "Infinity".to_owned() } else { "-Infinity".to_owned() }
    } else if (1e-6..1e21).contains(&size) {
        format!("{float}")
    } else {
        format!("{float:e}")
    }
}

/// A scalar.
pub(in crate::typescript) fn literal(literal: &Literal) -> String {
    match literal {
        Literal::Null => "null".to_owned(),
        Literal::Boolean(value) => value.to_string(),
        Literal::Number(number) => float(number.float()),
        Literal::String(text) => string(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_cannot_end_their_literal_their_line_or_a_script() {
        for (text, expected) in [
            ("a", r#""a""#),
            ("\"\\", r#""\"\\""#),
            ("\n\r\t\0\u{7f}", r#""\n\r\t\u0000\u007f""#),
            ("\u{2028}\u{2029}\u{202e}\u{feff}", r#""\u2028\u2029\u202e\ufeff""#),
            ("</script><!--", r#""\u003c/script>\u003c!--""#),
            ("${x}`'😀ß", "\"${x}`'😀ß\""),
            ("\u{e0041}", r#""\udb40\udc41""#),
            ("\u{3164}\u{115f}\u{1d173}\u{a0}", r#""\u3164\u115f\ud834\udd73\u00a0""#),
        ] {
            assert_eq!(string(text), expected, "{text:?}");
        }
    }

    #[test]
    fn names_are_identifiers_only_where_that_is_safe() {
        for (name, expected) in [
            ("prUrl", "prUrl"),
            ("class", "class"),
            ("$ok_1", "$ok_1"),
            ("", r#""""#),
            ("2fast", r#""2fast""#),
            ("größe", r#""größe""#),
            ("a-b", r#""a-b""#),
            ("__proto__", r#""__proto__""#),
        ] {
            assert_eq!(property(name), expected);
        }
    }

    #[test]
    fn numbers_are_written_as_javascript_writes_them() {
        for (value, expected) in [
            (-3.0, "-3"),
            (1.0, "1"),
            (-0.0, "0"),
            (0.1, "0.1"),
            (1e21, "1e21"),
            (1e-7, "1e-7"),
            (9_007_199_254_740_992.0, "9007199254740992"),
            (18_446_744_073_709_551_615.0, "18446744073709552000"),
        ] {
            assert_eq!(float(value), expected);
        }
    }
}
