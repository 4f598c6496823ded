//! The schemas of a comparison as terms: small assertions, of which equal ones have the same id.
//!
//! Subschemas of both schemas become terms of one table. Subschemas that mean the same by their structure, also
//! recursive ones, get the same id, so that the parts that two versions of a schema have in common are recognised
//! without looking into them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::build;
use super::machine::Machine;
use crate::{Format, Json, Number, Pattern, Schema, TypeSet};

/// The id of a [`Term`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct TermId(pub(super) u32);

/// A term, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Literal {
    pub(super) term: TermId,
    pub(super) positive: bool,
}

/// One assertion. As in JSON Schema, an assertion about one type accepts every value of another type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Term {
    All(Vec<TermId>),
    AnyOf(Vec<TermId>),
    OneOf(Vec<TermId>),
    Not(TermId),
    /// The [bits](TypeSet::bits) of some types.
    Types(u8),
    /// Indexes into [`Terms::values`], sorted.
    Values(Vec<u32>),
    Minimum {
        limit: Number,
        exclusive: bool,
    },
    Maximum {
        limit: Number,
        exclusive: bool,
    },
    MultipleOf(Number),
    MinLength(u64),
    MaxLength(u64),
    Pattern(String),
    /// A format that is not exactly a pattern.
    Format(Format),
    MinItems(u64),
    MaxItems(u64),
    UniqueItems,
    Items(TermId),
    /// `items` as a list, and `additionalItems`.
    Tuple {
        positions: Vec<TermId>,
        rest: TermId,
    },
    MinProperties(u64),
    MaxProperties(u64),
    Required(String),
    /// `properties` in the order of their names, `patternProperties` as conditions on names with the terms of values,
    /// and `additionalProperties`.
    Members {
        declared: Vec<(String, TermId)>,
        patterns: Vec<(TermId, TermId)>,
        rest: TermId,
    },
    /// `propertyNames`: the name of every member, as a string, conforms to the term.
    Names(TermId),
}

/// The bits of every type.
pub(super) const ALL_TYPES: u8 = TypeSet::ALL.bits();

/// A string pattern, compiled both ways: to decide about one text, and to find texts.
#[derive(Debug)]
pub(super) struct CompiledPattern {
    pub(super) pattern: Pattern,
    /// `None` for very large patterns.
    pub(super) machine: Option<Machine>,
}

impl CompiledPattern {
    /// Whether the machine accepts the same texts as the pattern.
    pub(super) fn is_exact(&self) -> bool {
        self.machine.as_ref().is_some_and(|machine| machine.is_exact)
    }
}

#[derive(Debug, Default)]
pub(super) struct Terms {
    terms: Vec<Term>,
    ids: HashMap<Term, TermId>,
    values: Vec<Json>,
    value_ids: HashMap<String, u32>,
    /// The schema of an object that is a member of `enum`: it accepts this object and no other object.
    objects: HashMap<u32, TermId>,
    patterns: RefCell<HashMap<String, Option<Rc<CompiledPattern>>>>,
    /// Strings that the schemas mention, for patterns that the search cannot construct strings for.
    pub(super) texts: Rc<[String]>,
    /// See [`Terms::types`].
    types: RefCell<HashMap<Literal, u8>>,
}

impl Literal {
    pub(super) fn is(term: TermId) -> Self {
        Self { term, positive: true }
    }

    pub(super) fn is_not(term: TermId) -> Self {
        Self { term, positive: false }
    }

    pub(super) fn negated(self) -> Self {
        Self { positive: !self.positive, ..self }
    }
}

impl Terms {
    /// The terms of the roots of two schemas.
    pub(super) fn of(schemas: [&Schema; 2]) -> (Self, [TermId; 2]) {
        let mut terms = Self::default();
        let roots = build::add(&mut terms, schemas);
        (terms, roots)
    }

    pub(super) fn get(&self, id: TermId) -> &Term {
        const NOTHING: &Term = &Term::AnyOf(Vec::new());
        self.terms.get(id.0 as usize).unwrap_or(NOTHING)
    }

    pub(super) fn add(&mut self, term: Term) -> TermId {
        if let Some(id) = self.ids.get(&term) {
            return *id;
        }
        let id = self.reserve();
        self.ids.insert(term.clone(), id);
        self.define(id, term);
        id
    }

    /// An id whose term follows: for recursive schemas.
    pub(super) fn reserve(&mut self) -> TermId {
        self.terms.push(Term::All(Vec::new()));
        TermId(u32::try_from(self.terms.len() - 1).unwrap_or(u32::MAX))
    }

    pub(super) fn define(&mut self, id: TermId, term: Term) {
        if let Some(place) = self.terms.get_mut(id.0 as usize) {
            *place = term;
        }
    }

    pub(super) fn anything(&mut self) -> TermId {
        self.add(Term::All(Vec::new()))
    }

    pub(super) fn nothing(&mut self) -> TermId {
        self.add(Term::AnyOf(Vec::new()))
    }

    /// The term that accepts some values.
    pub(super) fn one_of_values<'a>(&mut self, values: impl IntoIterator<Item = &'a Json>) -> TermId {
        let mut ids: Vec<u32> = values.into_iter().map(|value| self.value_id(value)).collect();
        ids.sort_unstable();
        ids.dedup();
        self.add(Term::Values(ids))
    }

    fn value_id(&mut self, value: &Json) -> u32 {
        let key = value.canonical();
        if let Some(id) = self.value_ids.get(&key) {
            return *id;
        }
        let id = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        self.value_ids.insert(key, id);
        self.values.push(value.clone());
        if let Json::Object(members) = value {
            let mut parts: Vec<TermId> =
                members.iter().map(|(name, _)| self.add(Term::Required(name.clone()))).collect();
            let mut declared: Vec<(String, TermId)> =
                members.iter().map(|(name, value)| (name.clone(), self.one_of_values([value]))).collect();
            declared.sort();
            let rest = self.nothing();
            parts.push(self.add(Term::Members { declared, patterns: Vec::new(), rest }));
            let object = self.add(Term::All(parts));
            self.objects.insert(id, object);
        }
        id
    }

    /// The id of a value, if a schema lists it.
    pub(super) fn known_value(&self, value: &Json) -> Option<u32> {
        self.value_ids.get(&value.canonical()).copied()
    }

    pub(super) fn value(&self, id: u32) -> &Json {
        self.values.get(id as usize).unwrap_or(&Json::Null)
    }

    /// The term for an object among the values: no other object conforms to it.
    pub(super) fn object(&self, id: u32) -> Option<TermId> {
        self.objects.get(&id).copied()
    }

    /// The compiled form of a pattern; `None` cannot happen, because the loader has checked the pattern.
    pub(super) fn pattern(&self, source: &str) -> Option<Rc<CompiledPattern>> {
        if let Some(compiled) = self.patterns.borrow().get(source) {
            return compiled.clone();
        }
        let compile = |pattern| Rc::new(CompiledPattern { pattern, machine: Machine::of(source) });
        let compiled = Pattern::new(source).ok().map(compile);
        self.patterns.borrow_mut().insert(source.to_owned(), compiled.clone());
        compiled
    }

    /// The types of the values that conform to a literal, or more. The recursion ends, because the loader rejects
    /// schemas that refer to themselves at the same place.
    pub(super) fn types(&self, literal: Literal) -> u8 {
        if let Some(types) = self.types.borrow().get(&literal) {
            return *types;
        }
        let types = self.find_types(literal);
        self.types.borrow_mut().insert(literal, types);
        types
    }

    fn find_types(&self, Literal { term, positive }: Literal) -> u8 {
        let of = |id: &TermId| self.types(Literal { term: *id, positive });
        let all = |ids: &[TermId]| ids.iter().fold(ALL_TYPES, |types, id| types & of(id));
        let any = |ids: &[TermId]| ids.iter().fold(0, |types, id| types | of(id));
        let only = |types: u8| if positive { ALL_TYPES } else { types };
        match self.get(term) {
            Term::All(parts) if positive => all(parts),
            Term::All(parts) => any(parts),
            Term::AnyOf(parts) if positive => any(parts),
            Term::AnyOf(parts) => all(parts),
            Term::OneOf(parts) if positive => any(parts),
            Term::OneOf(_) => ALL_TYPES,
            Term::Not(part) => self.types(Literal { term: *part, positive: !positive }),
            Term::Types(types) if positive => *types,
            Term::Types(types) => ALL_TYPES & !*types,
            Term::Values(ids) if positive => ids.iter().fold(0, |types, id| types | bit_of(self.value(*id))),
            Term::Values(_) => ALL_TYPES,
            Term::Minimum { .. } | Term::Maximum { .. } => only(12),
            // An integer has only integers as multiples. If 1 is a multiple, then so is every integer.
            Term::MultipleOf(divisor) if positive && divisor.is_integer() => ALL_TYPES & !8,
            Term::MultipleOf(divisor) if !positive && Number::from(1_i64).is_multiple_of(divisor) => 8,
            Term::MultipleOf(_) => only(12),
            Term::MinLength(_) | Term::MaxLength(_) | Term::Pattern(_) | Term::Format(_) => only(16),
            Term::MinItems(_) | Term::MaxItems(_) | Term::UniqueItems => only(32),
            Term::Items(_) | Term::Tuple { .. } => only(32),
            Term::MinProperties(_) | Term::MaxProperties(_) => only(64),
            Term::Required(_) | Term::Members { .. } | Term::Names(_) => only(64),
        }
    }
}

/// The bit of a value's type.
pub(super) fn bit_of(value: &Json) -> u8 {
    match value {
        Json::Number(number) if !number.is_integer() => 8,
        other => other.type_of().bits(),
    }
}
