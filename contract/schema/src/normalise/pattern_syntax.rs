//! Patterns with syntax of Python and Rust, or of old programs in JavaScript, that ECMA-262 lacks.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::pattern::remove_needless_escapes;
use crate::Pattern;

/// The other characters that `\w` matches without regard to case: they fold to `s` and `k`.
const WORD_FOLDS: &str = "\\u{17f}\\u{212a}";

/// A pattern that does not load in ECMA-262's syntax, if it loads after these changes, which keep its meaning:
///
/// | syntax | becomes |
/// |---|---|
/// | `(?i)` at the start | each letter becomes a class of itself and the letters that are equal to it by Unicode's simple case folding, as with the flags `iu` of ECMA-262 |
/// | `(?P<name>...)` | `(?<name>...)` |
/// | `\A` | `^` |
/// | `\Z`, `\z` | `$` |
/// | `]` outside of a class, as in JavaScript without the flag `u` | `\]` |
///
/// With `(?i)`, a pattern with a property of Unicode or `\W` stays as it is, because no class has the meaning of these.
pub(super) fn of_other_languages(source: &str) -> Option<String> {
    // All of this syntax has one of these, and usual patterns need not be parsed for it.
    let has_more_ends = source.matches(']').count() > source.matches('[').count();
    if !(has_more_ends || source.contains("(?") || source.contains('\\')) || Pattern::new(source).is_ok() {
        return None;
    }
    let (ignores_case, rest) = match source.strip_prefix("(?i)") {
        Some(rest) => (true, rest),
        None => (false, source),
    };
    let translated = Translator { rest, output: String::with_capacity(source.len()), ignores_case }.pattern()?;
    let translated = remove_needless_escapes(&translated);
    (translated != source && Pattern::new(&translated).is_ok()).then_some(translated)
}

/// `None` from any function: the pattern has no translation.
struct Translator<'a> {
    rest: &'a str,
    output: String,
    ignores_case: bool,
}

/// A member of a class.
enum Member<'a> {
    Char(&'a str, char),
    /// A set, such as `\d`, which has no ends of a range.
    Set,
}

impl<'a> Translator<'a> {
    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    /// Skips a text if it is next.
    fn skip(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn pattern(mut self) -> Option<String> {
        while let Some(c) = self.next() {
            match c {
                '\\' => self.escape()?,
                '[' => self.class()?,
                '(' => self.group()?,
                ']' => self.output.push_str("\\]"),
                c => self.literal(c, c.encode_utf8(&mut [0; 4])),
            }
        }
        Some(self.output)
    }

    /// The head of a group.
    fn group(&mut self) -> Option<()> {
        self.output.push('(');
        // Before the names of groups, which begin in the same way.
        for head in ["?:", "?=", "?!", "?<=", "?<!"] {
            if self.skip(head) {
                self.output.push_str(head);
                return Some(());
            }
        }
        if self.skip("?P<") || self.skip("?<") {
            let (name, rest) = self.rest.split_once('>')?;
            self.output.extend(["?<", name, ">"]);
            self.rest = rest;
            return Some(());
        }
        (!self.rest.starts_with('?')).then_some(())
    }

    /// The rest of an escape outside of classes.
    fn escape(&mut self) -> Option<()> {
        let start = self.rest;
        match self.next()? {
            'A' => self.output.push('^'),
            'Z' | 'z' => self.output.push('$'),
            'w' if self.ignores_case => self.output.extend(["[\\w", WORD_FOLDS, "]"]),
            'W' | 'p' | 'P' if self.ignores_case => return None,
            'x' | 'u' if self.ignores_case => {
                let c = self.code_point(start)?;
                let text = start.strip_suffix(self.rest)?;
                self.literal(c, &format!("\\{text}"));
            }
            'c' => {
                let letter = self.next()?;
                self.output.extend(['\\', 'c', letter]);
            }
            c => self.output.extend(['\\', c]),
        }
        Some(())
    }

    /// The code point of an escape `xHH`, `uHHHH` or `u{H...}`, whose rest follows its first letter; `start` is at that
    /// letter. `None` for a half of a surrogate pair.
    fn code_point(&mut self, start: &str) -> Option<char> {
        let digits = if start.starts_with("u{") {
            let (digits, rest) = self.rest.strip_prefix('{')?.split_once('}')?;
            self.rest = rest;
            digits
        } else {
            let (digits, rest) = self.rest.split_at_checked(if start.starts_with('x') { 2 } else { 4 })?;
            self.rest = rest;
            digits
        };
        char::from_u32(u32::from_str_radix(digits, 16).ok()?)
    }

    /// A character outside of classes, written as `text`.
    fn literal(&mut self, c: char, text: &str) {
        let others = if self.ignores_case { others(c, c) } else { String::new() };
        if others.is_empty() {
            self.output.push_str(text);
        } else {
            self.output.extend(["[", text, &others, "]"]);
        }
    }

    /// The rest of a class.
    fn class(&mut self) -> Option<()> {
        self.output.push('[');
        if self.skip("^") {
            self.output.push('^');
        }
        // Python reads the first bracket as a character, and ECMA-262 as the end.
        if self.rest.starts_with(']') {
            return None;
        }
        while !self.skip("]") {
            let Member::Char(text, first) = self.member()? else { continue };
            let is_range = self.rest.starts_with('-') && !self.rest.starts_with("-]");
            if !is_range {
                self.members(text, first, first);
                continue;
            }
            self.skip("-");
            self.output.extend([text, "-"]);
            let Member::Char(text, last) = self.member()? else { return None };
            self.members(text, first, last);
        }
        self.output.push(']');
        Some(())
    }

    /// The next member of a class. A set is written, and a character is not.
    fn member(&mut self) -> Option<Member<'a>> {
        let start = self.rest;
        let c = self.next()?;
        if c != '\\' {
            return Some(Member::Char(start.strip_suffix(self.rest)?, c));
        }
        let escape = self.rest;
        match self.next()? {
            'A' | 'Z' | 'z' => return None,
            'W' | 'p' | 'P' if self.ignores_case => return None,
            'w' if self.ignores_case => self.output.extend(["\\w", WORD_FOLDS]),
            c @ ('d' | 'D' | 's' | 'S' | 'w' | 'W') => self.output.extend(['\\', c]),
            'p' | 'P' => {
                let (_, rest) = self.rest.split_once('}')?;
                self.rest = rest;
                self.output.push_str(start.strip_suffix(rest)?);
            }
            'x' | 'u' => {
                let c = self.code_point(escape)?;
                return Some(Member::Char(start.strip_suffix(self.rest)?, c));
            }
            'c' => {
                self.next()?;
                self.output.push_str(start.strip_suffix(self.rest)?);
            }
            // Controls have no case, so it does not matter that `n` is not the character.
            c if c.is_ascii_alphanumeric() => self.output.extend(['\\', c]),
            c => return Some(Member::Char(start.strip_suffix(self.rest)?, c)),
        }
        Some(Member::Set)
    }

    /// The end of a range, or a single character, and after it the characters that are equal to one of the range.
    fn members(&mut self, text: &str, first: char, last: char) {
        self.output.push_str(text);
        if self.ignores_case {
            self.output.push_str(&others(first, last));
        }
    }
}

/// The characters that are equal to one of a range by simple case folding, and are not in it, as members of a class.
fn others(first: char, last: char) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syntax_of_other_languages_becomes_that_of_ecma_262() {
        for (source, expected) in [
            (r"\A[a-z]+\Z", "^[a-z]+$"),
            (r"\Ax\z", "^x$"),
            ("^[a-z]{2}]?$", r"^[a-z]{2}\]?$"),
            (r"\Aa]", r"^a\]"),
            (r"(?P<year>\d{4})-(?P<month>\d\d)", r"(?<year>\d{4})-(?<month>\d\d)"),
            ("(?i)^ab-1$", "^[aA][bB]-1$"),
            ("(?i)[^a-c_]", "[^a-cA-C_]"),
            (r"(?i)[\x61-\x63]\u0061", r"[\x61-\x63A-C][\u0061A]"),
            (r"(?i)\w\d[\w-]", r"[\w\u{17f}\u{212a}]\d[\w\u{17f}\u{212a}-]"),
            ("(?i)(?:k|(?=1)2)", r"(?:[kK\u{212a}]|(?=1)2)"),
            (r"(?i)é\.\-", r"[é\u{c9}]\.-"),
            (r"\A\p{L}[\p{N}_]\Z", r"^\p{L}[\p{N}_]$"),
        ] {
            assert_eq!(of_other_languages(source).as_deref(), Some(expected), "{source}");
        }
    }

    #[test]
    fn patterns_without_an_equal_one_stay() {
        for source in [
            "^a$",
            "",
            "(?s).",
            "(?x) a",
            "a(?i)b",
            "(?i:a)",
            r"(?P<a>.)(?P=a)",
            "(?P<a",
            r"(?i)\p{L}",
            r"(?i)\W",
            r"[\A]",
            "(?i)[]a]",
            "[]a]",
            r"\A*",
            "(?i)[b-a]",
            "(?i)[a",
            "(?i)\\",
            r"(?i)\ud83d\ude00",
            r"(?i)\x6",
            r"(?i)\u{110000}",
            r"(?i)[\d-z]",
            "(?P<a>.)(?P<a>.)",
            "(?#x)",
            r"\Z(?>a)",
        ] {
            assert_eq!(of_other_languages(source), None, "{source}");
        }
    }

    /// The crate `regex` has `(?i)`, with the same folding.
    #[test]
    fn case_is_ignored_as_an_independent_engine_does() {
        let chars = || {
            ('\0'..'\u{180}').chain(['Σ', 'σ', 'ς', 'ǅ', 'Я', 'я', 'ẞ', 'ß', '\u{17f}', '\u{212a}', '\u{2126}', 'ﬀ'])
        };
        for c in chars().filter(|c| c.is_alphabetic()) {
            let next = char::from_u32(u32::from(c) + 1).unwrap();
            for source in [format!("(?i)^{c}$"), format!("(?i)^[{c}-{next}]$"), format!("(?i)^[^{c}]$")] {
                let ours = Pattern::new(&of_other_languages(&source).unwrap()).unwrap();
                let theirs = regex::Regex::new(&source).unwrap();
                let near = chars().filter(|other| other.to_lowercase().eq(c.to_lowercase()) || c.is_ascii());
                for other in near.chain([c, next, 'a', '1']) {
                    let text = other.to_string();
                    assert_eq!(ours.is_match(&text), Ok(theirs.is_match(&text)), "{source} {other:?}");
                }
            }
        }
    }
}
