//! Checks as functions that return whether a value is valid.
//!
//! A function returns `true` for the values that its check accepts and that are not nested too deeply. Its body is one
//! test. Members of the value are at level 1, their members at level 2, and so on; each level has one variable, which
//! siblings share: this keeps functions small and fast.

use std::collections::{HashMap, VecDeque};

use capgen_schema::{Type as JsonType, TypeSet};

use super::scalar;
use super::shared::{Body, Shared, Stem};
use super::test::{Call, ConstantId, Depth, FunctionId, Place, Test};
use super::value::is_scalar;
use crate::model::check::{CheckId, CheckKind, DepthLimit, Rules, Union, Validator};

/// The deepest level that a function reads. Deeper tests would be hard to read and slow to compile.
const MAX_LEVEL: usize = 6;
/// How deeply tests of checks are written into each other. The schema must not determine how deeply we, or a compiler,
/// recurse.
const MAX_NESTING: usize = 24;
/// How many properties and other checks one function tests. The TypeScript compiler recurses once for each test
/// before the use of a variable, and engines do not optimize a function that is too large.
pub(super) const MAX_TESTS: usize = 400;

/// Plans the functions of one validator.
pub(super) struct Verdicts<'m, 's> {
    pub(super) validator: &'m Validator<'m>,
    pub(super) shared: &'s mut Shared<'m>,
    functions: HashMap<CheckId, FunctionId>,
    /// The tests of lists of values, and whether all their values are scalars. A list may be long and used often.
    listed: HashMap<(CheckId, Place), (Test<'m>, bool)>,
    /// Functions that are called and have no body yet, and their subjects.
    queue: VecDeque<(CheckId, &'m str)>,
    nesting: usize,
    /// How many properties and other checks the current function tests so far.
    pub(super) tests: usize,
    memories: Vec<ConstantId>,
}

/// A value to check.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) place: Place,
    pub(super) depth: Depth,
    /// The types that it can have after the tests so far.
    pub(super) known: TypeSet,
}

impl Target {
    /// The parameter of a function, or the variable of a loop.
    pub(super) fn given(place: Place, depth: Depth) -> Self {
        Target { place, depth, known: TypeSet::ALL }
    }

    /// A member of it.
    pub(super) fn member(&self) -> Self {
        let place = Place::Member(self.place.level() + 1);
        Target { place, depth: self.depth.below(), known: TypeSet::ALL }
    }
}

impl<'m, 's> Verdicts<'m, 's> {
    pub(super) fn new(validator: &'m Validator<'m>, shared: &'s mut Shared<'m>) -> Self {
        let (functions, listed) = (HashMap::new(), HashMap::new());
        let (queue, memories) = (VecDeque::new(), Vec::new());
        Verdicts { validator, shared, functions, listed, queue, nesting: 0, tests: 0, memories }
    }

    /// Whether values that the schema accepts can be too deep.
    pub(super) fn limits_depth(&self) -> bool {
        self.validator.depth != DepthLimit::Implied
    }

    /// Plans all functions; returns the verdict on [`Place::Value`], and the memories to clear after it.
    pub(super) fn run(mut self) -> (Test<'m>, Vec<ConstantId>) {
        let depth = Depth { has_parameter: false, more: 0 };
        let root = self.check(self.validator.root, &Target::given(Place::Value, depth));
        while let Some((id, subject)) = self.queue.pop_front() {
            let outer = self.shared.enter(subject);
            self.define(id);
            self.shared.enter(outer);
        }
        (root, self.memories)
    }

    fn define(&mut self, id: CheckId) {
        let Some(function) = self.functions.get(&id).copied() else { return };
        let has_depth = self.limits_depth();
        let target = Target::given(Place::Value, Depth { has_parameter: has_depth, more: 0 });
        let test = self.separately(|verdicts| verdicts.inline(id, &target));
        // Only checks that may be reached in many ways for one value are worth a map.
        if !self.validator.check(id).is_memoized {
            return self.shared.define(function, has_depth, Body::Test(test));
        }
        let decide = self.shared.declare(Stem::Decide);
        self.shared.define(decide, has_depth, Body::Test(test));
        let memory = self.shared.memory();
        self.memories.push(memory);
        let body = Body::Remember { memory, decide: call(decide, &target) };
        self.shared.define(function, has_depth, body);
    }

    /// A call of the function of a check.
    fn call_check(&mut self, id: CheckId, target: &Target) -> Test<'m> {
        let function = match self.functions.get(&id) {
            Some(function) => *function,
            None => {
                let outer = self.shared.subject();
                let subject = self.validator.check(id).definition.unwrap_or(outer);
                self.shared.enter(subject);
                let function = self.shared.declare(Stem::Check);
                self.shared.enter(outer);
                self.functions.insert(id, function);
                self.queue.push_back((id, subject));
                function
            }
        };
        Test::Call(Call { function, place: target.place, depth: self.limits_depth().then_some(target.depth) })
    }

    /// The verdict of a check on a value: a call of its function, or its test.
    pub(super) fn check(&mut self, id: CheckId, target: &Target) -> Test<'m> {
        if self.validator.check(id).is_reused {
            let inlined = self.is_simple(id).then(|| self.inline(id, target));
            // A short test is faster than a call, and no longer.
            let short = inlined.filter(|test| self.shared.style().is_short(test, self.shared));
            return short.unwrap_or_else(|| self.call_check(id, target));
        }
        let is_full = self.tests > 0 && self.tests + self.count_tests(id) > MAX_TESTS;
        if (target.place.level() >= MAX_LEVEL || self.nesting >= MAX_NESTING || is_full) && !self.is_simple(id) {
            return self.call_check(id, target);
        }
        self.nesting += 1;
        let test = self.inline(id, target);
        self.nesting -= 1;
        test
    }

    /// How many properties and other checks the test of a check contains, without those inside them.
    pub(super) fn count_tests(&self, id: CheckId) -> usize {
        let rules = self.validator.rules(id).filter(|_| !self.validator.check(id).is_reused);
        let of_union = |union: &Option<Union<'_>>| union.as_ref().map_or(0, |union| union.branches.len());
        let count = rules.map_or(0, |rules| {
            let branches = rules.all_of.len() + of_union(&rules.any_of) + of_union(&rules.one_of);
            let conditional = rules.condition.map_or(0, |it| 1 + it.then.iter().chain(&it.otherwise).count());
            rules.properties.len() + rules.undeclared.len() + branches + conditional
        });
        count.clamp(1, MAX_TESTS)
    }

    /// Makes the test of another function.
    pub(super) fn separately<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::take(&mut self.tests);
        let made = make(self);
        self.tests = outer;
        made
    }

    /// Whether a check reads no members or items and applies no other checks.
    fn is_simple(&self, id: CheckId) -> bool {
        self.validator.rules(id).is_none_or(|rules| {
            let types = rules.types.unwrap_or(TypeSet::ALL);
            let looks_inside = (rules.asserts_arrays() && types.contains(JsonType::Array))
                || (rules.asserts_objects() && types.contains(JsonType::Object));
            !rules.applies_others() && !looks_inside
        })
    }

    /// That a value is not nested too deeply, where nothing else is checked.
    pub(super) fn anything(&self, target: &Target) -> Test<'m> {
        let is_scalar = !target.known.contains(JsonType::Array) && !target.known.contains(JsonType::Object);
        if !self.limits_depth() || is_scalar {
            return Test::Always;
        }
        Test::IsShallow(target.place, target.depth)
    }

    /// That an array or object may be at this depth.
    fn may_nest(&self, depth: Depth) -> Test<'m> {
        let is_needed = self.validator.depth == DepthLimit::OfAll && depth.has_parameter;
        if is_needed { Test::MayNest(depth) } else { Test::Always }
    }

    fn inline(&mut self, id: CheckId, target: &Target) -> Test<'m> {
        let validator = self.validator;
        let rules = match &validator.check(id).kind {
            CheckKind::Anything => return self.anything(target),
            CheckKind::Nothing => return Test::Never,
            CheckKind::Rules(rules) => rules,
        };
        self.tests += self.count_tests(id);
        let types = rules.types.unwrap_or(TypeSet::ALL);
        let tested = Target { known: target.known.intersection(types), ..*target };
        let applied = self.applied_here(rules, &tested);
        let own = Test::all(self.own(id, rules, target));
        Test::all(std::iter::once(own).chain(applied))
    }

    /// The assertions of a check itself, without other checks of the same value.
    fn own(&mut self, id: CheckId, rules: &Rules<'m>, target: &Target) -> Vec<Test<'m>> {
        let listed = self.listed(id, rules, target.place);
        // Listed scalars have been compared with the other keywords already.
        let is_settled = listed.as_ref().is_some_and(|(_, are_scalars)| *are_scalars);
        let mut tests: Vec<Test<'m>> = listed.into_iter().map(|(test, _)| test).collect();
        if !is_settled && rules.has_own() {
            match rules.types {
                Some(types) => tests.push(self.typed(rules, types, target)),
                None => tests.extend(self.untyped(rules, target)),
            }
        } else if !is_settled && !rules.is_covered() {
            tests.push(self.anything(target));
        }
        tests
    }

    /// That a value is listed, and whether all listed values are scalars; `None` if the check lists no values.
    fn listed(&mut self, id: CheckId, rules: &Rules<'m>, place: Place) -> Option<(Test<'m>, bool)> {
        if let Some(listed) = self.listed.get(&(id, place)) {
            return Some(listed.clone());
        }
        let values = scalar::listed(rules)?;
        let test = scalar::is_listed(self.shared, rules, &values, place);
        let listed = (test, values.iter().all(|value| is_scalar(value)));
        self.listed.insert((id, place), listed.clone());
        Some(listed)
    }

    /// That a value has one of the types and meets the assertions about that type.
    fn typed(&mut self, rules: &Rules<'m>, types: TypeSet, target: &Target) -> Test<'m> {
        let mut tests = Vec::new();
        if types.contains(JsonType::Object) {
            let members = self.object(rules, target);
            let is_object = Test::HasType(target.place, JsonType::Object);
            tests.push(Test::all([is_object, self.may_nest(target.depth), members]));
        }
        if types.contains(JsonType::Array) {
            let items = self.array(rules, target);
            let is_array = Test::HasType(target.place, JsonType::Array);
            tests.push(Test::all([is_array, self.may_nest(target.depth), items]));
        }
        tests.extend(scalar::alternatives(self.shared, rules, types, target.place));
        Test::any(tests)
    }

    /// That a value meets the assertions about its type, for each type.
    fn untyped(&mut self, rules: &Rules<'m>, target: &Target) -> Vec<Test<'m>> {
        if target.known == TypeSet::EMPTY.with(JsonType::String) {
            return vec![scalar::text(self.shared, rules, target.place, true)];
        }
        if target.known == TypeSet::EMPTY.with(JsonType::Object) {
            return vec![self.object(rules, target)];
        }
        let mut tests = scalar::implications(self.shared, rules, target.place);
        let walks = self.limits_depth() && !rules.is_covered();
        if walks && !rules.asserts_objects() && !rules.asserts_arrays() {
            tests.push(self.anything(target));
            return tests;
        }
        let is_other = |ty| Test::HasOtherType(target.place, ty);
        if rules.asserts_objects() || walks {
            let members = self.object(rules, target);
            let is_valid = Test::all([self.may_nest(target.depth), members]);
            tests.push(Test::any([is_other(JsonType::Object), is_valid]));
        }
        if rules.asserts_arrays() || walks {
            let items = self.array(rules, target);
            let is_valid = Test::all([self.may_nest(target.depth), items]);
            tests.push(Test::any([is_other(JsonType::Array), is_valid]));
        }
        tests
    }
}

/// A call of a function for a value at the depth of the calling function's own value.
pub(super) fn call(function: FunctionId, target: &Target) -> Call {
    Call { function, place: target.place, depth: target.depth.of_function() }
}
