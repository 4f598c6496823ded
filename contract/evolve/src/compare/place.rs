//! The place of a subschema, independent of the order of branches.

use std::cell::RefCell;
use std::collections::BTreeMap;

use capgen_schema::{Hash, Kind, NodeId, Schema, pointer};

use super::schema::{definition, tag};

/// The places of the subschemas of a schema.
pub(super) struct Places<'s> {
    schema: &'s Schema,
    /// The branches of `allOf`, `anyOf` and `oneOf` by their pointers.
    branches: BTreeMap<&'s str, NodeId>,
    /// The keys of the branches that were needed so far. Finding one takes time linear in the size of the branch.
    keys: RefCell<BTreeMap<NodeId, String>>,
}

impl<'s> Places<'s> {
    /// Takes time linear in the size of the schema.
    pub(super) fn new(schema: &'s Schema) -> Self {
        let lists = schema.nodes().filter_map(|(_, node)| match &node.kind {
            Kind::Assertions(group) => Some([&group.all_of, &group.any_of, &group.one_of]),
            _ => None,
        });
        let branches = lists.flatten().flatten().flatten().map(|id| (schema.node(*id).pointer.as_str(), *id));
        Self { schema, branches: branches.collect(), keys: RefCell::default() }
    }

    /// The pointer of a subschema with [keys](Self::key) instead of the indexes of branches. It stays the same if
    /// branches are put into another order, or others are added or removed.
    pub(super) fn identity(&self, id: NodeId) -> String {
        let text = &self.schema.node(id).pointer;
        let mut identity = String::new();
        let mut start = 0;
        let ends = text.match_indices('/').map(|(index, _)| index).skip(1).chain([text.len()]);
        for end in ends.filter(|end| *end > 0) {
            let branch = text.get(..end).and_then(|prefix| self.branches.get(prefix));
            match branch {
                Some(branch) => identity = pointer::join(&identity, &self.key(*branch)),
                None => identity.push_str(text.get(start..end).unwrap_or_default()),
            }
            start = end;
        }
        identity
    }

    /// What distinguishes a branch from the others: its tag, otherwise the name of its definition, otherwise its
    /// content.
    fn key(&self, id: NodeId) -> String {
        if let Some(key) = self.keys.borrow().get(&id) {
            return key.clone();
        }
        let content = || self.schema.canonical_subschema(id).map(|text| Hash::of(text).short());
        let key = tag(self.schema, id).or_else(|| definition(self.schema, id)).or_else(content).unwrap_or_default();
        self.keys.borrow_mut().insert(id, key.clone());
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_are_named_by_tag_definition_or_content() -> Result<(), Box<dyn std::error::Error>> {
        let text = r##"{"properties": {"oneOf": {"oneOf": [
            {"properties": {"kind": {"const": "a/b"}, "n": {"allOf": [{"$ref": "#/definitions/0"}, {"minimum": 1}]}}},
            {"title": "T", "type": "null"}]}},
            "definitions": {"0": {"type": "integer"}}}"##;
        let schema = Schema::parse_text(text)?;
        let places = Places::new(&schema);
        let null = Hash::of(r#"{"type":"null"}"#).short();
        let minimum = Hash::of(r#"{"minimum":1}"#).short();
        let found: Vec<String> = schema.nodes().map(|(id, _)| places.identity(id)).collect();
        for expected in [
            String::new(),
            "/properties/oneOf".to_owned(),
            r#"/properties/oneOf/oneOf/"kind":"a~1b"/properties/n"#.to_owned(),
            r#"/properties/oneOf/oneOf/"kind":"a~1b"/properties/n/allOf/0"#.to_owned(),
            format!(r#"/properties/oneOf/oneOf/"kind":"a~1b"/properties/n/allOf/{minimum}"#),
            format!("/properties/oneOf/oneOf/{null}"),
            "/definitions/0".to_owned(),
        ] {
            assert!(found.contains(&expected), "{expected}: {found:#?}");
        }
        Ok(())
    }
}
