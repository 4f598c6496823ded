//! `pattern`: ECMA-262 regular expressions with the `u` flag.
//!
//! A pattern is parsed by ECMA-262's grammar into a tree whose every set of characters is spelled out, so nothing is left
//! of which engines have opinions of their own. What the `regex` crate can say runs there; look-around, and what would
//! take the `regex` crate too much memory, runs on [`scan`]. Both take time linear in the text.

mod ast;
mod blowup;
mod class;
mod components;
mod dfa;
mod escape;
mod literal;
mod nfa;
mod parse;
mod positions;
mod property;
mod scan;
mod scripts;
mod translate;

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use ast::{Ast, Parsed};
use dfa::Dfa;
use nfa::Cost;
use scan::Scanner;

/// How many states counted repetitions may multiply to.
const MAX_STATES: u64 = 250_000;
/// Up to this cost a pattern goes to the `regex` crate, whose automaton works on bytes and takes some 100 bytes of memory
/// for each range.
const MAX_LINEAR: Cost = Cost { states: 2_000, ranges: 20_000 };

/// After so many questions a pattern is worth a table.
const OFTEN: u32 = 16;

/// A checked regular expression: ECMA-262 (2024) with the `u` flag and no other, unanchored.
///
/// Cheap to clone.
///
/// ```
/// use capgen_schema::Pattern;
/// let pattern = Pattern::new(r"^\d+$")?;
/// assert_eq!(pattern.is_match("42"), Ok(true));
/// assert_eq!(pattern.is_match("४२"), Ok(false));
/// # Ok::<(), capgen_schema::PatternError>(())
/// ```
#[derive(Clone)]
pub struct Pattern(Arc<Compiled>);

struct Compiled {
    source: String,
    engine: Engine,
    has_lookaround: bool,
}

enum Engine {
    Linear(Box<Linear>),
    Scanner(Scanner),
}

/// Runs on the `regex` crate, and soon on a table, where that is small.
struct Linear {
    regex: regex::Regex,
    asked: AtomicU32,
    table: OnceLock<Option<Dfa>>,
}

/// Why a text is no [`Pattern`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PatternError {
    /// What sort of mistake it is.
    pub kind: PatternErrorKind,
    /// One sentence, without a full stop.
    pub message: String,
}

/// The sorts of mistakes in a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PatternErrorKind {
    /// Not in ECMA-262's grammar for the `u` flag.
    Syntax,
    /// It refers back to what a group has matched: no engine can match that in bounded time.
    BackReference,
    /// Too long (64 KiB), too deeply nested (200 groups), or its counted repetitions multiply to too much (some 100,000
    /// characters).
    TooLarge,
    /// A Unicode property that ECMA-262 knows and this crate has no table for.
    Unsupported,
}

/// Matching was given up: pattern and text together are too large.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StepLimit;

impl Pattern {
    /// Checks and compiles `source`.
    ///
    /// # Errors
    /// See [`PatternErrorKind`].
    pub fn new(source: &str) -> Result<Self, PatternError> {
        let Parsed { ast, sets, looks } = parse::parse(source)?;
        let cost = check_cost(&ast, &sets)?;
        let linear = if looks == 0 && cost.states <= MAX_LINEAR.states && cost.ranges <= MAX_LINEAR.ranges {
            translate::translate(&ast, &sets).and_then(|text| Linear::new(&text).map(Box::new))
        } else {
            None
        };
        let engine = linear.map_or_else(|| Engine::Scanner(Scanner::new(&ast, &sets)), Engine::Linear);
        Ok(Pattern(Arc::new(Compiled { source: source.to_owned(), engine, has_lookaround: looks > 0 })))
    }

    /// The ECMA-262 source text.
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// Whether it matches somewhere in `text`.
    ///
    /// Takes time linear in the text, and a few instructions for each byte at most times. A pattern that is asked
    /// often gets a table once, of at most 32 KiB, and allocates nothing from then on.
    ///
    /// # Errors
    /// [`StepLimit`] where that is still too much; only where [`has_lookaround`](Self::has_lookaround), or where counted
    /// repetitions multiply to thousands.
    pub fn is_match(&self, text: &str) -> Result<bool, StepLimit> {
        match &self.0.engine {
            Engine::Linear(linear) => Ok(linear.is_match(text)),
            Engine::Scanner(scanner) => scanner.is_match(text),
        }
    }

    /// Whether it looks ahead or behind, which costs more and may reach the [`StepLimit`].
    pub fn has_lookaround(&self) -> bool {
        self.0.has_lookaround
    }

    /// Whether a backtracking engine, such as a JavaScript `RegExp`, may need time that grows exponentially with the text, or
    /// with its third power or a higher one.
    ///
    /// Found are loops that can go round on one word in two ways (`(a+)+`, `(a|a)*`, `(\w+\s?)*$`), and loops in a row that
    /// can share a word out among three (`\s*\s*$`, where the third is the search for a start). Quadratic time, as
    /// in `^[^@]+@[^@]+\.[^@]+$`, is common and does not count. A loop that is too large to tell does.
    ///
    /// It is worked out anew on every call, in milliseconds at most times.
    pub fn may_blow_up(&self) -> bool {
        parse::parse(&self.0.source).is_ok_and(|parsed| blowup::may_blow_up(&parsed))
    }

    /// The source as it may stand between the slashes of a JavaScript literal `/…/u`.
    pub fn escaped_for_js_literal(&self) -> String {
        literal::escape(&self.0.source)
    }
}

impl Linear {
    fn new(text: &str) -> Option<Self> {
        Some(Self { regex: regex::Regex::new(text).ok()?, asked: AtomicU32::new(0), table: OnceLock::new() })
    }

    fn is_match(&self, text: &str) -> bool {
        match self.table.get() {
            Some(Some(table)) => return table.is_match(text),
            None if self.asked.fetch_add(1, Ordering::Relaxed) >= OFTEN => {
                self.table.get_or_init(|| Dfa::new(self.regex.as_str()));
            }
            _ => {}
        }
        self.regex.is_match(text)
    }
}

fn check_cost(ast: &Ast, sets: &ast::Sets) -> Result<Cost, PatternError> {
    let ranges_of = |id| sets.get(id).map_or(0, |set| u64::try_from(set.ranges().len()).unwrap_or(u64::MAX));
    let mut looks = Vec::new();
    ast.looks(&mut looks);
    let bodies = looks.iter().map(|look| nfa::cost(&look.body, &ranges_of));
    let cost = bodies.fold(nfa::cost(ast, &ranges_of), Cost::plus);
    if cost.states > MAX_STATES {
        return Err(parse::too_large(format!(
            "the counted repetitions multiply to more than {MAX_STATES} states; bound the length with `maxLength` instead"
        )));
    }
    Ok(cost)
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pattern").field(&self.source()).finish()
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for PatternError {}

impl fmt::Display for StepLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("matching takes more steps than are allowed")
    }
}

impl std::error::Error for StepLimit {}
