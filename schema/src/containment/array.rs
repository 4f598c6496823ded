//! The smallest array of a state.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::solve::{Best, Goal, Outcome, Solver, Witness};
use super::state::State;
use super::term::Literal;
use crate::Json;

/// The most items of an array that is searched for.
const MAX_ITEMS: u64 = 4_096;
/// The most `items` that an array has to violate. All ways to let one item violate several of them are tried.
const MAX_VIOLATIONS: usize = 6;

pub(super) fn complete(solver: &mut Solver, state: &State, best: &mut Best) {
    if state.some_item.len() > MAX_VIOLATIONS {
        best.gap = Some("an array has to violate more than six schemas of items");
        return;
    }
    for groups in partitions(&state.some_item.iter().copied().collect::<Vec<_>>()) {
        let goals: Vec<Goal> =
            groups.into_iter().map(|group| state.items.iter().copied().chain(group).collect()).collect();
        with_items(solver, state, goals, best);
    }
}

/// Offers the smallest array that contains an item for each goal.
fn with_items(solver: &mut Solver, state: &State, mut goals: Vec<Goal>, best: &mut Best) {
    let copies = match (state.unique, goals.is_empty()) {
        (Some(false), true) => 2,
        (Some(false), false) => 1,
        _ => 0,
    };
    let count = state.min_items.max((goals.len() + copies) as u64);
    if state.max_items.is_some_and(|max| max < count) {
        return;
    }
    if count > MAX_ITEMS {
        best.gap = Some("an array of more than 4,096 items is required");
        return;
    }
    // Every further item conforms to `items` only. An array without the same item twice needs different ones.
    let others = (usize::try_from(count).unwrap_or(0)).saturating_sub(goals.len() + copies);
    let any_item: Goal = state.items.clone();
    if copies == 2 {
        goals.push(any_item.clone());
    }
    goals.extend(std::iter::repeat_n(any_item, others));
    let values =
        if state.unique == Some(true) { distinct(solver, &goals, best) } else { smallest(solver, &goals, best) };
    let Some(mut values) = values else { return };
    if copies > 0 {
        // The smallest item is repeated.
        let smallest = values.iter().take(goals.len() - others).min_by_key(|(_, size)| *size).cloned();
        values.extend(smallest);
    }
    let excluded: Vec<Vec<Json>> =
        state.excluded_arrays.iter().filter_map(|id| Some(solver.terms.value(*id).as_array()?.to_vec())).collect();
    if excluded.is_empty() {
        best.offer(array(&values));
        return;
    }
    if copies > 0 || state.unique == Some(true) {
        let value = array(&values);
        match value.as_array() {
            Some(items) if excluded.iter().any(|other| other == items) => {
                best.gap = Some("enum lists an array with repeated or unique items");
            }
            _ => best.offer(value),
        }
        return;
    }
    let depth = excluded.len();
    differing(solver, state, goals, values, &excluded, depth, best);
}

/// Changes an array that is one of those that are excluded: one more item, or another value of one item.
fn differing(
    solver: &mut Solver,
    state: &State,
    goals: Vec<Goal>,
    values: Vec<Witness>,
    excluded: &[Vec<Json>],
    depth: usize,
    best: &mut Best,
) {
    let value = array(&values);
    let Some(equal) = excluded.iter().find(|other| value.as_array() == Some(other.as_slice())) else {
        best.offer(value);
        return;
    };
    if depth == 0 || !solver.budget.spend(1) {
        best.gap = Some("enum lists many arrays");
        return;
    }
    if state.max_items.is_none_or(|max| max > goals.len() as u64) {
        let mut longer = goals.clone();
        longer.push(state.items.clone());
        if let Some(values) = smallest(solver, &longer, best) {
            differing(solver, state, longer, values, excluded, depth - 1, best);
        }
    }
    for (index, item) in equal.iter().enumerate() {
        let other = Literal::is_not(solver.terms.one_of_values([item]));
        let mut changed = goals.clone();
        changed.get_mut(index).into_iter().for_each(|goal| {
            goal.insert(other);
        });
        if let Some(values) = smallest(solver, &changed, best) {
            differing(solver, state, changed, values, excluded, depth - 1, best);
        }
    }
    if goals.iter().any(|goal| *goal != state.items) {
        // Another order of the items is another array.
        let mut reversed: Vec<Witness> = values;
        reversed.reverse();
        let value = array(&reversed);
        if excluded.iter().all(|other| value.as_array() != Some(other.as_slice())) {
            best.offer(value);
        } else {
            best.gap = Some("enum lists many arrays");
        }
    }
}

fn array(values: &[Witness]) -> Json {
    Json::Array(values.iter().map(|(value, _)| (**value).clone()).collect())
}

/// The smallest value for each goal.
fn smallest(solver: &mut Solver, goals: &[Goal], best: &mut Best) -> Option<Vec<Witness>> {
    let mut values: Vec<Witness> = Vec::new();
    for (index, goal) in goals.iter().enumerate() {
        // Most goals are equal, one after the other.
        let repeated = index.checked_sub(1).filter(|before| goals.get(*before) == Some(goal));
        let value = match repeated.and_then(|before| values.get(before)) {
            Some(value) => value.clone(),
            None => found(solver.solve(goal, &mut best.assumed), best)?,
        };
        values.push(value);
    }
    Some(values)
}

/// Small values for the goals, all of them different.
fn distinct(solver: &mut Solver, goals: &[Goal], best: &mut Best) -> Option<Vec<Witness>> {
    // With as many candidates as goals, a goal finds one that no other goal has taken.
    let mut lists: Vec<Rc<Vec<Witness>>> = Vec::new();
    for (index, goal) in goals.iter().enumerate() {
        let repeated = index.checked_sub(1).filter(|before| goals.get(*before) == Some(goal));
        let list = match repeated.and_then(|before| lists.get(before)) {
            Some(list) => list.clone(),
            None => Rc::new(several(solver, goal, goals.len(), best)?),
        };
        lists.push(list);
    }
    let mut chosen = Vec::new();
    assign(solver, &lists, &mut chosen, best).then_some(chosen)
}

/// Chooses a value for each goal, the smallest ones first, and takes back choices that leave none for a later goal.
fn assign(solver: &mut Solver, lists: &[Rc<Vec<Witness>>], chosen: &mut Vec<Witness>, best: &mut Best) -> bool {
    // Augmenting paths: a goal takes a value from another goal, if that one finds another.
    let mut owners: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    for goal in 0..lists.len() {
        let mut visited = BTreeSet::new();
        if !solver.budget.spend(lists.len() as u64) {
            best.gap = Some("the budget of the comparison");
            return false;
        }
        if !augment(lists, goal, &mut owners, &mut visited, 0) {
            return false;
        }
    }
    let mut values: Vec<Option<Witness>> = vec![None; lists.len()];
    for (text, goal) in owners {
        let value = lists.get(goal).and_then(|list| list.iter().find(|(value, _)| value.canonical() == text));
        if let Some(place) = values.get_mut(goal) {
            *place = value.cloned();
        }
    }
    *chosen = values.into_iter().flatten().collect();
    chosen.len() == lists.len()
}

fn augment(
    lists: &[Rc<Vec<Witness>>],
    goal: usize,
    owners: &mut std::collections::BTreeMap<String, usize>,
    visited: &mut BTreeSet<String>,
    depth: usize,
) -> bool {
    // A path is as long as there are different lists, which are few.
    if depth > 64 {
        return false;
    }
    let Some(list) = lists.get(goal) else { return false };
    let texts: Vec<String> = list.iter().map(|(value, _)| value.canonical()).collect();
    if let Some(free) = texts.iter().find(|text| !owners.contains_key(*text)) {
        owners.insert(free.clone(), goal);
        return true;
    }
    for text in texts {
        let Some(owner) = owners.get(&text).copied() else { continue };
        let is_same = lists.get(owner).is_some_and(|other| Rc::ptr_eq(other, list));
        if !is_same && visited.insert(text.clone()) && augment(lists, owner, owners, visited, depth + 1) {
            owners.insert(text, goal);
            return true;
        }
    }
    false
}

/// The smallest values of a goal, at most `count`.
fn several(solver: &mut Solver, goal: &Goal, count: usize, best: &mut Best) -> Option<Vec<Witness>> {
    let mut values: Vec<Witness> = Vec::new();
    while values.len() < count {
        let mut next = goal.clone();
        if !values.is_empty() {
            let known: Vec<Json> = values.iter().map(|(value, _)| (**value).clone()).collect();
            next.insert(Literal::is_not(solver.terms.one_of_values(&known)));
        }
        match solver.solve(&next, &mut best.assumed) {
            Outcome::Found(witness) => values.push(witness),
            Outcome::Empty => break,
            Outcome::Unknown(gap) => {
                best.gap = Some(gap);
                return None;
            }
        }
    }
    Some(values)
}

fn found(outcome: Outcome, best: &mut Best) -> Option<Witness> {
    match outcome {
        Outcome::Found(witness) => Some(witness),
        Outcome::Empty => None,
        Outcome::Unknown(gap) => {
            best.gap = Some(gap);
            None
        }
    }
}

/// All ways to divide literals into groups, those with few groups first.
fn partitions(literals: &[Literal]) -> Vec<Vec<Vec<Literal>>> {
    let mut all: Vec<Vec<Vec<Literal>>> = vec![Vec::new()];
    for literal in literals {
        let mut next = Vec::new();
        for partition in all {
            for index in 0..partition.len() {
                let mut joined = partition.clone();
                joined.get_mut(index).into_iter().for_each(|group| group.push(*literal));
                next.push(joined);
            }
            let mut separate = partition;
            separate.push(vec![*literal]);
            next.push(separate);
        }
        all = next;
    }
    all.sort_by_key(Vec::len);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::containment::size::Size;
    use crate::containment::term::TermId;

    #[test]
    fn partitions_are_complete() {
        let literals: Vec<Literal> = (0..4).map(|id| Literal::is(TermId(id))).collect();
        assert_eq!(partitions(&literals).len(), 15);
        assert_eq!(partitions(&[]), vec![Vec::<Vec<Literal>>::new()]);
    }

    #[test]
    fn sizes_count_every_value() {
        assert_eq!(Size::of(&Json::Array(vec![Json::Null, Json::Null])).values, 3);
    }
}
