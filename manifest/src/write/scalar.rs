//! Strings and numbers in YAML.
//!
//! A string is plain only where no reader of [YAML 1.2](https://yaml.org/spec/1.2.2/) or of
//! [YAML 1.1](https://yaml.org/type/) takes it for something else: it starts like a word, and is none of the words that
//! mean something. Any other is in quotes.

use std::fmt::Write as _;

use capgen_schema::Number;

use capgen_diagnostic::is_unsafe;

/// What a string stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// A mapping or sequence in block style, as its key or its value.
    Block,
    /// A list in brackets.
    Flow,
}

/// What is null or a boolean to some reader.
const WORDS: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];

/// Appends a string on one line.
pub(super) fn push_text(out: &mut String, text: &str, context: Context) {
    if text.contains(must_be_escaped) {
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

/// Whether a string reads best, and safely, as a literal block: it has lines, the first of which does not look indented, and
/// none of which ends with space that an editor would remove.
pub(super) fn is_literal(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let ends_badly = |line: &str| line.ends_with(char::is_whitespace);
    text.contains('\n')
        && !body.is_empty()
        && !body.starts_with(char::is_whitespace)
        && !body.ends_with('\n')
        && !body.contains(|c| c != '\n' && must_be_escaped(c))
        && !body.split('\n').any(ends_badly)
}

/// A number with all its digits. YAML 1.1 takes one with an exponent for a string, unless it has a point.
pub(super) fn number(number: &Number) -> String {
    let text = number.to_string();
    match text.split_once('e') {
        Some((mantissa, exponent)) if !mantissa.contains('.') => format!("{mantissa}.0e{exponent}"),
        _ => text,
    }
}

/// Whether YAML leaves a character without meaning though it does not show.
pub(super) fn is_noncharacter(c: char) -> bool {
    matches!(u32::from(c) & 0xffff, 0xfffe | 0xffff)
}

fn must_be_escaped(c: char) -> bool {
    is_unsafe(c) || is_noncharacter(c)
}

fn is_plain(text: &str, context: Context) -> bool {
    // No number, date or indicator starts like this.
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

/// Whether a string is the end of a number, such as `E7`: npm's `yaml` takes it for NaN, where it reads YAML 1.1.
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
            c if must_be_escaped(c) && c > '\u{ffff}' => _ = write!(out, "\\U{:08x}", u32::from(c)),
            c if must_be_escaped(c) => _ = write!(out, "\\u{:04x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push('"');
}
