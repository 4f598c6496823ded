//! The search for the smallest value that conforms to some literals.
//!
//! For each type of values, the literals become a [`State`], and the search takes every combination of the alternatives
//! that they leave open. Alternatives that the other facts decide are settled first, so that a union with tags needs no
//! search. The properties and items of a value are searched for independently of each other, because no keyword relates
//! their values.
//!
//! A recursive schema leads back to literals that are being searched for. Such a way needs a smaller value of the same
//! kind inside of the value, so it cannot lead to the smallest one, and there it counts as empty.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use super::budget::Budget;
use super::evaluate::conforms;
use super::formats::usual_pattern;
use super::size::Size;
use super::state::{Choice, Fact, State, ValueType};
use super::string::{Search, Strings};
use super::term::{ALL_TYPES, Literal, Term, Terms};
use crate::Json;
use crate::format::{Equivalent, equivalent};

/// Literals that apply to the same value.
pub(super) type Goal = BTreeSet<Literal>;

/// A value and its size.
pub(super) type Witness = (Rc<Json>, Size);

/// Why a search was given up.
pub(super) type Gap = &'static str;

/// The result for a goal.
#[derive(Clone, Debug)]
pub(super) enum GoalOutcome {
    Found(Witness),
    Empty,
    Unknown(Gap),
}

/// The most goals and choices inside each other. A payload has at most 128 levels. This leaves room for a goal and a
/// choice at each of them, and bounds the recursion.
const MAX_DEPTH: usize = 300;

/// The most values in a value that is found. One of them takes about a hundred bytes, and the values of all definitions
/// are kept; a payload with more is too large to be read.
const MAX_VALUES: u64 = 1 << 17;

pub(super) struct Solver {
    pub(super) terms: Terms,
    pub(super) budget: Budget,
    /// Whether a string with a format is one that most programs accept, if there is one, instead of the shortest.
    pub(super) prefers_usual: bool,
    /// Outcomes that depend on no assumption.
    known: HashMap<Goal, GoalOutcome>,
    /// Outcomes that depend on goals that are being searched for, with their places in `active`.
    assumed: HashMap<Goal, (GoalOutcome, BTreeSet<usize>)>,
    /// The goals that are being searched for.
    active: Vec<Goal>,
    depth: usize,
}

/// The best value so far of one goal.
#[derive(Default)]
pub(super) struct Best {
    pub(super) witness: Option<Witness>,
    pub(super) gap: Option<Gap>,
    /// The active goals that counted as empty.
    pub(super) assumed: BTreeSet<usize>,
}

impl Best {
    pub(super) fn offer(&mut self, value: Json) {
        let size = Size::of(&value);
        if self.witness.as_ref().is_none_or(|(_, best)| size < *best) {
            self.witness = Some((Rc::new(value), size));
        }
    }

    /// Whether a value of at least that size cannot be better.
    fn is_better_than(&self, least: Size) -> bool {
        self.witness.as_ref().is_some_and(|(_, best)| *best < least)
    }

    fn outcome(self) -> (GoalOutcome, BTreeSet<usize>) {
        let outcome = match (self.witness, self.gap) {
            (Some(witness), _) => GoalOutcome::Found(witness),
            (None, Some(gap)) => GoalOutcome::Unknown(gap),
            (None, None) => GoalOutcome::Empty,
        };
        (outcome, self.assumed)
    }
}

impl Solver {
    pub(super) fn new(terms: Terms, budget: Budget) -> Self {
        Self {
            terms,
            budget,
            prefers_usual: false,
            known: HashMap::new(),
            assumed: HashMap::new(),
            active: Vec::new(),
            depth: 0,
        }
    }

    /// Forgets the goals that were given up, so that another budget can decide them.
    pub(super) fn forget_unknown(&mut self) {
        self.known.retain(|_, outcome| !matches!(outcome, GoalOutcome::Unknown(_)));
    }

    /// The smallest value that conforms to the literals. The active goals that it depends on are added to `assumed`.
    ///
    /// Takes steps for the size of the value, because callers copy it. Otherwise `n` definitions, each with two
    /// required properties that refer to the next one, would take a value of 2<sup>n</sup> parts.
    pub(super) fn solve(&mut self, goal: &Goal, assumed: &mut BTreeSet<usize>) -> GoalOutcome {
        match self.uncopied(goal, assumed) {
            GoalOutcome::Found((_, size)) if size.values > MAX_VALUES => {
                GoalOutcome::Unknown("the smallest value has too many parts")
            }
            GoalOutcome::Found((_, size)) if !self.budget.spend(size.steps_of_copy()) => {
                GoalOutcome::Unknown("the budget of the comparison")
            }
            outcome => outcome,
        }
    }

    fn uncopied(&mut self, goal: &Goal, assumed: &mut BTreeSet<usize>) -> GoalOutcome {
        if let Some(outcome) = self.known.get(goal) {
            return outcome.clone();
        }
        if let Some(place) = self.active.iter().position(|active| active == goal) {
            assumed.insert(place);
            return GoalOutcome::Empty;
        }
        if let Some((outcome, others)) = self.assumed.get(goal) {
            assumed.extend(others);
            return outcome.clone();
        }
        let is_contradiction = goal.iter().any(|literal| goal.contains(&literal.negated()));
        let types = goal.iter().fold(ALL_TYPES, |types, literal| types & self.terms.types(*literal));
        if is_contradiction || types == 0 {
            return GoalOutcome::Empty;
        }
        if self.depth >= MAX_DEPTH {
            return GoalOutcome::Unknown("the values are nested too deeply");
        }
        let place = self.active.len();
        self.active.push(goal.clone());
        self.depth += 1;
        let (outcome, others) = self.search_types(goal, types).outcome();
        self.depth -= 1;
        self.active.truncate(place);
        self.settle(goal, outcome, others, place, assumed)
    }

    /// Records the outcome of a goal that is no longer active.
    fn settle(
        &mut self,
        goal: &Goal,
        outcome: GoalOutcome,
        mut others: BTreeSet<usize>,
        place: usize,
        assumed: &mut BTreeSet<usize>,
    ) -> GoalOutcome {
        others.remove(&place);
        // The outcomes that assumed that this goal is empty are right if it is, and are forgotten otherwise.
        let is_empty = matches!(outcome, GoalOutcome::Empty);
        let mut proven = Vec::new();
        self.assumed.retain(|goal, (outcome, assumptions)| {
            if !assumptions.remove(&place) {
                return true;
            }
            if !is_empty {
                return false;
            }
            assumptions.extend(&others);
            if assumptions.is_empty() {
                proven.push((goal.clone(), outcome.clone()));
            }
            !assumptions.is_empty()
        });
        self.known.extend(proven);
        if others.is_empty() {
            self.known.insert(goal.clone(), outcome.clone());
        } else {
            assumed.extend(&others);
            self.assumed.insert(goal.clone(), (outcome.clone(), others));
        }
        outcome
    }

    fn search_types(&mut self, goal: &Goal, types: u8) -> Best {
        let mut best = Best::default();
        let values = goal.iter().find_map(|literal| match self.terms.get(literal.term) {
            Term::Values(ids) if literal.positive => Some(ids.clone()),
            _ => None,
        });
        if let Some(values) = values {
            self.try_values(goal, &values, &mut best);
            return best;
        }
        for value_type in ValueType::ALL {
            if types & value_type.bits() == 0 {
                continue;
            }
            let mut state = State::new(value_type);
            let facts = goal.iter().rev().map(|literal| Fact::Literal(*literal)).collect();
            if state.assume(&self.terms, facts).is_ok() {
                self.search(goal, state, &mut best);
            }
        }
        best
    }

    fn try_values(&mut self, goal: &Goal, values: &[u32], best: &mut Best) {
        for id in values {
            let value = self.terms.value(*id).clone();
            let mut result = Some(true);
            for literal in goal {
                match conforms(&self.terms, *literal, &value, &mut self.budget) {
                    Some(true) => {}
                    other => {
                        result = other;
                        break;
                    }
                }
            }
            match result {
                Some(true) => best.offer(value),
                Some(false) => {}
                None => best.gap = Some("the budget of the comparison"),
            }
        }
    }

    /// Searches the values of a state.
    pub(super) fn search(&mut self, goal: &Goal, mut state: State, best: &mut Best) {
        if self.depth >= MAX_DEPTH || !self.budget.spend(state.weight()) {
            best.gap = Some("the budget of the comparison");
            return;
        }
        if !self.decide(&mut state, best) || best.is_better_than(state.least_size()) {
            return;
        }
        if let Some(values) = state.finite.take() {
            self.try_values(goal, &values, best);
            return;
        }
        let smallest = state.choices.iter().enumerate().min_by_key(|(_, choice)| choice.len()).map(|(index, _)| index);
        let choice = match smallest {
            Some(index) => state.choices.swap_remove(index),
            None => match state.others.pop() {
                Some(other) => self.names_for(&state, &other, best),
                None => return self.complete(&state, best),
            },
        };
        for facts in choice {
            let mut next = state.clone();
            if next.assume(&self.terms, facts).is_ok() {
                self.depth += 1;
                self.search(goal, next, best);
                self.depth -= 1;
            }
        }
    }

    /// Settles the choices that the other facts decide; `false` if they contradict each other.
    fn decide(&mut self, state: &mut State, best: &mut Best) -> bool {
        loop {
            let mut forced = None;
            let mut index = 0;
            while let Some(choice) = state.choices.get(index) {
                let mut left: Choice = Vec::new();
                let mut is_true = false;
                for facts in choice {
                    match state.truth(&self.terms, facts, &mut self.budget) {
                        Some(true) => is_true = true,
                        Some(false) => {}
                        None => left.push(facts.clone()),
                    }
                }
                if !self.budget.spend(choice.len() as u64 + 1) {
                    best.gap = Some("the budget of the comparison");
                    return false;
                }
                if is_true {
                    state.choices.swap_remove(index);
                    continue;
                }
                if left.len() < 2 {
                    state.choices.swap_remove(index);
                    forced = Some(left.pop());
                    break;
                }
                if let Some(place) = state.choices.get_mut(index) {
                    *place = left;
                }
                index += 1;
            }
            match forced {
                None => return true,
                Some(None) => return false,
                Some(Some(facts)) => {
                    if state.assume(&self.terms, facts).is_err() {
                        return false;
                    }
                }
            }
        }
    }

    /// The smallest value of a state without choices.
    fn complete(&mut self, state: &State, best: &mut Best) {
        match state.value_type {
            ValueType::Null => best.offer(Json::Null),
            ValueType::Boolean => {
                let allowed = [false, true].into_iter().find(|value| !state.excluded_booleans.contains(value));
                allowed.into_iter().for_each(|value| best.offer(Json::Bool(value)));
            }
            ValueType::Number => match state.range.simplest(&mut self.budget) {
                Ok(number) => number.into_iter().for_each(|number| best.offer(Json::Number(number))),
                Err(gap) => best.gap = Some(gap),
            },
            ValueType::String => self.complete_string(state, best),
            ValueType::Array => super::array::complete(self, state, best),
            ValueType::Object => super::object::complete(self, state, best),
        }
    }

    fn complete_string(&mut self, state: &State, best: &mut Best) {
        let mut strings = Strings {
            min_length: state.min_length,
            max_length: state.max_length,
            excluded: state.excluded_strings.clone(),
            candidates: self.terms.texts.clone(),
            ..Strings::default()
        };
        for literal in &state.text {
            match self.terms.get(literal.term) {
                Term::Pattern(source) => {
                    strings.patterns.extend(self.terms.pattern(source).map(|pattern| (pattern, literal.positive)));
                }
                Term::Format(format) => {
                    strings.formats.push((*format, literal.positive));
                    let Equivalent::Between { least, most } = equivalent(*format) else { continue };
                    // A pattern that allows every string that the literal allows.
                    let source = if literal.positive { most } else { least };
                    strings.patterns.extend(self.terms.pattern(source).map(|pattern| (pattern, literal.positive)));
                }
                _ => {}
            }
        }
        if let Some(text) = self.usual_text(state, &strings) {
            return best.offer(Json::String(text));
        }
        match strings.shortest(&mut self.budget) {
            Search::Found(text) => best.offer(Json::String(text)),
            Search::Empty => {}
            Search::Unknown(gap) => best.gap = Some(gap),
        }
    }
    /// A text that most programs accept for the formats of the literals.
    fn usual_text(&mut self, state: &State, strings: &Strings) -> Option<String> {
        let positive = state.text.iter().filter(|literal| self.prefers_usual && literal.positive);
        let sources: BTreeSet<_> = positive.filter_map(|literal| usual_pattern(self.terms.get(literal.term))).collect();
        if sources.is_empty() {
            return None;
        }
        let mut usual = Strings { candidates: Rc::default(), ..strings.clone() };
        usual.patterns.extend(sources.into_iter().filter_map(|source| Some((self.terms.pattern(source)?, true))));
        // The other search needs steps, too.
        let kept = self.budget.left() / 2;
        let mut budget = Budget::new(self.budget.left() - kept);
        let found = usual.shortest(&mut budget);
        self.budget = Budget::new(budget.left() + kept);
        match found {
            Search::Found(text) => Some(text),
            _ => None,
        }
    }
}
