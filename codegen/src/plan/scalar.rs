//! Tests of values that are neither arrays nor objects.

use capgen_schema::{Json, Type as JsonType, TypeSet};

use super::FEW_VALUES;
use super::shared::Shared;
use super::test::{NumberTest, Place, Test, TextTest};
use super::value::{Value, is_scalar, limits};
use crate::model::check::Rules;

/// The values of `const`, or else of `enum`, that the other keywords on scalars accept; `None` without these keywords.
pub(super) fn listed<'m>(rules: &Rules<'m>) -> Option<Vec<&'m Json>> {
    let values: Vec<&Json> = match (rules.const_value, rules.enum_values) {
        (Some(value), _) => vec![value],
        (None, Some(values)) => values.iter().collect(),
        (None, None) => return None,
    };
    Some(values.into_iter().filter(|value| fits(rules, value)).collect())
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

/// That a value is one of `values`, which are [listed], and also in `enum` if there is a `const`.
pub(super) fn is_listed<'m>(shared: &mut Shared<'m>, rules: &Rules<'m>, values: &[&'m Json], place: Place) -> Test<'m> {
    let is_value = is_one_of(shared, values, place);
    match (rules.const_value, rules.enum_values) {
        (Some(_), Some(others)) => {
            let others: Vec<&Json> = others.iter().collect();
            Test::all([is_one_of(shared, &others, place), is_value])
        }
        _ => is_value,
    }
}

fn is_one_of<'m>(shared: &mut Shared<'m>, values: &[&'m Json], place: Place) -> Test<'m> {
    let style = shared.style();
    let can_equal = |value: &&&Json| value.as_number().is_none_or(|number| style.has_number(number));
    let scalars: Vec<&Json> = values.iter().filter(|value| is_scalar(value)).filter(can_equal).copied().collect();
    let others: Vec<&Json> = values.iter().filter(|value| !is_scalar(value)).copied().collect();
    let mut tests: Vec<Test<'m>> = Vec::new();
    if scalars.len() > FEW_VALUES {
        tests.push(Test::IsInSet(place, shared.set(scalars)));
    } else {
        tests.extend(scalars.into_iter().map(|value| Test::Equals(place, Value(value))));
    }
    if !others.is_empty() {
        tests.push(Test::IsAmong(place, shared.literals(others)));
    }
    Test::any(tests)
}

/// For each scalar type, that a value has it and meets the assertions about it.
pub(super) fn alternatives<'m>(
    shared: &mut Shared<'m>,
    rules: &Rules<'m>,
    types: TypeSet,
    place: Place,
) -> Vec<Test<'m>> {
    let mut tests = Vec::new();
    if types.contains(JsonType::String) {
        tests.push(text(shared, rules, place, false));
    }
    if types.contains(JsonType::Integer) {
        let ty = if types.contains(JsonType::Number) { JsonType::Number } else { JsonType::Integer };
        tests.push(number(rules, place, Some(ty)));
    }
    let others = [JsonType::Boolean, JsonType::Null].into_iter().filter(|ty| types.contains(*ty));
    tests.extend(others.map(|ty| Test::HasType(place, ty)));
    tests
}

/// The assertions about scalars of a check that accepts every type.
pub(super) fn implications<'m>(shared: &mut Shared<'m>, rules: &Rules<'m>, place: Place) -> Vec<Test<'m>> {
    let mut tests = Vec::new();
    if rules.asserts_strings() {
        tests.push(Test::any([Test::HasOtherType(place, JsonType::String), text(shared, rules, place, false)]));
    }
    if rules.asserts_numbers() {
        tests.push(Test::any([Test::HasOtherType(place, JsonType::Number), number(rules, place, None)]));
    }
    tests
}

/// That a value is a string and meets the assertions about strings.
pub(super) fn text<'m>(shared: &mut Shared<'m>, rules: &Rules<'m>, place: Place, is_certain: bool) -> Test<'m> {
    let pattern = rules.pattern.map(|pattern| shared.pattern(pattern));
    let (format, min_length, max_length) = (rules.format, rules.min_length.unwrap_or(0), rules.max_length);
    TextTest { place, is_certain, format, min_length, max_length, pattern }.into_test()
}

fn number<'m>(rules: &Rules<'m>, place: Place, ty: Option<JsonType>) -> Test<'m> {
    NumberTest { place, ty, limits: limits(rules).collect(), multiple_of: rules.multiple_of }.into_test()
}
