//! The checks of a validator, independent of the language in which it is written.
//!
//! A [`Validator`] is a graph of [`Check`]s, one for each subschema that is reachable, with references resolved. It
//! states which checks need a function of their own and which branches of a union exclude each other, so that every
//! printer agrees about that with the interpreter.

use capgen_schema::analysis::selection::Selection;
use capgen_schema::{Format, Json, Number, Pattern, TypeSet};

use super::TypeId;

/// The checks of one side of a capability.
#[derive(Clone, Debug)]
pub(crate) struct Validator<'a> {
    /// The type of the payloads that it accepts.
    pub(crate) ty: TypeId,
    pub(crate) root: CheckId,
    pub(crate) checks: Vec<Check<'a>>,
    pub(crate) depth: DepthLimit,
}

/// An index into [`Validator::checks`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct CheckId(pub(crate) usize);

/// Payloads may be nested [`MAX_PAYLOAD_DEPTH`](capgen_schema::MAX_PAYLOAD_DEPTH) levels deep. How a validator
/// ensures that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DepthLimit {
    /// By its checks: the schema rejects every payload that is deeper.
    Implied,
    /// By measuring the values to which no subschema applies.
    OfUnchecked,
    /// By counting levels in all values, since those that the schema describes can be too deep as well.
    OfAll,
}

/// One subschema.
#[derive(Clone, Debug)]
pub(crate) struct Check<'a> {
    pub(crate) kind: CheckKind<'a>,
    /// Its name, if it is a member of `definitions`.
    pub(crate) definition: Option<&'a str>,
    /// Whether it is referenced more than once, or recursive: it then has a function of its own. Otherwise it can be
    /// written where it applies.
    pub(crate) is_reused: bool,
    /// Whether one place of the payload can reach it so often that it has to remember its result.
    pub(crate) is_memoized: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum CheckKind<'a> {
    Anything,
    Nothing,
    Rules(Box<Rules<'a>>),
}

/// The keywords of a subschema; at least one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules<'a> {
    /// `None` if there is no `type`.
    pub(crate) types: Option<TypeSet>,
    pub(crate) enum_values: Option<&'a [Json]>,
    pub(crate) const_value: Option<&'a Json>,
    pub(crate) limits: Vec<(Bound, &'a Number)>,
    pub(crate) multiple_of: Option<&'a Number>,
    pub(crate) min_length: Option<u64>,
    pub(crate) max_length: Option<u64>,
    pub(crate) pattern: Option<&'a Pattern>,
    pub(crate) format: Option<Format>,
    pub(crate) min_items: Option<u64>,
    pub(crate) max_items: Option<u64>,
    pub(crate) unique_items: bool,
    /// `items` as a list.
    pub(crate) positions: Vec<CheckId>,
    /// `items`, or `additionalItems` next to a list.
    pub(crate) items: Option<CheckId>,
    pub(crate) contains: Option<CheckId>,
    pub(crate) min_properties: Option<u64>,
    pub(crate) max_properties: Option<u64>,
    /// `dependentRequired`.
    pub(crate) dependent: &'a [(String, Vec<String>)],
    pub(crate) properties: Vec<Property<'a>>,
    /// Names in `required` that are not in `properties`.
    pub(crate) undeclared: Vec<&'a str>,
    /// `patternProperties`.
    pub(crate) patterns: Vec<(&'a Pattern, CheckId)>,
    pub(crate) rest: Rest,
    /// `propertyNames`, with assertions about strings only.
    pub(crate) names: Option<Box<Rules<'a>>>,
    pub(crate) all_of: Vec<Branch>,
    pub(crate) any_of: Option<Union<'a>>,
    pub(crate) one_of: Option<Union<'a>>,
    pub(crate) not: Option<CheckId>,
    pub(crate) condition: Option<Conditional>,
}

/// `if`, `then` and `else`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conditional {
    pub(crate) condition: CheckId,
    pub(crate) then: Option<CheckId>,
    pub(crate) otherwise: Option<CheckId>,
}

/// A limit on a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Bound {
    Minimum,
    Maximum,
    ExclusiveMinimum,
    ExclusiveMaximum,
}

/// A member of `properties`.
#[derive(Clone, Debug)]
pub(crate) struct Property<'a> {
    pub(crate) name: &'a str,
    pub(crate) check: CheckId,
    pub(crate) is_required: bool,
}

/// `additionalProperties`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Rest {
    /// The keyword is absent, or `true`.
    #[default]
    Open,
    Closed,
    Checked(CheckId),
}

/// A subschema for the same place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Branch {
    pub(crate) check: CheckId,
    /// Whether a `$ref` leads to it: messages then name the definition.
    pub(crate) is_reference: bool,
}

/// `anyOf` or `oneOf`.
#[derive(Clone, Debug)]
pub(crate) struct Union<'a> {
    pub(crate) branches: Vec<Branch>,
    /// Whether at most one branch can match, which a look at the value's type or at one property shows.
    pub(crate) is_exclusive: bool,
    /// The properties whose value alone excludes all branches but one, in source order.
    pub(crate) tags: Vec<&'a str>,
    /// Which branches the violations of a failed union can be about.
    pub(crate) selection: Selection,
}

impl<'a> Validator<'a> {
    pub(crate) fn check(&self, id: CheckId) -> &Check<'a> {
        #[expect(clippy::indexing_slicing, reason = "ids are made with their check and never outlive the validator")]
        &self.checks[id.0]
    }

    /// The keywords of a check, if it has any.
    pub(crate) fn rules(&self, id: CheckId) -> Option<&Rules<'a>> {
        if let CheckKind::Rules(rules) = &self.check(id).kind { Some(rules) } else { None }
    }
}

impl Rules<'_> {
    /// Whether something is asserted about a value without applying other subschemas to it; listed values do not count.
    pub(crate) fn has_own(&self) -> bool {
        self.types.is_some()
            || self.asserts_numbers()
            || self.asserts_strings()
            || self.asserts_arrays()
            || self.asserts_objects()
    }

    pub(crate) fn asserts_numbers(&self) -> bool {
        !self.limits.is_empty() || self.multiple_of.is_some()
    }

    pub(crate) fn asserts_strings(&self) -> bool {
        self.min_length.is_some() || self.max_length.is_some() || self.pattern.is_some() || self.format.is_some()
    }

    pub(crate) fn asserts_arrays(&self) -> bool {
        !self.positions.is_empty()
            || self.items.is_some()
            || self.contains.is_some()
            || self.min_items.is_some()
            || self.max_items.is_some()
            || self.unique_items
    }

    pub(crate) fn asserts_objects(&self) -> bool {
        !self.properties.is_empty()
            || !self.undeclared.is_empty()
            || self.rest != Rest::Open
            || self.names.is_some()
            || self.min_properties.is_some()
            || self.max_properties.is_some()
            || !self.dependent.is_empty()
            || !self.patterns.is_empty()
    }

    /// Whether other subschemas apply to the same value.
    pub(crate) fn applies_others(&self) -> bool {
        let is_tested = self.not.is_some() || self.condition.is_some();
        self.is_covered() || self.any_of.is_some() || self.one_of.is_some() || is_tested
    }

    /// Whether a subschema for the same value checks all that is in it, so that its depth need not be checked here.
    pub(crate) fn is_covered(&self) -> bool {
        let unions = [&self.any_of, &self.one_of].into_iter().flatten();
        !self.all_of.is_empty() || unions.into_iter().any(|union| !union.branches.is_empty())
    }
}
