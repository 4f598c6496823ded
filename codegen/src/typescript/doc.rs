//! Descriptions as JSDoc: the only way that they get into a comment.

use super::literal;
use crate::model::{Member, Shape, TypeDef};

/// How many numbers that TypeScript cannot hold a comment lists.
const MAX_NOTES: usize = 3;

/// The lines of a text, safe inside a comment: nothing in them ends it, starts a tag, or is hidden.
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
            // Only inside a word, such as an address, is it certain that no tag starts here.
            '@' if !before.is_alphanumeric() => safe.push_str("\\@"),
            '\t' => safe.push(' '),
            c if literal::is_unsafe(c) => safe.push_str(&literal::escape(c)),
            c => safe.push(c),
        }
        before = c;
    }
    safe
}

/// The comment of a type with a name.
pub(super) fn of_type(def: &TypeDef) -> Vec<String> {
    let mut lines = def.description.as_deref().map(lines).unwrap_or_default();
    if let Shape::Enum(members) = &def.shape {
        append(&mut lines, of_members(members));
    }
    lines
}

/// The comment of what stands at a property, whose type has no name of its own where `members` are given.
pub(super) fn of_field(description: Option<&str>, members: Option<&[Member]>) -> Vec<String> {
    let mut lines = description.map(lines).unwrap_or_default();
    append(&mut lines, members.map(of_members).unwrap_or_default());
    lines
}

/// What is to be said of listed values: their descriptions, and where TypeScript's numbers are not the contract's.
fn of_members(members: &[Member]) -> Vec<String> {
    let mut notes = Vec::new();
    for member in members {
        if let (Some(value), Some(description)) = (literal::primitive(&member.value), &member.description) {
            let value = lines(&value).join(" ");
            notes.push(format!("- `{value}`: {}", lines(description).join(" ")));
        }
    }
    let inexact = members.iter().filter_map(|m| m.value.as_number()).filter(|number| !literal::is_exact(number));
    notes.extend(inexact.take(MAX_NOTES).map(|number| {
        format!("`{number}` is no exact value of a `number`: it reads as `{}`.", literal::number(number))
    }));
    notes
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
            ("\n\n a\n\n", vec![" a"]),
            (" \n", vec![]),
        ] {
            assert_eq!(lines(text), expected, "{text:?}");
        }
    }
}
