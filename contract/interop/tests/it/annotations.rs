//! Annotations in exports, and back: `x-format` becomes `format`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_interop::import::{self, Document, ImportSettings, Imported};
use capgen_interop::{McpOptions, json_schema, mcp, openapi, pretty};
use capgen_manifest::{Manifest, Source, load};
use capgen_schema::Json;

const CONTRACT: &str = r#"
version: 1
agent: agent://links
transports: [{ kind: memory, topics: { requests: links } }]
capabilities:
  - name: follow
    inputSchema:
      type: object
      required: [id]
      properties:
        id: { type: string, readOnly: true, deprecated: true }
        link: { type: string, x-format: url }
        at: { type: string, x-format: time }
        names: { type: object, propertyNames: { maxLength: 9, x-format: slug } }
"#;

fn contract() -> Manifest {
    load(&Source::new("capabilities.yaml", CONTRACT)).unwrap().manifest
}

fn document(json: &Json) -> Document {
    Document::parse_json(&Source::new("a.json", pretty(json))).unwrap()
}

fn definition(imported: Imported) -> String {
    assert_eq!(imported.findings, []);
    let contract = contract();
    let imported = imported.into_manifest(contract.agent.clone(), contract.transports.clone());
    imported.capability("follow").unwrap().input.as_ref().unwrap().source().canonical()
}

#[test]
fn unchecked_formats_are_formats_in_exports_and_come_back() {
    let contract = contract();
    let expected = contract.capability("follow").unwrap().input.as_ref().unwrap().source().canonical();
    let settings = ImportSettings::default();

    let tools = mcp(&contract, McpOptions::default()).document;
    let read = |pointer: &str| tools.pointer(pointer).and_then(Json::as_str).map(str::to_owned);
    let schema = "/tools/0/inputSchema/properties";
    assert_eq!(read(&format!("{schema}/link/format")).as_deref(), Some("url"));
    assert_eq!(read(&format!("{schema}/names/propertyNames/format")).as_deref(), Some("slug"));
    // A validator could check this one.
    assert_eq!(read(&format!("{schema}/at/x-format")).as_deref(), Some("time"));
    assert_eq!(definition(import::mcp::tools(&document(&tools), settings).imported), expected);

    let exported = openapi(&contract);
    let lost = "follow, request, /properties/id: `readOnly`: in OpenAPI, the property is not required in a request";
    assert!(exported.losses.iter().any(|loss| loss.to_string() == lost), "{:?}", exported.losses);
    let operations = exported.document;
    assert!(operations.canonical().contains(r#""format":"url""#));
    assert_eq!(definition(import::openapi::operations(&document(&operations), settings).imported), expected);

    let files = json_schema(&contract);
    assert!(files["follow.request.schema.json"].canonical().contains(r#""format":"url""#));
    let files = files.iter().map(|(name, json)| (name.clone(), document(json))).collect();
    let imported =
        import::json_schema::schemas(&Document::of_files(files), settings, &import::json_schema::Naming::default())
            .imported;
    let dialect = r#""$schema":"http://json-schema.org/draft-07/schema#","#;
    assert_eq!(definition(imported).replace(dialect, ""), expected);
}

#[test]
fn a_restore_list_cannot_remove_a_checked_format() {
    let contract = contract();
    let tools = pretty(&mcp(&contract, McpOptions::default()).document).replace("\"url\"", "\"uuid\"");
    let tools: Json = tools.parse().unwrap();
    let imported = import::mcp::tools(&document(&tools), ImportSettings::default()).imported;
    assert!(definition(imported).contains(r#""link":{"format":"uuid""#));
}

#[test]
fn the_marks_of_other_documents_make_properties_optional() {
    let text = r#"{"openapi": "3.1.0", "info": {"title": "a", "version": "1"}, "paths": {"/a": {"post": {"operationId": "a",
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object",
            "required": ["id"], "properties": {"id": {"type": "string", "readOnly": true}}}}}},
        "responses": {"204": {"description": "none"}}}}}}"#;
    let imported = import::openapi::operations(&document(&text.parse().unwrap()), ImportSettings::default()).imported;
    let source = imported.capabilities[0].input.as_ref().unwrap().source().canonical();
    assert_eq!(source, r#"{"properties":{"id":{"readOnly":true,"type":"string"}},"type":"object"}"#);
}
