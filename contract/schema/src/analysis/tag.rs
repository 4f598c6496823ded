//! Tags: a property whose value shows which branch of a union an object can match.

use std::collections::{HashMap, HashSet};

use super::profile::Profile;
use crate::Json;

/// A property that some branches require to have one of some values.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Tag {
    /// The name of the property.
    pub name: String,
    /// The values, in the order of the branches, each with the branches that an object with it can match. No payload
    /// equals two of the values.
    pub values: Vec<TagValue>,
    /// The branches that an object can match whatever its tag is, in order; also those for objects without it.
    pub untagged: Vec<usize>,
}

/// A value of a [`Tag`].
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct TagValue {
    /// The value.
    pub value: Json,
    /// The branches that require the tag and allow this value, in order. An object with this value can match these and
    /// the untagged ones.
    pub branches: Vec<usize>,
}

impl Tag {
    /// The property that the most branches have as a tag, and at least two; of several, an exclusive one if there is
    /// any, and then the one whose name is first in byte order: types are named after its values, so the order in which
    /// the schema declares properties must not matter. Branches that allow no objects do not count.
    ///
    /// Takes time linear in the size of the constants.
    pub fn find<'p>(profiles: impl IntoIterator<Item = &'p Profile>) -> Option<Self> {
        let objects: Vec<(usize, &Profile)> =
            profiles.into_iter().enumerate().filter(|(_, profile)| profile.allows_objects()).collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for (name, _) in objects.iter().flat_map(|(_, profile)| &profile.constants) {
            *counts.entry(name).or_default() += 1;
        }
        let most = counts.values().copied().max().filter(|most| *most > 1)?;
        let mut candidates: Vec<&str> =
            counts.iter().filter(|(_, count)| **count == most).map(|(name, _)| *name).collect();
        candidates.sort_unstable();
        let first = *candidates.first()?;
        let is_exclusive = |name: &&str| is_exclusive(objects.iter().map(|(_, profile)| *profile), name);
        let name = match most == objects.len() {
            true => candidates.into_iter().find(is_exclusive).unwrap_or(first),
            false => first,
        };
        Some(Self::new(name, &objects))
    }

    fn new(name: &str, objects: &[(usize, &Profile)]) -> Self {
        let mut tag = Self { name: name.to_owned(), values: Vec::new(), untagged: Vec::new() };
        let mut positions: HashMap<String, usize> = HashMap::new();
        for (branch, profile) in objects {
            let Some(values) = profile.constant(name) else {
                tag.untagged.push(*branch);
                continue;
            };
            for value in values {
                let at = *positions.entry(equality_key(value)).or_insert_with(|| {
                    tag.values.push(TagValue { value: value.clone(), branches: Vec::new() });
                    tag.values.len() - 1
                });
                let branches = tag.values.get_mut(at).map(|value| &mut value.branches);
                // Two values of one branch can have the same key.
                let branches = branches.filter(|branches| branches.last() != Some(branch));
                branches.into_iter().for_each(|branches| branches.push(*branch));
            }
        }
        tag
    }

    /// The branches that an object whose tag has this value can match, in order. Linear in the size of the tag.
    pub fn candidates(&self, value: &serde_json::Value) -> Vec<usize> {
        let equal = self.values.iter().filter(|tagged| tagged.value.equals(value));
        let mut branches: Vec<usize> =
            equal.flat_map(|tagged| &tagged.branches).chain(&self.untagged).copied().collect();
        branches.sort_unstable();
        branches.dedup();
        branches
    }

    /// Whether every branch for objects has the tag, and each value leaves one branch.
    pub fn is_exclusive(&self) -> bool {
        self.untagged.is_empty() && self.values.iter().all(|value| value.branches.len() == 1)
    }
}

/// Whether each profile has the tag, and no value of it occurs in two.
pub(super) fn is_exclusive<'p>(profiles: impl IntoIterator<Item = &'p Profile>, name: &str) -> bool {
    let mut seen = HashSet::new();
    profiles.into_iter().all(|profile| {
        profile.constant(name).is_some_and(|values| {
            let own: HashSet<String> = values.iter().map(equality_key).collect();
            own.into_iter().all(|value| seen.insert(value))
        })
    })
}

/// A text that is the same for two values of a schema if one payload may equal both.
///
/// It differs from the canonical form for numbers: a payload's binary64 equals both its exact value and the shortest
/// decimal that reads back as it, so two different numbers of a schema can equal the same payload.
pub fn equality_key(value: &Json) -> String {
    match value {
        // Adding zero makes `-0` the same as `0`.
        Json::Number(number) => format!("{:e}", number.as_f64() + 0.0),
        Json::Array(items) => format!("[{}]", items.iter().map(equality_key).collect::<Vec<_>>().join(",")),
        Json::Object(members) => {
            let mut members: Vec<String> =
                members.iter().map(|(name, value)| format!("{name:?}:{}", equality_key(value))).collect();
            members.sort_unstable();
            format!("{{{}}}", members.join(","))
        }
        scalar => scalar.canonical(),
    }
}
