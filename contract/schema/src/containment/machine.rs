//! Patterns as automata that read one character after the other, several at once.
//!
//! The states of an automaton are found while the search visits them, so that only the part is built that the search
//! needs. Whether `^`, `$` and `\b` hold depends on the characters around a position; a state therefore waits for the
//! next character before it follows them.

use regex_syntax::hir::ClassUnicode;

use crate::pattern::{Automaton, Program, Step, automaton};

/// An ECMA-262 pattern. Look-around is ignored.
#[derive(Debug)]
pub(super) struct Machine {
    program: Program,
    pub(super) sets: Vec<ClassUnicode>,
    /// Whether the pattern can match at the start of the text only.
    is_anchored: bool,
    /// Whether the pattern has no look-around. Otherwise, the machine accepts more texts than the pattern.
    pub(super) is_exact: bool,
}

/// Where a machine is after some characters.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Position {
    /// The states before `^`, `$` and `\b` are followed, sorted.
    states: Vec<u32>,
    /// Whether the pattern has matched.
    pub(super) matched: bool,
}

/// The surroundings of a position between two characters.
#[derive(Clone, Copy)]
pub(super) struct Between {
    pub(super) at_start: bool,
    /// Whether the previous character is one of `[A-Za-z0-9_]`.
    pub(super) after_word: bool,
    /// The same for the next character; `None` at the end.
    pub(super) before_word: Option<bool>,
}

/// Larger automata take too long to search. Usual patterns have tens or hundreds of states.
const MAX_STATES: usize = 20_000;

impl Machine {
    pub(super) fn of(source: &str) -> Option<Self> {
        let Automaton { program, sets, is_anchored, is_exact } = automaton(source, MAX_STATES)?;
        Some(Self { program, sets, is_anchored, is_exact })
    }

    pub(super) fn start(&self) -> Position {
        Position { states: Vec::new(), matched: false }
    }

    /// Whether the pattern can no longer match, whatever follows.
    pub(super) fn is_dead(&self, position: &Position, at_start: bool) -> bool {
        self.is_anchored && !at_start && !position.matched && position.states.is_empty()
    }

    /// The states that a position reaches without reading a character, or `None` if the match is complete.
    pub(super) fn closure(&self, position: &Position, between: Between) -> Option<Vec<u32>> {
        if position.matched {
            return None;
        }
        let mut seen = vec![false; self.program.steps.len()];
        let mut open: Vec<usize> = position.states.iter().map(|state| *state as usize).collect();
        if between.at_start || !self.is_anchored {
            open.push(self.program.start);
        }
        while let Some(state) = open.pop() {
            match seen.get_mut(state) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            match self.program.steps.get(state) {
                Some(Step::Match) => return None,
                Some(Step::Split(one, other)) => open.extend([*one, *other]),
                Some(Step::Start(next)) if between.at_start => open.push(*next),
                Some(Step::End(next)) if between.before_word.is_none() => open.push(*next),
                Some(Step::WordBoundary { negated, next }) => {
                    let is_boundary = between.after_word != between.before_word.unwrap_or(false);
                    if is_boundary != *negated {
                        open.push(*next);
                    }
                }
                _ => {}
            }
        }
        let states = seen.iter().enumerate().filter(|(_, seen)| **seen);
        Some(states.filter_map(|(state, _)| u32::try_from(state).ok()).collect())
    }

    /// The position after another character, from the [`closure`](Self::closure) before it. `contains` knows the sets
    /// that contain the character. Returns the number of states that were visited, too.
    pub(super) fn read(&self, closure: Option<&[u32]>, contains: &dyn Fn(usize) -> bool) -> (Position, u64) {
        let Some(closure) = closure else { return (Position { states: Vec::new(), matched: true }, 1) };
        let next = |state: &u32| match self.program.steps.get(*state as usize) {
            Some(Step::Set(set, next)) if contains(set.0 as usize) => u32::try_from(*next).ok(),
            _ => None,
        };
        let mut states: Vec<u32> = closure.iter().filter_map(next).collect();
        states.sort_unstable();
        states.dedup();
        (Position { states, matched: false }, closure.len() as u64 + 1)
    }

    /// Whether the pattern matches if the text ends here.
    pub(super) fn accepts(&self, position: &Position, at_start: bool, after_word: bool) -> bool {
        position.matched || self.closure(position, Between { at_start, after_word, before_word: None }).is_none()
    }
}
