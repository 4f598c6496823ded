//! Unions, and the branches of them that a value can match: for the verdict by a tag, so that no other branch is
//! evaluated, and for violations also by types and keys.
//!
//! The analyses are those of [`crate::analysis`]; that for the verdict has constant effort for each branch so that
//! compiling stays linear in the size of the schema. Only tags whose values are strings are used: comparing a string is
//! cheaper than evaluating a branch, and other tags are rare.

use serde_json::Value;

use super::literal::{Literals, by_length};
use super::program::SubschemaId;
use super::value::has_type;
use crate::analysis::branches::Tag as TagAnalysis;
use crate::analysis::conjunction::Conjunction;
use crate::analysis::profile::{Profile, Profiler};
use crate::analysis::selection::{self, Selector};
use crate::exact::Digits;
use crate::{NodeId, TypeSet};

/// With more branches that have no tag, skipping the others saves little, and storing them for each value costs memory.
const MAX_UNTAGGED: usize = 4;

/// The branches of an `anyOf` or `oneOf`.
#[derive(Debug)]
pub(super) struct Union {
    pub(super) branches: Box<[SubschemaId]>,
    tag: Option<Tag>,
    /// The condition of each branch.
    pub(super) conditions: Box<[Condition]>,
    /// The condition of the union.
    pub(super) any: Condition,
}

/// A condition that every value of a branch or union satisfies.
#[derive(Debug)]
pub(super) struct Condition {
    pub(super) types: TypeSet,
    pub(super) tag: Option<Box<Listed>>,
    /// If there are any, an object must have one of them.
    keys: Box<[Box<str>]>,
}

/// The values that a condition allows for a property.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) name: Box<str>,
    pub(super) values: Literals,
    pub(super) is_required: bool,
}

/// A property that some branches require to be one of some strings.
#[derive(Debug)]
struct Tag {
    name: Box<str>,
    /// Sorted by value, in the order of [`by_length`].
    values: Box<[TagValue]>,
    /// The branches that can match an object with any other value, or without the property.
    untagged: Box<[SubschemaId]>,
}

#[derive(Debug)]
struct TagValue {
    value: Box<str>,
    /// The branches that can match an object with this value, in order.
    branches: Box<[SubschemaId]>,
}

impl Union {
    /// The union of `nodes`, which are compiled to `branches`.
    pub(super) fn new(
        (profiler, selector): (&mut Profiler<'_>, &mut Selector<'_>),
        nodes: &[NodeId],
        branches: Box<[SubschemaId]>,
    ) -> Self {
        let profiles: Vec<Profile> = nodes.iter().map(|node| profile(profiler, *node)).collect();
        let tag = TagAnalysis::find(&profiles).and_then(|tag| Tag::new(&tag, &branches));
        let selection = selector.select(nodes);
        let conditions = selection.branches.into_iter().map(Condition::new).collect();
        Self { branches, tag, conditions, any: Condition::new(selection.any) }
    }

    /// The branches that `value` can match, in order; it matches no other.
    pub(super) fn candidates(&self, value: &Value) -> &[SubschemaId] {
        match (&self.tag, value) {
            (Some(tag), Value::Object(members)) => tag.candidates(members.get(tag.name.as_ref())),
            _ => &self.branches,
        }
    }
}

impl Condition {
    fn new(condition: selection::Condition) -> Self {
        let tag = condition.tag.map(|tag| {
            let values = Literals::new(&tag.values);
            Box::new(Listed { name: tag.name.into(), values, is_required: tag.is_required })
        });
        let keys = condition.keys.into_iter().map(Into::into).collect();
        Self { types: condition.types, tag, keys }
    }

    pub(super) fn allows(&self, value: &Value, digits: Digits<'_>) -> bool {
        let Value::Object(members) = value else { return has_type(value, self.types, digits) };
        let has_tag = |tag: &Listed| match members.get(tag.name.as_ref()) {
            Some(value) => tag.values.contain(value, digits),
            None => !tag.is_required,
        };
        has_type(value, self.types, digits)
            && self.tag.as_deref().is_none_or(has_tag)
            && (self.keys.is_empty() || self.keys.iter().any(|key| members.contains_key(key.as_ref())))
    }
}

fn profile(profiler: &mut Profiler<'_>, node: NodeId) -> Profile {
    // The effort alone bounds the time.
    let mut budget = usize::MAX;
    let mut profile = profiler.profile(&Conjunction::of([node]), &mut budget);
    profile.constants.retain(|(_, values)| values.iter().all(|value| value.as_str().is_some()));
    profile
}

impl Tag {
    fn new(tag: &TagAnalysis, branches: &[SubschemaId]) -> Option<Self> {
        if tag.untagged.len() > MAX_UNTAGGED {
            return None;
        }
        let compiled = |indexes: &[usize]| indexes.iter().filter_map(|index| branches.get(*index)).copied().collect();
        let mut values: Vec<TagValue> = Vec::with_capacity(tag.values.len());
        for tagged in &tag.values {
            let mut indexes: Vec<usize> = tagged.branches.iter().chain(&tag.untagged).copied().collect();
            indexes.sort_unstable();
            values.push(TagValue { value: tagged.value.as_str()?.into(), branches: compiled(&indexes) });
        }
        values.sort_unstable_by(|a, b| by_length(&a.value, &b.value));
        Some(Self { name: tag.name.as_str().into(), values: values.into(), untagged: compiled(&tag.untagged) })
    }

    fn candidates(&self, value: Option<&Value>) -> &[SubschemaId] {
        let Some(Value::String(text)) = value else { return &self.untagged };
        let index = self.values.binary_search_by(|tagged| by_length(&tagged.value, text)).ok();
        index.and_then(|index| self.values.get(index)).map_or(&self.untagged, |tagged| &tagged.branches)
    }
}
