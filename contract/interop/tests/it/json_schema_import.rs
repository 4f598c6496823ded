//! Importing files of JSON Schema.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_interop::import::json_schema::{Schemas, schemas};
use capgen_interop::import::{Document, ImportSettings};
use capgen_interop::{json_schema, pretty};
use capgen_manifest::{Source, load};

fn import(files: &[(&str, &str)]) -> Schemas {
    let file =
        |(path, text): &(&str, &str)| ((*path).to_owned(), Document::parse_json(&Source::new(*path, *text)).unwrap());
    let document = Document::of_files(files.iter().map(file).collect());
    let found = schemas(&document, ImportSettings::default());
    for finding in document.with_places(&found.imported.findings) {
        assert!(finding.labels.iter().all(|label| files.iter().any(|(path, _)| *path == label.source.path())));
    }
    found
}

fn codes(files: &[(&str, &str)]) -> Vec<(String, String)> {
    let findings = import(files).imported.findings;
    findings.into_iter().map(|finding| (finding.code.as_str().to_owned(), finding.pointer)).collect()
}

#[test]
fn the_name_of_a_file_decides_its_part() {
    let files = [
        ("a/find.request.schema.json", r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "string"}"#),
        ("a/find.response.json", "true"),
        ("b/put it.schema.json", r##"{"$defs": {"D": {"type": "null"}}, "$ref": "#/$defs/D"}"##),
        ("list.json", "{}"),
    ];
    let imported = import(&files).imported;
    assert_eq!(imported.findings, []);
    let found: Vec<_> = imported
        .capabilities
        .iter()
        .map(|c| {
            let schema = |side| c.schema(side).map(|schema| schema.source().canonical());
            let [request, response] = capgen_manifest::Side::ALL.map(schema);
            (c.name.as_str(), c.wire_name.as_deref(), request, response)
        })
        .collect();
    let text = |text: &str| Some(text.to_owned());
    let put = r##"{"$ref":"#/definitions/D","definitions":{"D":{"type":"null"}}}"##;
    assert_eq!(
        found,
        [
            ("find", None, text(r#"{"type":"string"}"#), text("true")),
            ("list", None, text("{}"), None),
            ("put_it", Some("put it"), text(put), None),
        ]
    );
}

#[test]
fn files_that_do_not_fit_together_are_errors() {
    let error = |code: &str, pointer: &str| vec![(code.to_owned(), pointer.to_owned())];
    assert_eq!(codes(&[("a.json", "{}"), ("x/a.request.json", "{}")]), error("E0903", "/x~1a.request.json"));
    assert_eq!(codes(&[(".json", "{}")]), error("E0902", "/.json"));
    assert_eq!(codes(&[("a.json", r#"{"widget": 1}"#)]), error("E0107", "/a.json/widget"));
    assert_eq!(codes(&[("contract.json", "{}")]), error("E0901", "/contract.json"));
    let contract = r#"{"capgenContract": 1, "capabilities": [{"name": "a", "inputSchema": {"file": "../a.json"}},
        {"name": "b", "version": "1"}, {"name": "../c"}, 3]}"#;
    let found = codes(&[("x/contract.json", contract), ("a.json", "{}")]);
    let at = |rest: &str| format!("/x~1contract.json/capabilities/{rest}");
    let expected = [("E0901", at("0/inputSchema")), ("E0904", at("1/version")), ("E0902", at("2")), ("E0902", at("3"))];
    assert_eq!(found, expected.map(|(code, pointer)| (code.to_owned(), pointer)));
}

#[test]
fn an_exported_folder_is_imported_with_the_same_hash() {
    let text = r##"
version: 1
agent: agent://shop
transports: [{ kind: memory, topics: { requests: shop } }]
capabilities:
  - { name: find, version: 1.0.0, wireName: "GET /find", tags: [a], inputSchema: { type: string, allOf: [{ minLength: 1 }] } }
  - { name: FIND, inputSchema: { $schema: "http://json-schema.org/draft-07/schema#", $id: "https://example.org/a" }, outputSchema: true }
  - { name: any }
"##;
    let manifest = load(&Source::new("capabilities.yaml", text)).unwrap().manifest;
    let files: Vec<_> = json_schema(&manifest).iter().map(|(name, json)| (format!("x/{name}"), pretty(json))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let Schemas { imported, agent } = import(&files);
    assert_eq!(imported.findings, []);
    let again = imported.into_manifest(agent.unwrap(), manifest.transports.clone());
    assert_eq!((again.hash(), &again.agent), (manifest.hash(), &manifest.agent));
    assert_eq!(again.capability("find").unwrap().wire_name.as_deref(), Some("GET /find"));
}
