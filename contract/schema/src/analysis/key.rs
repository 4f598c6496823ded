//! Keys: a property whose presence shows which branch of a union an object can match. Each key is required in one
//! branch and forbidden in every other.

use std::borrow::Cow;
use std::collections::HashSet;

use super::conjunction::Conjunction;
use super::facets::Facets;
use super::names::{Counts, Names};
use crate::Schema;

/// The property that only one branch allows, and requires.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Key {
    /// The name of the property.
    pub name: String,
    /// Whether the branch has no other such property.
    pub is_sole: bool,
}

/// The properties that every object of a branch has, and those that it can have.
struct Presence<'a> {
    required: Vec<&'a str>,
    allowed: Names<'a>,
}

/// The key of each branch if every branch has one, and how many names were compared. If there are keys, at most one
/// branch matches an object.
///
/// Takes time linear in the size of the branches.
pub fn keys(schema: &Schema, branches: &[&Conjunction]) -> (Option<Vec<Key>>, usize) {
    let facets: Vec<Facets<'_>> = branches.iter().map(|branch| branch.facets(schema)).collect();
    let presences: Vec<Presence<'_>> = facets.iter().map(|branch| Presence::of(schema, branch)).collect();
    let counts = Counts::of(presences.iter().map(|presence| &presence.allowed));
    let keys = presences.iter().map(|presence| {
        let mut keys =
            presence.required.iter().filter(|name| presence.allowed.contains(name) && counts.of_name(name) == 1);
        let name = (*keys.next()?).to_owned();
        Some(Key { name, is_sole: keys.next().is_none() })
    });
    let size = |presence: &Presence<'_>| presence.required.len() + presence.allowed.size();
    (keys.collect(), presences.iter().map(size).sum())
}

/// The property of a branch whose objects have that property and no other.
pub fn only_property(schema: &Schema, branch: &Conjunction) -> Option<String> {
    let presence = Presence::of(schema, &branch.facets(schema));
    let is_only = matches!(&presence.allowed, Names::Only(names) if names.len() == 1);
    match presence.required.as_slice() {
        [name] if is_only && presence.allowed.contains(name) => Some((*name).to_owned()),
        _ => None,
    }
}

impl<'a> Presence<'a> {
    fn of(schema: &Schema, facets: &Facets<'a>) -> Self {
        let mut seen = HashSet::new();
        let required = facets.required().filter(|name| seen.insert(*name)).collect();
        let mut allowed = Names::AllBut(facets.forbidden.iter().cloned().map(Cow::Owned).collect());
        facets.groups.iter().for_each(|group| allowed.restrict(&Names::allowed(schema, group)));
        Self { required, allowed }
    }
}
