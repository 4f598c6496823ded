//! Sets of property names, which may be infinite: those that an object can have.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::facets::{SingleAssertion, single_assertion};
use crate::{Assertions, Kind, Schema};

/// Names, or all names but some.
#[derive(Clone, Debug)]
pub(super) enum Names<'a> {
    Only(HashSet<Cow<'a, str>>),
    AllBut(HashSet<Cow<'a, str>>),
}

impl<'a> Names<'a> {
    /// The properties that an object can have, as far as a subschema's own assertions show.
    pub(super) fn allowed(schema: &Schema, group: &'a Assertions) -> Self {
        let is_false = |node| matches!(schema.node(node).kind, Kind::Bool(false));
        let (forbidden, declared): (Vec<_>, Vec<_>) = group.properties.iter().partition(|(_, node)| is_false(*node));
        let borrowed = |names: Vec<&'a (String, _)>| names.into_iter().map(|(name, _)| Cow::Borrowed(name.as_str()));
        // Patterns may allow any names.
        let is_closed = group.pattern_properties.is_empty() && group.additional_properties.is_some_and(is_false);
        let mut names = match is_closed {
            true => Self::Only(borrowed(declared).collect()),
            false => Self::AllBut(borrowed(forbidden).collect()),
        };
        if let Some(Kind::Assertions(not)) = group.not.map(|not| &schema.node(not).kind)
            && let Some(SingleAssertion::Required(name)) = single_assertion(not)
        {
            names.restrict(&Self::AllBut(HashSet::from([Cow::Owned(name.to_owned())])));
        }
        names
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        match self {
            Self::Only(names) => names.contains(name),
            Self::AllBut(names) => !names.contains(name),
        }
    }

    /// How many names are stored.
    pub(super) fn size(&self) -> usize {
        let (Self::Only(names) | Self::AllBut(names)) = self;
        names.len()
    }

    /// Keeps only the names that another set contains too.
    pub(super) fn restrict(&mut self, other: &Self) {
        match (&mut *self, other) {
            (Self::AllBut(own), Self::AllBut(others)) => own.extend(others.iter().cloned()),
            (Self::Only(own), _) => own.retain(|name| other.contains(name)),
            (Self::AllBut(_), Self::Only(others)) => {
                let both = others.iter().filter(|name| self.contains(name)).cloned().collect();
                *self = Self::Only(both);
            }
        }
    }

    /// Adds the names that another set contains.
    pub(super) fn extend(&mut self, other: &Self) {
        match (&mut *self, other) {
            (Self::Only(own), Self::Only(others)) => own.extend(others.iter().cloned()),
            (Self::AllBut(own), _) => own.retain(|name| !other.contains(name)),
            (Self::Only(_), Self::AllBut(others)) => {
                let neither = others.iter().filter(|name| !self.contains(name)).cloned().collect();
                *self = Self::AllBut(neither);
            }
        }
    }
}

/// How many of some sets contain a name. Counted in advance, since asking each set about each name would take quadratic
/// time.
pub(super) struct Counts<'n> {
    in_finite: HashMap<&'n str, usize>,
    infinite: usize,
    excluded: HashMap<&'n str, usize>,
}

impl<'n> Counts<'n> {
    pub(super) fn of(sets: impl Iterator<Item = &'n Names<'n>>) -> Self {
        let mut counts = Self { in_finite: HashMap::new(), infinite: 0, excluded: HashMap::new() };
        for set in sets {
            let (names, of_names) = match set {
                Names::Only(names) => (names, &mut counts.in_finite),
                Names::AllBut(names) => {
                    counts.infinite += 1;
                    (names, &mut counts.excluded)
                }
            };
            names.iter().for_each(|name| *of_names.entry(name).or_default() += 1);
        }
        counts
    }

    pub(super) fn of_name(&self, name: &str) -> usize {
        let of = |counts: &HashMap<&str, usize>| counts.get(name).copied().unwrap_or_default();
        of(&self.in_finite) + self.infinite.saturating_sub(of(&self.excluded))
    }
}
