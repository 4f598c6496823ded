//! What a compiled schema consists of.

use super::candidates::Union;
use super::literal::{Literals, same};
use crate::{Format, Json, Number, Pattern, TypeSet};

/// Up to so many properties are compared one by one.
const FEW: usize = 24;

/// An index into a [`Program`](super::compile::Program); never that of a reference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct RuleId(pub(super) u32);

#[derive(Debug)]
pub(super) enum Rule {
    Bool(bool),
    Checks(Checks),
}

/// Kept small, as a walk goes from one to the next: what is about one type of value is behind a pointer.
#[derive(Debug)]
pub(super) struct Checks {
    pub(super) types: TypeSet,
    /// Whether two ways may lead here for one place of the payload, so that the verdict is worth remembering.
    pub(super) is_shared: bool,
    pub(super) enum_values: Option<Box<Literals>>,
    /// One literal.
    pub(super) const_value: Option<Box<Literals>>,
    pub(super) bounds: Box<[(Bound, Number)]>,
    pub(super) strings: Option<Box<StringChecks>>,
    pub(super) arrays: Option<Box<ArrayChecks>>,
    pub(super) objects: Option<Box<ObjectChecks>>,
    pub(super) in_place: Option<Box<InPlace>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    Minimum,
    Maximum,
    ExclusiveMinimum,
    ExclusiveMaximum,
}

/// What only strings are asked.
#[derive(Debug)]
pub(super) struct StringChecks {
    pub(super) min_length: Option<u64>,
    pub(super) max_length: Option<u64>,
    pub(super) pattern: Option<Pattern>,
    pub(super) format: Option<Format>,
}

/// What only arrays are asked.
#[derive(Debug)]
pub(super) struct ArrayChecks {
    pub(super) min_items: Option<u64>,
    pub(super) max_items: Option<u64>,
    pub(super) unique_items: bool,
    pub(super) items: Option<RuleId>,
}

/// What only objects are asked.
#[derive(Debug)]
pub(super) struct ObjectChecks {
    pub(super) required: Box<[String]>,
    /// The required ones without a schema of their own.
    undeclared: Box<[String]>,
    declared: usize,
    /// Sorted by name.
    properties: Box<[Declared]>,
    additional: Option<RuleId>,
}

/// A member of `properties`.
#[derive(Debug)]
pub(super) struct Declared {
    pub(super) name: Box<str>,
    pub(super) rule: RuleId,
    pub(super) is_required: bool,
}

/// What applies to a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Property {
    Declared(RuleId),
    Additional(RuleId),
    Free,
}

/// The subschemas for the value itself.
#[derive(Debug)]
pub(super) struct InPlace {
    pub(super) all_of: Box<[RuleId]>,
    pub(super) any_of: Option<Union>,
    pub(super) one_of: Option<Union>,
    pub(super) not: Option<RuleId>,
}

impl Checks {
    pub(super) fn items(&self) -> Option<RuleId> {
        self.arrays.as_ref()?.items
    }

    /// Where the properties of an object are looked at one by one.
    pub(super) fn members(&self) -> Option<&ObjectChecks> {
        self.objects.as_deref().filter(|objects| objects.has_members())
    }

    pub(super) fn properties(&self) -> &[Declared] {
        self.objects.as_ref().map_or(&[], |objects| &objects.properties)
    }

    pub(super) fn all_of(&self) -> &[RuleId] {
        self.in_place.as_ref().map_or(&[], |in_place| &in_place.all_of)
    }

    /// The only value that is allowed.
    pub(super) fn constant(&self) -> Option<&Json> {
        match (&self.const_value, &self.enum_values) {
            (Some(literals), _) | (None, Some(literals)) if literals.values().len() == 1 => literals.values().first(),
            _ => None,
        }
    }
}

impl ObjectChecks {
    pub(super) fn new(required: &[String], properties: Vec<(String, RuleId)>, additional: Option<RuleId>) -> Self {
        let names: std::collections::HashSet<&str> = required.iter().map(String::as_str).collect();
        let declare = |(name, rule): (String, RuleId)| {
            let is_required = names.contains(name.as_str());
            Declared { name: name.into(), rule, is_required }
        };
        let mut properties: Box<[Declared]> = properties.into_iter().map(declare).collect();
        properties.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let declared = properties.iter().filter(|property| property.is_required).count();
        let mut objects =
            Self { required: required.into(), undeclared: Box::default(), declared, properties, additional };
        objects.undeclared = required.iter().filter(|name| objects.find(name, 0).is_none()).cloned().collect();
        objects
    }

    /// The required names that [`find`](Self::find) does not find.
    pub(super) fn undeclared(&self) -> &[String] {
        &self.undeclared
    }

    /// How many names are both declared and required.
    pub(super) fn declared(&self) -> usize {
        self.declared
    }

    /// Whether members are looked at one by one.
    pub(super) fn has_members(&self) -> bool {
        !self.properties.is_empty() || self.additional.is_some()
    }

    pub(super) fn additional(&self) -> Option<RuleId> {
        self.additional
    }

    pub(super) fn property(&self, name: &str) -> Property {
        match (self.find(name, 0), self.additional) {
            (Some((_, declared)), _) => Property::Declared(declared.rule),
            (None, Some(rule)) => Property::Additional(rule),
            (None, None) => Property::Free,
        }
    }

    /// The property of that name and its index. `next` is where it is looked for first: the names of a payload mostly come
    /// sorted, as these are.
    pub(super) fn find(&self, name: &str, next: usize) -> Option<(usize, &Declared)> {
        if let Some(guess) = self.properties.get(next)
            && same(&guess.name, name)
        {
            return Some((next, guess));
        }
        let index = if self.properties.len() <= FEW {
            self.properties.iter().position(|declared| same(&declared.name, name))?
        } else {
            self.properties.binary_search_by(|declared| declared.name.as_ref().cmp(name)).ok()?
        };
        self.properties.get(index).map(|declared| (index, declared))
    }
}
