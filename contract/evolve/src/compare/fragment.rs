//! Parts of one schema inside another: the definitions that they refer to come along, under names that are free.

use std::collections::{BTreeMap, BTreeSet};

use capgen_schema::{Json, Object, Subschemas, definition_name, pointer};

/// A schema text that is assembled from parts of others.
pub(super) struct Assembly {
    /// The imported definitions.
    definitions: Object,
    /// The names that are no longer free.
    taken: BTreeSet<String>,
}

/// The names that the definitions of one source have in the assembly.
#[derive(Default)]
pub(super) struct Names(BTreeMap<String, String>);

impl Assembly {
    /// An assembly for `root`, whose definitions keep their names.
    pub(super) fn new(root: &Json) -> Self {
        let definitions = root.get("definitions").and_then(Json::as_object);
        let taken = definitions.into_iter().flatten().map(|(name, _)| name.clone()).collect();
        Self { definitions: Object::new(), taken }
    }

    /// A copy of `part`, a subschema of the schema `root`, whose references lead to copies of the definitions of
    /// `root`.
    pub(super) fn import(&mut self, part: &Json, root: &Json, names: &mut Names) -> Json {
        let mut missing = Vec::new();
        let copy = self.rewrite(part, names, &mut missing);
        while let Some(name) = missing.pop() {
            let Some(definition) = root.get("definitions").and_then(|all| all.get(&name)) else { continue };
            let copy = self.rewrite(definition, names, &mut missing);
            if let Some(renamed) = names.0.get(&name) {
                self.definitions.push(renamed.clone(), copy);
            }
        }
        copy
    }

    /// [Imports](Self::import) the value of a keyword, or of a member of `properties`.
    pub(super) fn import_at(&mut self, path: &[String], value: &Json, root: &Json, names: &mut Names) -> Json {
        match path {
            [keyword] => {
                // As the only keyword of a schema, so that only schemas are imported, and data is copied.
                let schema = Json::Object(Object::from_iter([(keyword.clone(), value.clone())]));
                let copy = self.import(&schema, root, names);
                copy.get(keyword).unwrap_or(value).clone()
            }
            _ => self.import(value, root, names),
        }
    }

    /// The text of a schema with the definitions that were imported.
    pub(super) fn finish(self, mut root: Json) -> Json {
        if self.definitions.is_empty() {
            return root;
        }
        if let Json::Object(members) = &mut root {
            if members.get("definitions").is_none() {
                members.push("definitions".to_owned(), Json::Object(Object::new()));
            }
            if let Some(Json::Object(definitions)) = members.get_mut("definitions") {
                self.definitions.iter().for_each(|(name, schema)| definitions.push(name.clone(), schema.clone()));
            }
        }
        root
    }

    /// Copies a schema. The recursion is as deep as schemas are nested, at most 64 levels.
    fn rewrite(&mut self, schema: &Json, names: &mut Names, missing: &mut Vec<String>) -> Json {
        let Json::Object(members) = schema else { return schema.clone() };
        let mut copy = Object::new();
        for (key, value) in members {
            let value = match (key.as_str(), value) {
                // Only the root has `definitions`, and these come by name.
                ("definitions" | "$id" | "$schema", _) => continue,
                ("$ref", Json::String(reference)) => self.reference(reference, names, missing),
                (key, value) => Subschemas::map(key, value, |_, schema| self.rewrite(schema, names, missing)),
            };
            copy.push(key.clone(), value);
        }
        Json::Object(copy)
    }

    fn reference(&mut self, reference: &str, names: &mut Names, missing: &mut Vec<String>) -> Json {
        let Some(name) = definition_name(reference) else { return Json::String(reference.to_owned()) };
        let renamed = match names.0.get(&name) {
            Some(renamed) => renamed.clone(),
            None => {
                let mut renamed = name.clone();
                while !self.taken.insert(renamed.clone()) {
                    renamed.push('\'');
                }
                names.0.insert(name.clone(), renamed.clone());
                missing.push(name);
                renamed
            }
        };
        Json::String(pointer::to_fragment(&pointer::join("#/definitions", &renamed)))
    }
}

/// The schema text that combines two whole schemas with `anyOf` or `allOf`.
pub(super) fn combined(keyword: &str, one: &Json, other: &Json) -> Json {
    let mut assembly = Assembly::new(&Json::Null);
    let branches = [one, other].map(|root| assembly.import(root, root, &mut Names::default()));
    let root = Object::from_iter([(keyword.to_owned(), Json::Array(branches.to_vec()))]);
    assembly.finish(Json::Object(root))
}
