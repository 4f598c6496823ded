//! A recursive-descent parser for [ECMA-262 section 22.2.1](https://tc39.es/ecma262/2024/#sec-patterns) with the `u`
//! flag.
//!
//! Annex B's legacy syntax does not apply with that flag, so the parser rejects it, as a JavaScript engine does.

use std::collections::{BTreeMap, BTreeSet};

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::ast::{Ast, Look, Parsed, Repeat, Sets};
use super::{PatternError, PatternErrorKind};

/// Maximum length of a pattern, in bytes. Usual patterns have fewer than a hundred; lists of words may have thousands.
const MAX_LENGTH: usize = 1 << 16;
/// Maximum nesting of groups. The functions that walk the tree recurse this far. Usual patterns have fewer than ten
/// levels.
const MAX_DEPTH: usize = 200;
/// Maximum number of ranges in all distinct classes of a pattern together. `\p{L}` alone has about 650. So hundreds of
/// such classes fit.
const MAX_RANGES: usize = 500_000;
/// Maximum number of look-arounds. During a match, each of them needs a table with one bit per byte of the text. With a
/// text of 1 MiB, all of them take 25 MiB.
const MAX_LOOKS: usize = 200;

/// At most this many problems of a pattern are reported. More than a user reads.
const MAX_PROBLEMS: usize = 5;

/// The longest text of which only the syntax is checked, in UTF-16 code units, as JavaScript counts them.
const MAX_SYNTAX_LENGTH: usize = 1 << 16;

type Result<T> = std::result::Result<T, PatternError>;

pub(super) struct Parser {
    chars: Vec<char>,
    pos: usize,
    pub(super) sets: Sets,
    /// The sets of properties used so far, by the text between the braces. Looking one up takes time.
    pub(super) properties: BTreeMap<String, ClassUnicode>,
    looks: usize,
    /// Whether only the syntax is of interest: Unicode properties are not looked up, and nothing is too large.
    pub(super) is_syntax_only: bool,
    /// Errors after which the rest of the pattern was read.
    problems: Vec<PatternError>,
    groups: u64,
    names: BTreeSet<String>,
    /// The groups that back-references refer to, checked once all groups are known.
    pub(super) numbers: BTreeSet<u64>,
    pub(super) references: BTreeSet<String>,
}

/// Parses `source`.
pub(super) fn parse(source: &str) -> Result<Parsed> {
    if source.len() > MAX_LENGTH {
        return Err(too_large(format!("the pattern is longer than {MAX_LENGTH} bytes")));
    }
    let mut parser = Parser::of(source, false);
    let ast = parser.pattern().and_then(|ast| parser.check_references().map(|()| ast));
    let ast = ast.map_err(|last| parser.all_problems(Some(last)))?;
    if !parser.problems.is_empty() {
        return Err(parser.all_problems(None));
    }
    Ok(Parsed { ast, sets: parser.sets, looks: parser.looks })
}

/// Whether `source` is a regular expression of ECMA-262 with the `u` flag, of at most [`MAX_SYNTAX_LENGTH`] and
/// [`MAX_DEPTH`]. Back-references are allowed.
///
/// Names of Unicode properties are not looked up, and a group may have any name with characters outside of ASCII: the
/// engines of JavaScript have the tables of different versions of Unicode.
pub(crate) fn is_syntax(source: &str) -> bool {
    if source.len() > MAX_SYNTAX_LENGTH && source.encode_utf16().count() > MAX_SYNTAX_LENGTH {
        return false;
    }
    let mut parser = Parser::of(source, true);
    let is_valid = |error: PatternError| error.kind == PatternErrorKind::BackReference;
    parser.pattern().is_ok() && parser.problems.is_empty() && parser.check_references().map_or_else(is_valid, |()| true)
}

impl Parser {
    fn of(source: &str, is_syntax_only: bool) -> Self {
        Self {
            chars: source.chars().collect(),
            pos: 0,
            sets: Sets::default(),
            properties: BTreeMap::new(),
            looks: 0,
            is_syntax_only,
            problems: Vec::new(),
            groups: 0,
            names: BTreeSet::new(),
            numbers: BTreeSet::new(),
            references: BTreeSet::new(),
        }
    }

    /// The whole text.
    fn pattern(&mut self) -> Result<Ast> {
        let ast = self.disjunction(0)?;
        if self.peek().is_some() { Err(self.syntax("unmatched `)`")) } else { Ok(ast) }
    }

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

    /// A syntax error at the current position.
    pub(super) fn syntax(&self, message: &str) -> PatternError {
        let place = match self.pos {
            at if at < self.chars.len() => format!("at character {}", at + 1),
            _ => "at the end".to_owned(),
        };
        PatternError { kind: PatternErrorKind::Syntax, message: format!("{message} ({place})") }
    }

    /// Keeps an error of one character, so that the rest of the pattern is read. One more than a user reads is final.
    pub(super) fn recover(&mut self, error: PatternError) -> Result<()> {
        if self.problems.len() + 1 >= MAX_PROBLEMS {
            return Err(error);
        }
        self.problems.push(error);
        Ok(())
    }

    /// The errors so far and the last one as one, with the kind of the first.
    fn all_problems(&mut self, last: Option<PatternError>) -> PatternError {
        let mut problems = std::mem::take(&mut self.problems).into_iter().chain(last);
        let first = problems.next();
        let mut all = first.unwrap_or_else(|| self.syntax("the pattern is invalid"));
        problems.for_each(|problem| all.message.extend(["; ", &problem.message]));
        all
    }

    fn disjunction(&mut self, depth: usize) -> Result<Ast> {
        if depth > MAX_DEPTH {
            return Err(too_large(format!("groups are nested more than {MAX_DEPTH} levels deep")));
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
            if self.sets.ranges() > MAX_RANGES && !self.is_syntax_only {
                return Err(too_large(format!("the classes contain more than {MAX_RANGES} ranges")));
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
                // Without the `s` flag, `.` excludes all of ECMA-262's line terminators, not only `\n`.
                let mut set = set_of(&[('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')]);
                set.negate();
                Ast::Set(self.sets.intern(set))
            }
            Some('*' | '+' | '?') => {
                return Err(self.syntax("the quantifier has nothing to repeat"));
            }
            Some(lone @ ('{' | '}' | ']')) => {
                self.recover(self.syntax(&format!("a literal `{lone}` must be written `\\{lone}`")))?;
                self.pos += 1;
                Ast::Empty
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

    /// The rest of a group after its `(`, and whether a quantifier may follow. With the `u` flag, none may follow
    /// look-around.
    fn group(&mut self, depth: usize) -> Result<(Ast, bool)> {
        let opened = self.pos;
        for (start, behind, negated) in
            [("?=", false, false), ("?!", false, true), ("?<=", true, false), ("?<!", true, true)]
        {
            if self.eat(start) {
                // The id is taken after the body, so that inner look-arounds get smaller ids.
                let body = self.closed(opened, depth)?;
                let id = self.looks;
                self.looks += 1;
                if self.looks > MAX_LOOKS && !self.is_syntax_only {
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
                    return Err(self.syntax("duplicate group name"));
                }
            } else if self.peek() == Some('?') {
                return Err(self.syntax(
                    "a group starts with `(`, `(?:`, `(?<name>`, `(?=`, `(?!`, `(?<=` or `(?<!`; there are no inline flags",
                ));
            }
        }
        Ok((self.closed(opened, depth)?, true))
    }

    /// A disjunction and its `)`. The error for a missing `)` points at the opening parenthesis.
    fn closed(&mut self, opened: usize, depth: usize) -> Result<Ast> {
        let inner = self.disjunction(depth)?;
        if self.eat(")") {
            return Ok(inner);
        }
        self.rewind(opened.saturating_sub(1));
        Err(self.syntax("the group is not closed"))
    }

    fn quantified(&mut self, inner: Ast) -> Result<Ast> {
        let start = self.pos;
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => match self.braces() {
                Ok(bounds) => bounds,
                Err(error) => {
                    self.recover(error)?;
                    self.pos += 1;
                    return Ok(inner);
                }
            },
            _ => return Ok(inner),
        };
        self.pos += 1;
        if self.peek() == Some('?') {
            self.pos += 1;
        }
        if max.is_some() && self.is_out_of_order(start) {
            return Err(self.syntax("the quantifier's minimum is greater than its maximum"));
        }
        // A count beyond `u32` is far beyond the limit on states, which rejects it later.
        let clamp = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        Ok(Ast::Repeat(Box::new(Repeat { inner, min: clamp(min), max: max.map(clamp) })))
    }

    /// Whether the quantifier that starts at a position has a minimum greater than its maximum, whatever their size.
    fn is_out_of_order(&self, start: usize) -> bool {
        let digits = |at: usize| {
            let rest = self.chars.get(at..).unwrap_or_default();
            let count = rest.iter().take_while(|c| c.is_ascii_digit()).count();
            (rest.get(..count).unwrap_or_default(), at + count)
        };
        let trimmed = |digits: &[char]| -> Vec<char> { digits.iter().copied().skip_while(|c| *c == '0').collect() };
        if self.chars.get(start) != Some(&'{') {
            return false;
        }
        let (min, end) = digits(start + 1);
        let (max, _) = digits(end + 1);
        let (min, max) = (trimmed(min), trimmed(max));
        self.chars.get(end) == Some(&',') && (min.len(), &min) > (max.len(), &max)
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

    /// Decimal digits. A number too large for `u64` saturates.
    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            self.pos += 1;
            number = Some(number.unwrap_or(0_u64).saturating_mul(10).saturating_add(u64::from(digit)));
        }
        number
    }

    /// Rejects back-references: as a syntax error if the group does not exist, and as unsupported otherwise.
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
        let message = "back-references are not supported, because no engine can match them in bounded time".to_owned();
        Err(PatternError { kind: PatternErrorKind::BackReference, message })
    }
}

pub(super) fn too_large(message: String) -> PatternError {
    PatternError { kind: PatternErrorKind::TooLarge, message }
}

/// The set of characters in these inclusive ranges.
pub(super) fn set_of(ranges: &[(char, char)]) -> ClassUnicode {
    ClassUnicode::new(ranges.iter().map(|(start, end)| ClassUnicodeRange::new(*start, *end)))
}
