//! The root of a schema, which must be that of one object.

use capgen_schema::{Json, Object};

use super::alternatives::hull;
use super::conjunction::{Conjunction, Part};
use super::{Simplifier, typed};

impl<'s> Simplifier<'s> {
    /// The schema of an object with `properties`, and no keyword that combines schemas. `only_objects` is `{"type":
    /// "object"}`.
    pub(super) fn root(&mut self, source: Part<'s>, only_objects: &'s Json) -> Json {
        let mut all = Conjunction::default();
        // With another assertion, a reference at the root is replaced by its definition, and each branch of a union is
        // that of an object.
        let is_possible = all.add(source) && all.add(Part::new(only_objects, "type".to_owned()));
        let union = all.unions.last().map_or_else(String::new, |union| union.at.clone());
        let schema = if is_possible { self.conjunction(all) } else { None };
        let mut root = match schema {
            Some(Json::Object(members)) if is_object(&members) => members,
            Some(Json::Object(members)) => {
                let branches = members.get("anyOf").and_then(Json::as_array).unwrap_or_default();
                let are_objects = branches.iter().filter_map(Json::as_object).filter(|members| is_object(members));
                if branches.is_empty() || are_objects.count() < branches.len() {
                    self.any_object()
                } else {
                    self.lose(&union, "hosts reject unions here: the alternatives become one object, which allows what any of them allows");
                    hull(branches)
                }
            }
            _ => self.any_object(),
        };
        if root.get("properties").is_none() {
            root.push("properties".to_owned(), Json::Object(Object::new()));
        }
        Json::Object(root)
    }

    fn any_object(&mut self) -> Object {
        self.lose("", "hosts cannot read the schema: any object is valid");
        typed("object").as_object().cloned().unwrap_or_default()
    }
}

fn is_object(members: &Object) -> bool {
    members.get("type").and_then(Json::as_str) == Some("object")
}
