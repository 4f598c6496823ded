//! Translates a pattern without look-around to the syntax of the `regex` crate.

use std::fmt::{self, Write};

use regex_syntax::hir::ClassUnicode;

use super::ast::{Ast, Repeat, Sets};

/// `ast` in the syntax of the `regex` crate; `None` if that crate cannot express it.
pub(super) fn translate(ast: &Ast, sets: &Sets) -> Option<String> {
    let mut out = Translation { text: String::new(), sets };
    out.write(ast).ok()?;
    Some(out.text)
}

struct Translation<'a> {
    text: String,
    sets: &'a Sets,
}

impl Translation<'_> {
    fn write(&mut self, ast: &Ast) -> fmt::Result {
        match ast {
            Ast::Empty => self.text.write_str("(?:)"),
            Ast::Set(id) => self.write_set(self.sets.get(*id).ok_or(fmt::Error)?),
            Ast::Start => self.text.write_str("\\A"),
            Ast::End => self.text.write_str("\\z"),
            Ast::WordBoundary { negated: false } => self.text.write_str("(?-u:\\b)"),
            // An ASCII `\B` also matches between the bytes of one character, and `Regex::is_match` then misses other
            // matches: `(?-u:\B)|😀` does not match `A😀A`.
            Ast::WordBoundary { negated: true } => Err(fmt::Error),
            Ast::Look(_) => Err(fmt::Error),
            Ast::Concat(items) => items.iter().try_for_each(|item| self.write(item)),
            Ast::Alternatives(items) => self.write_alternatives(items),
            Ast::Repeat(repeat) => self.write_repeat(repeat),
        }
    }

    fn write_alternatives(&mut self, items: &[Ast]) -> fmt::Result {
        self.text.write_str("(?:")?;
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.text.write_char('|')?;
            }
            self.write(item)?;
        }
        self.text.write_char(')')
    }

    fn write_repeat(&mut self, repeat: &Repeat) -> fmt::Result {
        // `{0}` needs no translation of its operand, which may be large.
        if repeat.max == Some(0) {
            return self.write(&Ast::Empty);
        }
        self.text.write_str("(?:")?;
        self.write(&repeat.inner)?;
        match (repeat.min, repeat.max) {
            (min, Some(max)) => write!(self.text, "){{{min},{max}}}"),
            (min, None) => write!(self.text, "){{{min},}}"),
        }
    }

    fn write_set(&mut self, set: &ClassUnicode) -> fmt::Result {
        let mut rest = set.clone();
        rest.negate();
        // Write the shorter of the set and its complement: a negated class such as `[^"]` stays small.
        let (start, ranges) = match (set.ranges(), rest.ranges()) {
            ([], _) => return self.text.write_str("[^\\s\\S]"),
            (_, []) => return self.text.write_str("[\\s\\S]"),
            (ranges, excluded) if excluded.len() < ranges.len() => ("[^", excluded),
            (ranges, _) => ("[", ranges),
        };
        self.text.write_str(start)?;
        for range in ranges {
            write!(self.text, "\\x{{{:X}}}-\\x{{{:X}}}", u32::from(range.start()), u32::from(range.end()))?;
        }
        self.text.write_char(']')
    }
}
