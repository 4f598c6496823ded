//! The properties by whose presence the object branches of a union are told apart: each is required in one branch, and
//! forbidden in every other one.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use capgen_schema::{Kind, Schema};

use super::conj::{Conj, Facets, flatten};

/// What tells a branch from every other.
pub(super) struct Key {
    pub(super) name: String,
    /// No other property does.
    pub(super) is_sole: bool,
}

/// The properties that every value of a branch has, and those that none has, as far as a look tells.
struct Presence<'a> {
    required: Vec<&'a str>,
    /// The only ones that may be there.
    allowed: Option<HashSet<&'a str>>,
    forbidden: HashSet<Cow<'a, str>>,
}

/// The key of each branch, where every branch has one; and how many names were looked at.
pub(super) fn keys(schema: &Schema, branches: &[&Conj]) -> (Option<Vec<Key>>, usize) {
    let presences: Vec<Presence<'_>> =
        branches.iter().map(|conj| Presence::of(schema, &flatten(schema, conj))).collect();
    let admitted = Admitted::by(&presences);
    let keys = presences.iter().map(|presence| {
        let mut keys = presence.required.iter().filter(|name| presence.admits(name) && admitted.count(name) == 1);
        let name = (*keys.next()?).to_owned();
        Some(Key { name, is_sole: keys.next().is_none() })
    });
    (keys.collect(), presences.iter().map(Presence::size).sum())
}

/// The property of a branch that has to have it and can have no other.
pub(super) fn only(schema: &Schema, branch: &Conj) -> Option<String> {
    let presence = Presence::of(schema, &flatten(schema, branch));
    let is_only = presence.allowed.as_ref().is_some_and(|allowed| allowed.len() == 1);
    match presence.required.as_slice() {
        [name] if is_only && presence.admits(name) => Some((*name).to_owned()),
        _ => None,
    }
}

impl<'a> Presence<'a> {
    fn of(schema: &Schema, facets: &Facets<'a>) -> Self {
        let mut seen = HashSet::new();
        let required = facets.groups.iter().flat_map(|group| &group.required).map(String::as_str);
        let required = required.filter(|name| seen.insert(*name)).collect();
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

    fn admits(&self, name: &str) -> bool {
        !self.forbidden.contains(name) && self.allowed.as_ref().is_none_or(|allowed| allowed.contains(name))
    }

    fn size(&self) -> usize {
        self.required.len() + self.forbidden.len() + self.allowed.as_ref().map_or(0, HashSet::len)
    }
}

/// How many branches admit a property. Counted, for to ask each branch of each property would take the square.
struct Admitted<'p> {
    closed: HashMap<&'p str, usize>,
    open: usize,
    forbidden_in_open: HashMap<&'p str, usize>,
}

impl<'p> Admitted<'p> {
    fn by(presences: &'p [Presence<'_>]) -> Self {
        let mut counts = Self { closed: HashMap::new(), open: 0, forbidden_in_open: HashMap::new() };
        for presence in presences {
            if let Some(allowed) = &presence.allowed {
                for name in allowed.iter().filter(|name| presence.admits(name)) {
                    *counts.closed.entry(name).or_default() += 1;
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

    fn count(&self, name: &str) -> usize {
        let of = |counts: &HashMap<&str, usize>| counts.get(name).copied().unwrap_or_default();
        of(&self.closed) + self.open.saturating_sub(of(&self.forbidden_in_open))
    }
}
