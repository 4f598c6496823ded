//! `capgen import` of documents with references to files, with only components, and of lists of provider tools.

use crate::common::Fleet;

fn openapi(schema: &str) -> String {
    format!(
        r#"{{"openapi": "3.1.0", "info": {{"title": "Shop", "version": "1"}}, "paths": {{"/x": {{"post": {{"responses": {{"204": {{}}}},
        "requestBody": {{"required": true, "content": {{"application/json": {{"schema": {schema}}}}}}}}}}}}}}}"#
    )
}

#[test]
fn a_reference_without_a_target_has_its_reason() {
    let fleet = Fleet::new(&[]);
    fleet.write("outside.json", "{}");
    fleet.write("shop/folder/a b.json", r#"{"type": "integer"}"#);
    #[cfg(unix)]
    std::os::unix::fs::symlink(fleet.path("outside.json"), fleet.path("shop/link.json")).unwrap();
    let reasons = [
        ("gone.json", "leads to a file that does not exist"),
        ("folder/a%20b.json/c.json", "leads to a file that does not exist"),
        ("../outside.json", "leads out of the folder whose files may be read"),
        ("folder", "leads to a folder or a device"),
        ("..%2Foutside.json", "is not a relative path"),
        #[cfg(unix)]
        ("link.json", "leads through a link out of the folder whose files may be read"),
    ];
    for (target, reason) in reasons {
        let schema = format!(r#"{{"$ref": "{target}"}}"#);
        fleet.write("shop/openapi.json", &openapi(&schema));
        fleet.write("shop/find.json", &schema);
        for command in ["openapi shop/openapi.json", "json-schema shop/find.json"] {
            let run = fleet.run(&format!("import {command}")).ended(1);
            assert!(run.stderr.contains(&format!("error[E0108]: the reference `{target}` {reason}\n")), "{run:?}");
        }
        let lossy = fleet.run("import openapi shop/openapi.json --lossy").ended(0);
        assert!(lossy.stderr.contains(&format!("warning[W0901]: the reference `{target}` {reason}\n")), "{lossy:?}");
    }
    fleet.write("shop/openapi.json", &openapi(r#"{"$ref": "folder/a%20b.json"}"#));
    assert!(fleet.run("import openapi shop/openapi.json").ended(0).stdout.contains("type: integer"));
    let input = openapi(r#"{"$ref": "a.json"}"#);
    let piped = fleet.run_with("import openapi -", &input).ended(1);
    assert!(piped.stderr.contains("the document is not in a folder with others"), "{piped:?}");
}

#[test]
fn schemas_of_a_document_without_operations_are_imported_with_an_option() {
    let fleet = Fleet::new(&[]);
    let text =
        "openapi: 3.1.0\ninfo: { title: Shop, version: '1' }\ncomponents: { schemas: { Order: { type: object } } }\n";
    fleet.write("openapi.yaml", text);
    let run = fleet.run("import openapi openapi.yaml").ended(1);
    assert!(
        run.stderr.contains("error[E0905]: the document has no operations, only schemas\n --> openapi.yaml:3:"),
        "{run:?}"
    );
    assert!(run.stderr.contains("`--each`"), "{run:?}");
    let response = fleet.run("import openapi openapi.yaml --each --side response --out out.yaml").ended(0);
    assert!(response.stderr.contains("(1 capability)"), "{response:?}");
    let written = fleet.read("out.yaml");
    assert!(
        written.contains("capgen import openapi --each --side response openapi.yaml --out out.yaml #"),
        "{written}"
    );
    assert!(written.contains("name: Order\n    outputSchema:"), "{written}");
    fleet.run("check out.yaml --strict").ended(0);
    fleet.run("import openapi openapi.yaml --side response").ended(2);
}

#[test]
fn entries_without_a_name_are_counted() {
    let fleet = Fleet::new(&[]);
    let tool = r#"{"name": "a", "inputSchema": {"type": "object"}}"#;
    fleet.write(
        "tools.json",
        &format!(r#"[{tool}, {{"inputSchema": {{}}}}, {{"name": "b"}}, {{"type": "web_search"}}]"#),
    );
    let run = fleet.run("import mcp tools.json --skip").ended(0);
    assert!(run.stderr.contains("left out 2 of 3: b, 1 without a name\n"), "{run:?}");
    assert!(run.stderr.contains("note[N0932]: "), "{run:?}");
}

#[test]
fn an_error_in_an_event_stream_is_shown() {
    let fleet = Fleet::new(&[]);
    fleet.write(
        "tools.txt",
        "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\"}}\n\n",
    );
    let run = fleet.run("import mcp tools.txt").ended(1);
    assert!(run.stderr.contains("error[E0901]: the response is an error of the server -32601: no\n"), "{run:?}");
}
