//! `enum` and `const`: whether a value is one of some literals. Allocates nothing, except to compare arrays and
//! objects.

use std::cmp::Ordering;
use std::collections::HashMap;

use serde_json::Value;

use super::number::compare;
use super::value::{equal, hash_text};
use crate::exact::Digits;
use crate::{Json, Number};

/// Up to this many strings are compared one by one, which is faster than a search.
const FEW_STRINGS: usize = 16;
/// The same for arrays and objects, of which fewer are compared: a comparison takes longer than that of two strings.
const FEW_COMPOSITES: usize = 4;

/// The values of an `enum`, or the value of a `const`.
#[derive(Debug)]
pub(super) struct Literals {
    /// In source order.
    values: Vec<Json>,
    null: bool,
    booleans: [bool; 2],
    /// Distinct, sorted by [`by_length`].
    strings: Box<[Box<str>]>,
    /// Sorted by their nearest binary64.
    numbers: Box<[Number]>,
    composites: Box<[Json]>,
    /// If there are many composites, their indexes by [`hash_text`].
    index: Option<HashMap<String, Vec<usize>>>,
}

impl Literals {
    pub(super) fn new(values: &[Json]) -> Self {
        let mut strings: Vec<Box<str>> = values.iter().filter_map(|v| Some(v.as_str()?.into())).collect();
        strings.sort_unstable_by(|a, b| by_length(a, b));
        strings.dedup();
        let mut numbers: Vec<Number> = values.iter().filter_map(|v| v.as_number().cloned()).collect();
        numbers.sort_unstable_by(|a, b| a.as_f64().total_cmp(&b.as_f64()));
        let is_composite = |v: &&Json| matches!(v, Json::Array(_) | Json::Object(_));
        let composites: Box<[Json]> = values.iter().filter(is_composite).cloned().collect();
        let index = (composites.len() > FEW_COMPOSITES).then(|| index(&composites));
        Self {
            null: values.contains(&Json::Null),
            booleans: [false, true].map(|value| values.contains(&Json::Bool(value))),
            values: values.to_vec(),
            strings: strings.into(),
            numbers: numbers.into(),
            composites,
            index,
        }
    }

    pub(super) fn values(&self) -> &[Json] {
        &self.values
    }

    pub(super) fn contain(&self, value: &Value, digits: Digits<'_>) -> bool {
        match value {
            Value::String(text) => self.contain_text(text),
            Value::Number(number) => {
                let float = number.as_f64().unwrap_or(f64::INFINITY);
                let start = self.numbers.partition_point(|literal| literal.as_f64() < float);
                let near = self.numbers.iter().skip(start).take_while(|literal| literal.as_f64() == float);
                near.into_iter().any(|literal| compare(number, literal, digits).is_eq())
            }
            Value::Null => self.null,
            Value::Bool(value) => self.booleans.get(usize::from(*value)) == Some(&true),
            Value::Array(_) | Value::Object(_) => self.contain_composite(value, digits),
        }
    }

    fn contain_text(&self, text: &str) -> bool {
        if self.strings.len() <= FEW_STRINGS {
            return self.strings.iter().any(|literal| same(literal, text));
        }
        self.strings.binary_search_by(|literal| by_length(literal, text)).is_ok()
    }

    fn contain_composite(&self, value: &Value, digits: Digits<'_>) -> bool {
        match &self.index {
            None => self.composites.iter().any(|literal| equal(value, literal, digits)),
            Some(index) => {
                let mut candidates = index.get(&hash_text(value)).into_iter().flatten();
                candidates.any(|&index| self.composites.get(index).is_some_and(|literal| equal(value, literal, digits)))
            }
        }
    }
}

fn index(composites: &[Json]) -> HashMap<String, Vec<usize>> {
    let mut index = HashMap::<String, Vec<usize>>::new();
    for (position, literal) in composites.iter().enumerate() {
        index.entry(hash_text(&literal.to_value())).or_default().push(position);
    }
    index
}

/// An order for searching. Any total order is suitable, and lengths are cheap to compare and usually differ.
pub(super) fn by_length(a: &str, b: &str) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

/// Whether two texts are equal. Texts of up to 16 bytes, which are usual, are compared as two overlapping words,
/// without the call that `==` makes.
#[inline]
pub(super) fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    match a.len() {
        8..=16 => a.first_chunk::<8>() == b.first_chunk::<8>() && a.last_chunk::<8>() == b.last_chunk::<8>(),
        4..=7 => a.first_chunk::<4>() == b.first_chunk::<4>() && a.last_chunk::<4>() == b.last_chunk::<4>(),
        2..=3 => a.first_chunk::<2>() == b.first_chunk::<2>() && a.last() == b.last(),
        0..=1 => a.first() == b.first(),
        _ => a == b,
    }
}
