//! Arrays whose items are described by their position: facts about them, and the smallest array of a state that has
//! such facts.
//!
//! From some index on, all items are described alike. The items before it and after it are chosen separately, and every
//! item that has to exist somewhere is tried at each place.

use std::collections::BTreeSet;

use super::array::{MAX_ITEMS, MAX_VIOLATIONS, array, distinct, smallest};
use super::budget::Budget;
use super::solve::{Best, Goal, Solver};
use super::state::{Choice, Contradiction, Fact, State, truth_at};
use super::term::{Literal, Term, TermId, Terms};
use crate::Json;

/// The most ways to place the items that have to exist somewhere. Usual schemas have fewer than ten.
const MAX_WAYS: usize = 4_096;
/// The most indexes at which items are compared before the search decides. A usual tuple has fewer than ten.
const MAX_COMPARED: usize = 64;

/// The ways to violate a tuple.
pub(super) fn violations(positions: &[TermId], rest: TermId) -> Choice {
    let one = |(index, term): (usize, &TermId)| vec![Fact::ItemAt(index, Literal::is_not(*term))];
    let mut choice: Choice = positions.iter().enumerate().map(one).collect();
    choice.push(vec![Fact::ItemFrom(positions.len(), Literal::is_not(rest))]);
    choice
}

fn count(index: usize) -> u64 {
    u64::try_from(index).unwrap_or(u64::MAX)
}

impl State {
    /// Whether items are described by their position.
    pub(super) fn has_positions(&self) -> bool {
        !self.tuples.is_empty() || !self.item_at.is_empty() || !self.item_from.is_empty()
    }

    pub(super) fn require_item_at(&mut self, index: usize, literal: Literal) -> Result<(), Contradiction> {
        self.min_items = self.min_items.max(count(index).saturating_add(1));
        let literals = self.item_at.entry(index).or_default();
        literals.insert(literal);
        if literals.contains(&literal.negated()) { Err(Contradiction) } else { Ok(()) }
    }

    pub(super) fn require_item_from(&mut self, index: usize, literal: Literal) {
        self.min_items = self.min_items.max(count(index).saturating_add(1));
        self.item_from.insert((index, literal));
    }

    /// The literals of the item at an index, if it exists.
    fn item(&self, terms: &Terms, index: usize) -> Goal {
        let mut literals = self.items.clone();
        for id in &self.tuples {
            let Term::Tuple { positions, rest } = terms.get(*id) else { continue };
            literals.insert(Literal::is(*positions.get(index).unwrap_or(rest)));
        }
        literals.extend(self.item_at.get(&index).into_iter().flatten());
        literals
    }

    /// The index from which on all items are described alike.
    fn alike_from(&self, terms: &Terms) -> usize {
        let positions = self.tuples.iter().filter_map(|id| match terms.get(*id) {
            Term::Tuple { positions, .. } => Some(positions.len()),
            _ => None,
        });
        let of_items = self.item_at.keys().map(|index| index + 1).chain(self.item_from.iter().map(|(index, _)| *index));
        positions.chain(of_items).max().unwrap_or(0)
    }

    /// Whether an array has no item at the index.
    fn ends_before(&self, index: usize) -> bool {
        self.max_items.is_some_and(|most| most <= count(index))
    }

    /// Whether each item conforms to the term of its position; `None` if that is not obvious.
    pub(super) fn truth_of_items(
        &self,
        terms: &Terms,
        positions: &[TermId],
        rest: TermId,
        budget: &mut Budget,
    ) -> Option<bool> {
        let last = positions.len().max(self.alike_from(terms));
        if last > MAX_COMPARED || !budget.spend(count(last) + 1) {
            return None;
        }
        let mut result = Some(true);
        // All items after the last index are described like the one there.
        for index in (0..=last).take_while(|index| !self.ends_before(*index)) {
            let term = *positions.get(index).unwrap_or(&rest);
            match truth_at(terms, &self.item(terms, index), Literal::is(term), budget) {
                Some(true) => {}
                Some(false) if self.min_items > count(index) => return Some(false),
                _ => result = None,
            }
        }
        result
    }

    /// Whether the item at an index exists and conforms to the literal.
    pub(super) fn truth_of_item_at(
        &self,
        terms: &Terms,
        index: usize,
        literal: Literal,
        budget: &mut Budget,
    ) -> Option<bool> {
        if self.ends_before(index) {
            return Some(false);
        }
        match truth_at(terms, &self.item(terms, index), literal, budget) {
            Some(true) if self.min_items <= count(index) => None,
            truth => truth,
        }
    }

    /// Whether an item at the index or after it conforms to the literal.
    pub(super) fn truth_of_item_from(&self, terms: &Terms, index: usize, literal: Literal) -> Option<bool> {
        (self.ends_before(index) || terms.types(literal) == 0).then_some(false)
    }
}

/// Offers the smallest array of a state in which items are described by their position.
pub(super) fn complete(solver: &mut Solver, state: &State, best: &mut Best) {
    let somewhere: Vec<(usize, Literal)> =
        state.some_item.iter().map(|literal| (0, *literal)).chain(state.item_from.iter().copied()).collect();
    if somewhere.len() > MAX_VIOLATIONS {
        best.gap = Some("an array has to violate more than six schemas of items");
        return;
    }
    let alike_from = state.alike_from(&solver.terms);
    if alike_from > MAX_COMPARED && state.unique.is_some() {
        best.gap = Some("the items of a long tuple are compared with each other");
        return;
    }
    let Some(ways) = ways(&somewhere, alike_from) else {
        best.gap = Some("items that have to exist can be at many positions");
        return;
    };
    for way in ways {
        if !solver.budget.spend(1) {
            best.gap = Some("the budget of the comparison");
            return;
        }
        with_items(solver, state, &Placed { alike_from, way, equal: None }, best);
    }
}

/// All ways to give each literal an index at which an item conforms to it; `None` if there are too many. Of the indexes
/// at which items are described alike, only the first ones are taken.
fn ways(somewhere: &[(usize, Literal)], alike_from: usize) -> Option<Vec<Vec<(usize, Literal)>>> {
    let mut ways: Vec<Vec<(usize, Literal)>> = vec![Vec::new()];
    for (first, literal) in somewhere {
        let mut next = Vec::new();
        for way in ways {
            let unused = way.iter().map(|(index, _)| index + 1).max().unwrap_or(0).max(alike_from);
            for index in *first..=unused {
                next.push(way.iter().copied().chain([(index, *literal)]).collect::<Vec<_>>());
            }
            if next.len() > MAX_WAYS {
                return None;
            }
        }
        ways = next;
    }
    Some(ways)
}

/// Where the items are that have to exist.
#[derive(Clone)]
struct Placed {
    alike_from: usize,
    way: Vec<(usize, Literal)>,
    /// The indexes of two equal items, if items must not be unique.
    equal: Option<(usize, usize)>,
}

impl Placed {
    /// Whether items that have to exist could be at other indexes, of which [`ways`] takes one.
    fn has_choice(&self) -> bool {
        let equal = self.equal.into_iter().flat_map(|(first, second)| [first, second]);
        self.way.iter().map(|(index, _)| *index).chain(equal).any(|index| index >= self.alike_from)
    }

    /// The literals of the item at an index.
    fn goal(&self, terms: &Terms, state: &State, index: usize) -> Goal {
        let mut goal = state.item(terms, index);
        goal.extend(self.way.iter().filter(|(at, _)| *at == index).map(|(_, literal)| *literal));
        goal
    }
}

fn with_items(solver: &mut Solver, state: &State, placed: &Placed, best: &mut Best) {
    if state.unique != Some(false) {
        return with_equal(solver, state, placed, best);
    }
    // Two equal items are at indexes with facts of their own, or at the first ones without.
    let used = placed.way.iter().map(|(index, _)| index + 1).max().unwrap_or(0).max(placed.alike_from);
    for second in 1..used + 2 {
        for first in 0..second {
            if !solver.budget.spend(1) {
                best.gap = Some("the budget of the comparison");
                return;
            }
            with_equal(solver, state, &Placed { equal: Some((first, second)), ..placed.clone() }, best);
        }
    }
}

fn with_equal(solver: &mut Solver, state: &State, placed: &Placed, best: &mut Best) {
    let needed = placed.way.iter().map(|(index, _)| *index).chain(placed.equal.map(|(_, second)| second)).max();
    let length = state.min_items.max(needed.map_or(0, |index| count(index).saturating_add(1)));
    if state.max_items.is_some_and(|most| most < length) {
        return;
    }
    if length > MAX_ITEMS {
        best.gap = Some("an array of more than 4,096 items is required");
        return;
    }
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let mut goals: Vec<Goal> = (0..length).map(|index| placed.goal(&solver.terms, state, index)).collect();
    if let Some((first, second)) = placed.equal {
        let both: Goal = goals.get(first).into_iter().chain(goals.get(second)).flatten().copied().collect();
        // Equal goals have equal smallest values.
        for index in [first, second] {
            goals.get_mut(index).into_iter().for_each(|goal| *goal = both.clone());
        }
    }
    let of_array = |id: &u32| Some(solver.terms.value(*id).as_array()?.to_vec());
    let excluded: BTreeSet<String> =
        state.excluded_arrays.iter().filter_map(of_array).map(|items| Json::Array(items).canonical()).collect();
    let depth = excluded.len();
    not_excluded(solver, state, (placed, goals), &excluded, depth, best);
}

/// Offers the smallest array for the goals that is not one of those that are excluded. Any array that is left has more
/// items, or another item for at least one goal. Each such step uses up an excluded array.
fn not_excluded(
    solver: &mut Solver,
    state: &State,
    (placed, goals): (&Placed, Vec<Goal>),
    excluded: &BTreeSet<String>,
    depth: usize,
    best: &mut Best,
) {
    let is_unique = state.unique == Some(true);
    let values = if is_unique { distinct(solver, &goals, best) } else { smallest(solver, &goals, best) };
    let Some(mut values) = values else { return };
    if let Some((first, second)) = placed.equal
        && let Some(value) = values.get(first).cloned()
    {
        values.get_mut(second).into_iter().for_each(|other| *other = value.clone());
    }
    let value = array(&values);
    if !excluded.contains(&value.canonical()) {
        return best.offer(value);
    }
    if placed.has_choice() {
        // Another order of the items could be allowed.
        best.gap = Some("enum lists an array whose items can be in another order");
    }
    if depth == 0 || !solver.budget.spend(count(goals.len()) + 1) {
        best.gap = Some("enum lists many arrays");
        return;
    }
    if state.max_items.is_none_or(|most| most > count(goals.len())) {
        let mut longer = goals.clone();
        longer.push(placed.goal(&solver.terms, state, goals.len()));
        not_excluded(solver, state, (placed, longer), excluded, depth - 1, best);
    }
    for (index, (value, _)) in values.iter().enumerate() {
        let other = Literal::is_not(solver.terms.one_of_values([&**value]));
        let mut changed = goals.clone();
        // The items of an equal pair change together.
        let pair = placed.equal.filter(|(first, second)| [*first, *second].contains(&index));
        let indexes = pair.map_or(vec![index], |(first, second)| vec![first, second]);
        for index in indexes {
            changed.get_mut(index).into_iter().for_each(|goal| _ = goal.insert(other));
        }
        not_excluded(solver, state, (placed, changed), excluded, depth - 1, best);
    }
}
