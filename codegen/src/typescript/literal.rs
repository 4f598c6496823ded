//! Values and names from a contract as TypeScript literals: the only way that they get into code.

use capgen_schema::{Json, Number};

use super::syntax::{self, Property, Ts};

/// A string literal. What could end a line, hide, or close an HTML script is written as an escape.
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
            c if is_unsafe(c) => literal.push_str(&escape(c)),
            c => literal.push(c),
        }
    }
    literal.push('"');
    literal
}

/// `\u202e`, with a pair of surrogates beyond the first plane.
pub(super) fn escape(c: char) -> String {
    c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect()
}

/// Whether a character is one that readers cannot see, or that changes how others are shown or where a line ends.
pub(super) fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// A property's name as it stands in a type.
pub(super) fn property(name: &str) -> String {
    if is_identifier(name) && name != "__proto__" { name.to_owned() } else { string(name) }
}

/// The access of a property of `value`.
pub(super) fn access(value: &str, name: &str) -> String {
    if is_identifier(name) { format!("{value}.{name}") } else { format!("{value}[{}]", string(name)) }
}

fn is_identifier(name: &str) -> bool {
    let starts = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$');
    name.starts_with(starts) && name.chars().all(|c| starts(c) || c.is_ascii_digit())
}

/// A number as TypeScript has it: the nearest binary64.
pub(super) fn number(number: &Number) -> String {
    float(number.as_f64())
}

/// A binary64 as TypeScript has it.
pub(super) fn float(float: f64) -> String {
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

/// Whether [`number`] says exactly what the contract says: by the value of the binary64, or by the decimal that it prints
/// as.
pub(super) fn is_exact(number: &Number) -> bool {
    let float = number.as_f64();
    let printed = Number::from_f64(float).is_some_and(|printed| printed == *number);
    // Without a fraction, what is printed without an exponent is the exact value.
    let whole = float.fract() == 0.0 && format!("{float:.0}").parse().is_ok_and(|value: Number| value == *number);
    printed || whole
}

/// The literal of a value that is no array or object.
pub(super) fn primitive(value: &Json) -> Option<String> {
    Some(match value {
        Json::Null => "null".to_owned(),
        Json::Bool(value) => value.to_string(),
        Json::Number(value) => number(value),
        Json::String(text) => string(text),
        Json::Array(_) | Json::Object(_) => return None,
    })
}

/// The type that has one value.
pub(super) fn type_of(value: &Json) -> Ts {
    match value {
        Json::Array(items) => syntax::tuple(items.iter().map(type_of).collect()),
        Json::Object(members) => {
            syntax::object(members.iter().map(|(name, value)| Property::new(&property(name), type_of(value))).collect())
        }
        value => syntax::text(primitive(value).unwrap_or_default()),
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
    fn numbers_are_the_nearest_binary64() {
        for (text, expected, exact) in [
            ("-3", "-3", true),
            ("1.0", "1", true),
            ("-0", "0", true),
            ("0.1", "0.1", true),
            ("1e21", "1e21", true),
            ("1e-7", "1e-7", true),
            ("9007199254740993", "9007199254740992", false),
            ("18446744073709551615", "18446744073709552000", false),
            ("1.00000000000000000001", "1", false),
            ("18446744073709551616", "18446744073709552000", true),
        ] {
            let value: Number = text.parse().unwrap();
            assert_eq!((number(&value).as_str(), is_exact(&value)), (expected, exact), "{text}");
        }
    }
}
