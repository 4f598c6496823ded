//! Readings of schemas that all imports have: patterns of names, and references within a schema.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_interop::import::{Document, ImportSettings, Imported, mcp};
use capgen_manifest::Source;
use capgen_schema::Json;

fn import(tools: &str, lossy: bool) -> Imported {
    let document = Document::parse_json(&Source::new("tools.json", tools)).unwrap();
    mcp::tools(&document, ImportSettings { lossy, ..ImportSettings::default() }).imported
}

#[test]
fn a_pattern_of_lines_is_read_as_every_name() {
    let map = |pattern: &str| format!(r#"{{"patternProperties": {{"{pattern}": {{"type": "string"}}}}}}"#);
    for pattern in ["^(.*)$", "^.*$"] {
        let [a, b] = [map(pattern), map(pattern)];
        let tool =
            format!(r#"[{{"name": "t", "inputSchema": {{"type": "object", "properties": {{"a": {a}, "b": {b}}}}}}}]"#);
        for lossy in [false, true] {
            let imported = import(&tool, lossy);
            let input = imported.capabilities[0].input.as_ref().unwrap().source();
            for place in ["/properties/a", "/properties/b"] {
                let types = input.pointer(&format!("{place}/additionalProperties/type"));
                assert_eq!(types, Some(&Json::from("string")), "{input}");
            }
            let [found] = imported.findings.as_slice() else { panic!("{:#?}", imported.findings) };
            let at = format!("/0/inputSchema/properties/a/patternProperties/{pattern}");
            assert_eq!((found.code.as_str(), found.pointer.as_str()), ("W0906", at.as_str()));
            assert_eq!(
                found.place,
                format!("tool `t`, inputSchema, /properties/a/patternProperties/{pattern}, and 1 other place")
            );
        }
    }
}

#[test]
fn a_pattern_of_lines_next_to_others_is_exact() {
    for rest in [
        r#""patternProperties": {"^.*$": {"type": "string"}, "^x": {"maxLength": 3}}"#,
        r#""patternProperties": {"^.*$": {"type": "string"}}, "properties": {"a": {"maxLength": 3}}"#,
        r#""patternProperties": {"^.*$": {"type": "string"}}, "additionalProperties": {"type": "null"}"#,
    ] {
        let imported = import(&format!(r#"[{{"name": "t", "inputSchema": {{"type": "object", {rest}}}}}]"#), false);
        let input = imported.capabilities[0].input.as_ref().unwrap().source();
        assert_eq!(imported.findings, [], "{rest}");
        assert!(input.pointer("/patternProperties/^.*$").is_some(), "{input}");
    }
}

#[test]
fn references_within_a_tool_may_be_uris_and_anchors() {
    let tool = r##"[{"name": "t", "inputSchema": {"$id": "https://example.com/root", "type": "object",
        "properties": {"a": {"$ref": "https://example.com/text"}, "b": {"$ref": "#b"}, "c": {"$ref": "inner#b"}},
        "$defs": {"Text": {"$id": "text", "type": "string"}, "B": {"$anchor": "b", "type": "null"},
            "Inner": {"$id": "inner", "$defs": {"C": {"$anchor": "b", "type": "integer"}}}}}}]"##;
    let imported = import(tool, false);
    assert_eq!(imported.findings, []);
    let input = imported.capabilities[0].input.as_ref().unwrap().source();
    for (name, expected) in [("a", "#/definitions/Text"), ("b", "#/definitions/B"), ("c", "#/definitions/C")] {
        assert_eq!(
            input.pointer(&format!("/properties/{name}/$ref")).and_then(Json::as_str),
            Some(expected),
            "{input}"
        );
    }
    let elsewhere = r#"[{"name": "t", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "b.json"}}}}]"#;
    let [found] = <[_; 1]>::try_from(import(elsewhere, false).findings).unwrap();
    assert_eq!((found.code.as_str(), found.pointer.as_str()), ("E0108", "/0/inputSchema/properties/a/$ref"));
    assert!(found.help.unwrap().starts_with("bundle the document first"));
}
