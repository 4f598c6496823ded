//! Conjunctions: all the subschemas that apply to the value at one place of a payload.
//!
//! `allOf`, references and `properties` of several objects make several subschemas apply to one value. A
//! [`Conjunction`] names them by their nodes, so it stays small and can be compared; [`Facets`] is its normal form, in
//! which references and `allOf` are gone and only unions, negations and conditions are left as such.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::effort::Effort;
use super::facets::{Facets, Union};
use crate::{Json, Kind, NodeId, Schema};

/// A subschema of a conjunction, possibly without unions that one of their branches has replaced.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub struct Term {
    /// The subschema.
    pub node: NodeId,
    /// Whether its `oneOf` is left out.
    pub without_one_of: bool,
    /// Whether its `anyOf` is left out.
    pub without_any_of: bool,
}

/// Subschemas that all apply to the value at one place of a payload, and the properties that this value must not have.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Conjunction {
    /// The subschemas.
    pub terms: Vec<Term>,
    /// Properties that an object at this place must not have.
    pub forbidden: Vec<String>,
}

/// Equal for conjunctions of the same subschemas, whatever their order and the references that lead to them.
///
/// Use it to find a conjunction that was met before: since it contains only nodes of one schema and names from it,
/// there are finitely many, also if the schema is recursive.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConjunctionKey(BTreeSet<Term>, BTreeSet<String>);

impl Term {
    /// A whole subschema.
    pub fn new(node: NodeId) -> Self {
        Self { node, without_one_of: false, without_any_of: false }
    }
}

impl Conjunction {
    /// The conjunction of some subschemas; without any, it accepts everything.
    pub fn of(nodes: impl IntoIterator<Item = NodeId>) -> Self {
        Self { terms: nodes.into_iter().map(Term::new).collect(), forbidden: Vec::new() }
    }

    /// The key to compare it by. Linear in the number of terms and the length of their chains of references.
    pub fn key(&self, schema: &Schema) -> ConjunctionKey {
        let target = |term: &Term| match schema.resolve(term.node) {
            // Only the subschema that has the union can leave it out, and that is never a reference.
            target if target != term.node => Term::new(target),
            _ => term.clone(),
        };
        ConjunctionKey(self.terms.iter().map(target).collect(), self.forbidden.iter().cloned().collect())
    }

    /// The conjunction for values of one branch: `union`, one of the unions in this conjunction's `facets`, is replaced
    /// by its branch `branch`. The disjunction of this over all branches is equivalent to an `anyOf`; a `oneOf` also
    /// demands that no second branch match.
    #[must_use]
    pub fn distribute(&self, facets: &Facets<'_>, union: &Union<'_>, branch: NodeId) -> Self {
        let mut branched = self.without(union);
        branched.terms.push(Term::new(branch));
        branched.forbidden.clone_from(&facets.forbidden);
        branched
    }

    /// The conjunction without one of its unions: it accepts more.
    #[must_use]
    pub fn without(&self, union: &Union<'_>) -> Self {
        let mut conjunction = self.clone();
        let one_of = union.keyword == "oneOf";
        match conjunction.terms.iter_mut().find(|term| term.node == union.holder) {
            Some(term) if one_of => term.without_one_of = true,
            Some(term) => term.without_any_of = true,
            // The subschema is a target of a reference or a member of an `allOf`. A second term for it is harmless,
            // since a union that one term leaves out is left out altogether.
            None => {
                conjunction.terms.push(Term { node: union.holder, without_one_of: one_of, without_any_of: !one_of });
            }
        }
        conjunction
    }

    /// Its normal form. Linear in the number of subschemas that it leads to through references and `allOf`, which
    /// [`Facets::cost`] counts.
    pub fn facets<'a>(&self, schema: &'a Schema) -> Facets<'a> {
        self.facets_within(schema, Effort::FULL)
    }

    /// The [description](Facets::description) of its normal form.
    pub fn description<'a>(&self, schema: &'a Schema) -> Option<&'a str> {
        self.facets_within(schema, Effort::WITHOUT_VALUES).description
    }

    /// Like [`facets`](Self::facets), but with limited effort. The result accepts everything that the conjunction
    /// accepts, and perhaps more.
    pub fn facets_within<'a>(&self, schema: &'a Schema, effort: Effort) -> Facets<'a> {
        let mut facets = Facets::everything();
        facets.forbidden.clone_from(&self.forbidden);
        let mut without: HashMap<NodeId, (bool, bool)> = HashMap::new();
        for term in self.terms.iter().filter(|term| term.without_one_of || term.without_any_of) {
            let flags = without.entry(term.node).or_default();
            flags.0 |= term.without_one_of;
            flags.1 |= term.without_any_of;
        }
        let mut seen = Seen::default();
        let mut excluded: Vec<&Json> = Vec::new();
        // Depth first, so that groups and descriptions are found in source order.
        let mut stack: Vec<NodeId> = self.terms.iter().rev().map(|term| term.node).collect();
        while let Some(id) = stack.pop() {
            if facets.cost >= effort.parts {
                break;
            }
            if !seen.insert(id) {
                continue;
            }
            facets.cost += 1;
            let node = schema.node(id);
            let left_out = without.get(&id).copied();
            if left_out.is_none() {
                // The description of a union does not describe each of its branches.
                facets.description = facets.description.or(node.annotations.description.as_deref());
            }
            match &node.kind {
                Kind::Bool(accepts) => facets.never |= !accepts,
                Kind::Ref(target) => stack.push(*target),
                Kind::Assertions(group) => {
                    facets.add(schema, id, group, left_out.unwrap_or_default(), effort.values, &mut excluded);
                    stack.extend(group.all_of.iter().flatten().rev());
                }
            }
        }
        facets.finish(schema, &excluded);
        facets
    }
}

/// The subschemas that were visited. Most conjunctions have one or two, for which a list is quicker than a set.
#[derive(Default)]
struct Seen {
    few: Vec<NodeId>,
    more: HashSet<NodeId>,
}

impl Seen {
    /// Returns whether the node is new.
    fn insert(&mut self, node: NodeId) -> bool {
        if self.few.contains(&node) {
            return false;
        }
        if self.few.len() < 8 {
            self.few.push(node);
            return true;
        }
        self.more.insert(node)
    }
}
