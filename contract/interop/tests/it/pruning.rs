//! Manifests of imports have no definitions that nothing reaches, and no warnings about style.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_interop::import::{Document, ImportSettings, Imported, json_schema, mcp, openapi};
use capgen_manifest::{AgentId, Source, TransportSettings, load};

fn document(text: &str) -> Document {
    Document::parse(&Source::new("a.json", text)).unwrap()
}

/// The text of the manifest of an import, which has definitions that are used and no warnings.
#[track_caller]
fn written(imported: Imported) -> String {
    assert!(!imported.has_errors(), "{:#?}", imported.findings);
    let manifest = imported.into_manifest(AgentId::new("shop").unwrap(), vec![TransportSettings::memory("shop")]);
    let text = manifest.to_yaml();
    assert!(text.contains("Used:") && text.contains("Inner:"), "{text}");
    assert!(!text.contains("Lost") && !text.contains("Below"), "{text}");
    let contract = load(&Source::new("capabilities.yaml", text.as_str())).unwrap();
    assert!(contract.warnings.is_empty(), "{:#?}", contract.warnings);
    text
}

const DEFINITIONS: &str = r##""Used":{"type":"object","properties":{"a":{"$ref":"#/definitions/Inner"}}},"Inner":{"type":"string"},"Lost":{"$ref":"#/definitions/Below"},"Below":{"type":"integer"}"##;

#[test]
fn unused_definitions_of_json_schema_are_left_out() {
    for keyword in ["definitions", "$defs"] {
        let text = format!(r##"{{"$ref":"#/definitions/Used","definitions":{{{DEFINITIONS}}}}}"##);
        let text = text.replace("definitions", keyword);
        let files = Document::of_files(vec![("find.request.schema.json".to_owned(), document(&text))]);
        written(json_schema::schemas(&files, ImportSettings::default(), &json_schema::Naming::default()).imported);
    }
}

#[test]
fn unused_definitions_of_tools_in_the_form_of_model_providers_are_left_out() {
    for (keyword, key) in [("definitions", "input_schema"), ("$defs", "input_schema")] {
        let schema = format!(
            r##"{{"type":"object","properties":{{"a":{{"$ref":"#/definitions/Used"}}}},"definitions":{{{DEFINITIONS}}}}}"##
        );
        let schema = schema.replace("definitions", keyword);
        let text = format!(r#"{{"tools":[{{"name":"find","{key}":{schema}}}]}}"#);
        written(mcp::tools(&document(&text), ImportSettings::default()).imported);
    }
}

#[test]
fn unused_components_of_openapi_are_left_out() {
    let text = format!(
        r##"{{"openapi":"3.1.0","info":{{"title":"a","version":"1"}},"components":{{"schemas":{{{DEFINITIONS}}}}},"paths":{{"/a":{{"post":{{
        "requestBody":{{"required":true,"content":{{"application/json":{{"schema":{{"$ref":"#/definitions/Used"}}}}}}}},
        "responses":{{"204":{{"description":"a"}}}}}}}}}}}}"##
    );
    let text = text.replace("#/definitions/", "#/components/schemas/");
    written(openapi::operations(&document(&text), ImportSettings::default()).imported);
}
