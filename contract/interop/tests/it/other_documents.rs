//! Documents of another format than the expected one: the message names the command that reads them.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use capgen_interop::import::{Document, ImportFinding, ImportSettings, Imported, a2a, json_schema, mcp, openapi};
use capgen_manifest::Source;

fn document(text: &str) -> Document {
    Document::parse_json(&Source::new("a.json", text)).unwrap()
}

fn only(imported: Imported) -> ImportFinding {
    let [found] = imported.findings.as_slice() else { panic!("{:#?}", imported.findings) };
    assert!(found.code.as_str() == "E0901" && imported.capabilities.is_empty() && imported.has_errors());
    found.clone()
}

#[test]
fn the_command_for_a_document_is_named() {
    let settings = ImportSettings::default();
    type Import<'i> = &'i dyn Fn(Document) -> Imported;
    let imports: [(&str, &str, Import<'_>); 4] = [
        ("mcp", "a list of MCP tools", &|document| mcp::tools(&document, settings).imported),
        ("openapi", "an OpenAPI document", &|document| openapi::operations(&document, settings).imported),
        ("a2a", "an A2A agent card", &|document| a2a::skills(&document, settings).imported),
        ("json-schema", "a JSON Schema", &|document| {
            let files = Document::of_files(vec![("a.json".to_owned(), document)]);
            json_schema::schemas(&files, settings, &json_schema::Naming::default()).imported
        }),
    ];
    let documents = [
        ("mcp", r#"{"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}"#),
        ("openapi", r#"{"openapi": "3.1.0", "info": {"title": "a"}, "paths": {}}"#),
        ("openapi", r#"{"swagger": "2.0", "paths": {}, "definitions": {}}"#),
        ("a2a", r#"{"name": "a", "protocolVersion": "0.3.0", "capabilities": {}, "skills": [{"id": "a"}]}"#),
        ("json-schema", r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "string"}"#),
        ("json-schema", r#"{"type": "object", "properties": {}}"#),
    ];
    for (actual, text) in documents {
        for (expected, expected_name, import) in &imports {
            if actual == *expected {
                continue;
            }
            let found = only(import(document(text)));
            let (_, name, _) = imports.iter().find(|(command, ..)| *command == actual).unwrap();
            assert_eq!(found.message, format!("the document is {name}, not {expected_name}"));
            assert_eq!(found.help.unwrap(), format!("use `capgen import {actual}`"));
        }
    }
}

#[test]
fn an_error_of_the_server_is_shown() {
    let message = |error: &str| {
        let text = format!(r#"{{"jsonrpc": "2.0", "id": 1, "error": {error}}}"#);
        only(mcp::tools(&document(&text), ImportSettings::default()).imported).message
    };
    let start = "the response is an error of the server";
    assert_eq!(
        message(r#"{"code": -32601, "message": "Method not found"}"#),
        format!("{start} -32601: Method not found")
    );
    let hostile = message(r#"{"code": -32601, "message": "a\u001b[2J\nb\u202e"}"#);
    assert_eq!(hostile, format!("{start} -32601: a\\u{{1b}}[2J\\nb\\u{{202e}}"));
    assert_eq!(message("{}"), start);
    assert_eq!(message(r#"{"code": "x", "message": 3}"#), start);
    assert!(message(&format!(r#"{{"message": "{}"}}"#, "x".repeat(10_000))).chars().count() < 400);
}
