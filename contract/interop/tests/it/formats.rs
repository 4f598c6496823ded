//! Formats of an import as assertions or annotations.

use capgen_interop::import::json_schema::{Naming, schemas};
use capgen_interop::import::{AnnotatedFormats, Document, ImportSettings, Imported, mcp, openapi};
use capgen_manifest::{Manifest, Source, load};

const MODERN: &str = "https://json-schema.org/draft/2020-12/schema";

fn import(text: &str, annotated_formats: AnnotatedFormats) -> Imported {
    let file = Document::parse_json(&Source::new("t.json", text)).unwrap();
    let document = Document::of_files(vec![("t.json".to_owned(), file)]);
    let settings = ImportSettings { annotated_formats, ..ImportSettings::default() };
    schemas(&document, settings, &Naming::default()).imported
}

fn notes(imported: &Imported) -> Vec<(&str, &str)> {
    imported.findings.iter().map(|finding| (finding.code.as_str(), finding.pointer.as_str())).collect()
}

#[test]
fn a_checked_format_is_noted_once_if_the_draft_makes_it_an_annotation() {
    let schema = r#""properties": {"a": {"format": "date-time"}, "b": {"type": "integer", "format": "int32"}}"#;
    let modern = import(&format!(r#"{{"$schema": "{MODERN}", {schema}}}"#), AnnotatedFormats::default());
    assert_eq!(notes(&modern), [("N0905", "/t.json/properties/a/format")]);
    let finding = &modern.findings[0];
    assert!(finding.place.ends_with(", and 1 other place") && finding.help.as_ref().unwrap().contains("--formats"));
    assert_eq!(notes(&import(&format!(r#"{{"$defs": {{}}, {schema}}}"#), AnnotatedFormats::default())).len(), 1);
    for other in ["", r#""$schema": "http://json-schema.org/draft-07/schema#", "#] {
        assert_eq!(notes(&import(&format!("{{{other}{schema}}}"), AnnotatedFormats::default())), []);
    }
    let openapi = |version: &str| {
        let text = format!(
            "openapi: {version}\ninfo: {{ title: a, version: '1' }}\npaths: {{ /a: {{ get: {{ responses: {{ '200': {{ description: a, content: {{
                application/json: {{ schema: {{ type: string, format: date }} }} }} }} }} }} }} }}\n"
        );
        let document = Document::parse(&Source::new("openapi.yaml", text)).unwrap();
        openapi::operations(&document, ImportSettings::default()).imported.findings.len()
    };
    assert_eq!((openapi("3.0.3"), openapi("3.1.0")), (0, 1));
}

#[test]
fn formats_are_annotations_on_request() {
    let schema = format!(
        r#"{{"$schema": "{MODERN}", "properties": {{"a": {{"type": "string", "format": "date-time"}}, "b": {{"type": "integer", "format": "int32"}},
            "c": {{"type": "string", "format": "uuid"}}}}}}"#
    );
    let all = import(&schema, AnnotatedFormats::all());
    assert_eq!(notes(&all), []);
    let source = |imported: &Imported| imported.capabilities[0].input.as_ref().unwrap().source().canonical();
    let expected = r#"{"properties":{"a":{"type":"string","x-format":"date-time"},"b":{"type":"integer","x-format":"int32"},"c":{"type":"string","x-format":"uuid"}}}"#;
    assert_eq!(source(&all), expected);
    let some = import(&schema, AnnotatedFormats::named(["date-time"]).unwrap());
    let text = source(&some);
    assert!(text.contains(r#""x-format":"date-time""#) && text.contains(r#""format":"uuid""#), "{text}");
    assert!(text.contains("2147483647"), "{text}");
}

#[test]
fn formats_of_contracts_are_assertions_without_a_note() {
    let text = "version: 1\nagent: agent://a\ntransports: [{ kind: memory, topics: { requests: a } }]\n\
        capabilities:\n  - { name: t, version: 1.2.0, inputSchema: { type: object, properties: { at: { type: string, format: date } } } }\n";
    let manifest: Manifest = load(&Source::new("capabilities.yaml", text)).unwrap().manifest;
    let tools = capgen_interop::pretty(&capgen_interop::mcp(&manifest, capgen_interop::McpOptions::default()).document);
    let with_version = tools.replacen('{', r#"{"protocolVersion": "2025-11-25", "#, 1);
    let document = Document::parse_json(&Source::new("tools.json", with_version)).unwrap();
    let imported = mcp::tools(&document, ImportSettings::default()).imported;
    assert_eq!((imported.findings.len(), imported.capabilities.len()), (0, 1), "{:?}", imported.findings);
}
