//! Which branches of a failed union its violations can be about: conditions that are necessary for a branch, and cheap to check.

use std::collections::{HashMap, HashSet};

use super::conjunction::Conjunction;
use super::effort::Effort;
use super::facets::Facets;
use super::key;
use super::tag::equality_key;
use crate::{Assertions, Json, Kind, NodeId, Schema, Type, TypeSet};

/// How many properties with listed values are compared between the branches.
const MAX_TAGS: usize = 16;

/// How many values a tag may have in a branch.
const MAX_VALUES: usize = 256;

/// How many names per branch are compared to find keys.
const MAX_NAMES: usize = 1000;

/// A condition that every value of a branch satisfies.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Condition {
    /// The JSON types that are allowed.
    pub types: TypeSet,
    /// The values of the tag that an object may have.
    pub tag: Option<TagValues>,
    /// A property that an object must have.
    pub key: Option<String>,
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

/// The conditions of the branches of a union. A value that does not satisfy the condition of a branch does not match the branch.
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
/// The JSON types of a branch take everything into account that applies to the value, except `not`. The tag is a property for which
/// every branch that allows objects lists the values, through `$ref` and `allOf`: the first for which no two branches list the
/// same value or else the first for which not all list the same values. Without a tag that leaves one branch at most, keys are those of [`key::keys`].
///
/// Limits keep the time about linear in the size of the schema: see [`Effort::UNION`]. Beyond them, a tag or key is not found.
#[derive(Debug)]
pub struct Selector<'s> {
    schema: &'s Schema,
    types: Vec<TypeSet>,
    /// Of each first branch, the properties with listed values.
    listed: HashMap<NodeId, Vec<&'s str>>,
    /// Of large objects, the subschemas of their properties by name.
    indexes: HashMap<NodeId, HashMap<&'s str, NodeId>>,
    known: HashMap<Vec<NodeId>, Selection>,
}

/// Objects with more properties get an index.
const FEW_PROPERTIES: usize = 24;

impl<'s> Selector<'s> {
    /// A selector for the unions of `schema`. Linear in the size of the schema.
    pub fn new(schema: &'s Schema) -> Self {
        let types = types(schema);
        Self { schema, types, listed: HashMap::new(), indexes: HashMap::new(), known: HashMap::new() }
    }

    /// The conditions of the branches of an `anyOf` or `oneOf`.
    pub fn select(&mut self, branches: &[NodeId]) -> Selection {
        let branches: Vec<NodeId> = branches.iter().map(|branch| self.schema.resolve(*branch)).collect();
        if let Some(selection) = self.known.get(&branches) {
            return selection.clone();
        }
        let selection = self.compute(&branches);
        self.known.insert(branches, selection.clone());
        selection
    }

    fn compute(&mut self, branches: &[NodeId]) -> Selection {
        let of_type = |types| Condition { types, tag: None, key: None };
        let mut conditions: Vec<Condition> = branches.iter().map(|branch| of_type(self.types(*branch))).collect();
        let mut any = of_type(conditions.iter().fold(TypeSet::EMPTY, |types, branch| types.union(branch.types)));
        if any.types.is_empty() {
            // No branch matches anything, so the types explain nothing.
            any.types = TypeSet::ALL;
            conditions.iter_mut().for_each(|condition| condition.types = TypeSet::ALL);
            return Selection { branches: conditions, any };
        }
        let objects: Vec<usize> = (conditions.iter().enumerate())
            .filter(|(_, condition)| condition.types.contains(Type::Object))
            .map(|(index, _)| index)
            .collect();
        if objects.len() > 1 {
            let schema = self.schema;
            let conjunction = |index: &usize| branches.get(*index).map(|branch| Conjunction::of([*branch]));
            let conjunctions: Vec<Conjunction> = objects.iter().filter_map(conjunction).collect();
            let facets = conjunctions.iter().map(|branch| branch.facets_within(schema, Effort::UNION));
            let facets: Vec<Facets<'s>> = facets.collect();
            let tag = self.tag(&facets);
            let is_exclusive = tag.as_ref().is_some_and(|tags| are_distinct(tags));
            if !is_exclusive {
                let keys = keys(schema, &facets).into_iter().flatten();
                for (index, key) in objects.iter().zip(keys) {
                    conditions.get_mut(*index).into_iter().for_each(|condition| condition.key = Some(key.name.clone()));
                }
            }
            any.tag = tag.as_deref().and_then(any_of);
            for (index, tag) in objects.iter().zip(tag.into_iter().flatten()) {
                conditions.get_mut(*index).into_iter().for_each(|condition| condition.tag = Some(tag.clone()));
            }
        }
        Selection { branches: conditions, any }
    }

    fn types(&self, node: NodeId) -> TypeSet {
        self.types.get(node.0 as usize).copied().unwrap_or(TypeSet::ALL)
    }

    /// The values of the tag in each branch, if the union has a tag.
    fn tag(&mut self, branches: &[Facets<'s>]) -> Option<Vec<TagValues>> {
        let mut distinguishing = None;
        for name in self.candidates(branches.first()?) {
            let values: Option<Vec<TagValues>> = branches.iter().map(|branch| self.values(branch, name)).collect();
            match values {
                Some(values) if are_distinct(&values) => return Some(values),
                Some(values) if distinguishing.is_none() && !are_same(&values) => distinguishing = Some(values),
                _ => {}
            }
        }
        distinguishing
    }

    /// The properties for which a branch lists the values, in source order.
    fn candidates(&mut self, branch: &Facets<'s>) -> Vec<&'s str> {
        let first = branch.nodes.first().copied();
        if let Some(known) = first.and_then(|node| self.listed.get(&node)) {
            return known.clone();
        }
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in branch.groups.iter().flat_map(|group| &group.properties) {
            if names.len() < MAX_TAGS && !names.contains(&name.as_str()) && self.values(branch, name).is_some() {
                names.push(name);
            }
        }
        if let Some(node) = first {
            self.listed.insert(node, names.clone());
        }
        names
    }

    /// The values that a branch lists for a property.
    fn values(&mut self, branch: &Facets<'s>, name: &str) -> Option<TagValues> {
        let schema = self.schema;
        let groups = branch.nodes.iter().zip(&branch.groups);
        let declared: Vec<NodeId> = groups.filter_map(|(node, group)| self.property(*node, group, name)).collect();
        let facets = Conjunction::of(declared).facets_within(schema, Effort::UNION);
        let mut lists = facets.groups.iter().flat_map(|group| lists(group)).filter(|list| list.len() <= MAX_VALUES);
        let mut values = lists.next()?.to_vec();
        lists.for_each(|list| values.retain(|value| list.contains(value)));
        let is_required = branch.groups.iter().any(|group| group.required.iter().any(|required| required == name));
        Some(TagValues { name: name.to_owned(), values, is_required })
    }

    fn property(&mut self, node: NodeId, group: &'s Assertions, name: &str) -> Option<NodeId> {
        if group.properties.len() <= FEW_PROPERTIES {
            return group.properties.iter().find(|(n, _)| n == name).map(|(_, node)| *node);
        }
        let index = || group.properties.iter().map(|(name, node)| (name.as_str(), *node)).collect();
        self.indexes.entry(node).or_insert_with(index).get(name).copied()
    }
}

/// Whether no two branches list the same value.
fn are_distinct(branches: &[TagValues]) -> bool {
    let mut seen = HashSet::new();
    branches.iter().all(|branch| keys_of(branch).into_iter().all(|key| seen.insert(key)))
}

/// Whether all branches list the same values.
fn are_same(branches: &[TagValues]) -> bool {
    let mut sets = branches.iter().map(keys_of);
    let first = sets.next();
    sets.all(|set| Some(&set) == first.as_ref())
}

fn keys_of(branch: &TagValues) -> HashSet<String> {
    branch.values.iter().map(equality_key).collect()
}

/// The values of a tag that at least one branch allows.
fn any_of(branches: &[TagValues]) -> Option<TagValues> {
    let mut seen = HashSet::new();
    let all = branches.iter().flat_map(|branch| &branch.values);
    let values = all.filter(|value| seen.insert(equality_key(value))).cloned().collect();
    let is_required = branches.iter().all(|branch| branch.is_required);
    Some(TagValues { name: branches.first()?.name.clone(), values, is_required })
}

fn keys(schema: &Schema, branches: &[Facets<'_>]) -> Option<Vec<key::Key>> {
    let names = |group: &&Assertions| group.required.len() + group.properties.len();
    let size: usize = branches.iter().flat_map(|branch| &branch.groups).map(names).sum();
    if size > MAX_NAMES * branches.len() { None } else { key::of_facets(schema, branches).0 }
}

/// For each node, the JSON types that values can have which it accepts, as far as `type`, `enum`, `const`, references and the
/// combination of subschemas show.
fn types(schema: &Schema) -> Vec<TypeSet> {
    let mut types: Vec<Option<TypeSet>> = vec![None; schema.nodes().count()];
    for (start, _) in schema.nodes() {
        // Chains of references may be long, so this does not recurse.
        let mut open = vec![(start, false)];
        while let Some((id, is_ready)) = open.pop() {
            let node = &schema.node(id).kind;
            let Some(slot) = types.get(id.0 as usize) else { continue };
            if is_ready {
                let of = |id: &NodeId| types.get(id.0 as usize).copied().flatten().unwrap_or(TypeSet::ALL);
                let own = types_of(node, &of);
                types.get_mut(id.0 as usize).into_iter().for_each(|slot| *slot = Some(own));
            } else if slot.is_none() {
                open.push((id, true));
                open.extend(node.in_place().map(|part| (part, false)));
            }
        }
    }
    types.into_iter().map(|types| types.unwrap_or(TypeSet::ALL)).collect()
}

/// The values of `enum` and of `const`.
fn lists(group: &Assertions) -> impl Iterator<Item = &[Json]> {
    group.enum_values.as_deref().into_iter().chain(group.const_value.as_ref().map(std::slice::from_ref))
}

fn types_of(kind: &Kind, of: &impl Fn(&NodeId) -> TypeSet) -> TypeSet {
    match kind {
        Kind::Bool(true) => TypeSet::ALL,
        Kind::Bool(false) => TypeSet::EMPTY,
        Kind::Ref(target) => of(target),
        Kind::Assertions(a) => {
            let listed = lists(a).map(|values| values.iter().map(Json::type_of).collect());
            let unions = [&a.any_of, &a.one_of].into_iter().flatten();
            let unions = unions.map(|branches| branches.iter().map(of).fold(TypeSet::EMPTY, TypeSet::union));
            let parts = a.types.into_iter().chain(listed).chain(a.all_of.iter().flatten().map(of)).chain(unions);
            parts.fold(TypeSet::ALL, TypeSet::intersection)
        }
    }
}
