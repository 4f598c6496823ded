//! Tests: conditions on a value that a validator evaluates in order, until the result is certain.

use capgen_schema::{Format, Number, Type as JsonType};

use super::value::{Limit, Value};

/// An index of a function of [`Shared`](super::Shared).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct FunctionId(pub(super) usize);

/// An index of a constant of [`Shared`](super::Shared).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ConstantId(pub(super) usize);

/// A value that a function tests.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Place {
    /// The parameter of the function.
    Value,
    /// A member that was read this many levels below it. Members of one level are never tested at the same time, so
    /// they may share a variable.
    Member(usize),
    /// The item or member of a loop.
    Item,
    /// The name of the member of a loop.
    Name,
}

/// How many arrays and objects enclose a value: the parameter of the function, if it has one, plus `more`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Depth {
    pub(crate) has_parameter: bool,
    pub(crate) more: usize,
}

/// A condition. Without another note, it is about the value at its place.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Test<'m> {
    Always,
    Never,
    /// That all are true: at least two, and no other `All` among them. In order, as later ones may rely on earlier
    /// ones.
    All(Vec<Test<'m>>),
    /// That one is true: at least two, and no other `Any` among them.
    Any(Vec<Test<'m>>),
    Not(Box<Test<'m>>),
    /// That the second is true if the first is, or else the third.
    Conditional(Box<[Test<'m>; 3]>),
    ExactlyOne(Count<'m>),
    Choice(Choice<'m>),
    Call(Call),
    /// That it has this type: for numbers that it is finite, and without a fraction if the type is `integer`.
    HasType(Place, JsonType),
    /// That it has another type. A number that is not finite has the type `number` here.
    HasOtherType(Place, JsonType),
    Text(TextTest),
    Number(NumberTest<'m>),
    /// That it equals a scalar.
    Equals(Place, Value<'m>),
    /// That it is in a constant set of scalars.
    IsInSet(Place, ConstantId),
    /// That it equals one of the arrays and objects of a constant.
    IsAmong(Place, ConstantId),
    /// That an array has at least, or at most, so many items.
    MinItems(Place, u64),
    MaxItems(Place, u64),
    HasNoItems(Place),
    /// That an object has at least, and at most, so many members.
    SpansMembers(Place, u64, Option<u64>),
    /// That no two items of an array are equal.
    HasDistinctItems(Place),
    /// That an array or object may be at this depth.
    MayNest(Depth),
    /// That it is not nested too deeply, although nothing else is tested.
    IsShallow(Place, Depth),
    /// Starts to count the members of an object that properties declare; `usize` of them are certain. Always true.
    CountsMembers(Place, usize),
    /// That an object has a member.
    Has(Place, &'m str),
    Property(Box<PropertyTest<'m>>),
    HasNoOthers(OtherMembers),
    /// That the names of all members of an object are in a constant set.
    HasOnlyNames(Place, ConstantId),
}

/// A call of a function with a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Call {
    pub(crate) function: FunctionId,
    pub(crate) place: Place,
    /// The depth of the value, if the function has this parameter.
    pub(crate) depth: Option<Depth>,
}

/// How many tests are true.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Count<'m> {
    Zero,
    /// 1 if the test is true, otherwise 0.
    Of(Box<Test<'m>>),
    /// The result of a function that counts.
    Call(Call),
    /// At least two.
    Sum(Vec<Count<'m>>),
}

/// That one of the branches of a union matches: at least two. All may begin with the same tests.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Choice<'m> {
    pub(crate) place: Place,
    pub(crate) branches: Vec<Test<'m>>,
    /// The properties whose value alone excludes all branches but one, in source order.
    pub(crate) tags: Vec<&'m str>,
}

/// That a value is a string with these assertions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct TextTest {
    pub(crate) place: Place,
    /// Whether earlier tests have found that the value is a string.
    pub(crate) is_certain: bool,
    pub(crate) format: Option<Format>,
    /// In code points.
    pub(crate) min_length: u64,
    pub(crate) max_length: Option<u64>,
    pub(crate) pattern: Option<ConstantId>,
}

/// That a value is a number with these assertions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct NumberTest<'m> {
    pub(crate) place: Place,
    /// `number` or `integer`; `None` if earlier tests have found that the value is a number.
    pub(crate) ty: Option<JsonType>,
    pub(crate) limits: Vec<Limit<'m>>,
    pub(crate) multiple_of: Option<&'m Number>,
}

/// A declared property of an object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct PropertyTest<'m> {
    /// The object.
    pub(crate) place: Place,
    pub(crate) name: &'m str,
    /// An optional property is valid if it is absent.
    pub(crate) is_required: bool,
    /// Whether the test could accept an absent value in a language that reads one.
    pub(crate) accepts_absent: bool,
    /// Whether a present member is counted, since [`Test::CountsMembers`].
    pub(crate) is_counted: bool,
    /// The place to which the member is read.
    pub(crate) member: Place,
    pub(crate) test: Test<'m>,
}

/// That an object has no members but those that properties declare, or, with a depth, that the others are not nested
/// too deeply.
///
/// Undeclared members are found by counting: if an object has as many members as declared properties were found, it has
/// no others. This is faster than looking up each name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct OtherMembers {
    pub(crate) place: Place,
    /// How many are declared, if all of them are certain; `None` if they were counted.
    pub(crate) declared: Option<usize>,
    pub(crate) depth: Option<Depth>,
}

impl Place {
    /// How many levels it is below the value of its function or loop.
    pub(crate) fn level(self) -> usize {
        if let Place::Member(level) = self { level } else { 0 }
    }
}

impl Depth {
    pub(super) fn below(self) -> Self {
        Depth { more: self.more + 1, ..self }
    }

    /// The depth of the value of the function itself, if it has the parameter.
    pub(super) fn of_function(self) -> Option<Self> {
        self.has_parameter.then_some(Depth { more: 0, ..self })
    }
}

impl<'m> Test<'m> {
    /// That all are true.
    pub(super) fn all(tests: impl IntoIterator<Item = Test<'m>>) -> Self {
        let mut terms = Vec::new();
        for test in tests {
            match test {
                Test::Always => {}
                Test::Never => return Test::Never,
                Test::All(inner) => terms.extend(inner),
                test => terms.push(test),
            }
        }
        match terms.len() {
            0 => Test::Always,
            1 => terms.pop().unwrap_or(Test::Always),
            _ => Test::All(terms),
        }
    }

    /// That one is true.
    pub(super) fn any(tests: impl IntoIterator<Item = Test<'m>>) -> Self {
        let mut terms = Vec::new();
        for test in tests {
            match test {
                Test::Never => {}
                Test::Always => return Test::Always,
                Test::Any(inner) => terms.extend(inner),
                test => terms.push(test),
            }
        }
        match terms.len() {
            0 => Test::Never,
            1 => terms.pop().unwrap_or(Test::Never),
            _ => Test::Any(terms),
        }
    }

    pub(super) fn not(self) -> Self {
        match self {
            Test::Always => Test::Never,
            Test::Never => Test::Always,
            test => Test::Not(Box::new(test)),
        }
    }

    /// That `then` is true if `condition` is, or else `otherwise`.
    pub(super) fn conditional(condition: Self, then: Self, otherwise: Self) -> Self {
        match (condition, then, otherwise) {
            (Test::Always, then, _) => then,
            (Test::Never, _, otherwise) => otherwise,
            (condition, Test::Always, otherwise) => Test::any([condition, otherwise]),
            (condition, then, Test::Always) => Test::any([condition.not(), then]),
            (condition, Test::Never, otherwise) => Test::all([condition.not(), otherwise]),
            (condition, then, Test::Never) => Test::all([condition, then]),
            (condition, then, otherwise) => Test::Conditional(Box::new([condition, then, otherwise])),
        }
    }

    /// That one of the branches of a union matches.
    pub(super) fn choice(place: Place, mut branches: Vec<Test<'m>>, tags: Vec<&'m str>) -> Self {
        branches.retain(|branch| *branch != Test::Never);
        if branches.len() < 2 || branches.contains(&Test::Always) {
            return Test::any(branches);
        }
        Test::Choice(Choice { place, branches, tags })
    }

    /// That exactly one is true.
    pub(super) fn exactly_one(count: Count<'m>) -> Self {
        match count {
            Count::Of(only) => *only,
            Count::Zero => Test::Never,
            count => Test::ExactlyOne(count),
        }
    }
}

impl<'m> Count<'m> {
    /// How many of some tests are true.
    pub(super) fn of(tests: Vec<Test<'m>>) -> Self {
        let possible = tests.into_iter().filter(|test| *test != Test::Never);
        Count::sum(possible.map(|test| Count::Of(Box::new(test))).collect())
    }

    pub(super) fn sum(mut counts: Vec<Count<'m>>) -> Self {
        match counts.len() {
            0 => Count::Zero,
            1 => counts.pop().unwrap_or(Count::Zero),
            _ => Count::Sum(counts),
        }
    }
}

impl TextTest {
    /// The test, or [`Test::Always`] if it asserts nothing.
    pub(super) fn into_test<'m>(self) -> Test<'m> {
        let asserts = self.format.is_some() || self.has_length() || self.pattern.is_some();
        if self.is_certain && !asserts { Test::Always } else { Test::Text(self) }
    }

    /// Whether it limits the length.
    pub(crate) fn has_length(&self) -> bool {
        self.min_length > 0 || self.max_length.is_some()
    }
}

impl<'m> NumberTest<'m> {
    /// The test, or [`Test::Always`] if it asserts nothing.
    pub(super) fn into_test(self) -> Test<'m> {
        let asserts = self.ty.is_some() || !self.limits.is_empty() || self.multiple_of.is_some();
        if asserts { Test::Number(self) } else { Test::Always }
    }
}

impl<'m> PropertyTest<'m> {
    pub(super) fn into_test(self) -> Test<'m> {
        match &self.test {
            Test::Never if self.is_required => Test::Never,
            Test::Always if !self.is_required && !self.is_counted => Test::Always,
            _ => Test::Property(Box::new(self)),
        }
    }
}
