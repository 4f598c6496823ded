//! Which branch of an `anyOf` or `oneOf` a value can match.

use serde_json::Value;

use super::conjunction::Conjunction;
use super::effort::Effort;
use super::key::{Key, keys};
use super::profile::{Profile, Profiler};
use super::tag::is_exclusive;
pub use super::tag::{Tag, TagValue, equality_key};
use crate::instance::type_of;
use crate::{NodeId, Schema, Type, TypeSet};

/// Determines which branches a value can match, from the JSON type of the value and, if it is an object, from the value
/// of a tag property or the presence of a key.
///
/// Usable when code is generated and, with [`candidates`](Self::candidates), at run time.
///
/// ```
/// use capgen_schema::{Kind, Schema, Type, analysis::branches::Branches};
/// use serde_json::json;
/// let schema = Schema::parse_text(
///     r#"{"oneOf": [{"type": "string"},
///                   {"type": "object", "properties": {"kind": {"const": "a"}}, "required": ["kind"]},
///                   {"type": "object", "properties": {"kind": {"enum": ["b", "c"]}}, "required": ["kind"]}]}"#,
/// )?;
/// let nodes = schema.assertions(schema.root()).and_then(|a| a.one_of.clone()).unwrap_or_default();
/// let branches = Branches::new(&schema, &nodes);
/// assert!(branches.are_exclusive());
/// assert_eq!(branches.tag().map(|tag| tag.name.as_str()), Some("kind"));
/// assert_eq!(branches.of_type(Type::Object), [1, 2]);
/// assert_eq!(branches.candidates(&json!({"kind": "c"})), [2]);
/// assert!(branches.candidates(&json!({"kind": "d"})).is_empty());
/// # Ok::<(), capgen_schema::SchemaTextError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Branches {
    profiles: Vec<Profile>,
    tag: Option<Tag>,
    keys: Vec<Option<Key>>,
}

impl Branches {
    /// Analyses the branches of a union of `schema`, with [`Effort::FULL`]. Time is linear in the size of the
    /// subschemas that apply to the value and its properties, and bounded by a multiple of the size of the schema.
    pub fn new(schema: &Schema, branches: &[NodeId]) -> Self {
        let conjunctions: Vec<Conjunction> = branches.iter().map(|branch| Conjunction::of([*branch])).collect();
        let mut budget = 100 * schema.nodes().count() + 10_000;
        Self::of(schema, &conjunctions, Effort::FULL, &mut budget)
    }

    /// Analyses conjunctions, such as the branches of a union [combined](Conjunction::distribute) with the assertions
    /// next to it. When the budget, a number of subschemas, is used up, the result allows more.
    pub fn of(schema: &Schema, branches: &[Conjunction], effort: Effort, budget: &mut usize) -> Self {
        let mut profiler = Profiler::new(schema, effort);
        let profiles: Vec<Profile> = branches.iter().map(|branch| profiler.profile(branch, budget)).collect();
        let tag = Tag::find(&profiles);
        let mut names = vec![None; branches.len()];
        let objects = profiles.iter().enumerate().filter(|(_, profile)| profile.allows_objects());
        let objects: Vec<usize> = objects.map(|(index, _)| index).collect();
        let is_tagged = tag.as_ref().is_some_and(Tag::is_exclusive);
        if !is_tagged && objects.len() > 1 && *budget > 0 {
            let conjunctions: Vec<&Conjunction> = objects.iter().filter_map(|index| branches.get(*index)).collect();
            let (found, cost) = keys(schema, &conjunctions);
            *budget = budget.saturating_sub(cost);
            for (index, key) in objects.into_iter().zip(found.into_iter().flatten()) {
                names.get_mut(index).into_iter().for_each(|slot| *slot = Some(key.clone()));
            }
        }
        Self { profiles, tag, keys: names }
    }

    /// The property whose value shows the branch; it need not be [exclusive](Tag::is_exclusive).
    pub fn tag(&self) -> Option<&Tag> {
        self.tag.as_ref()
    }

    /// The property whose presence shows that only this branch can match. Either every branch that allows objects has a
    /// key or none has.
    pub fn key(&self, branch: usize) -> Option<&str> {
        self.keys.get(branch)?.as_ref().map(|key| key.name.as_str())
    }

    /// The JSON types that a branch can match.
    pub fn types(&self, branch: usize) -> TypeSet {
        self.profiles.get(branch).map_or(TypeSet::ALL, |profile| profile.types)
    }

    /// The branches that a value of this type can match, in order. [`Type::Number`] means a number that is not an
    /// integer.
    pub fn of_type(&self, t: Type) -> Vec<usize> {
        (0..self.profiles.len()).filter(|branch| self.types(*branch).contains(t)).collect()
    }

    /// The branches that the value can match, in order; it matches no other. Linear in the number of branches and
    /// values of the tag.
    pub fn candidates(&self, value: &Value) -> Vec<usize> {
        let mut branches = self.of_type(type_of(value));
        if let Value::Object(members) = value {
            if let Some(tag) = &self.tag {
                let tagged = members.get(&tag.name).map_or_else(|| tag.untagged.clone(), |value| tag.candidates(value));
                branches.retain(|branch| tagged.contains(branch));
            }
            branches.retain(|branch| self.key(*branch).is_none_or(|key| members.contains_key(key)));
        }
        branches
    }

    /// Whether at most one branch can match a value, whatever the value is.
    pub fn are_exclusive(&self) -> bool {
        let is_tagged = self.tag.as_ref().is_some_and(Tag::is_exclusive);
        let is_selected = |branch: usize| is_tagged || self.key(branch).is_some();
        are_distinct((0..self.profiles.len()).map(|branch| match self.types(branch) {
            types if is_selected(branch) => types.without(Type::Object),
            types => types,
        }))
    }
}

/// Whether no two of the sets have a type in common.
pub fn are_distinct(sets: impl IntoIterator<Item = TypeSet>) -> bool {
    let mut seen = TypeSet::EMPTY;
    sets.into_iter().all(|types| {
        let is_new = seen.intersection(types).is_empty();
        seen = seen.union(types);
        is_new
    })
}

/// Whether at most one branch can match a value, as the branches' own assertions show: their types, or a tag.
///
/// A validator that checks types and constants first rejects all other branches at little cost.
pub fn are_exclusive(schema: &Schema, branches: &[NodeId]) -> bool {
    have_distinct_types(schema, branches) || tags(schema, branches).next().is_some()
}

/// Whether no JSON value has a type that two branches allow. A branch without `type` counts as one that allows every
/// type.
pub(crate) fn have_distinct_types(schema: &Schema, branches: &[NodeId]) -> bool {
    are_distinct(branches.iter().map(|id| schema.assertions(*id).and_then(|a| a.types).unwrap_or(TypeSet::ALL)))
}

/// The properties that every branch requires and for which no two branches allow the same value, in source order of the
/// first branch. Only finds those that the branches' own assertions declare, and only if every branch has `type:
/// object`.
pub fn tags<'s>(schema: &'s Schema, branches: &[NodeId]) -> impl Iterator<Item = &'s str> {
    let mut profiler = Profiler::new(schema, Effort::OWN);
    let mut budget = usize::MAX;
    let mut of = |branch: &NodeId| profiler.profile(&Conjunction::of([schema.resolve(*branch)]), &mut budget);
    let profiles: Vec<Profile> = branches.iter().map(&mut of).collect();
    let only_objects = Some(TypeSet::EMPTY.with(Type::Object));
    let is_object = |branch: &NodeId| schema.assertions(*branch).is_some_and(|a| a.types == only_objects);
    let first = branches.first().filter(|_| branches.len() > 1 && branches.iter().all(is_object));
    let properties = first.and_then(|first| schema.assertions(*first)).map_or(&[][..], |a| a.properties.as_slice());
    let names = properties.iter().map(|(name, _)| name.as_str());
    names.filter(move |name| is_exclusive(&profiles, name))
}
