//! Necessary conditions for a value to match a conjunction, to find the branches of a union that a value can match.

use std::collections::{HashMap, HashSet};

use super::conjunction::Conjunction;
use super::effort::Effort;
use super::facets::Facets;
use super::tag::equality_key;
use crate::{Assertions, Json, NodeId, Schema, Type, TypeSet};

/// Objects with more properties get an index, so that a schema with many unions over one large object takes linear
/// time.
const FEW_PROPERTIES: usize = 24;

/// A property with more values is not a constant: every branch of a union has a copy of its constants.
const MAX_CONSTANTS: usize = 256;

/// Necessary conditions for a value to match a conjunction.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Profile {
    /// The JSON types that the value can have.
    pub types: TypeSet,
    /// Properties that an object must have, with the only values that they can have, in source order.
    pub constants: Vec<(String, Vec<Json>)>,
}

/// Computes [`Profile`]s of one schema.
#[derive(Debug)]
pub struct Profiler<'s> {
    schema: &'s Schema,
    effort: Effort,
    /// Of large objects, the positions of their properties by name.
    indexes: HashMap<NodeId, HashMap<&'s str, usize>>,
}

impl Profile {
    /// The profile of every value.
    pub fn everything() -> Self {
        Profile { types: TypeSet::ALL, constants: Vec::new() }
    }

    /// The only values that the property can have, if the profile requires it.
    pub fn constant(&self, name: &str) -> Option<&[Json]> {
        self.constants.iter().find(|(n, _)| n == name).map(|(_, values)| values.as_slice())
    }

    /// Whether the value can be an object.
    pub fn allows_objects(&self) -> bool {
        self.types.contains(Type::Object)
    }

    /// The profile of the values that match at least one of several.
    pub fn union(profiles: &[Profile]) -> Self {
        let types = profiles.iter().fold(TypeSet::EMPTY, |types, profile| types.union(profile.types));
        let objects: Vec<&Profile> = profiles.iter().filter(|profile| profile.allows_objects()).collect();
        let Some((first, others)) = objects.split_first() else { return Profile { types, constants: Vec::new() } };
        let mut constants = Vec::new();
        for (name, values) in &first.constants {
            let more: Option<Vec<&[Json]>> = others.iter().map(|profile| profile.constant(name)).collect();
            if let Some(more) = more {
                let mut seen = HashSet::new();
                // Branches of a nested union have the same value if another property distinguishes them.
                let all = values.iter().chain(more.into_iter().flatten());
                let distinct = all.filter(|value| seen.insert(equality_key(value)));
                constants.push((name.clone(), distinct.cloned().collect()));
            }
        }
        Profile { types, constants }
    }
}

impl<'s> Profiler<'s> {
    /// A profiler that spends this effort on each profile.
    pub fn new(schema: &'s Schema, effort: Effort) -> Self {
        Self { schema, effort, indexes: HashMap::new() }
    }

    /// The profile of a conjunction. Each visited subschema takes one from `budget`; when it is used up, the result is
    /// [`Profile::everything`].
    pub fn profile(&mut self, conjunction: &Conjunction, budget: &mut usize) -> Profile {
        self.nested(conjunction, self.effort.unions, budget)
    }

    fn nested(&mut self, conjunction: &Conjunction, unions: usize, budget: &mut usize) -> Profile {
        if *budget == 0 {
            return Profile::everything();
        }
        *budget -= 1;
        let facets = self.facets(conjunction, budget);
        if facets.is_never() {
            return Profile { types: TypeSet::EMPTY, constants: Vec::new() };
        }
        if let Some(values) = &facets.values {
            return Profile { types: values.iter().map(|value| value.type_of()).collect(), constants: Vec::new() };
        }
        match (facets.unions.first(), unions.checked_sub(1)) {
            (Some(union), Some(unions)) => {
                let of = |branch: &NodeId| conjunction.distribute(&facets, union, *branch);
                let branches: Vec<Profile> =
                    union.branches.iter().map(|branch| self.nested(&of(branch), unions, budget)).collect();
                Profile::union(&branches)
            }
            // Whatever a union asserts only restricts the rest further.
            _ => Profile { types: facets.types, constants: self.constants(&facets, budget) },
        }
    }

    fn facets(&self, conjunction: &Conjunction, budget: &mut usize) -> Facets<'s> {
        let facets = conjunction.facets_within(self.schema, self.effort);
        *budget = budget.saturating_sub(facets.cost);
        facets
    }

    /// The required properties that can only have listed values.
    fn constants(&mut self, facets: &Facets<'s>, budget: &mut usize) -> Vec<(String, Vec<Json>)> {
        let mut constants = Vec::new();
        let mut seen = HashSet::new();
        let limit = self.effort.required;
        let required = facets.groups.iter().flat_map(|group| group.required.iter().take(limit));
        for name in required.filter(|name| seen.insert(name.as_str())) {
            let groups = facets.nodes.iter().zip(&facets.groups).enumerate();
            let declared: Vec<_> = groups
                .filter_map(|(index, (node, group))| {
                    let at = self.find(*node, group, name)?;
                    Some(((index, at), group.properties.get(at)?.1))
                })
                .collect();
            let Some((position, _)) = declared.first().copied() else { continue };
            let property = Conjunction::of(declared.into_iter().map(|(_, node)| self.schema.resolve(node)));
            if let Some(values) = self.facets(&property, budget).values.filter(|values| values.len() <= MAX_CONSTANTS) {
                constants.push((position, (name.clone(), values.into_iter().cloned().collect())));
            }
        }
        constants.sort_by_key(|(position, _)| *position);
        constants.into_iter().map(|(_, constant)| constant).collect()
    }

    /// The position of a property among those that a subschema declares.
    fn find(&mut self, node: NodeId, group: &'s Assertions, name: &str) -> Option<usize> {
        if group.properties.len() <= FEW_PROPERTIES {
            return group.properties.iter().position(|(n, _)| n == name);
        }
        let index = || group.properties.iter().enumerate().map(|(at, (name, _))| (name.as_str(), at)).collect();
        self.indexes.entry(node).or_insert_with(index).get(name).copied()
    }
}
