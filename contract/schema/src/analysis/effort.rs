//! How much of a schema an analysis visits.

/// Limits for the analysis of one conjunction. With less effort it proves less, but never something false.
///
/// Schemas are untrusted. An engine that analyses every union of a schema needs a limit, since many unions can refer to
/// one large definition.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Effort {
    /// How many subschemas of a conjunction are visited.
    pub parts: usize,
    /// How many names of one `required` are visited.
    pub required: usize,
    /// Longer lists in `enum` are ignored.
    pub values: usize,
    /// How many nested unions are visited.
    pub unions: usize,
}

impl Effort {
    /// Everything that applies to a place, and nested unions. Only a budget bounds the time.
    pub const FULL: Effort = Effort { parts: usize::MAX, required: usize::MAX, values: usize::MAX, unions: 32 };

    /// A subschema's own assertions and those of its properties, apart from `allOf` and unions. The time is linear in
    /// the size of these assertions.
    pub const OWN: Effort = Effort { parts: 1, required: usize::MAX, values: usize::MAX, unions: 0 };

    /// A few subschemas, names and values, in constant time. Unions of realistic schemas need no more.
    pub(crate) const SMALL: Effort = Effort { parts: 8, required: 8, values: 64, unions: 0 };

    /// Everything that applies to a place, apart from the values of `enum`.
    pub const WITHOUT_VALUES: Effort = Effort { parts: usize::MAX, required: usize::MAX, values: 0, unions: 32 };
}
