//! Which branches of a failed union its violations can be about: conditions that are necessary for a branch, and cheap
//! to check.

use std::collections::{HashMap, HashSet};

use super::alternative_keys::AlternativeKeys;
use super::in_place::InPlace;
use super::listed::{List, Listed, Member};
use crate::{Json, NodeId, Schema, Type, TypeSet};

/// A condition that every value of a branch satisfies.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Condition {
    /// The JSON types that are allowed.
    pub types: TypeSet,
    /// The values of the tag that an object may have.
    pub tag: Option<TagValues>,
    /// Properties of which an object must have at least one. An empty list demands nothing.
    pub keys: Vec<String>,
}

/// The values of a tag that are allowed.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct TagValues {
    /// The name of the property.
    pub name: String,
    /// Its values, in source order.
    pub values: Vec<Json>,
    /// Whether the property must be present.
    pub is_required: bool,
}

/// The conditions of the branches of a union. A value that does not satisfy the condition of a branch does not match
/// the branch.
///
/// ```
/// use capgen_schema::{Schema, Type, analysis::selection::Selector};
/// let schema = Schema::parse_text(
///     r#"{"anyOf": [{"type": "object", "properties": {"kind": {"const": "a"}}, "required": ["kind"]},
///                   {"type": "object", "properties": {"kind": {"enum": ["b", "c"]}}, "required": ["kind"]},
///                   {"enum": [null]}]}"#,
/// )?;
/// let nodes = schema.assertions(schema.root()).and_then(|a| a.any_of.clone()).unwrap_or_default();
/// let selection = Selector::new(&schema).select(&nodes);
/// let tag = selection.branches[1].tag.as_ref().ok_or("no tag")?;
/// assert_eq!((tag.name.as_str(), tag.values.len(), tag.is_required), ("kind", 2, true));
/// assert!(selection.branches[2].tag.is_none() && selection.branches[2].types.contains(Type::Null));
/// assert_eq!(selection.any.tag.ok_or("no tag")?.values.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Selection {
    /// The condition of each branch.
    pub branches: Vec<Condition>,
    /// The condition that every value of the union satisfies. Its tag is that of the branches.
    pub any: Condition,
}

/// Computes the [`Selection`]s of one schema.
///
/// The JSON types of a branch take everything into account that applies to the value, except `not`. The tag is a
/// property for which every branch that allows objects lists the values, through `$ref`, `allOf` and unions: one for
/// which no two branches list the same value, or else one for which not all list the same values. Of several, one that
/// all branches require, then the one whose name is first in byte order. Without a tag that leaves one branch at most,
/// every branch that allows objects may have keys: properties of which its objects have at least one, and that no other
/// branch allows.
///
/// A subschema lists the values of a property if one of its parts does, or if one of its unions has the property in
/// each branch that allows objects: it then lists the values of all these branches. This way, a branch may itself be a
/// union.
///
/// Limits keep the time about linear in the size of the schema: a subschema is read with at most 1,000 others that
/// apply to the same value; of the lists, the first 16 properties and those of at most 256 values; of the keys, at most
/// 64 per branch. Beyond these limits, a tag or key is not found.
#[derive(Debug)]
pub struct Selector<'s> {
    in_place: InPlace<'s>,
    listed: Listed<'s>,
    keys: AlternativeKeys<'s>,
    known: HashMap<Vec<NodeId>, Selection>,
}

/// The assertions of each branch about the tag, whose values all of them list.
struct Tag<'s> {
    name: &'s str,
    branches: Vec<(List, Member)>,
}

impl<'s> Selector<'s> {
    /// A selector for the unions of `schema`. Linear in the size of the schema.
    pub fn new(schema: &'s Schema) -> Self {
        let (listed, keys) = (Listed::default(), AlternativeKeys::default());
        Self { in_place: InPlace::new(schema), listed, keys, known: HashMap::new() }
    }

    /// The conditions of the branches of an `anyOf` or `oneOf`.
    pub fn select(&mut self, branches: &[NodeId]) -> Selection {
        let branches: Vec<NodeId> = branches.iter().map(|branch| self.in_place.schema().resolve(*branch)).collect();
        if let Some(selection) = self.known.get(&branches) {
            return selection.clone();
        }
        let selection = self.compute(&branches);
        self.known.insert(branches, selection.clone());
        selection
    }

    fn compute(&mut self, branches: &[NodeId]) -> Selection {
        let of_type = |types| Condition { types, tag: None, keys: Vec::new() };
        let mut conditions: Vec<Condition> =
            branches.iter().map(|branch| of_type(self.in_place.types(*branch))).collect();
        let mut any = of_type(conditions.iter().fold(TypeSet::EMPTY, |types, branch| types.union(branch.types)));
        if any.types.is_empty() {
            // No branch matches anything, so the types explain nothing.
            any.types = TypeSet::ALL;
            conditions.iter_mut().for_each(|condition| condition.types = TypeSet::ALL);
            return Selection { branches: conditions, any };
        }
        let for_objects = branches.iter().zip(&mut conditions).filter(|(_, c)| c.types.contains(Type::Object));
        let (nodes, mut objects): (Vec<NodeId>, Vec<&mut Condition>) = for_objects.unzip();
        if objects.len() > 1 {
            let tag = self.tag(&nodes);
            if !tag.as_ref().is_some_and(|tag| self.is_distinct(tag)) {
                let keys = self.keys.find(&self.in_place, &nodes).into_iter().flatten();
                for (condition, keys) in objects.iter_mut().zip(keys) {
                    condition.keys = keys.into_iter().map(str::to_owned).collect();
                }
            }
            if let Some(tag) = tag {
                any.tag = Some(self.any_of(&tag));
                for (condition, (values, member)) in objects.iter_mut().zip(&tag.branches) {
                    condition.tag = Some(self.values(tag.name, values.iter().copied(), member.is_required));
                }
            }
        }
        Selection { branches: conditions, any }
    }

    /// The tag of a union. The choice does not depend on the order of the properties: generated code has the schema
    /// with sorted keys.
    fn tag(&mut self, branches: &[NodeId]) -> Option<Tag<'s>> {
        let mut best: Option<((bool, bool), Tag<'s>)> = None;
        let mut names = self.listed.names(&self.in_place, *branches.first()?).to_vec();
        names.sort_unstable();
        for name in names {
            let members = branches.iter().map(|branch| {
                let member = self.listed.member(&self.in_place, *branch, name);
                Some((member.values.clone()?, member))
            });
            let Some(branches) = members.collect() else { continue };
            let tag = Tag { name, branches };
            let is_distinct = self.is_distinct(&tag);
            let rank = (is_distinct, tag.branches.iter().all(|(_, member)| member.is_required));
            let is_better = best.as_ref().is_none_or(|(other, _)| rank > *other);
            if is_better && (is_distinct || !self.is_same(&tag)) {
                best = Some((rank, tag));
            }
        }
        best.map(|(_, tag)| tag)
    }

    /// Whether no two branches list the same value.
    fn is_distinct(&self, tag: &Tag<'s>) -> bool {
        let mut seen = HashSet::new();
        tag.branches.iter().all(|(list, _)| self.classes(list).into_iter().all(|class| seen.insert(class)))
    }

    /// Whether all branches list the same values.
    fn is_same(&self, tag: &Tag<'s>) -> bool {
        let mut sets = tag.branches.iter().map(|(list, _)| self.classes(list));
        let first = sets.next();
        sets.all(|set| Some(&set) == first.as_ref())
    }

    fn classes(&self, list: &List) -> HashSet<usize> {
        list.iter().map(|value| self.listed.class(*value)).collect()
    }

    /// The values of a tag that at least one branch allows.
    fn any_of(&self, tag: &Tag<'s>) -> TagValues {
        let mut seen = HashSet::new();
        let all = tag.branches.iter().flat_map(|(list, _)| list.iter().copied());
        let values = all.filter(|value| seen.insert(self.listed.class(*value)));
        self.values(tag.name, values, tag.branches.iter().all(|(_, member)| member.is_required))
    }

    fn values(&self, name: &str, values: impl Iterator<Item = usize>, is_required: bool) -> TagValues {
        let values = values.filter_map(|value| self.listed.value(value)).cloned().collect();
        TagValues { name: name.to_owned(), values, is_required }
    }
}
