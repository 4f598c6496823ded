//! Tests of other checks that apply to the same value.

use super::shared::Body;
use super::structure::MANY;
use super::test::{Call, Count, Place, Test};
use super::verdict::{MAX_TESTS, Target, Verdicts, call};
use crate::model::check::{CheckId, Rules, Union};

/// A result that functions may compute in parts: a verdict or a count.
pub(super) trait Part<'m>: Clone {
    fn is_constant(&self) -> bool;
    fn body(self) -> Body<'m>;
    fn call(call: Call) -> Self;
    /// The same call for the value at another place; constants have no place.
    fn at(self, place: Place) -> Self;
}

impl<'m> Part<'m> for Test<'m> {
    fn is_constant(&self) -> bool {
        matches!(self, Test::Always | Test::Never)
    }

    fn body(self) -> Body<'m> {
        Body::Test(self)
    }

    fn call(call: Call) -> Self {
        Test::Call(call)
    }

    fn at(self, place: Place) -> Self {
        if let Test::Call(call) = self { Test::Call(Call { place, ..call }) } else { self }
    }
}

impl<'m> Part<'m> for Count<'m> {
    fn is_constant(&self) -> bool {
        matches!(self, Count::Zero)
    }

    fn body(self) -> Body<'m> {
        Body::Count(self)
    }

    fn call(call: Call) -> Self {
        Count::Call(call)
    }

    fn at(self, place: Place) -> Self {
        if let Count::Call(call) = self { Count::Call(Call { place, ..call }) } else { self }
    }
}

impl<'m> Verdicts<'m, '_> {
    /// The verdicts of other checks on the same value.
    pub(super) fn applied_here(&mut self, rules: &Rules<'m>, target: &Target) -> Vec<Test<'m>> {
        let mut tests = Vec::new();
        if !rules.all_of.is_empty() {
            let parts: Vec<CheckId> = rules.all_of.iter().map(|part| part.check).collect();
            tests.push(self.combined(&parts, target, |verdicts, _| Test::all(verdicts), Test::all));
        }
        if let Some(union) = &rules.any_of {
            tests.push(self.any_of(union, target));
        }
        if let Some(union) = &rules.one_of {
            tests.push(self.one_of(union, target));
        }
        if let Some(not) = rules.not {
            tests.push(self.check(not, target).not());
        }
        if let Some(conditional) = &rules.condition {
            let condition = self.check(conditional.condition, target);
            let mut of = |id: Option<CheckId>| id.map_or(Test::Always, |id| self.check(id, target));
            let (then, otherwise) = (of(conditional.then), of(conditional.otherwise));
            tests.push(Test::conditional(condition, then, otherwise));
        }
        tests
    }

    fn any_of(&mut self, union: &Union<'m>, target: &Target) -> Test<'m> {
        let combine = |verdicts, place| Test::choice(place, verdicts, union.tags.clone());
        self.combined(&branches(union), target, combine, Test::any)
    }

    fn one_of(&mut self, union: &Union<'m>, target: &Target) -> Test<'m> {
        // If no two branches can match, one that matches is the only one.
        if union.is_exclusive {
            return self.any_of(union, target);
        }
        Test::exactly_one(self.combined(&branches(union), target, |verdicts, _| Count::of(verdicts), Count::sum))
    }

    /// The verdicts of some checks on a value, combined by `combine`. If they test too much for one function, several
    /// functions combine parts of them, and `join` combines the calls.
    fn combined<P: Part<'m>>(
        &mut self,
        checks: &[CheckId],
        target: &Target,
        combine: impl Fn(Vec<Test<'m>>, Place) -> P,
        join: fn(Vec<P>) -> P,
    ) -> P {
        let parts = self.parts(checks);
        if parts.len() < 2 {
            let verdicts = checks.iter().map(|check| self.check(*check, target)).collect();
            return combine(verdicts, target.place);
        }
        let given = Target { known: target.known, ..Target::given(Place::Value, target.depth) };
        let mut calls = Vec::new();
        for part in parts {
            let verdicts =
                self.separately(|verdicts| part.iter().map(|check| verdicts.check(*check, &given)).collect());
            calls.push(self.apart(combine(verdicts, given.place), &given));
        }
        self.joined(calls, target, join)
    }

    /// Parts of a list of checks that each fit into one function; a single part if all fit into the current one.
    fn parts<'c>(&self, checks: &'c [CheckId]) -> Vec<&'c [CheckId]> {
        let tests = |checks: &[CheckId]| checks.iter().map(|check| self.count_tests(*check)).sum::<usize>();
        if self.tests + tests(checks) <= MAX_TESTS {
            return vec![checks];
        }
        let mut parts = Vec::new();
        let (mut start, mut size) = (0, 0);
        for (at, check) in checks.iter().enumerate() {
            let added = self.count_tests(*check);
            if size > 0 && size + added > MAX_TESTS {
                parts.extend(checks.get(start..at));
                (start, size) = (at, 0);
            }
            size += added;
        }
        parts.extend(checks.get(start..));
        parts
    }

    /// A call of a function that returns `result`, which is about [`Place::Value`].
    pub(super) fn apart<P: Part<'m>>(&mut self, result: P, given: &Target) -> P {
        if result.is_constant() {
            return result;
        }
        let function = self.shared.function(given.depth.has_parameter, result.body());
        P::call(call(function, given))
    }

    /// The results of calls that get [`Place::Value`], for another value. If there are too many for one function,
    /// several functions join parts of them.
    pub(super) fn joined<P: Part<'m>>(&mut self, mut calls: Vec<P>, target: &Target, join: fn(Vec<P>) -> P) -> P {
        let given = Target::given(Place::Value, target.depth);
        while calls.len() > MANY {
            let groups = calls.chunks(MANY).map(|group| self.apart(join(group.to_vec()), &given));
            calls = groups.collect();
        }
        join(calls.into_iter().map(|call| call.at(target.place)).collect())
    }
}

fn branches(union: &Union<'_>) -> Vec<CheckId> {
    union.branches.iter().map(|branch| branch.check).collect()
}
