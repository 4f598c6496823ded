//! The smallest object of a state.

use std::collections::BTreeSet;

use super::names::name_classes;
use super::size::Size;
use super::solve::{Best, Goal, GoalOutcome, Solver};
use super::state::State;
use crate::{Json, Object};

/// The most properties that are added to an object because of `minProperties`. A payload with more is too large to be
/// read; usual bounds are far smaller.
const MAX_ADDED: u64 = 1_024;

pub(super) fn complete(solver: &mut Solver, state: &State, best: &mut Best) {
    let mut names: BTreeSet<&str> = state.required.iter().map(String::as_str).collect();
    names.extend(state.present.keys().map(|name| &**name));
    let mut object = Object::new();
    for name in names {
        if !solver.allows_name(&state.names, name, best) {
            return;
        }
        let Some(literals) = state.property(&solver.terms, name, &mut solver.budget) else {
            best.gap = Some("the budget of the comparison");
            return;
        };
        match value(solver, &literals, best) {
            Some(value) => object.push(name.to_owned(), value),
            None => return,
        }
    }
    let missing = state.min_properties.saturating_sub(object.len() as u64);
    if missing > MAX_ADDED {
        best.gap = Some("an object of more than 1,024 properties is required");
        return;
    }
    let Ok(missing) = usize::try_from(missing) else { return };
    let mut added = if missing > 0 { others(solver, state, missing, best) } else { Vec::new() };
    if added.len() < missing {
        return;
    }
    added.sort_by_key(|(name, value)| {
        let characters = name.chars().count() as u64;
        Size::of(value).plus(Size { characters, ..Size::default() })
    });
    added.into_iter().take(missing).for_each(|(name, value)| object.push(name, value));
    best.offer(Json::Object(object));
}

/// Properties that the object can have besides those that it must have: all that an assertion mentions, and at most
/// `most` others.
fn others(solver: &mut Solver, state: &State, most: usize, best: &mut Best) -> Vec<(String, Json)> {
    let mut found = Vec::new();
    let mentioned = state.mentioned(&solver.terms);
    for name in mentioned.iter().filter(|name| !state.is_present(name) && !state.absent.contains(*name)) {
        let Some(literals) = state.property(&solver.terms, name, &mut solver.budget) else {
            best.gap = Some("the budget of the comparison");
            continue;
        };
        if solver.allows_name(&state.names, name, best)
            && let Some(value) = value(solver, &literals, best)
        {
            found.push((name.clone(), value));
        }
    }
    let mut taken: BTreeSet<String> = mentioned.into_iter().chain(state.absent.iter().cloned()).collect();
    // No assertion distinguishes the values of names that are not mentioned, apart from patterns of names.
    let Some(classes) = name_classes(&state.names, &state.patterns(&solver.terms)) else {
        best.gap = Some("too many assertions about the names of one object");
        return found;
    };
    for class in classes {
        let literals = state.undeclared(&solver.terms, &class);
        let Some(value) = value(solver, &literals, best) else { continue };
        for name in solver.new_names(&class, &mut taken, most, best) {
            found.push((name, value.clone()));
        }
    }
    found
}

/// The smallest value that conforms to the literals.
fn value(solver: &mut Solver, literals: &Goal, best: &mut Best) -> Option<Json> {
    match solver.solve(literals, &mut best.assumed) {
        GoalOutcome::Found((value, _)) => Some((*value).clone()),
        GoalOutcome::Empty => None,
        GoalOutcome::Unknown(gap) => {
            best.gap = Some(gap);
            None
        }
    }
}
