//! Reading a contract: its pieces, checked and collected.

use std::collections::BTreeSet;
use std::ops::Range;

use capgen_diagnostic::Severity;

use super::kind::Kind;
use super::problem::{self, Mistake};
use super::scan::{self, Clause, Malformed, Piece, Pieces};
use super::token::{decoded, is_capability, is_key, is_model, is_runtime, is_value};
use super::{ContractProblem, Setting, SkillContract};
use crate::inputs::{InvalidSetting, Mode};

/// Further problems are only counted, so that a hostile contract does not need much more memory than its text. A
/// contract that a person wrote has far fewer.
const MAX_PROBLEMS: usize = 100;

/// A contract that was read in a mode.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reading {
    /// The contract; `None` if it is unreadable in this mode (decision 5).
    pub contract: Option<SkillContract>,
    /// The first 100 problems, in the order of the text. All are errors if the contract is unreadable, else warnings.
    pub problems: Vec<ContractProblem>,
    /// The number of problems after these.
    pub further_problems: usize,
    /// The places of invalid tokens, in bytes of the text. An empty value has an empty range.
    pub invalid_tokens: Vec<Range<usize>>,
    /// The places of unknown clauses, and of text that is skipped because it is not a clause.
    pub unknown_clauses: Vec<Range<usize>>,
}

/// Reads a contract in a mode (sections "Dependent Capability Interface (DCI) Grammar" and "Capability Token Validation
/// and Normalization"; decisions 1 to 9).
///
/// The time and the memory are linear in the length of the text, apart from the search for duplicates, which takes `n
/// log n`.
pub fn read(text: &str, mode: Mode) -> Reading {
    let trimmed = scan::trimmed(text);
    let word = scan::word(text, trimmed.start, trimmed.end);
    let mut reader =
        Reader { text, mode, contract: SkillContract::default(), reading: Reading::default(), seen: Seen::default() };
    match header(slice(text, &word)) {
        Ok(stated) => reader.contract.mode = stated,
        Err(mistake) => {
            let problems = vec![mistake.at(word, Severity::Error)];
            return Reading { problems, ..Reading::default() };
        }
    }
    reader.body(word.end, trimmed.end);
    reader.finish()
}

/// The mode that the header of a contract states; `None` if it states no mode, or is invalid.
pub fn stated_mode(text: &str) -> Option<Mode> {
    let trimmed = scan::trimmed(text);
    header(slice(text, &scan::word(text, trimmed.start, trimmed.end))).ok().flatten()
}

/// The mode of a header `DCI/1[^mode]` (decision 2).
fn header(word: &str) -> Result<Option<Mode>, Mistake> {
    let Some(rest) = word.strip_prefix("DCI/") else { return Err(problem::header(word)) };
    let (version, name) = rest.split_once('^').map_or((rest, None), |(version, name)| (version, Some(name)));
    if version.is_empty() || !version.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(problem::header(word));
    }
    if version != "1" {
        return Err(problem::version(version));
    }
    name.map(|name| name.parse().map_err(|_| problem::mode(name))).transpose()
}

fn slice<'t>(text: &'t str, range: &Range<usize>) -> &'t str {
    text.get(range.clone()).unwrap_or_default()
}

/// The values that a clause already has, after normalisation.
#[derive(Default)]
struct Seen {
    provides: BTreeSet<String>,
    expects: BTreeSet<String>,
    requires: BTreeSet<String>,
    optional: BTreeSet<String>,
    denies: BTreeSet<String>,
    runtime: BTreeSet<String>,
    model: BTreeSet<String>,
    accepts: BTreeSet<String>,
    policy: BTreeSet<String>,
}

struct Reader<'t> {
    text: &'t str,
    mode: Mode,
    contract: SkillContract,
    reading: Reading,
    seen: Seen,
}

impl Reader<'_> {
    fn body(&mut self, header_end: usize, end: usize) {
        let text = self.text;
        let mut has_clauses = false;
        for Piece { gap, span, content } in Pieces::new(text, header_end, end) {
            has_clauses = true;
            if self.mode == Mode::Strict && !gap.is_empty() && slice(text, &gap) != " " {
                self.report(gap, problem::spacing);
            }
            match content {
                Ok(clause) => self.clause(span, &clause),
                Err(reason) => self.malformed(span, &reason),
            }
        }
        if !has_clauses && self.mode == Mode::Strict {
            self.report(header_end..header_end, problem::no_clauses);
        }
    }

    fn finish(self) -> Reading {
        let Self { mut contract, mut reading, mode, .. } = self;
        if mode == Mode::BestEffort || reading.problems.is_empty() {
            contract.invalid_tokens = reading.invalid_tokens.len();
            contract.unknown_clauses = reading.unknown_clauses.len();
            reading.contract = Some(contract);
        }
        reading
    }

    fn report(&mut self, span: Range<usize>, mistake: impl FnOnce() -> Mistake) {
        if self.reading.problems.len() == MAX_PROBLEMS {
            self.reading.further_problems += 1;
            return;
        }
        let severity = match self.mode {
            Mode::Strict => Severity::Error,
            Mode::BestEffort => Severity::Warning,
        };
        self.reading.problems.push(mistake().at(span, severity));
    }

    fn invalid(&mut self, token: Range<usize>, span: Range<usize>, mistake: impl FnOnce() -> Mistake) {
        self.reading.invalid_tokens.push(token);
        self.report(span, mistake);
    }

    fn malformed(&mut self, span: Range<usize>, reason: &Malformed) {
        let text = slice(self.text, &span);
        let place = match reason {
            Malformed::NoSpace | Malformed::NoClause => span.clone(),
            Malformed::Parenthesis(place) | Malformed::Escape(place) | Malformed::Unclosed(place) => place.clone(),
        };
        self.report(place, || problem::malformed(text, reason));
        self.reading.unknown_clauses.push(span);
    }

    fn clause(&mut self, span: Range<usize>, clause: &Clause) {
        let text = self.text;
        let name = slice(text, &clause.name);
        let Some(kind) = Kind::named(name) else {
            self.report(clause.name.clone(), || problem::unknown_clause(name));
            self.reading.unknown_clauses.push(span);
            return;
        };
        let mut values = scan::values(text, clause.values.clone()).peekable();
        if let Some(first) = values.next_if(Range::is_empty) {
            if values.peek().is_none() {
                self.report(span, || problem::empty_clause(kind));
                return;
            }
            self.value(kind, first);
        }
        values.for_each(|value| self.value(kind, value));
    }

    fn value(&mut self, kind: Kind, span: Range<usize>) {
        if span.is_empty() {
            self.invalid(span.clone(), span, || problem::empty_value(kind));
            return;
        }
        let Self { contract, seen, .. } = self;
        let capability = (is_capability as fn(&str) -> bool, problem::capability as fn(&str) -> Mistake);
        let (list, seen, (is_valid, mistake)) = match kind {
            Kind::Provides => (&mut contract.provides, &mut seen.provides, capability),
            Kind::Expects => (&mut contract.expects, &mut seen.expects, capability),
            Kind::Requires => (&mut contract.requires, &mut seen.requires, capability),
            Kind::Optional => (&mut contract.optional, &mut seen.optional, capability),
            Kind::Denies => (&mut contract.denies, &mut seen.denies, capability),
            Kind::Runtime => (&mut contract.runtime, &mut seen.runtime, (is_runtime as _, problem::runtime as _)),
            Kind::Model => (&mut contract.model, &mut seen.model, (is_model as _, problem::model as _)),
            Kind::Accepts | Kind::Policy => return self.pair(kind, span),
        };
        // No token that contains an escape is valid: the grammar allows none of the characters that are escaped.
        let token = slice(self.text, &span);
        if !is_valid(token) {
            self.invalid(span.clone(), span, || mistake(token));
            return;
        }
        let token = self.mode.normalised(token);
        if seen.insert(token.clone()) {
            list.push(token);
        }
    }

    /// A pair of `A(...)` or `Pol(...)`.
    fn pair(&mut self, kind: Kind, span: Range<usize>) {
        let text = self.text;
        let Some((key_span, value_span)) = scan::pair(text, span.clone()) else {
            self.invalid(span.clone(), span.clone(), || problem::no_value(slice(text, &span)));
            return;
        };
        let key = slice(text, &key_span);
        if !is_key(key) {
            self.invalid(span.clone(), key_span, || problem::key(key));
            return;
        }
        let key = self.mode.normalised(key);
        let seen = if kind == Kind::Policy { &mut self.seen.policy } else { &mut self.seen.accepts };
        // A key keeps its place even if its value is invalid (decisions 6 and 30).
        if !seen.insert(key.clone()) {
            self.invalid(span, key_span, || problem::duplicate_key(kind, &key));
            return;
        }
        if value_span.is_empty() {
            self.invalid(span.clone(), span.clone(), || problem::no_value(slice(text, &span)));
            return;
        }
        let value = slice(text, &value_span);
        if kind == Kind::Policy {
            self.policy(span, key_span, value_span, key);
            return;
        }
        if !is_value(value) {
            self.report(value_span, || problem::value(&key));
        }
        self.contract.accepts.push(Setting { key, value: decoded(value) });
    }

    /// A pair of `Pol(...)` (decision 8). Valid values contain no escapes.
    fn policy(&mut self, span: Range<usize>, key_span: Range<usize>, value_span: Range<usize>, key: String) {
        let value = slice(self.text, &value_span);
        if let Err(invalid) = self.contract.overrides.set(&key, value) {
            let place = if invalid == InvalidSetting::UnknownKey { key_span } else { value_span };
            self.invalid(span, place, || problem::setting(&key, value, invalid));
            return;
        }
        self.contract.policy.push(Setting { key, value: value.to_owned() });
    }
}
