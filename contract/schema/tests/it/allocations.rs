//! Validating a valid payload allocates nothing.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use allocation_counter::measure;
use capgen_schema::{Schema, Validator};
use serde_json::{Value, json};

fn check(schema: &Value, payload: &Value) {
    let validator = Validator::new(&Schema::parse_text(&schema.to_string()).unwrap());
    // A pattern builds its table after several matches.
    for _ in 0..32 {
        assert!(validator.is_valid(payload), "{schema}");
    }
    let taken = measure(|| assert!(validator.is_valid(payload)));
    assert_eq!(taken.count_total, 0, "{schema}");
}

#[test]
fn validating_a_valid_payload_allocates_nothing() {
    let colours: Vec<String> = (0..100).map(|n| format!("colour {n}")).collect();
    check(
        &json!({
            "type": "object",
            "properties": {
                "id": {"type": "string", "format": "uuid"},
                "at": {"format": "date-time"},
                "to": {"format": "email"},
                "link": {"format": "uri"},
                "name": {"minLength": 2, "maxLength": 4},
                "code": {"pattern": "^[A-Z]{3}-[0-9]+$"},
                "colour": {"enum": colours},
                "level": {"enum": ["low", 1, null, 2.5, [1]]},
                "share": {"type": "number", "minimum": 0, "exclusiveMaximum": 1},
                "count": {"type": "integer", "minimum": 3, "maximum": 3},
                "tags": {"uniqueItems": true, "items": {"type": "string"}}
            },
            "required": ["id", "absent from properties"],
            "additionalProperties": {"type": "integer"}
        }),
        &json!({
            "id": "2eb8aa08-aa98-11ea-b4aa-73b441d16380",
            "at": "2024-05-17T09:30:00.250+02:00",
            "to": "a.b@example.org",
            "link": "http://example.org/a?b#c",
            "name": "žluť",
            "code": "ABC-123",
            "colour": "colour 99",
            "level": 2.5,
            "share": 0.5,
            "count": 3.0,
            "tags": ["a", "b", "c"],
            "absent from properties": 1
        }),
    );
}

#[test]
fn unions_and_references_allocate_nothing() {
    let schema = json!({
        "$ref": "#/definitions/expression",
        "definitions": {
            "expression": {"oneOf": [
                {"type": "object", "properties": {"kind": {"const": "number"}, "value": {"type": "number"}}, "required": ["kind", "value"]},
                {
                    "type": "object",
                    "properties": {
                        "kind": {"const": "sum"},
                        "terms": {"items": {"$ref": "#/definitions/expression"}},
                        "scale": {"$ref": "#/definitions/expression"}
                    },
                    "required": ["kind", "terms"],
                    "not": {"required": ["value"]}
                },
                {"anyOf": [{"type": "null"}, {"type": "boolean"}]}
            ]}
        }
    });
    let leaf = json!({"kind": "number", "value": 1.5});
    let payload =
        (0..40).fold(leaf.clone(), |inner, _| json!({"kind": "sum", "terms": [inner, leaf, null], "scale": true}));
    check(&schema, &payload);
}
