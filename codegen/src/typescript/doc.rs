//! Descriptions as the lines of JSDoc comments. They get into comments only through this module.

use capgen_diagnostic::{is_other_space, is_unsafe};
use capgen_schema::Number;

use super::printer::literal;
use super::syntax::Literal;
use crate::model::note::{self, Note};
use crate::model::{Field, Member, Origin, Shape, TypeDef};

/// A comment lists at most this many numbers that TypeScript rounds.
const MAX_NOTES: usize = 3;

/// The lines of a text, made safe for a comment: nothing in them ends the comment, starts a tag or is invisible.
pub(super) fn lines(text: &str) -> Vec<String> {
    let is_break = |c: char| matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let text = text.replace("\r\n", "\n");
    let mut lines: Vec<String> = text.split(is_break).map(|line| safe(line.trim_end())).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let first = lines.iter().position(|line| !line.is_empty()).unwrap_or(0);
    lines.split_off(first)
}

fn safe(line: &str) -> String {
    let mut safe = String::with_capacity(line.len());
    let mut before = ' ';
    for c in line.chars() {
        match c {
            '/' if before == '*' => safe.push_str("\\/"),
            // A tag can start anywhere but inside a word, such as an email address.
            '@' if !before.is_alphanumeric() => safe.push_str("\\@"),
            '\t' => safe.push(' '),
            c if is_other_space(c) => safe.push(' '),
            c if is_unsafe(c) => safe.push_str(&literal::escape(c)),
            c => safe.push(c),
        }
        before = c;
    }
    safe
}

/// The details of an error in words.
pub(super) fn details(def: &TypeDef) -> String {
    match &def.error {
        Some(error) if !error.is_shared => format!("The details of `{}` of `{}`", error.code, def.capability),
        Some(error) => format!("The details of `{}`", error.code),
        None => String::new(),
    }
}

/// The comment of a type with a name.
pub(super) fn of_type(def: &TypeDef) -> Vec<String> {
    let mut lines = def.description.as_deref().map(lines).unwrap_or_default();
    if lines.is_empty() && def.origin == Origin::Root && def.error.is_some() {
        lines.push(format!("{}.", details(def)));
    }
    if let Shape::Enum(members) = &def.shape {
        append(&mut lines, of_members(members));
    }
    append_note(&mut lines, &def.note);
    lines
}

/// The comment of a property. If its type is an enum without a name of its own, `members` are its values.
pub(super) fn of_field(field: &Field, members: Option<&[Member]>) -> Vec<String> {
    let mut lines = field.description.as_deref().map(lines).unwrap_or_default();
    append(&mut lines, members.map(of_members).unwrap_or_default());
    append_note(&mut lines, &field.note);
    lines
}

fn append_note(comment: &mut Vec<String>, note: &Note) {
    if let Some(sentence) = note.sentence() {
        note::append(comment, lines(&sentence).join(" "));
    }
    if note.is_deprecated {
        comment.push("@deprecated".to_owned());
    }
}

/// The comment of a guard, which looks at one property of a value.
pub(super) fn of_guard(union: &str, variant: &str, property: &str) -> Vec<String> {
    let property = lines(&literal::literal(&Literal::String(property.to_owned()))).join(" ");
    vec![format!(
        "Whether a `{union}` is a `{variant}`. It looks only at {property}, so the value must already be valid."
    )]
}

/// Notes about the values of an enum: their descriptions, and numbers of the contract that TypeScript rounds.
fn of_members(members: &[Member]) -> Vec<String> {
    let mut notes = Vec::new();
    for member in members {
        if let (Some(value), Some(description)) = (Literal::of(&member.value), &member.description) {
            let value = lines(&literal::literal(&value)).join(" ");
            notes.push(format!("- `{value}`: {}", lines(description).join(" ")));
        }
    }
    let inexact = members.iter().filter_map(|m| m.value.as_number()).filter(|number| !is_exact(number));
    notes.extend(inexact.take(MAX_NOTES).map(|number| {
        format!("`{number}` cannot be represented exactly as a `number`; it becomes `{}`.", rounded(number))
    }));
    notes
}

/// A number as TypeScript writes the nearest binary64.
fn rounded(number: &Number) -> String {
    literal::literal(&Literal::Number(super::syntax::Number::new(number.as_f64())))
}

/// Whether TypeScript represents the number: the nearest binary64 equals it, or is written with the same digits.
fn is_exact(number: &Number) -> bool {
    let float = number.as_f64();
    let is_written_alike = Number::from_f64(float).is_some_and(|written| written == *number);
    // The digits of an integer without an exponent are its exact value.
    let is_same_integer =
        float.fract() == 0.0 && format!("{float:.0}").parse().is_ok_and(|value: Number| value == *number);
    is_written_alike || is_same_integer
}

fn append(lines: &mut Vec<String>, notes: Vec<String>) {
    if !lines.is_empty() && !notes.is_empty() {
        lines.push(String::new());
    }
    lines.extend(notes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_leaves_its_comment_or_becomes_a_tag() {
        for (text, expected) in [
            ("a */ b", vec!["a *\\/ b"]),
            ("**//", vec!["**\\//"]),
            ("@deprecated x @internal", vec!["\\@deprecated x \\@internal"]),
            ("{@link x} me@example.org *@x", vec!["{\\@link x} me@example.org *\\@x"]),
            ("a\r\nb\u{2028}c\u{202e}\0", vec!["a", "b", "c\\u202e\\u0000"]),
            ("a\u{3164}\u{115f}\u{1d173}b\u{a0}c", vec!["a\\u3164\\u115f\\ud834\\udd73b c"]),
            ("\n\n a\n\n", vec![" a"]),
            (" \n", vec![]),
        ] {
            assert_eq!(lines(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_rounded_number_is_one_that_typescript_writes_differently() {
        for (text, expected, is_expected_exact) in [
            ("-3", "-3", true),
            ("1.0", "1", true),
            ("-0", "0", true),
            ("0.1", "0.1", true),
            ("1e21", "1e21", true),
            ("9007199254740993", "9007199254740992", false),
            ("18446744073709551615", "18446744073709552000", false),
            ("1.00000000000000000001", "1", false),
            ("18446744073709551616", "18446744073709552000", true),
        ] {
            let value: Number = text.parse().unwrap();
            assert_eq!((rounded(&value).as_str(), is_exact(&value)), (expected, is_expected_exact), "{text}");
        }
    }
}
