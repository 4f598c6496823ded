//! Declared errors in documents of other formats: an import has those that the export wrote.

use capgen_interop::import::{
    Document, ImportSettings, Imported, a2a as a2a_import, mcp as mcp_import, openapi as openapi_import,
};
use capgen_interop::{McpOptions, a2a, mcp, openapi};
use capgen_manifest::{Manifest, Source, load};

const ERRORS: &str = r#"[{"code":"NO_SEATS","description":"All are taken.","status":409,"retryable":true,"detailsSchema":{"type":"object","properties":{"free":{"type":"integer"}}}},{"code":"CLOSED"}]"#;

fn manifest(errors: &str) -> Manifest {
    let text = format!(
        r#"{{"version": 1, "agent": "agent://trips", "transports": [{{"kind": "memory", "topics": {{"requests": "trips"}}}}],
        "capabilities": [{{"name": "book", "inputSchema": {{"type": "object"}}, "errors": {errors}}}]}}"#
    );
    load(&Source::new("capabilities.json", text)).unwrap().manifest
}

fn document(text: &str) -> Document {
    Document::parse_json(&Source::new("a.json", text)).unwrap()
}

type Import = fn(Document) -> Imported;

/// The documents of a contract, each with its import.
fn exports(manifest: &Manifest) -> [(String, Import); 3] {
    [
        (mcp(manifest, McpOptions::default()).document.canonical(), |document| {
            mcp_import::tools(&document, ImportSettings::default()).imported
        }),
        (openapi(manifest).document.canonical(), |document| {
            openapi_import::operations(&document, ImportSettings::default()).imported
        }),
        (a2a(manifest, "https://trips.example").document.canonical(), |document| {
            a2a_import::skills(&document, ImportSettings::default()).imported
        }),
    ]
}

#[test]
fn an_import_of_an_export_has_the_declared_errors() {
    let manifest = manifest(ERRORS);
    for (text, import) in exports(&manifest) {
        let imported = import(document(&text));
        assert!(imported.findings.is_empty(), "{:#?}", imported.findings);
        let (old, new) = (&manifest.capabilities[0], &imported.capabilities[0]);
        assert_eq!(new.definition().get("errors"), old.definition().get("errors"), "{text}");
        assert_eq!(new.hash(), old.hash());
    }
}

#[test]
fn openapi_describes_each_error_at_its_status() {
    let document = openapi(&manifest(
        r##"[{"code":"NO_SEATS","description":"All are taken.","detailsSchema":{"type":"integer"}},
        {"code":"CLOSED","retryable":true},
        {"code":"LOST","status":409,"detailsSchema":{"$ref":"#/definitions/a","definitions":{"a":{}}}}]"##,
    ))
    .document;
    let at = |pointer: &str| document.pointer(&format!("/paths/~1capabilities~1book/post/responses/{pointer}"));
    assert_eq!(at("409/description").and_then(|it| it.as_str()), Some("`NO_SEATS`: All are taken.\n\n`LOST`"));
    let schema = "content/application~1problem+json/schema/anyOf";
    let details = |index: usize| at(&format!("409/{schema}/{index}/allOf/1/properties/details"));
    assert_eq!(details(0).map(|it| it.canonical()).as_deref(), Some(r#"{"type":"integer"}"#));
    // A reference into definitions would point elsewhere.
    assert_eq!(details(1).map(|it| it.canonical()).as_deref(), Some("{}"));
    assert!(at(&format!("503/{schema}/0/allOf/1/properties/code/const")).is_some() && at("default").is_some());
}

#[test]
fn errors_that_no_export_writes_are_invalid() {
    for invalid in [
        r#"{}"#,
        r#"[]"#,
        r#"[{}]"#,
        r#"[{"code":"a"}]"#,
        r#"[{"code":"A","status":200}]"#,
        r#"[{"code":"A","status":409.5}]"#,
        r#"[{"code":"A","other":1}]"#,
        r#"[{"code":"A","retryable":"yes"}]"#,
        r#"[{"code":"A","detailsSchema":{"type":"wrong"}}]"#,
        r#"[{"code":"A"},{"code":"A"}]"#,
    ] {
        for (text, import) in exports(&manifest(r#"[{"code":"CLOSED"}]"#)) {
            let changed = text.replace(r#"[{"code":"CLOSED"}]"#, invalid);
            assert_ne!(changed, text);
            let imported = import(document(&changed));
            assert!(imported.findings.iter().any(|finding| finding.code.as_str() == "E0904"), "{changed}");
        }
    }
}
