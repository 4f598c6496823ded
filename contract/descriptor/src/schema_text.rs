//! The layout of the schemas in descriptors. Generated code contains them over several lines and with escapes;
//! everything else uses the compact text.
//!
//! This crate does not use the cursor of `capgen-schema`, because the derive macro links it and builds quickly without
//! that crate. It only removes the layout, and keeps invalid texts different from each other.

/// Whether two schemas have the same text apart from layout.
pub(crate) fn are_same(a: Option<&str>, b: Option<&str>) -> bool {
    a == b || matches!((a, b), (Some(a), Some(b)) if compact(a) == compact(b))
}

/// JSON without the whitespace between its tokens, and with characters instead of their `\u` escapes where JSON allows
/// that. This is the canonical text if names are sorted and numbers are canonical. Invalid JSON becomes other invalid
/// JSON.
pub(crate) fn compact(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(start) = rest.find('"') {
        let (before, string) = rest.split_at(start);
        push_tokens(&mut out, before);
        rest = push_string(&mut out, string);
    }
    push_tokens(&mut out, rest);
    out
}

fn push_tokens(out: &mut String, tokens: &str) {
    out.extend(tokens.chars().filter(|c| !matches!(c, ' ' | '\n' | '\r' | '\t')));
}

/// Appends the string that `text` starts with, and returns the text after it.
fn push_string<'t>(out: &mut String, text: &'t str) -> &'t str {
    let mut chars = text.chars();
    out.extend(chars.next());
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            if c == '"' {
                break;
            }
            continue;
        }
        match unicode_escape(chars.as_str()) {
            Some((decoded, rest)) => {
                out.push(decoded);
                chars = rest.chars();
            }
            None => {
                out.push(c);
                out.extend(chars.next());
            }
        }
    }
    chars.as_str()
}

/// The character of a `\u` escape and the text after it; `text` starts after the backslash. `None` if it is another
/// escape, or if the character must stay escaped.
fn unicode_escape(text: &str) -> Option<(char, &str)> {
    let (first, rest) = unit(text)?;
    if let Some(c) = char::from_u32(first.into()) {
        return (c >= ' ' && !matches!(c, '"' | '\\')).then_some((c, rest));
    }
    let (second, rest) = unit(rest.strip_prefix('\\')?)?;
    let decoded = char::decode_utf16([first, second]).next()?.ok()?;
    Some((decoded, rest))
}

fn unit(text: &str) -> Option<(u16, &str)> {
    let digits = text.strip_prefix('u')?;
    let (digits, rest) = digits.split_at_checked(4)?;
    let is_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    Some((u16::from_str_radix(digits, 16).ok().filter(|_| is_hexadecimal)?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_and_escapes_do_not_matter() {
        for (json, expected) in [
            ("{\n  \"a b\": [1, 2]\r\n}\t", r#"{"a b":[1,2]}"#),
            (r#""\u0023\u00fc\ud83e\udd80 \u2028""#, "\"#ü🦀 \u{2028}\""),
            (r#""\u0022\u005c\u0007\n\" x\\" "#, r#""\u0022\u005c\u0007\n\" x\\""#),
            (r#""\ud83e" "#, r#""\ud83e""#),
            (r#""\u+123\u12"#, r#""\u+123\u12"#),
            ("\"\\", "\"\\"),
            ("", ""),
        ] {
            assert_eq!(compact(json), expected);
        }
        assert!(are_same(Some(r#"{"a": "\u00fc"}"#), Some(r#"{"a":"ü"}"#)));
        assert!(!are_same(Some("true"), None) && !are_same(Some("true"), Some("false")) && are_same(None, None));
    }
}
