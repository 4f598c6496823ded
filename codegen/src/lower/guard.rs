//! The checks that a place needs beyond its type.
//!
//! With its guard, a type accepts the same values as the schemas of its place. If no guard can do that, the interpreter
//! checks the whole place.

use std::cmp::Ordering;

use capgen_schema::analysis::conjunction::{Conjunction, Term};
use capgen_schema::analysis::facets::{Facets, Limits};
use capgen_schema::{Number, Schema, Type as SchemaType, TypeSet};

use crate::model::{Coverage, Field, Guard, NumberLimit, Record, Rest, Shape, Type, TypeDef};

/// The guard with which a type accepts the same values as the schemas of its place; `None` if there is no such guard.
pub(super) type ExactGuard = Option<Guard>;

/// The exact guard, or else one that leaves the place to the interpreter; `None` if no pointers identify the schemas,
/// so that only a type around this place can be checked.
pub(super) fn or_interpreted(schema: &Schema, conjunction: &Conjunction, guard: ExactGuard) -> ExactGuard {
    guard.or_else(|| pointers(schema, conjunction).map(Guard::Interpreted))
}

/// The coverage of a definition for this conjunction.
pub(super) fn coverage(schema: &Schema, conjunction: &Conjunction, is_exact: bool) -> Coverage {
    Coverage { is_exact, pointers: pointers(schema, conjunction), is_partial: false }
}

/// The most bytes of the pointers that generated code contains for one place. A type around a place with longer
/// pointers checks the place: the pointers of all places could be as large as the square of the schema.
const MAX_POINTERS: usize = 1024;

/// The pointers of the schemas of a conjunction; `None` if no subschemas of the contract are together equivalent to it,
/// or if the pointers are too long.
fn pointers(schema: &Schema, conjunction: &Conjunction) -> Option<Vec<String>> {
    let (partial, whole): (Vec<&Term>, Vec<&Term>) =
        conjunction.terms.iter().partition(|term| term.without_one_of || term.without_any_of);
    let pointer = |term: &Term| schema.node(term.node).pointer.clone();
    let is_equivalent = conjunction.forbidden.is_empty() && partial.iter().all(|term| is_implied(schema, term, &whole));
    let length: usize = whole.iter().map(|term| schema.node(term.node).pointer.len()).sum();
    (is_equivalent && !whole.is_empty() && length <= MAX_POINTERS).then(|| whole.into_iter().map(pointer).collect())
}

/// Whether a subschema, apart from the unions that the term leaves out, asserts nothing that the other subschemas do
/// not: at most the `type` that one of them has too.
fn is_implied(schema: &Schema, term: &Term, others: &[&Term]) -> bool {
    let Some(assertions) = schema.assertions(term.node) else { return false };
    let is_left_out = |keyword: &str| match keyword {
        "oneOf" => term.without_one_of,
        "anyOf" => term.without_any_of,
        _ => false,
    };
    let is_within = |types: TypeSet| {
        let own = others.iter().filter_map(|other| schema.assertions(other.node)?.types);
        own.into_iter().any(|own| own.iter().all(|t| types.contains(t)))
    };
    assertions
        .keywords()
        .all(|keyword| is_left_out(keyword) || (keyword == "type" && assertions.types.is_some_and(is_within)))
}

/// Whether types can express every union, negation and condition of a place.
pub(super) fn is_expressible(facets: &Facets<'_>) -> bool {
    facets.unions.is_empty() && !has_other_negation(facets) && !facets.has_conditions()
}

/// Whether a place asserts nothing beyond its list of values.
pub(super) fn asserts_only_values(facets: &Facets<'_>) -> bool {
    // The values have already been checked against these keywords.
    let lists = |keyword: &str| matches!(keyword, "type" | "enum" | "const" | "not" | "oneOf" | "anyOf" | "allOf");
    is_expressible(facets)
        && facets.forbidden.is_empty()
        && facets.groups.iter().all(|group| group.keywords().all(lists))
}

/// The guard of a place whose type is scalar.
pub(super) fn scalar(facets: &Facets<'_>, ty: &Type) -> ExactGuard {
    if !is_expressible(facets) || facets.values.is_some() {
        return None;
    }
    let ty = if let Type::Nullable(inner) = ty { inner } else { ty };
    match ty {
        Type::String => text(facets),
        Type::Integer { .. } => multiple_of(facets, integer(facets)?, true),
        Type::Number => multiple_of(facets, number(facets)?, false),
        Type::Null | Type::Boolean | Type::Never => Some(Guard::None),
        _ => None,
    }
}

/// The guard of an array whose items have a guard.
pub(super) fn array(facets: &Facets<'_>, types: &[TypeDef], item: &Type, guard: Guard) -> ExactGuard {
    if facets.has_tuples() { None } else { list(facets, types, item, guard) }
}

/// The guard of an array whose items have a guard, if no other guard applies to some of them.
pub(super) fn list(facets: &Facets<'_>, types: &[TypeDef], item: &Type, guard: Guard) -> ExactGuard {
    let unique = facets.has_unique_items();
    if (unique && !has_json_equality(types, item)) || facets.has_contains() || !is_expressible(facets) {
        return None;
    }
    Some(if unique || guard != Guard::None { Guard::Items { unique, item: Box::new(guard) } } else { Guard::None })
}

/// The guard of a tuple whose items have guards: that of each position.
pub(super) fn tuple(facets: &Facets<'_>, ty: &Type, items: Vec<Guard>) -> ExactGuard {
    // Items of different types cannot be compared.
    if ty.fixed().is_none() || facets.has_unique_items() || facets.has_contains() || !is_expressible(facets) {
        return None;
    }
    Some(if items.iter().all(|item| *item == Guard::None) { Guard::None } else { Guard::Positions(items) })
}

/// The guard of a map whose values have a guard.
pub(super) fn map(facets: &Facets<'_>, values: Guard) -> ExactGuard {
    // A map cannot express that a property is forbidden.
    if !is_expressible(facets)
        || !facets.forbidden.is_empty()
        || !has_any_count(facets)
        || has_dependent(facets)
        || facets.has_patterns()
    {
        return None;
    }
    let values = if values == Guard::None { Guard::None } else { Guard::Values(Box::new(values)) };
    Some(match text(&facets.names())? {
        Guard::None => values,
        name => Guard::Names { name: Box::new(name), values: Box::new(values) },
    })
}

/// The guard of a record: no type and no other guard expresses which of its undeclared properties have a valid name,
/// how many there are, and which properties require others.
pub(super) fn record(facets: &Facets<'_>, record: &Record) -> ExactGuard {
    let are_names_known = matches!(record.rest, Rest::Closed);
    let allows = |field: &Field| facets.groups.iter().all(|group| group.allows_name(&field.name));
    let has_names = facets.groups.iter().any(|group| group.property_names.is_some());
    let is_exact = !has_names || (are_names_known && record.fields.iter().all(allows));
    let counts = facets.property_counts();
    let required = record.fields.iter().filter(|field| field.required).count() as u64;
    let is_counted =
        counts.min <= required && counts.max.is_none_or(|max| are_names_known && record.fields.len() as u64 <= max);
    (is_exact && is_counted && !has_dependent(facets) && !facets.has_patterns() && is_expressible(facets))
        .then_some(Guard::None)
}

/// Whether an object may have any number of properties.
fn has_any_count(facets: &Facets<'_>) -> bool {
    let Limits { min, max, .. } = facets.property_counts();
    min == 0 && max.is_none()
}

/// Whether properties of an object require others, apart from those that it must have anyway.
fn has_dependent(facets: &Facets<'_>) -> bool {
    let is_required = |name: &String| facets.required().any(|required| required == name);
    facets.dependent_required().any(|(_, required)| !required.iter().all(is_required))
}

/// Whether two values of the type are equal in Rust if and only if they are equal in JSON, and can be hashed.
fn has_json_equality(types: &[TypeDef], item: &Type) -> bool {
    match item {
        Type::String | Type::Integer { .. } | Type::Boolean | Type::Null => true,
        Type::Nullable(inner) => has_json_equality(types, inner),
        Type::Named { id, .. } => types.get(id.0).is_some_and(|def| matches!(def.shape, Shape::Enum(_))),
        _ => false,
    }
}

/// Whether a `not` excludes something that types do not exclude.
fn has_other_negation(facets: &Facets<'_>) -> bool {
    // Only a record can express that a property is forbidden.
    let only_objects = facets.types == TypeSet::EMPTY.with(SchemaType::Object);
    (!facets.forbidden.is_empty() && !only_objects) || !facets.negations.is_empty()
}

fn text(facets: &Facets<'_>) -> ExactGuard {
    let Limits { min, max, .. } = facets.lengths();
    let pattern = sole(facets.patterns())?.map(str::to_owned);
    let format = sole(facets.formats())?;
    let is_any = min == 0 && max.is_none() && pattern.is_none() && format.is_none();
    Some(if is_any { Guard::None } else { Guard::Text { min, max, pattern, format } })
}

/// The value that all have in common, or `Some(None)` if there are none; `None` if there are two different ones.
fn sole<T: PartialEq>(mut values: impl Iterator<Item = T>) -> Option<Option<T>> {
    let Some(first) = values.next() else { return Some(None) };
    values.all(|value| value == first).then_some(Some(first))
}

/// The guard of an integer: its bounds, rounded to integers and made inclusive.
fn integer(facets: &Facets<'_>) -> ExactGuard {
    let (mut min, mut max): (Option<i128>, Option<i128>) = (None, None);
    for bound in facets.bounds() {
        let (floor, is_whole) = floor(bound.limit)?;
        let step = i128::from(is_whole && bound.is_exclusive);
        if bound.is_lower {
            let least = if is_whole { floor.checked_add(step)? } else { floor.checked_add(1)? };
            min = Some(min.map_or(least, |min| min.max(least)));
        } else {
            let most = floor.checked_sub(step)?;
            max = Some(max.map_or(most, |max| max.min(most)));
        }
    }
    Some(if min.is_none() && max.is_none() { Guard::None } else { Guard::Integer { min, max } })
}

/// The guard with `multipleOf`. All divisors become one: their least common multiple. Integers are multiples of 1, too.
fn multiple_of(facets: &Facets<'_>, other: Guard, is_integer: bool) -> ExactGuard {
    let one = || Number::from(1_i64);
    let mut divisors = facets.divisors().cloned();
    let Some(mut divisor) = divisors.next() else { return Some(other) };
    for next in divisors.chain(is_integer.then(one)) {
        divisor = divisor.common_multiple(&next)?;
    }
    let is_implied = is_integer && divisor == one();
    Some(if is_implied { other } else { Guard::MultipleOf { divisor, other: Box::new(other) } })
}

/// The greatest integer that is not above a number, and whether the number is that integer. `None` for numbers that are
/// too large, or are written with an exponent.
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

/// Whether comparing a payload with the nearest binary64 of a limit is as good as comparing it with the limit. Below
/// 2^53 it is, since no integer lies between the two.
fn is_comparable(number: &Number) -> bool {
    let float = number.as_f64();
    float.abs() < Number::MAX_EXACT_INTEGER || Number::exact(float).is_some_and(|exact| exact == *number)
}

/// 2^64.
const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;

/// The guard of a number: its bounds as binary64s. Generated code compares binary64s only.
fn number(facets: &Facets<'_>) -> ExactGuard {
    let inclusive = |value| NumberLimit { value, is_exclusive: false };
    let (mut min, mut max) = (inclusive(f64::NEG_INFINITY), inclusive(f64::INFINITY));
    for bound in facets.bounds() {
        if !is_comparable(bound.limit) {
            return None;
        }
        let nearest = bound.limit.as_f64();
        // Generated code writes an integer of 64 bits with all its digits, and any other number as the shortest
        // decimal.
        let is_integer = (Number::MAX_EXACT_INTEGER..TWO_TO_64).contains(&nearest.abs());
        let order = if is_integer { Ordering::Equal } else { bound.limit.compare_float(nearest) };
        if bound.is_lower {
            let is_within = if bound.is_exclusive { order.is_gt() } else { order.is_ge() };
            let limit = NumberLimit { value: nearest, is_exclusive: !is_within };
            if least(limit) > least(min) {
                min = limit;
            }
        } else {
            let is_within = if bound.is_exclusive { order.is_lt() } else { order.is_le() };
            let limit = NumberLimit { value: nearest, is_exclusive: !is_within };
            if greatest(limit) < greatest(max) {
                max = limit;
            }
        }
    }
    let is_any = min.value == f64::NEG_INFINITY && max.value == f64::INFINITY;
    Some(if is_any { Guard::None } else { Guard::Number { min, max } })
}

/// The least binary64 that a lower bound allows.
fn least(limit: NumberLimit) -> f64 {
    if limit.is_exclusive { limit.value.next_up() } else { limit.value }
}

/// The greatest binary64 that an upper bound allows.
fn greatest(limit: NumberLimit) -> f64 {
    if limit.is_exclusive { limit.value.next_down() } else { limit.value }
}
