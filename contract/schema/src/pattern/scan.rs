//! Matches patterns with look-around in time linear in the text.
//!
//! Without captures, whether a look-around matches depends on the position in the text alone. Each look-around is
//! therefore evaluated for all positions first, in one pass over the text; an inner one comes before the outer one.
//! Look-behind reads the text forwards, look-ahead reads it backwards. The rest of the pattern is an automaton in which
//! a look-around is a table look-up. Nothing ever backtracks.

use regex_syntax::hir::ClassUnicode;

use super::StepLimit;
use super::ast::{Ast, SetId, Sets};
use super::nfa::{self, Program, State, Step};

/// Maximum number of steps of one match, at most about a second.
const MAX_STEPS: u64 = 1 << 26;

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Scanner {
    sets: Vec<CharSet>,
    /// The look-arounds, indexed by their ids.
    looks: Vec<(Program, Direction)>,
    main: Program,
    /// Whether `main` can match at the start of the text only.
    anchored: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Direction {
    Forwards,
    Backwards,
}

impl Scanner {
    pub(super) fn new(ast: &Ast, sets: &Sets) -> Self {
        let mut looks = Vec::new();
        ast.looks(&mut looks);
        looks.sort_by_key(|look| look.id);
        let looks = looks.into_iter().map(|look| {
            let direction = if look.behind { Direction::Forwards } else { Direction::Backwards };
            (nfa::compile(&look.body, !look.behind), direction)
        });
        Scanner {
            sets: sets.iter().map(CharSet::new).collect(),
            looks: looks.collect(),
            main: nfa::compile(ast, false),
            anchored: ast.is_anchored(),
        }
    }

    pub(super) fn is_match(&self, text: &str) -> Result<bool, StepLimit> {
        let mut run = Run { scanner: self, text, tables: Vec::with_capacity(self.looks.len()), steps: MAX_STEPS };
        for (program, direction) in &self.looks {
            let mut table = Table::new(text.len() + 1);
            run.scan(program, *direction, false, |place| {
                table.insert(place);
                true
            })?;
            run.tables.push(table);
        }
        let mut found = false;
        run.scan(&self.main, Direction::Forwards, self.anchored, |_| {
            found = true;
            false
        })?;
        Ok(found)
    }
}

struct Run<'a> {
    scanner: &'a Scanner,
    text: &'a str,
    /// The positions at which each look-around matches, indexed by its id.
    tables: Vec<Table>,
    /// The number of steps left.
    steps: u64,
}

impl Run<'_> {
    /// Runs `program` from every position of the text, or from its start only if `anchored`. Calls `on_match` with each
    /// position at which a match ends, until it returns `false`.
    ///
    /// All positions share one set of active states, so the cost per character is at most the size of the program.
    fn scan(
        &mut self,
        program: &Program,
        direction: Direction,
        anchored: bool,
        mut on_match: impl FnMut(usize) -> bool,
    ) -> Result<(), StepLimit> {
        let mut current = Active::new(program.steps.len());
        let mut next = Active::new(program.steps.len());
        let mut chars = self.text.chars();
        let mut place = if direction == Direction::Forwards { 0 } else { self.text.len() };
        let mut start = Some(program.start);
        loop {
            if let Some(state) = start {
                self.activate(program, state, place, &mut current);
            }
            // An unanchored search starts a new attempt at every position.
            if anchored {
                start = None;
            }
            if current.matched && !on_match(place) {
                return Ok(());
            }
            let c = if direction == Direction::Forwards { chars.next() } else { chars.next_back() };
            let Some(c) = c else { return Ok(()) };
            if start.is_none() && current.states.is_empty() {
                return Ok(());
            }
            match direction {
                Direction::Forwards => place += c.len_utf8(),
                Direction::Backwards => place -= c.len_utf8(),
            }
            // Count steps for each character, even if no state is active: the limit must bound the whole time.
            self.spend(current.states.len() + 1)?;
            for state in &current.states {
                if let Some(Step::Set(id, then)) = program.steps.get(*state)
                    && self.set_contains(*id, c)
                {
                    self.activate(program, *then, place, &mut next);
                }
            }
            self.spend(next.visited)?;
            std::mem::swap(&mut current, &mut next);
            next.clear();
        }
    }

    /// Adds all states that are reachable from `state` without consuming a character.
    fn activate(&self, program: &Program, state: State, place: usize, active: &mut Active) {
        active.stack.push(state);
        while let Some(state) = active.stack.pop() {
            if !active.mark(state) {
                continue;
            }
            match program.steps.get(state) {
                Some(Step::Set(..)) => active.states.push(state),
                // The order of the alternatives does not matter: only the existence of a match does.
                Some(Step::Split(one, other)) => active.stack.extend([*other, *one]),
                Some(Step::Start(next)) if place == 0 => active.stack.push(*next),
                Some(Step::End(next)) if place == self.text.len() => active.stack.push(*next),
                Some(Step::WordBoundary { negated, next }) if self.is_word_boundary(place) != *negated => {
                    active.stack.push(*next);
                }
                Some(Step::Look { id, negated, next })
                    if self.tables.get(*id).is_some_and(|table| table.contains(place)) != *negated =>
                {
                    active.stack.push(*next);
                }
                Some(Step::Match) => active.matched = true,
                _ => {}
            }
        }
    }

    fn spend(&mut self, steps: usize) -> Result<(), StepLimit> {
        let steps = u64::try_from(steps).unwrap_or(u64::MAX);
        self.steps = self.steps.checked_sub(steps).ok_or(StepLimit)?;
        Ok(())
    }

    fn set_contains(&self, id: SetId, c: char) -> bool {
        usize::try_from(id.0).ok().and_then(|id| self.scanner.sets.get(id)).is_some_and(|set| set.contains(c))
    }

    /// All word characters are ASCII, so the bytes next to `place` are enough. The `u` flag alone, without `i`, does
    /// not change that.
    fn is_word_boundary(&self, place: usize) -> bool {
        let bytes = self.text.as_bytes();
        let is_word = |at: Option<usize>| {
            at.and_then(|at| bytes.get(at)).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        };
        is_word(place.checked_sub(1)) != is_word(Some(place))
    }
}

/// The active states of an automaton.
struct Active {
    /// The states that consume a character.
    states: Vec<State>,
    matched: bool,
    visited: usize,
    /// The round in which each state was last visited. Comparing rounds avoids clearing the marks for every character.
    marks: Vec<u32>,
    round: u32,
    stack: Vec<State>,
}

impl Active {
    fn new(states: usize) -> Self {
        Active { states: Vec::new(), matched: false, visited: 0, marks: vec![0; states], round: 1, stack: Vec::new() }
    }

    /// Whether `state` is visited for the first time in this round.
    fn mark(&mut self, state: State) -> bool {
        self.visited += 1;
        match self.marks.get_mut(state) {
            Some(mark) if *mark != self.round => {
                *mark = self.round;
                true
            }
            _ => false,
        }
    }

    fn clear(&mut self) {
        self.states.clear();
        self.matched = false;
        self.visited = 0;
        self.round = self.round.wrapping_add(1);
        // After 2^32 characters the counter wraps, and old marks could look current.
        if self.round == 0 {
            self.marks.fill(0);
            self.round = 1;
        }
    }
}

/// A set of positions in the text, one bit per byte.
struct Table(Vec<u64>);

impl Table {
    fn new(places: usize) -> Self {
        Table(vec![0; places.div_ceil(64)])
    }

    fn insert(&mut self, place: usize) {
        if let Some(word) = self.0.get_mut(place / 64) {
            *word |= 1 << (place % 64);
        }
    }

    fn contains(&self, place: usize) -> bool {
        self.0.get(place / 64).is_some_and(|word| word & (1 << (place % 64)) != 0)
    }
}

#[derive(Debug)]
struct CharSet {
    ascii: u128,
    ranges: Vec<(char, char)>,
}

impl CharSet {
    fn new(set: &ClassUnicode) -> Self {
        let ranges: Vec<_> = set.ranges().iter().map(|range| (range.start(), range.end())).collect();
        // Most texts are ASCII, for which one bit test replaces the binary search.
        let ascii = ('\0'..='\x7f').filter(|c| contains(&ranges, *c)).fold(0, |bits, c| bits | 1 << u32::from(c));
        CharSet { ascii, ranges }
    }

    fn contains(&self, c: char) -> bool {
        if c.is_ascii() { self.ascii & (1 << u32::from(c)) != 0 } else { contains(&self.ranges, c) }
    }
}

fn contains(ranges: &[(char, char)], c: char) -> bool {
    let after = ranges.partition_point(|(start, _)| *start <= c);
    after.checked_sub(1).and_then(|at| ranges.get(at)).is_some_and(|(_, end)| c <= *end)
}
