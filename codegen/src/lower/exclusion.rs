//! Properties that make a second branch of a `oneOf` match.
//!
//! In `oneOf: [{required: [a], ...}, {required: [b], properties: {b: {type: string}}}]`, an object with `a` may also
//! have a `b`, but not one that is a string. Schemas of this form are found exactly; of others, nothing is excluded,
//! since a type must not reject a value that its schema accepts.

use std::collections::HashSet;

use capgen_schema::analysis::conjunction::Conjunction;
use capgen_schema::analysis::facets::{Facets, Property};
use capgen_schema::{NodeId, Type as SchemaType, TypeSet};

use super::Lowering;
use super::branch::{Branch, MAX_EXCLUSIVE};

/// A branch for objects whose only assertions are required properties and the JSON types of properties.
struct Simple<'a> {
    required: Vec<&'a str>,
    /// The declared properties with the types that they may have.
    properties: Vec<(&'a str, TypeSet)>,
}

impl<'a> Lowering<'a, '_> {
    /// Sets the properties that each branch of a place's only union must not have.
    pub(super) fn exclude_siblings(&mut self, facets: &Facets<'a>, branches: &mut [Branch]) {
        let [union] = facets.unions.as_slice() else { return };
        if union.keyword != "oneOf" || union.branches.len() > MAX_EXCLUSIVE {
            return;
        }
        let simple: Vec<(NodeId, Simple<'a>)> =
            union.branches.iter().filter_map(|node| Some((*node, self.simple(*node)?))).collect();
        if simple.is_empty() {
            return;
        }
        for branch in branches.iter_mut().filter(|branch| branch.profile.allows_objects()) {
            // A branch of a union inside this one ends in another node.
            let Some(own) = branch.conjunction.terms.last().map(|term| term.node) else { continue };
            if !union.branches.contains(&own) || self.budget == 0 {
                continue;
            }
            let facets = self.facets(&branch.conjunction);
            let (required, properties) = (facets.required().collect(), facets.properties());
            let others = simple.iter().filter(|(node, _)| *node != own);
            let excluded = others.filter_map(|(_, other)| self.excluded(&required, &properties, other));
            branch.excluded = excluded.map(|(name, types)| (name.to_owned(), types)).collect();
        }
    }

    fn simple(&mut self, node: NodeId) -> Option<Simple<'a>> {
        let facets = self.facets(&Conjunction::of([node]));
        let is_simple =
            facets.types.contains(SchemaType::Object) && self.asserts_only(&facets, &["properties", "required"]);
        let properties = || {
            let properties = facets.properties();
            properties.iter().map(|property| Some((property.name, self.types(property)?))).collect::<Option<Vec<_>>>()
        };
        is_simple.then(|| Some(Simple { required: facets.required().collect(), properties: properties()? }))?
    }

    /// The types of a property that asserts nothing else.
    fn types(&self, property: &Property<'_>) -> Option<TypeSet> {
        let facets = Conjunction::of(property.nodes.iter().copied()).facets(self.schema);
        self.asserts_only(&facets, &[]).then_some(facets.types)
    }

    /// Whether a conjunction has no keywords but these, `type` and `allOf`.
    fn asserts_only(&self, facets: &Facets<'_>, keywords: &[&str]) -> bool {
        let is_known = |keyword: &str| keyword == "type" || keyword == "allOf" || keywords.contains(&keyword);
        !facets.never && facets.groups.iter().all(|group| group.keywords().all(is_known))
    }

    /// The only undeclared property that an object of a branch lacks for the other branch, and the types with which the
    /// other branch matches.
    fn excluded<'o>(
        &self,
        required: &HashSet<&str>,
        properties: &[Property<'_>],
        other: &'o Simple<'a>,
    ) -> Option<(&'o str, TypeSet)> {
        let mut lacking = other.required.iter().filter(|name| !required.contains(*name));
        let name = *lacking.next()?;
        let is_sole = lacking.all(|other| *other == name);
        let declared = |name: &str| properties.iter().find(|property| property.name == name);
        let is_compatible = |(other, types): &(&str, TypeSet)| {
            *other == name
                || *types == TypeSet::ALL
                || declared(other).is_some_and(|own| {
                    let own = Conjunction::of(own.nodes.iter().copied()).facets(self.schema).types;
                    own.intersection(*types) == own
                })
        };
        let types = other.properties.iter().find(|(declared, _)| *declared == name).map(|(_, types)| *types);
        let is_excluded = is_sole && declared(name).is_none() && other.properties.iter().all(is_compatible);
        is_excluded.then_some((name, types?))
    }
}
