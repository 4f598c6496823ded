//! Values of a contract in a plan, which are equal if their texts are.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use capgen_schema::{Json, Number};

use crate::model::check::{Bound, Rules};

/// A value of `const` or `enum`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'m>(pub(crate) &'m Json);

/// A limit that accepts the same binary64 numbers as the one of the contract, which may not be a binary64 itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit<'m> {
    pub(crate) bound: Bound,
    /// As it is in the contract.
    pub(crate) exact: &'m Number,
    pub(crate) nearest: f64,
}

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.canonical() == other.0.canonical()
    }
}

impl Eq for Value<'_> {}

impl Hash for Value<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.canonical().hash(state);
    }
}

impl Limit<'_> {
    /// Limits are equal if they accept the same binary64 numbers.
    fn key(&self) -> (Bound, u64) {
        // Adding zero makes `-0` the same as `0`.
        (self.bound, (self.nearest + 0.0).to_bits())
    }

    pub(super) fn accepts(&self, float: f64) -> bool {
        match self.bound {
            Bound::Minimum => float >= self.nearest,
            Bound::Maximum => float <= self.nearest,
            Bound::ExclusiveMinimum => float > self.nearest,
            Bound::ExclusiveMaximum => float < self.nearest,
        }
    }
}

impl PartialEq for Limit<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Limit<'_> {}

impl Hash for Limit<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

/// The limits of a check, in the order of its keywords.
pub(super) fn limits<'m>(rules: &Rules<'m>) -> impl Iterator<Item = Limit<'m>> {
    rules.limits.iter().map(|&(bound, exact)| {
        let nearest = exact.as_f64();
        // If the nearest binary64 is on the wrong side of the limit, its neighbour is the first on the right side.
        let nearest = match (exact.compare_float(nearest), bound) {
            (Ordering::Less, Bound::Minimum | Bound::ExclusiveMaximum) => nearest.next_up(),
            (Ordering::Greater, Bound::Maximum | Bound::ExclusiveMinimum) => nearest.next_down(),
            _ => nearest,
        };
        Limit { bound, exact, nearest }
    })
}

/// Whether a value has neither items nor members.
pub(crate) fn is_scalar(value: &Json) -> bool {
    !matches!(value, Json::Array(_) | Json::Object(_))
}
