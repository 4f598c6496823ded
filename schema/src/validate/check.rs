//! The keywords that look at one value and need no other schema.

use std::ops::ControlFlow;

use serde_json::Value;

use super::compile::{Bound, Checks, Literals};
use super::number::compare;
use super::value::{equal, hash_text, repeated, type_of};
use crate::{Format, Json, Number, Pattern, TypeSet};

/// What a value does not fulfil.
#[derive(Clone, Copy, Debug)]
pub(super) enum Failure<'p> {
    Type(TypeSet),
    Enum(&'p Literals),
    Const(&'p Json),
    Bound(Bound, &'p Number),
    MinLength(u64),
    MaxLength(u64),
    Pattern(&'p Pattern),
    StepLimit(&'p Pattern),
    Format(Format),
    MinItems(u64),
    MaxItems(u64),
    UniqueItems(usize, usize),
    Required(&'p str),
}

/// Reports every failure of `value` until told to stop. After a `type` failure there is no other.
pub(super) fn check<'p>(
    checks: &'p Checks,
    value: &Value,
    report: &mut impl FnMut(Failure<'p>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if checks.types != TypeSet::ALL && !checks.types.contains(type_of(value)) {
        report(Failure::Type(checks.types))?;
        return ControlFlow::Break(());
    }
    if let Some(literals) = &checks.enum_values
        && !literals.contain(value)
    {
        report(Failure::Enum(literals))?;
    }
    if let Some(literal) = &checks.const_value
        && !equal(value, literal)
    {
        report(Failure::Const(literal))?;
    }
    match value {
        Value::Number(number) => {
            let broken = checks.bounds.iter().filter(|(bound, limit)| !bound.holds(compare(number, limit)));
            broken.map(|(bound, limit)| Failure::Bound(*bound, limit)).try_for_each(report)
        }
        Value::String(text) => check_string(checks, text, report),
        Value::Array(items) => check_array(checks, items, report),
        Value::Object(members) => {
            let missing = checks.required.iter().filter(|name| !members.contains_key(name.as_str()));
            missing.map(|name| Failure::Required(name)).try_for_each(report)
        }
        Value::Null | Value::Bool(_) => ControlFlow::Continue(()),
    }
}

fn check_string<'p>(
    checks: &'p Checks,
    text: &str,
    report: &mut impl FnMut(Failure<'p>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if checks.min_length.is_some() || checks.max_length.is_some() {
        let length = text.chars().count() as u64;
        if let Some(limit) = checks.min_length.filter(|limit| length < *limit) {
            report(Failure::MinLength(limit))?;
        }
        if let Some(limit) = checks.max_length.filter(|limit| length > *limit) {
            report(Failure::MaxLength(limit))?;
        }
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
        _ => ControlFlow::Continue(()),
    }
}

fn check_array<'p>(
    checks: &'p Checks,
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
    match checks.unique_items.then(|| repeated(items)).flatten() {
        Some((first, second)) => report(Failure::UniqueItems(first, second)),
        None => ControlFlow::Continue(()),
    }
}

impl Bound {
    /// Whether a number that compares so with the limit is within it.
    fn holds(self, ordering: std::cmp::Ordering) -> bool {
        match self {
            Bound::Minimum => ordering.is_ge(),
            Bound::Maximum => ordering.is_le(),
            Bound::ExclusiveMinimum => ordering.is_gt(),
            Bound::ExclusiveMaximum => ordering.is_lt(),
        }
    }
}

impl Literals {
    fn contain(&self, value: &Value) -> bool {
        match &self.index {
            Some(index) => {
                let mut candidates = index.get(&hash_text(value)).into_iter().flatten();
                candidates.any(|&index| self.values.get(index).is_some_and(|literal| equal(value, literal)))
            }
            None => self.values.iter().any(|literal| equal(value, literal)),
        }
    }
}
