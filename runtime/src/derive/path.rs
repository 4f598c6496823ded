//! From a place in a derived schema to the place in Rust.

use std::fmt;

use capgen_schema::{Json, Problem, pointer};

/// Something of a Rust type that has no schema in the subset.
///
/// It is shown as a path, a colon and what to write instead: the path has the names of types and, as serde writes them,
/// of fields and variants; `[]` is an item of a list or a value of a map.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnsupportedSchema {
    /// The path from the type that holds it, such as `ReviewPr.extra.0`.
    pub path: String,
    /// What it is, and what to write instead.
    pub message: String,
}

impl fmt::Display for UnsupportedSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

impl UnsupportedSchema {
    /// What is wrong with the schema of the type `name`.
    pub(super) fn new(name: &str, schema: &Json, problem: &Problem) -> Self {
        let help = problem.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        Self { path: of(name, schema, &problem.pointer), message: format!("{}{help}", problem.message) }
    }
}

/// The path in Rust of a place in the schema of the type `name`.
fn of(name: &str, schema: &Json, place: &str) -> String {
    let mut path = name.to_owned();
    let mut at = Some(schema);
    let mut tokens = pointer::tokens(place);
    while let Some(keyword) = tokens.next() {
        at = at.and_then(|schema| schema.get(&keyword));
        let is_list = matches!(at, Some(Json::Array(_)));
        match (keyword.as_str(), is_list) {
            ("items", false) | ("additionalProperties", _) => path.push_str("[]"),
            ("not" | "propertyNames", _) => {}
            ("definitions" | "$defs", _) => {
                let Some(definition) = tokens.next() else { break };
                at = at.and_then(|definitions| definitions.get(&definition));
                path = definition;
            }
            ("properties" | "items" | "prefixItems", _) => {
                let Some(member) = tokens.next() else { break };
                at = at.and_then(|members| member_of(members, &member));
                path.push('.');
                path.push_str(&member);
            }
            ("oneOf" | "anyOf" | "allOf", true) => {
                let Some(index) = tokens.next() else { break };
                at = at.and_then(|branches| member_of(branches, &index));
                if let Some(variant) = at.and_then(variant) {
                    path.push_str(&format!("::{variant}"));
                }
            }
            // A keyword that says something of the place itself.
            _ => break,
        }
    }
    path
}

fn member_of<'a>(members: &'a Json, token: &str) -> Option<&'a Json> {
    match members {
        Json::Array(items) => items.get(token.parse::<usize>().ok()?),
        members => members.get(token),
    }
}

/// The tag of an internally or adjacently tagged variant: its one constant string.
fn variant(branch: &Json) -> Option<&str> {
    let properties = branch.get("properties")?.as_object()?;
    properties.iter().find_map(|(_, property)| property.get("const")?.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_shown_as_rust_has_them() -> Result<(), Box<dyn std::error::Error>> {
        let schema: Json = r##"{
            "properties": {"extra": {"items": [{}, {}]}, "list": {"items": {"items": [{}]}}},
            "definitions": {"Kind": {"oneOf": [{"properties": {"kind": {"const": "Big"}, "at": {}}}, {"$ref": "#"}]}}
        }"##
        .parse()?;
        for (place, expected) in [
            ("/properties/extra/items/0", "ReviewPr.extra.0"),
            ("/properties/list/items/items/0", "ReviewPr.list[].0"),
            ("/properties/extra/format", "ReviewPr.extra"),
            ("/definitions/Kind/oneOf/0/properties/at/patternProperties", "Kind::Big.at"),
            ("/additionalProperties/anyOf/0/format", "ReviewPr[]"),
            ("", "ReviewPr"),
        ] {
            assert_eq!(of("ReviewPr", &schema, place), expected, "{place}");
        }
        Ok(())
    }
}
