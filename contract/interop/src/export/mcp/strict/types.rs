//! Schemas without references and combinations: one schema for each type of value.

use std::collections::HashSet;

use capgen_schema::analysis::branches::equality_key;
use capgen_schema::{Json, Number, Object, Type, pointer};

use super::alternatives::{alternatives, is_any};
use super::conjunction::{Part, asserts};
use super::{Simplifier, annotated, typed};

/// The types of all values. `integer` is part of `number`.
const ALL: [Type; 6] = [Type::Object, Type::Array, Type::String, Type::Number, Type::Boolean, Type::Null];

/// Why values are not listed.
pub(super) const NOT_LISTED: &str = "the values are not listed: hosts support only strings in `enum`";

/// The values that `enum` and `const` allow.
pub(super) struct Values<'s> {
    /// The pointer of the first of these keywords.
    pub(super) at: String,
    pub(super) all: Vec<&'s Json>,
}

impl<'s> Simplifier<'s> {
    /// The schema for the values that all of these objects accept, apart from their unions and their `allOf`.
    pub(super) fn plain(&mut self, parts: &[Part<'s>]) -> Option<Json> {
        for part in parts {
            match part.get("not") {
                None | Some(Json::Bool(false)) => {}
                Some(not) if is_any(not) => return None,
                Some(_) => self.lose(&pointer::join(&part.at, "not"), "dropped: hosts do not support `not`"),
            }
            if part.get("if").is_some() {
                self.lose(&pointer::join(&part.at, "if"), "dropped: hosts do not support `if`");
            }
        }
        let values = values(parts);
        let types = match (declared(parts), &values) {
            (Some(types), _) => types,
            (None, Some(values)) => types_of(&values.all),
            (None, None) if !parts.iter().any(is_typed) => {
                return Some(annotated(Json::Object(Object::new()), parts));
            }
            (None, None) => {
                let mut types = ALL.to_vec();
                types.sort_by_key(|ty| !parts.iter().any(|part| is_about(part, *ty)));
                types
            }
        };
        let mut branches = Vec::new();
        for ty in types {
            let of_type = values.as_ref().map(|values| Values {
                at: values.at.clone(),
                all: values.all.iter().copied().filter(|value| has_type(value, ty)).collect(),
            });
            if of_type.as_ref().is_none_or(|values| !values.all.is_empty()) {
                branches.extend(self.of_type(ty, parts, of_type.as_ref()));
            }
        }
        Some(annotated(alternatives(branches)?, parts))
    }

    fn of_type(&mut self, ty: Type, parts: &[Part<'s>], values: Option<&Values<'s>>) -> Option<Json> {
        match ty {
            Type::Null => Some(typed("null")),
            Type::Boolean => {
                let is_one = |values: &&Values<'_>| {
                    !values.all.contains(&&Json::Bool(true)) || !values.all.contains(&&Json::Bool(false))
                };
                if let Some(values) = values.filter(is_one) {
                    self.lose(&values.at, NOT_LISTED);
                }
                Some(typed("boolean"))
            }
            Type::Integer | Type::Number => Some(self.number(ty, parts, values)),
            Type::String => Some(self.string(parts, values)),
            Type::Array | Type::Object => {
                if let Some(values) = values {
                    self.lose(&values.at, NOT_LISTED);
                }
                if ty == Type::Array { self.array(parts) } else { self.object(parts) }
            }
        }
    }
}

/// Whether a schema has an assertion that is not in another form anyway: `not` and `if` are dropped.
fn is_typed(part: &Part<'_>) -> bool {
    let is_kept = |key: &str| !matches!(key, "not" | "if" | "then" | "else");
    let kept = |members: &Object| members.iter().filter(|(key, _)| is_kept(key)).cloned().collect::<Object>();
    part.members().is_some_and(|members| asserts(&kept(members)))
}

/// Whether a schema has assertions about values of a type.
fn is_about(part: &Part<'_>, ty: Type) -> bool {
    let keywords: &[&str] = match ty {
        Type::Object => &[
            "properties",
            "required",
            "additionalProperties",
            "patternProperties",
            "propertyNames",
            "minProperties",
            "maxProperties",
            "dependentRequired",
        ],
        Type::Array => &["items", "contains", "minItems", "maxItems", "uniqueItems"],
        Type::String => &["minLength", "maxLength", "pattern", "format"],
        Type::Number | Type::Integer => &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
        Type::Boolean | Type::Null => &[],
    };
    keywords.iter().any(|keyword| part.get(keyword).is_some())
}

/// The types that all of the schemas allow; `None` if that is every type.
fn declared(parts: &[Part<'_>]) -> Option<Vec<Type>> {
    let mut types: Option<Vec<Type>> = None;
    for declared in parts.iter().filter_map(|part| part.get("type")) {
        let names = declared.as_array().unwrap_or(std::slice::from_ref(declared)).iter().filter_map(Json::as_str);
        let all = ALL.into_iter().chain([Type::Integer]);
        let named: Vec<Type> = names.filter_map(|name| all.clone().find(|ty| ty.name() == name)).collect();
        types = Some(match types {
            None => named,
            Some(known) => known.into_iter().filter_map(|ty| common(ty, &named)).collect(),
        });
    }
    let mut types = types?;
    if types.contains(&Type::Number) {
        types.retain(|ty| *ty != Type::Integer);
    }
    Some(types)
}

/// The part of a type that one of the others allows, too.
fn common(ty: Type, others: &[Type]) -> Option<Type> {
    let has = |wanted| others.contains(&wanted);
    match ty {
        Type::Number if !has(Type::Number) && has(Type::Integer) => Some(Type::Integer),
        Type::Integer if has(Type::Number) => Some(ty),
        _ => has(ty).then_some(ty),
    }
}

fn types_of(values: &[&Json]) -> Vec<Type> {
    let mut types = Vec::new();
    let is_integral = values.iter().filter_map(|value| value.as_number()).all(Number::is_integer);
    for value in values {
        let ty = match value.type_of() {
            Type::Number | Type::Integer if is_integral => Type::Integer,
            Type::Integer => Type::Number,
            other => other,
        };
        if !types.contains(&ty) {
            types.push(ty);
        }
    }
    types
}

fn has_type(value: &Json, ty: Type) -> bool {
    match (value, ty) {
        (Json::Number(number), Type::Integer) => number.is_integer(),
        (Json::Number(_), Type::Number) => true,
        (value, ty) => value.type_of() == ty,
    }
}

/// The values that every `enum` and `const` has; `None` without these keywords.
fn values<'s>(parts: &[Part<'s>]) -> Option<Values<'s>> {
    let mut values: Option<Values<'s>> = None;
    for part in parts {
        for keyword in ["enum", "const"] {
            let Some(value) = part.get(keyword) else { continue };
            let listed = match value {
                Json::Array(values) if keyword == "enum" => values.as_slice(),
                other => std::slice::from_ref(other),
            };
            values = Some(match values {
                None => Values { at: pointer::join(&part.at, keyword), all: listed.iter().collect() },
                Some(known) => {
                    let listed: HashSet<String> = listed.iter().map(equality_key).collect();
                    let all = known.all.into_iter().filter(|value| listed.contains(&equality_key(value)));
                    Values { at: known.at, all: all.collect() }
                }
            });
        }
    }
    values
}
