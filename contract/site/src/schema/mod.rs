//! A schema as tables in words.

mod rows;
mod table;
mod words;

use std::collections::HashMap;

use capgen_manifest::Side;
use capgen_schema::analysis::branches::Branches;
use capgen_schema::{Json, Kind, Node, NodeId, Schema};

use crate::json::one_line;
use crate::place::Anchor;
pub(crate) use rows::Row;
use rows::rows;
pub(crate) use table::part;

/// The most values of a tag in the heading of a branch. The table below it has all.
const MAX_TAG_VALUES: usize = 4;
/// The longest value of a tag in the heading of a branch, in characters. The column has room for about so many.
const MAX_TAG_VALUE: usize = 40;

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

    /// For each branch of a union, the property with the values that select it, such as `kind: "card"`; `None` if its
    /// values do not show the branch.
    fn selectors(&self, branches: &[NodeId]) -> Vec<Option<String>> {
        let found = Branches::new(self.schema, branches);
        let mut values: Vec<Vec<String>> = vec![Vec::new(); branches.len()];
        let Some(tag) = found.tag() else { return vec![None; branches.len()] };
        for tagged in &tag.values {
            if let [branch] = tagged.branches.as_slice()
                && let Some(own) = values.get_mut(*branch).filter(|own| own.len() < MAX_TAG_VALUES)
            {
                own.push(one_line(&tagged.value, MAX_TAG_VALUE));
            }
        }
        let name = capgen_diagnostic::cut_short(&tag.name, MAX_TAG_VALUE);
        let text = |own: Vec<String>| (!own.is_empty()).then(|| format!("{name}: {}", own.join(", ")));
        values.into_iter().map(text).collect()
    }

    /// The values of an `enum` or a `const` of a place.
    pub(crate) fn values(&self, row: &Row<'_>) -> impl Iterator<Item = &'s Json> {
        let assertions = match &self.node(row.node).kind {
            Kind::Assertions(assertions) => Some(assertions),
            Kind::Bool(_) | Kind::Ref(_) => None,
        };
        assertions.into_iter().flat_map(|all| all.const_value.iter().chain(all.enum_values.iter().flatten()))
    }

    /// The rows of every place: those of the payload, then those of each definition.
    pub(crate) fn all_rows(&self, anchors: &Anchors) -> impl Iterator<Item = Row<'s>> {
        let payload = rows(self, self.schema.root(), &anchors.root, "");
        let definitions = self.schema.definitions().iter().flat_map(move |(name, id)| {
            let (name, _) = capgen_diagnostic::cut(name, 80);
            rows(self, *id, &anchors.definition(name), name)
        });
        payload.into_iter().chain(definitions)
    }
}

/// The anchors of the tables of one schema.
pub(crate) struct Anchors {
    /// That of the payload.
    pub(crate) root: Anchor,
    /// The start of those of the definitions.
    definitions: Anchor,
}

impl Anchors {
    /// Those of a side.
    pub(crate) fn of_side(side: Side) -> Self {
        let definitions = Anchor::fixed(match side {
            Side::Request => "request-definitions",
            Side::Response => "response-definitions",
        });
        Self { root: Anchor::fixed(side.name()), definitions }
    }

    /// Those of the details of an error.
    pub(crate) fn of_error(code: &str) -> Self {
        let root = Anchor::fixed("errors").join(code);
        Self { definitions: root.special("definitions", None), root }
    }

    fn definition(&self, name: &str) -> Anchor {
        self.definitions.join(name)
    }
}
