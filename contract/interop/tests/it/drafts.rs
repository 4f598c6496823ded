//! Keywords that the draft of a schema does not have, or that have the form of another draft.

use capgen_interop::import::json_schema::{Naming, Schemas, schemas};
use capgen_interop::import::{Document, ImportSettings};
use capgen_manifest::{Source, load};
use capgen_schema::Schema;

const DRAFT_07: &str = "http://json-schema.org/draft-07/schema#";

fn import(keywords: &str, dialect: &str) -> Schemas {
    let text = format!(r#"{{"$schema": "{dialect}", "type": "object", {keywords}}}"#);
    let document = Document::parse_json(&Source::new("find.json", text)).unwrap();
    schemas(
        &Document::of_files(vec![("find.json".to_owned(), document)]),
        ImportSettings::default(),
        &Naming::default(),
    )
}

/// Checks the keywords of the request beside `type: object`, and the findings.
#[track_caller]
fn check(keywords: &str, dialect: &str, expected: &str, findings: &[(&str, &str)]) {
    let imported = import(keywords, dialect).imported;
    let found: Vec<_> = imported
        .findings
        .iter()
        .map(|finding| (finding.code.as_str(), finding.pointer.trim_start_matches("/find.json")))
        .collect();
    assert_eq!(found, findings, "{:#?}", imported.findings);
    let input = imported.capabilities[0].input.as_ref().unwrap();
    let comma = if expected.is_empty() { "" } else { ", " };
    let expected = Schema::parse_text(&format!(r#"{{"type": "object"{comma}{expected}}}"#)).unwrap();
    assert_eq!(input.canonical(), expected.canonical());
}

#[test]
fn a_keyword_that_the_draft_lacks_is_ignored_whatever_else_the_schema_has() {
    let keyword = r#""dependentRequired": {"a": ["b"]}"#;
    let [draft_06, draft_2019] =
        ["http://json-schema.org/draft-06/schema#", "https://json-schema.org/draft/2019-09/schema"];
    for dialect in [DRAFT_07, draft_06] {
        check(keyword, dialect, "", &[("N0902", "/dependentRequired")]);
        let beside = format!(r#"{keyword}, "$defs": {{"A": {{}}}}"#);
        check(&beside, dialect, "", &[("N0902", "/dependentRequired")]);
    }
    check(keyword, draft_2019, keyword, &[]);
    let condition = r#""if": {"required": ["a"]}, "then": {"required": ["b"]}"#;
    check(condition, draft_06, "", &[("N0902", "/if"), ("N0902", "/then")]);
    check(condition, DRAFT_07, condition, &[]);
}

#[test]
fn the_form_of_another_draft_is_read_with_a_warning() {
    check(
        r#""properties": {"n": {"minimum": 3, "exclusiveMinimum": true}}"#,
        DRAFT_07,
        r#""properties": {"n": {"exclusiveMinimum": 3}}"#,
        &[("W0907", "/properties/n/exclusiveMinimum")],
    );
    let tuple = r#""properties": {"t": {"items": [{"type": "integer"}], "additionalItems": false}}"#;
    let closed = r#""properties": {"t": {"items": {"type": "integer"}, "maxItems": 1}}"#;
    check(tuple, "https://json-schema.org/draft/2020-12/schema", closed, &[("W0907", "/properties/t/items")]);
}

/// The author of a contract wrote the keywords of the subset, whatever `$schema` its export has.
#[test]
fn an_export_of_a_contract_keeps_its_keywords() {
    let text = "version: 1\nagent: agent://shop\ntransports: [{ kind: memory, topics: { requests: shop } }]\ncapabilities: [{ name: find, inputSchema: { type: object, dependentRequired: { a: [b] } } }]\n";
    let contract = load(&Source::new("capabilities.yaml", text)).unwrap().manifest;
    for name in ["dependencies", "dependentRequired"] {
        let files = capgen_interop::json_schema(&contract).into_iter().map(|(path, file)| {
            let text = file.canonical().replace("dependencies", name);
            let document = Document::parse_json(&Source::new(&path, text)).unwrap();
            (path, document)
        });
        let found = schemas(&Document::of_files(files.collect()), ImportSettings::default(), &Naming::default());
        assert!(found.imported.findings.is_empty(), "{:#?}", found.imported.findings);
        let [imported, original] =
            [&found.imported.capabilities, &contract.capabilities].map(|all| all[0].input.clone());
        assert_eq!(imported.unwrap().canonical(), original.unwrap().canonical());
    }
}
