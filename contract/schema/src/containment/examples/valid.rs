//! Payloads that a schema accepts.

use std::collections::BTreeSet;

use super::place::{Step, places};
use super::{Found, Search, payload};
use crate::containment::Undecided;
use crate::containment::budget::Budget;
use crate::containment::evaluate::conforms;
use crate::containment::term::{Literal, Term, TermId};
use crate::{Json, Kind, Type, TypeSet};

/// How many examples there are if no number is asked for.
const USUAL: usize = 20;

/// The most members of one `enum` that are shown. Each takes a search, and the members of one `enum` must not use up
/// the examples of other parts.
const MAX_MEMBERS: usize = 100;

/// The most conditions that one example combines. Each takes a search, and an example that shows more is too large to
/// be read.
const MAX_COMBINED: usize = 64;

pub(super) fn find(mut search: Search<'_>) -> Result<Vec<Json>, Undecided> {
    let wanted = search.settings.count.unwrap_or(USUAL);
    let whole = BTreeSet::from([Literal::is(search.root)]);
    let smallest = match search.solve(&whole, search.settings.steps.0) {
        Found::Value(value) => value,
        Found::Nothing => return Ok(Vec::new()),
        Found::Unknown(reason) => {
            let declared = declared(&search, wanted);
            return if declared.is_empty() { Err(Undecided { reason }) } else { Ok(declared) };
        }
    };
    let mut random = Random(search.settings.seed);
    let mut examples = Examples { search, wanted, found: Vec::new(), excluded: BTreeSet::new() };
    let mut skipped = Vec::new();
    if random.0 == 0 {
        examples.offer(smallest);
    } else {
        // Other values than the smallest ones, so that schemas without parts to show vary, too.
        let others = random.next(4);
        examples.exclude(&smallest);
        skipped.push(smallest);
        skipped.extend((0..others).map_while(|_| examples.skip()));
    }
    examples.show_parts(&mut random);
    if examples.search.settings.count.is_some() || examples.found.is_empty() {
        examples.fill();
    }
    if examples.search.settings.count.is_some() || examples.found.is_empty() {
        // There are too few other values. One that shows a part of the schema may be there already.
        for value in skipped {
            if examples.found.len() < wanted && !examples.found.contains(&value) {
                examples.offer(value);
            }
        }
    }
    Ok(examples.found)
}

/// The valid ones of the values that the schema itself gives as `examples` and `default`.
fn declared(search: &Search<'_>, wanted: usize) -> Vec<Json> {
    let root = search.schema.root();
    let mut found: Vec<Json> = Vec::new();
    for node in [root, search.schema.resolve(root)] {
        let annotations = &search.schema.node(node).annotations;
        for value in annotations.examples.iter().chain(&annotations.default) {
            let is_valid = |payload| search.validator.is_valid_exact(&payload);
            if found.len() < wanted && !found.contains(value) && payload(value).is_some_and(is_valid) {
                found.push(value.clone());
            }
        }
    }
    found
}

struct Examples<'s> {
    search: Search<'s>,
    wanted: usize,
    found: Vec<Json>,
    /// Literals that exclude the values that were found.
    excluded: BTreeSet<Literal>,
}

impl Examples<'_> {
    /// Adds a value, unless the interpreter rejects it or it cannot be a payload.
    fn offer(&mut self, value: Json) {
        self.exclude(&value);
        if payload(&value).is_some_and(|payload| self.search.validator.is_valid_exact(&payload)) {
            self.found.push(value);
        }
    }

    fn exclude(&mut self, value: &Json) {
        let term = self.search.solver.terms.one_of_values([value]);
        self.excluded.insert(Literal::is_not(term));
    }

    fn whole(&self) -> BTreeSet<Literal> {
        BTreeSet::from([Literal::is(self.search.root)])
    }

    /// Excludes the smallest value that is left, and returns it.
    fn skip(&mut self) -> Option<Json> {
        let goal = self.whole().into_iter().chain(self.excluded.iter().copied()).collect();
        let Found::Value(value) = self.search.solve(&goal, self.search.part()) else { return None };
        self.exclude(&value);
        Some(value)
    }

    /// Adds the smallest values that are left until there are enough.
    fn fill(&mut self) {
        let most = self.wanted.saturating_mul(2);
        for _ in 0..most {
            if self.found.len() >= self.wanted {
                return;
            }
            let goal = self.whole().into_iter().chain(self.excluded.iter().copied()).collect();
            match self.search.solve(&goal, self.search.part()) {
                Found::Value(value) => self.offer(value),
                _ => return,
            }
        }
    }

    /// Adds values until each part of the schema is shown or there are enough.
    fn show_parts(&mut self, random: &mut Random) {
        let mut open: Vec<Literal> = targets(&mut self.search).into_iter().map(Literal::is).collect();
        random.shuffle(&mut open);
        while self.found.len() < self.wanted && self.search.steps_left > 0 {
            self.drop_shown(&mut open);
            if open.is_empty() {
                return;
            }
            let mut goal = self.whole();
            let mut best = None;
            let mut combined = 0;
            // The first condition is left out in any case: it is shown, or no value can show it.
            let mut rest = Vec::with_capacity(open.len());
            for (index, condition) in std::mem::take(&mut open).into_iter().enumerate() {
                // With a seed, each example shows a random half, so that examples vary.
                let is_left_out = combined >= MAX_COMBINED || index > 0 && random.0 != 0 && random.next(2) == 0;
                let mut next = goal.clone();
                next.insert(condition);
                let found = if is_left_out { Found::Nothing } else { self.search.solve(&next, self.search.part()) };
                match found {
                    Found::Value(value) => {
                        (goal, best) = (next, Some(value));
                        combined += 1;
                    }
                    _ if index == 0 => {}
                    _ => rest.push(condition),
                }
            }
            open = rest;
            if let Some(value) = best.filter(|value| !self.found.contains(value)) {
                self.offer(value);
            }
        }
    }

    /// Drops the conditions that an example meets.
    fn drop_shown(&mut self, open: &mut Vec<Literal>) {
        let Some(last) = self.found.last() else { return };
        let terms = &self.search.solver.terms;
        let limit = self.search.part().min(self.search.steps_left);
        let mut budget = Budget::new(limit);
        open.retain(|condition| conforms(terms, *condition, last, &mut budget) != Some(true));
        let spent = limit - budget.left();
        self.search.spend(spent);
    }
}

/// The conditions that examples should meet: to have each optional property and an item, and to show each branch, type
/// and member.
fn targets(search: &mut Search<'_>) -> Vec<TermId> {
    let places = places(search);
    let anything = search.solver.terms.anything();
    let mut targets = Vec::new();
    for (index, place) in places.iter().enumerate() {
        if search.steps_left <= search.settings.steps.0 / 2 {
            break;
        }
        let is_shown = match &place.from {
            None | Some((_, Step::AllOf(_))) => false,
            // Every open object has the schema `true` for its other properties.
            Some((_, Step::Rest | Step::RestItems(_))) => !matches!(search.schema.node(place.node).kind, Kind::Bool(_)),
            Some(_) => true,
        };
        if is_shown {
            targets.push(search.reached(&places, index, anything, false));
        }
        let Some(group) = search.group(place.node).filter(|_| !place.is_repeated) else { continue };
        for value in group.enum_values.iter().flatten().take(MAX_MEMBERS) {
            let member = search.solver.terms.one_of_values([value]);
            targets.push(search.reached(&places, index, member, false));
        }
        let types: Vec<Type> = group.types.iter().flat_map(|types| types.iter()).collect();
        if types.len() > 1 && group.enum_values.is_none() {
            for one in types {
                let one = search.add(Term::Types(TypeSet::EMPTY.with(one).bits()));
                targets.push(search.reached(&places, index, one, false));
            }
        }
    }
    targets.dedup();
    targets
}

/// A sequence of numbers that depends on the seed alone (SplitMix64). The seed 0 gives no random choices.
struct Random(u64);

impl Random {
    /// A number below `limit`, which is small.
    fn next(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15).max(1);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let limit = (limit as u64).max(1);
        usize::try_from(mixed % limit).unwrap_or(0)
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        if self.0 != 0 {
            for index in (1..list.len()).rev() {
                let other = self.next(index + 1);
                list.swap(index, other);
            }
        }
    }
}
