//! Conditions on values that are no arrays and objects.

use std::cmp::Ordering;

use capgen_schema::{Assertions, Format, Json, Number, Type, TypeSet};

use super::expr::{Expr, all, any, atom};
use super::helpers::Helper;
use super::output::Output;
use crate::typescript::literal;

/// Longer lists of values are looked up in a set.
pub(super) const FEW: usize = 8;

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
pub(super) fn listing(output: &mut Output, a: &Assertions, values: &[&Json], v: &str) -> Expr {
    let member = membership(output, values, v);
    match (&a.const_value, &a.enum_values) {
        (Some(_), Some(others)) => {
            let others: Vec<&Json> = others.iter().collect();
            all([membership(output, &others, v), member])
        }
        _ => member,
    }
}

fn fits(a: &Assertions, value: &Json) -> bool {
    let is_typed = a.types.is_none_or(|types| types.contains(value.type_of()));
    is_typed
        && match value {
            Json::Number(number) => bounds(a).all(|bound| bound.holds(number.as_f64())),
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
fn membership(output: &mut Output, values: &[&Json], v: &str) -> Expr {
    // Nothing equals a number that TypeScript cannot hold.
    let is_exact = |value: &&&Json| value.as_number().is_none_or(Number::is_representable);
    let scalars: Vec<&Json> = values.iter().filter(|value| is_scalar(value)).filter(is_exact).copied().collect();
    let others: Vec<&Json> = values.iter().filter(|value| !is_scalar(value)).copied().collect();
    let mut terms = Vec::new();
    if scalars.len() > FEW {
        terms.push(atom(format!("{}.has({v})", output.set(&scalars))));
    } else {
        let literals = scalars.iter().filter_map(|value| literal::primitive(value));
        terms.extend(literals.map(|literal| atom(format!("{v} === {literal}"))));
    }
    if !others.is_empty() {
        terms.push(atom(format!("{}({v}, {})", Helper::Among.name(), output.literals(&others))));
    }
    any(terms)
}

pub(super) fn is_scalar(value: &Json) -> bool {
    !matches!(value, Json::Array(_) | Json::Object(_))
}

/// That a value has one of the scalar types and meets what is asked of it.
pub(super) fn alternatives(output: &mut Output, a: &Assertions, types: TypeSet, v: &str) -> Vec<Expr> {
    let mut terms = Vec::new();
    if types.contains(Type::String) {
        terms.push(on_string(output, a, v));
    }
    if types.contains(Type::Integer) {
        let test = if types.contains(Type::Number) { "isFinite" } else { "isInteger" };
        terms.push(all(std::iter::once(atom(format!("Number.{test}({v})"))).chain(on_number(a, v))));
    }
    if types.contains(Type::Boolean) {
        terms.push(atom(format!("typeof {v} === \"boolean\"")));
    }
    if types.contains(Type::Null) {
        terms.push(atom(format!("{v} === null")));
    }
    terms
}

/// What a schema that allows every type asks of scalars.
pub(super) fn implications(output: &mut Output, a: &Assertions, v: &str) -> Vec<Expr> {
    let mut terms = Vec::new();
    if asks_strings(a) {
        terms.push(any([atom(format!("typeof {v} !== \"string\"")), on_string(output, a, v)]));
    }
    let on_number = all(on_number(a, v));
    if let Expr::Atom(_) | Expr::And(_) = on_number {
        terms.push(any([atom(format!("typeof {v} !== \"number\"")), on_number]));
    }
    terms
}

fn asks_strings(a: &Assertions) -> bool {
    a.min_length.is_some() || a.max_length.is_some() || a.format.is_some() || a.pattern.is_some()
}

/// Whether the length of texts is more than that they are empty or not.
fn bounds_length(a: &Assertions) -> bool {
    !matches!((a.min_length.unwrap_or(0), a.max_length), (0 | 1, None) | (0, Some(0)))
}

/// That a value is a text and meets what is asked of texts.
fn on_string(output: &mut Output, a: &Assertions, v: &str) -> Expr {
    let is_tested = a.format.is_some() || bounds_length(a);
    let test = if is_tested { Expr::True } else { atom(format!("typeof {v} === \"string\"")) };
    all([test, on_text(output, a, v)])
}

/// That a text meets what is asked of texts.
pub(super) fn on_text(output: &mut Output, a: &Assertions, v: &str) -> Expr {
    let mut terms = Vec::new();
    let least = a.min_length.unwrap_or(0);
    if let Some(format) = a.format {
        terms.push(atom(format!("{}({v})", helper_of(format).name())));
    }
    match (least, a.max_length) {
        (0, None) => {}
        (1, None) => terms.push(atom(format!("{v} !== \"\""))),
        (0, Some(0)) => terms.push(atom(format!("{v} === \"\""))),
        (_, most) => {
            let most = most.map(|most| format!(", {}", size(most))).unwrap_or_default();
            terms.push(atom(format!("{}({v}, {}{most})", Helper::Spans.name(), size(least))));
        }
    }
    if let Some(pattern) = &a.pattern {
        terms.push(atom(format!("{}.test({v})", output.pattern(pattern))));
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

/// A length as a number.
pub(super) fn size(size: u64) -> String {
    literal::number(&Number::from(size))
}

fn on_number(a: &Assertions, v: &str) -> impl Iterator<Item = Expr> {
    bounds(a).map(move |bound| atom(format!("{v} {} {}", bound.relation, bound.text())))
}

/// A bound that holds for the same binary64 numbers as the one of the contract, which may be none itself.
pub(super) struct Bound {
    pub(super) keyword: &'static str,
    relation: &'static str,
    limit: f64,
}

impl Bound {
    fn holds(&self, float: f64) -> bool {
        match self.relation {
            ">=" => float >= self.limit,
            "<=" => float <= self.limit,
            ">" => float > self.limit,
            _ => float < self.limit,
        }
    }

    pub(super) fn text(&self) -> String {
        literal::float(self.limit)
    }
}

pub(super) fn bounds(a: &Assertions) -> impl Iterator<Item = Bound> {
    let bounds = [
        ("minimum", ">=", &a.minimum),
        ("maximum", "<=", &a.maximum),
        ("exclusiveMinimum", ">", &a.exclusive_minimum),
        ("exclusiveMaximum", "<", &a.exclusive_maximum),
    ];
    bounds.into_iter().filter_map(|(keyword, relation, limit)| {
        let limit = limit.as_ref()?;
        let nearest = limit.as_f64();
        let limit = match (limit.compare_float(nearest), relation) {
            (Ordering::Less, ">=") | (Ordering::Less, "<") => nearest.next_up(),
            (Ordering::Greater, "<=") | (Ordering::Greater, ">") => nearest.next_down(),
            _ => nearest,
        };
        Some(Bound { keyword, relation, limit })
    })
}
