//! The names of roles or scopes that the capabilities of an agent need.

use std::collections::{BTreeSet, HashMap};

/// Names in their order, with the place of each. In a hash table, because its time does not depend on the name.
#[derive(Debug)]
pub(crate) struct Names {
    all: Vec<String>,
    places: HashMap<String, usize>,
    /// The bytes of the longest name.
    longest: usize,
}

impl Names {
    /// The names that all capabilities of an agent need together.
    pub(crate) fn new(names: BTreeSet<String>) -> Self {
        let all: Vec<_> = names.into_iter().collect();
        let places = all.iter().cloned().enumerate().map(|(place, name)| (name, place)).collect();
        let longest = all.iter().map(String::len).max().unwrap_or(0);
        Self { all, places, longest }
    }

    /// The bytes of the longest name.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// The place of a name; `None` if the agent does not know it.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// The names that a capability needs; none with `None`, for one that the agent does not have.
    ///
    /// It looks up as many names as the agent knows, however many the capability needs, so that the time does not show
    /// whether the agent has the capability. `place` is [`Names::place`].
    pub(crate) fn required(&self, needed: Option<&[String]>, place: impl Fn(&str) -> Option<usize>) -> Required {
        let needed = needed.unwrap_or_default();
        let mut known = vec![false; self.all.len()];
        let mut elsewhere = Vec::new();
        for number in 0..needed.len().max(self.all.len()) {
            // Both, so that a name costs as much as one that fills the list up.
            let (own, other) = (needed.get(number), self.all.get(number));
            let is_own = own.is_some();
            let Some(name) = own.or(other) else { break };
            match place(name).and_then(|place| known.get_mut(place)) {
                Some(is_needed) => *is_needed |= is_own,
                None => elsewhere.push(name.clone()),
            }
        }
        Required { is_empty: needed.is_empty(), known, elsewhere }
    }

    /// The first name that is required, or the first of all if `needs_all`, and that the caller does not have. Each
    /// name of the agent is asked for, whatever is required. Requirements that were read for other names need all of
    /// these.
    pub(crate) fn missing<'a>(
        &'a self,
        required: &'a Required,
        needs_all: bool,
        has: impl Fn(&String) -> bool,
    ) -> Option<&'a String> {
        // A server that mixes up authorizations must not let callers in.
        if required.known.len() != self.all.len() {
            return self.all.iter().chain(&required.elsewhere).find(|name| !has(name));
        }
        // Without a branch, which a processor predicts better for a capability that needs few names.
        let mut first = usize::MAX;
        for (place, (name, is_needed)) in self.all.iter().zip(&required.known).enumerate() {
            let is_missing = (is_needed | needs_all) & !has(name);
            first = first.min(if is_missing { place } else { usize::MAX });
        }
        self.all.get(first).or_else(|| required.elsewhere.iter().find(|name| !needs_all & !has(name)))
    }
}

/// The names that a capability needs.
#[derive(Clone, Default, Debug)]
pub(crate) struct Required {
    /// Whether there are none.
    pub(crate) is_empty: bool,
    /// Whether it needs the name at each place of the agent's names.
    known: Vec<bool>,
    /// Names that the agent does not know, because the contract is that of another agent.
    elsewhere: Vec<String>,
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn names(of: impl IntoIterator<Item = u32>) -> Vec<String> {
        of.into_iter().map(|number| format!("role-{number:03}")).collect()
    }

    #[test]
    fn a_capability_costs_as_many_lookups_as_one_that_does_not_exist() {
        let all = Names::new(names(0..300).into_iter().collect());
        let steps = |needed: Option<&[String]>, owned: &[String]| {
            let (places, questions) = (Cell::new(0), Cell::new(0));
            let count = |counter: &Cell<u32>| counter.set(counter.get() + 1);
            let place = |name: &str| {
                count(&places);
                all.place(name)
            };
            let has = |name: &String| {
                count(&questions);
                owned.contains(name)
            };
            let required = all.required(needed, place);
            let missing = all.missing(&required, needed.is_none(), has).cloned();
            (missing, places.get(), questions.get())
        };
        for owned in [names([]), names([7, 3]), names(0..299)] {
            for needed in [names([299]), names([7, 299, 3]), names((0..300).rev())] {
                let (known, unknown) = (steps(Some(&needed), &owned), steps(None, &owned));
                assert_eq!((known.1, known.2), (300, 300));
                assert_eq!((unknown.1, unknown.2), (300, 300));
                // The first in the order of the names.
                let expected = needed.iter().filter(|name| !owned.contains(name)).min();
                assert_eq!(known.0.as_ref(), expected);
            }
        }
    }

    #[test]
    fn names_that_the_agent_does_not_know_are_missing_too() {
        let all = Names::new(names(0..3).into_iter().collect());
        let missing = |needed: Vec<String>, owned: Vec<String>| {
            let required = all.required(Some(&needed), |name| all.place(name));
            all.missing(&required, false, |name| owned.contains(name)).cloned()
        };
        assert_eq!(missing(names([9, 1]), names([1])), Some("role-009".to_owned()));
        assert_eq!(missing(names([9, 1]), names([9])), Some("role-001".to_owned()));
        assert_eq!(missing(names([9, 1]), names([1, 9])), None);
        assert_eq!(missing(names([7, 8, 9, 1]), names([1, 8, 9])), Some("role-007".to_owned()));
    }

    #[test]
    fn a_capability_that_does_not_exist_needs_no_name_of_another_agent() {
        let all = Names::new(names(0..3).into_iter().collect());
        let required = all.required(Some(&names([9, 1])), |name| all.place(name));
        assert_eq!(all.missing(&required, true, |name| names(0..3).contains(name)), None);
        assert_eq!(all.missing(&required, true, |name| names([0, 1]).contains(name)), Some(&"role-002".to_owned()));
    }

    #[test]
    fn requirements_that_were_read_for_other_names_need_all() {
        let (all, other) =
            (Names::new(names(0..3).into_iter().collect()), Names::new(names([1]).into_iter().collect()));
        let read = other.required(Some(&names([1, 9])), |name| other.place(name));
        for required in [Required::default(), read] {
            for needs_all in [false, true] {
                let missing =
                    |owned: Vec<String>| all.missing(&required, needs_all, |name| owned.contains(name)).cloned();
                assert_eq!(missing(names([1])), Some("role-000".to_owned()));
                assert_eq!(missing(names([0, 1])), Some("role-002".to_owned()));
            }
        }
        assert_eq!(all.missing(&Required::default(), false, |name| names(0..3).contains(name)), None);
    }
}
