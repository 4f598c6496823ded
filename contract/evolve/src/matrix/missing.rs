//! The parts of the requester's contract that the provider does not know.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use capgen_manifest::{Capability, Side};
use capgen_schema::{Assertions, Json, NodeId, Schema, Steps, Type, TypeSet};

use super::offered::Offered;
use super::walk::{below, in_place, walk};
use crate::compare::{branch_name, constants, identities, listed, overlap, part_of};
use crate::work::Work;

/// The most branches of a schema that are compared by their values; further ones count as known. Each takes a search
/// for a value; usual unions have fewer.
const MAX_BRANCHES: usize = 100;

/// The properties, the branches of unions and the values of enumerations that the requester's contract declares and the
/// provider's contract does not: one sentence for each property and branch, and for the values of each place.
pub(super) fn missing(requester: &Capability, provider: &Capability, steps: Steps, work: &Work) -> Vec<String> {
    let mut missing = Vec::new();
    for side in Side::ALL {
        // A provider without a schema may know everything.
        let (Some(known), Some(offered)) = (requester.schema(side), provider.schema(side)) else { continue };
        let Some(offered) = Offered::of(offered) else { continue };
        let requested = Requested { schema: known, offered, steps, work, compared: 0, answers: BTreeMap::new() };
        for (path, part) in requested.missing().unwrap_or_default() {
            let place = if path.is_empty() { String::new() } else { format!("`{path}` of ") };
            missing.push(format!("the provider does not know {part}{place}the {}", side.name()));
        }
    }
    missing
}

/// A part of a schema that is missing at a place.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// The property of the place.
    Property,
    /// The branch with this name.
    Branch(String),
    /// The value in this list.
    Value(String),
    /// The values in this list.
    Values(String),
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Property => Ok(()),
            Part::Branch(name) => write!(f, "the branch {name} of "),
            Part::Value(value) => write!(f, "the value {value} of "),
            Part::Values(list) => write!(f, "the values {list} of "),
        }
    }
}

/// The requester's schema, and the provider's schema with its places.
struct Requested<'s> {
    schema: &'s Schema,
    offered: Offered<'s>,
    steps: Steps,
    work: &'s Work,
    /// How many branches were compared by their values.
    compared: usize,
    /// The answers for a subschema, and the provider's subschemas at the same path: definitions may be at many paths.
    answers: BTreeMap<(NodeId, Vec<NodeId>), Answer>,
}

/// The parts of a subschema that the provider does not know.
#[derive(Clone)]
struct Answer {
    values: Option<Part>,
    branches: Vec<NodeId>,
}

impl Requested<'_> {
    /// The missing parts, sorted by path; `None` if there are too many places.
    fn missing(mut self) -> Option<BTreeSet<(String, Part)>> {
        let schema = self.schema;
        let mut missing = BTreeSet::new();
        walk(schema, |id, group, path| {
            let Answer { values, branches } = self.answer(id, group, path);
            missing.extend(values.map(|values| (path.to_owned(), values)));
            for branch in &branches {
                missing.insert((path.to_owned(), Part::Branch(branch_name(schema, *branch))));
            }
            // The parts of a missing property or branch are not listed.
            let mut next = Vec::new();
            for (child, path, is_property) in below(schema, group, path) {
                if is_property && !self.offered.properties.contains(&path) {
                    missing.insert((path, Part::Property));
                } else {
                    next.push((child, path));
                }
            }
            let known = in_place(schema, id, group).filter(|child| !branches.contains(child));
            next.extend(known.map(|child| (child, path.to_owned())));
            next
        })?;
        Some(missing)
    }

    fn answer(&mut self, id: NodeId, group: &Assertions, path: &str) -> Answer {
        let places = self.offered.places(path).to_vec();
        // A path that the provider does not have at all, such as the items of an array of any values.
        if places.is_empty() {
            return Answer { values: None, branches: Vec::new() };
        }
        let key = (id, places);
        if let Some(answer) = self.answers.get(&key) {
            return answer.clone();
        }
        let unions = [&group.any_of, &group.one_of].into_iter().flatten();
        let branches = unions.flat_map(|union| self.missing_branches(union, path)).collect();
        let answer = Answer { values: self.missing_values(group, &key.1), branches };
        self.answers.insert(key, answer.clone());
        answer
    }

    /// The values of `enum` and `const` that the provider does not know.
    fn missing_values(&self, group: &Assertions, places: &[NodeId]) -> Option<Part> {
        let values = group.enum_values.iter().flatten().chain(&group.const_value);
        // That a value may be `null` is not a part of its own.
        let values = values.filter(|value| **value != Json::Null);
        let unknown: Vec<&Json> = values.filter(|value| !self.offered.admits(places, value)).collect();
        match unknown.len() {
            0 => None,
            1 => Some(Part::Value(listed(&unknown))),
            _ => Some(Part::Values(listed(&unknown))),
        }
    }

    /// The branches of a union that the provider does not know: no branch of the provider belongs to them, and the
    /// provider accepts none of their values.
    fn missing_branches(&mut self, union: &[NodeId], path: &str) -> Vec<NodeId> {
        let offered = self.offered.branches(path).to_vec();
        let provider = self.offered.schema;
        let known: BTreeSet<_> = offered.iter().flat_map(|id| identities(provider, *id)).collect();
        let requested: BTreeSet<_> = union.iter().flat_map(|id| identities(self.schema, *id)).collect();
        let is_new = |id: &NodeId| !identities(self.schema, *id).any(|identity| known.contains(&identity));
        let new: Vec<NodeId> = union.iter().copied().filter(is_new).collect();
        // The provider's branches that may be other versions of the new ones.
        let left = offered.into_iter().filter(|id| !identities(provider, *id).any(|other| requested.contains(&other)));
        let left: Vec<NodeId> = left.collect();
        let mut missing = Vec::new();
        for id in new {
            let is_similar = left.iter().any(|other| are_similar((self.schema, id), (provider, *other)));
            if !is_similar && self.is_rejected(id, path) {
                missing.push(id);
            }
        }
        missing
    }

    /// Whether the provider accepts no value of a branch. Of enumerations, the values are listed instead.
    fn is_rejected(&mut self, branch: NodeId, path: &str) -> bool {
        let group = self.schema.assertions(branch);
        let is_enumeration = group.is_some_and(|group| group.enum_values.is_some() || group.const_value.is_some());
        let is_null = group.is_some_and(|group| group.types == Some(TypeSet::EMPTY.with(Type::Null)));
        if is_enumeration || is_null || self.compared >= MAX_BRANCHES {
            return false;
        }
        self.compared += 1;
        let (steps, work) = (part_of(self.steps), self.work);
        let is_empty = |schema: Option<Schema>| schema.is_some_and(|schema| work.is_empty(&schema, steps));
        let branch = (self.schema, branch);
        let mut places = self.offered.places(path).iter();
        // A branch that accepts nothing is not missed.
        places.all(|place| is_empty(overlap(branch, (self.offered.schema, *place))))
            && !is_empty(overlap(branch, branch))
    }
}

/// Whether two branches may be versions of each other, although nothing identifies them: they have the same tag, or the
/// same types and, if they are objects, a property in common. Then none of them is unknown, even if they accept no
/// common value.
fn are_similar((one_schema, one): (&Schema, NodeId), (other_schema, other): (&Schema, NodeId)) -> bool {
    let (one_tag, other_tag) = (constants(one_schema, one), constants(other_schema, other));
    let mut common = one_tag.iter().filter_map(|(name, value)| Some(other_tag.get(name)? == value)).peekable();
    if common.peek().is_some() {
        return common.all(|is_equal| is_equal);
    }
    let (Some(one), Some(other)) = (one_schema.assertions(one), other_schema.assertions(other)) else { return false };
    let shares = |name: &str| other.properties.iter().any(|(other, _)| other == name);
    one.types == other.types && (one.properties.is_empty() || one.properties.iter().any(|(name, _)| shares(name)))
}
