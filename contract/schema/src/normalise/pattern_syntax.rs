//! Patterns with syntax of Python, Rust and PCRE, or of JavaScript without the flag `u`, that ECMA-262 with the flag
//! lacks.

use super::pattern::remove_needless_escapes;
use super::pattern_letters::{escaped, others};
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
/// | `]`, `{`, `}` as characters outside of a class, as in JavaScript without the flag `u` | `\]`, `\{`, `\}` |
/// | `-` next to an escape such as `\w` in a class, as in `[\w-.]` | `\-` |
///
/// Braces with numbers, such as `{,3}`, mean a quantifier in some languages and characters in others, so they stay, and
/// so do brackets in a class before a bracket outside of one, as in `[[:alpha:]]` and `[[a-z]]`. With `(?i)`, a pattern
/// with a property of Unicode or `\W` stays as it is, because no class has the meaning of these.
pub(super) fn of_other_languages(source: &str) -> Option<String> {
    // All of this syntax has one of these, and usual patterns need not be parsed for it.
    let has_more_ends = || source.matches(']').count() > source.matches('[').count();
    let may_have_syntax = source.contains(['\\', '{', '}']) || source.contains("(?") || has_more_ends();
    if !may_have_syntax || Pattern::new(source).is_ok() {
        return None;
    }
    let (ignores_case, rest) = match source.strip_prefix("(?i)") {
        Some(rest) => (true, rest),
        None => (false, source),
    };
    let output = String::with_capacity(source.len());
    let translator = Translator { rest, output, ignores_case, has_end: false, has_inner_start: false };
    let translated = translator.pattern()?;
    let translated = remove_needless_escapes(&translated);
    (translated != source && Pattern::new(&translated).is_ok()).then_some(translated)
}

/// `None` from any function: the pattern has no translation.
struct Translator<'a> {
    rest: &'a str,
    output: String,
    ignores_case: bool,
    /// Whether there is a `]` outside of a class.
    has_end: bool,
    /// Whether there is a `[` in a class.
    has_inner_start: bool,
}

/// A member of a class.
enum Member<'a> {
    Char(&'a str, char),
    /// A set, such as `\d`, which cannot be an end of a range.
    Set(String),
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
                '{' => self.brace()?,
                '}' => self.output.push_str("\\}"),
                ']' => {
                    self.has_end = true;
                    self.output.push_str("\\]");
                }
                c => self.literal(c, c.encode_utf8(&mut [0; 4])),
            }
        }
        (!(self.has_end && self.has_inner_start)).then_some(self.output)
    }

    /// A quantifier after its `{`, or the character.
    fn brace(&mut self) -> Option<()> {
        let inner = self.rest.split_once('}').map_or("", |(inner, _)| inner);
        let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        let is_quantifier = match inner.split_once(',') {
            Some((least, most)) => !least.is_empty() && is_number(least) && is_number(most),
            None => !inner.is_empty() && is_number(inner),
        };
        if is_quantifier {
            self.rest = self.rest.strip_prefix(inner)?.strip_prefix('}')?;
            self.output.extend(["{", inner, "}"]);
            return Some(());
        }
        // Python and newer versions of PCRE have more quantifiers.
        let is_like_one = !inner.is_empty() && inner.chars().all(|c| c.is_ascii_digit() || ", \t".contains(c));
        if is_like_one {
            return None;
        }
        self.output.push_str("\\{");
        Some(())
    }

    /// Copies the braces of an escape, if they are next.
    fn braces(&mut self) -> Option<()> {
        if self.rest.starts_with('{') {
            let (inner, rest) = self.rest.split_once('}')?;
            self.rest = rest;
            self.output.extend([inner, "}"]);
        }
        Some(())
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
            c @ ('u' | 'p' | 'P') => {
                self.output.extend(['\\', c]);
                self.braces()?;
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
            let first = self.member()?;
            if !self.is_hyphen_next() {
                self.single(first);
                continue;
            }
            self.skip("-");
            // `--` subtracts sets with the flag `v`.
            if self.rest.starts_with('-') {
                return None;
            }
            match (first, self.member()?) {
                (Member::Char(start, first), Member::Char(end, last)) => {
                    self.output.extend([start, "-"]);
                    self.members(end, first, last);
                }
                (first, last) => {
                    self.single(first);
                    self.output.push_str("\\-");
                    self.single(last);
                    // JavaScript reads both as one range, and PCRE would begin another one.
                    if self.is_hyphen_next() {
                        return None;
                    }
                }
            }
        }
        self.output.push(']');
        Some(())
    }

    /// Whether a hyphen is next that is not the last character of the class.
    fn is_hyphen_next(&self) -> bool {
        self.rest.starts_with('-') && !self.rest.starts_with("-]")
    }

    /// Writes a member of a class.
    fn single(&mut self, member: Member<'_>) {
        match member {
            Member::Char(text, c) => self.members(text, c, c),
            Member::Set(text) => self.output.push_str(&text),
        }
    }

    /// The next member of a class.
    fn member(&mut self) -> Option<Member<'a>> {
        let start = self.rest;
        let c = self.next()?;
        if c != '\\' {
            self.has_inner_start |= c == '[';
            return Some(Member::Char(start.strip_suffix(self.rest)?, c));
        }
        let escape = self.rest;
        let set = match self.next()? {
            'A' | 'Z' | 'z' => return None,
            'W' | 'p' | 'P' if self.ignores_case => return None,
            'w' if self.ignores_case => format!("\\w{WORD_FOLDS}"),
            'p' | 'P' => {
                let (_, rest) = self.rest.split_once('}')?;
                self.rest = rest;
                start.strip_suffix(rest)?.to_owned()
            }
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => start.strip_suffix(self.rest)?.to_owned(),
            'x' | 'u' => {
                let c = self.code_point(escape)?;
                return Some(Member::Char(start.strip_suffix(self.rest)?, c));
            }
            'c' => {
                let letter = self.next()?;
                let control = char::from_u32(u32::from(letter) % 32)?;
                return Some(Member::Char(start.strip_suffix(self.rest)?, control));
            }
            c => return Some(Member::Char(start.strip_suffix(self.rest)?, escaped(c))),
        };
        Some(Member::Set(set))
    }

    /// The end of a range, or a single character, and after it the characters that are equal to one of the range.
    fn members(&mut self, text: &str, first: char, last: char) {
        self.output.push_str(text);
        if self.ignores_case {
            self.output.push_str(&others(first, last));
        }
    }
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
            ("^a]b}$", r"^a\]b\}$"),
            ("^{a}$", r"^\{a\}$"),
            ("^{{name}}{1}$", r"^\{\{name\}\}{1}$"),
            ("^x{}{2,}{a,1}y{1$", r"^x\{\}{2,}\{a,1\}y\{1$"),
            (r"^\u{61}\p{L}[\u{62}]]$", r"^\u{61}\p{L}[\u{62}]\]$"),
            (r"^[\w-.]+$", r"^[\w\-.]+$"),
            (r"^[a-\d]+[\d-\w]$", r"^[a\-\d]+[\d\-\w]$"),
            (r"^[\w-.-]\Z", r"^[\w\-.-]$"),
            (r"^[\n-\r][\b-]}", r"^[\n-\r][\b-]\}"),
            (r"(?i)[\d-z]", r"[\d\-zZ]"),
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
            "^a{,3}$",
            "^a{,}$",
            "^a{ 1, 3 }$",
            "^{3}$",
            "^[[:alpha:]]{2}$",
            "^[[:alpha:]]$",
            r"^[[a-z]&&[\w-.]]$",
            r"[\w--\d]",
            r"[\d-a-z]",
            r"[a-\d-z]",
            r"^\x{41}$",
            r"^\p{L$",
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
