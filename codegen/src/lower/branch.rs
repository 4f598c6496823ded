//! The branches of the unions of a place, before they become variants.

use std::collections::HashSet;

use capgen_schema::analysis::branches::{Tag, are_distinct};
use capgen_schema::analysis::conjunction::Conjunction;
use capgen_schema::analysis::facets::{SingleAssertion, Union, single_assertion};
use capgen_schema::analysis::key;
use capgen_schema::analysis::profile::Profile;
use capgen_schema::{Json, Kind, NodeId, Schema, Type as SchemaType, TypeSet};

use super::alias::{Alias, alias_of};
use super::widened::Limit;
use super::{Lowering, Place, finite, guard};
use crate::name;

/// After nested unions are opened, a union with more branches than this, and more than its schema has nodes, is not
/// lowered as a union. Unions next to one another multiply their branches, so a small schema can have very many.
const MAX_BRANCHES: usize = 256;

/// In a `oneOf` of more branches, the property that one branch requires is not forbidden in the others, since that
/// takes quadratic time.
pub(super) const MAX_EXCLUSIVE: usize = 64;

/// A branch, combined with the assertions next to its union.
pub(super) struct Branch {
    pub(super) conjunction: Conjunction,
    /// Other branches that list strings too, and share this branch's variant.
    pub(super) others: Vec<Conjunction>,
    /// The name from the position of the branch, for when neither a tag nor a type gives a better one.
    pub(super) ident: String,
    pub(super) pointer: String,
    pub(super) profile: Profile,
    /// The property whose presence selects this branch among the branches for objects.
    pub(super) key: Option<String>,
    /// Whether `ident` is the name of a property.
    pub(super) has_property_name: bool,
    /// See [`Variant::excluded`](crate::model::Variant::excluded).
    pub(super) excluded: Vec<(String, TypeSet)>,
}

/// A branch that may contain another union.
struct Unopened {
    conjunction: Conjunction,
    ident: String,
    pointer: String,
    /// Whether it is the place itself and not a branch.
    is_place: bool,
}

impl<'a> Lowering<'a, '_> {
    /// Appends the branches of a conjunction's unions to `branches`, and those of unions inside them. Returns whether
    /// they are equivalent to the unions, which they are not if a branch that occurs twice counts once; `None` if there
    /// are too many, or if they would repeat too much.
    pub(super) fn open(
        &mut self,
        conjunction: &Conjunction,
        place: &Place,
        branches: &mut Vec<Branch>,
    ) -> Option<bool> {
        let mut is_exact = true;
        // How many branches repeat the assertions next to the unions.
        let mut repeated: usize = 0;
        let limit = MAX_BRANCHES.max(self.schema.nodes().count());
        let mut seen = HashSet::new();
        // Depth first in source order: the branch that was pushed last is opened first.
        let mut stack = vec![Unopened {
            conjunction: conjunction.clone(),
            ident: String::new(),
            pointer: place.pointer.clone(),
            is_place: true,
        }];
        while let Some(Unopened { conjunction, ident, pointer, is_place }) = stack.pop() {
            if self.budget == 0 {
                return None;
            }
            let facets = self.facets(&conjunction);
            if facets.is_never() {
                continue;
            }
            if !seen.insert(conjunction.key(self.schema)) {
                is_exact = false;
                continue;
            }
            // A branch that is a definition keeps the type of the definition, even if that is a union.
            let is_type =
                !is_place && matches!(alias_of(self.schema, &conjunction), Some(Alias::Ref(_) | Alias::Anything));
            let Some(union) = facets.unions.first().filter(|_| !is_type && facets.values.is_none()) else {
                let profile = self.profile(&conjunction);
                branches.push(Branch::new(conjunction, ident, pointer, profile));
                continue;
            };
            repeated = repeated.saturating_add(union.branches.len().saturating_sub(1));
            if branches.len() + stack.len() + union.branches.len() > limit {
                self.widened.insert((self.index, self.part, Limit::Branches));
                return None;
            }
            if !self.size.allows(&facets, repeated) {
                return None;
            }
            for (index, branch) in union.branches.iter().enumerate().rev() {
                let mut combined = conjunction.distribute(&facets, union, *branch);
                for name in self.excluded_by_siblings(union, index) {
                    if !combined.forbidden.contains(&name) {
                        combined.forbidden.push(name);
                    }
                }
                let place = Place { name: ident.clone(), pointer: pointer.clone() };
                let child = place.child(&format!("Variant{}", index + 1), union.keyword, Some(&index.to_string()));
                stack.push(Unopened {
                    conjunction: combined,
                    ident: child.name,
                    pointer: child.pointer,
                    is_place: false,
                });
            }
        }
        Some(is_exact)
    }

    /// The properties that a branch of a `oneOf` must not have, since each would make another branch match too: that of
    /// every other branch whose only assertion is one required property.
    fn excluded_by_siblings(&self, union: &Union<'_>, index: usize) -> Vec<String> {
        if union.keyword != "oneOf" || union.branches.len() > MAX_EXCLUSIVE {
            return Vec::new();
        }
        let required = |node: &NodeId| match &self.schema.node(*node).kind {
            Kind::Assertions(group) => match single_assertion(group)? {
                SingleAssertion::Required(name) => Some(name),
                _ => None,
            },
            _ => None,
        };
        let own = union.branches.get(index).and_then(required);
        let others = union.branches.iter().enumerate().filter(|(i, _)| *i != index);
        others.filter_map(|(_, node)| required(node)).filter(|name| own != Some(*name)).map(str::to_owned).collect()
    }

    fn profile(&mut self, conjunction: &Conjunction) -> Profile {
        self.profiler.profile(conjunction, &mut self.budget)
    }

    /// Combines all branches that list strings and have no definition into the first of them.
    pub(super) fn join_strings(&self, branches: Vec<Branch>) -> Vec<Branch> {
        let mut joined: Vec<Branch> = Vec::with_capacity(branches.len());
        let mut first = None;
        for branch in branches {
            if self.lists_strings(&branch) {
                match first.and_then(|at: usize| joined.get_mut(at)) {
                    Some(first) => {
                        first.others.push(branch.conjunction);
                        continue;
                    }
                    None => first = Some(joined.len()),
                }
            }
            joined.push(branch);
        }
        joined
    }

    fn lists_strings(&self, branch: &Branch) -> bool {
        if branch.profile.types != TypeSet::EMPTY.with(SchemaType::String) {
            return false;
        }
        let facets = branch.conjunction.facets(self.schema);
        facets.values.is_some()
            && guard::asserts_only_values(&facets)
            && alias_of(self.schema, &branch.conjunction).is_none()
    }

    /// Finds the property whose presence selects each branch for objects, and names branches after it.
    pub(super) fn find_keys(&mut self, branches: &mut [Branch]) {
        let mut objects: Vec<&mut Branch> =
            branches.iter_mut().filter(|branch| branch.profile.allows_objects()).collect();
        if objects.len() < 2 || self.budget == 0 {
            return;
        }
        let conjunctions: Vec<&Conjunction> = objects.iter().map(|branch| &branch.conjunction).collect();
        let (keys, cost) = key::keys(self.schema, &conjunctions);
        // Comparing a name costs much less than lowering a place.
        self.budget = self.budget.saturating_sub(cost / 8);
        for (branch, key) in objects.iter_mut().zip(keys.into_iter().flatten()) {
            if key.is_sole && branch.is_object() {
                branch.name_after(&key.name);
            }
            branch.key = Some(key.name);
        }
    }
}

impl Branch {
    fn new(conjunction: Conjunction, ident: String, pointer: String, profile: Profile) -> Self {
        Self {
            conjunction,
            others: Vec::new(),
            ident,
            pointer,
            profile,
            key: None,
            has_property_name: false,
            excluded: Vec::new(),
        }
    }

    /// Whether its values are objects only.
    fn is_object(&self) -> bool {
        self.profile.types == TypeSet::EMPTY.with(SchemaType::Object)
    }

    fn name_after(&mut self, property: &str) {
        self.ident = finite::ident(&Json::String(property.to_owned()));
        self.has_property_name = true;
    }
}

/// The name of the property whose value selects every branch for objects.
pub(super) fn tag(branches: &[Branch]) -> Option<String> {
    let tag = Tag::find(branches.iter().map(|branch| &branch.profile))?;
    tag.is_exclusive().then_some(tag.name)
}

/// Names the only branch for objects `Object`, as branches for other types are named after theirs. If it can have no
/// property but one, it is named after that property, as it would be next to a second branch.
pub(super) fn name_sole_object(schema: &Schema, branches: &mut [Branch]) {
    let mut objects = branches.iter_mut().filter(|branch| branch.profile.allows_objects());
    if let (Some(branch), None) = (objects.next(), objects.next()) {
        match key::only_property(schema, &branch.conjunction).filter(|_| branch.is_object()) {
            Some(property) => branch.name_after(&property),
            None => branch.ident = name::camel(SchemaType::Object.name()),
        }
    }
}

/// Whether no value matches two branches, as far as types, the tag and keys show.
pub(super) fn are_exclusive(branches: &[Branch], is_tagged: bool) -> bool {
    are_distinct(branches.iter().map(|branch| match branch.profile.types {
        types if is_tagged || branch.key.is_some() => types.without(SchemaType::Object),
        types => types,
    }))
}
