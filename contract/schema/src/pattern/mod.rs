//! `pattern`: ECMA-262 regular expressions with the `u` flag.
//!
//! A pattern is parsed by ECMA-262's grammar into a tree in which every class (`\d`, `.`, `\p{L}`) is an explicit set
//! of characters. Engines disagree on these classes, so none of them reaches an engine by name.
//!
//! A pattern runs on the `regex` crate if that can express it within its memory limit. A pattern with look-around or
//! with large counted repetitions runs on [`scan`], our own automaton. Both take time linear in the text. ECMA-262's
//! own engine is not an option: it backtracks, and so it takes exponential time for some patterns.

mod ast;
mod blowup;
mod class;

mod dfa;
mod escape;
mod literal;
mod nfa;
mod parse;
mod positions;
mod property;
mod scan;
mod scripts;
mod split;
mod translate;

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use ast::{Ast, Parsed};
use dfa::Dfa;
use nfa::Cost;
use regex_syntax::hir::ClassUnicode;
use scan::Scanner;

pub(crate) use nfa::{Program, Step};
pub(crate) use parse::is_syntax;
pub(crate) use split::split;

/// Maximum number of automaton states, with counted repetitions expanded. Nested repetitions multiply. Usual patterns
/// have fewer than a hundred; the time of a match may grow with their number for each character.
const MAX_STATES: u64 = 250_000;
/// A pattern of at most this many states and ranges of characters runs on the `regex` crate, whose automaton works on
/// bytes and takes about 100 bytes of memory per range.
const MAX_LINEAR: (u64, u64) = (2_000, 20_000);

/// The memory that a state of [`scan`] takes, in bytes.
const SCANNER_STATE: u64 = size_of::<nfa::Step>() as u64;

/// The number of matches after which a pattern gets a [`Dfa`]. Building one takes longer than a few matches on the
/// `regex` crate, and most patterns of a contract are never used in a process.
const MATCHES_BEFORE_DFA: u32 = 16;

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
    cost: Cost,
    has_lookaround: bool,
    /// Compiled for the first match: most patterns of a contract are never used in a process. `None` cannot happen,
    /// because the source was checked.
    engine: OnceLock<Option<Engine>>,
}

enum Engine {
    Linear(Box<Linear>),
    Scanner(Scanner),
}

/// Runs on the `regex` crate at first, then on a [`Dfa`] if a small one exists.
struct Linear {
    regex: regex::Regex,
    matches: AtomicU32,
    dfa: OnceLock<Option<Dfa>>,
}

/// An error in the source text of a [`Pattern`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PatternError {
    /// The kind of error.
    pub kind: PatternErrorKind,
    /// One sentence, without a full stop.
    pub message: String,
}

/// The kinds of errors in a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum PatternErrorKind {
    /// Not valid in ECMA-262's grammar with the `u` flag.
    Syntax,
    /// A back-reference, which no engine can match in bounded time.
    BackReference,
    /// The pattern exceeds a limit: 64 KiB of source, 200 nested groups, 200 look-arounds, or 250,000 states with
    /// counted repetitions expanded.
    TooLarge,
    /// A Unicode property of ECMA-262 for which this crate has no table.
    Unsupported,
}

/// Matching was aborted, because pattern and text together need too many steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StepLimit;

impl Pattern {
    /// Checks `source`. The first match compiles it, which cannot fail.
    ///
    /// # Errors
    /// See [`PatternErrorKind`].
    pub fn new(source: &str) -> Result<Self, PatternError> {
        let Parsed { ast, sets, looks } = parse::parse(source)?;
        // Before anything is expanded: a pattern of 30 bytes can expand to billions of states.
        let cost = check_cost(&ast, &sets)?;
        Ok(Self::unused(source, cost, looks > 0))
    }

    fn unused(source: &str, cost: Cost, has_lookaround: bool) -> Self {
        Pattern(Arc::new(Compiled { source: source.to_owned(), cost, has_lookaround, engine: OnceLock::new() }))
    }

    /// An equal pattern that has not been compiled.
    pub(crate) fn uncompiled(&self) -> Self {
        Self::unused(&self.0.source, self.0.cost, self.0.has_lookaround)
    }

    pub(crate) fn is_compiled(&self) -> bool {
        self.0.engine.get().is_some()
    }

    /// An estimate of the memory that the pattern takes when it is compiled, in bytes.
    pub(crate) fn compiled_bytes(&self) -> u64 {
        let Cost { states, ranges, .. } = self.0.cost;
        let (state, range) = if self.is_linear() { (50, 100) } else { (SCANNER_STATE, 0) };
        let engine = states.saturating_mul(state).saturating_add(ranges.saturating_mul(range));
        engine.saturating_add(self.0.source.len() as u64)
    }

    /// Whether the pattern is within the limits of the `regex` crate.
    fn is_linear(&self) -> bool {
        let (states, ranges) = MAX_LINEAR;
        !self.0.has_lookaround && self.0.cost.steps() <= states && self.0.cost.ranges <= ranges
    }

    fn compile(&self) -> Option<Engine> {
        let Parsed { ast, sets, .. } = parse::parse(&self.0.source).ok()?;
        let text = if self.is_linear() { translate::translate(&ast, &sets) } else { None };
        let linear = text.and_then(|text| Linear::new(&text)).map(Box::new);
        Some(linear.map_or_else(|| Engine::Scanner(Scanner::new(&ast, &sets)), Engine::Linear))
    }

    /// The ECMA-262 source text.
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// Whether the pattern matches anywhere in `text`.
    ///
    /// Takes time linear in the text, usually a few instructions per byte. After 16 matches, a pattern gets a table of
    /// at most 32 KiB, if one that small exists; matching then allocates nothing.
    ///
    /// # Errors
    /// [`StepLimit`] if matching needs too many steps. This can happen only if the pattern has
    /// [look-around](Self::has_lookaround), or if its counted repetitions expand to thousands of states.
    pub fn is_match(&self, text: &str) -> Result<bool, StepLimit> {
        match self.0.engine.get_or_init(|| self.compile()) {
            Some(Engine::Linear(linear)) => Ok(linear.is_match(text)),
            Some(Engine::Scanner(scanner)) => scanner.is_match(text),
            None => Err(StepLimit),
        }
    }

    /// Whether the pattern contains look-ahead or look-behind, which is slower and may reach the [`StepLimit`].
    pub fn has_lookaround(&self) -> bool {
        self.0.has_lookaround
    }

    /// Whether a backtracking engine, such as a JavaScript `RegExp`, may take time that is exponential in the length of
    /// the text, or at least cubic.
    ///
    /// Two kinds of loops cause this: a loop that can match the same text in two ways (`(a+)+`, `(a|a)*`,
    /// `(\w+\s?)*$`), and three consecutive loops among which the same text can be split arbitrarily (`\s*\s*$`, where
    /// the third loop is the search for the start of a match). Quadratic time, as in `^[^@]+@[^@]+\.[^@]+$`, is common
    /// and is not reported. If a loop is too large to analyse, the result is `true`.
    ///
    /// The result is not cached. Computing it usually takes milliseconds.
    pub fn may_blow_up(&self) -> bool {
        parse::parse(&self.0.source).is_ok_and(|parsed| blowup::may_blow_up(&parsed))
    }

    /// The source, escaped for use between the slashes of a JavaScript literal `/…/u`.
    pub fn escaped_for_js_literal(&self) -> String {
        literal::escape(&self.0.source)
    }
}

impl Linear {
    fn new(text: &str) -> Option<Self> {
        Some(Self { regex: regex::Regex::new(text).ok()?, matches: AtomicU32::new(0), dfa: OnceLock::new() })
    }

    fn is_match(&self, text: &str) -> bool {
        match self.dfa.get() {
            Some(Some(dfa)) => return dfa.is_match(text),
            // Relaxed is enough: a lost or reordered increment only delays the table.
            None if self.matches.fetch_add(1, Ordering::Relaxed) >= MATCHES_BEFORE_DFA => {
                self.dfa.get_or_init(|| Dfa::new(self.regex.as_str()));
            }
            _ => {}
        }
        self.regex.is_match(text)
    }
}

/// The automaton of a pattern. If the pattern has look-around, the automaton ignores it, and so accepts more texts.
pub(crate) struct Automaton {
    pub(crate) program: Program,
    /// Its character sets.
    pub(crate) sets: Vec<ClassUnicode>,
    /// Whether it can match at the start of the text only.
    pub(crate) is_anchored: bool,
    /// Whether it accepts the same texts as the pattern.
    pub(crate) is_exact: bool,
}

/// The automaton of a pattern; `None` if it has more than `max_states` states.
pub(crate) fn automaton(source: &str, max_states: usize) -> Option<Automaton> {
    let Parsed { ast, sets, looks } = parse::parse(source).ok()?;
    let cost = check_cost(&ast, &sets).ok()?;
    if cost.steps() > max_states as u64 {
        return None;
    }
    let ast = ast.without_looks();
    let program = nfa::compile(&ast, false);
    Some(Automaton {
        program,
        sets: sets.iter().cloned().collect(),
        is_anchored: ast.is_anchored(),
        is_exact: looks == 0,
    })
}

/// The cost of a pattern, including its look-arounds, computed before anything is compiled.
fn check_cost(ast: &Ast, sets: &ast::Sets) -> Result<Cost, PatternError> {
    let ranges_of = |id| sets.get(id).map_or(0, |set| u64::try_from(set.ranges().len()).unwrap_or(u64::MAX));
    let mut looks = Vec::new();
    ast.looks(&mut looks);
    let bodies = looks.iter().map(|look| nfa::cost(&look.body, &ranges_of));
    let cost = bodies.fold(nfa::cost(ast, &ranges_of), Cost::plus);
    if cost.steps() > MAX_STATES {
        return Err(parse::too_large(format!(
            "the counted repetitions expand to more than {MAX_STATES} states; limit the length with `maxLength` instead"
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
        f.write_str("matching exceeded the step limit")
    }
}

impl std::error::Error for StepLimit {}
