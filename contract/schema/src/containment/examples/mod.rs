//! Examples of a schema: small payloads that it accepts, and small payloads that violate one of its assertions.
//!
//! Both come from the search of [`contains`](super::contains). An example that shows a part of the schema is the
//! smallest value of the schema that also conforms to a condition, such as having an optional property. A
//! counterexample is the smallest value of the schema in which one assertion is negated and everything else is kept.

mod invalid;
mod negated;
mod place;
mod valid;

use std::collections::{BTreeSet, HashMap};

use super::budget::Budget;
use super::build::{self, Part};
use super::solve::{GoalOutcome, Solver};
use super::term::{Literal, Term, TermId, Terms};
use super::{Steps, Undecided};
use crate::analysis::selection::Selector;
use crate::{
    Assertions, ExactPayload, Json, Keyword, Kind, NodeId, ReportBudget, Schema, Validator, Violation, Violations,
};

/// Which examples to find.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExampleSettings {
    /// How many, at most. If it is `None`, as many as show each part of the schema, but no more than
    /// [`ExampleSettings::MAX_COUNT`].
    pub count: Option<usize>,
    /// Equal seeds give equal examples. Zero gives the smallest ones.
    pub seed: u64,
    /// The limit of the work.
    pub steps: Steps,
}

impl ExampleSettings {
    /// How many payloads are found if there is no `count`. More than a test or a reader needs, and each takes a search.
    pub const MAX_COUNT: usize = 1_000;
}

impl Default for ExampleSettings {
    /// As many as show each part, the smallest ones, and 4 million steps, which are a few seconds at most.
    fn default() -> Self {
        Self { count: None, seed: 0, steps: Steps(4_000_000) }
    }
}

/// The payloads that violate the assertions of a schema.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Counterexamples {
    /// One payload for each assertion that a payload can violate, in the order of the schema. Assertions that the same
    /// payload violates have one payload.
    pub found: Vec<Counterexample>,
    /// For how many assertions the search for a payload was given up.
    pub undecided: usize,
}

/// A payload that violates an assertion.
#[derive(Clone, PartialEq, Debug)]
pub struct Counterexample {
    /// The smallest one that was found.
    pub payload: Json,
    /// JSON Pointer to the subschema with the assertion.
    pub pointer: String,
    /// The assertion.
    pub keyword: Keyword,
    /// The violation that shows that the assertion is violated. It may have another keyword: a value whose JSON type no
    /// branch of a union allows violates `type`, an unknown tag of a union violates `enum`, and an assertion in a
    /// branch violates the union if several branches could have been meant.
    pub expected: Violation,
    /// The violations that the interpreter reports, usually including the expected one: a report of many violations may
    /// end before it, and shows only the start of a long name.
    pub violations: Violations,
}

/// Small payloads that a schema accepts, which together show its optional properties, items, types, branches of unions,
/// and members of enums. The first is the smallest one; each of the others shows as many parts as possible that those
/// before it do not show. A string with a format is one that most programs accept, such as a date after 1970, if the
/// schema allows one. If there are fewer than `count`, other payloads follow, the smallest first. Empty if the
/// schema accepts nothing. If the search is given up: the valid ones of the `examples` and the `default` of the schema.
///
/// ```
/// use capgen_schema::{ExampleSettings, Schema, examples};
/// let schema = Schema::parse_text(r#"{"type": "object", "properties": {"n": {"enum": [1, 2]}}}"#)?;
/// let texts: Vec<_> = examples(&schema, ExampleSettings::default())?.iter().map(|value| value.canonical()).collect();
/// assert_eq!(texts, ["{}", r#"{"n":1}"#, r#"{"n":2}"#]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Undecided`], if the smallest payload is not found within the budget, and the schema has no valid example.
pub fn examples(schema: &Schema, settings: ExampleSettings) -> Result<Vec<Json>, Undecided> {
    valid::find(Search::new(schema, settings))
}

/// For each assertion of a schema, the smallest payload that violates it. If possible, the payload violates nothing
/// else.
///
/// ```
/// use capgen_schema::{ExampleSettings, Keyword, Schema, counterexamples};
/// let schema = Schema::parse_text(r#"{"type": "string", "maxLength": 1}"#)?;
/// let found = counterexamples(&schema, ExampleSettings::default()).found;
/// let texts: Vec<_> = found.iter().map(|example| (example.keyword, example.payload.canonical())).collect();
/// assert_eq!(texts, [(Keyword::Type, "null".to_owned()), (Keyword::MaxLength, r#""aa""#.to_owned())]);
/// # Ok::<(), capgen_schema::SchemaTextError>(())
/// ```
pub fn counterexamples(schema: &Schema, settings: ExampleSettings) -> Counterexamples {
    invalid::find(Search::new(schema, settings))
}

/// The state of a search for examples of one schema.
struct Search<'s> {
    schema: &'s Schema,
    settings: ExampleSettings,
    solver: Solver,
    ids: HashMap<build::Place, TermId>,
    root: TermId,
    validator: Validator,
    selector: Selector<'s>,
    steps_left: u64,
}

/// The result of one search.
enum Found {
    Value(Json),
    Nothing,
    Unknown(&'static str),
}

/// Every search takes this many steps or more, so that their number is limited, too. With the default of 4 million
/// steps, there are at most 20,000 searches.
const MIN_STEPS: u64 = 200;

/// The budget of the search for one example, as a part of the whole budget. So one that is hard to find leaves time for
/// the others.
const PART_OF_STEPS: u64 = 10;

/// The longest text of an example, in bytes. It is the default limit of messages in NATS; longer ones could not be
/// read.
const MAX_TEXT: usize = 1 << 20;

impl<'s> Search<'s> {
    fn new(schema: &'s Schema, settings: ExampleSettings) -> Self {
        let mut terms = Terms::default();
        let ids = build::add_all(&mut terms, &[schema]);
        let nothing = terms.nothing();
        let root = ids.get(&(0, schema.resolve(schema.root()))).copied().unwrap_or(nothing);
        let mut solver = Solver::new(terms, Budget::new(0));
        solver.prefers_usual = true;
        // The search needs whole names, and every violation. A payload of a search is small.
        let validator = Validator::new(schema).budget(ReportBudget::UNLIMITED);
        let selector = Selector::new(schema);
        Self { schema, settings, solver, ids, root, validator, selector, steps_left: settings.steps.0 }
    }

    /// The smallest value that conforms to all literals.
    fn solve(&mut self, goal: &BTreeSet<Literal>, steps: u64) -> Found {
        let limit = steps.min(self.steps_left);
        if limit == 0 {
            return Found::Unknown("the budget of the comparison");
        }
        self.solver.budget = Budget::new(limit);
        let outcome = self.solver.solve(goal, &mut BTreeSet::new());
        let spent = limit - self.solver.budget.left();
        self.steps_left = self.steps_left.saturating_sub(spent.max(MIN_STEPS));
        match outcome {
            GoalOutcome::Found((value, _)) => Found::Value((*value).clone()),
            GoalOutcome::Empty => Found::Nothing,
            GoalOutcome::Unknown(reason) => {
                self.solver.forget_unknown();
                Found::Unknown(reason)
            }
        }
    }

    /// Takes steps for work outside of [`solve`](Self::solve).
    fn spend(&mut self, steps: u64) {
        self.steps_left = self.steps_left.saturating_sub(steps);
    }

    /// The budget of one of many searches.
    fn part(&self) -> u64 {
        self.settings.steps.0 / PART_OF_STEPS
    }

    fn add(&mut self, term: Term) -> TermId {
        self.solver.terms.add(term)
    }

    fn all(&mut self, terms: impl IntoIterator<Item = TermId>) -> TermId {
        self.add(Term::All(terms.into_iter().collect()))
    }

    fn not(&mut self, term: TermId) -> TermId {
        self.add(Term::Not(term))
    }

    /// The term of a subschema.
    fn term(&mut self, node: NodeId) -> TermId {
        let id = self.ids.get(&(0, self.schema.resolve(node))).copied();
        id.unwrap_or_else(|| self.solver.terms.nothing())
    }

    /// The keywords of a subschema; `None` for `true` and `false`.
    fn group(&self, node: NodeId) -> Option<&'s Assertions> {
        match &self.schema.node(node).kind {
            Kind::Assertions(group) => Some(group),
            _ => None,
        }
    }

    /// The assertions of a subschema; none for `true` and `false`.
    fn parts(&mut self, node: NodeId) -> Vec<Part> {
        let Some(group) = self.group(node) else { return Vec::new() };
        let (schema, ids) = (self.schema, &self.ids);
        let terms = &mut self.solver.terms;
        let parts = build::assertions(terms, group, &|child| ids.get(&(0, schema.resolve(child))).copied());
        self.spend((parts.len() + group.properties.len()) as u64);
        parts
    }
}

/// A value as a payload; `None` if a parser of payloads rejects it or it is very long.
fn payload(value: &Json) -> Option<ExactPayload> {
    let text = value.canonical();
    (text.len() <= MAX_TEXT).then(|| ExactPayload::parse(text.as_bytes()).ok()).flatten()
}
