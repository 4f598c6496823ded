//! Importing files of JSON Schema that refer to each other.

use capgen_interop::import::json_schema::{Naming, Schemas, schemas};
use capgen_interop::import::{Document, ImportSettings, NotRead, with_files};
use capgen_manifest::Source;
use capgen_schema::Schema;

/// Imports the first files, which are in a folder with the others.
fn import_first(count: usize, files: &[(&str, &str)], naming: &Naming) -> (Document, Schemas) {
    let parse = |(path, text): &(&str, &str)| Document::parse_json(&Source::new(*path, *text)).unwrap();
    let read = |path: &str| {
        let found = files.iter().find(|(known, _)| *known == path).map(parse);
        Ok::<_, ()>(found.ok_or(NotRead::Missing))
    };
    let linked = |file: &(&str, &str)| (file.0.to_owned(), with_files(file.0, parse(file), read).unwrap());
    let document = Document::of_files(files.iter().take(count).map(linked).collect());
    let found = schemas(&document, ImportSettings::default(), naming);
    (document, found)
}

fn import(files: &[(&str, &str)]) -> Schemas {
    import_first(1, files, &Naming::default()).1
}

/// Checks the request of the first file.
#[track_caller]
fn check(files: &[(&str, &str)], expected: &str) {
    let imported = import(files).imported;
    let messages: Vec<_> = imported.findings.iter().map(|finding| (&finding.message, &finding.pointer)).collect();
    assert!(!imported.has_errors(), "{messages:?}");
    let input = imported.capabilities[0].input.as_ref().unwrap();
    let expected = Schema::parse_text(expected).unwrap();
    assert_eq!(input.canonical(), expected.canonical(), "{}", input.source());
}

#[track_caller]
fn check_codes(files: &[(&str, &str)], expected: &[(&str, &str)]) {
    let findings = import(files).imported.findings;
    let found: Vec<_> = findings.iter().map(|finding| (finding.code.as_str(), finding.pointer.as_str())).collect();
    assert_eq!(found, expected, "{findings:#?}");
}

#[test]
fn references_lead_to_other_files() {
    let files = [
        (
            "a/order.json",
            r##"{"properties": {"to": {"$ref": "address.json"}, "by": {"$ref": "../b/user.json#/$defs/Name"}}}"##,
        ),
        (
            "a/address.json",
            r##"{"properties": {"city": {"$ref": "#/definitions/City"}, "next": {"$ref": "address.json"}, "order": {"$ref": "order.json"}},
            "definitions": {"City": {"type": "string"}}}"##,
        ),
        ("b/user.json", r##"{"$defs": {"Name": {"$ref": "../a/address.json#/definitions/City"}}}"##),
    ];
    let expected = r##"{"$ref": "#/definitions/Root", "definitions": {
        "Root": {"properties": {"to": {"$ref": "#/definitions/address"}, "by": {"$ref": "#/definitions/Name"}}},
        "address": {"properties": {"city": {"$ref": "#/definitions/City"}, "next": {"$ref": "#/definitions/address"},
            "order": {"$ref": "#/definitions/Root"}}},
        "Name": {"$ref": "#/definitions/City"}, "City": {"type": "string"}}}"##;
    check(&files, expected);
}

#[test]
fn uris_and_anchors_of_other_files_are_their_own() {
    let files = [
        (
            "a.json",
            r##"{"$id": "https://example.com/s/main.json", "$defs": {"X": {"$anchor": "x", "type": "string"}},
            "properties": {"own": {"$ref": "#x"}, "self": {"$ref": "main.json#x"}, "other": {"$ref": "b.json"}, "x": {"$ref": "b.json#x"}}}"##,
        ),
        (
            "b.json",
            r##"{"$id": "https://example.com/t/b.json", "$defs": {"a%b": {"$anchor": "x", "type": "null"}},
            "properties": {"own": {"$ref": "#x"}, "self": {"$ref": "https://example.com/t/b.json#x"}, "main": {"$ref": "a.json#x"}}}"##,
        ),
    ];
    let expected = r##"{"$id": "https://example.com/s/main.json", "properties": {"own": {"$ref": "#/definitions/X"}, "self": {"$ref": "#/definitions/X"},
            "other": {"$ref": "#/definitions/b"}, "x": {"$ref": "#/definitions/a%25b"}},
        "definitions": {"X": {"type": "string"}, "a%b": {"type": "null"}, "b": {"properties": {
            "own": {"$ref": "#/definitions/a%25b"}, "self": {"$ref": "#/definitions/a%25b"},
            "main": {"$ref": "#/definitions/X"}}}}}"##;
    check(&files, expected);
}

#[test]
fn values_that_look_like_references_stay() {
    let files = [
        (
            "a.json",
            r##"{"properties": {"const": {"$ref": "b.json"}, "b": {"const": {"$ref": "b.json"}}, "c": {"enum": [{"$ref": "b.json"}]}}}"##,
        ),
        ("b.json", "{\"type\": \"string\"}"),
    ];
    let expected = r##"{"properties": {"const": {"$ref": "#/definitions/b"}, "b": {"const": {"$ref": "b.json"}},
        "c": {"enum": [{"$ref": "b.json"}]}}, "definitions": {"b": {"type": "string"}}}"##;
    check(&files, expected);
}

#[test]
fn discriminators_distinguish_branches_in_other_files() {
    let animal = |name: &str| {
        format!(
            r##"{{"type": "object", "properties": {{"kind": {{"type": "string"}}, "{name}": {{"type": "string"}}}}}}"##
        )
    };
    let (cat, dog) = (animal("purrs"), animal("barks"));
    let union = r##"{"oneOf": [{"$ref": "cat.json"}, {"$ref": "pets/dog.json"}],
        "discriminator": {"propertyName": "kind", "mapping": {"c": "cat.json", "d": "pets/dog.json"}}}"##;
    let files = [("pet.json", union), ("cat.json", cat.as_str()), ("pets/dog.json", &dog)];
    let expected = r##"{"oneOf": [{"$ref": "#/definitions/cat"}, {"$ref": "#/definitions/dog"}], "definitions": {
        "cat": {"type": "object", "properties": {"kind": {"const": "c"}, "purrs": {"type": "string"}}, "required": ["kind"]},
        "dog": {"type": "object", "properties": {"kind": {"const": "d"}, "barks": {"type": "string"}}, "required": ["kind"]}}}"##;
    check(&files, expected);
    // The same in a file that another one refers to.
    let outer = [("a.json", r#"{"items": {"$ref": "pet.json"}}"#), files[0], files[1], files[2]];
    let imported = import(&outer).imported;
    let items = imported.capabilities[0].input.as_ref().unwrap().canonical();
    assert!(items.contains(r#""const":"d""#), "{items}");
}

#[test]
fn references_that_lead_out_of_the_folder_are_errors() {
    for target in ["gone.json", "../b.json", "https://example.com/b.json", "/b.json", "b.json#gone", "file:b.json"] {
        let text = format!(r#"{{"items": {{"$ref": "{target}"}}}}"#);
        let imported = import(&[("x/a.json", &text), ("x/b.json", "{}"), ("b.json", "{}")]).imported;
        let expected = if target == "../b.json" { vec![] } else { vec!["E0108"] };
        let found: Vec<_> = imported.findings.iter().map(|finding| finding.code.as_str()).collect();
        assert_eq!(found, expected, "{target}");
        assert!(imported.findings.iter().all(|finding| finding.message.contains(target)), "{:?}", imported.findings);
    }
    let files = [("a.json", r#"{"items": {"$ref": "b.json"}}"#), ("b.json", r##"{"items": {"$ref": "#gone"}}"##)];
    check_codes(&files, &[("E0108", "/a.json/x-capgen-files/b/items/$ref")]);
}

#[test]
fn files_that_refer_to_each_other_have_one_dialect() {
    let draft = |uri: &str| format!(r#"{{"$schema": "{uri}", "prefixItems": [{{}}], "items": false}}"#);
    let modern = draft("https://json-schema.org/draft/2020-12/schema");
    let files = [("a.json", r#"{"properties": {"b": {"$ref": "b.json"}}}"#), ("b.json", modern.as_str())];
    let expected =
        r##"{"properties": {"b": {"$ref": "#/definitions/b"}}, "definitions": {"b": {"items": {}, "maxItems": 1}}}"##;
    check(&files, expected);
    let old = r#"{"$schema": "http://json-schema.org/draft-07/schema#", "items": {"$ref": "b.json"}}"#;
    check_codes(&[("a.json", old), files[1]], &[("E0901", "/a.json/x-capgen-files/b/$schema")]);
}

#[test]
fn files_may_spell_their_dialect_differently() {
    let main = |uri: &str| format!(r#"{{"$schema": "{uri}", "items": {{"$ref": "b.json"}}}}"#);
    let other = |uri: &str| format!(r#"{{"$schema": "{uri}", "type": "null"}}"#);
    let expected = r##"{"items": {"$ref": "#/definitions/b"}, "definitions": {"b": {"type": "null"}}}"##;
    let draft_07 = ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft-07/schema"];
    let spellings =
        [draft_07[0], draft_07[1], "http://json-schema.org/schema#", "http://json-schema.org/draft-07/schema"];
    for (a, b) in spellings.iter().flat_map(|a| spellings.map(|b| (*a, b))) {
        check(&[("a.json", &main(a)), ("b.json", &other(b))], expected);
    }
    for other_draft in ["https://json-schema.org/draft-06/schema", "https://json-schema.org/draft/2020-12/schema", "x"]
    {
        let files = [("a.json", main(draft_07[1])), ("b.json", other(other_draft))];
        let files = files.each_ref().map(|(path, text)| (*path, text.as_str()));
        check_codes(&files, &[("E0901", "/a.json/x-capgen-files/b/$schema")]);
    }
}

#[test]
fn a_file_of_definitions_for_others_is_not_a_capability() {
    let files = [
        ("a.json", r##"{"items": {"$ref": "common.json#/$defs/A"}}"##),
        ("common.json", r##"{"$defs": {"A": {"type": "null"}}}"##),
    ];
    let names = |naming: &Naming| {
        let imported = import_first(2, &files, naming).1.imported;
        assert_eq!(imported.findings, []);
        imported.capabilities.into_iter().map(|one| one.name).collect::<Vec<_>>()
    };
    assert_eq!(names(&Naming::default()), ["a"]);
    assert_eq!(names(&Naming { each: true, ..Naming::default() }), ["A", "a"]);
}

#[test]
fn definitions_that_become_capabilities_can_refer_to_files() {
    let files = [("a.json", r##"{"$defs": {"A": {"$ref": "b.json"}}}"##), ("b.json", r#"{"type": "null"}"#)];
    let naming = Naming { each: true, ..Naming::default() };
    let imported = import_first(1, &files, &naming).1.imported;
    assert_eq!((imported.capabilities.len(), imported.findings.len()), (1, 0), "{:?}", imported.findings);
}

#[test]
fn findings_have_the_lines_of_their_file() {
    let files = [("a.json", r#"{"items": {"$ref": "x/b.json"}}"#), ("x/b.json", r#"{"type": "objct"}"#)];
    let (document, found) = import_first(1, &files, &Naming::default());
    let shown = document.with_places(&found.imported.findings).remove(0);
    let label = &shown.labels[0];
    assert_eq!((label.source.path(), files[1].1.get(label.span.clone())), ("x/b.json", Some("\"objct\"")));
    assert_eq!(found.imported.findings[0].place, "schema `a`, inputSchema, file `b`, /type");
}
