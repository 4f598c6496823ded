//! Checks as functions that return whether a value is valid.
//!
//! A function returns `true` for the values that its check accepts and that are not nested too deeply. Its body is one
//! condition. Members of the value are at level 1, their members at level 2, and so on. Each level has one variable, which
//! siblings share: this keeps functions small and fast.

use std::collections::{HashMap, VecDeque};

use capgen_schema::{MAX_PAYLOAD_DEPTH, Type as JsonType, TypeSet};

use super::Helper;
use super::condition::{all, any, is_array, take_counter};
use super::internal::{Internals, Stem};
use super::scalar;
use crate::model::check::{CheckId, CheckKind, DepthLimit, Rules, Union, Validator};
use crate::typescript::printer;
use crate::typescript::syntax::{BinaryOperator, Expression, Local, Name, Parameter, Statement, Type};

/// The deepest level that a function reads. Deeper conditions would be hard to read and slow to compile.
const MAX_LEVEL: usize = 6;
/// How deeply conditions of checks are written into each other. The schema must not determine how deeply we, or a compiler,
/// recurse.
const MAX_NESTING: usize = 24;
/// A condition that is wider, in characters, and used more than once becomes a function.
const MAX_REPEATED: usize = 60;
/// How many properties and other checks the condition of one function tests. The TypeScript compiler recurses once for each test
/// before the use of a variable, and engines do not optimize a function that is too large.
pub(super) const MAX_TESTS: usize = 400;

/// Makes the functions of one validator.
pub(super) struct Verdicts<'m, 'i> {
    pub(super) validator: &'m Validator<'m>,
    pub(super) internals: &'i mut Internals<'m>,
    functions: HashMap<CheckId, Name>,
    /// The conditions of lists of values, and whether all their values are scalars. A list may be long and used often.
    listed: HashMap<(CheckId, Local), (Expression, bool)>,
    /// Functions that are called and have no body yet, and their subjects.
    queue: VecDeque<(CheckId, &'m str)>,
    nesting: usize,
    /// How many properties and other checks the current function tests so far.
    pub(super) tests: usize,
    /// The maps that remember verdicts.
    memories: Vec<Name>,
}

/// A value to check.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) local: Local,
    /// Its level in the function.
    pub(super) level: usize,
    pub(super) depth: Depth,
    /// The types that it can have after the tests so far.
    pub(super) known: TypeSet,
}

/// How many arrays and objects enclose a value: the parameter `depth`, if the function has it, plus `more`.
#[derive(Clone, Copy)]
pub(super) struct Depth {
    pub(super) has_parameter: bool,
    pub(super) more: usize,
}

impl Depth {
    pub(super) fn below(self) -> Self {
        Depth { more: self.more + 1, ..self }
    }

    /// How deeply a value may be nested.
    pub(super) fn levels(self) -> Expression {
        let levels = remaining(self.more);
        if self.has_parameter { levels.binary(BinaryOperator::Minus, Local::Depth.into()) } else { levels }
    }

    fn expression(self) -> Expression {
        let more = Expression::count(self.more as u64);
        match (self.has_parameter, self.more) {
            (true, 0) => Local::Depth.into(),
            (true, _) => Expression::from(Local::Depth).binary(BinaryOperator::Plus, more),
            (false, _) => more,
        }
    }
}

/// How many levels are left below `levels`; negative if values there are always too deep.
#[expect(clippy::cast_precision_loss, reason = "both are at most a few hundred")]
fn remaining(levels: usize) -> Expression {
    Expression::number(MAX_PAYLOAD_DEPTH as f64 - levels as f64)
}

impl Target {
    /// The parameter of a function, or the variable of a loop.
    pub(super) fn given(local: Local, depth: Depth) -> Self {
        Target { local, level: 0, depth, known: TypeSet::ALL }
    }

    /// A member of it.
    pub(super) fn member(&self) -> Self {
        let level = self.level + 1;
        Target { local: Local::Inner(level), level, depth: self.depth.below(), known: TypeSet::ALL }
    }

    pub(super) fn value(&self) -> Expression {
        self.local.into()
    }
}

impl<'m, 'i> Verdicts<'m, 'i> {
    pub(super) fn new(validator: &'m Validator<'m>, internals: &'i mut Internals<'m>) -> Self {
        let (functions, listed) = (HashMap::new(), HashMap::new());
        let (queue, memories) = (VecDeque::new(), Vec::new());
        Verdicts { validator, internals, functions, listed, queue, nesting: 0, tests: 0, memories }
    }

    /// Whether values that the schema accepts can be too deep.
    pub(super) fn limits_depth(&self) -> bool {
        self.validator.depth != DepthLimit::Implied
    }

    /// Makes all internal functions; returns the statements that return the verdict on `value`.
    pub(super) fn run(mut self) -> Vec<Statement> {
        let depth = Depth { has_parameter: false, more: 0 };
        let root = self.check(self.validator.root, &Target::given(Local::Value, depth));
        while let Some((id, subject)) = self.queue.pop_front() {
            let outer = self.internals.enter(subject);
            self.define(id);
            self.internals.enter(outer);
        }
        if self.memories.is_empty() {
            return body(root, Statement::Return);
        }
        // Memories must not outlive the call: they would keep values alive, and the caller may change values.
        let mut statements = body(root, |verdict| Statement::Const(Local::Verdict, verdict));
        let clear = |memory| Statement::Expression(Expression::Name(memory).method("clear", Vec::new()));
        statements.extend(self.memories.into_iter().map(clear));
        statements.push(Statement::Return(Local::Verdict.into()));
        statements
    }

    fn define(&mut self, id: CheckId) {
        let Some(name) = self.functions.get(&id).cloned() else { return };
        let depth = Depth { has_parameter: self.limits_depth(), more: 0 };
        let target = Target::given(Local::Value, depth);
        let verdict = self.separately(|verdicts| verdicts.inline(id, &target));
        let statements = body(verdict, Statement::Return);
        // Only checks that may be reached in many ways for one value are worth a map.
        if !self.validator.check(id).is_memoized {
            let parameters = parameters(depth, &statements);
            return self.internals.function(name, parameters, Type::BOOLEAN, statements);
        }
        let decide = self.internals.fresh(Stem::Decide);
        self.internals.function(decide.clone(), parameters(depth, &statements), Type::BOOLEAN, statements);
        let memory = self.internals.memory();
        let statements = remembering(&memory, call(&decide, &target));
        self.memories.push(memory);
        self.internals.function(name, parameters(depth, &statements), Type::BOOLEAN, statements);
    }

    /// The name of a function with one parameter for the value, which checks with equal statements share.
    pub(super) fn shared_function(&mut self, depth: Depth, returns: Type, statements: Vec<Statement>) -> Name {
        self.internals.shared_function(Stem::Check, parameters(depth, &statements), returns, statements)
    }

    /// A call of the function of a check.
    fn call_check(&mut self, id: CheckId, target: &Target) -> Expression {
        let name = match self.functions.get(&id) {
            Some(name) => name.clone(),
            None => {
                let outer = self.internals.subject();
                let subject = self.validator.check(id).definition.unwrap_or(outer);
                self.internals.enter(subject);
                let name = self.internals.fresh(Stem::Check);
                self.internals.enter(outer);
                self.functions.insert(id, name.clone());
                self.queue.push_back((id, subject));
                name
            }
        };
        let mut arguments = vec![target.value()];
        arguments.extend(self.limits_depth().then(|| target.depth.expression()));
        Expression::call(name, arguments)
    }

    /// The verdict of a check on a value: a call of its function, or its condition.
    pub(super) fn check(&mut self, id: CheckId, target: &Target) -> Expression {
        if self.validator.check(id).is_reused {
            let inlined = self.is_simple(id).then(|| self.inline(id, target));
            // A short condition is faster than a call, and no longer.
            let short = inlined.filter(|condition| printer::width_of_expression(condition) <= MAX_REPEATED);
            return short.unwrap_or_else(|| self.call_check(id, target));
        }
        let is_full = self.tests > 0 && self.tests + self.count_tests(id) > MAX_TESTS;
        if (target.level >= MAX_LEVEL || self.nesting >= MAX_NESTING || is_full) && !self.is_simple(id) {
            return self.call_check(id, target);
        }
        self.nesting += 1;
        let condition = self.inline(id, target);
        self.nesting -= 1;
        condition
    }

    /// How many properties and other checks the condition of a check tests, without those inside them.
    pub(super) fn count_tests(&self, id: CheckId) -> usize {
        let rules = self.validator.rules(id).filter(|_| !self.validator.check(id).is_reused);
        let of_union = |union: &Option<Union<'_>>| union.as_ref().map_or(0, |union| union.branches.len());
        let count = rules.map_or(0, |rules| {
            let branches = rules.all_of.len() + of_union(&rules.any_of) + of_union(&rules.one_of);
            rules.properties.len() + rules.undeclared.len() + branches
        });
        count.clamp(1, MAX_TESTS)
    }

    /// Makes the condition of another function.
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
    pub(super) fn anything(&self, target: &Target) -> Expression {
        let is_scalar = !target.known.contains(JsonType::Array) && !target.known.contains(JsonType::Object);
        if !self.limits_depth() || is_scalar {
            return Expression::TRUE;
        }
        Helper::Shallow.call(vec![target.value(), target.depth.levels()])
    }

    /// That an array or object may be at this depth.
    fn depth_guard(&self, depth: Depth) -> Expression {
        if self.validator.depth != DepthLimit::OfAll || !depth.has_parameter {
            return Expression::TRUE;
        }
        Expression::from(Local::Depth).binary(BinaryOperator::Less, remaining(depth.more))
    }

    fn inline(&mut self, id: CheckId, target: &Target) -> Expression {
        let validator = self.validator;
        let rules = match &validator.check(id).kind {
            CheckKind::Anything => return self.anything(target),
            CheckKind::Nothing => return Expression::FALSE,
            CheckKind::Rules(rules) => rules,
        };
        self.tests += self.count_tests(id);
        let types = rules.types.unwrap_or(TypeSet::ALL);
        let tested = Target { known: target.known.intersection(types), ..*target };
        let applied = self.applied_here(rules, &tested);
        let own = all(self.own(id, rules, target));
        if applied.is_empty() {
            return own;
        }
        all(std::iter::once(own).chain(applied))
    }

    /// The assertions of a check itself, without other checks of the same value.
    fn own(&mut self, id: CheckId, rules: &Rules<'m>, target: &Target) -> Vec<Expression> {
        let listed = self.listed(id, rules, target.local);
        // Listed scalars have been compared with the other keywords already.
        let is_settled = listed.as_ref().is_some_and(|(_, are_scalars)| *are_scalars);
        let mut terms: Vec<Expression> = listed.into_iter().map(|(condition, _)| condition).collect();
        if !is_settled && rules.has_own() {
            match rules.types {
                Some(types) => terms.push(self.typed(rules, types, target)),
                None => terms.extend(self.untyped(rules, target)),
            }
        } else if !is_settled && !rules.is_covered() {
            terms.push(self.anything(target));
        }
        terms
    }

    /// That a value is listed, and whether all listed values are scalars; `None` if the check lists no values.
    fn listed(&mut self, id: CheckId, rules: &Rules<'m>, local: Local) -> Option<(Expression, bool)> {
        if let Some(listed) = self.listed.get(&(id, local)) {
            return Some(listed.clone());
        }
        let values = scalar::listed(rules)?;
        let condition = scalar::is_listed(self.internals, rules, &values, local);
        let listed = (condition, values.iter().all(|value| scalar::is_scalar(value)));
        self.listed.insert((id, local), listed.clone());
        Some(listed)
    }

    /// That a value has one of the types and meets the assertions about that type.
    fn typed(&mut self, rules: &Rules<'m>, types: TypeSet, target: &Target) -> Expression {
        let mut terms = Vec::new();
        if types.contains(JsonType::Object) {
            let (is_object, members) = self.object(rules, target);
            terms.push(all([is_object, self.depth_guard(target.depth), members]));
        }
        if types.contains(JsonType::Array) {
            let items = self.array(rules, target);
            terms.push(all([is_array(target.local), self.depth_guard(target.depth), items]));
        }
        terms.extend(scalar::alternatives(self.internals, rules, types, target.local));
        any(terms)
    }

    /// That a value meets the assertions about its type, for each type.
    fn untyped(&mut self, rules: &Rules<'m>, target: &Target) -> Vec<Expression> {
        if target.known == TypeSet::EMPTY.with(JsonType::String) {
            return vec![scalar::of_text(self.internals, rules, target.local)];
        }
        if target.known == TypeSet::EMPTY.with(JsonType::Object) {
            return vec![self.object(rules, target).1];
        }
        let mut terms = scalar::implications(self.internals, rules, target.local);
        let walks = self.limits_depth() && !rules.is_covered();
        if walks && !rules.asserts_objects() && !rules.asserts_arrays() {
            terms.push(self.anything(target));
            return terms;
        }
        if rules.asserts_objects() || walks {
            let (is_object, members) = self.object(rules, target);
            terms.push(any([is_object.not(), all([self.depth_guard(target.depth), members])]));
        }
        if rules.asserts_arrays() || walks {
            let items = self.array(rules, target);
            terms.push(any([is_array(target.local).not(), all([self.depth_guard(target.depth), items])]));
        }
        terms
    }
}

/// A call of a function for a value at the depth of the calling function's own value.
pub(super) fn call(name: &Name, target: &Target) -> Expression {
    let mut arguments = vec![target.value()];
    arguments.extend(target.depth.has_parameter.then(|| Local::Depth.into()));
    Expression::call(name.clone(), arguments)
}

/// A statement that uses a condition, after the declarations of the condition's variables.
pub(super) fn body(condition: Expression, last: impl FnOnce(Expression) -> Statement) -> Vec<Statement> {
    let (counter, condition) = take_counter(condition);
    let mut statements: Vec<Statement> = declaration(&condition, counter).into_iter().collect();
    statements.push(last(condition));
    statements
}

/// A loop that returns `false` at the first item that violates the condition.
pub(super) fn each(condition: Expression, make_loop: impl FnOnce(Vec<Statement>) -> Statement) -> Vec<Statement> {
    let mut statements: Vec<Statement> = declaration(&condition, None).into_iter().collect();
    let body = vec![Statement::If(condition.not(), Box::new(Statement::Return(Expression::FALSE)))];
    statements.push(make_loop(body));
    statements.push(Statement::Return(Expression::TRUE));
    statements
}

/// The declaration of the variables of a condition. `counter` has an initial value.
fn declaration(condition: &Expression, counter: Option<(Local, usize)>) -> Option<Statement> {
    let mut locals: Vec<Local> = Vec::new();
    condition.each(&mut |e| {
        let local = match e {
            Expression::Name(Name::Local(local))
            | Expression::Increment(local)
            | Expression::Assign(local, _)
            | Expression::Count(local, _) => *local,
            _ => return,
        };
        if matches!(local, Local::Inner(_) | Local::Size(_) | Local::Tag(_)) {
            locals.push(local);
        }
    });
    // Always in the same order, so that similar functions stay similar when names are shortened.
    locals.sort_unstable();
    locals.dedup();
    let start = |local: Local| counter.filter(|(counter, _)| *counter == local);
    let declare = |local: Local| (local, start(local).map(|(_, start)| Expression::count(start as u64)));
    let declared: Vec<_> = locals.into_iter().map(declare).collect();
    (!declared.is_empty()).then_some(Statement::Let(declared, Some(Type::ANY)))
}

fn parameters(depth: Depth, statements: &[Statement]) -> Vec<Parameter> {
    let mut parameters = vec![Parameter::new(Local::Value, Type::ANY)];
    if depth.has_parameter {
        let mut is_used = false;
        for statement in statements {
            statement.each_expression(&mut |e| is_used |= e.uses(Local::Depth) > 0);
        }
        // All checks have the same parameters. An underscore marks an unused one for compilers.
        let local = if is_used { Local::Depth } else { Local::UnusedDepth };
        parameters.push(Parameter::new(local, Type::NUMBER));
    }
    parameters
}

/// Statements that return the stored verdict for the value, or compute and store it.
fn remembering(memory: &Name, verdict: Expression) -> Vec<Statement> {
    let memory = Expression::Name(memory.clone());
    let known = memory.clone().method("get", vec![Local::Value.into()]);
    let decided = Expression::Assign(Local::Verdict, Box::new(verdict));
    let remember = Statement::Expression(memory.method("set", vec![Local::Value.into(), decided]));
    let is_unknown = Expression::from(Local::Verdict).equals(Expression::Undefined);
    vec![
        Statement::Let(vec![(Local::Verdict, Some(known))], None),
        Statement::If(is_unknown, Box::new(remember)),
        Statement::Return(Local::Verdict.into()),
    ]
}
