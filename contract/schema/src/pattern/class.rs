//! Character classes: `[…]`.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::PatternError;
use super::ast::Ast;
use super::escape::Escape;
use super::parse::Parser;

type Result<T> = std::result::Result<T, PatternError>;

impl Parser {
    /// A class, from its `[` to its `]`.
    pub(super) fn class(&mut self) -> Result<Ast> {
        let opened = self.position();
        self.next();
        let negated = self.eat("^");
        // Single characters and ranges are collected first: a union for each of them would take quadratic time.
        let mut set = ClassUnicode::empty();
        let mut ranges = Vec::new();
        while !self.eat("]") {
            if self.peek().is_none() {
                self.rewind(opened);
                return Err(self.syntax("the class is not closed"));
            }
            match self.class_atom()? {
                Escape::CodePoint(start) => {
                    let end = self.range_end()?.unwrap_or(start);
                    if end < start {
                        return Err(self.syntax("the range of the class is out of order"));
                    }
                    ranges.extend(without_surrogates(start, end));
                }
                // `[\d-x]` is an error with the `u` flag, but `[\d-]` is not.
                Escape::Set(other) => {
                    if self.range_end()?.is_some() {
                        self.recover(self.range_of_sets())?;
                    }
                    set.union(&other);
                }
            }
        }
        set.union(&ClassUnicode::new(ranges));
        if negated {
            set.negate();
        }
        Ok(Ast::Set(self.sets.intern(set)))
    }

    fn class_atom(&mut self) -> Result<Escape> {
        match self.peek() {
            Some('\\') => self.class_escape(),
            Some(c) => {
                self.next();
                Ok(Escape::CodePoint(u32::from(c)))
            }
            None => Err(self.syntax("the class is not closed")),
        }
    }

    /// The end of the range whose start has just been read. There is none if no `-` follows, or if the `-` is the last
    /// character of the class, which makes it literal.
    fn range_end(&mut self) -> Result<Option<u32>> {
        let dash = self.position();
        if !self.eat("-") {
            return Ok(None);
        }
        if self.peek() == Some(']') {
            self.rewind(dash);
            return Ok(None);
        }
        match self.class_atom()? {
            Escape::CodePoint(end) => Ok(Some(end)),
            Escape::Set(_) => Err(self.range_of_sets()),
        }
    }

    fn range_of_sets(&self) -> PatternError {
        self.syntax("a range in a class must go from one character to another; write a literal `-` as `\\-`")
    }
}

/// A range of code points without the surrogates, which no Rust string contains.
fn without_surrogates(start: u32, end: u32) -> impl Iterator<Item = ClassUnicodeRange> {
    [(start, end.min(0xd7ff)), (start.max(0xe000), end)]
        .into_iter()
        .filter(|(start, end)| start <= end)
        .filter_map(|(start, end)| Some(ClassUnicodeRange::new(char::from_u32(start)?, char::from_u32(end)?)))
}
