//! What a place's schemas assert beyond its type.
//!
//! A guard is either exact, or it hands the whole place to the interpreter; it never lets through what a schema refuses.

use capgen_schema::{Assertions, Kind, Number, Schema, Type as SchemaType, TypeSet};

use super::conj::{Conj, Facets, Sole, sole_assertion};
use crate::model::{Coverage, Guard, Shape, Type, TypeDef};

/// Integers up to here are binary64 numbers.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// How much of a place's schemas its type says: with the guard, all; or else `None`.
pub(super) type Exactly = Option<Guard>;

/// The guard of a place; `None` where it cannot be said by pointers either.
pub(super) fn or_whole(schema: &Schema, conj: &Conj, exactly: Exactly) -> Exactly {
    exactly.or_else(|| pointers(schema, conj).map(Guard::Whole))
}

/// What a definition with that conjunction covers.
pub(super) fn coverage(schema: &Schema, conj: &Conj, is_exact: bool) -> Coverage {
    Coverage { is_exact, pointers: pointers(schema, conj) }
}

/// The pointers of schemas that together say what a conjunction says.
fn pointers(schema: &Schema, conj: &Conj) -> Option<Vec<String>> {
    let is_plain = conj.forbidden.is_empty() && conj.atoms.iter().all(|a| !a.without_one_of && !a.without_any_of);
    is_plain.then(|| conj.atoms.iter().map(|atom| schema.node(atom.node).pointer.clone()).collect())
}

/// Whether a conjunction that comes down to one reference, or to anything, says nothing more.
pub(super) fn is_plain(schema: &Schema, conj: &Conj) -> bool {
    let mut stack = conj.atoms.clone();
    let mut seen = std::collections::HashSet::new();
    while let Some(atom) = stack.pop() {
        if !seen.insert(atom.node) {
            continue;
        }
        let Kind::Assertions(group) = &schema.node(atom.node).kind else { continue };
        let says_more = |keyword: &str| match keyword {
            "type" | "allOf" => false,
            "oneOf" => !atom.without_one_of,
            "anyOf" => !atom.without_any_of,
            _ => true,
        };
        if group.keywords().any(says_more) {
            return false;
        }
        stack.extend(group.all_of.iter().flatten().copied().map(super::conj::Atom::new));
    }
    true
}

/// Whether types say all that the unions of a place and its `not` say.
pub(super) fn is_told(schema: &Schema, facets: &Facets<'_>) -> bool {
    facets.unions.is_empty() && !has_other_not(schema, facets)
}

/// Whether the listed values of a place are all that is said of it.
pub(super) fn only_lists(schema: &Schema, facets: &Facets<'_>) -> bool {
    let lists = |keyword: &str| matches!(keyword, "type" | "enum" | "const" | "not" | "oneOf" | "anyOf" | "allOf");
    is_told(schema, facets)
        && facets.forbidden.is_empty()
        && facets.groups.iter().all(|group| group.keywords().all(lists))
}

/// The guard of a place whose type is scalar.
pub(super) fn scalar(schema: &Schema, facets: &Facets<'_>, ty: &Type) -> Exactly {
    if !is_told(schema, facets) || facets.values.is_some() {
        return None;
    }
    let ty = if let Type::Nullable(inner) = ty { inner } else { ty };
    match ty {
        Type::String => text(facets),
        Type::Integer { .. } => integer(facets),
        Type::Number => number(facets),
        Type::Null | Type::Boolean | Type::Never => Some(Guard::None),
        _ => None,
    }
}

/// The guard of an array whose items have a guard.
pub(super) fn array(schema: &Schema, facets: &Facets<'_>, types: &[TypeDef], item: &Type, guard: Guard) -> Exactly {
    let unique = facets.groups.iter().any(|group| group.unique_items);
    if (unique && !tells_apart(types, item)) || !is_told(schema, facets) {
        return None;
    }
    Some(if unique || guard != Guard::None { Guard::Items { unique, item: Box::new(guard) } } else { Guard::None })
}

/// Whether two values of the type are equal in Rust where they are equal in JSON, and can be hashed.
fn tells_apart(types: &[TypeDef], item: &Type) -> bool {
    match item {
        Type::String | Type::Integer { .. } | Type::Boolean | Type::Null => true,
        Type::Nullable(inner) => tells_apart(types, inner),
        Type::Named { id, .. } => types.get(id.0).is_some_and(|def| matches!(def.shape, Shape::Enum(_))),
        _ => false,
    }
}

/// Whether a `not` says what types do not.
fn has_other_not(schema: &Schema, facets: &Facets<'_>) -> bool {
    let only_objects = facets.types == TypeSet::EMPTY.with(SchemaType::Object);
    if !facets.forbidden.is_empty() && !only_objects {
        return true;
    }
    facets.groups.iter().filter_map(|group| group.not).any(|not| match &schema.node(not).kind {
        Kind::Bool(_) => false,
        Kind::Ref(_) => true,
        Kind::Assertions(group) => match sole_assertion(group) {
            Some(Sole::Nothing) => false,
            Some(Sole::Types(types)) => types.contains(SchemaType::Integer) && !types.contains(SchemaType::Number),
            Some(Sole::Values(_)) => facets.values.is_none(),
            Some(Sole::Required(name)) => !facets.forbidden.iter().any(|forbidden| forbidden == name),
            None => true,
        },
    })
}

fn text(facets: &Facets<'_>) -> Exactly {
    let min = facets.groups.iter().filter_map(|group| group.min_length).max().unwrap_or(0);
    let max = facets.groups.iter().filter_map(|group| group.max_length).min();
    let pattern = sole(facets.groups.iter().filter_map(|group| group.pattern.as_ref()).map(|p| p.source().to_owned()))?;
    let format = sole(facets.groups.iter().filter_map(|group| group.format))?;
    let is_any = min == 0 && max.is_none() && pattern.is_none() && format.is_none();
    Some(if is_any { Guard::None } else { Guard::Text { min, max, pattern, format } })
}

/// The one value of all, if there is any; `None` where there are two.
fn sole<T: PartialEq>(mut values: impl Iterator<Item = T>) -> Option<Option<T>> {
    let Some(first) = values.next() else { return Some(None) };
    values.all(|value| value == first).then_some(Some(first))
}

/// A bound, whether it is a lower one, and whether it is exclusive.
fn bounds<'a>(facets: &Facets<'a>) -> impl Iterator<Item = (&'a Number, bool, bool)> {
    let of = |group: &'a Assertions| {
        [
            group.minimum.as_ref().map(|limit| (limit, true, false)),
            group.maximum.as_ref().map(|limit| (limit, false, false)),
            group.exclusive_minimum.as_ref().map(|limit| (limit, true, true)),
            group.exclusive_maximum.as_ref().map(|limit| (limit, false, true)),
        ]
    };
    facets.groups.iter().copied().flat_map(of).flatten()
}

fn integer(facets: &Facets<'_>) -> Exactly {
    let (mut min, mut max): (Option<i128>, Option<i128>) = (None, None);
    for (limit, is_lower, is_exclusive) in bounds(facets) {
        if is_exclusive && !is_binary64(limit) {
            return None;
        }
        let (floor, is_whole) = floor(limit)?;
        let step = i128::from(is_whole && is_exclusive);
        if is_lower {
            let least = if is_whole { floor.checked_add(step)? } else { floor.checked_add(1)? };
            min = Some(min.map_or(least, |min| min.max(least)));
        } else {
            let most = floor.checked_sub(step)?;
            max = Some(max.map_or(most, |max| max.min(most)));
        }
    }
    Some(if min.is_none() && max.is_none() { Guard::None } else { Guard::Integer { min, max } })
}

/// The greatest integer that is not above a number, and whether it is the number itself.
fn floor(number: &Number) -> Option<(i128, bool)> {
    let text = number.to_string();
    if number.is_integer() {
        return text.parse().ok().map(|integer| (integer, true));
    }
    let (whole, fraction) = text.split_once('.')?;
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let toward_zero: i128 = if whole == "-0" { 0 } else { whole.parse().ok()? };
    Some((toward_zero - i128::from(number.is_negative()), false))
}

/// Whether an integer and the binary64 next to it are one: then it is no matter by which a payload gives it.
fn is_binary64(number: &Number) -> bool {
    let float = number.as_f64();
    float.abs() < EXACT || Number::exact(float).is_some_and(|exact| exact == *number)
}

fn number(facets: &Facets<'_>) -> Exactly {
    let (mut min, mut max) = (f64::NEG_INFINITY, f64::INFINITY);
    for (limit, is_lower, is_exclusive) in bounds(facets) {
        if !is_binary64(limit) {
            return None;
        }
        let nearest = limit.as_f64();
        let order = limit.compare_float(nearest);
        if is_lower {
            let holds = if is_exclusive { order.is_gt() } else { order.is_ge() };
            min = min.max(if holds { nearest } else { nearest.next_up() });
        } else {
            let holds = if is_exclusive { order.is_lt() } else { order.is_le() };
            max = max.min(if holds { nearest } else { nearest.next_down() });
        }
    }
    let is_any = min == f64::NEG_INFINITY && max == f64::INFINITY;
    Some(if is_any { Guard::None } else { Guard::Number { min, max } })
}
