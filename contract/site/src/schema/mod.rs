//! A schema as tables in words.

mod rows;
mod table;
mod words;

use std::collections::HashMap;

use capgen_manifest::Side;
use capgen_schema::{Node, NodeId, Schema};

use crate::place::Anchor;
pub(crate) use rows::Row;
use rows::rows;
pub(crate) use table::side;

/// A schema, with the names of its definitions by their nodes.
pub(crate) struct View<'s> {
    schema: &'s Schema,
    names: HashMap<NodeId, &'s str>,
}

impl<'s> View<'s> {
    pub(crate) fn new(schema: &'s Schema) -> Self {
        let names = schema.definitions().iter().map(|(name, id)| (*id, name.as_str())).collect();
        Self { schema, names }
    }

    fn node(&self, id: NodeId) -> &'s Node {
        self.schema.node(id)
    }

    /// The name of the definition that a reference points to.
    fn definition(&self, target: NodeId) -> Option<&'s str> {
        self.names.get(&target).copied()
    }

    /// The description of a place.
    pub(crate) fn description(&self, row: &Row<'_>) -> Option<&'s str> {
        self.node(row.node).annotations.description.as_deref()
    }

    /// The rows of every place: those of the payload, then those of each definition.
    pub(crate) fn all_rows(&self, side: Side) -> impl Iterator<Item = Row<'s>> {
        let payload = rows(self, self.schema.root(), &side_anchor(side), "");
        let definitions = self.schema.definitions().iter().flat_map(move |(name, id)| {
            let (name, _) = capgen_diagnostic::cut(name, 80);
            rows(self, *id, &definition_anchor(side, name), name)
        });
        payload.into_iter().chain(definitions)
    }
}

/// The anchor of a side.
pub(crate) fn side_anchor(side: Side) -> Anchor {
    Anchor::fixed(side.name())
}

/// The anchor of a definition of a side.
fn definition_anchor(side: Side, name: &str) -> Anchor {
    let prefix = match side {
        Side::Request => "request-definitions",
        Side::Response => "response-definitions",
    };
    Anchor::fixed(prefix).join(name)
}
