//! References to other files: their paths, and the reasons why they have no target.

use capgen_interop::import::json_schema::{Naming, schemas};
use capgen_interop::import::{Document, ImportFinding, ImportSettings, Imported, NotRead, openapi, with_files};
use capgen_manifest::Source;
use capgen_schema::Schema;

/// Files by their paths, or the reasons why they are not read.
type Files<'f> = [(&'f str, Result<&'f str, NotRead>)];

fn linked(path: &str, text: &str, files: &Files<'_>) -> Document {
    let parse = |path: &str, text: &str| Document::parse(&Source::new(path, text)).unwrap();
    let read = |path: &str| {
        let found = files.iter().find(|(known, _)| *known == path).map(|(_, content)| content.clone());
        Ok::<_, ()>(found.unwrap_or(Err(NotRead::Missing)).map(|text| parse(path, text)))
    };
    with_files(path, parse(path, text), read).unwrap()
}

fn operations(text: &str, files: &Files<'_>) -> (Document, Imported) {
    let document = linked("openapi.json", text, files);
    let imported = openapi::operations(&document, ImportSettings::default()).imported;
    (document, imported)
}

/// A document of OpenAPI whose request has a schema, and other members.
fn request(schema: &str, members: &str) -> String {
    format!(
        r#"{{"openapi": "3.2.0", "info": {{"title": "t", "version": "1"}}, "paths": {{"/x": {{"post": {{"responses": {{"204": {{}}}},
        "requestBody": {{"required": true, "content": {{"application/json": {{"schema": {schema}}}}}}}}}}}}}{members}}}"#
    )
}

#[track_caller]
fn assert_request(imported: &Imported, expected: &str) {
    let messages: Vec<_> = imported.findings.iter().map(|finding| &finding.message).collect();
    assert!(!imported.has_errors(), "{messages:?}");
    let input = imported.capabilities[0].input.as_ref().unwrap().canonical();
    assert_eq!(input, Schema::parse_text(expected).unwrap().canonical());
}

#[test]
fn references_are_percent_decoded() {
    let files = [("q dir/a b.json", Ok(r#"{"$ref": "../c%2Bd.json"}"#)), ("c+d.json", Ok(r#"{"type": "integer"}"#))];
    let (_, imported) = operations(&request(r#"{"$ref": "q%20dir/a%20b.json"}"#, ""), &files);
    let expected = r##"{"$ref": "#/definitions/a_b", "definitions": {"a_b": {"$ref": "#/definitions/c_d"}, "c_d": {"type": "integer"}}}"##;
    assert_request(&imported, expected);
    let document = Document::of_files(vec![(
        "s.json".to_owned(),
        linked("s.json", r#"{"items": {"$ref": "c%2bd.json"}}"#, &files),
    )]);
    let imported = schemas(&document, ImportSettings::default(), &Naming::default()).imported;
    assert_request(
        &imported,
        r##"{"items": {"$ref": "#/definitions/c_d"}, "definitions": {"c_d": {"type": "integer"}}}"##,
    );
}

#[test]
fn the_authors_name_of_the_member_with_the_files_is_not_theirs() {
    let files = [("inc.json", Ok(r#"{"type": "integer"}"#))];
    let schema = r##"{"properties": {"a": {"$ref": "inc.json"}, "b": {"$ref": "#/x-capgen-files/inc"}}}"##;
    for (members, message) in [
        (r#", "x-capgen-files": {"inc": {"type": "boolean"}}"#, "leads to a place where no schema is expected"),
        ("", "leads nowhere: the file has no such place"),
    ] {
        let (document, imported) = operations(&request(schema, members), &files);
        let finding = &imported.findings[0];
        assert_eq!(finding.message, format!("the reference `#/x-capgen-files/inc` {message}"));
        let shown = document.with_places(&imported.findings).remove(0);
        assert_eq!(shown.labels[0].source.path(), "openapi.json");
    }
    let path = r##"{"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {"/x": {"$ref": "#/x-capgen-files/inc"}, "/y": {"$ref": "inc.json"}},
        "x-capgen-files": {"inc": {"get": {"operationId": "own", "responses": {"204": {}}}}}}"##;
    let files = [("inc.json", Ok(r#"{"get": {"operationId": "other", "responses": {"204": {}}}}"#))];
    let (_, imported) = operations(path, &files);
    let names: Vec<_> = imported.capabilities.iter().map(|one| (one.name.as_str(), one.wire_name.as_deref())).collect();
    assert_eq!(names, [("other", Some("GET /y")), ("own", Some("GET /x"))]);
}

fn only(findings: &[ImportFinding]) -> (&str, &str, &str) {
    assert_eq!(findings.len(), 1, "{findings:#?}");
    (findings[0].code.as_str(), &findings[0].message, findings[0].help.as_deref().unwrap_or_default())
}

#[test]
fn references_without_a_target_have_the_reason_and_a_remedy() {
    let files = [
        ("link.json", Err(NotRead::Outside)),
        ("folder", Err(NotRead::NotAFile)),
        ("closed.json", Err(NotRead::Unreadable("permission denied".to_owned()))),
        ("large.json", Err(NotRead::TooLarge)),
        ("no.json", Err(NotRead::NoFolder)),
        ("there.json", Ok("{}")),
    ];
    for (target, reason, help) in [
        ("gone.json", "a file that does not exist", "`gone.json`"),
        ("link.json", "through a link out of the folder", "`--root-dir`"),
        ("../x.json", "out of the folder", "`--root-dir`"),
        ("%2e%2e/x.json", "out of the folder", "`--root-dir`"),
        ("folder", "a folder or a device", "a file"),
        ("closed.json", "cannot be read: permission denied", "allow"),
        ("large.json", "32 MiB", "smaller"),
        ("no.json", "not in a folder", "standard input"),
        ("https://example.com/a.json", "is a URL, and nothing is fetched", "bundle"),
        ("/etc/passwd", "is an absolute path", "relative"),
        ("..%2Fx.json", "is not a relative path", "hexadecimal"),
        ("there.json#/nope", "the file has no such place", "after `#`"),
    ] {
        for path in [target, "paths"] {
            let schema = if path == target { format!(r#"{{"$ref": "{target}"}}"#) } else { "{}".to_owned() };
            let parameter = format!(r#", "webhooks": {{"w": {{"post": {{"parameters": [{{"$ref": "{target}"}}]}}}}}}"#);
            let members = if path == target { "" } else { &parameter };
            let (document, imported) = operations(&request(&schema, members), &files);
            let findings: Vec<_> =
                imported.findings.into_iter().filter(|one| one.code.as_str().starts_with('E')).collect();
            let (code, message, shown) = only(&findings);
            let in_schema = if target.contains('#') { "E0109" } else { "E0108" };
            assert_eq!(code, if path == target { in_schema } else { "E0911" }, "{target}");
            assert!(
                message.contains(reason) && message.starts_with(&format!("the reference `{target}` ")),
                "{message}"
            );
            assert!(shown.contains(help) && shown.contains("--skip"), "{target}: {shown}");
            assert!(!document.with_places(&findings)[0].message.contains("x-capgen"));
        }
    }
}

#[test]
fn references_in_other_files_are_shown_as_they_are_written() {
    let files = [("b.json", Ok(r##"{"items": {"$ref": "#/gone"}, "not": {"$ref": "c.json"}}"##))];
    let (_, imported) = operations(&request(r#"{"$ref": "b.json"}"#, ""), &files);
    let messages: Vec<_> = imported.findings.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "the reference `#/gone` leads nowhere: the file has no such place",
            "the reference `c.json` leads to a file that does not exist"
        ]
    );
}

#[test]
fn references_may_have_the_uri_of_the_document() {
    let members =
        r#", "$self": "https://example.com/api/openapi.json", "components": {"schemas": {"A": {"type": "string"}}}"#;
    for target in ["https://example.com/api/openapi.json", "openapi.json", "", "/api/openapi.json"] {
        let schema = format!(r#"{{"$ref": "{target}#/components/schemas/A"}}"#);
        let (_, imported) = operations(&request(&schema, members), &[]);
        assert_request(&imported, r##"{"$ref": "#/definitions/A", "definitions": {"A": {"type": "string"}}}"##);
    }
}

#[test]
fn a_cycle_of_references_is_named() {
    let text = r#"{"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {"/x": {"$ref": "a.json"}}}"#;
    let files = [("a.json", Ok(r#"{"$ref": "b.json"}"#)), ("b.json", Ok(r##"{"$ref": "./a.json#"}"##))];
    let (_, imported) = operations(text, &files);
    let (code, message, _) = only(&imported.findings);
    assert_eq!((code, message), ("E0901", "the references form a cycle: `b.json`, which contains `./a.json#`"));
}
