//! Hostile lists of tools: an import never panics, stays within its limits, and its output loads.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fmt::Write as _;

use capgen_interop::import::{Document, ImportSettings, Imported, mcp, openapi};
use capgen_manifest::{AgentId, Capability, Source, TransportSettings, load};
use proptest::prelude::*;

/// Imports a text in both modes, renders every finding, and checks that the output loads with the same hash.
fn import(text: &str) -> Option<[Imported; 2]> {
    let document = Document::parse_json_or_lines(&Source::new("tools.json", text)).ok()?;
    Some([false, true].map(|lossy| {
        let imported = mcp::tools(&document, ImportSettings { lossy, ..ImportSettings::default() }).imported;
        assert_eq!(document.with_places(&imported.findings).len(), imported.findings.len());
        assert_eq!(imported.has_errors(), !imported.rejected.is_empty() || imported.has_document_errors());
        if !imported.capabilities.is_empty() {
            let agent = AgentId::new("server").unwrap();
            let manifest = imported.clone().into_manifest(agent, vec![TransportSettings::mcp("server")]);
            let written = manifest.to_yaml();
            let loaded = load(&Source::new("capabilities.yaml", written.as_str()));
            let loaded = loaded.unwrap_or_else(|findings| panic!("{text}\n{written}\n{findings:#?}"));
            assert_eq!(loaded.manifest.hash(), manifest.hash(), "{written}");
        }
        imported
    }))
}

const OBJECT: &str = r#"{"type":"object"}"#;

/// A list of 100,000 tools.
fn many(name: fn(usize) -> String, schema: &str) -> Imported {
    let mut text = "[".to_owned();
    for i in 0..100_000 {
        let comma = if i == 0 { "" } else { "," };
        write!(text, r#"{comma}{{"name":"{}","inputSchema":{schema}}}"#, name(i)).unwrap();
    }
    text.push(']');
    let document = Document::parse_json(&Source::new("tools.json", text)).unwrap();
    let imported = mcp::tools(&document, ImportSettings::default()).imported;
    assert_eq!(imported.entries, 100_000);
    imported
}

#[test]
fn a_hundred_thousand_tools_are_imported_or_rejected() {
    let valid = many(|i| format!("t.{i}"), OBJECT);
    assert_eq!((valid.capabilities.len(), valid.findings.len()), (100_000, 0));
    // All of them want one name.
    let similar = many(|i| format!("t{}", char::from_u32(0x4e00 + i as u32).unwrap_or('x')), OBJECT);
    assert!(similar.capabilities.len() > 90_000);
    for rejected in [many(|_| "t".to_owned(), OBJECT), many(|i| format!("t{i}"), r#"{"type":"objct"}"#)] {
        assert_eq!((rejected.capabilities.len(), rejected.rejected.len()), (0, 100_000));
        assert!(rejected.has_errors() && rejected.findings.len() == 10_000, "the number of findings is limited");
    }
}

#[test]
fn unreadable_names_are_imported() {
    let long = "x".repeat(100_000);
    let names = ["\\u202e", "\\u0000", "\\u001b[2J", "../../etc", "a\\nb", "\\ud83d\\ude00", "con", "__proto__", &long];
    let tool = |name: &&str| format!(r#"{{"name": "{name}", "description": "*/ \u0007 \u202e", "inputSchema": {{}}}}"#);
    let text = format!("[{}]", names.iter().map(tool).collect::<Vec<_>>().join(","));
    let [strict, _] = import(&text).unwrap();
    assert_eq!(strict.capabilities.len(), names.len());
    assert!(strict.capabilities.iter().all(|c| Capability::is_name(&c.name)));
    assert_eq!(strict.capabilities.iter().filter(|c| c.wire_name.is_none()).count(), 1, "`con` is a valid name");
}

#[test]
fn documents_beyond_the_limits_are_rejected_as_a_whole() {
    let deep = format!("{}{}", "[".repeat(300), "]".repeat(300));
    for text in
        [r#"{"tools": [], "tools": []}"#, &deep, "[1e400]", "[\"\\ud800\"]", "[{\"name\": \"a\", \"name\": \"b\"}]"]
    {
        assert!(import(text).is_none(), "{text}");
    }
    let inner = (0..200).fold("{}".to_owned(), |schema, _| format!(r#"{{"items":{schema}}}"#));
    let [strict, lossy] = import(&format!(r#"[{{"name": "a", "inputSchema": {inner}}}]"#)).unwrap();
    assert_eq!((strict.rejected.len(), lossy.capabilities.len()), (1, 1));
}

/// JSON with the words of lists of tools, in any place.
fn json() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "name",
        "a",
        "b.c",
        "tools",
        "result",
        "inputSchema",
        "outputSchema",
        "description",
        "annotations",
        "readOnlyHint",
        "_meta",
        "io.github.capgen/contract",
        "request",
        "response",
        "wrapped",
        "loose",
        "version",
        "1.0.0",
        "type",
        "object",
        "string",
        "properties",
        "result",
        "value",
        "required",
        "$ref",
        "#/$defs/a",
        "#",
        "$defs",
        "oneOf",
        "not",
        "format",
        "prefixItems",
        "items",
        "additionalProperties",
        "nullable",
        "discriminator",
        "propertyName",
        "mapping",
        "anyOf",
        "allOf",
        "const",
        "responses",
        "200",
        "content",
        "application/json",
        "schema",
        "#/components/schemas/a",
        "enum",
        "restore",
        "\u{202e}",
        "",
    ]);
    let text = word.clone().prop_map(|word| format!("\"{word}\""));
    let leaf = prop_oneof![Just("null".to_owned()), Just("true".to_owned()), Just("3".to_owned()), text];
    leaf.prop_recursive(6, 40, 5, move |inner| {
        let member = (word.clone(), inner.clone()).prop_map(|(name, value)| (name, value));
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::btree_map(word.clone(), member.prop_map(|(_, value)| value), 0..5).prop_map(|members| {
                let members: Vec<_> = members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_json_is_imported_without_a_panic(text in json()) {
        import(&text);
    }

    #[test]
    fn any_operation_is_imported_without_a_panic(operation in json(), schemas in json()) {
        let paths = format!(r#"{{"/a/{{b}}": {{"get": {operation}, "put": {{"responses": {{"200": {operation}}}}}}}}}"#);
        for version in ["3.0.3", "3.1.0"] {
            let text = format!(r#"{{"openapi": "{version}", "paths": {paths}, "components": {{"schemas": {schemas}}}}}"#);
            // Keys may be duplicate.
            if let Ok(document) = Document::parse_json(&Source::new("openapi.json", text)) {
                openapi::operations(&document, ImportSettings::default());
            }
        }
    }

    #[test]
    fn any_schema_is_imported_without_a_panic(input in json(), output in json(), meta in json()) {
        let meta = format!(r#"{{"io.github.capgen/contract": {meta}}}"#);
        import(&format!(r#"[{{"name": "a", "inputSchema": {input}, "outputSchema": {output}}}]"#));
        import(&format!(r#"[{{"name": "b", "inputSchema": {input}, "outputSchema": {output}, "_meta": {meta}}}]"#));
    }
}
