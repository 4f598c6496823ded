//! Numbers, strings and arrays.

use capgen_schema::{Json, Number, Object, Type};

use super::Simplifier;
use super::conjunction::Part;
use super::types::{NOT_LISTED, Values};

/// Which of several limits is the tightest.
#[derive(Clone, Copy)]
pub(super) enum Tightest {
    Least,
    Greatest,
}

impl<'s> Simplifier<'s> {
    pub(super) fn number(&mut self, ty: Type, parts: &[Part<'s>], values: Option<&Values<'s>>) -> Json {
        let mut out = schema_of(ty);
        let listed = || values.into_iter().flat_map(|values| &values.all).filter_map(|value| value.as_number());
        // A payload can equal a number that binary64 cannot represent, and be outside of the limits that the number
        // would give.
        let is_exact = listed().all(Number::is_representable);
        if let Some(values) = values.filter(|_| !is_exact || listed().min() != listed().max()) {
            self.lose(&values.at, NOT_LISTED);
        }
        let of_values = |number: Option<&'s Number>| number.filter(|_| is_exact);
        let least = limit(parts, "minimum", Tightest::Greatest).into_iter().chain(of_values(listed().min())).max();
        push_number(&mut out, "minimum", least);
        push_number(&mut out, "exclusiveMinimum", limit(parts, "exclusiveMinimum", Tightest::Greatest));
        let greatest = limit(parts, "maximum", Tightest::Least).into_iter().chain(of_values(listed().max())).min();
        push_number(&mut out, "maximum", greatest);
        push_number(&mut out, "exclusiveMaximum", limit(parts, "exclusiveMaximum", Tightest::Least));
        self.first(&mut out, parts, "multipleOf");
        Json::Object(out)
    }

    pub(super) fn string(&mut self, parts: &[Part<'s>], values: Option<&Values<'s>>) -> Json {
        let mut out = schema_of(Type::String);
        if let Some(values) = values {
            out.push("enum".to_owned(), Json::Array(values.all.iter().copied().cloned().collect()));
        }
        push_number(&mut out, "minLength", limit(parts, "minLength", Tightest::Greatest));
        push_number(&mut out, "maxLength", limit(parts, "maxLength", Tightest::Least));
        self.first(&mut out, parts, "pattern");
        self.first(&mut out, parts, "format");
        Json::Object(out)
    }

    /// `None` if no array is valid.
    pub(super) fn array(&mut self, parts: &[Part<'s>]) -> Option<Json> {
        let mut out = schema_of(Type::Array);
        let (positions, items): (Vec<_>, Vec<_>) =
            parts.iter().filter_map(|part| part.below("items")).partition(|items| items.schema.as_array().is_some());
        for list in positions {
            self.lose(&list.at, "dropped: the clients may not read schemas for positions");
        }
        for contained in parts.iter().filter_map(|part| part.below("contains")) {
            self.lose(&contained.at, "dropped: hosts do not support `contains`");
        }
        let items = self.simplify_all(items);
        let least = limit(parts, "minItems", Tightest::Greatest);
        let zero = Number::from(0_u64);
        if items.is_none() && least.is_some_and(|least| *least > zero) {
            return None;
        }
        let is_empty = items.is_none();
        out.push("items".to_owned(), items.unwrap_or_else(|| Json::Object(Object::new())));
        push_number(&mut out, "minItems", least);
        let most = if is_empty { Some(&zero) } else { limit(parts, "maxItems", Tightest::Least) };
        push_number(&mut out, "maxItems", most);
        if parts.iter().any(|part| part.get("uniqueItems") == Some(&Json::Bool(true))) {
            out.push("uniqueItems".to_owned(), Json::Bool(true));
        }
        Some(Json::Object(out))
    }

    /// The keyword of the first schema that has it. There is no place for a second one.
    pub(super) fn first(&mut self, out: &mut Object, parts: &[Part<'s>], keyword: &str) {
        let mut all = parts.iter().filter_map(|part| part.below(keyword));
        let Some(first) = all.next() else { return };
        out.push(keyword.to_owned(), first.schema.clone());
        for other in all.filter(|other| other.schema != first.schema) {
            self.lose(&other.at, format!("dropped: another schema for the same value has `{keyword}`, too"));
        }
    }
}

fn schema_of(ty: Type) -> Object {
    [("type".to_owned(), Json::from(ty.name()))].into_iter().collect()
}

pub(super) fn limit<'s>(parts: &[Part<'s>], keyword: &str, tightest: Tightest) -> Option<&'s Number> {
    let limits = parts.iter().filter_map(|part| part.get(keyword)?.as_number());
    match tightest {
        Tightest::Least => limits.min(),
        Tightest::Greatest => limits.max(),
    }
}

pub(super) fn push_number(out: &mut Object, keyword: &str, number: Option<&Number>) {
    if let Some(number) = number {
        out.push(keyword.to_owned(), Json::Number(number.clone()));
    }
}
