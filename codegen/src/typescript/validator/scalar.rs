//! Conditions on values that are neither arrays nor objects.

use std::cmp::Ordering;

use capgen_schema::{Format, Json, Number, Type as JsonType, TypeSet};

use super::Helper;
use super::condition::{all, any, has_type, is_null};
use super::internal::Internals;
use crate::model::check::{Bound, Rules};
use crate::typescript::syntax::{BinaryOperator, Expression, Literal, Local};

/// Values of longer lists are looked up in a set.
pub(super) const FEW: usize = 8;

/// The values of `const`, or else of `enum`, that the other keywords on scalars accept; `None` without these keywords.
pub(super) fn listed<'m>(rules: &Rules<'m>) -> Option<Vec<&'m Json>> {
    let values: Vec<&Json> = match (rules.const_value, rules.enum_values) {
        (Some(value), _) => vec![value],
        (None, Some(values)) => values.iter().collect(),
        (None, None) => return None,
    };
    Some(values.into_iter().filter(|value| fits(rules, value)).collect())
}

/// That a value is one of `values`, which are [listed], and also in `enum` if there is a `const`.
pub(super) fn is_listed(internals: &mut Internals, rules: &Rules<'_>, values: &[&Json], local: Local) -> Expression {
    let is_value = is_one_of(internals, values, local);
    match (rules.const_value, rules.enum_values) {
        (Some(_), Some(others)) => {
            let others: Vec<&Json> = others.iter().collect();
            all([is_one_of(internals, &others, local), is_value])
        }
        _ => is_value,
    }
}

fn fits(rules: &Rules<'_>, value: &Json) -> bool {
    let has_type = rules.types.is_none_or(|types| types.contains(value.type_of()));
    has_type
        && match value {
            Json::Number(number) => {
                limits(rules).all(|limit| limit.accepts(number.as_f64()))
                    && rules.multiple_of.is_none_or(|divisor| number.is_multiple_of(divisor))
            }
            Json::String(text) => {
                let length = text.chars().count() as u64;
                rules.min_length.is_none_or(|limit| length >= limit)
                    && rules.max_length.is_none_or(|limit| length <= limit)
                    && rules.pattern.is_none_or(|pattern| pattern.is_match(text) == Ok(true))
                    && rules.format.is_none_or(|format| format.accepts(text))
            }
            _ => true,
        }
}

fn is_one_of(internals: &mut Internals, values: &[&Json], local: Local) -> Expression {
    // Nothing equals a number that JavaScript cannot represent.
    let can_equal = |value: &&&Json| value.as_number().is_none_or(Number::is_representable);
    let scalars: Vec<&Json> = values.iter().filter(|value| is_scalar(value)).filter(can_equal).copied().collect();
    let others: Vec<&Json> = values.iter().filter(|value| !is_scalar(value)).copied().collect();
    let mut terms = Vec::new();
    if scalars.len() > FEW {
        terms.push(internals.set(&scalars).method("has", vec![local.into()]));
    } else {
        let literals = scalars.iter().filter_map(|value| Literal::of(value));
        terms.extend(literals.map(|literal| Expression::from(local).equals(Expression::Literal(literal))));
    }
    if !others.is_empty() {
        terms.push(Helper::Among.call(vec![local.into(), internals.literals(&others)]));
    }
    any(terms)
}

pub(super) fn is_scalar(value: &Json) -> bool {
    !matches!(value, Json::Array(_) | Json::Object(_))
}

/// For each scalar type, that a value has it and meets the assertions about it.
pub(super) fn alternatives(
    internals: &mut Internals,
    rules: &Rules<'_>,
    types: TypeSet,
    local: Local,
) -> Vec<Expression> {
    let mut terms = Vec::new();
    if types.contains(JsonType::String) {
        terms.push(is_text(internals, rules, local));
    }
    if types.contains(JsonType::Integer) {
        let test = if types.contains(JsonType::Number) { "isFinite" } else { "isInteger" };
        let is_number = Expression::library("Number", test, vec![local.into()]);
        terms.push(all(std::iter::once(is_number).chain(of_number(rules, local))));
    }
    if types.contains(JsonType::Boolean) {
        terms.push(has_type(local, "boolean"));
    }
    if types.contains(JsonType::Null) {
        terms.push(is_null(local));
    }
    terms
}

/// The assertions about scalars of a check that accepts every type.
pub(super) fn implications(internals: &mut Internals, rules: &Rules<'_>, local: Local) -> Vec<Expression> {
    let has_other_type = |name| Expression::from(local).type_of().differs(Expression::string(name));
    let mut terms = Vec::new();
    if rules.asserts_strings() {
        terms.push(any([has_other_type("string"), is_text(internals, rules, local)]));
    }
    if rules.asserts_numbers() {
        terms.push(any([has_other_type("number"), all(of_number(rules, local))]));
    }
    terms
}

/// Whether the length of a text is compared with more than zero.
fn limits_length(rules: &Rules<'_>) -> bool {
    !matches!((rules.min_length.unwrap_or(0), rules.max_length), (0 | 1, None) | (0, Some(0)))
}

/// That a value is a text and meets the assertions about texts.
fn is_text(internals: &mut Internals, rules: &Rules<'_>, local: Local) -> Expression {
    // The helpers for formats and lengths test the type themselves.
    let is_tested = rules.format.is_some() || limits_length(rules);
    let is_text = if is_tested { Expression::TRUE } else { has_type(local, "string") };
    all([is_text, of_text(internals, rules, local)])
}

/// That a text meets the assertions about texts.
pub(super) fn of_text(internals: &mut Internals, rules: &Rules<'_>, local: Local) -> Expression {
    let mut terms = Vec::new();
    let value = || Expression::from(local);
    if let Some(format) = rules.format {
        terms.push(helper_of(format).call(vec![value()]));
    }
    match (rules.min_length.unwrap_or(0), rules.max_length) {
        (0, None) => {}
        (1, None) => terms.push(value().differs(Expression::string(""))),
        (0, Some(0)) => terms.push(value().equals(Expression::string(""))),
        (least, most) => {
            let limits = std::iter::once(least).chain(most).map(Expression::count);
            terms.push(Helper::Spans.call(std::iter::once(value()).chain(limits).collect()));
        }
    }
    if let Some(pattern) = rules.pattern {
        terms.push(internals.pattern(pattern).method("test", vec![value()]));
    }
    all(terms)
}

pub(super) fn helper_of(format: Format) -> Helper {
    match format {
        Format::Uuid => Helper::Uuid,
        Format::Email => Helper::Email,
        Format::Uri => Helper::Uri,
        Format::UriReference => Helper::UriReference,
        Format::DateTime => Helper::DateTime,
    }
}

fn of_number(rules: &Rules<'_>, local: Local) -> impl Iterator<Item = Expression> {
    let value = move || Expression::from(local);
    let bounds = limits(rules).map(move |limit| value().binary(limit.operator(), Expression::number(limit.nearest)));
    bounds.chain(rules.multiple_of.map(|number| Helper::Multiple.call(vec![value(), divisor(number)])))
}

/// The value of `multipleOf`: as a text if it is not the shortest decimal of a binary64, so that it keeps its digits.
pub(super) fn divisor(number: &Number) -> Expression {
    if number.is_representable() {
        Expression::number(number.as_f64())
    } else {
        Expression::string(&number.to_string())
    }
}

/// A limit that accepts the same binary64 numbers as the one of the contract, which may not be a binary64 itself.
pub(super) struct Limit<'m> {
    pub(super) bound: Bound,
    /// As it is in the contract.
    pub(super) exact: &'m Number,
    pub(super) nearest: f64,
}

impl Limit<'_> {
    fn operator(&self) -> BinaryOperator {
        match self.bound {
            Bound::Minimum => BinaryOperator::GreaterOrEqual,
            Bound::Maximum => BinaryOperator::LessOrEqual,
            Bound::ExclusiveMinimum => BinaryOperator::Greater,
            Bound::ExclusiveMaximum => BinaryOperator::Less,
        }
    }

    fn accepts(&self, float: f64) -> bool {
        match self.bound {
            Bound::Minimum => float >= self.nearest,
            Bound::Maximum => float <= self.nearest,
            Bound::ExclusiveMinimum => float > self.nearest,
            Bound::ExclusiveMaximum => float < self.nearest,
        }
    }
}

pub(super) fn limits<'m>(rules: &Rules<'m>) -> impl Iterator<Item = Limit<'m>> {
    rules.limits.iter().map(|&(bound, exact)| {
        let nearest = exact.as_f64();
        // If the nearest binary64 is on the wrong side of the limit, its neighbour is the first on the right side.
        let nearest = match (exact.compare_float(nearest), bound) {
            (Ordering::Less, Bound::Minimum | Bound::ExclusiveMaximum) => nearest.next_up(),
            (Ordering::Greater, Bound::Maximum | Bound::ExclusiveMinimum) => nearest.next_down(),
            _ => nearest,
        };
        Limit { bound, exact, nearest }
    })
}
