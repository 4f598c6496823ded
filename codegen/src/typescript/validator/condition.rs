//! Conditions: `&&` and `||` of other expressions, kept flat and without constants.

use crate::typescript::syntax::{BinaryOperator, Expression, Literal, Local, Name};

/// That all are true.
pub(in crate::typescript) fn all(conditions: impl IntoIterator<Item = Expression>) -> Expression {
    let mut terms = Vec::new();
    for condition in conditions {
        match condition {
            Expression::TRUE => {}
            Expression::FALSE => return Expression::FALSE,
            Expression::And(inner) => terms.extend(inner),
            condition => terms.push(condition),
        }
    }
    single(terms, Expression::TRUE, Expression::And)
}

/// That one is true.
pub(in crate::typescript) fn any(conditions: impl IntoIterator<Item = Expression>) -> Expression {
    let mut terms = Vec::new();
    for condition in conditions {
        match condition {
            Expression::FALSE => {}
            Expression::TRUE => return Expression::TRUE,
            Expression::Or(inner) => terms.extend(inner),
            condition => terms.push(condition),
        }
    }
    single(terms, Expression::FALSE, Expression::Or)
}

fn single(mut terms: Vec<Expression>, none: Expression, many: fn(Vec<Expression>) -> Expression) -> Expression {
    match terms.len() {
        0 => none,
        1 => terms.pop().unwrap_or(none),
        _ => many(terms),
    }
}

/// The tests with which all conditions begin, and the rest of each condition.
pub(super) fn factor(conditions: Vec<Expression>) -> (Vec<Expression>, Vec<Expression>) {
    let terms = |condition| if let Expression::And(terms) = condition { terms } else { vec![condition] };
    let mut lists: Vec<Vec<Expression>> = conditions.into_iter().map(terms).collect();
    let Some((first, others)) = lists.split_first() else { return (Vec::new(), Vec::new()) };
    // A variable that is set here could be set again by a branch that then fails.
    let is_common =
        |(at, term): &(usize, &Expression)| !assigns(term) && others.iter().all(|list| list.get(*at) == Some(*term));
    let count = first.iter().enumerate().take_while(is_common).count();
    let common = first.iter().take(count).cloned().collect();
    for list in &mut lists {
        list.drain(..count);
    }
    (common, lists.into_iter().map(all).collect())
}

fn assigns(condition: &Expression) -> bool {
    condition.contains(&mut |e| matches!(e, Expression::Assign(..) | Expression::Count(..)))
}

/// Removes the start of the counter from a condition if nothing before it uses the counter, whose declaration can then
/// have this initial value.
pub(super) fn take_counter(condition: Expression) -> (Option<(Local, usize)>, Expression) {
    let Expression::And(mut terms) = condition else { return (None, condition) };
    let counter = terms.iter().enumerate().find_map(|(at, term)| match term {
        Expression::Count(size, start) => Some((at, *size, *start)),
        _ => None,
    });
    let is_first = |at: usize, size: Local| !terms.iter().take(at).any(|term| term.mentions(size));
    match counter.filter(|(at, size, _)| is_first(*at, *size)) {
        Some((at, size, start)) => {
            terms.remove(at);
            (Some((size, start)), all(terms))
        }
        None => (None, Expression::And(terms)),
    }
}

/// Whether the comparison of `value` with something is the first test of a condition.
pub(super) fn begins_by_comparing(condition: &Expression, value: &Expression) -> bool {
    match condition {
        Expression::Binary(left, BinaryOperator::Equal, _) => **left == *value,
        Expression::And(terms) | Expression::Or(terms) => {
            let first = terms.iter().find(|term| !matches!(term, Expression::Count(..)));
            first.is_some_and(|term| begins_by_comparing(term, value))
        }
        _ => false,
    }
}

/// `typeof local`.
fn is_type_of(expression: &Expression, local: Local) -> bool {
    matches!(expression, Expression::TypeOf(inner) if **inner == local.into())
}

fn is_call_of(expression: &Expression, object: &'static str, method: &str, local: Local) -> bool {
    *expression == Expression::library(object, method, vec![local.into()])
}

/// Whether the first test of a condition is false for `undefined`.
pub(super) fn rejects_undefined(condition: &Expression, local: Local) -> bool {
    match condition {
        _ if *condition == is_object(local) => true,
        Expression::Binary(left, BinaryOperator::Equal, _) => is_type_of(left, local),
        Expression::Call(..) => {
            is_call_of(condition, "Array", "isArray", local) || is_call_of(condition, "Number", "isFinite", local)
        }
        Expression::And(terms) => terms.first().is_some_and(|term| rejects_undefined(term, local)),
        Expression::Or(terms) => terms.iter().all(|term| rejects_undefined(term, local)),
        _ => false,
    }
}

/// That a value is a plain object, as `JSON.parse` returns. The first test accepts most of them without a call.
pub(super) fn is_object(local: Local) -> Expression {
    let constructor = Expression::OptionalMember(Box::new(local.into()), "constructor");
    any([constructor.equals(Expression::Name(Name::Global("Object"))), super::Helper::IsDict.call(vec![local.into()])])
}

pub(super) fn is_array(local: Local) -> Expression {
    Expression::library("Array", "isArray", vec![local.into()])
}

/// `typeof local === "string"`.
pub(super) fn has_type(local: Local, name: &str) -> Expression {
    Expression::from(local).type_of().equals(Expression::string(name))
}

pub(super) fn is_null(local: Local) -> Expression {
    Expression::from(local).equals(Expression::Literal(Literal::Null))
}
