//! The targets of references, found in constant time if they are definitions.

use std::collections::HashMap;

use crate::{Json, is_definitions};

/// The definitions of a schema.
pub(super) struct Lookup<'a> {
    root: &'a Json,
    definitions: HashMap<(&'a str, &'a str), &'a Json>,
}

impl<'a> Lookup<'a> {
    pub(super) fn of(root: &'a Json) -> Self {
        let mut definitions = HashMap::new();
        for (container, value) in root.as_object().into_iter().flatten() {
            let (name, members) = match container.as_str() {
                "components" => (COMPONENTS, value.get("schemas")),
                name if is_definitions(name) => (name, Some(value)),
                _ => continue,
            };
            let members = members.and_then(Json::as_object).into_iter().flatten();
            definitions.extend(members.map(|(member, schema)| ((name, member.as_str()), schema)));
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
        self.definitions.get(&(container, name))?.pointer(at.get(found.len()..)?)
    }
}

const COMPONENTS: &str = "components/schemas";

/// The part of a pointer that leads to a definition.
pub(super) fn definition(at: &str) -> Option<&str> {
    let rest = at.strip_prefix('/')?;
    let container = if rest.starts_with(COMPONENTS) { COMPONENTS } else { rest.split('/').next()? };
    if container != COMPONENTS && !is_definitions(container) {
        return None;
    }
    let name = rest.strip_prefix(container)?.strip_prefix('/')?.split('/').next()?;
    at.get(..container.len() + name.len() + 2)
}
