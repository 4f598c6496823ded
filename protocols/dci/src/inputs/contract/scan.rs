//! The text of a contract as its header and pieces: clauses, and text that is not one. Each byte is read a bounded
//! number of times.

use std::ops::Range;

use super::token::is_escaped;

/// White space: space, tab, LF, CR and FF (decision 1).
fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace()
}

/// The range of a contract without the white space around it.
pub(super) fn trimmed(text: &str) -> Range<usize> {
    let bytes = text.as_bytes();
    let start = bytes.iter().position(|byte| !is_space(*byte)).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|byte| !is_space(*byte)).map_or(start, |last| last + 1);
    start..end
}

/// The range of the text from `start` to the next white space, at most to `end`.
pub(super) fn word(text: &str, start: usize, end: usize) -> Range<usize> {
    let rest = text.as_bytes().get(start..end).unwrap_or_default();
    start..rest.iter().position(|byte| is_space(*byte)).map_or(end, |length| start + length)
}

/// A part of a contract after its header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    /// The white space before it; empty only if the piece follows a clause directly.
    pub(super) gap: Range<usize>,
    /// Its text.
    pub(super) span: Range<usize>,
    /// A clause, or the reason why the text is not one.
    pub(super) content: Result<Clause, Malformed>,
}

/// A clause that is not malformed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Clause {
    /// The name.
    pub(super) name: Range<usize>,
    /// The text between the parentheses.
    pub(super) values: Range<usize>,
}

/// The reason why a text is not a clause, with the place (decisions 3 and 4).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Malformed {
    /// There is no white space after the clause before it.
    NoSpace,
    /// It does not start with a name and `(`.
    NoClause,
    /// An unescaped `(` between its parentheses.
    Parenthesis(Range<usize>),
    /// A backslash before another character than those that are escaped, or at the end.
    Escape(Range<usize>),
    /// There is no `)`. The range is that of the `(`.
    Unclosed(Range<usize>),
}

/// The pieces of a contract after its header.
pub(super) struct Pieces<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Pieces<'t> {
    /// The pieces of `text` between the end of the header and the end of the contract.
    pub(super) fn new(text: &'t str, header_end: usize, end: usize) -> Self {
        Self { text: text.as_bytes().get(..end).unwrap_or_default(), at: header_end }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.get(at).copied()
    }

    /// The end of the bytes from `at` on that `accepts` accepts.
    fn run(&self, mut at: usize, accepts: impl Fn(u8) -> bool) -> usize {
        while self.byte(at).is_some_and(&accepts) {
            at += 1;
        }
        at
    }

    /// The clause at `start`, which ends behind its `)`.
    fn clause(&self, start: usize) -> Result<Clause, Malformed> {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let open = self.run(start, is_name);
        if !self.byte(start).is_some_and(|byte| byte.is_ascii_alphabetic()) || self.byte(open) != Some(b'(') {
            return Err(Malformed::NoClause);
        }
        let mut at = open + 1;
        loop {
            match self.byte(at) {
                Some(b')') => return Ok(Clause { name: start..open, values: open + 1..at }),
                Some(b'(') => return Err(Malformed::Parenthesis(at..at + 1)),
                Some(b'\\') if self.byte(at + 1).is_some_and(is_escaped) => at += 2,
                Some(b'\\') => {
                    return Err(Malformed::Escape(at..self.run(at + 2, |byte| !is_start(byte)).min(self.text.len())));
                }
                Some(_) => at += 1,
                None => return Err(Malformed::Unclosed(open..open + 1)),
            }
        }
    }

    /// The end of the text that is skipped from `at` on: the next white space outside parentheses (decision 4).
    fn skipped_to(&self, mut at: usize) -> usize {
        let mut depth = 0_usize;
        while let Some(byte) = self.byte(at) {
            match byte {
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                // The rest of a long character contains no byte that matters here.
                b'\\' => at += 1,
                _ if depth == 0 && is_space(byte) => return at,
                _ => {}
            }
            at += 1;
        }
        self.text.len()
    }
}

/// Whether a byte starts a character of UTF-8.
fn is_start(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let start = self.run(self.at, is_space);
        if start >= self.text.len() {
            return None;
        }
        let gap = self.at..start;
        let content = if gap.is_empty() { Err(Malformed::NoSpace) } else { self.clause(start) };
        self.at = match &content {
            Ok(clause) => clause.values.end + 1,
            Err(_) => self.skipped_to(start),
        };
        Some(Piece { gap, span: start..self.at, content })
    }
}

/// The values between the parentheses of a clause: the texts between unescaped commas, without the white space around
/// them.
pub(super) fn values(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes().get(..range.end).unwrap_or_default();
    let mut next = Some(range.start);
    std::iter::from_fn(move || {
        let start = next?;
        let comma = find(bytes, start, b',');
        next = comma.map(|comma| comma + 1);
        Some(trimmed_value(bytes, start, comma.unwrap_or(bytes.len())))
    })
}

/// The key and the value of a pair, without the white space around them; `None` if it has no unescaped `=`.
pub(super) fn pair(text: &str, range: Range<usize>) -> Option<(Range<usize>, Range<usize>)> {
    let bytes = text.as_bytes().get(..range.end).unwrap_or_default();
    let equals = find(bytes, range.start, b'=')?;
    Some((trimmed_value(bytes, range.start, equals), trimmed_value(bytes, equals + 1, range.end)))
}

/// The first unescaped occurrence of a byte.
fn find(bytes: &[u8], mut at: usize, wanted: u8) -> Option<usize> {
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            byte if *byte == wanted => return Some(at),
            _ => at += 1,
        }
    }
}

/// A range without the unescaped white space around it. If there is nothing else, the range is empty and at its start.
fn trimmed_value(bytes: &[u8], start: usize, end: usize) -> Range<usize> {
    let value = bytes.get(start..end).unwrap_or_default();
    let Some(first) = value.iter().position(|byte| !is_space(*byte)) else { return start..start };
    let last = value.iter().rposition(|byte| !is_space(*byte)).unwrap_or(first);
    let backslashes = value.get(..=last).unwrap_or_default().iter().rev().take_while(|byte| **byte == b'\\').count();
    // An odd number of backslashes escapes the space after them.
    start + first..start + last + 1 + backslashes % 2
}
