//! Keys: a property whose presence shows which branch of a union an object can match. Each key is required in one branch and
//! forbidden in every other.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::conjunction::Conjunction;
use super::facets::Facets;
use crate::{Kind, Schema};

/// The property that only one branch allows, and requires.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Key {
    /// The name of the property.
    pub name: String,
    /// Whether the branch has no other such property.
    pub is_sole: bool,
}

/// The properties that every object of a branch has, and those that none has.
struct Presence<'a> {
    required: Vec<&'a str>,
    /// The only properties that are allowed, if others are not.
    allowed: Option<HashSet<&'a str>>,
    forbidden: HashSet<Cow<'a, str>>,
}

/// The key of each branch if every branch has one, and how many names were compared. If there are keys, at most one branch
/// matches an object.
///
/// Takes time linear in the size of the branches.
pub fn keys(schema: &Schema, branches: &[&Conjunction]) -> (Option<Vec<Key>>, usize) {
    of_facets(schema, &branches.iter().map(|branch| branch.facets(schema)).collect::<Vec<_>>())
}

/// Like [`keys`], for branches whose facets are known.
pub(super) fn of_facets(schema: &Schema, branches: &[Facets<'_>]) -> (Option<Vec<Key>>, usize) {
    let presences: Vec<Presence<'_>> = branches.iter().map(|branch| Presence::of(schema, branch)).collect();
    let counts = Counts::of(&presences);
    let keys = presences.iter().map(|presence| {
        let mut keys = presence.required.iter().filter(|name| presence.allows(name) && counts.allowing(name) == 1);
        let name = (*keys.next()?).to_owned();
        Some(Key { name, is_sole: keys.next().is_none() })
    });
    (keys.collect(), presences.iter().map(Presence::size).sum())
}

/// The property of a branch whose objects have that property and no other.
pub fn only_property(schema: &Schema, branch: &Conjunction) -> Option<String> {
    let presence = Presence::of(schema, &branch.facets(schema));
    let is_only = presence.allowed.as_ref().is_some_and(|allowed| allowed.len() == 1);
    match presence.required.as_slice() {
        [name] if is_only && presence.allows(name) => Some((*name).to_owned()),
        _ => None,
    }
}

impl<'a> Presence<'a> {
    fn of(schema: &Schema, facets: &Facets<'a>) -> Self {
        let mut seen = HashSet::new();
        let required = facets.required().filter(|name| seen.insert(*name)).collect();
        let mut allowed: Option<HashSet<&'a str>> = None;
        let mut forbidden: HashSet<Cow<'a, str>> = facets.forbidden.iter().cloned().map(Cow::Owned).collect();
        let is_false = |node| matches!(schema.node(node).kind, Kind::Bool(false));
        for group in &facets.groups {
            let own = group.properties.iter();
            forbidden.extend(own.clone().filter(|(_, node)| is_false(*node)).map(|(name, _)| name.as_str().into()));
            if group.additional_properties.is_some_and(is_false) {
                let own = own.map(|(name, _)| name.as_str());
                allowed = Some(match allowed {
                    None => own.collect(),
                    Some(before) => own.filter(|name| before.contains(name)).collect(),
                });
            }
        }
        Self { required, allowed, forbidden }
    }

    fn allows(&self, name: &str) -> bool {
        !self.forbidden.contains(name) && self.allowed.as_ref().is_none_or(|allowed| allowed.contains(name))
    }

    fn size(&self) -> usize {
        self.required.len() + self.forbidden.len() + self.allowed.as_ref().map_or(0, HashSet::len)
    }
}

/// How many branches allow a property. Counted in advance, since asking each branch about each property would take quadratic
/// time.
struct Counts<'p> {
    /// Of the branches that list all their properties, how many allow each.
    in_closed: HashMap<&'p str, usize>,
    /// How many branches allow all but the forbidden properties.
    open: usize,
    forbidden_in_open: HashMap<&'p str, usize>,
}

impl<'p> Counts<'p> {
    fn of(presences: &'p [Presence<'_>]) -> Self {
        let mut counts = Self { in_closed: HashMap::new(), open: 0, forbidden_in_open: HashMap::new() };
        for presence in presences {
            if let Some(allowed) = &presence.allowed {
                for name in allowed.iter().filter(|name| presence.allows(name)) {
                    *counts.in_closed.entry(name).or_default() += 1;
                }
            } else {
                counts.open += 1;
                for name in &presence.forbidden {
                    *counts.forbidden_in_open.entry(name).or_default() += 1;
                }
            }
        }
        counts
    }

    fn allowing(&self, name: &str) -> usize {
        let of = |counts: &HashMap<&str, usize>| counts.get(name).copied().unwrap_or_default();
        of(&self.in_closed) + self.open.saturating_sub(of(&self.forbidden_in_open))
    }
}
