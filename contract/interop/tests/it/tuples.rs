//! Tuples in exports, and back.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_interop::import::{Document, ImportSettings, mcp as mcp_import, openapi as openapi_import};
use capgen_interop::{McpOptions, mcp, openapi};
use capgen_manifest::{Manifest, Side, Source, load};
use capgen_schema::Json;

const TUPLE: &str = r#"{"type": "object", "properties": {"at": {"type": "array", "minItems": 2, "additionalItems": {"type": "integer"},
    "items": [{"type": "string"}, {"type": "object", "properties": {"x": {"items": [{}, {"type": "null"}], "additionalItems": false}}}]}}}"#;

fn manifest() -> Manifest {
    let text = format!(
        "version: 1\nagent: agent://shop\ntransports: [{{ kind: memory, topics: {{ requests: shop }} }}]\n\
         capabilities:\n  - name: find\n    inputSchema: {}\n",
        TUPLE.replace('\n', " ")
    );
    load(&Source::new("capabilities.yaml", text)).unwrap().manifest
}

fn at<'j>(document: &'j Json, pointer: &str) -> &'j Json {
    document.pointer(pointer).unwrap_or(&Json::Null)
}

#[test]
fn tuples_have_the_keywords_of_draft_2020_12_in_mcp_and_openapi() {
    let (tools, operations) = (mcp(&manifest(), McpOptions::default()).document, openapi(&manifest()).document);
    let body = "/paths/~1capabilities~1find/post/requestBody/content/application~1json/schema";
    for (document, schema) in [(&tools, "/tools/0/inputSchema"), (&operations, body)] {
        let tuple = at(document, &format!("{schema}/properties/at"));
        assert_eq!(at(tuple, "/prefixItems").as_array().map(<[Json]>::len), Some(2), "{tuple:?}");
        assert_eq!(at(tuple, "/items/type").as_str(), Some("integer"));
        assert_eq!(at(tuple, "/prefixItems/1/properties/x/items"), &Json::Bool(false));
        assert_eq!(tuple.get("additionalItems"), None);
    }
    let text = |document: &Json| Document::parse_json(&Source::new("d.json", document.canonical())).unwrap();
    let settings = ImportSettings::default;
    let imports = [
        mcp_import::tools(&text(&tools), settings()).imported,
        openapi_import::operations(&text(&operations), settings()).imported,
    ];
    for imported in imports {
        assert!(imported.findings.is_empty(), "{:?}", imported.findings);
        let schema = imported.capabilities[0].schema(Side::Request).unwrap();
        assert_eq!(schema.canonical(), manifest().capabilities[0].schema(Side::Request).unwrap().canonical());
    }
}

#[test]
fn prefix_items_of_another_draft_are_ignored_with_a_note() {
    let tools = r#"[{"name": "a", "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
        "properties": {"p": {"prefixItems": [{"type": "string"}, {"type": "null"}]}}}}]"#;
    let document = Document::parse_json(&Source::new("tools.json", tools)).unwrap();
    let imported = mcp_import::tools(&document, ImportSettings::default()).imported;
    let found: Vec<&str> = imported.findings.iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(found, ["N0902"]);
    let schema = imported.capabilities[0].schema(Side::Request).unwrap();
    assert_eq!(schema.source().pointer("/properties/p"), Some(&"{}".parse().unwrap()));
}

#[test]
fn strict_forms_accept_any_items_and_report_the_loss() {
    let options = McpOptions { strict_clients: true, ..McpOptions::default() };
    let export = mcp(&manifest(), options);
    let tuple = at(&export.document, "/tools/0/inputSchema/properties/at");
    assert_eq!(at(tuple, "/items"), &"{}".parse().unwrap(), "{tuple:?}");
    assert!(export.losses.iter().any(|loss| loss.pointer == "/properties/at/items"), "{:?}", export.losses);
}
