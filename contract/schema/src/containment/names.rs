//! The names of the properties of a value: those that are mentioned, and new ones.

use std::collections::BTreeSet;

use super::evaluate::conforms;
use super::solve::{Best, Goal, GoalOutcome, Solver};
use super::state::{Choice, Fact, Other, State};
use super::term::{Literal, Term, TermId};
use crate::{Json, Type, TypeSet};

/// How many names are tried before a search for one. They are the letters from `a` to `z`, which usual patterns of
/// names allow.
const FEW: usize = 26;

/// The most conditions on names that are combined in all ways, of which there are 32. Usual objects have one or two.
const MAX_CONDITIONS: usize = 5;

/// The ways to conform to a goal and, for each of some conditions, to conform to it or not; `None` if there are too
/// many conditions.
pub(super) fn name_classes(goal: &Goal, conditions: &BTreeSet<TermId>) -> Option<Vec<Goal>> {
    if conditions.len() > MAX_CONDITIONS {
        return None;
    }
    let mut classes = vec![goal.clone()];
    for term in conditions {
        let with = |positive| {
            let literal = Literal { term: *term, positive };
            let with = move |mut class: Goal| {
                let is_possible = !class.contains(&literal.negated());
                class.insert(literal);
                is_possible.then_some(class)
            };
            classes.iter().cloned().filter_map(with).collect::<Vec<Goal>>()
        };
        classes = [with(true), with(false)].concat();
    }
    Some(classes)
}

impl Solver {
    /// The properties that can be the one that is not chosen yet. No assertion distinguishes names that are not
    /// mentioned, apart from those about names, so one of them is enough for each way to conform to those.
    pub(super) fn names_for(&mut self, state: &State, other: &Other, best: &mut Best) -> Choice {
        let mut of_name = state.names.clone();
        let (excluded, of_value) = match other {
            Other::Undeclared(names, literals, literal) => {
                of_name.extend(literals.iter());
                (&**names, *literal)
            }
            Other::Named(literal) => {
                of_name.insert(*literal);
                (&[][..], Literal::is(self.terms.anything()))
            }
        };
        let mut known = state.mentioned(&self.terms);
        let mut conditions = state.patterns(&self.terms);
        // If the number of properties is limited, one that is chosen later may have to be the same one.
        for later in state.others.iter().filter(|_| state.max_properties.is_some()) {
            match later {
                Other::Undeclared(names, literals, _) => {
                    known.extend(names.iter().cloned());
                    conditions.extend(literals.iter().map(|literal| literal.term));
                }
                Other::Named(literal) => _ = conditions.insert(literal.term),
            }
        }
        let Some(classes) = name_classes(&of_name, &conditions) else {
            best.gap = Some("too many assertions about the names of one object");
            return Vec::new();
        };
        let mut names: Vec<String> = Vec::new();
        for name in &known {
            let is_free = !excluded.contains(name) && !state.absent.contains(name);
            if is_free && self.allows_name(&of_name, name, best) {
                names.push(name.clone());
            }
        }
        let mut taken: BTreeSet<String> = known.into_iter().chain(state.absent.iter().cloned()).collect();
        taken.extend(excluded.iter().cloned());
        for class in classes {
            names.extend(self.new_names(&class, &mut taken, 1, best));
        }
        names.into_iter().map(|name| vec![Fact::Present(name.into(), of_value)]).collect()
    }

    /// Whether a name conforms to the literals.
    pub(super) fn allows_name(&mut self, literals: &Goal, name: &str, best: &mut Best) -> bool {
        if literals.is_empty() {
            return true;
        }
        let value = Json::String(name.to_owned());
        for literal in literals {
            match conforms(&self.terms, *literal, &value, &mut self.budget) {
                Some(true) => {}
                Some(false) => return false,
                None => {
                    best.gap = Some("the budget of the comparison");
                    return false;
                }
            }
        }
        true
    }

    /// At most `count` different names that are not taken and conform to the literals. They are then taken. There are
    /// fewer if no more exist, or if the search was given up.
    pub(super) fn new_names(
        &mut self,
        literals: &Goal,
        taken: &mut BTreeSet<String>,
        count: usize,
        best: &mut Best,
    ) -> Vec<String> {
        if literals.is_empty() {
            let names: Vec<String> = fresh_names().filter(|name| !taken.contains(name)).take(count).collect();
            taken.extend(names.iter().cloned());
            return names;
        }
        let mut names = Vec::new();
        while names.len() < count {
            let Some(name) = self.new_name(literals, taken, best) else { break };
            taken.insert(name.clone());
            names.push(name);
        }
        names
    }

    /// A name that is not taken and conforms to the literals: one that is easy to read, or else the shortest one.
    fn new_name(&mut self, literals: &Goal, taken: &BTreeSet<String>, best: &mut Best) -> Option<String> {
        let few: Vec<String> = fresh_names().filter(|name| !taken.contains(name)).take(FEW).collect();
        if let Some(name) = few.into_iter().find(|name| self.allows_name(literals, name, best)) {
            return Some(name);
        }
        if !self.budget.spend(taken.len() as u64) {
            best.gap = Some("the budget of the comparison");
            return None;
        }
        let taken: Vec<Json> = taken.iter().map(|name| Json::String(name.clone())).collect();
        let string = self.terms.add(Term::Types(TypeSet::EMPTY.with(Type::String).bits()));
        let taken = self.terms.one_of_values(&taken);
        let mut goal = literals.clone();
        goal.extend([Literal::is(string), Literal::is_not(taken)]);
        match self.solve(&goal, &mut best.assumed) {
            GoalOutcome::Found((name, _)) => name.as_str().map(str::to_owned),
            GoalOutcome::Empty => None,
            GoalOutcome::Unknown(gap) => {
                best.gap = Some(gap);
                None
            }
        }
    }
}

/// Names of properties, the shortest first: `a` to `z`, `aa` to `zz`, and so on. The empty name is valid, but hard to
/// read.
fn fresh_names() -> impl Iterator<Item = String> {
    (1..).flat_map(|length: u32| {
        (0..26_u64.saturating_pow(length)).map(move |number| {
            let letter = |place: u32| {
                let digit = number / 26_u64.saturating_pow(length - 1 - place) % 26;
                char::from(b'a' + u8::try_from(digit).unwrap_or(0))
            };
            (0..length).map(letter).collect()
        })
    })
}
