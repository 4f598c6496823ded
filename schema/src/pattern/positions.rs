//! A pattern as the graph of its positions (Glushkov's automaton): a node for each set in it, an edge wherever one
//! character may follow another, and in how many ways.

use std::collections::BTreeMap;

use super::ast::{Ast, Repeat, SetId, Sets};

/// More are not looked at.
const MAX_POSITIONS: usize = 5_000;
const MAX_EDGES: usize = 50_000;
/// Copies of a counted repetition that are told apart.
const MAX_COPIES: u32 = 3;
/// A counted repetition that leaves this much open is as good as one without bound.
const MANY: u32 = 8;

/// The graph is too large.
#[derive(Debug)]
pub(super) struct TooLarge;

#[derive(Debug, Default)]
pub(super) struct Graph {
    /// `None` is any character.
    pub(super) sets: Vec<Option<SetId>>,
    /// How many ways lead from one position to the next, where 2 is 2 or more.
    pub(super) edges: BTreeMap<(usize, usize), u8>,
}

/// Which end of the pattern may be left out, since a match is certain once it is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tail {
    Kept,
    Cut,
}

/// The positions of `ast`; `searched` if it may start anywhere in the text.
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

/// Part of a pattern: where it starts and ends, each with the number of ways, and in how many ways it matches nothing.
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
        // The last one that is required is the one to go round.
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
        let mut optional = empty();
        for _ in 0..open.min(MAX_COPIES) {
            let copy = self.fragment(inner, Tail::Kept)?;
            optional = self.concat(copy, optional)?;
            optional.empties = 1;
        }
        self.concat(sum, optional)
    }

    /// `copy` any number of times; an engine does not repeat what has matched nothing.
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

/// Whether it matches nothing, whatever stands around it.
fn is_free(ast: &Ast) -> bool {
    match ast {
        Ast::Empty => true,
        Ast::Concat(items) => items.iter().all(is_free),
        Ast::Alternatives(items) => items.iter().any(is_free),
        Ast::Repeat(repeat) => repeat.min == 0 || is_free(&repeat.inner),
        Ast::Set(_) | Ast::Start | Ast::End | Ast::WordBoundary { .. } | Ast::Look(_) => false,
    }
}
