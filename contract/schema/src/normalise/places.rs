//! Where subschemas are in a document of any dialect: those of [`Subschemas`], the components of a document of
//! OpenAPI, and other files.

use crate::{Json, Subschemas, is_definitions, pointer};

/// The keyword at the root of a schema whose members are the contents of other files, by their names. Only references
/// lead into it.
pub const LINKED_FILES: &str = "x-capgen-files";

/// Whether the members of a keyword are definitions, which apply only where they are referenced.
pub(super) fn is_container(name: &str) -> bool {
    is_definitions(name) || name == "components" || name == LINKED_FILES
}

/// The subschemas of a keyword, each with the tokens that lead to it.
pub(super) fn subschemas<'j>(name: &str, value: &'j Json, is_root: bool) -> Vec<(Vec<String>, &'j Json)> {
    let mut found = Vec::new();
    each_subschema(name, value, is_root, &mut |tokens, schema| {
        found.push((tokens.iter().map(|token| (*token).to_owned()).collect(), schema));
    });
    found
}

/// Calls `visit` with each subschema of a keyword and its pointer. `at` is the pointer of the schema around it, also
/// afterwards.
pub(super) fn visit_subschemas<'j>(
    name: &str,
    value: &'j Json,
    is_root: bool,
    at: &mut String,
    visit: &mut dyn FnMut(&'j Json, &mut String),
) {
    let length = at.len();
    each_subschema(name, value, is_root, &mut |tokens, schema| {
        pointer::push(at, name);
        tokens.iter().for_each(|token| pointer::push(at, token));
        visit(schema, at);
        at.truncate(length);
    });
}

/// Calls `found` with each subschema of a keyword, and the tokens that lead to it.
fn each_subschema<'j>(name: &str, value: &'j Json, is_root: bool, found: &mut dyn FnMut(&[&str], &'j Json)) {
    match (Subschemas::of(name, value), value) {
        (Subschemas::One(schema), _) => found(&[], schema),
        (Subschemas::List(items), _) => {
            items.iter().enumerate().for_each(|(index, item)| found(&[&index.to_string()], item));
        }
        (Subschemas::Map(members), _) => members.iter().for_each(|(name, schema)| found(&[name], schema)),
        (Subschemas::Absent, Json::Object(parts)) if name == "components" && is_root => {
            let schemas = parts.get("schemas").and_then(Json::as_object).into_iter().flatten();
            schemas.for_each(|(name, schema)| found(&["schemas", name], schema));
        }
        (Subschemas::Absent, Json::Object(files)) if name == LINKED_FILES && is_root => {
            files.iter().for_each(|(name, file)| found(&[name], file));
        }
        (Subschemas::Absent, _) => {}
    }
}

/// The value of a keyword with other subschemas. `map` gets each subschema with the tokens that lead to it.
pub(super) fn map_subschemas<'j>(
    name: &str,
    value: &'j Json,
    is_root: bool,
    map: &mut dyn FnMut(&[&str], &'j Json) -> Json,
) -> Json {
    match value {
        Json::Object(parts) if name == "components" && is_root => {
            let part = |(key, part): &'j (String, Json)| match part {
                Json::Object(schemas) if key == "schemas" => {
                    let schemas = schemas.iter().map(|(name, schema)| (name.clone(), map(&[key, name], schema)));
                    (key.clone(), Json::Object(schemas.collect()))
                }
                other => (key.clone(), other.clone()),
            };
            Json::Object(parts.iter().map(part).collect())
        }
        Json::Object(files) if name == LINKED_FILES && is_root => {
            Json::Object(files.iter().map(|(name, file)| (name.clone(), map(&[name], file))).collect())
        }
        value => Subschemas::map(name, value, |token, schema| map(token.as_slice(), schema)),
    }
}

/// The keyword that a pointer leads to or into: the last one on the way that belongs to a subschema. `None` for the
/// root.
///
/// ```
/// use capgen_schema::{Json, keyword_at};
/// let schema: Json = r#"{"properties": {"format": {"items": {"format": "x"}}}}"#.parse()?;
/// assert_eq!(keyword_at(&schema, "/properties/format/items/format").as_deref(), Some("format"));
/// assert_eq!(keyword_at(&schema, "/properties/format").as_deref(), Some("properties"));
/// # Ok::<(), capgen_schema::JsonTextError>(())
/// ```
pub fn keyword_at(schema: &Json, pointer: &str) -> Option<String> {
    let tokens: Vec<String> = pointer::tokens(pointer).collect();
    let (mut schema, mut rest, mut is_root) = (schema, tokens.as_slice(), true);
    let mut keyword = None;
    while let [name, below @ ..] = rest {
        keyword = Some(name.clone());
        let Some(value) = schema.get(name) else { break };
        let length = match (Subschemas::of(name, value), value) {
            (Subschemas::One(_), _) => 0,
            (Subschemas::List(_) | Subschemas::Map(_), _) => 1,
            (Subschemas::Absent, Json::Object(_)) if name == "components" && is_root => 2,
            (Subschemas::Absent, Json::Object(_)) if name == LINKED_FILES && is_root => 1,
            (Subschemas::Absent, _) => break,
        };
        let Some((path, after)) = below.split_at_checked(length) else { break };
        let path = path.iter().fold(String::new(), |path, token| pointer::join(&path, token));
        let Some(child) = value.pointer(&path) else { break };
        (schema, rest, is_root) = (child, after, false);
    }
    keyword
}
