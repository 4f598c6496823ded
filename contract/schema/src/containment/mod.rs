//! Whether one schema accepts everything that another accepts.
//!
//! `new` accepts everything that `old` accepts, if and only if no value conforms to `old` and to the negation of `new`.
//! So the question is answered by a search for such a value, a *witness*. The search is a decision procedure: it
//! distinguishes the cases that the keywords leave open, and decides numbers by intervals, strings by automata, and
//! arrays and objects by their items and properties. It ends without a decision only at its limits, which protect
//! against hostile schemas, and for the few constructs that [`Containment::Undecided`] names.

mod array;
mod budget;
mod build;
mod evaluate;
mod examples;
mod formats;
mod machine;
mod meaning;
mod multiples;
mod names;
mod number;
mod object;
mod partition;
mod size;
mod solve;
mod state;
mod string;
mod term;
mod tuple;

use std::collections::BTreeSet;

pub use examples::{Counterexample, Counterexamples, ExampleSettings, counterexamples, examples};

use budget::Budget;
use number::Range;
use solve::{GoalOutcome, Solver};
use term::{Literal, Terms};

use crate::{Assertions, ExactPayload, Json, Schema, Type, Validator};

/// Whether everything that one schema accepts is accepted by another.
#[derive(Clone, PartialEq, Debug)]
pub enum Containment {
    /// Every value that the first schema accepts is accepted by the second.
    Yes,
    /// The value is accepted by the first schema and rejected by the second. It is the smallest one that the search has
    /// found: with the fewest values, then the shortest strings, then the shortest numbers.
    No(Json),
    /// The search was given up. It never counts as `Yes`.
    Undecided(Undecided),
}

/// Why a question about schemas was left open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Undecided {
    /// The construct or the limit that ended the search, as a noun phrase or a clause.
    pub reason: &'static str,
}

/// A limit of the work of one question about schemas.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Steps(pub u64);

impl std::fmt::Display for Undecided {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "undecided: {}", self.reason)
    }
}

impl std::error::Error for Undecided {}

impl Steps {
    /// The steps that take about as many seconds. The same number on each machine, so that equal inputs have equal
    /// answers: 2.5 million steps for each second, the rate of the slowest searches on a machine of 2020.
    ///
    /// ```
    /// assert_eq!(capgen_schema::Steps::of_seconds(2), capgen_schema::Steps::default());
    /// ```
    pub const fn of_seconds(seconds: u64) -> Self {
        Steps(seconds.saturating_mul(2_500_000))
    }

    /// Keeps the steps that a budget has left.
    fn keep(&mut self, budget: &Budget) {
        self.0 = budget.left();
    }
}

impl Default for Steps {
    /// 5 million steps: less than two seconds.
    fn default() -> Self {
        Steps(5_000_000)
    }
}

/// Whether `larger` accepts everything that `smaller` accepts.
///
/// Considers all JSON values, whether or not they can be represented in Rust or JavaScript.
///
/// ```
/// use capgen_schema::{Containment, Json, Schema, Steps, contains};
/// let old = Schema::parse_text(r#"{"type": "integer", "minimum": 1}"#)?;
/// let new = Schema::parse_text(r#"{"type": "number"}"#)?;
/// assert_eq!(contains(&new, &old, Steps::default()), Containment::Yes);
/// assert_eq!(contains(&old, &new, Steps::default()), Containment::No(Json::Number(0_i64.into())));
/// # Ok::<(), capgen_schema::SchemaTextError>(())
/// ```
pub fn contains(larger: &Schema, smaller: &Schema, mut steps: Steps) -> Containment {
    contains_within(larger, smaller, &mut steps)
}

/// Like [`contains`], for a question that shares its budget with others: takes the steps that it needs from `left`.
///
/// ```
/// use capgen_schema::{Containment, Schema, Steps, contains_within};
/// let old = Schema::parse_text(r#"{"type": "string", "pattern": "^a+$"}"#)?;
/// let new = Schema::parse_text(r#"{"type": "string", "pattern": "a"}"#)?;
/// let mut left = Steps(1_000);
/// assert_eq!(contains_within(&new, &old, &mut left), Containment::Yes);
/// assert!(left < Steps(1_000));
/// # Ok::<(), capgen_schema::SchemaTextError>(())
/// ```
pub fn contains_within(larger: &Schema, smaller: &Schema, left: &mut Steps) -> Containment {
    let (terms, [larger_root, smaller_root]) = Terms::of([larger, smaller]);
    if larger_root == smaller_root {
        return Containment::Yes;
    }
    let goal = BTreeSet::from([Literal::is(smaller_root), Literal::is_not(larger_root)]);
    let mut solver = Solver::new(terms, Budget::new(left.0));
    let outcome = solver.solve(&goal, &mut BTreeSet::new());
    left.keep(&solver.budget);
    match outcome {
        GoalOutcome::Empty => Containment::Yes,
        GoalOutcome::Unknown(reason) => Containment::Undecided(Undecided { reason }),
        GoalOutcome::Found((value, _)) => confirmed(larger, smaller, (*value).clone()),
    }
}

/// The smallest value that a schema accepts; `Ok(None)` if it accepts nothing.
///
/// # Errors
/// [`Undecided`], as for [`contains`].
pub fn smallest_value(schema: &Schema, mut steps: Steps) -> Result<Option<Json>, Undecided> {
    smallest_value_within(schema, &mut steps)
}

/// Like [`smallest_value`], for a question that shares its budget with others: takes the steps that it needs from
/// `left`.
///
/// # Errors
/// [`Undecided`], as for [`contains`].
///
/// ```
/// use capgen_schema::{Json, Schema, Steps, smallest_value_within};
/// let schema = Schema::parse_text(r#"{"type": "null"}"#)?;
/// let mut left = Steps(1_000);
/// assert_eq!(smallest_value_within(&schema, &mut left), Ok(Some(Json::Null)));
/// assert!(left < Steps(1_000));
/// # Ok::<(), capgen_schema::SchemaTextError>(())
/// ```
pub fn smallest_value_within(schema: &Schema, left: &mut Steps) -> Result<Option<Json>, Undecided> {
    let (terms, [root, _]) = Terms::of([schema, schema]);
    let mut solver = Solver::new(terms, Budget::new(left.0));
    let outcome = solver.solve(&BTreeSet::from([Literal::is(root)]), &mut BTreeSet::new());
    left.keep(&solver.budget);
    match outcome {
        GoalOutcome::Empty => Ok(None),
        GoalOutcome::Unknown(reason) => Err(Undecided { reason }),
        GoalOutcome::Found((value, _)) => Ok(Some((*value).clone())),
    }
}

/// Whether no multiple of `multipleOf` is between the bounds of one schema object. `false` if the bounds exclude every
/// number, or if the answer would take long.
pub(crate) fn has_no_multiple(group: &Assertions) -> bool {
    let Some(divisor) = &group.multiple_of else { return false };
    let mut range = Range::default();
    range.multiple_of(divisor, true);
    group.minimum.iter().for_each(|limit| range.at_least(limit, false));
    group.exclusive_minimum.iter().for_each(|limit| range.at_least(limit, true));
    group.maximum.iter().for_each(|limit| range.at_most(limit, false));
    group.exclusive_maximum.iter().for_each(|limit| range.at_most(limit, true));
    if group.types.is_some_and(|types| types.contains(Type::Integer) && !types.contains(Type::Number)) {
        range.integer = Some(true);
    }
    !range.is_empty() && range.simplest(&mut Budget::new(2000)) == Ok(None)
}

/// A witness, after the interpreter has confirmed it.
fn confirmed(larger: &Schema, smaller: &Schema, value: Json) -> Containment {
    let payload = ExactPayload::of(&value);
    let accepts = |schema: &Schema| Validator::new(schema).is_valid_exact(&payload);
    if accepts(smaller) && !accepts(larger) {
        Containment::No(value)
    } else {
        Containment::Undecided(Undecided { reason: "the interpreter does not confirm the witness" })
    }
}
