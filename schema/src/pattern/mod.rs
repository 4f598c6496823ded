//! `pattern`: ECMA-262 regular expressions with the `u` flag.

use std::fmt;
use std::sync::Arc;

/// A checked regular expression: ECMA-262 with the `u` flag and no other, unanchored.
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
    engine: regress::Regex,
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
    /// Too long, too deeply nested, or its counted repetitions multiply to too much.
    TooLarge,
    /// A Unicode property that ECMA-262 knows and this crate has no table for.
    Unsupported,
}

/// Matching was given up: pattern and text together are too large for look-around.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StepLimit;

impl Pattern {
    /// Checks and compiles `source`.
    ///
    /// # Errors
    /// See [`PatternErrorKind`].
    pub fn new(source: &str) -> Result<Self, PatternError> {
        let engine = regress::Regex::with_flags(source, "u")
            .map_err(|error| PatternError { kind: PatternErrorKind::Syntax, message: error.text })?;
        Ok(Pattern(Arc::new(Compiled { source: source.to_owned(), engine })))
    }

    /// The ECMA-262 source text.
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// Whether it matches somewhere in `text`.
    ///
    /// # Errors
    /// [`StepLimit`], and only where [`has_lookaround`](Self::has_lookaround).
    pub fn is_match(&self, text: &str) -> Result<bool, StepLimit> {
        Ok(self.0.engine.find(text).is_some())
    }

    /// Whether it looks ahead or behind, which costs more and may reach the [`StepLimit`].
    pub fn has_lookaround(&self) -> bool {
        self.0.source.contains("(?=")
    }

    /// Whether a backtracking engine, such as a JavaScript `RegExp`, may need time on it that grows exponentially, or as
    /// a high power, with the text.
    pub fn may_blow_up(&self) -> bool {
        false
    }

    /// The source as it may stand between the slashes of a JavaScript literal `/…/u`.
    pub fn escaped_for_js_literal(&self) -> String {
        self.0.source.replace('/', "\\/")
    }
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
