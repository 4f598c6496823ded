//! The targets of references, found in constant time if they are definitions.

use std::collections::HashMap;

use super::super::places::LINKED_FILES;
use crate::{Json, Object, is_definitions};

/// The definitions of a schema: those at the root, the components of OpenAPI, other files, and the definitions in them.
pub(super) struct Lookup<'a> {
    root: &'a Json,
    /// By the pointer of the container and the name.
    definitions: HashMap<(String, &'a str), &'a Json>,
}

impl<'a> Lookup<'a> {
    pub(super) fn of(root: &'a Json) -> Self {
        let mut definitions = HashMap::new();
        let mut add = |container: String, members: &'a Object| {
            definitions.extend(members.iter().map(|(name, schema)| ((container.clone(), name.as_str()), schema)));
        };
        for (container, value) in root.as_object().into_iter().flatten() {
            match (container.as_str(), value) {
                ("components", value) => {
                    let schemas = value.get("schemas").and_then(Json::as_object);
                    schemas.into_iter().for_each(|schemas| add(COMPONENTS.to_owned(), schemas));
                }
                (LINKED_FILES, Json::Object(files)) => {
                    for (file, content) in files {
                        let own = content.as_object().into_iter().flatten();
                        for (container, members) in own.filter(|(name, _)| is_definitions(name)) {
                            let container = format!("{LINKED_FILES}/{file}/{container}");
                            members.as_object().into_iter().for_each(|members| add(container.clone(), members));
                        }
                    }
                    add(LINKED_FILES.to_owned(), files);
                }
                (name, Json::Object(members)) if is_definitions(name) => add(name.to_owned(), members),
                _ => {}
            }
        }
        Self { root, definitions }
    }

    /// The value at a pointer. A search in another object takes time linear in it.
    pub(super) fn get(&self, at: &str) -> Option<&'a Json> {
        let Some(found) = definition(at) else { return self.root.pointer(at) };
        let (container, name) = found.strip_prefix('/')?.rsplit_once('/')?;
        if name.contains('~') {
            return self.root.pointer(at);
        }
        self.definitions.get(&(container.to_owned(), name))?.pointer(at.get(found.len()..)?)
    }
}

const COMPONENTS: &str = "components/schemas";

/// The part of a pointer that leads to a definition.
pub(super) fn definition(at: &str) -> Option<&str> {
    let rest = at.strip_prefix('/')?;
    let first = rest.split('/').next()?;
    let length = match first {
        "components" if rest.starts_with(COMPONENTS) => COMPONENTS.len(),
        LINKED_FILES => in_file(rest).unwrap_or(first.len()),
        first if is_definitions(first) => first.len(),
        _ => return None,
    };
    let name = rest.get(length..)?.strip_prefix('/')?.split('/').next()?;
    at.get(..length + name.len() + 2)
}

/// The length of the pointer of the definitions in another file, if it leads to one of them.
fn in_file(pointer: &str) -> Option<usize> {
    let mut tokens = pointer.split('/');
    let (files, file, container) = (tokens.next()?, tokens.next()?, tokens.next()?);
    (is_definitions(container) && tokens.next().is_some()).then(|| files.len() + file.len() + container.len() + 2)
}
