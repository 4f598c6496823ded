//! Importing files of JSON Schema.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_interop::import::json_schema::{Naming, Schemas, schemas};
use capgen_interop::import::{Document, ImportSettings};
use capgen_interop::{json_schema, pretty};
use capgen_manifest::{Source, load};

fn import(files: &[(&str, &str)]) -> Schemas {
    import_with(files, &Naming::default())
}

fn import_with(files: &[(&str, &str)], naming: &Naming) -> Schemas {
    let file =
        |(path, text): &(&str, &str)| ((*path).to_owned(), Document::parse_json(&Source::new(*path, *text)).unwrap());
    let document = Document::of_files(files.iter().map(file).collect());
    let found = schemas(&document, ImportSettings::default(), naming);
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
    assert_eq!(codes(&[("a.json", r#"{"minLenght": 1}"#)]), error("E0107", "/a.json/minLenght"));
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
  - { name: pay, inputSchema: { items: { dependentRequired: { card: [address] } } } }
"##;
    let manifest = load(&Source::new("capabilities.yaml", text)).unwrap().manifest;
    let dependencies = json_schema(&manifest)["pay.request.schema.json"].pointer("/items/dependencies/card/0").cloned();
    assert_eq!(dependencies, Some("address".into()));
    let files: Vec<_> = json_schema(&manifest).iter().map(|(name, json)| (format!("x/{name}"), pretty(json))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let Schemas { imported, agent } = import(&files);
    assert_eq!(imported.findings, []);
    let again = imported.into_manifest(agent.unwrap(), manifest.transports.clone());
    assert_eq!((again.hash(), &again.agent), (manifest.hash(), &manifest.agent));
    assert_eq!(again.capability("find").unwrap().wire_name.as_deref(), Some("GET /find"));
}

#[test]
fn each_definition_can_be_a_capability() {
    let text = r##"{"$defs": {"Order": {"type": "object", "properties": {"at": {"$ref": "#/$defs/Time"}}}, "Time": {"type": "string"},
        "a/b %": {"type": "null"}}}"##;
    assert_eq!(codes(&[("models.json", text)]), [("E0931".to_owned(), "/models.json".to_owned())]);
    let naming = Naming { each: true, side: Some(capgen_manifest::Side::Response), ..Naming::default() };
    let imported = import_with(&[("models.json", text)], &naming).imported;
    assert_eq!(imported.findings, []);
    let found: Vec<_> = (imported.capabilities.iter())
        .map(|one| (one.name.as_str(), one.input.is_some(), one.output.as_ref().unwrap().source().canonical()))
        .collect();
    let order = r##"{"$ref":"#/definitions/Order","definitions":{"Order":{"properties":{"at":{"$ref":"#/definitions/Time"}},"type":"object"},"Time":{"type":"string"}}}"##;
    let time = r##"{"$ref":"#/definitions/Time","definitions":{"Time":{"type":"string"}}}"##;
    let null = r##"{"$ref":"#/definitions/a~1b%20%25","definitions":{"a/b %":{"type":"null"}}}"##;
    assert_eq!(found[0], ("Order", false, order.to_owned()));
    assert_eq!(found[1], ("Time", false, time.to_owned()));
    assert_eq!((found[2].0, found[2].2.as_str()), ("a_b", null));
    // A root that asserts something is a capability, too.
    let with_root = format!("{{\"type\": \"object\", {}", text.trim_start_matches('{'));
    assert_eq!(import_with(&[("models.json", &with_root)], &naming).imported.capabilities.len(), 4);
}

#[test]
fn options_name_the_capability_and_the_side() {
    let naming =
        Naming { capability: Some("find".to_owned()), side: Some(capgen_manifest::Side::Response), each: false };
    let imported = import_with(&[("<stdin>", "true")], &naming).imported;
    assert_eq!((imported.capabilities.len(), imported.findings.len()), (1, 0));
    let found = &imported.capabilities[0];
    assert!(found.name == "find" && found.input.is_none() && found.output.is_some());
    let twice = import_with(&[("a.json", "true"), ("b.json", "true")], &naming).imported;
    assert_eq!(twice.findings[0].code.as_str(), "E0903");
}

#[test]
fn a_collection_with_one_schema_is_that_schema() {
    let text = r##"{"version": "3.1", "components": {"schemas": {"Dog": {"type": "object", "properties": {"age": {"type": "integer"}}}}},
        "schemas": [{"type": "array", "items": {"$ref": "#/components/schemas/Dog"}, "minItems": 1}]}"##;
    let imported = import(&[("dogs.json", text)]).imported;
    assert_eq!(imported.findings, []);
    let expected = r##"{"definitions":{"Dog":{"properties":{"age":{"type":"integer"}},"type":"object"}},"items":{"$ref":"#/definitions/Dog"},"minItems":1,"type":"array"}"##;
    assert_eq!(imported.capabilities[0].input.as_ref().unwrap().source().canonical(), expected);
    let null = r#"{"version": "3.0", "components": {}, "schemas": [{"type": "string", "nullable": true}]}"#;
    let imported = import(&[("null.json", null)]).imported;
    assert_eq!(imported.findings, []);
    assert_eq!(imported.capabilities[0].input.as_ref().unwrap().source().canonical(), r#"{"type":["string","null"]}"#);
    let wrong = r##"{"version": "3.1", "components": {"schemas": {"A": {"type": "intger"}}}, "schemas": [{"items": {"$ref": "#/components/schemas/A"}, "minItms": 1}]}"##;
    let found = |code: &str, at: &str| (code.to_owned(), format!("/a.json{at}"));
    let expected = [found("E0105", "/components/schemas/A/type"), found("E0107", "/schemas/0/minItms")];
    assert_eq!(codes(&[("a.json", wrong)]), expected);
}

#[test]
fn components_are_definitions() {
    let several = r##"{"version": "3.1", "components": {"schemas": {"A": {"type": "null"}, "B": {"items": {"$ref": "#/components/schemas/A"}}}},
        "schemas": [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/B"}]}"##;
    let fragment = r#"{"components": {"schemas": {"A": {"type": "null"}, "B": true}}}"#;
    for text in [several, fragment] {
        assert_eq!(codes(&[("a.json", text)]), [("E0931".to_owned(), "/a.json".to_owned())]);
        let imported = import_with(&[("a.json", text)], &Naming { each: true, ..Naming::default() }).imported;
        let names: Vec<_> = imported.capabilities.iter().map(|one| one.name.as_str()).collect();
        assert_eq!((names, imported.findings.len()), (vec!["A", "B"], 0), "{:?}", imported.findings);
    }
    let none = r#"{"version": "3.1", "components": {}, "schemas": []}"#;
    assert_eq!(codes(&[("a.json", none)]), [("E0931".to_owned(), "/a.json".to_owned())]);
}
