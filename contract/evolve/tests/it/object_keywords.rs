//! Changes of assertions about which properties an object has.

use capgen_evolve::Level;
use capgen_manifest::Side;

use crate::property_names::change;

#[test]
fn a_tighter_assertion_breaks_requests_and_a_wider_one_breaks_responses() {
    for (wide, tight, proof) in [
        (r#"{"type": "object"}"#, r#"{"type": "object", "minProperties": 1}"#, "{}"),
        (
            r#"{"type": "object", "maxProperties": 2}"#,
            r#"{"type": "object", "maxProperties": 1}"#,
            r#"{"a":null,"b":null}"#,
        ),
        (
            r#"{"type": "object", "minProperties": 1, "properties": {"k": {"const": 1}, "l": {"const": 1}}, "additionalProperties": false}"#,
            r#"{"type": "object", "minProperties": 2, "properties": {"k": {"const": 1}, "l": {"const": 1}}, "additionalProperties": false}"#,
            r#"{"k":1}"#,
        ),
        (
            r#"{"type": "object", "patternProperties": {"^x": {"type": ["string", "null"]}}}"#,
            r#"{"type": "object", "patternProperties": {"^x": {"type": "string"}}}"#,
            r#"{"x":null}"#,
        ),
        (
            r#"{"type": "object", "patternProperties": {"^x": {}, "^y": {}}, "additionalProperties": false}"#,
            r#"{"type": "object", "patternProperties": {"^x": {}}, "additionalProperties": false}"#,
            r#"{"y":null}"#,
        ),
        (r#"{"type": "object"}"#, r#"{"type": "object", "dependentRequired": {"a": ["b"]}}"#, r#"{"a":null}"#),
        (
            r#"{"type": "object"}"#,
            r#"{"type": "object", "if": {"required": ["a"]}, "then": {"required": ["b"]}}"#,
            r#"{"a":null}"#,
        ),
        (
            r#"{"type": "object", "if": {"required": ["a"]}, "then": {"maxProperties": 2}}"#,
            r#"{"type": "object", "if": {"required": ["a"]}, "then": {"maxProperties": 1}}"#,
            r#"{"a":null,"b":null}"#,
        ),
        (
            r#"{"type": "object", "if": {"required": ["a"]}, "then": {"maxProperties": 1}}"#,
            r#"{"type": "object", "if": {"required": ["a"]}, "then": {"maxProperties": 1}, "else": {"minProperties": 1}}"#,
            "{}",
        ),
        (
            r#"{"type": "object", "properties": {"a": {"type": "array"}}}"#,
            r#"{"type": "object", "properties": {"a": {"type": "array", "contains": {"type": "null"}}}}"#,
            r#"{"a":[]}"#,
        ),
        (
            r#"{"type": "object", "properties": {"a": {"contains": {"type": ["null", "boolean"]}}}, "required": ["a"]}"#,
            r#"{"type": "object", "properties": {"a": {"contains": {"type": "null"}}}, "required": ["a"]}"#,
            r#"{"a":[false]}"#,
        ),
        (
            r#"{"type": "object", "dependentRequired": {"a": ["b"]}}"#,
            r#"{"type": "object", "dependencies": {"a": ["b"], "c": ["a"]}}"#,
            r#"{"c":null}"#,
        ),
    ] {
        let (code, level, found) = change(Side::Request, wide, tight);
        assert_eq!((level, found.as_deref()), (Level::Breaking, Some(proof)), "{code}: {tight}");
        let (code, level, found) = change(Side::Response, tight, wide);
        assert_eq!((level, found.as_deref()), (Level::Breaking, Some(proof)), "{code}: {tight}");
        assert_eq!(change(Side::Request, tight, wide).1, Level::Safe, "{tight}");
    }
}

#[test]
fn another_text_of_the_same_assertion_is_safe() {
    for (one, other) in [
        (r#"{"type": "object", "required": ["a"]}"#, r#"{"type": "object", "required": ["a"], "minProperties": 1}"#),
        (
            r#"{"type": "object", "dependentRequired": {"a": ["b"]}}"#,
            r#"{"type": "object", "not": {"required": ["a"], "not": {"required": ["b"]}}}"#,
        ),
        (
            r#"{"type": "object", "dependentRequired": {"a": ["b"]}}"#,
            r#"{"type": "object", "if": {"required": ["a"]}, "then": {"required": ["b"]}}"#,
        ),
    ] {
        for side in Side::ALL {
            let level = change(side, one, other).1;
            assert_eq!(level, Level::Safe, "{other}");
        }
    }
}
