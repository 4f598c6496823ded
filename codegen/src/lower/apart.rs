//! What tells the branches of a union apart: the JSON type of a value, and a tag. Where there is none, [`super::key`] looks
//! for properties.

use std::collections::HashSet;

use capgen_schema::analysis::branches::equality_key;
use capgen_schema::{Json, Type as SchemaType, TypeSet};

use super::Lowering;
use super::conj::{Conj, Facets};
use crate::model::Variant;

/// What a look at a value can tell of a branch.
#[derive(Clone)]
pub(super) struct Profile {
    pub(super) types: TypeSet,
    /// Required properties with a closed set of values, in source order.
    pub(super) constants: Vec<(String, Vec<Json>)>,
}

impl<'a> Lowering<'a, '_> {
    /// The profile of a conjunction; of everything where it is too deep or too wide to tell.
    pub(super) fn profile(&mut self, conj: &Conj, depth: usize) -> Profile {
        let everything = Profile { types: TypeSet::ALL, constants: Vec::new() };
        if depth > 32 || self.budget == 0 {
            return everything;
        }
        self.budget -= 1;
        let facets = self.flatten(conj);
        if facets.is_never() {
            return Profile { types: TypeSet::EMPTY, constants: Vec::new() };
        }
        if let Some(values) = &facets.values {
            return Profile { types: values.iter().map(|value| value.type_of()).collect(), constants: Vec::new() };
        }
        let Some(union) = facets.unions.first() else {
            return Profile { types: facets.types, constants: self.constants(&facets) };
        };
        let branches: Vec<Profile> = union
            .nodes
            .iter()
            .map(|branch| self.profile(&conj.distribute(&facets, union, *branch), depth + 1))
            .collect();
        join(branches)
    }

    /// The required properties that can only have listed values.
    fn constants(&mut self, facets: &Facets<'a>) -> Vec<(String, Vec<Json>)> {
        let mut constants: Vec<(String, Vec<Json>)> = Vec::new();
        let mut seen = HashSet::new();
        let required: HashSet<&str> = facets.groups.iter().flat_map(|g| &g.required).map(String::as_str).collect();
        for (name, _) in facets.groups.iter().flat_map(|group| &group.properties) {
            if !required.contains(name.as_str()) || !seen.insert(name.as_str()) {
                continue;
            }
            let nodes = facets.groups.iter().flat_map(|g| g.properties.iter().filter(|(n, _)| n == name));
            let place = self.flatten(&Conj::of(nodes.map(|(_, node)| *node)));
            if let Some(values) = place.values {
                constants.push((name.clone(), values.into_iter().cloned().collect()));
            }
        }
        constants
    }
}

impl Profile {
    pub(super) fn constant(&self, name: &str) -> Option<&[Json]> {
        self.constants.iter().find(|(n, _)| n == name).map(|(_, values)| values.as_slice())
    }

    pub(super) fn is_object(&self) -> bool {
        self.types.contains(SchemaType::Object)
    }
}

/// The profile of a value that has one of several.
fn join(profiles: Vec<Profile>) -> Profile {
    let types = profiles.iter().fold(TypeSet::EMPTY, |types, profile| types.union(profile.types));
    let objects: Vec<&Profile> = profiles.iter().filter(|profile| profile.is_object()).collect();
    let Some((first, others)) = objects.split_first() else { return Profile { types, constants: Vec::new() } };
    let mut constants = Vec::new();
    for (name, values) in &first.constants {
        let Some(more) = others.iter().map(|profile| profile.constant(name)).collect::<Option<Vec<_>>>() else {
            continue;
        };
        constants.push((name.clone(), values.iter().chain(more.into_iter().flatten()).cloned().collect()));
    }
    Profile { types, constants }
}

/// The first property that tells every two object branches apart.
pub(super) fn tag<'p>(profiles: impl Iterator<Item = &'p Profile>) -> Option<String> {
    let objects: Vec<&Profile> = profiles.filter(|profile| profile.is_object()).collect();
    let (first, others) = objects.split_first()?;
    if others.is_empty() {
        return None;
    }
    first.constants.iter().map(|(name, _)| name).find(|name| are_disjoint(&objects, name)).cloned()
}

fn are_disjoint(objects: &[&Profile], tag: &str) -> bool {
    let mut seen = HashSet::new();
    objects.iter().all(|profile| match profile.constant(tag) {
        Some(values) => {
            let own: HashSet<String> = values.iter().map(equality_key).collect();
            own.into_iter().all(|value| seen.insert(value))
        }
        None => false,
    })
}

/// Whether types, tags and keys tell every two variants apart.
pub(super) fn is_disjoint(variants: &[Variant], nullable: bool) -> bool {
    let mut types = TypeSet::EMPTY;
    if nullable {
        types = types.with(SchemaType::Null);
    }
    let mut plain_object = false;
    let mut selected_object = false;
    for variant in variants {
        let mut own = variant.types;
        if own.contains(SchemaType::Object) {
            if variant.is_plain() {
                if plain_object || selected_object {
                    return false;
                }
                plain_object = true;
            } else if plain_object {
                return false;
            } else {
                selected_object = true;
            }
            own = without(own, SchemaType::Object);
        }
        if !own.intersection(types).is_empty() {
            return false;
        }
        types = types.union(own);
    }
    true
}

pub(super) fn without(types: TypeSet, excluded: SchemaType) -> TypeSet {
    types.iter().filter(|t| *t != excluded).collect()
}
