//! Paths in Rust of places in a derived schema.

use capgen_schema::{Json, Problem, codes, pointer};

use crate::UnsupportedSchema;

/// The remedy for a type that schemars describes by a format: its schema is not written by hand.
const IN_RUST: &str =
    " (in Rust: `#[schemars(with = \"String\")]` at the field, and `regex(pattern = \"...\")` for a pattern)";

/// The problem of a schema that was made from the type `name`.
pub(super) fn unsupported(name: &str, schema: &Json, problem: &Problem) -> UnsupportedSchema {
    let help = problem.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
    let in_rust = if problem.code == codes::UNKNOWN_FORMAT { IN_RUST } else { "" };
    UnsupportedSchema {
        path: of(name, schema, &problem.pointer),
        message: format!("{}{help}{in_rust}", problem.message),
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
            ("items", false) | ("additionalItems" | "additionalProperties" | "contains", _) => path.push_str("[]"),
            ("else" | "if" | "not" | "propertyNames" | "then", _) => {}
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
            // An assertion of this place: the path ends here.
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

/// The tag of an internally or adjacently tagged variant: its first constant string.
fn variant(branch: &Json) -> Option<&str> {
    let properties = branch.get("properties")?.as_object()?;
    properties.iter().find_map(|(_, property)| property.get("const")?.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_become_paths_in_rust() -> Result<(), Box<dyn std::error::Error>> {
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
