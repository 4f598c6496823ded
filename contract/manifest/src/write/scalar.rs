//! Strings and numbers in YAML.
//!
//! A string is written without quotes only if every reader of [YAML 1.2](https://yaml.org/spec/1.2.2/) and [YAML
//! 1.1](https://yaml.org/type/) reads it as a string: it starts like a word, and is not a word with a meaning, such as
//! `yes`. Every other string is quoted.

use std::fmt::Write as _;

use capgen_schema::Number;

use capgen_diagnostic::is_unsafe;

/// The syntax around a string, which limits the characters of an unquoted one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// A mapping or sequence in block style, as its key or its value.
    Block,
    /// A list in brackets.
    Flow,
}

/// Words that some reader takes for null or a boolean.
const WORDS: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];

/// Appends a string on one line.
pub(super) fn push_text(out: &mut String, text: &str, context: Context) {
    if text.contains(is_unsafe) {
        push_double_quoted(out, text);
    } else if is_plain(text, context) {
        out.push_str(text);
    } else if text.contains(['\\', '"']) && !text.contains('\'') {
        out.push('\'');
        out.push_str(text);
        out.push('\'');
    } else {
        push_double_quoted(out, text);
    }
}

/// Whether a string is best written as a literal block: it has several lines, the first does not start with whitespace,
/// and none ends with whitespace, which an editor might remove.
pub(super) fn is_literal(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let ends_badly = |line: &str| line.ends_with(char::is_whitespace);
    text.contains('\n')
        && !body.is_empty()
        && !body.starts_with(char::is_whitespace)
        && !body.ends_with('\n')
        && !body.contains(|c| c != '\n' && is_unsafe(c))
        && !body.split('\n').any(ends_badly)
}

/// A number with all its digits. YAML 1.1 reads a number with an exponent as a string unless it has a point.
pub(super) fn number(number: &Number) -> String {
    let text = number.to_string();
    match text.split_once('e') {
        Some((mantissa, exponent)) if !mantissa.contains('.') => format!("{mantissa}.0e{exponent}"),
        _ => text,
    }
}

fn is_plain(text: &str, context: Context) -> bool {
    // Numbers, dates and indicators of YAML start with other characters.
    let starts_well = text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '/'));
    let has_indicator = match context {
        Context::Block => text.contains(": ") || text.ends_with(':'),
        Context::Flow => text.contains([',', '[', ']', '{', '}', ':', '?']),
    };
    starts_well
        && !has_indicator
        && !text.contains(" #")
        && !text.ends_with(char::is_whitespace)
        && !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
        && !is_exponent(text)
}

/// Whether a string looks like the exponent of a number, such as `E7`: npm's `yaml` reads it as NaN in YAML 1.1.
fn is_exponent(text: &str) -> bool {
    let digits = text.strip_prefix(['e', 'E']).map(|rest| rest.strip_prefix(['-', '+']).unwrap_or(rest));
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

fn push_double_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Writing to a string cannot fail.
            c if is_unsafe(c) && c > '\u{ffff}' => _ = write!(out, "\\U{:08x}", u32::from(c)),
            c if is_unsafe(c) => _ = write!(out, "\\u{:04x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push('"');
}
