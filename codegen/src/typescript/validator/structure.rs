//! Conditions on arrays, objects, and checks for the same value.

use super::condition::{all, any, begins_by_comparing, factor, is_object, rejects_undefined};
use super::verdict::{MAX_TESTS, Target, Verdicts, body, call, each};
use super::{Helper, scalar};
use crate::model::check::{CheckId, Property, Rest, Rules, Union};
use crate::typescript::syntax::{BinaryOperator, Expression, Local, Statement, Type};

/// An object with more properties is checked by several functions.
const MANY: usize = 100;
/// More names are looked up in a set.
const FEW: usize = 5;

/// The names of properties that every object inherits. A plain access would find the inherited ones, so a helper reads these.
const INHERITED: [&str; 12] = [
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
];

/// The variable that counts the declared members of an object, and its start: the number of required members.
type Counter = Option<(Local, usize)>;

impl<'m> Verdicts<'m, '_> {
    /// The assertions about an array.
    pub(super) fn array(&mut self, rules: &Rules<'m>, target: &Target) -> Expression {
        let length = || target.value().member("length");
        let mut terms = Vec::new();
        if let Some(limit) = rules.min_items.filter(|limit| *limit > 0) {
            terms.push(length().binary(BinaryOperator::GreaterOrEqual, Expression::count(limit)));
        }
        if let Some(limit) = rules.max_items {
            terms.push(length().binary(BinaryOperator::LessOrEqual, Expression::count(limit)));
        }
        match rules.items {
            Some(items) => terms.push(self.items(items, target)),
            None if rules.is_covered() && !rules.unique_items => {}
            // Items are compared only once it is certain that they are not too deep.
            None => terms.push(self.anything(target)),
        }
        if rules.unique_items {
            terms.push(Helper::Repeated.call(vec![target.value()]).not());
        }
        all(terms)
    }

    fn items(&mut self, items: CheckId, target: &Target) -> Expression {
        let item = Target::given(Local::Item, target.depth.below());
        match self.separately(|verdicts| verdicts.check(items, &item)) {
            Expression::TRUE => Expression::TRUE,
            Expression::FALSE => target.value().member("length").equals(Expression::count(0)),
            condition => {
                let statements = each(condition, |body| Statement::ForIndex(Local::Item, Local::Value.into(), body));
                let name = self.shared_function(target.depth, Type::BOOLEAN, statements);
                call(&name, target)
            }
        }
    }

    /// That a value is an object, and the assertions about its members.
    ///
    /// Undeclared members are found by counting: if an object has as many members as declared properties were found, it has no
    /// others. This is faster than looking up each name.
    pub(super) fn object(&mut self, rules: &Rules<'m>, target: &Target) -> (Expression, Expression) {
        let is_closed = rules.rest == Rest::Closed;
        let walks = rules.rest == Rest::Open && self.limits_depth() && !rules.is_covered();
        let declared = rules.properties.len();
        let mut terms = self.undeclared(rules, target);
        let mut counter = None;
        let is_many = declared > MANY;
        if is_many {
            terms.push(self.many_properties(rules, target, is_closed));
        } else {
            counter = self.counter(rules, target).filter(|_| is_closed || walks);
            self.properties(&mut terms, rules, target, counter);
        }
        let size = counter.map_or_else(|| Expression::count(declared as u64), |(size, _)| size.into());
        if is_closed && !is_many {
            terms.push(Helper::Sized.call(vec![target.value(), size]));
        } else if walks && (is_many || declared == 0) {
            terms.push(self.anything(target));
        } else if walks {
            terms.push(Helper::Sized.call(vec![target.value(), size, target.depth.levels()]));
        }
        if let Rest::Checked(id) = rules.rest {
            terms.push(self.additional(rules, id, target));
        }
        if let Some(names) = &rules.names {
            terms.push(self.names(names, target));
        }
        if let Some((size, start)) = counter {
            terms.insert(0, Expression::Count(size, start));
        }
        (is_object(target.local), all(terms))
    }

    /// That the required properties that are not declared exist.
    fn undeclared(&mut self, rules: &Rules<'m>, target: &Target) -> Vec<Expression> {
        let is_there = |name: &&str, target: &Target| access(target, name).differs(Expression::Undefined);
        if rules.undeclared.len() <= MANY {
            return rules.undeclared.iter().map(|name| is_there(name, target)).collect();
        }
        let given = Target::given(Local::Value, target.depth);
        let parts = rules.undeclared.chunks(MANY).map(|part| all(part.iter().map(|name| is_there(name, &given))));
        let calls = parts.map(|part| self.apart(part, Type::BOOLEAN, &given)).collect();
        vec![self.joined(calls, Type::BOOLEAN, target, all)]
    }

    /// The counter of an object that has optional properties.
    fn counter(&self, rules: &Rules<'m>, target: &Target) -> Counter {
        let certain = rules.properties.iter().filter(|property| property.is_required).count();
        (certain < rules.properties.len()).then_some((Local::Size(target.level + 1), certain))
    }

    /// Checks declared properties. Constants come first: they are cheap, and in a union they exclude most branches.
    fn properties(&mut self, terms: &mut Vec<Expression>, rules: &Rules<'m>, target: &Target, counter: Counter) {
        let is_constant = |property: &&Property<'m>| {
            self.validator.rules(property.check).is_some_and(|rules| rules.const_value.is_some())
        };
        let (first, then): (Vec<_>, Vec<_>) = rules.properties.iter().partition(is_constant);
        for property in first.into_iter().chain(then) {
            terms.push(self.property(property, target, counter.map(|(size, _)| size)));
        }
    }

    fn property(&mut self, property: &Property<'m>, target: &Target, counter: Option<Local>) -> Expression {
        let access = access(target, property.name);
        let member = target.member();
        let outer = self.internals.enter(property.name);
        let condition = self.check(property.check, &member);
        self.internals.enter(outer);
        let local = member.local;
        let stored = |access| Expression::Assign(local, Box::new(access));
        if property.is_required {
            // A missing property is `undefined`, which most conditions reject by themselves.
            let must_exist = self.accepts_undefined(property.check) && !rejects_undefined(&condition, local);
            let exists = if must_exist { member.value().differs(Expression::Undefined) } else { Expression::TRUE };
            let mut condition = all([exists, condition]);
            let is_single = condition.uses(local) == 1;
            condition.replace_first_use(local, &if is_single { access } else { stored(access) });
            return condition;
        }
        // Always true: the comparison turns the increment into a condition.
        let is_counted = |size| Expression::Increment(size).binary(BinaryOperator::Greater, Expression::count(0));
        let counted = all([counter.map_or(Expression::TRUE, is_counted), condition]);
        let value = if counted.uses(local) > 0 { stored(access) } else { access };
        any([value.equals(Expression::Undefined), counted])
    }

    /// Whether a check may accept `undefined`, the value of a missing property.
    fn accepts_undefined(&self, id: CheckId) -> bool {
        self.validator
            .rules(id)
            .is_none_or(|rules| rules.types.is_none() && rules.enum_values.is_none() && rules.const_value.is_none())
    }

    /// Checks the properties of an object in several functions. Compilers do not optimize a function that is too large.
    fn many_properties(&mut self, rules: &Rules<'m>, target: &Target, is_closed: bool) -> Expression {
        let mut calls = Vec::new();
        let given = Target::given(Local::Value, target.depth);
        for chunk in rules.properties.chunks(MANY) {
            let conditions: Vec<_> = self.separately(|verdicts| {
                verdicts.tests = chunk.len();
                chunk.iter().map(|property| verdicts.property(property, &given, None)).collect()
            });
            calls.push(self.apart(all(conditions), Type::BOOLEAN, &given));
        }
        let properties = self.joined(calls, Type::BOOLEAN, target, all);
        if !is_closed {
            return properties;
        }
        let names = self.internals.names(&names(rules));
        all([properties, Helper::HasOnly.call(vec![target.value(), names])])
    }

    /// Checks the names of members.
    fn names(&mut self, names: &Rules<'m>, target: &Target) -> Expression {
        let value = || Expression::from(Local::Value);
        let item = Expression::Index(Box::new(value()), Box::new(Local::Key.into()));
        let is_absent = item.equals(Expression::Undefined);
        let condition = any([scalar::of_text(self.internals, names, Local::Key), is_absent]);
        let keys = Expression::library("Object", "keys", vec![value()]);
        let statements = each(condition, |body| Statement::ForOf(Local::Key, keys, body));
        let name = self.shared_function(target.depth, Type::BOOLEAN, statements);
        call(&name, target)
    }

    /// Checks the undeclared members.
    fn additional(&mut self, rules: &Rules<'m>, id: CheckId, target: &Target) -> Expression {
        let names = names(rules);
        let item = Target::given(Local::Item, target.depth.below());
        let condition = self.separately(|verdicts| verdicts.check(id, &item));
        let key = || Expression::from(Local::Key);
        let is_declared = if names.len() > FEW {
            self.internals.names(&names).method("has", vec![key()])
        } else {
            any(names.iter().map(|name| key().equals(Expression::string(name))))
        };
        let is_absent = Expression::from(Local::Item).equals(Expression::Undefined);
        let condition = any([is_declared, is_absent, condition]);
        if condition == Expression::TRUE {
            return Expression::TRUE;
        }
        let value = || Expression::from(Local::Value);
        let item = Expression::Index(Box::new(value()), Box::new(key()));
        let keys = Expression::library("Object", "keys", vec![value()]);
        let statements = each(condition, |mut body| {
            body.insert(0, Statement::Const(Local::Item, item));
            Statement::ForOf(Local::Key, keys, body)
        });
        let name = self.shared_function(target.depth, Type::BOOLEAN, statements);
        call(&name, target)
    }

    /// The verdicts of other checks on the same value.
    pub(super) fn applied_here(&mut self, rules: &Rules<'m>, target: &Target) -> Vec<Expression> {
        let mut terms = Vec::new();
        if !rules.all_of.is_empty() {
            let parts: Vec<CheckId> = rules.all_of.iter().map(|part| part.check).collect();
            terms.push(self.combined(&parts, target, Type::BOOLEAN, |verdicts, _| all(verdicts), all));
        }
        if let Some(union) = &rules.any_of {
            terms.push(self.any_of(union, target));
        }
        if let Some(union) = &rules.one_of {
            terms.push(self.one_of(union, target));
        }
        if let Some(not) = rules.not {
            terms.push(match self.check(not, target) {
                Expression::TRUE => Expression::FALSE,
                Expression::FALSE => Expression::TRUE,
                condition => condition.not(),
            });
        }
        terms
    }

    fn any_of(&mut self, union: &Union<'m>, target: &Target) -> Expression {
        let combine = |verdicts, target: &Target| any_of(union, verdicts, target);
        self.combined(&branches(union), target, Type::BOOLEAN, combine, any)
    }

    fn one_of(&mut self, union: &Union<'m>, target: &Target) -> Expression {
        // If no two branches can match, one that matches is the only one.
        if union.is_exclusive {
            return self.any_of(union, target);
        }
        let count = |mut verdicts: Vec<Expression>, _: &Target| {
            verdicts.retain(|verdict| *verdict != Expression::FALSE);
            sum(verdicts.into_iter().map(|verdict| Expression::Plus(Box::new(verdict))).collect())
        };
        match self.combined(&branches(union), target, Type::NUMBER, count, sum) {
            Expression::Plus(only) => *only,
            Expression::Literal(_) => Expression::FALSE,
            count => count.equals(Expression::count(1)),
        }
    }

    /// The verdicts of some checks on a value, combined by `combine`. If they test too much for one function, several functions
    /// combine parts of them, and `join` combines the calls.
    fn combined(
        &mut self,
        checks: &[CheckId],
        target: &Target,
        returns: Type,
        combine: impl Fn(Vec<Expression>, &Target) -> Expression,
        join: fn(Vec<Expression>) -> Expression,
    ) -> Expression {
        let parts = self.parts(checks);
        if parts.len() < 2 {
            let verdicts = checks.iter().map(|check| self.check(*check, target)).collect();
            return combine(verdicts, target);
        }
        let given = Target { known: target.known, ..Target::given(Local::Value, target.depth) };
        let mut calls = Vec::new();
        for part in parts {
            let verdicts =
                self.separately(|verdicts| part.iter().map(|check| verdicts.check(*check, &given)).collect());
            calls.push(self.apart(combine(verdicts, &given), returns.clone(), &given));
        }
        self.joined(calls, returns, target, join)
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

    /// A call of a function that returns `result`, an expression about [`Local::Value`].
    fn apart(&mut self, result: Expression, returns: Type, given: &Target) -> Expression {
        if matches!(result, Expression::Literal(_)) {
            return result;
        }
        let name = self.shared_function(given.depth, returns, body(result, Statement::Return));
        call(&name, given)
    }

    /// The results of calls that get [`Local::Value`], for another value. If there are too many for one function, several
    /// functions join parts of them.
    fn joined(
        &mut self,
        mut calls: Vec<Expression>,
        returns: Type,
        target: &Target,
        join: fn(Vec<Expression>) -> Expression,
    ) -> Expression {
        let given = Target::given(Local::Value, target.depth);
        while calls.len() > MANY {
            let groups = calls.chunks(MANY).map(|group| self.apart(join(group.to_vec()), returns.clone(), &given));
            calls = groups.collect();
        }
        for call in &mut calls {
            call.replace_first_use(Local::Value, &target.value());
        }
        join(calls)
    }
}

fn branches(union: &Union<'_>) -> Vec<CheckId> {
    union.branches.iter().map(|branch| branch.check).collect()
}

/// That one of the verdicts on a value is true. The tests with which all of them begin are written once, and the tag is
/// read once.
fn any_of(union: &Union<'_>, mut verdicts: Vec<Expression>, target: &Target) -> Expression {
    verdicts.retain(|verdict| *verdict != Expression::FALSE);
    if verdicts.len() < 2 || verdicts.contains(&Expression::TRUE) {
        return any(verdicts);
    }
    let (mut common, mut verdicts) = factor(verdicts);
    let tag = Local::Tag(target.level + 1);
    let name = union.tags.iter().find(|name| !INHERITED.contains(name)).filter(|_| !common.is_empty());
    // A union inside a branch may use the variable for a tag of its own.
    if let Some(name) = name.filter(|_| !verdicts.iter().any(|verdict| verdict.mentions(tag))) {
        let access = access(target, name);
        // The first comparison stores the tag in a variable, which the others read.
        let mut replacement = Expression::Assign(tag, Box::new(access.clone()));
        if !verdicts.first().is_some_and(|verdict| begins_by_comparing(verdict, &access)) {
            common.push(replacement.differs(Expression::Undefined));
            replacement = tag.into();
        }
        for verdict in &mut verdicts {
            verdict.replace_at_start(&access, &replacement);
            replacement = tag.into();
        }
    }
    all(common.into_iter().chain([any(verdicts)]))
}

fn names<'m>(rules: &Rules<'m>) -> Vec<&'m str> {
    rules.properties.iter().map(|property| property.name).collect()
}

fn access(target: &Target, name: &str) -> Expression {
    if INHERITED.contains(&name) {
        Helper::Own.call(vec![target.value(), Expression::string(name)])
    } else {
        target.value().member(name)
    }
}

/// The most terms of a sum without parentheses. Each term is nested in the next one, and syntax trees are read recursively.
const MAX_TERMS: usize = 256;

fn sum(mut terms: Vec<Expression>) -> Expression {
    while terms.len() > 1 {
        let mut rest = terms.into_iter();
        terms = std::iter::from_fn(|| {
            let group = rest.by_ref().take(MAX_TERMS);
            group.reduce(|sum, one| sum.binary(BinaryOperator::Plus, one))
        })
        .collect();
    }
    terms.pop().unwrap_or(Expression::count(0))
}
