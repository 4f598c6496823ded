//! Places that list their values.

use std::collections::HashSet;

use capgen_schema::analysis::branches::equality_key;
use capgen_schema::{Json, Number};

use super::Built;
use super::scalar::nullable_if;
use crate::model::{Member, Shape, Type};
use crate::name;

/// A listed value and its description, if it has one.
pub(super) type ListedValue<'a> = (&'a Json, Option<&'a str>);

/// The type of listed values. Equal values count once.
pub(super) fn build<'a>(values: impl Iterator<Item = ListedValue<'a>>) -> Built {
    let mut seen = HashSet::new();
    let mut members = Vec::new();
    let mut nullable = false;
    for (value, description) in values {
        if *value == Json::Null {
            nullable = true;
        } else if seen.insert(value.canonical()) {
            members.push(Member {
                value: value.clone(),
                ident: ident(value),
                description: description.map(str::to_owned),
            });
        }
    }
    let booleans = members.iter().filter(|member| matches!(member.value, Json::Bool(_))).count();
    match members.len() {
        0 if nullable => Built::Type(Type::Null),
        0 => Built::Type(Type::Never),
        2 if booleans == 2 => Built::Type(nullable_if(Type::Boolean, nullable)),
        _ => Built::Shape { shape: Shape::Enum(members), nullable },
    }
}

/// Whether no payload equals two of the values.
pub(super) fn are_distinct(values: &[ListedValue<'_>]) -> bool {
    let mut seen = HashSet::new();
    values.iter().all(|(value, _)| seen.insert(equality_key(value)))
}

/// The name of a value in an enum, not yet unique.
pub(super) fn ident(value: &Json) -> String {
    match value {
        Json::Null => "Null".to_owned(),
        Json::Bool(true) => "True".to_owned(),
        Json::Bool(false) => "False".to_owned(),
        Json::Number(number) => number_ident(number),
        Json::String(text) if text.is_empty() => "Empty".to_owned(),
        Json::String(text) => name::type_name(text, "Value"),
        Json::Array(_) => "Array".to_owned(),
        Json::Object(_) => "Object".to_owned(),
    }
}

fn number_ident(number: &Number) -> String {
    let text = number.to_string();
    match text.strip_prefix('-') {
        Some(text) => format!("Minus{}", name::camel(text)),
        None => name::type_name(&text, "Value"),
    }
}
