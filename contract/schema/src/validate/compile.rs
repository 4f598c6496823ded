//! Compiles a schema to the form that a validator evaluates: references are resolved and names are sorted.

use std::collections::BTreeMap;

use super::candidates::Union;
use super::literal::Literals;
use super::program::{
    ArrayChecks, Bound, Checks, Condition, InPlace, NumberCheck, ObjectChecks, StringChecks, Subschema, SubschemaId,
};
use crate::analysis::effort::Effort;
use crate::analysis::graph::reachable_from;
use crate::analysis::profile::Profiler;
use crate::analysis::selection::Selector;
use crate::analysis::shared;
use crate::{Assertions, Divisor, Kind, NodeId, Schema, TypeSet};

/// A compiled schema.
#[derive(Debug)]
pub(super) struct Program {
    /// One for each node that is compiled; the others accept everything.
    subschemas: Vec<Subschema>,
    /// For each node, the subschema at the end of its references.
    targets: Vec<SubschemaId>,
    /// The JSON Pointer of each compiled node, sorted.
    pointers: Vec<(Box<str>, NodeId)>,
    /// The names in the schema's `definitions`.
    definitions: BTreeMap<SubschemaId, String>,
}

impl Program {
    pub(super) fn new(schema: &Schema) -> Self {
        Self::compile(schema, |_| true)
    }

    /// Compiles only these nodes and those that they lead to.
    pub(super) fn of(schema: &Schema, nodes: Vec<NodeId>) -> Self {
        let reached = reachable_from(schema, nodes);
        Self::compile(schema, |id| reached.get(id.index()) == Some(&true))
    }

    fn compile(schema: &Schema, is_needed: impl Fn(NodeId) -> bool) -> Self {
        let targets: Vec<SubschemaId> = schema.nodes().map(|(id, _)| SubschemaId(schema.resolve(id).0)).collect();
        let shared = shared::reached_twice(schema);
        let mut compiler =
            Compiler { targets: &targets, profiler: Profiler::new(schema, Effort::SMALL), schema, selector: None };
        let compiled = schema.nodes().zip(shared).map(|((id, node), shared)| match is_needed(id) {
            true => compiler.subschema(&node.kind, shared),
            false => Subschema::Bool(true),
        });
        let subschemas: Vec<Subschema> = compiled.collect();
        let needed = schema.nodes().filter(|(id, _)| is_needed(*id));
        let mut pointers: Vec<_> = needed.map(|(id, node)| (node.pointer.as_str().into(), id)).collect();
        pointers.sort_unstable();
        // A definition that is a reference or a boolean does not describe a branch of a union.
        let has_assertions = |id: NodeId| matches!(schema.node(id).kind, Kind::Assertions(_));
        let definitions = schema.definitions().iter().filter(|(_, id)| has_assertions(*id));
        let definitions = definitions.map(|(name, id)| (SubschemaId(id.0), name.clone())).collect();
        Self { subschemas, targets, pointers, definitions }
    }

    /// The subschema at a JSON Pointer of the schema, references resolved.
    pub(super) fn at(&self, pointer: &str) -> Option<SubschemaId> {
        let index = self.pointers.binary_search_by(|(at, _)| at.as_ref().cmp(pointer)).ok()?;
        self.pointers.get(index).map(|(_, node)| self.target(*node))
    }

    pub(super) fn root(&self) -> SubschemaId {
        self.target(NodeId(0))
    }

    /// The subschema of a node, references resolved.
    pub(super) fn target(&self, node: NodeId) -> SubschemaId {
        target(&self.targets, node)
    }

    pub(super) fn subschema(&self, id: SubschemaId) -> &Subschema {
        self.subschemas.get(id.0 as usize).unwrap_or(&Subschema::Bool(true))
    }

    /// The name in the schema's `definitions`.
    pub(super) fn definition(&self, id: SubschemaId) -> Option<&str> {
        self.definitions.get(&id).map(String::as_str)
    }
}

fn target(targets: &[SubschemaId], node: NodeId) -> SubschemaId {
    targets.get(node.0 as usize).copied().unwrap_or(SubschemaId(node.0))
}

struct Compiler<'t, 's> {
    targets: &'t [SubschemaId],
    profiler: Profiler<'s>,
    schema: &'s Schema,
    /// Built for the first union, because it visits the whole schema.
    selector: Option<Selector<'s>>,
}

impl Compiler<'_, '_> {
    fn subschema(&mut self, kind: &Kind, is_shared: bool) -> Subschema {
        match kind {
            Kind::Bool(verdict) => Subschema::Bool(*verdict),
            // Never evaluated: whatever refers to a reference refers to its target instead.
            Kind::Ref(_) => Subschema::Bool(true),
            Kind::Assertions(assertions) if assertions.is_empty() => Subschema::Bool(true),
            Kind::Assertions(assertions) => Subschema::Checks(self.checks(assertions, is_shared)),
        }
    }

    fn id(&self, node: NodeId) -> SubschemaId {
        target(self.targets, node)
    }

    fn ids(&self, nodes: &[NodeId]) -> Box<[SubschemaId]> {
        nodes.iter().map(|&node| self.id(node)).collect()
    }

    fn checks(&mut self, a: &Assertions, is_shared: bool) -> Checks {
        Checks {
            types: a.types.unwrap_or(TypeSet::ALL),
            is_shared,
            enum_values: a.enum_values.as_deref().map(|values| Box::new(Literals::new(values))),
            const_value: a.const_value.as_ref().map(|value| Box::new(Literals::new(std::slice::from_ref(value)))),
            numbers: numbers(a),
            strings: strings(a),
            arrays: self.arrays(a),
            objects: self.objects(a),
            in_place: self.in_place(a),
        }
    }

    fn union(&mut self, nodes: &[NodeId]) -> Union {
        let branches = self.ids(nodes);
        let selector = self.selector.get_or_insert_with(|| Selector::new(self.schema));
        Union::new((&mut self.profiler, selector), nodes, branches)
    }

    fn arrays(&self, a: &Assertions) -> Option<Box<ArrayChecks>> {
        let rest = a.items.or(a.additional_items).map(|id| self.id(id));
        let contains = a.contains.map(|id| self.id(id));
        let arrays = ArrayChecks::new(a, self.ids(&a.tuple), rest, contains);
        let is_needed = a.min_items.is_some() || a.max_items.is_some() || a.unique_items || arrays.has_items();
        (is_needed || contains.is_some()).then(|| Box::new(arrays))
    }

    fn objects(&self, a: &Assertions) -> Option<Box<ObjectChecks>> {
        let is_needed = !a.required.is_empty()
            || !a.properties.is_empty()
            || a.additional_properties.is_some()
            || a.property_names.is_some()
            || a.min_properties.is_some()
            || a.max_properties.is_some()
            || !a.dependent_required.is_empty()
            || !a.pattern_properties.is_empty();
        is_needed.then(|| {
            let properties = a.properties.iter().map(|(name, id)| (name.clone(), self.id(*id))).collect();
            let additional = a.additional_properties.map(|id| self.id(id));
            let names = a.property_names.as_deref().and_then(strings);
            let patterns = a.pattern_properties.iter().map(|(pattern, id)| (pattern.clone(), self.id(*id))).collect();
            Box::new(ObjectChecks::new(a, properties, patterns, additional, names))
        })
    }

    fn in_place(&mut self, a: &Assertions) -> Option<Box<InPlace>> {
        let in_place = InPlace {
            all_of: self.ids(a.all_of.as_deref().unwrap_or_default()),
            any_of: a.any_of.as_deref().map(|nodes| self.union(nodes)),
            one_of: a.one_of.as_deref().map(|nodes| self.union(nodes)),
            not: a.not.map(|id| self.id(id)),
            condition: a.if_.map(|id| Condition {
                condition: self.id(id),
                then: a.then.map(|id| self.id(id)),
                otherwise: a.else_.map(|id| self.id(id)),
            }),
        };
        let is_needed = !in_place.all_of.is_empty() || in_place.any_of.is_some() || in_place.one_of.is_some();
        (is_needed || in_place.not.is_some() || in_place.condition.is_some()).then(|| Box::new(in_place))
    }
}

fn strings(a: &Assertions) -> Option<Box<StringChecks>> {
    let is_needed = a.min_length.is_some() || a.max_length.is_some() || a.pattern.is_some() || a.format.is_some();
    is_needed.then(|| {
        Box::new(StringChecks {
            min_length: a.min_length,
            max_length: a.max_length,
            pattern: a.pattern.clone(),
            format: a.format,
        })
    })
}

fn numbers(a: &Assertions) -> Box<[NumberCheck]> {
    let bounds = [
        (Bound::Minimum, &a.minimum),
        (Bound::Maximum, &a.maximum),
        (Bound::ExclusiveMinimum, &a.exclusive_minimum),
        (Bound::ExclusiveMaximum, &a.exclusive_maximum),
    ];
    let bounds = bounds.into_iter().filter_map(|(bound, limit)| Some(NumberCheck::Bound(bound, limit.clone()?)));
    bounds.chain(a.multiple_of.clone().map(|number| NumberCheck::MultipleOf(Divisor::new(number)))).collect()
}
