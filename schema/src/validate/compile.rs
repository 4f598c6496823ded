//! What a validator runs: rules whose references are followed and whose names are sorted.

use std::collections::BTreeMap;

use super::candidates::Union;
use super::literal::Literals;
use super::rule::{ArrayChecks, Bound, Checks, InPlace, ObjectChecks, Rule, RuleId, StringChecks};
use crate::analysis::effort::Effort;
use crate::analysis::profile::Profiler;
use crate::analysis::shared;
use crate::{Assertions, Kind, NodeId, Number, Schema, TypeSet};

#[derive(Debug)]
pub(super) struct Program {
    rules: Vec<Rule>,
    targets: Vec<RuleId>,
    /// Where each node stands in the schema, sorted.
    pointers: Vec<(Box<str>, NodeId)>,
    /// The names in the schema's `definitions`.
    definitions: BTreeMap<RuleId, String>,
}

impl Program {
    pub(super) fn new(schema: &Schema) -> Self {
        let targets: Vec<RuleId> = schema.nodes().map(|(id, _)| RuleId(schema.resolve(id).0)).collect();
        let shared = shared::reached_twice(schema);
        let mut compiler = Compiler { targets: &targets, profiler: Profiler::new(schema, Effort::SMALL) };
        let compiled = schema.nodes().zip(shared).map(|((_, node), shared)| compiler.rule(&node.kind, shared));
        let rules: Vec<Rule> = compiled.collect();
        let mut pointers: Vec<_> = schema.nodes().map(|(id, node)| (node.pointer.as_str().into(), id)).collect();
        pointers.sort_unstable();
        let says_something = |id: NodeId| matches!(schema.node(id).kind, Kind::Assertions(_));
        let definitions = schema.definitions().iter().filter(|(_, id)| says_something(*id));
        let definitions = definitions.map(|(name, id)| (RuleId(id.0), name.clone())).collect();
        Self { rules, targets, pointers, definitions }
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

    /// The name in the schema's `definitions`.
    pub(super) fn definition(&self, id: RuleId) -> Option<&str> {
        self.definitions.get(&id).map(String::as_str)
    }
}

fn target(targets: &[RuleId], node: NodeId) -> RuleId {
    targets.get(node.0 as usize).copied().unwrap_or(RuleId(node.0))
}

struct Compiler<'t, 's> {
    targets: &'t [RuleId],
    profiler: Profiler<'s>,
}

impl Compiler<'_, '_> {
    fn rule(&mut self, kind: &Kind, is_shared: bool) -> Rule {
        match kind {
            Kind::Bool(verdict) => Rule::Bool(*verdict),
            // Every way to a reference has been led to its target.
            Kind::Ref(_) => Rule::Bool(true),
            Kind::Assertions(assertions) if assertions.is_empty() => Rule::Bool(true),
            Kind::Assertions(assertions) => Rule::Checks(self.checks(assertions, is_shared)),
        }
    }

    fn id(&self, node: NodeId) -> RuleId {
        target(self.targets, node)
    }

    fn ids(&self, nodes: &[NodeId]) -> Box<[RuleId]> {
        nodes.iter().map(|&node| self.id(node)).collect()
    }

    fn checks(&mut self, a: &Assertions, is_shared: bool) -> Checks {
        Checks {
            types: a.types.unwrap_or(TypeSet::ALL),
            is_shared,
            enum_values: a.enum_values.as_deref().map(|values| Box::new(Literals::new(values))),
            const_value: a.const_value.as_ref().map(|value| Box::new(Literals::new(std::slice::from_ref(value)))),
            bounds: bounds(a),
            strings: strings(a),
            arrays: self.arrays(a),
            objects: self.objects(a),
            in_place: self.in_place(a),
        }
    }

    fn union(&mut self, nodes: &[NodeId]) -> Union {
        let branches = self.ids(nodes);
        Union::new(&mut self.profiler, nodes, branches)
    }

    fn arrays(&self, a: &Assertions) -> Option<Box<ArrayChecks>> {
        let is_asked = a.min_items.is_some() || a.max_items.is_some() || a.unique_items || a.items.is_some();
        is_asked.then(|| {
            Box::new(ArrayChecks {
                min_items: a.min_items,
                max_items: a.max_items,
                unique_items: a.unique_items,
                items: a.items.map(|id| self.id(id)),
            })
        })
    }

    fn objects(&self, a: &Assertions) -> Option<Box<ObjectChecks>> {
        let is_asked = !a.required.is_empty() || !a.properties.is_empty() || a.additional_properties.is_some();
        is_asked.then(|| {
            let properties = a.properties.iter().map(|(name, id)| (name.clone(), self.id(*id))).collect();
            Box::new(ObjectChecks::new(&a.required, properties, a.additional_properties.map(|id| self.id(id))))
        })
    }

    fn in_place(&mut self, a: &Assertions) -> Option<Box<InPlace>> {
        let in_place = InPlace {
            all_of: self.ids(a.all_of.as_deref().unwrap_or_default()),
            any_of: a.any_of.as_deref().map(|nodes| self.union(nodes)),
            one_of: a.one_of.as_deref().map(|nodes| self.union(nodes)),
            not: a.not.map(|id| self.id(id)),
        };
        let is_asked = !in_place.all_of.is_empty() || in_place.any_of.is_some() || in_place.one_of.is_some();
        (is_asked || in_place.not.is_some()).then(|| Box::new(in_place))
    }
}

fn strings(a: &Assertions) -> Option<Box<StringChecks>> {
    let is_asked = a.min_length.is_some() || a.max_length.is_some() || a.pattern.is_some() || a.format.is_some();
    is_asked.then(|| {
        Box::new(StringChecks {
            min_length: a.min_length,
            max_length: a.max_length,
            pattern: a.pattern.clone(),
            format: a.format,
        })
    })
}

fn bounds(a: &Assertions) -> Box<[(Bound, Number)]> {
    let all = [
        (Bound::Minimum, &a.minimum),
        (Bound::Maximum, &a.maximum),
        (Bound::ExclusiveMinimum, &a.exclusive_minimum),
        (Bound::ExclusiveMaximum, &a.exclusive_maximum),
    ];
    all.into_iter().filter_map(|(bound, limit)| Some((bound, limit.clone()?))).collect()
}
