//! Compiles a pattern to a Thompson automaton over characters, which reads the text forwards or backwards.
//!
//! Backwards is for look-ahead: reading from the end of the text answers the question "does this match from here on"
//! for every position in one pass.

use super::ast::{Ast, Repeat, SetId};

/// An index into [`Program::steps`].
pub(crate) type State = usize;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Consumes a character of the set.
    Set(SetId, State),
    Split(State, State),
    Start(State),
    End(State),
    WordBoundary {
        negated: bool,
        next: State,
    },
    /// Looks up the result of a look-around at the current position.
    Look {
        id: usize,
        negated: bool,
        next: State,
    },
    Match,
}

#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) steps: Vec<Step>,
    pub(crate) start: State,
}

/// The size of an automaton, with counted repetitions expanded.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Cost {
    pub(super) states: u64,
    /// The number of ranges of all character sets, repeated sets included.
    pub(super) ranges: u64,
    /// The number of copies that counted repetitions make. A copy of an empty expression adds no state, but takes time.
    pub(super) copies: u64,
}

impl Cost {
    pub(super) fn plus(self, other: Cost) -> Cost {
        Cost {
            states: self.states.saturating_add(other.states),
            ranges: self.ranges.saturating_add(other.ranges),
            copies: self.copies.saturating_add(other.copies),
        }
    }

    /// The number of steps that expanding the repetitions takes.
    pub(super) fn steps(self) -> u64 {
        self.states.saturating_add(self.copies)
    }

    fn times(self, count: u64) -> Cost {
        Cost {
            states: self.states.saturating_mul(count),
            ranges: self.ranges.saturating_mul(count),
            copies: self.copies.saturating_mul(count),
        }
    }
}

/// The cost of `ast`, without the bodies of its look-arounds. `ranges_of` returns the number of ranges of a set.
pub(super) fn cost(ast: &Ast, ranges_of: &impl Fn(SetId) -> u64) -> Cost {
    const ONE: Cost = Cost { states: 1, ranges: 0, copies: 0 };
    match ast {
        Ast::Empty => Cost::default(),
        Ast::Set(id) => Cost { ranges: ranges_of(*id), ..ONE },
        Ast::Start | Ast::End | Ast::WordBoundary { .. } | Ast::Look(_) => ONE,
        Ast::Concat(items) => items.iter().fold(Cost::default(), |sum, item| sum.plus(cost(item, ranges_of))),
        Ast::Alternatives(items) => {
            items.iter().fold(Cost::default(), |sum, item| sum.plus(cost(item, ranges_of)).plus(ONE))
        }
        Ast::Repeat(repeat) => {
            let inner = cost(&repeat.inner, ranges_of);
            let (min, max) = (u64::from(repeat.min), repeat.max.map(u64::from));
            let optional = max.map_or(1, |max| max.saturating_sub(min));
            inner.times(min).plus(inner.plus(ONE).times(optional)).plus(Cost { copies: min, ..Cost::default() })
        }
    }
}

/// Compiles `ast`. The caller has checked its [`cost`].
pub(super) fn compile(ast: &Ast, backwards: bool) -> Program {
    // State 0 is the final state; everything is compiled from the end of the pattern to its start.
    let mut compiler = Compiler { steps: vec![Step::Match], backwards };
    let start = compiler.before(ast, 0);
    Program { steps: compiler.steps, start }
}

struct Compiler {
    steps: Vec<Step>,
    backwards: bool,
}

impl Compiler {
    fn push(&mut self, step: Step) -> State {
        self.steps.push(step);
        self.steps.len() - 1
    }

    /// The state that matches `ast` and then continues at `next`.
    fn before(&mut self, ast: &Ast, next: State) -> State {
        match ast {
            Ast::Empty => next,
            Ast::Set(id) => self.push(Step::Set(*id, next)),
            Ast::Start => self.push(Step::Start(next)),
            Ast::End => self.push(Step::End(next)),
            Ast::WordBoundary { negated } => self.push(Step::WordBoundary { negated: *negated, next }),
            Ast::Look(look) => self.push(Step::Look { id: look.id, negated: look.negated, next }),
            Ast::Concat(items) if self.backwards => items.iter().fold(next, |next, item| self.before(item, next)),
            Ast::Concat(items) => items.iter().rev().fold(next, |next, item| self.before(item, next)),
            Ast::Alternatives(items) => {
                let mut states = items.iter().map(|item| self.before(item, next)).collect::<Vec<_>>().into_iter();
                let first = states.next().unwrap_or(next);
                states.fold(first, |one, other| self.push(Step::Split(one, other)))
            }
            Ast::Repeat(repeat) => self.before_repeat(repeat, next),
        }
    }

    fn before_repeat(&mut self, repeat: &Repeat, next: State) -> State {
        let mut start = next;
        match repeat.max {
            None => {
                // A placeholder: the split needs the state of the loop's body, which in turn leads back to the split.
                let split = self.push(Step::Match);
                let again = self.before(&repeat.inner, split);
                if let Some(step) = self.steps.get_mut(split) {
                    *step = Step::Split(again, next);
                }
                start = split;
            }
            Some(max) => {
                // `(?:a(?:a)?)?`: each optional copy can be skipped together with those after it.
                for _ in repeat.min..max {
                    let copy = self.before(&repeat.inner, start);
                    start = self.push(Step::Split(copy, next));
                }
            }
        }
        (0..repeat.min).fold(start, |start, _| self.before(&repeat.inner, start))
    }
}
