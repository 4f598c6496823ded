//! `if`, `then`, `else` and `contains` in exports, and back.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_interop::import::{Document, ImportSettings, mcp as mcp_import, openapi as openapi_import};
use capgen_interop::{McpOptions, OpenAiOptions, mcp, openai, openapi};
use capgen_manifest::{Manifest, Side, Source, load};
use capgen_schema::pointer;

const SCHEMA: &str = r##"{"type": "object", "properties": {"method": {"type": "string"}, "tags": {"type": "array",
    "items": {"type": "string"}, "contains": {"$ref": "#/definitions/Tag"}}}, "required": ["method", "tags"],
    "if": {"properties": {"method": {"const": "card"}}}, "then": {"required": ["number"]},
    "else": {"properties": {"account": {"$ref": "#/definitions/Tag"}}}, "definitions": {"Tag": {"type": "string", "minLength": 2}}}"##;

fn manifest() -> Manifest {
    let text = format!(
        "version: 1\nagent: agent://shop\ntransports: [{{ kind: memory, topics: {{ requests: shop }} }}]\n\
         capabilities:\n  - name: pay\n    inputSchema: {}\n",
        SCHEMA.replace('\n', " ")
    );
    load(&Source::new("capabilities.yaml", text)).unwrap().manifest
}

#[test]
fn conditions_and_contained_items_are_exported_and_imported() {
    let documents = [mcp(&manifest(), McpOptions::default()).document, openapi(&manifest()).document];
    let [tools, operations] =
        documents.map(|document| Document::parse_json(&Source::new("d.json", document.canonical())).unwrap());
    for imported in [
        mcp_import::tools(&tools, ImportSettings::default()).imported,
        openapi_import::operations(&operations, ImportSettings::default()).imported,
    ] {
        assert!(imported.findings.is_empty(), "{:?}", imported.findings);
        let schema = imported.capabilities[0].schema(Side::Request).unwrap();
        assert_eq!(schema.canonical(), manifest().capabilities[0].schema(Side::Request).unwrap().canonical());
    }
}

#[test]
fn strict_forms_leave_them_out_and_report_the_losses() {
    let clients = mcp(&manifest(), McpOptions { strict_clients: true, ..McpOptions::default() });
    for (document, losses) in [(clients.document.pointer("/tools/0/inputSchema").unwrap().clone(), clients.losses), {
        let export = openai(&manifest(), OpenAiOptions::default());
        (export.document, export.losses)
    }] {
        let found: Vec<&str> = losses.iter().map(|loss| loss.pointer.as_str()).collect();
        for lost in ["/if", "/properties/tags/contains"] {
            assert!(found.iter().any(|at| at.ends_with(lost)), "{lost}: {found:?}");
        }
        let mut open = vec![(String::new(), &document)];
        while let Some((at, value)) = open.pop() {
            for (key, value) in value.as_object().into_iter().flatten() {
                assert!(!["if", "then", "else", "contains"].contains(&key.as_str()), "{at}/{key}: {document:?}");
                open.push((pointer::join(&at, key), value));
            }
            open.extend(value.as_array().into_iter().flatten().map(|item| (at.clone(), item)));
        }
    }
}
