//! The grammar of [ECMA-262 section 22.2.1](https://tc39.es/ecma262/2024/#sec-patterns) for the `u` flag.

use std::collections::{BTreeMap, BTreeSet};

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::ast::{Ast, Look, Parsed, Repeat, Sets};
use super::{PatternError, PatternErrorKind};

/// The longest pattern, in bytes.
const MAX_LENGTH: usize = 1 << 16;
/// How deep groups nest. The functions that walk the tree recurse this far.
const MAX_DEPTH: usize = 200;
/// How many ranges all the classes of a pattern hold together; `\p{L}` alone has some 650.
const MAX_RANGES: usize = 500_000;
/// Each look-around costs a table as long as the text.
const MAX_LOOKS: usize = 200;

type Result<T> = std::result::Result<T, PatternError>;

pub(super) struct Parser {
    chars: Vec<char>,
    pos: usize,
    pub(super) sets: Sets,
    /// Sets of properties that were asked for, by what stands between the braces.
    pub(super) properties: BTreeMap<String, ClassUnicode>,
    looks: usize,
    groups: u64,
    names: BTreeSet<String>,
    /// What back-references refer to.
    pub(super) numbers: BTreeSet<u64>,
    pub(super) references: BTreeSet<String>,
}

/// Parses `source`.
pub(super) fn parse(source: &str) -> Result<Parsed> {
    if source.len() > MAX_LENGTH {
        return Err(too_large(format!("the pattern is longer than {MAX_LENGTH} bytes")));
    }
    let mut parser = Parser {
        chars: source.chars().collect(),
        pos: 0,
        sets: Sets::default(),
        properties: BTreeMap::new(),
        looks: 0,
        groups: 0,
        names: BTreeSet::new(),
        numbers: BTreeSet::new(),
        references: BTreeSet::new(),
    };
    let ast = parser.disjunction(0)?;
    if parser.peek().is_some() {
        return Err(parser.syntax("`)` closes no group"));
    }
    parser.check_references()?;
    Ok(Parsed { ast, sets: parser.sets, looks: parser.looks })
}

impl Parser {
    pub(super) fn peek(&self) -> Option<char> {
        self.chars.get(self.pos).copied()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek();
        self.pos += usize::from(next.is_some());
        next
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let rest = self.chars.get(self.pos..).unwrap_or_default();
        let count = text.chars().count();
        let found = rest.len() >= count && rest.iter().copied().zip(text.chars()).all(|(have, want)| have == want);
        if found {
            self.pos += count;
        }
        found
    }

    pub(super) fn position(&self) -> usize {
        self.pos
    }

    pub(super) fn rewind(&mut self, position: usize) {
        self.pos = position;
    }

    /// A mistake at the current place.
    pub(super) fn syntax(&self, message: &str) -> PatternError {
        let place = match self.pos {
            at if at < self.chars.len() => format!("at character {}", at + 1),
            _ => "at the end".to_owned(),
        };
        PatternError { kind: PatternErrorKind::Syntax, message: format!("{message} ({place})") }
    }

    fn disjunction(&mut self, depth: usize) -> Result<Ast> {
        if depth > MAX_DEPTH {
            return Err(too_large(format!("groups nest deeper than {MAX_DEPTH}")));
        }
        let first = self.alternative(depth)?;
        if self.peek() != Some('|') {
            return Ok(first);
        }
        let mut alternatives = vec![first];
        while self.eat("|") {
            alternatives.push(self.alternative(depth)?);
        }
        Ok(Ast::Alternatives(alternatives))
    }

    fn alternative(&mut self, depth: usize) -> Result<Ast> {
        let mut terms = Vec::new();
        while !matches!(self.peek(), None | Some('|' | ')')) {
            terms.push(self.term(depth)?);
            if self.sets.ranges() > MAX_RANGES {
                return Err(too_large(format!("the classes hold more than {MAX_RANGES} ranges")));
            }
        }
        Ok(match (terms.pop(), terms.is_empty()) {
            (None, _) => Ast::Empty,
            (Some(only), true) => only,
            (Some(last), false) => {
                terms.push(last);
                Ast::Concat(terms)
            }
        })
    }

    fn term(&mut self, depth: usize) -> Result<Ast> {
        let atom = match self.peek() {
            Some('^') => return Ok(self.assertion(1, Ast::Start)),
            Some('$') => return Ok(self.assertion(1, Ast::End)),
            Some('(') => {
                self.pos += 1;
                let (group, may_repeat) = self.group(depth + 1)?;
                if !may_repeat {
                    return Ok(group);
                }
                group
            }
            Some('\\') => match self.chars.get(self.pos + 1) {
                Some('b') => return Ok(self.assertion(2, Ast::WordBoundary { negated: false })),
                Some('B') => return Ok(self.assertion(2, Ast::WordBoundary { negated: true })),
                _ => self.atom_escape()?,
            },
            Some('[') => self.class()?,
            Some('.') => {
                self.pos += 1;
                let mut set = set_of(&[('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')]);
                set.negate();
                Ast::Set(self.sets.intern(set))
            }
            Some('*' | '+' | '?') => {
                return Err(self.syntax("nothing that can be repeated stands before the quantifier"));
            }
            Some(lone @ ('{' | '}' | ']')) => {
                return Err(self.syntax(&format!("a literal `{lone}` must be written `\\{lone}`")));
            }
            Some(c) => {
                self.pos += 1;
                Ast::Set(self.sets.intern(set_of(&[(c, c)])))
            }
            None => Ast::Empty,
        };
        self.quantified(atom)
    }

    fn assertion(&mut self, length: usize, assertion: Ast) -> Ast {
        self.pos += length;
        assertion
    }

    /// What follows `(`, and whether a quantifier may follow that.
    fn group(&mut self, depth: usize) -> Result<(Ast, bool)> {
        let opened = self.pos;
        for (start, behind, negated) in
            [("?=", false, false), ("?!", false, true), ("?<=", true, false), ("?<!", true, true)]
        {
            if self.eat(start) {
                let body = self.closed(opened, depth)?;
                let id = self.looks;
                self.looks += 1;
                if self.looks > MAX_LOOKS {
                    return Err(too_large(format!("there are more than {MAX_LOOKS} look-arounds")));
                }
                return Ok((Ast::Look(Box::new(Look { id, behind, negated, body })), false));
            }
        }
        if !self.eat("?:") {
            self.groups += 1;
            if self.eat("?<") {
                let name = self.group_name()?;
                if !self.names.insert(name) {
                    return Err(self.syntax("another group has the same name"));
                }
            } else if self.peek() == Some('?') {
                return Err(self.syntax(
                    "a group starts with `(`, `(?:`, `(?<name>`, `(?=`, `(?!`, `(?<=` or `(?<!`; there are no inline flags",
                ));
            }
        }
        Ok((self.closed(opened, depth)?, true))
    }

    fn closed(&mut self, opened: usize, depth: usize) -> Result<Ast> {
        let inner = self.disjunction(depth)?;
        if self.eat(")") {
            return Ok(inner);
        }
        self.rewind(opened.saturating_sub(1));
        Err(self.syntax("the group is not closed"))
    }

    fn quantified(&mut self, inner: Ast) -> Result<Ast> {
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => self.braces()?,
            _ => return Ok(inner),
        };
        self.pos += 1;
        if self.peek() == Some('?') {
            self.pos += 1;
        }
        if max.is_some_and(|max| max < min) {
            return Err(self.syntax("the numbers of the quantifier are out of order"));
        }
        let clamp = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        Ok(Ast::Repeat(Box::new(Repeat { inner, min: clamp(min), max: max.map(clamp) })))
    }

    /// `{n}`, `{n,}`, `{n,m}` up to the closing brace.
    fn braces(&mut self) -> Result<(u64, Option<u64>)> {
        let start = self.pos;
        self.pos += 1;
        let bounds = match self.number() {
            Some(min) if self.eat(",") => Some((min, self.number())),
            Some(min) => Some((min, Some(min))),
            None => None,
        };
        match bounds {
            Some(bounds) if self.peek() == Some('}') => Ok(bounds),
            _ => {
                self.rewind(start);
                Err(self.syntax("a quantifier is `{n}`, `{n,}` or `{n,m}`; a literal `{` must be written `\\{`"))
            }
        }
    }

    /// Decimal digits; more than fit are as many as fit.
    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            self.pos += 1;
            number = Some(number.unwrap_or(0_u64).saturating_mul(10).saturating_add(u64::from(digit)));
        }
        number
    }

    /// Whether every back-reference has its group; and since it has, that it cannot be matched.
    fn check_references(&self) -> Result<()> {
        if let Some(number) = self.numbers.iter().find(|number| **number > self.groups) {
            return Err(self.syntax(&format!("`\\{number}` refers to a group that does not exist")));
        }
        if let Some(name) = self.references.difference(&self.names).next() {
            return Err(self.syntax(&format!("`\\k<{name}>` refers to a group that does not exist")));
        }
        if self.numbers.is_empty() && self.references.is_empty() {
            return Ok(());
        }
        let message = "back-references are not supported, since no engine matches them in bounded time".to_owned();
        Err(PatternError { kind: PatternErrorKind::BackReference, message })
    }
}

pub(super) fn too_large(message: String) -> PatternError {
    PatternError { kind: PatternErrorKind::TooLarge, message }
}

/// The set of these inclusive ranges.
pub(super) fn set_of(ranges: &[(char, char)]) -> ClassUnicode {
    ClassUnicode::new(ranges.iter().map(|(start, end)| ClassUnicodeRange::new(*start, *end)))
}
