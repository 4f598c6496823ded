//! Conditions on one value that take no statements.

use std::cmp::Ordering;

use capgen_schema::{Assertions, Format, Json, Number, Type, TypeSet};

use super::helpers::Helper;
use super::output::Output;
use crate::typescript::literal;

/// Longer lists of values are looked up in a set.
const FEW: usize = 8;

/// A condition on a value; each is an operand of `&&`.
pub(super) enum Condition {
    Always,
    Never,
    When(String),
}

/// The listed values that the other keywords on scalars leave, where values are listed; those of `const` where both list.
pub(super) fn listed(a: &Assertions) -> Option<Vec<&Json>> {
    let values: Vec<&Json> = match (&a.const_value, &a.enum_values) {
        (Some(value), _) => vec![value],
        (None, Some(values)) => values.iter().collect(),
        (None, None) => return None,
    };
    Some(values.into_iter().filter(|value| fits(a, value)).collect())
}

/// That a value is one of `values`, which are listed, and of the `enum` beside a `const`.
pub(super) fn listing(output: &mut Output, a: &Assertions, values: &[&Json], v: &str) -> Condition {
    let (Some(_), Some(others)) = (&a.const_value, &a.enum_values) else { return membership(output, values, v) };
    match membership(output, values, v) {
        Condition::When(first) => {
            let others: Vec<&Json> = others.iter().collect();
            let also = format!("{}({v}, {})", Helper::AnyEqual.name(), output.literals(&others));
            Condition::When(format!("{also} && {first}"))
        }
        condition => condition,
    }
}

fn fits(a: &Assertions, value: &Json) -> bool {
    let is_typed = a.types.is_none_or(|types| types.contains(value.type_of()));
    is_typed
        && match value {
            Json::Number(number) => bounds(a).into_iter().all(|(limit, sign, is_strict)| {
                let (float, bound) = (number.as_f64(), limit.as_f64());
                let is_beyond = if sign == '>' { float > bound } else { float < bound };
                is_beyond || (float.total_cmp(&bound).is_eq() && holds(limit, sign, is_strict))
            }),
            Json::String(text) => {
                let length = text.chars().count() as u64;
                a.min_length.is_none_or(|limit| length >= limit)
                    && a.max_length.is_none_or(|limit| length <= limit)
                    && a.pattern.as_ref().is_none_or(|pattern| pattern.is_match(text) == Ok(true))
                    && a.format.is_none_or(|format| format.accepts(text))
            }
            _ => true,
        }
}

/// That a value is one of a list.
pub(super) fn membership(output: &mut Output, values: &[&Json], v: &str) -> Condition {
    let is_scalar = |value: &&&Json| !matches!(value, Json::Array(_) | Json::Object(_));
    // Nothing equals a number that TypeScript cannot hold.
    let is_exact = |value: &&&Json| value.as_number().is_none_or(is_held);
    let scalars: Vec<&Json> = values.iter().filter(is_scalar).filter(is_exact).copied().collect();
    let others: Vec<&Json> = values.iter().filter(|value| !is_scalar(value)).copied().collect();
    let mut terms = Vec::new();
    if scalars.len() > FEW {
        terms.push(format!("{}.has({v})", output.set(&scalars)));
    } else {
        terms.extend(scalars.iter().filter_map(|value| Some(format!("{v} === {}", literal::primitive(value)?))));
    }
    if !others.is_empty() {
        terms.push(format!("{}({v}, {})", Helper::AnyEqual.name(), output.literals(&others)));
    }
    any(terms)
}

/// That one of several conditions holds, each of which may be a conjunction.
pub(super) fn any(mut terms: Vec<String>) -> Condition {
    match terms.len() {
        0 => Condition::Never,
        1 => Condition::When(terms.remove(0)),
        _ => Condition::When(format!("({})", terms.join(" || "))),
    }
}

/// The alternatives that the scalar types of a schema allow.
pub(super) fn alternatives(output: &mut Output, a: &Assertions, types: TypeSet, v: &str) -> Vec<String> {
    let mut terms = Vec::new();
    if types.contains(Type::String) {
        terms.push(join(format!("typeof {v} === \"string\""), on_string(output, a, v)));
    }
    if types.contains(Type::Integer) {
        let (mut conditions, is_bounded) = on_number(a, v);
        if !types.contains(Type::Number) {
            conditions.insert(0, format!("Number.isInteger({v})"));
        } else if !is_bounded {
            conditions.insert(0, format!("Number.isFinite({v})"));
        }
        terms.push(join(format!("typeof {v} === \"number\""), conditions));
    }
    if types.contains(Type::Boolean) {
        terms.push(format!("typeof {v} === \"boolean\""));
    }
    if types.contains(Type::Null) {
        terms.push(format!("{v} === null"));
    }
    terms
}

/// What a schema that allows every type asks of scalars.
pub(super) fn implications(output: &mut Output, a: &Assertions, v: &str) -> Vec<String> {
    let on_types = [("string", on_string(output, a, v)), ("number", on_number(a, v).0)];
    let asked = on_types.into_iter().filter(|(_, conditions)| !conditions.is_empty());
    asked.map(|(name, conditions)| format!("(typeof {v} !== \"{name}\" || ({}))", conditions.join(" && "))).collect()
}

fn join(first: String, conditions: Vec<String>) -> String {
    std::iter::once(first).chain(conditions).collect::<Vec<_>>().join(" && ")
}

fn on_string(output: &mut Output, a: &Assertions, v: &str) -> Vec<String> {
    let mut conditions = Vec::new();
    // A text has at most as many code points as UTF-16 units, and at least half as many.
    match a.min_length {
        None | Some(0) => {}
        Some(1) => conditions.push(format!("{v} !== \"\"")),
        Some(limit) => {
            let count = Helper::CodePoints.name();
            let plenty = limit.saturating_mul(2) - 1;
            conditions.push(format!("{v}.length >= {}", size(limit)));
            conditions.push(format!("({v}.length >= {} || {count}({v}) >= {})", size(plenty), size(limit)));
        }
    }
    match a.max_length {
        None => {}
        Some(0) => conditions.push(format!("{v} === \"\"")),
        Some(limit) => {
            let count = Helper::CodePoints.name();
            let most = size(limit.saturating_mul(2));
            let limit = size(limit);
            conditions.push(format!("({v}.length <= {limit} || ({v}.length <= {most} && {count}({v}) <= {limit}))"));
        }
    }
    if let Some(format) = a.format {
        conditions.push(format!("{}({v})", helper_of(format).name()));
    }
    if let Some(pattern) = &a.pattern {
        conditions.push(format!("{}.test({v})", output.pattern(pattern)));
    }
    conditions
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

/// A length as a number.
pub(super) fn size(size: u64) -> String {
    literal::number(&Number::from(size))
}

/// The bounds, and whether they keep infinities and NaN out.
fn on_number(a: &Assertions, v: &str) -> (Vec<String>, bool) {
    let conditions = bounds(a).into_iter().map(|(limit, sign, is_strict)| {
        let equals = if holds(limit, sign, is_strict) { "=" } else { "" };
        format!("{v} {sign}{equals} {}", literal::number(limit))
    });
    let low = a.minimum.is_some() || a.exclusive_minimum.is_some();
    let high = a.maximum.is_some() || a.exclusive_maximum.is_some();
    (conditions.collect(), low && high)
}

/// The bounds, each with the sign of what is beyond it and whether it is itself out.
fn bounds(a: &Assertions) -> Vec<(&Number, char, bool)> {
    let bounds = [
        (&a.minimum, '>', false),
        (&a.exclusive_minimum, '>', true),
        (&a.maximum, '<', false),
        (&a.exclusive_maximum, '<', true),
    ];
    bounds.into_iter().filter_map(|(limit, sign, is_strict)| Some((limit.as_ref()?, sign, is_strict))).collect()
}

/// Whether some binary64 equals a number of a contract.
pub(super) fn is_held(number: &Number) -> bool {
    number.compare_float(number.as_f64()).is_eq()
}

/// Whether the binary64 nearest to a bound is within it.
pub(super) fn holds(limit: &Number, sign: char, is_strict: bool) -> bool {
    match limit.compare_float(limit.as_f64()) {
        Ordering::Equal => !is_strict,
        Ordering::Less => sign == '<',
        Ordering::Greater => sign == '>',
    }
}
