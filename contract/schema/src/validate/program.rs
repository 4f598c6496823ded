//! The parts of a compiled schema.

use super::candidates::Union;
use super::literal::{Literals, same};
use crate::{Assertions, Divisor, Format, Number, Pattern, TypeSet};

/// Up to this many properties, comparing them one by one is faster than a binary search.
const FEW: usize = 24;

/// An index into a [`Program`](super::compile::Program). It never identifies a reference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct SubschemaId(pub(super) u32);

#[derive(Debug)]
pub(super) enum Subschema {
    Bool(bool),
    Checks(Checks),
}

/// The assertions of a subschema. Assertions about one JSON type are behind a pointer, which keeps this small:
/// evaluation goes from one to the next, and smaller ones stay in the cache.
#[derive(Debug)]
pub(super) struct Checks {
    pub(super) types: TypeSet,
    /// Whether one place of the payload may reach it more than once, so that its result is worth remembering.
    pub(super) is_shared: bool,
    pub(super) enum_values: Option<Box<Literals>>,
    /// A single literal.
    pub(super) const_value: Option<Box<Literals>>,
    pub(super) numbers: Box<[NumberCheck]>,
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

/// An assertion about numbers.
#[derive(Debug)]
pub(super) enum NumberCheck {
    Bound(Bound, Number),
    MultipleOf(Divisor),
}

/// Assertions about strings.
#[derive(Debug)]
pub(super) struct StringChecks {
    pub(super) min_length: Option<u64>,
    pub(super) max_length: Option<u64>,
    pub(super) pattern: Option<Pattern>,
    pub(super) format: Option<Format>,
}

/// Assertions about arrays.
#[derive(Debug)]
pub(super) struct ArrayChecks {
    pub(super) min_items: Option<u64>,
    pub(super) max_items: Option<u64>,
    pub(super) unique_items: bool,
    /// `items` as a list: those of the first items.
    tuple: Box<[SubschemaId]>,
    /// `items`, or `additionalItems` next to a list.
    rest: Option<SubschemaId>,
    pub(super) contains: Option<SubschemaId>,
}

/// Assertions about objects.
#[derive(Debug)]
pub(super) struct ObjectChecks {
    pub(super) required: Box<[String]>,
    pub(super) min_properties: Option<u64>,
    pub(super) max_properties: Option<u64>,
    /// `dependentRequired`.
    pub(super) dependent: Box<[(String, Vec<String>)]>,
    /// The required names that `properties` does not declare.
    undeclared: Box<[String]>,
    /// How many required names `properties` declares.
    declared: usize,
    /// Sorted by name.
    properties: Box<[Declared]>,
    /// `patternProperties`.
    patterns: Box<[(Pattern, SubschemaId)]>,
    additional: Option<SubschemaId>,
    /// `propertyNames`.
    names: Option<Box<StringChecks>>,
}

/// A member of `properties`.
#[derive(Debug)]
pub(super) struct Declared {
    pub(super) name: Box<str>,
    pub(super) subschema: SubschemaId,
    pub(super) is_required: bool,
}

/// The subschema that applies to a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Property {
    Declared(SubschemaId),
    Additional(SubschemaId),
    Free,
}

/// The subschemas that apply to the value itself.
#[derive(Debug)]
pub(super) struct InPlace {
    pub(super) all_of: Box<[SubschemaId]>,
    pub(super) any_of: Option<Union>,
    pub(super) one_of: Option<Union>,
    pub(super) not: Option<SubschemaId>,
    pub(super) condition: Option<Condition>,
}

/// `if`, `then` and `else`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Condition {
    pub(super) condition: SubschemaId,
    pub(super) then: Option<SubschemaId>,
    pub(super) otherwise: Option<SubschemaId>,
}

impl Checks {
    /// The assertions about arrays, if they apply to items.
    pub(super) fn items(&self) -> Option<&ArrayChecks> {
        self.arrays.as_deref().filter(|arrays| arrays.has_items())
    }

    /// The assertions about objects, if they apply to members.
    pub(super) fn members(&self) -> Option<&ObjectChecks> {
        self.objects.as_deref().filter(|objects| objects.has_members())
    }

    pub(super) fn all_of(&self) -> &[SubschemaId] {
        self.in_place.as_ref().map_or(&[], |in_place| &in_place.all_of)
    }
}

impl Condition {
    /// The subschema that applies to a value, by whether it matches `if`.
    pub(super) fn consequence(&self, is_met: bool) -> Option<SubschemaId> {
        if is_met { self.then } else { self.otherwise }
    }
}

impl ArrayChecks {
    /// The checks of these assertions. `rest` is the subschema of the items after those of `tuple`.
    pub(super) fn new(
        assertions: &Assertions,
        tuple: Box<[SubschemaId]>,
        rest: Option<SubschemaId>,
        contains: Option<SubschemaId>,
    ) -> Self {
        let Assertions { min_items, max_items, unique_items, .. } = *assertions;
        Self { min_items, max_items, unique_items, tuple, rest, contains }
    }

    /// Whether a subschema applies to some item; that of `contains` does not count.
    pub(super) fn has_items(&self) -> bool {
        self.rest.is_some() || !self.tuple.is_empty()
    }

    /// The subschema of every item, if it is the same for all.
    pub(super) fn every_item(&self) -> Option<SubschemaId> {
        self.rest.filter(|_| self.tuple.is_empty())
    }

    /// The subschema of the item with an index.
    pub(super) fn item(&self, index: usize) -> Option<SubschemaId> {
        self.tuple.get(index).copied().or(self.rest)
    }
}

impl ObjectChecks {
    /// The checks of these assertions.
    pub(super) fn new(
        assertions: &Assertions,
        properties: Vec<(String, SubschemaId)>,
        patterns: Box<[(Pattern, SubschemaId)]>,
        additional: Option<SubschemaId>,
        names: Option<Box<StringChecks>>,
    ) -> Self {
        let required = assertions.required.as_slice();
        let wanted: std::collections::HashSet<&str> = required.iter().map(String::as_str).collect();
        let declare = |(name, subschema): (String, SubschemaId)| {
            let is_required = wanted.contains(name.as_str());
            Declared { name: name.into(), subschema, is_required }
        };
        let mut properties: Box<[Declared]> = properties.into_iter().map(declare).collect();
        properties.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let declared = properties.iter().filter(|property| property.is_required).count();
        let mut objects = Self {
            required: required.into(),
            min_properties: assertions.min_properties,
            max_properties: assertions.max_properties,
            dependent: assertions.dependent_required.as_slice().into(),
            undeclared: Box::default(),
            declared,
            properties,
            patterns,
            additional,
            names,
        };
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

    /// Whether a subschema applies to members, or an assertion to their names.
    pub(super) fn has_members(&self) -> bool {
        !self.properties.is_empty() || !self.patterns.is_empty() || self.additional.is_some() || self.names.is_some()
    }

    /// The assertions about the names of members.
    pub(super) fn names(&self) -> Option<&StringChecks> {
        self.names.as_deref()
    }

    pub(super) fn additional(&self) -> Option<SubschemaId> {
        self.additional
    }

    /// The members of `patternProperties`.
    pub(super) fn patterns(&self) -> &[(Pattern, SubschemaId)] {
        &self.patterns
    }

    /// The subschemas of the patterns that match a name.
    ///
    /// # Errors
    /// The first pattern that reaches its step limit.
    pub(super) fn matching(&self, name: &str) -> Result<Vec<SubschemaId>, &Pattern> {
        let mut found = Vec::new();
        for (pattern, subschema) in &self.patterns {
            if pattern.is_match(name).map_err(|_| pattern)? {
                found.push(*subschema);
            }
        }
        Ok(found)
    }

    /// The subschema of a property apart from those of patterns. `is_matched`: whether a pattern matches the name.
    pub(super) fn property(&self, name: &str, is_matched: bool) -> Property {
        match (self.find(name, 0), self.additional.filter(|_| !is_matched)) {
            (Some((_, declared)), _) => Property::Declared(declared.subschema),
            (None, Some(subschema)) => Property::Additional(subschema),
            (None, None) => Property::Free,
        }
    }

    /// The property with that name and its index. The index `next` is tried first: these names are sorted, and usually
    /// those of a payload are too.
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
