//! References in schemas of other dialects: to anchors, to schemas with URIs of their own, and without a target.

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
