//! What is decided of a schema before it is printed: functions, memory, depth.

use std::collections::HashSet;

use capgen_schema::analysis::graph::Graph;
use capgen_schema::analysis::{depth, shared};
use capgen_schema::{NodeId, Schema};

/// Payloads are nested no deeper.
pub(super) const MAX_DEPTH: u32 = 128;

pub(super) struct Plan<'s> {
    pub(super) graph: Graph<'s>,
    /// Those that remember their verdicts.
    pub(super) memory: HashSet<NodeId>,
    /// Whether the schema alone does not keep payloads from being too deep.
    pub(super) is_deep: bool,
    /// Whether what the schema declares may itself be too deep.
    pub(super) is_guarded: bool,
}

impl<'s> Plan<'s> {
    pub(super) fn new(schema: &'s Schema) -> Self {
        let graph = Graph::new(schema);
        let memory = shared::memoized(&graph);
        let is_deep = depth::accepted(&graph).is_none_or(|levels| levels > MAX_DEPTH);
        let is_guarded = is_deep && depth::declared(&graph).is_none_or(|levels| levels > MAX_DEPTH);
        Plan { graph, memory, is_deep, is_guarded }
    }

    /// Whether a subschema is checked by a function of its own wherever it is asked.
    pub(super) fn is_function(&self, id: NodeId) -> bool {
        // Every way back to a subschema leads through a reference.
        self.graph.find(id).is_some_and(|vertex| vertex.references > usize::from(!vertex.is_recursive))
    }
}
