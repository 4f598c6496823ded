//! What a validator runs: nodes whose references are followed and whose names are sorted.

use std::collections::HashMap;

use super::value::hash_text;
use crate::{Assertions, Format, Json, Kind, Node, NodeId, Number, Pattern, Schema, TypeSet};

/// Longer `enum`s are looked up by hash.
const FEW: usize = 8;

/// An index into a [`Program`]; never that of a reference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct RuleId(u32);

#[derive(Debug)]
pub(super) struct Program {
    rules: Vec<Rule>,
    targets: Vec<RuleId>,
    /// Where each node stands in the schema, sorted.
    pointers: Vec<(Box<str>, NodeId)>,
}

#[derive(Debug)]
pub(super) enum Rule {
    Bool(bool),
    Checks(Box<Checks>),
}

#[derive(Debug)]
pub(super) struct Checks {
    pub(super) types: TypeSet,
    pub(super) enum_values: Option<Literals>,
    pub(super) const_value: Option<Json>,
    pub(super) bounds: Vec<(Bound, Number)>,
    pub(super) min_length: Option<u64>,
    pub(super) max_length: Option<u64>,
    pub(super) pattern: Option<Pattern>,
    pub(super) format: Option<Format>,
    pub(super) min_items: Option<u64>,
    pub(super) max_items: Option<u64>,
    pub(super) unique_items: bool,
    pub(super) required: Vec<String>,
    /// Sorted by name.
    properties: Vec<(String, RuleId)>,
    additional: Option<RuleId>,
    pub(super) items: Option<RuleId>,
    pub(super) all_of: Vec<RuleId>,
    pub(super) any_of: Option<Vec<RuleId>>,
    pub(super) one_of: Option<Vec<RuleId>>,
    pub(super) not: Option<RuleId>,
    /// Whether two ways may lead here for one place of the payload, so that the verdict is worth remembering.
    pub(super) is_shared: bool,
    /// The name in the schema's `definitions`.
    pub(super) definition: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    Minimum,
    Maximum,
    ExclusiveMinimum,
    ExclusiveMaximum,
}

/// The members of an `enum`.
#[derive(Debug)]
pub(super) struct Literals {
    pub(super) values: Vec<Json>,
    /// Where there are many: by [`hash_text`], the indexes.
    pub(super) index: Option<HashMap<String, Vec<usize>>>,
}

/// What applies to a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Property {
    Declared(RuleId),
    Additional(RuleId),
    Free,
}

impl Program {
    pub(super) fn new(schema: &Schema) -> Self {
        let targets: Vec<RuleId> = schema.nodes().map(|(id, _)| follow(schema, id)).collect();
        let shared = shared(schema, &targets);
        let compiler = Compiler { targets: &targets };
        let mut rules: Vec<Rule> = schema.nodes().map(|(_, node)| compiler.rule(&node.kind)).collect();
        for (rule, shared) in rules.iter_mut().zip(shared) {
            if let Rule::Checks(checks) = rule {
                checks.is_shared = shared;
            }
        }
        for (name, id) in schema.definitions() {
            if let Some(Rule::Checks(checks)) = rules.get_mut(id.0 as usize) {
                checks.definition = Some(name.clone());
            }
        }
        let mut pointers: Vec<_> = schema.nodes().map(|(id, node)| (node.pointer.as_str().into(), id)).collect();
        pointers.sort_unstable();
        Self { rules, targets, pointers }
    }

    /// The rule that stands at a JSON Pointer of the schema, references followed.
    pub(super) fn at(&self, pointer: &str) -> Option<RuleId> {
        let index = self.pointers.binary_search_by(|(at, _)| at.as_ref().cmp(pointer)).ok()?;
        self.pointers.get(index).map(|(_, node)| self.target(*node))
    }

    pub(super) fn root(&self) -> RuleId {
        self.target(NodeId(0))
    }

    /// The rule that a node stands for, references followed.
    pub(super) fn target(&self, node: NodeId) -> RuleId {
        target(&self.targets, node)
    }

    pub(super) fn rule(&self, id: RuleId) -> &Rule {
        self.rules.get(id.0 as usize).unwrap_or(&Rule::Bool(true))
    }

    /// The checks of a rule, where it is not a boolean.
    pub(super) fn checks(&self, id: RuleId) -> Option<&Checks> {
        if let Rule::Checks(checks) = self.rule(id) { Some(checks) } else { None }
    }
}

impl Checks {
    pub(super) fn property(&self, name: &str) -> Property {
        let declared = match self.properties.as_slice() {
            [] => None,
            sorted => sorted.binary_search_by(|(n, _)| n.as_str().cmp(name)).ok().and_then(|index| sorted.get(index)),
        };
        match (declared, self.additional) {
            (Some((_, rule)), _) => Property::Declared(*rule),
            (None, Some(rule)) => Property::Additional(rule),
            (None, None) => Property::Free,
        }
    }

    pub(super) fn properties(&self) -> &[(String, RuleId)] {
        &self.properties
    }

    /// Whether the properties of an object are looked at one by one.
    pub(super) fn has_properties(&self) -> bool {
        !self.properties.is_empty() || self.additional.is_some()
    }
}

impl Schema {
    /// The subschemas that one place of the payload may reach twice, so that their verdict there is worth remembering: members
    /// of `definitions` that are no references.
    pub fn shared(&self) -> Vec<NodeId> {
        let targets: Vec<RuleId> = self.nodes().map(|(id, _)| follow(self, id)).collect();
        let shared = shared(self, &targets);
        let is_shared = |(id, node): (NodeId, &Node)| matches!(node.kind, Kind::Assertions(_)).then_some(id);
        self.nodes().zip(shared).filter(|(_, shared)| *shared).filter_map(|(node, _)| is_shared(node)).collect()
    }
}

/// The loader has refused cycles, so this ends.
fn follow(schema: &Schema, mut id: NodeId) -> RuleId {
    while let Kind::Ref(target) = schema.node(id).kind {
        id = target;
    }
    RuleId(id.0)
}

fn target(targets: &[RuleId], node: NodeId) -> RuleId {
    targets.get(node.0 as usize).copied().unwrap_or(RuleId(node.0))
}

/// The definitions that a place of the payload may reach twice. Two ways to one node and place part at a node that applies
/// several subschemas at once, and meet at a node that several references lead to.
fn shared(schema: &Schema, targets: &[RuleId]) -> Vec<bool> {
    let mut references = vec![0_u32; targets.len()];
    let mut forked = vec![false; targets.len()];
    let mut open = Vec::new();
    for (id, node) in schema.nodes() {
        if matches!(node.kind, Kind::Ref(_)) {
            let target = target(targets, id).0 as usize;
            references.get_mut(target).into_iter().for_each(|count| *count = count.saturating_add(1));
        }
        let ways = node.kind.in_place().count() + usize::from(node.kind.below().next().is_some());
        if ways > 1 {
            open.push(id);
        }
    }
    while let Some(id) = open.pop() {
        match forked.get_mut(id.0 as usize) {
            Some(seen) if !*seen => *seen = true,
            _ => continue,
        }
        open.extend(schema.node(id).kind.children());
    }
    references.into_iter().zip(forked).map(|(count, forked)| count > 1 && forked).collect()
}

struct Compiler<'t> {
    targets: &'t [RuleId],
}

impl Compiler<'_> {
    fn rule(&self, kind: &Kind) -> Rule {
        match kind {
            Kind::Bool(verdict) => Rule::Bool(*verdict),
            // Every way to a reference has been led to its target.
            Kind::Ref(_) => Rule::Bool(true),
            Kind::Assertions(assertions) => Rule::Checks(Box::new(self.checks(assertions))),
        }
    }

    fn id(&self, node: NodeId) -> RuleId {
        target(self.targets, node)
    }

    fn ids(&self, nodes: &Option<Vec<NodeId>>) -> Option<Vec<RuleId>> {
        nodes.as_ref().map(|nodes| nodes.iter().map(|&node| self.id(node)).collect())
    }

    fn checks(&self, a: &Assertions) -> Checks {
        let mut properties: Vec<_> = a.properties.iter().map(|(name, id)| (name.clone(), self.id(*id))).collect();
        properties.sort_unstable();
        Checks {
            types: a.types.unwrap_or(TypeSet::ALL),
            enum_values: a.enum_values.as_deref().map(Literals::new),
            const_value: a.const_value.clone(),
            bounds: bounds(a),
            min_length: a.min_length,
            max_length: a.max_length,
            pattern: a.pattern.clone(),
            format: a.format,
            min_items: a.min_items,
            max_items: a.max_items,
            unique_items: a.unique_items,
            required: a.required.clone(),
            properties,
            additional: a.additional_properties.map(|id| self.id(id)),
            items: a.items.map(|id| self.id(id)),
            all_of: self.ids(&a.all_of).unwrap_or_default(),
            any_of: self.ids(&a.any_of),
            one_of: self.ids(&a.one_of),
            not: a.not.map(|id| self.id(id)),
            is_shared: false,
            definition: None,
        }
    }
}

fn bounds(a: &Assertions) -> Vec<(Bound, Number)> {
    let all = [
        (Bound::Minimum, &a.minimum),
        (Bound::Maximum, &a.maximum),
        (Bound::ExclusiveMinimum, &a.exclusive_minimum),
        (Bound::ExclusiveMaximum, &a.exclusive_maximum),
    ];
    all.into_iter().filter_map(|(bound, limit)| Some((bound, limit.clone()?))).collect()
}

impl Literals {
    fn new(values: &[Json]) -> Self {
        let index = (values.len() > FEW).then(|| {
            let mut index = HashMap::<String, Vec<usize>>::new();
            for (position, literal) in values.iter().enumerate() {
                index.entry(hash_text(&literal.to_value())).or_default().push(position);
            }
            index
        });
        Self { values: values.to_vec(), index }
    }
}
