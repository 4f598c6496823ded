//! `uri-template` of [RFC 6570](https://www.rfc-editor.org/rfc/rfc6570#section-2), whose operators include those that
//! are reserved for extensions. An apostrophe is a literal, as an erratum of the standard says.

pub(super) fn is_uri_template(text: &str) -> bool {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let after = match first {
            '{' => rest.get(1..).and_then(|rest| rest.split_once('}')).filter(|(inner, _)| is_expression(inner)),
            '%' => escape(rest).map(|after| ("", after)),
            _ if is_literal(first) => rest.get(first.len_utf8()..).map(|after| ("", after)),
            _ => None,
        };
        let Some((_, after)) = after else { return false };
        rest = after;
    }
    true
}

/// The text after a percent-encoded octet.
fn escape(text: &str) -> Option<&str> {
    let (octet, after) = text.strip_prefix('%')?.split_at_checked(2)?;
    octet.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(after)
}

fn is_literal(c: char) -> bool {
    match c {
        '!'..='~' => !matches!(c, '"' | '%' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}'),
        _ => is_ucschar(c) || is_iprivate(c),
    }
}

/// `ucschar` of [RFC 3987 section 2.2](https://www.rfc-editor.org/rfc/rfc3987#section-2.2).
fn is_ucschar(c: char) -> bool {
    match u32::from(c) {
        code @ 0x1_0000..=0xd_ffff => code & 0xffff <= 0xfffd,
        code => matches!(code, 0xa0..=0xd7ff | 0xf900..=0xfdcf | 0xfdf0..=0xffef | 0xe_1000..=0xe_fffd),
    }
}

/// `iprivate` of the same section.
fn is_iprivate(c: char) -> bool {
    matches!(u32::from(c), 0xe000..=0xf8ff | 0xf_0000..=0xf_fffd | 0x10_0000..=0x10_fffd)
}

/// The part of an expression between its braces.
fn is_expression(text: &str) -> bool {
    let variables = text.strip_prefix(['+', '#', '.', '/', ';', '?', '&', '=', ',', '!', '@', '|']).unwrap_or(text);
    variables.split(',').all(is_variable)
}

fn is_variable(text: &str) -> bool {
    let name = match text.split_once(':') {
        Some((name, length)) if is_prefix_length(length) => name,
        Some(_) => return false,
        None => text.strip_suffix('*').unwrap_or(text),
    };
    name.split('.').all(is_name)
}

/// From 1 to 9999.
fn is_prefix_length(text: &str) -> bool {
    (1..=4).contains(&text.len()) && !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A part of a name, between dots.
fn is_name(text: &str) -> bool {
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let after = match first {
            '%' => escape(rest),
            _ if first.is_ascii_alphanumeric() || first == '_' => rest.get(1..),
            _ => None,
        };
        let Some(after) = after else { return false };
        rest = after;
    }
    !text.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_literals_and_expressions() {
        for text in [
            "",
            "a",
            "{a}",
            "{+a,b}",
            "x{#a.b%41:9999}y{/a*}",
            "{=a}",
            "{|a_1}",
            "é\u{f0000}'",
            "%4a",
            "[?]@",
            "{a:1,b*}",
        ] {
            assert!(is_uri_template(text), "{text}");
        }
        for text in [
            "{",
            "}",
            "{}",
            "{a",
            "a}",
            "{a,,b}",
            "{a:0}",
            "{a:10000}",
            "{a:}",
            "{a:1*}",
            "{a..b}",
            "{.}",
            "{a.}",
            "%4",
            "%é1",
            "\"",
            "<",
            " ",
            "|",
            "\u{7f}",
            "\u{80}",
            "\u{ffff}",
            "{é}",
            "{a{b}",
            "{++a}",
            "{a-b}",
            "{%4}",
        ] {
            assert!(!is_uri_template(text), "{text}");
        }
    }
}
