//! References in schemas of other dialects: to anchors, to schemas with URIs of their own, and without a target.

use capgen_schema::{Reading, normalise_lossy, normalise_noting};
use serde_json::json;

use crate::normalise::{check, check_rejected, json_of, of};

#[test]
fn embedded_schemas_have_uris() {
    let text = json!({"type": "string"});
    check(
        json!({
            "$id": "https://example.com/root.json", "$ref": "item.json",
            "$defs": {
                "Item": {
                    "$id": "/item.json", "properties": {
                        "next": {"$ref": "#"}, "id": {"$ref": "#/$defs/Id"}, "by": {"$ref": "#by"}, "root": {"$ref": "root.json#/$defs/Text"}
                    },
                    "$defs": {"Id": text, "By": {"$anchor": "by", "type": "null"}}
                },
                "Text": text
            }
        }),
        json!({
            "$id": "https://example.com/root.json", "$ref": "#/definitions/Item",
            "definitions": {
                "Item": {"properties": {
                    "next": {"$ref": "#/definitions/Item"}, "id": {"$ref": "#/definitions/Id"},
                    "by": {"$ref": "#/definitions/By"}, "root": {"$ref": "#/definitions/Text"}
                }},
                "Text": text, "Id": text, "By": {"type": "null"}
            }
        }),
    );
    // A recursive type that is used twice.
    let node = json!({"$id": "T0", "items": {"$ref": "T0"}});
    check(
        json!({"properties": {"a": node, "b": node}}),
        json!({
            "properties": {"a": {"$ref": "#/definitions/a"}, "b": {"$ref": "#/definitions/b"}},
            "definitions": {"a": {"items": {"$ref": "#/definitions/a"}}, "b": {"items": {"$ref": "#/definitions/b"}}}
        }),
    );
    for schema in [
        json!({"properties": {"a": {"$id": "a", "items": {"$ref": "#gone"}}, "b": {"$anchor": "gone"}}}),
        json!({"properties": {"a": {"$id": "a"}, "b": {"$id": "a", "type": "null"}, "c": {"$ref": "a"}}}),
        json!({"properties": {"a": {"$id": "https://example.com/a/b", "items": {"$ref": "c"}}, "b": {"$id": "c"}}}),
    ] {
        let problems = capgen_schema::normalise(&json_of(&schema)).unwrap_err();
        assert_eq!(problems[0].code, capgen_schema::codes::REF_NOT_LOCAL, "{problems:?}");
    }
}

/// The output, and the pointers of the references that are read as places of the document.
#[track_caller]
fn check_root_references(source: serde_json::Value, expected: serde_json::Value, places: &[(&str, Reading)]) {
    let source = json_of(&source);
    for lossy in [false, true] {
        let result = if lossy { normalise_lossy(&source) } else { normalise_noting(&source) };
        let (output, notes) = result.unwrap();
        assert_eq!(output, json_of(&expected));
        let found: Vec<_> = notes.iter().map(|note| (note.pointer.as_str(), note.reading)).collect();
        assert_eq!(found, places);
    }
}

#[test]
fn a_reference_that_an_id_leads_nowhere_means_the_document() {
    let draft_07 = "http://json-schema.org/draft-07/schema#";
    check_root_references(
        json!({
            "$schema": draft_07, "$id": "https://example.com/s.json",
            "properties": {"a": {"$id": "/properties/a", "items": {"$ref": "#/definitions/A%7E1b"},
                "properties": {"b": {"$id": "/properties/a/properties/b", "$ref": "#/definitions/A%7E1b"}}}},
            "definitions": {"A/b": {"$id": "/definitions/A", "type": "string"}}
        }),
        json!({
            "$schema": draft_07, "$id": "https://example.com/s.json",
            "properties": {"a": {"items": {"$ref": "#/definitions/A%7E1b"}, "properties": {"b": {"$ref": "#/definitions/A%7E1b"}}}},
            "definitions": {"A/b": {"type": "string"}}
        }),
        &[
            ("/properties/a/items/$ref", Reading::RootReference),
            ("/properties/a/properties/b/$ref", Reading::RootReference),
        ],
    );
    // A definition in the schema itself comes first.
    check_root_references(
        json!({
            "properties": {"a": {"$id": "a", "$ref": "#/$defs/A", "$defs": {"A": {"type": "null"}}}},
            "$defs": {"A": {"type": "string"}}
        }),
        json!({"properties": {"a": {"$ref": "#/definitions/A"}}, "definitions": {"A": {"type": "null"}}}),
        &[],
    );
}

#[test]
fn a_draft_ignores_the_uri_keyword_of_others() {
    for (draft, keyword) in [("draft-04", "$id"), ("draft-06", "id"), ("draft-07", "id"), ("draft/2020-12", "id")] {
        let source = json!({
            "$schema": format!("http://json-schema.org/{draft}/schema"),
            "properties": {"a": {keyword: "/properties/a", "items": {"$ref": "#/definitions/A"}}},
            "definitions": {"A": {keyword: "/definitions/A", "type": "string"}}
        });
        let expected = json!({
            "$schema": if draft == "draft-07" { source["$schema"].clone() } else { json!("http://json-schema.org/draft-07/schema#") },
            "properties": {"a": {"items": {"$ref": "#/definitions/A"}}},
            "definitions": {"A": {"type": "string"}}
        });
        let places = [format!("/definitions/A/{keyword}"), format!("/properties/a/{keyword}")];
        check_root_references(source, expected, &places.each_ref().map(|at| (at.as_str(), Reading::Ignored)));
    }
}

#[test]
fn an_id_next_to_a_reference_is_ignored_until_draft_07() {
    let schema = |draft: &str| json!({"$schema": draft, "items": {"$id": "/items", "$ref": "#/definitions/A"}, "definitions": {"A": {"type": "null"}}});
    let draft_07 = "http://json-schema.org/draft-07/schema#";
    let expected =
        json!({"$schema": draft_07, "items": {"$ref": "#/definitions/A"}, "definitions": {"A": {"type": "null"}}});
    check_root_references(schema(draft_07), expected.clone(), &[("/items/$id", Reading::Ignored)]);
    let modern = "https://json-schema.org/draft/2019-09/schema";
    check_root_references(schema(modern), expected, &[("/items/$ref", Reading::RootReference)]);
}

#[test]
fn many_references_to_the_document_take_linear_time() {
    let count = 20_000;
    let (mut definitions, mut properties) = (serde_json::Map::new(), serde_json::Map::new());
    for number in 0..count {
        definitions.insert(format!("d{number}"), json!({"type": "null"}));
        let target = format!("#/definitions/d{number}");
        properties.insert(format!("p{number}"), json!({"$id": format!("p{number}"), "items": {"$ref": target}}));
    }
    let source = json_of(&json!({"properties": properties, "definitions": definitions}));
    assert_eq!(normalise_noting(&source).unwrap().1.len(), 1000);
}

#[test]
fn references_without_a_target_name_it_as_written() {
    for (target, defs, message, label, help) in [
        (
            "#/$defs/nope",
            "$defs",
            "`$ref` refers to \"#/$defs/nope\", which does not exist",
            "\"nope\" is not found",
            "add it to `$defs` at the root of this schema, or correct the reference",
        ),
        (
            "#/$defs/adress",
            "$defs",
            "`$ref` refers to \"#/$defs/adress\", which does not exist",
            "\"adress\" is not found",
            "did you mean `address`?",
        ),
        (
            "#/components/schemas/nope",
            "$defs",
            "`$ref` refers to \"#/components/schemas/nope\", which does not exist",
            "\"components\" is not found",
            "add it to `components/schemas`, or correct the reference",
        ),
        (
            "#/paths/x",
            "$defs",
            "`$ref` refers to \"#/paths/x\", which does not exist",
            "\"paths\" is not found",
            "refer to a schema of the same document, such as `#/$defs/<name>`; the pointer starts at the root of this schema",
        ),
        (
            "#anchor",
            "$defs",
            "`$ref` refers to \"#anchor\", which does not exist",
            "\"anchor\" is not found",
            "add a schema with this anchor, or refer to a schema by its pointer, such as `#/$defs/<name>`",
        ),
        (
            "#/definitions/adress",
            "definitions",
            "unknown definition \"adress\"",
            "not found in `definitions`",
            "did you mean `address`?",
        ),
    ] {
        let problems = of(&json!({"properties": {"a": {"$ref": target}}, defs: {"address": {}}})).unwrap_err();
        let [problem] = problems.as_slice() else { panic!("{problems:?}") };
        let found =
            (problem.pointer.as_str(), problem.message.as_str(), problem.label.as_str(), problem.help.as_deref());
        assert_eq!(found, ("/properties/a/$ref", message, label, Some(help)));
    }
}

#[test]
fn a_cycle_of_references_names_places_of_the_input() {
    let message = |names: &str| format!("reference cycle that does not go into a property or item: {names}");
    check_rejected(json!({"allOf": [{"$ref": "#"}, {}]}), &[("/allOf/0/$ref", &message("`#` -> `#`"))]);
    check_rejected(
        json!({"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}, {}]}}}),
        &[("/$defs/a/allOf/0/$ref", &message("`#/$defs/a` -> `#/$defs/a`"))],
    );
}

#[test]
fn relative_references_to_the_document_itself_are_resolved() {
    for (draft, id) in
        [("http://json-schema.org/draft-04/schema#", "id"), ("http://json-schema.org/draft-07/schema#", "$id")]
    {
        for reference in ["s.json#/definitions/A", "/a/s.json#/definitions/A", "../a/s.json#/definitions/A"] {
            let input = json!({
                "$schema": draft, id: "https://example.com/a/s.json",
                "properties": {"a": {"$ref": reference}}, "definitions": {"A": {"type": "integer"}}
            });
            let (output, notes) = capgen_schema::normalise_noting(&json_of(&input)).unwrap();
            let target = output.pointer("/properties/a/$ref").and_then(capgen_schema::Json::as_str);
            assert_eq!((target, notes), (Some("#/definitions/A"), Vec::new()), "{reference}");
        }
    }
    let elsewhere = json!({"$id": "https://example.com/a/s.json", "$ref": "t.json#/definitions/A"});
    let message = "`$ref` must point into `definitions`, not to \"t.json#/definitions/A\"";
    check_rejected(elsewhere, &[("/$ref", message)]);
}

const DRAFT_07: &str = "http://json-schema.org/draft-07/schema#";
const OPENAPI_3_0: &str = "https://spec.openapis.org/oas/3.0/schema/2021-09-28";

/// Keywords next to `$ref` that a dialect ignores change nothing, whatever their values are.
#[test]
fn keywords_next_to_a_reference_are_dropped_before_anything_is_read() {
    let siblings = [
        ("propertyNames", json!({"enum": ["a"]})),
        ("propertyNames", json!(1)),
        ("propertyNames", json!({"not": {"enum": ["a"]}})),
        ("patternProperties", json!({".*": {"type": "integer"}})),
        ("patternProperties", json!({"(": 3})),
        ("properties", json!({"x": {"nullable": true, "oneOf": [{}]}})),
        ("discriminator", json!({"propertyName": "p"})),
        ("oneOf", json!([{"$ref": "#/definitions/Gone"}, {"$ref": "#/definitions/Broken"}])),
        ("unevaluatedProperties", json!(false)),
        ("unevaluatedItems", json!(false)),
        ("definitions", json!(7)),
        ("$defs", json!([])),
        ("$id", json!(7)),
        ("$id", json!("https://example.com/other")),
        ("$schema", json!("https://example.com/other")),
        ("title", json!(7)),
        ("description", json!(null)),
        ("examples", json!({})),
        ("deprecated", json!("soon")),
        ("contains", json!(7)),
        ("if", json!(7)),
        ("enum", json!(7)),
        ("format", json!(7)),
        ("minLenght", json!(7)),
    ];
    for dialect in
        [DRAFT_07, "http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-04/schema#", OPENAPI_3_0]
    {
        for (name, value) in &siblings {
            let mut reference = json!({"$ref": "#/definitions/A"});
            reference[*name] = value.clone();
            let source = json!({
                "$schema": dialect, "properties": {"x": reference},
                "definitions": {"A": {"type": "object"}, "Broken": {"pattern": "("}}
            });
            let (output, notes) = normalise_noting(&json_of(&source)).unwrap_or_else(|e| panic!("{source}: {e:?}"));
            let [x, a] = ["/properties/x", "/definitions/A"].map(|at| output.pointer(at).unwrap().canonical());
            assert_eq!(
                (x.as_str(), a.as_str()),
                ("{\"$ref\":\"#/definitions/A\"}", "{\"type\":\"object\"}"),
                "{source}"
            );
            assert!(notes.iter().all(|note| note.reading == Reading::Ignored), "{source}: {notes:?}");
            assert!(notes.len() == 1 || *name == "discriminator" || *name == "$id", "{source}: {notes:?}");
            assert_eq!(normalise_lossy(&json_of(&source)).unwrap(), (output, notes));
        }
    }
}

#[test]
fn an_ignored_union_changes_no_definition() {
    let branch = json!({"type": "object", "properties": {"p": {"type": "string"}}});
    let union = json!({
        "$ref": "#/definitions/A", "discriminator": {"propertyName": "p"}, "oneOf": [{"$ref": "#/definitions/B"}]
    });
    check(
        json!({"$schema": DRAFT_07, "properties": {"x": union, "y": {"$ref": "#/definitions/B"}},
            "definitions": {"A": {"type": "object"}, "B": branch}}),
        json!({"$schema": DRAFT_07, "properties": {"x": {"$ref": "#/definitions/A"}, "y": {"$ref": "#/definitions/B"}},
            "definitions": {"A": {"type": "object"}, "B": branch}}),
    );
}

#[test]
fn the_empty_reference_is_one_to_the_document() {
    for id in [json!({}), json!({"$id": "https://example.com/a.json"})] {
        let source = |reference: &str| {
            let mut source = json!({"type": "object", "properties": {"c": {"$ref": reference}}});
            source.as_object_mut().unwrap().extend(id.as_object().unwrap().clone());
            json_of(&source)
        };
        assert_eq!(capgen_schema::normalise(&source("")), capgen_schema::normalise(&source("#")));
    }
    // In a schema with a URI of its own, it is that schema.
    check(
        json!({"properties": {"a": {"$id": "a", "items": {"$ref": ""}}}}),
        json!({"properties": {"a": {"$ref": "#/definitions/a"}}, "definitions": {"a": {"items": {"$ref": "#/definitions/a"}}}}),
    );
}
