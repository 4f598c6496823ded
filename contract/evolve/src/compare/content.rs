//! The content of parts of a schema, as texts that are equal if and only if the parts accept the same values for the
//! same reasons.

use std::collections::BTreeMap;

use capgen_schema::analysis::components::components;
use capgen_schema::{ANNOTATIONS, Hash, Json, NodeId, Object, Schema, Subschemas, definition_name};

use super::change::{Change, Edit, Value};

/// The content of the parts of a schema.
///
/// The text of a part has no annotations, and does not depend on the order of keys, branches, types, values of `enum`
/// and names in `required`. A reference is replaced by the hash of the content of its definition, which includes all
/// definitions that are reachable from there.
pub(super) struct Contents<'s> {
    schema: &'s Schema,
    /// The hash of the content of each definition, by name.
    definitions: BTreeMap<String, String>,
}

impl<'s> Contents<'s> {
    /// Takes time linear in the size of the schema.
    pub(super) fn new(schema: &'s Schema) -> Self {
        Self { schema, definitions: hashes(schema.source().get("definitions").and_then(Json::as_object)) }
    }

    /// The content of the whole schema.
    pub(super) fn whole(&self) -> Json {
        self.part(self.schema.source())
    }

    fn text_of(&self, id: NodeId) -> Option<&'s Json> {
        self.schema.source().pointer(&self.schema.node(id).pointer)
    }

    fn part(&self, schema: &Json) -> Json {
        plain(schema, &|name| self.definitions.get(name).cloned())
    }

    /// The content of the value at a path: of a keyword, of a member of `properties`, or of a whole subschema.
    fn value(&self, path: &[String], value: Option<&Json>) -> Json {
        match (path, value) {
            (_, None) => Json::Null,
            // In a list, so that a value `null` differs from none.
            ([keyword], Some(value)) => {
                Json::Array(vec![plain_keyword(keyword, value, &|name| self.definitions.get(name).cloned())])
            }
            (_, Some(value)) => Json::Array(vec![self.part(value)]),
        }
    }

    /// The content of a property of an object schema.
    fn property(&self, object: Option<&Json>, name: &str) -> Json {
        let schema = object.and_then(|object| object.get("properties")?.get(name));
        schema.map_or(Json::Null, |schema| self.part(schema))
    }
}

/// The content of a change: of each part that it edits in the old and in the new version. Of a list to which it adds
/// one element, or from which it removes one, only this element counts, so that the text does not depend on other
/// changes.
pub(super) fn of_change(change: &Change, old: &Contents<'_>, new: &Contents<'_>) -> String {
    let (before, after) = (old.text_of(change.old), new.text_of(change.new));
    let part = |Edit { path, value }: &Edit| {
        let place = path.iter().try_fold(before, |json, key| Some(json?.get(key))).flatten();
        let (removed, added) = match value {
            Value::Set(value) => (old.value(path, place), new.value(path, Some(value))),
            Value::Remove => (old.value(path, place), Json::Null),
            Value::Insert(element) => (Json::Null, new.value(path, Some(&Json::Array(vec![element.clone()])))),
            Value::Delete(index) => {
                let element = place.and_then(Json::as_array).and_then(|list| list.get(*index));
                let list = element.map(|element| Json::Array(vec![element.clone()]));
                (old.value(path, list.as_ref()), Json::Null)
            }
            Value::Declare(names) => (Json::Null, names_of(names)),
        };
        let mut part = vec![Json::Array(path.iter().map(|key| key.as_str().into()).collect())];
        // A name in `required` does not contain the values that the property must have.
        if let ([keyword], Some(name)) = (path.as_slice(), only_name(&removed).or(only_name(&added)))
            && keyword == "required"
        {
            part.extend([old.property(before, name), new.property(after, name)]);
        }
        part.extend([removed, added]);
        Json::Array(part)
    };
    Json::Array(change.edits.iter().map(part).collect()).canonical()
}

/// The content of two whole schemas.
pub(super) fn of_whole(old: &Contents<'_>, new: &Contents<'_>) -> String {
    Json::Array(vec![old.whole(), new.whole()]).canonical()
}

/// The name in a list with one list of one name.
fn only_name(list: &Json) -> Option<&str> {
    match list.as_array()? {
        [Json::Array(names)] => names.first()?.as_str(),
        _ => None,
    }
}

fn names_of(names: &[String]) -> Json {
    let mut names: Vec<&String> = names.iter().collect();
    names.sort_unstable();
    Json::Array(names.into_iter().map(|name| name.as_str().into()).collect())
}

/// The hash of the content of each definition. Definitions that refer to each other are known by their names and the
/// content of all of them.
fn hashes(definitions: Option<&Object>) -> BTreeMap<String, String> {
    let definitions: Vec<(&String, &Json)> =
        definitions.into_iter().flat_map(Object::iter).map(|(n, s)| (n, s)).collect();
    let index: BTreeMap<&str, usize> =
        definitions.iter().enumerate().map(|(i, (name, _))| (name.as_str(), i)).collect();
    let targets: Vec<Vec<usize>> = definitions
        .iter()
        .map(|(_, schema)| {
            let found = std::cell::RefCell::new(Vec::new());
            plain(schema, &|name| {
                found.borrow_mut().extend(index.get(name).copied());
                None
            });
            found.into_inner()
        })
        .collect();
    let numbers = components(&targets);
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (definition, component) in numbers.iter().enumerate() {
        members.entry(*component).or_default().push(definition);
    }
    let mut hashes: BTreeMap<String, String> = BTreeMap::new();
    // A component follows those that it reaches.
    for (number, component) in members {
        let of = |definition: &usize| {
            let (name, schema) = definitions.get(*definition)?;
            Some((*name, plain(schema, &|name| hashes.get(name).cloned()).canonical()))
        };
        let mut texts: Vec<(&String, String)> = component.iter().filter_map(of).collect();
        texts.sort_unstable();
        let is_same = |target: &usize| numbers.get(*target) == Some(&number);
        let is_recursive = component.iter().filter_map(|index| targets.get(*index)).flatten().any(is_same);
        if let ([(name, text)], false) = (texts.as_slice(), is_recursive) {
            hashes.insert((*name).clone(), Hash::of(text).to_string());
            continue;
        }
        let all: String =
            texts.iter().map(|(name, text)| format!("{}:{name}{}:{text}", name.len(), text.len())).collect();
        let all = Hash::of(all).to_string();
        hashes.extend(texts.into_iter().map(|(name, _)| (name.clone(), Hash::of(format!("{all}:{name}")).to_string())));
    }
    hashes
}

/// A schema without annotations, and with its lists in order. `definition` is the content of a definition; a reference
/// to one without content stays as it is. The recursion is as deep as schemas are nested, at most 64 levels.
fn plain(schema: &Json, definition: &dyn Fn(&str) -> Option<String>) -> Json {
    let Json::Object(members) = schema else { return schema.clone() };
    // Definitions count where they are used. The others name the schema.
    let is_kept = |key: &str| !ANNOTATIONS.contains(&key) && !matches!(key, "definitions" | "$id" | "$schema");
    let kept = members.iter().filter(|(key, _)| is_kept(key));
    Json::Object(kept.map(|(key, value)| (key.clone(), plain_keyword(key, value, definition))).collect())
}

fn plain_keyword(keyword: &str, value: &Json, definition: &dyn Fn(&str) -> Option<String>) -> Json {
    match (keyword, value) {
        ("$ref", Json::String(reference)) => {
            let content = definition_name(reference).and_then(|name| definition(&name));
            content.map_or_else(|| value.clone(), Json::String)
        }
        ("allOf" | "anyOf" | "oneOf", Json::Array(branches)) => {
            ordered(branches.iter().map(|branch| plain(branch, definition)))
        }
        ("enum" | "required" | "type", Json::Array(values)) => ordered(values.iter().cloned()),
        _ => Subschemas::map(keyword, value, |_, schema| plain(schema, definition)),
    }
}

fn ordered(values: impl Iterator<Item = Json>) -> Json {
    let mut texts: Vec<(String, Json)> = values.map(|value| (value.canonical(), value)).collect();
    texts.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    Json::Array(texts.into_iter().map(|(_, value)| value).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> String {
        Contents::new(&Schema::parse_text(text).unwrap()).whole().canonical()
    }

    #[test]
    fn order_annotations_and_unused_definitions_do_not_count() {
        let one = r##"{"title": "T", "type": ["null", "object"], "required": ["a", "b"], "anyOf": [{"enum": [1, 2]}, true],
            "properties": {"title": {"$ref": "#/definitions/x"}}, "definitions": {"x": {"type": "null"}, "y": true}}"##;
        let other = r##"{"anyOf": [true, {"enum": [2, 1], "description": "D"}], "required": ["b", "a"],
            "properties": {"title": {"$ref": "#/definitions/z", "title": "Z"}}, "type": ["object", "null"],
            "definitions": {"z": {"type": "null", "title": "Z"}}}"##;
        assert_eq!(whole(one), whole(other));
    }

    #[test]
    fn definitions_count_however_far_away_they_are() {
        let schema = |leaf: &str| {
            format!(
                r##"{{"$ref": "#/definitions/list", "definitions": {{
                    "list": {{"items": {{"anyOf": [{{"$ref": "#/definitions/list"}}, {{"$ref": "#/definitions/pair"}}]}}}},
                    "pair": {{"not": {{"items": {{"$ref": "#/definitions/leaf"}}}}}}, "leaf": {leaf}}}}}"##
            )
        };
        assert_eq!(whole(&schema(r#"{"const": 1}"#)), whole(&schema(r#"{"const": 1, "title": "T"}"#)));
        assert_ne!(whole(&schema(r#"{"const": 1}"#)), whole(&schema(r#"{"const": 2}"#)));
    }
}
