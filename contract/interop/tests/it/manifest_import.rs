//! Importing manifests whose schemas are JSON Schema of any draft.

use capgen_interop::import::manifest::{ManifestImport, manifest};
use capgen_interop::import::{Document, ImportSettings};
use capgen_manifest::{Manifest, Source};

fn import_with(text: &str, settings: ImportSettings) -> ManifestImport {
    manifest(&Document::parse_json(&Source::new("agent.json", text)).unwrap(), settings)
}

fn import(text: &str) -> ManifestImport {
    import_with(text, ImportSettings::default())
}

/// A document with one capability, which has this request.
fn with_request(schema: &str) -> String {
    let capability = format!("{{\"name\": \"find\", \"inputSchema\": {schema}}}");
    format!("{{\"version\": 1, \"agent\": \"agent://shop\", \"capabilities\": [{capability}]}}")
}

/// Checks the request that becomes of a schema.
#[track_caller]
fn check_request(schema: &str, expected: &str) {
    let imported = import(&with_request(schema)).imported;
    assert!(!imported.has_errors(), "{:#?}", imported.findings);
    let found = imported.capabilities[0].input.as_ref().unwrap().source().to_string();
    assert_eq!(found, expected);
}

#[track_caller]
fn check_codes(text: &str, expected: &[(&str, &str)]) {
    let import = import(text);
    let findings = &import.imported.findings;
    let found: Vec<_> = findings.iter().map(|finding| (finding.code.as_str(), finding.pointer.as_str())).collect();
    assert_eq!(found, expected, "{findings:#?}");
    assert!(import.imported.has_errors());
}

#[test]
fn schemas_that_differ_in_notation_alone_become_the_same() {
    let expected = r#"{"type":"string","enum":["a","b"]}"#;
    for schema in [
        r#"{"enum": ["a", "b"]}"#,
        r#"{"enum": ["a", "b"], "type": "string"}"#,
        r#"{"type": ["string", "null"], "enum": ["a", "b"]}"#,
        r#"{"anyOf": [{"const": "a", "type": "string"}, {"const": "b"}]}"#,
        r#"{"oneOf": [{"enum": ["a"]}, {"const": "b"}]}"#,
    ] {
        check_request(schema, expected);
    }
    check_request(r#"{"anyOf": [{"const": 1}, {"type": "null"}]}"#, r#"{"enum":[1,null]}"#);
    check_request(r#"{"const": 1.0, "type": "number"}"#, r#"{"type":"integer","const":1}"#);
    for schema in [r#"{"anyOf": [{"type": "null"}, {"type": "string"}]}"#, r#"{"type": ["null", "string"]}"#] {
        check_request(schema, r#"{"type":["string","null"]}"#);
    }
    let object = r#"{"type":"object","properties":{"b":{"description":"B","type":"number"},"a":true},"required":["b","a"],"additionalProperties":false}"#;
    check_request(
        r#"{"additionalProperties": false, "required": ["a", "b"], "type": "object", "properties": {"b": {"type": "number", "description": "B"}, "a": true}}"#,
        object,
    );
    check_request(r#"{"type": "object", "required": []}"#, r#"{"type":"object"}"#);
}

#[test]
fn schemas_with_another_meaning_stay_as_they_are() {
    for schema in [
        // A value of two branches is invalid.
        r#"{"oneOf":[{"type":"string","const":"a"},{"type":"string","enum":["a","b"]}]}"#,
        r#"{"oneOf":[{"type":"integer"},{"type":"number"}]}"#,
        // A branch that has an annotation, too.
        r#"{"anyOf":[{"title":"A","type":"string","const":"a"},{"type":"string","const":"b"}]}"#,
        // The union is not the only assertion.
        r#"{"type":"string","anyOf":[{"type":"string","const":"a"},{"type":"integer","const":1}]}"#,
        r#"{"enum":["a",1]}"#,
        r#"{"type":"object","properties":{"anyOf":{"type":"array"},"required":{"type":"null"}}}"#,
    ] {
        check_request(schema, schema);
    }
}

#[test]
fn the_other_keys_and_the_order_are_those_of_the_document() {
    let text = r#"{"version": 1, "agent": "agent://shop", "capabilities": [
        {"name": "sell", "version": "1.0.0", "tags": ["b", "a"], "errors": [{"code": "NO_STOCK", "status": 409,
            "detailsSchema": {"anyOf": [{"const": 1}, {"const": 2}]}}]},
        {"name": "find", "timeoutMs": 5, "outputSchema": {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "array",
            "prefixItems": [{"type": "string"}]}},
        {"name": "sell", "version": "2.0.0", "sideEffects": "external"}]}"#;
    let ManifestImport { imported, manifest } = import(text);
    assert!(!imported.has_errors(), "{:#?}", imported.findings);
    let manifest = Manifest { capabilities: imported.capabilities, ..manifest.unwrap() };
    assert_eq!(
        manifest.to_yaml(),
        r#"version: 1
agent: agent://shop
transports:
  - kind: memory
    topics:
      requests: agents.shop.requests
capabilities:
  - name: sell
    version: "1.0.0"
    tags: [b, a]
    errors:
      - code: NO_STOCK
        status: 409
        detailsSchema:
          type: integer
          enum: [1, 2]
  - name: find
    timeoutMs: 5
    outputSchema:
      type: array
      items:
        - type: string
  - name: sell
    version: "2.0.0"
    sideEffects: external
"#
    );
}

#[test]
fn all_errors_have_their_place_in_the_document() {
    let text = r##"{"version": 1, "agent": "shop", "colour": "red", "accepted": [], "capabilities": [
        {"name": "find", "timeoutMs": 0, "inputSchema": {"type": "strin"}, "errors": [{"code": "NO", "detailsSchema": {"items": {"$dynamicRef": "#x"}}}]},
        {"name": "a/b", "outputSchema": {"properties": {"x": {"type": 1}}}}, {"inputSchema": {"type": "nul"}}, 5]}"##;
    let expected = [
        ("E0205", "/agent"),
        ("E0201", "/colour"),
        ("E0212", "/capabilities/0/timeoutMs"),
        ("E0207", "/capabilities/1/name"),
        ("E0202", "/capabilities/2"),
        ("E0203", "/capabilities/3"),
        ("E0901", "/accepted"),
        ("E0105", "/capabilities/0/inputSchema/type"),
        ("E0107", "/capabilities/0/errors/0/detailsSchema/items/$dynamicRef"),
        ("E0102", "/capabilities/1/outputSchema/properties/x/type"),
        ("E0105", "/capabilities/2/inputSchema/type"),
    ];
    check_codes(text, &expected);
    let findings = import(text).imported.findings;
    assert_eq!(findings[7].place, "capability `find`, inputSchema, /type");
    assert_eq!(findings[2].place, "capability `find`");
}

#[test]
fn documents_of_another_form_are_errors() {
    for text in ["1", "[]", "{}", r#"{"version": 1, "agent": "agent://x", "capabilities": {}}"#] {
        let ManifestImport { imported, manifest } = import(text);
        assert!(imported.has_document_errors() && manifest.is_none(), "{text}: {imported:?}");
    }
    let twice = r#"{"version": 1, "agent": "agent://x", "capabilities": [{"name": "a"}, {"name": "a"}]}"#;
    assert!(import(twice).imported.has_errors());
}

#[test]
fn capabilities_whose_schemas_have_errors_can_be_left_out() {
    let text = r#"{"version": 1, "agent": "agent://x", "capabilities": [{"name": "b"}, {"name": "a", "inputSchema": {"type": "nul"}}, {"name": "c"}]}"#;
    let imported = import(text).imported;
    assert!(imported.has_errors() && !imported.has_document_errors());
    let names: Vec<_> = imported.capabilities.iter().map(|capability| capability.name.as_str()).collect();
    assert_eq!(
        (names.as_slice(), imported.rejected.as_slice(), imported.entries),
        (&["b", "c"][..], &["a".to_owned()][..], 3)
    );
    let nothing = import(&with_request("false")).imported;
    assert!(nothing.has_errors(), "no value is a request: {nothing:?}");
}
