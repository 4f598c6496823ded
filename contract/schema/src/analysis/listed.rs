//! The values that a subschema allows for a property, as far as it lists them.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::in_place::{InPlace, Operand, lists};
use super::tag::equality_key;
use crate::{Assertions, Json, NodeId, Type};

/// How many properties of a subschema with listed values are found. One or two are enough to distinguish the branches
/// of a union.
const MAX_NAMES: usize = 16;

/// How many values a list may have. It is the limit of constants, too; a longer list seldom names the branches of a
/// union.
const MAX_VALUES: usize = 256;

/// Objects with more properties get an index. In smaller ones, names are compared one by one, as the interpreter does
/// up to this number.
const FEW_PROPERTIES: usize = 24;

/// How many results about properties are remembered. Beyond it they are computed again, so that a large schema does not
/// need memory without limit.
const MAX_KNOWN: usize = 200_000;

/// Indexes of values, each once, in source order.
pub(super) type List = Rc<[usize]>;

/// The assertions of a subschema about a property.
#[derive(Clone, Default, Debug)]
pub(super) struct Member {
    /// The values that it can have, if they are listed.
    pub(super) values: Option<List>,
    pub(super) is_required: bool,
}

/// Finds lists of values. Every result depends on the schema alone, so it may be remembered or computed again.
#[derive(Default, Debug)]
pub(super) struct Listed<'s> {
    values: Values<'s>,
    /// The values that subschemas list for the value itself.
    of_nodes: HashMap<NodeId, Option<List>>,
    of_members: HashMap<(NodeId, &'s str), Member>,
    names: HashMap<NodeId, Rc<[&'s str]>>,
    indexes: HashMap<NodeId, Index<'s>>,
}

/// The names of a large object.
#[derive(Debug)]
struct Index<'s> {
    properties: HashMap<&'s str, NodeId>,
    required: HashSet<&'s str>,
}

/// The different values of all lists.
#[derive(Default, Debug)]
struct Values<'s> {
    all: Vec<&'s Json>,
    /// For each value, a number that is the same for values that one payload can equal.
    classes: Vec<usize>,
    by_text: HashMap<String, Vec<usize>>,
    class_names: HashMap<String, usize>,
}

impl<'s> Listed<'s> {
    pub(super) fn value(&self, index: usize) -> Option<&'s Json> {
        self.values.all.get(index).copied()
    }

    /// The class of a value: one payload can equal two values only if they have the same class.
    pub(super) fn class(&self, index: usize) -> usize {
        self.values.classes.get(index).copied().unwrap_or(index)
    }

    /// The properties for which a subschema lists the values, in source order: of a union, those of its first branch
    /// for objects that all the others list too.
    pub(super) fn names(&mut self, in_place: &InPlace<'s>, node: NodeId) -> Rc<[&'s str]> {
        let Some((node, group)) = in_place.group(node) else { return Rc::default() };
        if let Some(known) = self.names.get(&node) {
            return known.clone();
        }
        let mut names: Vec<&'s str> = Vec::new();
        for (name, property) in &group.properties {
            if names.len() < MAX_NAMES && self.of_node(in_place, *property).is_some() {
                names.push(name);
            }
        }
        for operand in in_place.operands(group) {
            let found = match operand {
                Operand::Part(part) => self.names(in_place, part),
                Operand::Union(branches) => self.names_of_union(in_place, branches),
            };
            for name in found.iter() {
                if names.len() < MAX_NAMES && !names.contains(name) {
                    names.push(name);
                }
            }
        }
        let names: Rc<[&str]> = names.into();
        self.names.insert(node, names.clone());
        names
    }

    fn names_of_union(&mut self, in_place: &InPlace<'s>, branches: &[NodeId]) -> Rc<[&'s str]> {
        let mut branches = for_objects(in_place, branches);
        let Some(first) = branches.next() else { return Rc::default() };
        let others: Vec<NodeId> = branches.collect();
        let names = self.names(in_place, first);
        let mut is_listed =
            |name: &&'s str| others.iter().all(|branch| self.member(in_place, *branch, name).values.is_some());
        names.iter().copied().filter(|name| is_listed(name)).collect()
    }

    /// The assertions of a subschema about a property, with everything that applies to the same value.
    pub(super) fn member(&mut self, in_place: &InPlace<'s>, node: NodeId, name: &'s str) -> Member {
        let Some((node, group)) = in_place.group(node) else { return Member::default() };
        let has_operands = group.all_of.is_some() || group.any_of.is_some() || group.one_of.is_some();
        if !has_operands {
            return self.own_member(in_place, node, group, name);
        }
        if let Some(known) = self.of_members.get(&(node, name)) {
            return known.clone();
        }
        let mut member = self.own_member(in_place, node, group, name);
        for operand in in_place.operands(group) {
            let other = match operand {
                Operand::Part(part) => self.member(in_place, part, name),
                Operand::Union(branches) => self.member_of_union(in_place, branches, name),
            };
            member.is_required |= other.is_required;
            restrict(&mut member.values, other.values);
        }
        if self.of_members.len() >= MAX_KNOWN {
            self.of_members.clear();
        }
        self.of_members.insert((node, name), member.clone());
        member
    }

    fn own_member(&mut self, in_place: &InPlace<'s>, node: NodeId, group: &'s Assertions, name: &str) -> Member {
        let (property, is_required) = if group.properties.len() + group.required.len() <= FEW_PROPERTIES {
            let property = group.properties.iter().find(|(declared, _)| declared == name).map(|(_, node)| *node);
            (property, group.required.iter().any(|required| required == name))
        } else {
            let index = self.indexes.entry(node).or_insert_with(|| Index::of(group));
            (index.properties.get(name).copied(), index.required.contains(name))
        };
        Member { values: property.and_then(|property| self.of_node(in_place, property)), is_required }
    }

    fn member_of_union(&mut self, in_place: &InPlace<'s>, branches: &[NodeId], name: &'s str) -> Member {
        let mut lists = Some(Vec::new());
        let mut is_required = true;
        for branch in for_objects(in_place, branches) {
            let member = self.member(in_place, branch, name);
            is_required &= member.is_required;
            lists = lists.zip(member.values).map(|(mut lists, values)| {
                lists.push(values);
                lists
            });
            if lists.is_none() && !is_required {
                return Member::default();
            }
        }
        Member { values: lists.and_then(|lists| merged(&lists)), is_required }
    }

    /// The values that a subschema lists, with everything that applies to the same value.
    fn of_node(&mut self, in_place: &InPlace<'s>, node: NodeId) -> Option<List> {
        let (node, group) = in_place.group(node)?;
        if let Some(known) = self.of_nodes.get(&node) {
            return known.clone();
        }
        let mut all = None;
        for list in lists(group).filter(|list| list.len() <= MAX_VALUES) {
            let values: List = list.iter().map(|value| self.values.index(value)).collect();
            restrict(&mut all, merged(&[values]));
        }
        for operand in in_place.operands(group) {
            let other = match operand {
                Operand::Part(part) => self.of_node(in_place, part),
                Operand::Union(branches) => {
                    let possible = branches.iter().filter(|branch| !in_place.types(**branch).is_empty());
                    let lists: Option<Vec<List>> = possible.map(|branch| self.of_node(in_place, *branch)).collect();
                    lists.and_then(|lists| merged(&lists))
                }
            };
            restrict(&mut all, other);
        }
        self.of_nodes.insert(node, all.clone());
        all
    }
}

impl<'s> Index<'s> {
    fn of(group: &'s Assertions) -> Self {
        let properties = group.properties.iter().map(|(name, node)| (name.as_str(), *node)).collect();
        Self { properties, required: group.required.iter().map(String::as_str).collect() }
    }
}

impl<'s> Values<'s> {
    fn index(&mut self, value: &'s Json) -> usize {
        let Self { all, classes, by_text, class_names } = self;
        // Numbers with the same text may differ in digits that the canonical form rounds.
        let equal = by_text.entry(value.canonical()).or_default();
        let known = equal.iter().copied().find(|index| all.get(*index).is_some_and(|other| *other == value));
        known.unwrap_or_else(|| {
            let index = all.len();
            let next = class_names.len();
            equal.push(index);
            all.push(value);
            classes.push(*class_names.entry(equality_key(value)).or_insert(next));
            index
        })
    }
}

/// The branches that allow objects.
pub(super) fn for_objects(in_place: &InPlace<'_>, branches: &[NodeId]) -> impl Iterator<Item = NodeId> {
    branches.iter().copied().filter(|branch| in_place.types(*branch).contains(Type::Object))
}

/// Keeps only the values of another list, if there is one.
fn restrict(all: &mut Option<List>, other: Option<List>) {
    *all = match (all.take(), other) {
        (Some(all), Some(other)) => {
            let others: HashSet<usize> = other.iter().copied().collect();
            Some(all.iter().copied().filter(|value| others.contains(value)).collect())
        }
        (all, other) => all.or(other),
    };
}

/// The values of any of the lists, each once; `None` if there are too many.
fn merged(lists: &[List]) -> Option<List> {
    let mut seen = HashSet::new();
    let values: Vec<usize> =
        lists.iter().flat_map(|list| list.iter().copied()).filter(|value| seen.insert(*value)).collect();
    (values.len() <= MAX_VALUES).then(|| values.into())
}
