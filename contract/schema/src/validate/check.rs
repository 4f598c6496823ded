//! The assertions that need no subschema: types, literals, numbers, strings, sizes and required names.
//!
//! Each check calls `report` for each failure. The verdict stops at the first one; the list of violations continues.

use std::ops::ControlFlow;

use serde_json::{Map, Value};

use super::literal::Literals;
use super::number::{compare, is_multiple};
use super::program::{ArrayChecks, Bound, Checks, NumberCheck, ObjectChecks, StringChecks};
use super::value::{has_type, repeated};
use crate::exact::Digits;
use crate::{Format, Json, Number, Pattern, TypeSet};

/// An assertion that a value fails.
#[derive(Clone, Copy, Debug)]
pub(super) enum Failure<'p> {
    Type(TypeSet),
    Enum(&'p Literals),
    Const(&'p Json),
    Bound(Bound, &'p Number),
    MultipleOf(&'p Number),
    MinLength(u64),
    MaxLength(u64),
    Pattern(&'p Pattern),
    StepLimit(&'p Pattern),
    Format(Format),
    MinItems(u64),
    MaxItems(u64),
    UniqueItems(usize, usize),
    MinProperties(u64),
    MaxProperties(u64),
    Required(&'p str),
    /// A property that another one requires.
    DependentRequired(&'p str, &'p str),
    /// A property whose values distinguish the branches of a union.
    RequiredTag(&'p str, &'p Literals),
}

impl<'p> Failure<'p> {
    /// The name of the property that is missing.
    pub(super) fn missing(self) -> Option<&'p str> {
        match self {
            Failure::Required(name) | Failure::RequiredTag(name, _) | Failure::DependentRequired(name, _) => Some(name),
            _ => None,
        }
    }
}

/// Reports the failures of `value` until `report` breaks. A value of the wrong type has no other failure.
pub(super) fn check<'p>(
    checks: &'p Checks,
    value: &Value,
    digits: Digits<'_>,
    report: &mut impl FnMut(Failure<'p>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if !has_type(value, checks.types, digits) {
        report(Failure::Type(checks.types))?;
        return ControlFlow::Break(());
    }
    check_literals(checks, value, digits, report)?;
    match value {
        Value::Number(number) => check_number(checks, number, digits, report),
        Value::String(text) => checks.strings.as_ref().map_or(CONTINUE, |strings| check_string(strings, text, report)),
        Value::Array(items) => {
            checks.arrays.as_ref().map_or(CONTINUE, |arrays| check_array(arrays, items, digits, report))
        }
        Value::Object(members) => {
            let Some(objects) = &checks.objects else { return CONTINUE };
            check_count(objects, members.len(), report)?;
            let missing = objects.required.iter().filter(|name| !members.contains_key(name.as_str()));
            missing.map(|name| Failure::Required(name)).try_for_each(&mut *report)?;
            check_dependent(objects, members, report)
        }
        Value::Null | Value::Bool(_) => CONTINUE,
    }
}

const CONTINUE: ControlFlow<()> = ControlFlow::Continue(());

/// `enum` and `const`.
#[inline]
pub(super) fn check_literals<'p>(
    checks: &'p Checks,
    value: &Value,
    digits: Digits<'_>,
    report: &mut impl FnMut(Failure<'p>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if let Some(literals) = &checks.enum_values
        && !literals.contain(value, digits)
    {
        report(Failure::Enum(literals))?;
    }
    if let Some(literals) = &checks.const_value
        && !literals.contain(value, digits)
    {
        literals.values().first().map(Failure::Const).into_iter().try_for_each(report)?;
    }
    CONTINUE
}

#[inline]
pub(super) fn check_number<'p>(
    checks: &'p Checks,
    number: &serde_json::Number,
    digits: Digits<'_>,
    report: &mut impl FnMut(Failure<'p>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let failure = |check: &'p NumberCheck| match check {
        NumberCheck::Bound(bound, limit) => {
            (!bound.is_satisfied(compare(number, limit, digits))).then_some(Failure::Bound(*bound, limit))
        }
        NumberCheck::MultipleOf(divisor) => {
            (!is_multiple(number, divisor, digits)).then_some(Failure::MultipleOf(divisor.number()))
        }
    };
    checks.numbers.iter().filter_map(failure).try_for_each(report)
}

#[inline]
pub(super) fn check_string<'p>(
    checks: &'p StringChecks,
    text: &str,
    report: &mut impl FnMut(Failure<'p>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if let Some(limit) = checks.min_length.filter(|limit| is_shorter(text, *limit)) {
        report(Failure::MinLength(limit))?;
    }
    if let Some(limit) = checks.max_length.filter(|limit| is_longer(text, *limit)) {
        report(Failure::MaxLength(limit))?;
    }
    if let Some(pattern) = &checks.pattern {
        match pattern.is_match(text) {
            Ok(true) => {}
            Ok(false) => report(Failure::Pattern(pattern))?,
            Err(_) => report(Failure::StepLimit(pattern))?,
        }
    }
    match checks.format {
        Some(format) if !format.accepts(text) => report(Failure::Format(format)),
        _ => CONTINUE,
    }
}

/// Whether the assertions about names allow one.
pub(super) fn allows_name(checks: &StringChecks, name: &str) -> bool {
    check_string(checks, name, &mut |_| ControlFlow::Break(())).is_continue()
}

/// Whether `text` has fewer than `limit` code points. A code point has one to four bytes, so the number of bytes
/// usually decides without counting.
fn is_shorter(text: &str, limit: u64) -> bool {
    let bytes = text.len() as u64;
    bytes < limit || (bytes.div_ceil(4) < limit && (text.chars().count() as u64) < limit)
}

/// Whether `text` has more than `limit` code points.
fn is_longer(text: &str, limit: u64) -> bool {
    let bytes = text.len() as u64;
    bytes > limit && (bytes.div_ceil(4) > limit || text.chars().count() as u64 > limit)
}

#[inline]
pub(super) fn check_array<'p>(
    checks: &'p ArrayChecks,
    items: &[Value],
    digits: Digits<'_>,
    report: &mut impl FnMut(Failure<'p>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    check_size(checks, items, report)?;
    match checks.unique_items.then(|| repeated(items, digits)).flatten() {
        Some((first, second)) => report(Failure::UniqueItems(first, second)),
        None => CONTINUE,
    }
}

/// `minItems` and `maxItems`. Separate from `uniqueItems`, which needs a payload of limited depth.
#[inline]
pub(super) fn check_size<'p>(
    checks: &'p ArrayChecks,
    items: &[Value],
    report: &mut impl FnMut(Failure<'p>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let count = items.len() as u64;
    if let Some(limit) = checks.min_items.filter(|limit| count < *limit) {
        report(Failure::MinItems(limit))?;
    }
    if let Some(limit) = checks.max_items.filter(|limit| count > *limit) {
        report(Failure::MaxItems(limit))?;
    }
    CONTINUE
}

/// `minProperties` and `maxProperties`.
#[inline]
pub(super) fn check_count<'p>(
    checks: &ObjectChecks,
    count: usize,
    report: &mut impl FnMut(Failure<'p>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let count = count as u64;
    if let Some(limit) = checks.min_properties.filter(|limit| count < *limit) {
        report(Failure::MinProperties(limit))?;
    }
    if let Some(limit) = checks.max_properties.filter(|limit| count > *limit) {
        report(Failure::MaxProperties(limit))?;
    }
    CONTINUE
}

/// `dependentRequired`.
pub(super) fn check_dependent<'p>(
    checks: &'p ObjectChecks,
    members: &Map<String, Value>,
    report: &mut impl FnMut(Failure<'p>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for (name, required) in checks.dependent.iter().filter(|(name, _)| members.contains_key(name.as_str())) {
        let missing = required.iter().filter(|other| !members.contains_key(other.as_str()));
        missing.map(|other| Failure::DependentRequired(other, name)).try_for_each(&mut *report)?;
    }
    CONTINUE
}

impl Bound {
    /// Whether a number satisfies the bound, by the result of comparing it with the limit.
    fn is_satisfied(self, ordering: std::cmp::Ordering) -> bool {
        match self {
            Bound::Minimum => ordering.is_ge(),
            Bound::Maximum => ordering.is_le(),
            Bound::ExclusiveMinimum => ordering.is_gt(),
            Bound::ExclusiveMaximum => ordering.is_lt(),
        }
    }
}
