//! The position graph of a pattern (Glushkov's automaton). It has a node for each occurrence of a character set in the
//! pattern, and an edge from one position to another if the second can be matched right after the first.
//!
//! An edge also has the number of ways in which it can be taken, because ambiguity makes an engine backtrack.
//! Glushkov's automaton is used instead of the one in `nfa` because it has no empty steps, so each path is a distinct
//! way to read a text.

use std::collections::BTreeMap;

use super::ast::{Ast, Repeat, SetId, Sets};

/// Larger graphs are not analysed. Usual patterns have fewer than a hundred positions, and the analysis looks at pairs
/// and triples of them.
const MAX_POSITIONS: usize = 5_000;
/// Ten edges for each of so many positions. Usual patterns have one or two; a repetition of a group has an edge from
/// each end of the group to each start, so their number can grow with the square of the length.
const MAX_EDGES: usize = 50_000;
/// A counted repetition is expanded to at most this many copies. Three are enough to find three loops in a row.
const MAX_COPIES: u32 = 3;
/// A counted repetition with at least this many optional copies is treated as unbounded.
const MANY: u32 = 8;

/// The graph is too large.
#[derive(Debug)]
pub(super) struct TooLarge;

#[derive(Debug, Default)]
pub(super) struct Graph {
    /// The set at each position; `None` matches any character.
    pub(super) sets: Vec<Option<SetId>>,
    /// The number of ways from one position to the next. 2 means 2 or more.
    pub(super) edges: BTreeMap<(usize, usize), u8>,
}

/// Whether the end of the pattern is omitted if it can match the empty text. Once an engine reaches that end, it has
/// found a match and does not backtrack any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tail {
    Kept,
    Cut,
}

/// The position graph of `ast`. `searched` means that a match may start anywhere in the text, which adds a loop before
/// it.
pub(super) fn graph(ast: &Ast, sets: &Sets, tail: Tail, searched: bool) -> Result<Graph, TooLarge> {
    let mut builder = Builder { graph: Graph::default(), sets };
    let mut fragment = Fragment { first: Vec::new(), last: Vec::new(), empties: 1 };
    if searched {
        let skipped = builder.position(None)?;
        fragment = builder.repeated(skipped, true)?;
    }
    let pattern = builder.fragment(ast, tail)?;
    builder.concat(fragment, pattern)?;
    Ok(builder.graph)
}

/// A part of a pattern: its first and last positions, each with a number of ways, and the number of ways in which it
/// matches the empty text. All numbers saturate at 2.
#[derive(Clone)]
struct Fragment {
    first: Vec<(usize, u8)>,
    last: Vec<(usize, u8)>,
    empties: u8,
}

struct Builder<'a> {
    graph: Graph,
    sets: &'a Sets,
}

impl Builder<'_> {
    fn position(&mut self, set: Option<SetId>) -> Result<Fragment, TooLarge> {
        let position = self.graph.sets.len();
        if position >= MAX_POSITIONS {
            return Err(TooLarge);
        }
        self.graph.sets.push(set);
        Ok(Fragment { first: vec![(position, 1)], last: vec![(position, 1)], empties: 0 })
    }

    fn fragment(&mut self, ast: &Ast, tail: Tail) -> Result<Fragment, TooLarge> {
        match ast {
            Ast::Empty | Ast::Start | Ast::End | Ast::WordBoundary { .. } | Ast::Look(_) => Ok(empty()),
            // An empty set matches nothing, so it has no position and no way to the rest.
            Ast::Set(id) => match self.sets.get(*id) {
                Some(set) if !set.ranges().is_empty() => self.position(Some(*id)),
                _ => Ok(Fragment { empties: 0, ..empty() }),
            },
            Ast::Concat(items) => {
                let kept =
                    items.len() - items.iter().rev().take_while(|item| tail == Tail::Cut && is_free(item)).count();
                let mut sum = empty();
                for (at, item) in items.iter().enumerate().take(kept) {
                    let item = self.fragment(item, if at + 1 == kept { tail } else { Tail::Kept })?;
                    sum = self.concat(sum, item)?;
                }
                Ok(sum)
            }
            Ast::Alternatives(items) => {
                let mut sum = Fragment { empties: 0, ..empty() };
                for item in items {
                    let item = self.fragment(item, tail)?;
                    sum.first.extend(item.first);
                    sum.last.extend(item.last);
                    sum.empties = add(sum.empties, item.empties);
                }
                Ok(sum)
            }
            Ast::Repeat(repeat) => self.repeat(repeat, tail),
        }
    }

    fn repeat(&mut self, repeat: &Repeat, tail: Tail) -> Result<Fragment, TooLarge> {
        let Repeat { inner, min, max } = repeat;
        let open = max.map_or(u32::MAX, |max| max.saturating_sub(*min));
        let open = if tail == Tail::Cut { 0 } else { open };
        let required = (*min).min(MAX_COPIES);
        // `a{2,}` is `aa+`: the last required copy becomes the loop.
        let single = if open >= MANY { required.saturating_sub(1) } else { required };
        let mut sum = empty();
        for copy in 1..=single {
            let copy = self.fragment(inner, if copy == required { tail } else { Tail::Kept })?;
            sum = self.concat(sum, copy)?;
        }
        if open >= MANY {
            let copy = self.fragment(inner, Tail::Kept)?;
            let copy = self.repeated(copy, required == 0)?;
            return self.concat(sum, copy);
        }
        // Optional copies nest, as in `(?:a(?:a)?)?`; then each number of copies is one way, not several.
        let mut optional = empty();
        for _ in 0..open.min(MAX_COPIES) {
            let copy = self.fragment(inner, Tail::Kept)?;
            optional = self.concat(copy, optional)?;
            optional.empties = 1;
        }
        self.concat(sum, optional)
    }

    /// `copy`, any number of times. Repeating the empty text adds no ways, because engines stop after an empty
    /// iteration.
    fn repeated(&mut self, copy: Fragment, may_be_empty: bool) -> Result<Fragment, TooLarge> {
        self.connect(&copy.last, &copy.first)?;
        Ok(Fragment { empties: if may_be_empty { 1 } else { copy.empties }, ..copy })
    }

    fn concat(&mut self, mut one: Fragment, mut other: Fragment) -> Result<Fragment, TooLarge> {
        self.connect(&one.last, &other.first)?;
        if one.empties > 0 {
            one.first.extend(other.first.iter().map(|(position, ways)| (*position, multiply(*ways, one.empties))));
        }
        if other.empties > 0 {
            other.last.extend(one.last.iter().map(|(position, ways)| (*position, multiply(*ways, other.empties))));
        }
        Ok(Fragment { first: one.first, last: other.last, empties: multiply(one.empties, other.empties) })
    }

    fn connect(&mut self, from: &[(usize, u8)], to: &[(usize, u8)]) -> Result<(), TooLarge> {
        for (from, ways) in from {
            for (to, more) in to {
                let edge = self.graph.edges.entry((*from, *to)).or_default();
                *edge = add(*edge, multiply(*ways, *more));
            }
            if self.graph.edges.len() > MAX_EDGES {
                return Err(TooLarge);
            }
        }
        Ok(())
    }
}

fn empty() -> Fragment {
    Fragment { first: Vec::new(), last: Vec::new(), empties: 1 }
}

fn add(one: u8, other: u8) -> u8 {
    one.saturating_add(other).min(2)
}

fn multiply(one: u8, other: u8) -> u8 {
    one.saturating_mul(other).min(2)
}

/// Whether it matches the empty text in any context.
fn is_free(ast: &Ast) -> bool {
    match ast {
        Ast::Empty => true,
        Ast::Concat(items) => items.iter().all(is_free),
        Ast::Alternatives(items) => items.iter().any(is_free),
        Ast::Repeat(repeat) => repeat.min == 0 || is_free(&repeat.inner),
        Ast::Set(_) | Ast::Start | Ast::End | Ast::WordBoundary { .. } | Ast::Look(_) => false,
    }
}
