//! Properties of an object that were probably renamed.

use std::collections::{BTreeMap, BTreeSet};

use capgen_diagnostic::nearest;
use capgen_schema::{ANNOTATIONS, Assertions, Json, NodeId, Schema};

use super::{Walk, difference};

/// The most pairs of a removed and an added property of one object that are examined. That is a hundred removed and a
/// hundred added properties. Each pair compares two names or schemas, and the result is only a suggestion.
const MAX_PAIRS: usize = 10_000;

/// The probable new names of properties.
#[derive(Default)]
pub(super) struct Renames<'n> {
    new_by_old: BTreeMap<&'n str, &'n str>,
    old_by_new: BTreeMap<&'n str, &'n str>,
}

impl<'n> Renames<'n> {
    /// The help for a change of a property that has or had this name.
    pub(super) fn help(&self, name: &str) -> Option<String> {
        let (old, new) = match (self.new_by_old.get_key_value(name), self.old_by_new.get_key_value(name)) {
            (Some((old, new)), _) | (None, Some((new, old))) => (old, new),
            (None, None) => return None,
        };
        Some(format!("if `{old}` was renamed to `{new}`, keep both until no caller uses `{old}`"))
    }

    fn add(&mut self, old: &'n str, new: &'n str) {
        self.new_by_old.insert(old, new);
        self.old_by_new.insert(new, old);
    }
}

impl Walk<'_> {
    /// The properties that were probably renamed: those with a similar name, then those with the same schema as only
    /// one other. Names that are only in `required` count too.
    pub(super) fn renames<'n>(&self, place: (NodeId, NodeId), old: &'n Assertions, new: &'n Assertions) -> Renames<'n> {
        let mut renames = Renames::default();
        let (before, after) = (names(old), names(new));
        let (removed, added) = difference(&before, &after);
        if removed.is_empty() || added.is_empty() || removed.len().saturating_mul(added.len()) > MAX_PAIRS {
            return renames;
        }
        for name in &removed {
            let left = added.iter().copied().filter(|other| !renames.old_by_new.contains_key(other));
            if let Some(near) = nearest(name, left) {
                renames.add(name, near);
            }
        }
        let old_texts = self.texts((self.old, place.0), &removed);
        let new_texts = self.texts((self.new, place.1), &added);
        let required =
            |group: &'n Assertions| -> BTreeSet<&str> { group.required.iter().map(String::as_str).collect() };
        let (old_required, new_required) = (required(old), required(new));
        for name in removed {
            let Some(before) = old_texts.get(name).filter(|_| !renames.new_by_old.contains_key(name)) else { continue };
            let is_same =
                |other: &&str| !renames.old_by_new.contains_key(other) && new_texts.get(other) == Some(before);
            let same: Vec<&str> = added.iter().copied().filter(is_same).collect();
            let is_alike = |other: &&str| old_required.contains(name) == new_required.contains(other);
            let alike: Vec<&str> = same.iter().copied().filter(is_alike).collect();
            if let ([only], _) | (_, [only]) = (same.as_slice(), alike.as_slice()) {
                renames.add(name, only);
            }
        }
        renames
    }

    /// The schemas of properties without their annotations, as text.
    fn texts<'n>(&self, (schema, id): (&Schema, NodeId), names: &[&'n str]) -> BTreeMap<&'n str, String> {
        let properties = self.keyword_of(schema, id, "properties").and_then(Json::as_object);
        let properties: BTreeMap<&str, &Json> =
            properties.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema)).collect();
        names.iter().filter_map(|name| Some((*name, text(properties.get(name)?)))).collect()
    }
}

/// A schema without its own annotations: these often change together with the name.
fn text(schema: &Json) -> String {
    let Some(members) = schema.as_object() else { return schema.canonical() };
    let kept = members.iter().filter(|(key, _)| !ANNOTATIONS.contains(&key.as_str()));
    Json::Object(kept.map(|(key, value)| (key.clone(), value.clone())).collect()).canonical()
}

/// The names of properties, each once.
fn names(group: &Assertions) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let declared = group.properties.iter().map(|(name, _)| name);
    declared.chain(&group.required).map(String::as_str).filter(|name| seen.insert(*name)).collect()
}
