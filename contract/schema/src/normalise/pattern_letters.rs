//! Characters of patterns: those that escapes mean, and those that are equal without regard to case.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

/// The character that an escape with a letter means, as far as there are such; any other one means itself.
pub(super) fn escaped(c: char) -> char {
    match c {
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        '0' => '\0',
        c => c,
    }
}

/// The characters that are equal to one of a range by simple case folding, and are not in it, as members of a class.
pub(super) fn others(first: char, last: char) -> String {
    let own = ClassUnicode::new([ClassUnicodeRange::new(first, last)]);
    let mut folded = own.clone();
    // The tables of Unicode are there: a feature of the crate, which it has by default.
    if folded.try_case_fold_simple().is_err() {
        return String::new();
    }
    folded.difference(&own);
    let mut text = String::new();
    for range in folded.ranges() {
        text.push_str(&written(range.start()));
        if range.start() != range.end() {
            text.extend(["-", &written(range.end())]);
        }
    }
    text
}

fn written(c: char) -> String {
    if c.is_ascii_alphanumeric() { c.to_string() } else { format!("\\u{{{:x}}}", u32::from(c)) }
}
