//! Tests of a plan as conditions.

use capgen_schema::{Format, MAX_PAYLOAD_DEPTH, Number, Type as JsonType};

use super::Helper;
use super::choice;
use super::condition::{all, any, has_type, is_array, is_null, is_object, rejects_undefined};
use crate::model::check::Bound;
use crate::plan::test::{OtherMembers, Test};
use crate::plan::{Call, ConstantId, Count, Depth, Limit, NumberTest, Place, PropertyTest, Shared, TextTest};
use crate::typescript::syntax::{BinaryOperator, Expression, Literal, Local, Name};

/// The names of properties that every object inherits. A plain access would find the inherited ones, so a helper reads
/// these.
pub(super) const INHERITED: [&str; 12] = [
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

/// Turns tests into conditions that use these functions and constants.
pub(super) struct Tests<'p, 'm> {
    shared: &'p Shared<'m>,
}

/// The variable of a place.
pub(super) fn local(place: Place) -> Local {
    match place {
        Place::Value => Local::Value,
        Place::Member(level) => Local::Inner(level),
        Place::Item => Local::Item,
        Place::Name => Local::Key,
    }
}

fn value(place: Place) -> Expression {
    local(place).into()
}

/// The variable that counts the declared members of an object.
fn counter(object: Place) -> Local {
    Local::Size(object.level() + 1)
}

impl<'p, 'm> Tests<'p, 'm> {
    pub(super) fn new(shared: &'p Shared<'m>) -> Self {
        Self { shared }
    }

    /// The condition that a test is.
    pub(super) fn expression(&self, test: &Test<'_>) -> Expression {
        match test {
            Test::Always => Expression::TRUE,
            Test::Never => Expression::FALSE,
            Test::All(tests) => all(tests.iter().map(|test| self.expression(test))),
            Test::Any(tests) => any(tests.iter().map(|test| self.expression(test))),
            Test::Not(test) => self.expression(test).not(),
            Test::Conditional(tests) => {
                Expression::Conditional(Box::new(tests.each_ref().map(|test| self.expression(test))))
            }
            Test::ExactlyOne(count) => self.count(count).equals(Expression::count(1)),
            Test::Choice(union) => {
                choice::one_of(union, union.branches.iter().map(|branch| self.expression(branch)).collect())
            }
            Test::Call(call) => self.call(call),
            Test::HasType(place, ty) => has_json_type(*place, *ty),
            Test::HasOtherType(place, ty) => has_other_type(*place, *ty),
            Test::Text(text) => self.text(text),
            Test::Number(number) => self::number(number),
            Test::Equals(place, listed) => {
                let literal = Literal::of(listed.0).map_or(Expression::Undefined, Expression::Literal);
                value(*place).equals(literal)
            }
            Test::IsInSet(place, set) => self.constant(*set).method("has", vec![value(*place)]),
            Test::IsAmong(place, literals) => Helper::Among.call(vec![value(*place), self.constant(*literals)]),
            Test::MinItems(place, limit) => length(*place, BinaryOperator::GreaterOrEqual, *limit),
            Test::MaxItems(place, limit) => length(*place, BinaryOperator::LessOrEqual, *limit),
            Test::SpansMembers(place, least, most) => {
                let limits = std::iter::once(*least).chain(*most).map(Expression::count);
                Helper::SpansMembers.call(std::iter::once(value(*place)).chain(limits).collect())
            }
            Test::HasNoItems(place) => length(*place, BinaryOperator::Equal, 0),
            Test::HasDistinctItems(place) => Helper::Repeated.call(vec![value(*place)]).not(),
            Test::MayNest(depth) => Expression::from(Local::Depth).binary(BinaryOperator::Less, remaining(depth.more)),
            Test::IsShallow(place, depth) => Helper::Shallow.call(vec![value(*place), levels(*depth)]),
            Test::CountsMembers(place, start) => Expression::Count(counter(*place), *start),
            Test::Has(place, name) => access(*place, name).differs(Expression::Undefined),
            Test::Property(property) => self.property(property),
            Test::HasNoOthers(others) => has_no_others(others),
            Test::HasOnlyNames(place, names) => Helper::HasOnly.call(vec![value(*place), self.constant(*names)]),
        }
    }

    pub(super) fn constant(&self, id: ConstantId) -> Expression {
        Expression::Name(self.constant_name(id))
    }

    pub(super) fn constant_name(&self, id: ConstantId) -> Name {
        Name::Internal(self.shared.constant_name(id).to_owned())
    }

    pub(super) fn call(&self, call: &Call) -> Expression {
        let mut arguments = vec![value(call.place)];
        arguments.extend(call.depth.map(depth_of));
        Expression::call(Name::Internal(self.shared.function_name(call.function).to_owned()), arguments)
    }

    pub(super) fn count(&self, count: &Count<'_>) -> Expression {
        match count {
            Count::Zero => Expression::count(0),
            Count::Of(test) => Expression::Plus(Box::new(self.expression(test))),
            Count::Call(call) => self.call(call),
            Count::Sum(counts) => sum(counts.iter().map(|count| self.count(count)).collect()),
        }
    }

    fn text(&self, test: &TextTest) -> Expression {
        let text = || value(test.place);
        let format = test.format.map(|format| helper_of(format).call(vec![text()]));
        let mut is_tested = test.is_certain || format.is_some();
        let length = match (test.min_length, test.max_length) {
            (0, None) => None,
            (1, None) => Some(text().differs(Expression::string(""))),
            (0, Some(0)) => Some(text().equals(Expression::string(""))),
            (least, most) => {
                // The helpers for formats and lengths test the type themselves.
                is_tested = true;
                let limits = std::iter::once(least).chain(most).map(Expression::count);
                Some(Helper::Spans.call(std::iter::once(text()).chain(limits).collect()))
            }
        };
        let is_text = (!is_tested).then(|| has_type(local(test.place), "string"));
        let pattern = test.pattern.map(|pattern| self.constant(pattern).method("test", vec![text()]));
        all([is_text, format, length, pattern].into_iter().flatten())
    }

    fn property(&self, property: &PropertyTest<'_>) -> Expression {
        let access = access(property.place, property.name);
        let local = local(property.member);
        let condition = self.expression(&property.test);
        let stored = |access| Expression::Assign(local, Box::new(access));
        if property.is_required {
            // A missing property is `undefined`, which most conditions reject by themselves.
            let must_exist = property.accepts_absent && !rejects_undefined(&condition, local);
            let exists =
                if must_exist { value(property.member).differs(Expression::Undefined) } else { Expression::TRUE };
            let mut condition = all([exists, condition]);
            let is_single = condition.uses(local) == 1;
            condition.replace_first_use(local, &if is_single { access } else { stored(access) });
            return condition;
        }
        // Always true: the comparison turns the increment into a condition.
        let is_counted = |size| Expression::Increment(size).binary(BinaryOperator::Greater, Expression::count(0));
        let counted = property.is_counted.then(|| is_counted(counter(property.place)));
        let counted = all(counted.into_iter().chain([condition]));
        let value = if counted.uses(local) > 0 { stored(access) } else { access };
        any([value.equals(Expression::Undefined), counted])
    }
}

fn has_json_type(place: Place, ty: JsonType) -> Expression {
    let number = |test| Expression::library("Number", test, vec![value(place)]);
    match ty {
        JsonType::Object => is_object(local(place)),
        JsonType::Array => is_array(local(place)),
        JsonType::String | JsonType::Boolean => has_type(local(place), ty.name()),
        JsonType::Null => is_null(local(place)),
        JsonType::Number => number("isFinite"),
        JsonType::Integer => number("isInteger"),
    }
}

fn has_other_type(place: Place, ty: JsonType) -> Expression {
    match ty {
        JsonType::String | JsonType::Number => value(place).type_of().differs(Expression::string(ty.name())),
        ty => has_json_type(place, ty).not(),
    }
}

fn number(test: &NumberTest<'_>) -> Expression {
    let number = || value(test.place);
    let has_type = test.ty.map(|ty| has_json_type(test.place, ty));
    let limits = test.limits.iter().map(|limit| number().binary(operator(limit), Expression::number(limit.nearest)));
    let multiple = test.multiple_of.map(|divisor| Helper::Multiple.call(vec![number(), self::divisor(divisor)]));
    all(has_type.into_iter().chain(limits).chain(multiple))
}

fn operator(limit: &Limit<'_>) -> BinaryOperator {
    match limit.bound {
        Bound::Minimum => BinaryOperator::GreaterOrEqual,
        Bound::Maximum => BinaryOperator::LessOrEqual,
        Bound::ExclusiveMinimum => BinaryOperator::Greater,
        Bound::ExclusiveMaximum => BinaryOperator::Less,
    }
}

/// The value of `multipleOf`: as a text if it is not the shortest decimal of a binary64, so that it keeps its digits.
pub(super) fn divisor(number: &Number) -> Expression {
    if number.is_representable() {
        Expression::number(number.as_f64())
    } else {
        Expression::string(&number.to_string())
    }
}

pub(super) fn helper_of(format: Format) -> Helper {
    match format {
        Format::Uuid => Helper::Uuid,
        Format::Email => Helper::Email,
        Format::Uri => Helper::Uri,
        Format::UriReference => Helper::UriReference,
        Format::DateTime => Helper::DateTime,
        Format::Date => Helper::Date,
        Format::Time => Helper::Time,
        Format::Duration => Helper::Duration,
        Format::Ipv4 => Helper::Ipv4,
        Format::Ipv6 => Helper::Ipv6,
        Format::Hostname => Helper::Hostname,
        Format::IdnEmail => Helper::IdnEmail,
        Format::Iri => Helper::Iri,
        Format::UriTemplate => Helper::UriTemplate,
        Format::JsonPointer => Helper::JsonPointer,
        Format::Regex => Helper::Regex,
    }
}

pub(super) fn length(place: Place, operator: BinaryOperator, limit: u64) -> Expression {
    value(place).member("length").binary(operator, Expression::count(limit))
}

fn has_no_others(others: &OtherMembers) -> Expression {
    let size = match others.declared {
        Some(declared) => Expression::count(declared as u64),
        None => counter(others.place).into(),
    };
    let mut arguments = vec![value(others.place), size];
    arguments.extend(others.depth.map(levels));
    Helper::Sized.call(arguments)
}

/// A member of an object.
pub(super) fn access(object: Place, name: &str) -> Expression {
    if INHERITED.contains(&name) {
        Helper::Own.call(vec![value(object), Expression::string(name)])
    } else {
        value(object).member(name)
    }
}

/// How deeply a value may be nested.
fn levels(depth: Depth) -> Expression {
    let levels = remaining(depth.more);
    if depth.has_parameter { levels.binary(BinaryOperator::Minus, Local::Depth.into()) } else { levels }
}

/// How many arrays and objects enclose a value.
fn depth_of(depth: Depth) -> Expression {
    let more = Expression::count(depth.more as u64);
    match (depth.has_parameter, depth.more) {
        (true, 0) => Local::Depth.into(),
        (true, _) => Expression::from(Local::Depth).binary(BinaryOperator::Plus, more),
        (false, _) => more,
    }
}

/// How many levels are left below `levels`; negative if values there are always too deep.
#[expect(clippy::cast_precision_loss, reason = "both are at most a few hundred")]
fn remaining(levels: usize) -> Expression {
    Expression::number(MAX_PAYLOAD_DEPTH as f64 - levels as f64)
}

/// The most terms of a sum without parentheses. Each term is nested in the next one, and syntax trees are read
/// recursively.
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
