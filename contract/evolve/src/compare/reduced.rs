//! Breaking changes that other changes reduce.
//!
//! For example, a response loses its `type` and gets a `const`. The lost type alone would allow any value, but the new
//! version sends one. A reviewer who accepts the finding accepts this value. So the fingerprint covers the `const`,
//! too.

use std::collections::BTreeMap;

use capgen_manifest::Side;
use capgen_schema::{Containment, pointer};

use super::change::{Change, Kind};
use super::decider::{Decider, Effect};
use super::isolate;

/// The changes, by index, that reduce breaking changes of their place.
pub(super) struct Reducers<'d> {
    decider: &'d Decider<'d>,
    changes: &'d [&'d Change],
    places: Vec<Vec<String>>,
    /// Whether all changes but these break more payloads than the new version, for each list that was asked for.
    known: BTreeMap<Vec<usize>, bool>,
}

impl<'d> Reducers<'d> {
    pub(super) fn new(decider: &'d Decider<'d>, changes: &'d [&'d Change]) -> Self {
        let places = changes.iter().map(|change| place(decider, change)).collect();
        Self { decider, changes, places, known: BTreeMap::new() }
    }

    /// The changes without which the breaking change at an index would break more payloads, or may do so.
    pub(super) fn of(&mut self, breaking: usize, effects: &[Effect]) -> Vec<&'d Change> {
        let others = effects.iter().enumerate().filter(|(_, effect)| !effect.is_listed()).map(|(index, _)| index);
        let near: Vec<usize> = others.filter(|other| self.is_near(breaking, *other)).collect();
        if near.is_empty() {
            return Vec::new();
        }
        let is_reduced = match self.known.get(&near) {
            Some(known) => *known,
            None => {
                let reduces = self.reduce(&near);
                self.known.insert(near.clone(), reduces);
                reduces
            }
        };
        let near = near.into_iter().filter_map(|index| self.changes.get(index).copied());
        if is_reduced { near.collect() } else { Vec::new() }
    }

    /// Whether both changes concern the same values: one place contains the other one. Two properties do not contain
    /// each other, and what undeclared properties are depends on the names of the declared ones, and not on their
    /// schemas.
    fn is_near(&self, breaking: usize, other: usize) -> bool {
        let (Some(one), Some(two)) = (self.places.get(breaking), self.places.get(other)) else { return false };
        let is_rest = self.changes.get(breaking).is_some_and(|change| change.kind == Kind::Rest);
        let declares = self.changes.get(other).is_some_and(|change| is_of_property(change.kind));
        (one.starts_with(two) || two.starts_with(one)) && (!is_rest || declares || one == two)
    }

    /// Whether all changes but these break a payload that the new version does not break. True if this is not decided.
    fn reduce(&self, without: &[usize]) -> bool {
        let Decider { old, new, work, settings, .. } = *self.decider;
        let all = self.changes.iter().enumerate();
        let rest: Vec<&Change> = all.filter(|(index, _)| !without.contains(index)).map(|(_, change)| *change).collect();
        let Some(rest) = isolate::isolated(old, new, &rest) else { return true };
        let steps = isolate::part_of(settings.steps);
        let answer = match self.decider.side {
            // Requests that the old and the new version accept are accepted without these changes, too.
            Side::Request => isolate::both(old, new).map(|requests| work.contains(&rest, &requests, steps)),
            // Responses without these changes are responses of the old or the new version.
            Side::Response => isolate::either(old, new).map(|responses| work.contains(&responses, &rest, steps)),
        };
        answer != Some(Containment::Yes)
    }
}

fn is_of_property(kind: Kind) -> bool {
    matches!(kind, Kind::PropertyRemoved | Kind::PropertyAdded | Kind::Required | Kind::Optional)
}

/// The place of the values that a change concerns: the pointer of its subschema without `not`, `if` and the branches of
/// unions and `allOf`, which concern the same value as the schema around them. A change of a property is at the place
/// of the property.
fn place(decider: &Decider<'_>, change: &Change) -> Vec<String> {
    let mut tokens = pointer::tokens(&decider.old.node(change.old).pointer);
    let mut place = Vec::new();
    while let Some(keyword) = tokens.next() {
        match &*keyword {
            "allOf" | "anyOf" | "oneOf" => _ = tokens.next(),
            "not" | "if" | "then" | "else" => {}
            "properties" | "definitions" => {
                place.push(keyword.to_string());
                place.extend(tokens.next().map(|name| name.to_string()));
            }
            _ => place.push(keyword.to_string()),
        }
    }
    if let Some(name) = change.property.as_ref().filter(|_| is_of_property(change.kind)) {
        place.extend(["properties".to_owned(), name.clone()]);
    }
    place
}
