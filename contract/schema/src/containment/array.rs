//! The smallest array of a state.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::solve::{Best, Goal, GoalOutcome, Solver, Witness};
use super::state::State;
use super::term::Literal;
use crate::Json;

/// The most items of an array that is searched for. A payload with more is too large to be read; usual bounds are far
/// smaller.
pub(super) const MAX_ITEMS: u64 = 4_096;
/// The most `items` that an array has to violate. All ways to let one item violate several of them are tried. Six have
/// 203 such ways, and ten would have 115,975.
pub(super) const MAX_VIOLATIONS: usize = 6;

pub(super) fn complete(solver: &mut Solver, state: &State, best: &mut Best) {
    if state.has_positions() {
        return super::tuple::complete(solver, state, best);
    }
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
fn with_items(solver: &mut Solver, state: &State, goals: Vec<Goal>, best: &mut Best) {
    if state.unique != Some(false) {
        with_copy(solver, state, Items { goals, copied: None }, best);
        return;
    }
    // The item that occurs twice is one of those for the goals, or another one.
    for copied in (0..goals.len()).map(Some) {
        with_copy(solver, state, Items { goals: goals.clone(), copied }, best);
    }
    let copied = Some(goals.len());
    let mut goals = goals;
    goals.push(state.items.clone());
    with_copy(solver, state, Items { goals, copied }, best);
}

/// The terms to which the items of an array conform.
#[derive(Clone)]
struct Items {
    goals: Vec<Goal>,
    /// The index of the goal whose item occurs a second time, as the last item.
    copied: Option<usize>,
}

impl Items {
    fn len(&self) -> u64 {
        (self.goals.len() + usize::from(self.copied.is_some())) as u64
    }
}

fn with_copy(solver: &mut Solver, state: &State, mut items: Items, best: &mut Best) {
    let count = state.min_items.max(items.len());
    if state.max_items.is_some_and(|max| max < count) {
        return;
    }
    if count > MAX_ITEMS {
        best.gap = Some("an array of more than 4,096 items is required");
        return;
    }
    // Every further item conforms to `items` only.
    let others = usize::try_from(count - items.len()).unwrap_or(0);
    items.goals.extend(std::iter::repeat_n(state.items.clone(), others));
    let of_array = |id: &u32| Some(solver.terms.value(*id).as_array()?.to_vec());
    let excluded: Vec<Vec<Json>> = state.excluded_arrays.iter().filter_map(of_array).collect();
    let depth = excluded.len();
    not_excluded(solver, state, &items, &excluded, depth, best);
}

/// Offers the smallest array of these items that is not one of those that are excluded.
///
/// If every order of the smallest items is excluded, then any other array has one more item or, for at least one goal,
/// another item. Each such step uses up an excluded array, so that there are at most as many steps as excluded arrays.
fn not_excluded(
    solver: &mut Solver,
    state: &State,
    items: &Items,
    excluded: &[Vec<Json>],
    depth: usize,
    best: &mut Best,
) {
    let is_unique = state.unique == Some(true);
    let goals = &items.goals;
    let values = if is_unique { distinct(solver, goals, best) } else { smallest(solver, goals, best) };
    if let Some(mut values) = values.clone() {
        let copy = items.copied.and_then(|index| values.get(index).cloned());
        values.extend(copy);
        if let Some(value) = order_not_excluded(values, excluded) {
            best.offer(value);
            return;
        }
    }
    let Some(values) = values else { return };
    if depth == 0 || !solver.budget.spend(goals.len() as u64 + 1) {
        best.gap = Some("enum lists many arrays");
        return;
    }
    if state.max_items.is_none_or(|max| max > items.len()) {
        let mut longer = items.clone();
        longer.goals.push(state.items.clone());
        not_excluded(solver, state, &longer, excluded, depth - 1, best);
    }
    for (index, (value, _)) in values.iter().enumerate() {
        let other = Literal::is_not(solver.terms.one_of_values([&**value]));
        let mut changed = items.clone();
        changed.goals.get_mut(index).into_iter().for_each(|goal| {
            goal.insert(other);
        });
        not_excluded(solver, state, &changed, excluded, depth - 1, best);
    }
}

/// The array of these items, in this order or in another one, that is not one of those that are excluded.
fn order_not_excluded(values: Vec<Witness>, excluded: &[Vec<Json>]) -> Option<Json> {
    let is_allowed = |array: &Json| excluded.iter().all(|other| array.as_array() != Some(other.as_slice()));
    let as_given = array(&values);
    if is_allowed(&as_given) {
        return Some(as_given);
    }
    let mut sorted: Vec<(String, Witness)> =
        values.into_iter().map(|witness| (witness.0.canonical(), witness)).collect();
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    // One of these orders is allowed, if there are more of them than excluded arrays.
    for _ in 0..=excluded.len() {
        let value = Json::Array(sorted.iter().map(|(_, (value, _))| (**value).clone()).collect());
        if is_allowed(&value) {
            return Some(value);
        }
        if !next_permutation(&mut sorted, |a, b| a.0 < b.0) {
            return None;
        }
    }
    None
}

/// Changes the order to the next greater one; `false` if there is none.
fn next_permutation<T>(items: &mut [T], is_less: impl Fn(&T, &T) -> bool) -> bool {
    let is_ascent = |pair: &[T]| matches!(pair, [a, b] if is_less(a, b));
    let Some(pivot) = items.windows(2).rposition(is_ascent) else { return false };
    let Some((head, tail)) = items.split_at_mut_checked(pivot + 1) else { return false };
    let Some(last) = head.last_mut() else { return false };
    if let Some(greater) = tail.iter_mut().rfind(|item| is_less(last, item)) {
        std::mem::swap(last, greater);
    }
    tail.reverse();
    true
}

pub(super) fn array(values: &[Witness]) -> Json {
    Json::Array(values.iter().map(|(value, _)| (**value).clone()).collect())
}

/// The smallest value for each goal.
pub(super) fn smallest(solver: &mut Solver, goals: &[Goal], best: &mut Best) -> Option<Vec<Witness>> {
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
pub(super) fn distinct(solver: &mut Solver, goals: &[Goal], best: &mut Best) -> Option<Vec<Witness>> {
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
        let candidates = lists.get(goal).map_or(0, |list| list.len());
        if !solver.budget.spend((lists.len() + candidates) as u64) {
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
        // The search for a number tries as many candidates as values are excluded, and compares each with all of them.
        let excluded = values.len() as u64;
        if !solver.budget.spend(1 + excluded * excluded / 16) {
            best.gap = Some("the budget of the comparison");
            return None;
        }
        let mut next = goal.clone();
        if !values.is_empty() {
            let known: Vec<Json> = values.iter().map(|(value, _)| (**value).clone()).collect();
            next.insert(Literal::is_not(solver.terms.one_of_values(&known)));
        }
        match solver.solve(&next, &mut best.assumed) {
            GoalOutcome::Found(witness) => values.push(witness),
            GoalOutcome::Empty => break,
            GoalOutcome::Unknown(gap) => {
                best.gap = Some(gap);
                return None;
            }
        }
    }
    Some(values)
}

fn found(outcome: GoalOutcome, best: &mut Best) -> Option<Witness> {
    match outcome {
        GoalOutcome::Found(witness) => Some(witness),
        GoalOutcome::Empty => None,
        GoalOutcome::Unknown(gap) => {
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
    fn next_permutation_visits_every_order_of_equal_and_different_items() {
        let mut items = [1, 1, 2, 3];
        let mut orders = vec![items];
        while next_permutation(&mut items, |a, b| a < b) {
            orders.push(items);
        }
        assert_eq!(orders.len(), 12);
        assert!(orders.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn sizes_count_every_value() {
        assert_eq!(Size::of(&Json::Array(vec![Json::Null, Json::Null])).values, 3);
    }
}
