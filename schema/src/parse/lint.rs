//! What a schema that loads is warned of.

use crate::{Problem, Schema, codes, pointer};

pub(super) fn run(schema: &Schema) -> Vec<Problem> {
    unused_definitions(schema)
}

/// Definitions that no way from the root leads to.
fn unused_definitions(schema: &Schema) -> Vec<Problem> {
    let reached = schema.reachable();
    let unused = schema.definitions().iter().filter(|(_, id)| reached.get(id.0 as usize) == Some(&false));
    let problem = |name: &str| {
        let at = pointer::join("/definitions", name);
        let problem = Problem::new(codes::UNUSED_DEFINITION, at, "this definition is never used");
        problem.at_key().label("no `$ref` leads here").help("remove it, or refer to it")
    };
    unused.map(|(name, _)| problem(name)).collect()
}
