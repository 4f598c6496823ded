//! Schemas to the checks of their validators.
//!
//! Recursion, shared definitions and exclusive branches come from [`capgen_schema::analysis`], as for the interpreter.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use capgen_schema::analysis::graph::{Graph, Vertex};
use capgen_schema::analysis::selection::Selector;
use capgen_schema::analysis::{branches, depth, shared};
use capgen_schema::{Assertions, Kind, MAX_PAYLOAD_DEPTH, NodeId, Schema};

use crate::model::Model;
use crate::model::check::{
    Bound, Branch, Check, CheckId, CheckKind, Conditional, DepthLimit, Property, Rest, Rules, Union, Validator,
};

/// The validators of every part that has a schema, in source order.
pub(super) fn validators<'a>(model: &Model<'a>) -> Vec<Validator<'a>> {
    let parts = model.capabilities.iter().flat_map(|capability| {
        let schema = move |(part, id)| Some((id, capability.source.schema(part)?));
        model.own_roots(capability).filter_map(schema)
    });
    let validator = |(ty, schema): (_, &'a Schema)| {
        let graph = Graph::new(schema);
        let lowering = Lowering {
            graph: &graph,
            definitions: schema.definitions().iter().map(|(name, id)| (*id, name.as_str())).collect(),
            memoized: shared::memoized(&graph),
            selector: RefCell::new(Selector::new(schema)),
        };
        Validator {
            ty,
            root: lowering.id(schema.root()),
            checks: graph.vertices().iter().map(|vertex| lowering.check(vertex)).collect(),
            depth: depth_limit(&graph),
        }
    };
    parts.map(validator).collect()
}

fn depth_limit(graph: &Graph<'_>) -> DepthLimit {
    let is_within = |levels: Option<u32>| levels.is_some_and(|levels| levels as usize <= MAX_PAYLOAD_DEPTH);
    match (is_within(depth::accepted(graph)), is_within(depth::declared(graph))) {
        (true, _) => DepthLimit::Implied,
        (false, true) => DepthLimit::OfUnchecked,
        (false, false) => DepthLimit::OfAll,
    }
}

struct Lowering<'a, 'g> {
    graph: &'g Graph<'a>,
    definitions: HashMap<NodeId, &'a str>,
    memoized: HashSet<NodeId>,
    selector: RefCell<Selector<'a>>,
}

impl<'a> Lowering<'a, '_> {
    /// The check of a subschema; checks have the positions of the graph's vertices.
    fn id(&self, node: NodeId) -> CheckId {
        // A subschema of a vertex is always a vertex too. The root would be a harmless answer.
        CheckId(self.graph.position(node).unwrap_or(0))
    }

    fn check(&self, vertex: &Vertex<'a>) -> Check<'a> {
        let kind = match &vertex.node.kind {
            Kind::Bool(false) => CheckKind::Nothing,
            // The graph has resolved references.
            Kind::Bool(true) | Kind::Ref(_) => CheckKind::Anything,
            Kind::Assertions(a) if a.is_empty() => CheckKind::Anything,
            Kind::Assertions(a) => CheckKind::Rules(Box::new(self.rules(a))),
        };
        Check {
            kind,
            definition: self.definitions.get(&vertex.id).copied(),
            // Every cycle goes through a reference, so a recursive subschema without one is inside another that has
            // one.
            is_reused: vertex.references > usize::from(!vertex.is_recursive),
            is_memoized: self.memoized.contains(&vertex.id),
        }
    }

    fn rules(&self, a: &'a Assertions) -> Rules<'a> {
        let limits = [
            (Bound::Minimum, &a.minimum),
            (Bound::Maximum, &a.maximum),
            (Bound::ExclusiveMinimum, &a.exclusive_minimum),
            (Bound::ExclusiveMaximum, &a.exclusive_maximum),
        ];
        let required: HashSet<&str> = a.required.iter().map(String::as_str).collect();
        let declared: HashSet<&str> = a.properties.iter().map(|(name, _)| name.as_str()).collect();
        let property = |(name, id): &'a (String, NodeId)| Property {
            name,
            check: self.id(*id),
            is_required: required.contains(name.as_str()),
        };
        Rules {
            types: a.types,
            enum_values: a.enum_values.as_deref(),
            const_value: a.const_value.as_ref(),
            limits: limits.into_iter().filter_map(|(bound, limit)| Some((bound, limit.as_ref()?))).collect(),
            multiple_of: a.multiple_of.as_ref(),
            min_length: a.min_length,
            max_length: a.max_length,
            pattern: a.pattern.as_ref(),
            format: a.format,
            min_items: a.min_items,
            max_items: a.max_items,
            unique_items: a.unique_items,
            positions: a.tuple.iter().map(|id| self.id(*id)).collect(),
            items: a.items.or(a.additional_items).map(|id| self.id(id)),
            contains: a.contains.map(|id| self.id(id)),
            min_properties: a.min_properties,
            max_properties: a.max_properties,
            dependent: &a.dependent_required,
            properties: a.properties.iter().map(property).collect(),
            undeclared: a.required.iter().map(String::as_str).filter(|name| !declared.contains(name)).collect(),
            patterns: a.pattern_properties.iter().map(|(pattern, id)| (pattern, self.id(*id))).collect(),
            rest: a.additional_properties.map_or(Rest::Open, |id| self.rest(id)),
            names: a.property_names.as_deref().map(|names| Box::new(self.rules(names))),
            all_of: a.all_of.iter().flatten().map(|id| self.branch(*id)).collect(),
            any_of: a.any_of.as_deref().map(|ids| self.union(ids)),
            one_of: a.one_of.as_deref().map(|ids| self.union(ids)),
            not: a.not.map(|id| self.id(id)),
            condition: a.if_.map(|id| Conditional {
                condition: self.id(id),
                then: a.then.map(|id| self.id(id)),
                otherwise: a.else_.map(|id| self.id(id)),
            }),
        }
    }

    fn rest(&self, id: NodeId) -> Rest {
        let schema = self.graph.schema();
        match &schema.node(schema.resolve(id)).kind {
            Kind::Bool(false) => Rest::Closed,
            Kind::Bool(true) => Rest::Open,
            _ => Rest::Checked(self.id(id)),
        }
    }

    fn branch(&self, id: NodeId) -> Branch {
        let is_reference = matches!(self.graph.schema().node(id).kind, Kind::Ref(_));
        Branch { check: self.id(id), is_reference }
    }

    fn union(&self, ids: &[NodeId]) -> Union<'a> {
        let schema = self.graph.schema();
        Union {
            branches: ids.iter().map(|id| self.branch(*id)).collect(),
            is_exclusive: branches::are_exclusive(schema, ids) || list_distinct_values(schema, ids),
            tags: branches::tags(schema, ids).collect(),
            selection: self.selector.borrow_mut().select(ids),
        }
    }
}

/// Whether every branch lists its values, and no two branches list the same value.
fn list_distinct_values(schema: &Schema, branches: &[NodeId]) -> bool {
    let mut seen = HashSet::new();
    branches.iter().all(|id| {
        let listed = schema.assertions(*id).and_then(|assertions| {
            let only = assertions.const_value.as_ref().map(std::slice::from_ref);
            only.or(assertions.enum_values.as_deref())
        });
        listed.is_some_and(|values| values.iter().all(|value| seen.insert(value.canonical())))
    })
}
