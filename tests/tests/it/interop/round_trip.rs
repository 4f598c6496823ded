//! An export that is imported again has the hash of the contract.

use capgen_interop::import::{self, Document, ImportSettings, Imported};
use capgen_interop::{McpOptions, ToolSide, a2a, json_schema, mcp, openapi, pretty, tool_side};
use capgen_manifest::{Capability, Manifest, Side, Source};
use capgen_schema::{Json, Schema, pointer};

use crate::interop::contracts;

/// Whether a schema has a keyword anywhere.
fn has_keyword(schema: &Json, keyword: &str) -> bool {
    let Json::Object(members) = schema else { return false };
    members.iter().any(|(key, value)| match (key.as_str(), value) {
        (key, _) if key == keyword => true,
        ("properties" | "$defs" | "definitions", Json::Object(map)) => map.iter().any(|(_, s)| has_keyword(s, keyword)),
        ("items" | "additionalProperties" | "not", schema) => has_keyword(schema, keyword),
        ("oneOf" | "anyOf" | "allOf", Json::Array(list)) => list.iter().any(|s| has_keyword(s, keyword)),
        _ => false,
    })
}

#[test]
fn tools_have_the_schemas_of_the_contract() {
    for manifest in contracts::with_one_version() {
        let text = pretty(&mcp(&manifest, McpOptions::default()).document);
        let tools: Json = text.parse().unwrap();
        let tools = tools.get("tools").and_then(Json::as_array).unwrap();
        for (capability, tool) in manifest.capabilities.iter().zip(tools) {
            for side in Side::ALL {
                if let Some(schema) = tool.get(side.schema_key()) {
                    assert_eq!(schema.get("type").and_then(Json::as_str), Some("object"), "{text}");
                    for keyword in ["$schema", "$id", "definitions"] {
                        assert!(!has_keyword(schema, keyword), "{text}");
                    }
                }
                let read = match tool_side(tool, side) {
                    ToolSide::Loose => None,
                    ToolSide::Plain(schema) | ToolSide::Wrapped(schema) => Some(Schema::parse(&schema).unwrap()),
                };
                let hash = |schema: Option<&Schema>| schema.map(Schema::canonical);
                assert_eq!(hash(read.as_ref()), hash(capability.schema(side)), "{text}");
            }
        }
    }
}

/// Checks that an import of an export has every key of the contract, except for the names on the wire, which are those
/// of the export.
fn assert_same(manifest: &Manifest, imported: Imported, text: &str) {
    // Without keys of a contract, nothing shows that the author meant its formats as assertions.
    let other: Vec<_> = imported.findings.iter().filter(|finding| finding.code.as_str() != "N0905").collect();
    assert!(other.is_empty(), "{other:?} {text}");
    let imported = imported.into_manifest(manifest.agent.clone(), manifest.transports.clone());
    for (capability, label) in manifest.capabilities.iter().zip(manifest.labels()) {
        let again = imported.capability(&label);
        let again = again.unwrap_or_else(|| panic!("no capability {}: {text}", capability.name));
        let expected = Capability { wire_name: again.wire_name.clone(), ..capability.clone() };
        assert_eq!(again.to_descriptor(None), expected.to_descriptor(None), "{text}");
    }
    assert_eq!(imported.hash(), manifest.hash());
}

fn document(text: &str) -> Document {
    Document::parse_json(&Source::new("export.json", text)).unwrap()
}

#[test]
fn tools_are_imported_as_they_were() {
    for manifest in contracts::with_one_version() {
        let text = pretty(&mcp(&manifest, McpOptions::default()).document);
        assert_same(&manifest, import::mcp::tools(&document(&text), ImportSettings::default()).imported, &text);
    }
}

#[test]
fn tools_of_all_versions_are_imported_as_they_were() {
    let several: Vec<_> = (contracts::all().into_iter())
        .filter(|manifest| manifest.labels().iter().any(|label| label.contains('@')))
        .collect();
    assert!(!several.is_empty());
    for manifest in several {
        let options = McpOptions { all_versions: true, ..McpOptions::default() };
        let export = mcp(&manifest, options);
        assert_eq!(export.losses, []);
        let text = pretty(&export.document);
        assert_same(&manifest, import::mcp::tools(&document(&text), ImportSettings::default()).imported, &text);
    }
}

#[test]
fn tools_are_versions_of_one_capability_if_their_versions_differ() {
    let tool = |name: &str, version: &str| {
        let mark = format!(r#"{{"io.github.capgen/contract": {{"name": "book", "version": "{version}"}}}}"#);
        format!(r#"{{"name": "{name}", "inputSchema": {{"type": "object"}}, "_meta": {mark}}}"#)
    };
    let names = |one: &str, other: &str| {
        let text = format!(r#"{{"tools": [{}, {}]}}"#, tool("book-a", one), tool("book-b", other));
        let imported = import::mcp::tools(&document(&text), ImportSettings::default()).imported;
        let names = |capability: Capability| (capability.name, capability.wire_name.unwrap());
        imported.capabilities.into_iter().map(names).collect::<Vec<_>>()
    };
    let named = |name: &str, tool: &str| (name.to_owned(), tool.to_owned());
    assert_eq!(names("1.0.0", "2.0.0"), [named("book", "book-b"), named("book", "book-a")]);
    let equal = names("1.0.0", "1.0.0");
    assert!(equal[0].0 != equal[1].0 && equal.iter().all(|(name, _)| name.starts_with("book_")), "{equal:?}");
}

#[test]
fn operations_are_imported_as_they_were() {
    for manifest in contracts::with_one_version() {
        let text = pretty(&openapi(&manifest).document);
        let operations = import::openapi::operations(&document(&text), ImportSettings::default());
        assert_eq!(operations.title.as_deref(), Some(manifest.agent.as_str()));
        assert_same(&manifest, operations.imported, &text);
    }
}

#[test]
fn skills_are_imported_as_they_were() {
    for manifest in contracts::with_one_version() {
        let text = pretty(&a2a(&manifest, "https://example.com/a2a").document);
        let skills = import::a2a::skills(&document(&text), ImportSettings::default());
        assert_eq!(skills.agent.as_deref(), Some(manifest.agent.as_str()));
        assert_same(&manifest, skills.imported, &text);
    }
}

#[test]
fn folders_of_schemas_are_imported_as_they_were() {
    for manifest in contracts::all() {
        let files = json_schema(&manifest);
        let files: Vec<(String, Document)> =
            files.iter().map(|(name, json)| (name.clone(), document(&pretty(json)))).collect();
        let text = format!("{:?}", files.iter().map(|(name, _)| name).collect::<Vec<_>>());
        let schemas = import::json_schema::schemas(
            &Document::of_files(files),
            ImportSettings::default(),
            &import::json_schema::Naming::default(),
        );
        assert_eq!(schemas.agent.as_ref(), Some(&manifest.agent));
        assert_same(&manifest, schemas.imported, &text);
    }
}

#[test]
fn names_of_tools_are_unique_and_valid() {
    let document = mcp(&contracts::odd(), McpOptions::default()).document;
    let mut names: Vec<&str> = document
        .get("tools")
        .and_then(Json::as_array)
        .unwrap()
        .iter()
        .map(|tool| tool.get("name").and_then(Json::as_str).unwrap())
        .collect();
    assert!(names.contains(&"list_things.v2") && names.contains(&"not-a-tool") && names.contains(&"twice-a"));
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn a_restore_list_hides_no_assertion() {
    let at = |list: &str| {
        let text = format!(
            r##"{{"name": "t", "inputSchema": {{"type": "object", "properties": {{"a": {{"type": "string"}}, "b": {{"$ref": "#/$defs/N"}}}},
            "$defs": {{"N": {{"type": "null"}}, "M": true}}}},
            "_meta": {{"io.github.capgen/contract": {{"restore": {{"request": {list}}}}}}}}}"##
        );
        let ToolSide::Plain(schema) = tool_side(&text.parse().unwrap(), Side::Request) else { panic!("wrapped") };
        schema
    };
    let plain = at("{}");
    for list in [
        r#"{"/properties/a": true}"#,
        r#"{"/properties/a": {"type": null, "minLength": 9}}"#,
        r#"{"/properties/a": {"type": ["object", "string"]}}"#,
        r##"{"/properties/b": {"$ref": "#/definitions/M"}}"##,
        r#"{"": true, "/properties": false, "/nothing": {"$schema": 1}, "x": 7}"#,
    ] {
        assert_eq!(at(list), plain, "{list}");
    }
    assert_eq!(plain.pointer(&pointer::join("/properties/b", "$ref")).and_then(Json::as_str), Some("#/definitions/N"));
}
