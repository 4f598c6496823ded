//! Schemas in other files of a bundled document, which become components.

use std::collections::HashMap;

use capgen_schema::{Json, LINKED_FILES as FILES, Object, pointer};

use super::references::local;

/// The names of schemas in other files.
#[derive(Default)]
pub(super) struct OtherFiles {
    /// The name of each place, by its pointer.
    names: HashMap<String, String>,
    /// The place of each name.
    places: HashMap<String, String>,
}

impl OtherFiles {
    /// The name of the component for a place: the last token of its pointer, which no schema of the document has.
    pub(super) fn name(&mut self, place: &str, schemas: &HashMap<&str, &Json>) -> String {
        if let Some(known) = self.names.get(place) {
            return known.clone();
        }
        let base = pointer::tokens(place).last().unwrap_or_default();
        let is_free = |name: &String| !self.places.contains_key(name) && !schemas.contains_key(name.as_str());
        // One of the numbers is free, because there are fewer names.
        let mut numbered = (2_u64..).map(|number| format!("{base}.{number}"));
        let name = Some(base.clone()).filter(is_free).or_else(|| numbered.find(is_free)).unwrap_or(base);
        self.names.insert(place.to_owned(), name.clone());
        self.places.insert(name.clone(), place.to_owned());
        name
    }

    /// The place in the document of a place in a schema with its components.
    pub(super) fn original(&self, at: &str) -> String {
        let mut tokens = at.strip_prefix("/components/schemas").map(pointer::tokens).into_iter().flatten();
        let name = tokens.next();
        match name.and_then(|name| self.places.get(&name)) {
            Some(place) => tokens.fold(place.clone(), |place, token| pointer::join(&place, &token)),
            None => at.to_owned(),
        }
    }

    /// The schema with references to the components in place of those to other files.
    pub(super) fn linked(&self, schema: &Json) -> Json {
        match schema {
            Json::Array(items) => Json::Array(items.iter().map(|item| self.linked(item)).collect()),
            Json::Object(members) => {
                let member = |(name, value): &(String, Json)| {
                    let value = match (name.as_str(), value) {
                        ("$ref", Json::String(text)) => self.link(text).unwrap_or_else(|| value.clone()),
                        ("defaultMapping", Json::String(text)) => self.link(text).unwrap_or_else(|| value.clone()),
                        ("mapping", Json::Object(targets)) => self.mapping(targets),
                        (_, value) => self.linked(value),
                    };
                    (name.clone(), value)
                };
                Json::Object(members.iter().map(member).collect())
            }
            scalar => scalar.clone(),
        }
    }

    /// The mapping of a discriminator, or the properties of another member of this name.
    fn mapping(&self, targets: &Object) -> Json {
        let target = |(name, target): &(String, Json)| {
            let link = target.as_str().and_then(|text| self.link(text));
            (name.clone(), link.unwrap_or_else(|| self.linked(target)))
        };
        Json::Object(targets.iter().map(target).collect())
    }

    /// The reference to a component in place of one to another file.
    fn link(&self, reference: &str) -> Option<Json> {
        let component = self.names.get(&elsewhere(reference)?)?;
        let at = pointer::join("/components/schemas", component);
        Some(Json::String(format!("#{}", pointer::to_fragment(&at))))
    }
}

/// The pointer of a reference to another file.
pub(super) fn elsewhere(reference: &str) -> Option<String> {
    let prefix = format!("#/{FILES}/");
    reference.starts_with(&prefix).then(|| local(reference)).flatten()
}
