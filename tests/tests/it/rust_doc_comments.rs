//! Doc comments of generated Rust that capgen writes itself, for types and properties without a description.

use capgen_codegen::Language;
use capgen_tests::contract::{Draft, contract, generated};
use serde_json::Value;

/// Types whose places have no pointer in the schema: inside references, and where several schemas are combined.
const SCHEMAS: [&str; 4] = [
    r##"{"oneOf": [{"$ref": "#/definitions/Email"}, {"type": "string"}], "definitions": {"Email": {"type": "object",
        "required": ["channel"], "properties": {"channel": {"const": "email"}, "copy": {"type": ["string", "null"]}}}}}"##,
    r##"{"type": "object", "properties": {"limit": {"allOf": [{"$ref": "#/definitions/Money"},
        {"properties": {"currency": {"enum": ["EUR"]}}}]}}, "definitions": {"Money": {"type": "object",
        "properties": {"currency": {"enum": ["EUR", "USD"]}, "unit": {"enum": ["cent", "whole"]}}}}}"##,
    r##"{"allOf": [{"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}},
        {"oneOf": [{"type": "object", "required": ["kind"], "properties": {"kind": {"const": "a"}, "x": {"enum": ["y", "z"]}}},
        {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "b"}}}]}]}"##,
    r##"{"type": "object", "properties": {"a": {"$ref": "#/definitions/Node"}}, "definitions": {"Node": {"type": "object",
        "properties": {"next": {"$ref": "#/definitions/Node"}, "color": {"enum": ["red", "blue"]}}}}}"##,
];

#[test]
fn pointers_in_doc_comments_exist_in_the_schema() {
    for schema in SCHEMAS {
        let text = generated(&contract("a", &[Draft::request("ask", schema)]).unwrap(), Language::Rust);
        let parsed: Value = serde_json::from_str(schema).unwrap();
        let pointers =
            text.lines().filter_map(|line| line.trim().strip_prefix("/// Generated from `")?.split('`').next());
        let pointers: Vec<&str> = pointers.collect();
        assert!(!pointers.is_empty(), "{text}");
        for pointer in pointers {
            assert!(!pointer.is_empty() && parsed.pointer(pointer).is_some(), "`{pointer}`\n{text}");
        }
    }
}

#[test]
fn definitions_are_documented_with_their_name() {
    let text = generated(&contract("a", &[Draft::request("ask", SCHEMAS[3])]).unwrap(), Language::Rust);
    assert!(text.contains("    /// The definition `Node`.\n"), "{text}");
    assert!(text.contains("    /// Generated from `/definitions/Node/properties/color`.\n"), "{text}");
}

#[test]
fn nested_options_are_explained() {
    let text = generated(&contract("a", &[Draft::request("ask", SCHEMAS[0])]).unwrap(), Language::Rust);
    let field = "The `copy` property.\n        ///\n        /// `None` if absent, `Some(None)` if `null`.\n        pub copy: Option<Option<String>>,";
    assert!(text.contains(field), "{text}");
}
