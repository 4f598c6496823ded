//! `type`, bounds, `multipleOf` and the formats of numbers.

use super::prepare::nullable;
use super::tree::Value;
use super::walk::{Draft, Walk, distinct};
use crate::{Json, Number, Object};

/// The integer formats of OpenAPI and `schemars`, each with its smallest and its largest value.
const INTEGERS: [(&str, &str, &str); 12] = [
    ("int8", "-128", "127"),
    ("int16", "-32768", "32767"),
    ("int32", "-2147483648", "2147483647"),
    ("int64", "-9223372036854775808", "9223372036854775807"),
    ("int128", "-170141183460469231731687303715884105728", "170141183460469231731687303715884105727"),
    ("int", "-9223372036854775808", "9223372036854775807"),
    ("uint8", "0", "255"),
    ("uint16", "0", "65535"),
    ("uint32", "0", "4294967295"),
    ("uint64", "0", "18446744073709551615"),
    ("uint128", "0", "340282366920938463463374607431768211455"),
    ("uint", "0", "18446744073709551615"),
];

/// The names of these formats.
pub(super) fn integer_formats() -> impl Iterator<Item = &'static str> {
    INTEGERS.iter().map(|(name, ..)| *name)
}

/// Whether the format of a schema gives it bounds.
pub(super) fn is_ranged(object: &Object) -> bool {
    range(object).is_some()
}

/// The bounds of a schema, including those of its format.
#[derive(Default)]
pub(super) struct Bounds<'a> {
    lower: Bound<'a>,
    upper: Bound<'a>,
}

/// A lower or an upper bound.
#[derive(Default)]
struct Bound<'a> {
    /// The value of `minimum` or `maximum`.
    inclusive: Option<&'a Number>,
    /// The value of `exclusiveMinimum` or `exclusiveMaximum`, or in draft-04 that of `minimum` or `maximum` with the
    /// flag.
    exclusive: Option<&'a Number>,
    /// Whether `exclusiveMinimum` or `exclusiveMaximum` is draft-04's `true`.
    by_flag: bool,
    /// The bound of the format, if it is tighter than the others.
    format: Option<Number>,
}

/// The value of `type`; `None` if it is absent.
pub(super) struct Types<'a>(Option<Vec<&'a str>>);

impl<'a> Types<'a> {
    pub(super) fn of(object: &'a Object) -> Self {
        Self(match object.get("type") {
            Some(Json::String(name)) => Some(vec![name]),
            Some(Json::Array(names)) => Some(names.iter().filter_map(Json::as_str).collect()),
            _ => None,
        })
    }

    /// Whether `type` is present and lists this type.
    pub(super) fn names(&self, name: &str) -> bool {
        self.0.as_ref().is_some_and(|names| names.contains(&name))
    }

    /// Whether `type` is absent or lists this type.
    pub(super) fn allow(&self, name: &str) -> bool {
        self.0.is_none() || self.names(name)
    }
}

impl<'a> Bounds<'a> {
    pub(super) fn of(object: &'a Object) -> Self {
        let mut bounds = Bounds {
            lower: Bound::of(object, "minimum", "exclusiveMinimum"),
            upper: Bound::of(object, "maximum", "exclusiveMaximum"),
        };
        if let Some((low, high)) = range(object) {
            let is_tighter = |bound: &Option<&Number>, by: fn(&Number, &Number) -> bool, limit: &Number| {
                bound.is_some_and(|bound| by(bound, limit))
            };
            let Bounds { lower, upper } = &mut bounds;
            let at_least = |a: &Number, b: &Number| a >= b;
            let at_most = |a: &Number, b: &Number| a <= b;
            if !is_tighter(&lower.inclusive, at_least, &low) && !is_tighter(&lower.exclusive, at_least, &low) {
                lower.format = Some(low);
            }
            if !is_tighter(&upper.inclusive, at_most, &high) && !is_tighter(&upper.exclusive, at_most, &high) {
                upper.format = Some(high);
            }
        }
        bounds
    }
}

impl<'a> Bound<'a> {
    fn of(object: &'a Object, inclusive: &str, exclusive: &str) -> Self {
        let number = |name| object.get(name).and_then(Json::as_number);
        match object.get(exclusive) {
            Some(Json::Bool(true)) if number(inclusive).is_some() => {
                Self { exclusive: number(inclusive), by_flag: true, ..Self::default() }
            }
            _ => Self { inclusive: number(inclusive), exclusive: number(exclusive), ..Self::default() },
        }
    }
}

/// The range of an integer format, if `type` allows no numbers other than integers. The format does not apply to other
/// numbers.
fn range(object: &Object) -> Option<(Number, Number)> {
    let format = object.get("format").and_then(Json::as_str)?;
    let types = Types::of(object);
    if !types.names("integer") || types.names("number") {
        return None;
    }
    let (_, low, high) = INTEGERS.iter().find(|(name, ..)| *name == format)?;
    Some((low.parse().ok()?, high.parse().ok()?))
}

impl<'a> Walk<'a> {
    /// `type`, with `null` added for `nullable` and `number` narrowed to `integer` for `multipleOf: 1`.
    pub(super) fn types(&mut self, draft: &mut Draft<'a>, value: &'a Json) {
        let is_nullable = draft.get("nullable") == Some(&Json::Bool(true));
        let is_whole = is_whole(draft.object);
        let changed = |name: &str| if is_whole && name == "number" { "integer".to_owned() } else { name.to_owned() };
        let names = match value {
            Json::String(name) if !is_nullable || name == "null" => {
                return draft.push_json("type", Json::String(changed(name)));
            }
            Json::String(name) => vec![Json::String(changed(name))],
            Json::Array(names) if names.iter().all(|name| name.as_str().is_some()) => {
                names.iter().filter_map(Json::as_str).map(|name| Json::String(changed(name))).collect()
            }
            other => return self.copy(draft, "type", other),
        };
        let null = is_nullable.then(|| Json::String("null".to_owned()));
        let names: Vec<Json> = names.into_iter().chain(null).collect();
        draft.push_json("type", Json::Array(distinct(&names)));
    }

    /// OpenAPI 3.0's `nullable`. Its meaning is already in the other keywords, apart from `type`, which [`types`]
    /// changes; only places that references prevent from being rewritten have another one left.
    ///
    /// [`types`]: Self::types
    pub(super) fn nullable(&mut self, draft: &mut Draft<'a>, value: &'a Json) {
        if !matches!(value, Json::Bool(_)) || nullable::is_beside_a_combination(draft.object) {
            self.reject(draft, "nullable");
        }
    }

    /// `minimum`, `maximum` and their exclusive forms, with draft-04's flags resolved.
    pub(super) fn bound(&mut self, draft: &mut Draft<'a>, name: &str, value: &'a Json) {
        self.note_form(draft, name, value);
        let is_lower = name.ends_with("inimum");
        let bound = if is_lower { &draft.bounds.lower } else { &draft.bounds.upper };
        let is_exclusive = name.starts_with("exclusive");
        match value {
            // The format's bound is tighter. It is written in place of the format.
            Json::Number(_) if bound.format.is_some() => {}
            Json::Number(_) if bound.by_flag => {
                let exclusive = if is_lower { "exclusiveMinimum" } else { "exclusiveMaximum" };
                draft.push_json(exclusive, value.clone());
            }
            Json::Bool(true) if is_exclusive && bound.by_flag => {}
            Json::Bool(false) if is_exclusive => {}
            _ => self.copy(draft, name, value),
        }
    }

    /// `multipleOf`. The value 1 next to a numeric `type` is expressed by `type: integer`.
    pub(super) fn multiple(&mut self, draft: &mut Draft<'a>, value: &'a Json) {
        if !is_whole(draft.object) {
            self.copy(draft, "multipleOf", value);
        }
    }

    /// A format of numbers; returns whether it is one.
    pub(super) fn numeric_format(&mut self, draft: &mut Draft<'a>, name: &str) -> bool {
        let types = Types::of(draft.object);
        if ["float", "double"].contains(&name) && (types.allow("number") || types.names("integer")) {
            return true;
        }
        if !INTEGERS.iter().any(|(integer, ..)| *integer == name) {
            return false;
        }
        if types.names("integer") && !types.names("number") {
            for (keyword, bound) in [("minimum", &mut draft.bounds.lower), ("maximum", &mut draft.bounds.upper)] {
                if let Some(limit) = &bound.format {
                    draft.out.push((keyword.to_owned(), Value::Plain(Json::Number(limit.clone()))));
                }
            }
            return true;
        }
        self.unchecked_format(draft, name);
        true
    }
}

/// Whether `multipleOf` is 1 and `type` lists a numeric type, so that `integer` expresses it.
fn is_whole(object: &Object) -> bool {
    let types = Types::of(object);
    let one = Number::from(1_i64);
    object.get("multipleOf").and_then(Json::as_number) == Some(&one)
        && (types.names("integer") || types.names("number"))
}
