//! How parts of OpenAPI are read that a contract cannot express as they are: each with a finding.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_interop::import::{Document, ImportFinding, ImportSettings, Imported, NotRead, openapi};
use capgen_manifest::{Capability, Side, Source};
use capgen_schema::{Json, Schema};

fn imported(text: &str) -> Imported {
    let document = Document::parse(&Source::new("openapi.yaml", text)).unwrap();
    openapi::operations(&document, ImportSettings::default()).imported
}

/// A document with one operation, as a mapping in one line.
fn document(method: &str, operation: &str) -> String {
    format!("openapi: 3.0.3\ninfo: {{ title: Shop, version: 1.0.0 }}\npaths:\n  /a:\n    {method}: {operation}\n")
}

/// The capability of an operation that is imported with these codes.
#[track_caller]
fn one(method: &str, operation: &str, codes: &[&str]) -> Capability {
    let imported = imported(&document(method, operation));
    assert_eq!(found(&imported.findings), codes, "{:#?}", imported.findings);
    imported.capabilities.into_iter().next().unwrap()
}

fn found(findings: &[ImportFinding]) -> Vec<&str> {
    findings.iter().map(|finding| finding.code.as_str()).collect()
}

#[track_caller]
fn assert_side(capability: &Capability, side: Side, expected: &str) {
    let expected = Schema::parse_text(expected).unwrap().canonical();
    assert_eq!(capability.schema(side).map(Schema::canonical), Some(expected));
}

const NOTHING: &str = "responses: { '204': { description: none } }";

#[test]
fn a_form_is_an_object_with_its_fields() {
    for form in ["application/x-www-form-urlencoded", "multipart/form-data"] {
        let schema = "{ type: object, properties: { a: { type: string } } }";
        let operation = format!(
            "{{ requestBody: {{ required: true, content: {{ {form}: {{ schema: {schema} }} }} }}, {NOTHING} }}"
        );
        let capability = one("post", &operation, &["N0911"]);
        assert_side(&capability, Side::Request, r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#);
    }
    let both = format!(
        "{{ requestBody: {{ required: true, content: {{ multipart/form-data: {{ schema: {{ type: object }} }}, application/json: {{ schema: {{ type: array }} }} }} }}, {NOTHING} }}"
    );
    assert_side(&one("post", &both, &[]), Side::Request, r#"{"type": "array"}"#);
}

#[test]
fn other_bodies_are_strings_or_any_value() {
    let response =
        |content: &str| format!("{{ responses: {{ '200': {{ description: a, content: {{ {content} }} }} }} }}");
    let text = r#"{"type": "string"}"#;
    assert_side(&one("get", &response("text/plain: {}"), &["N0911"]), Side::Response, text);
    let picture = response("image/png: { schema: { type: string } }");
    assert_side(&one("get", &picture, &["N0911"]), Side::Response, text);
    let binary = response("application/octet-stream: { schema: { type: string, format: binary } }");
    let capability = one("get", &binary, &["N0911", "N0901"]);
    assert_side(&capability, Side::Response, r#"{"type": "string", "x-format": "binary"}"#);
    let xml = response("application/xml: { schema: { type: object } }");
    assert!(one("get", &xml, &["N0911"]).output.is_none());
}

#[test]
fn a_response_that_is_not_described_can_be_any_value() {
    for (method, responses, codes) in [
        ("get", "{}", ["N0912"].as_slice()),
        ("get", "{ '404': { description: none } }", &["N0912"]),
        ("get", "{ '200': { description: ok } }", &["N0912"]),
        ("get", "{ default: { description: ok } }", &["N0912"]),
        (
            "put",
            "{ '404': { description: none }, default: { content: { application/json: { schema: { type: string } } } } }",
            &["N0912"],
        ),
    ] {
        assert!(one(method, &format!("{{ responses: {responses} }}"), codes).output.is_none(), "{responses}");
    }
    let null = r#"{"type": "null"}"#;
    for (method, responses) in [("head", "{ '200': { description: ok } }"), ("get", "{ '205': { description: ok } }")] {
        assert_side(&one(method, &format!("{{ responses: {responses} }}"), &[]), Side::Response, null);
    }
    let default =
        "{ responses: { default: { description: ok, content: { application/json: { schema: { type: string } } } } } }";
    assert_side(&one("get", default, &[]), Side::Response, r#"{"type": "string"}"#);
}

#[test]
fn several_types_of_json_are_alternatives() {
    let content = |other: &str| {
        let types = format!(
            "application/json: {{ schema: {{ type: array }} }}, application/hal+json: {{ schema: {{ type: {other} }} }}"
        );
        format!(
            "{{ requestBody: {{ required: true, content: {{ {types} }} }}, responses: {{ '200': {{ description: a, content: {{ {types} }} }} }} }}"
        )
    };
    let capability = one("post", &content("object"), &["N0913", "N0913"]);
    for side in Side::ALL {
        assert_side(&capability, side, r#"{"anyOf": [{"type": "array"}, {"type": "object"}]}"#);
    }
    assert_side(&one("post", &content("array"), &[]), Side::Request, r#"{"type": "array"}"#);
}

#[test]
fn a_note_is_given_once_for_each_name_with_the_number_of_places() {
    let property = |name: &str, format: &str| format!("{name}: {{ type: string, format: {format} }}");
    let properties = [property("a", "phone"), property("b", "phone"), property("c", "phone"), property("d", "iban")];
    let schema = format!("{{ type: object, properties: {{ {} }} }}", properties.join(", "));
    let operation = format!(
        "{{ responses: {{ '200': {{ description: a, content: {{ application/json: {{ schema: {schema} }} }} }} }} }}"
    );
    let text = document("get", &operation) + &format!("  /b:\n    get: {operation}\n");
    let places: Vec<_> = imported(&text).findings.into_iter().map(|finding| finding.place).collect();
    assert_eq!(
        places,
        [
            "operation `GET /a`, outputSchema, /properties/a/format, and 5 other places",
            "operation `GET /a`, outputSchema, /properties/d/format, and 1 other place",
        ]
    );
}

#[test]
fn nullable_is_reported_once_for_each_component() {
    let text = document(
        "get",
        "{ responses: { '200': { description: a, content: { application/json: { schema: { $ref: '#/components/schemas/A' } } } } } }",
    ) + "components: { schemas: { A: { type: object, properties: { b: { $ref: '#/components/schemas/B', nullable: true }, c: { anyOf: [{ type: integer }, { nullable: true }] } } }, B: { type: string } } }\n";
    let imported = imported(&text);
    assert_eq!(found(&imported.findings), ["W0902"]);
    let output = imported.capabilities[0].output.as_ref().unwrap().source();
    let property = |name: &str| output.pointer(&format!("/definitions/A/properties/{name}/anyOf/1/type"));
    assert_eq!([property("b"), property("c")].map(|null| null.and_then(Json::as_str)), [Some("null"); 2]);
}

#[test]
fn parameters_of_a_path_are_compared_with_its_template() {
    let text = "openapi: 3.0.3
info: { title: Shop, version: 1.0.0 }
paths:
  /a/{code}/{other}:
    parameters: [{ name: other, in: path, required: true }, { name: gone, in: path, required: true }]
    get: { parameters: [{ name: code, in: query }], responses: { '204': { description: none } } }
    put: { responses: { '204': { description: none } } }
";
    let imported = imported(text);
    let at = "/paths/~1a~1{code}~1{other}";
    let found: Vec<_> = imported
        .findings
        .iter()
        .map(|finding| (finding.code.as_str(), finding.pointer.as_str(), finding.first.as_deref()))
        .collect();
    let (query, gone) = (format!("{at}/get/parameters/0"), format!("{at}/parameters/1"));
    assert_eq!(found, [("W0911", at, Some(query.as_str())), ("W0911", gone.as_str(), Some(at))]);
    assert_eq!(imported.capabilities.len(), 2);
}

#[test]
fn ids_of_operations_are_unique() {
    let operation = "{ get: { operationId: t, responses: { '204': { description: none } } } }";
    let text = format!(
        "openapi: 3.0.3\ninfo: {{ title: Shop, version: 1.0.0 }}\npaths:\n  /a: {operation}\n  /b: {operation}\n"
    );
    let imported = imported(&text);
    let finding = &imported.findings[0];
    assert_eq!((finding.code.as_str(), finding.pointer.as_str()), ("E0903", "/paths/~1b/get/operationId"));
    assert_eq!(finding.first.as_deref(), Some("/paths/~1a/get/operationId"));
    assert_eq!((imported.findings.len(), imported.rejected.as_slice()), (1, ["GET /b".to_owned()].as_slice()));
}

#[test]
fn operations_may_be_references() {
    let text = "openapi: 3.2.0
info: { title: Shop, version: 1.0.0 }
paths:
  /a/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { $ref: '#/components/x-operations/find' }
components:
  x-operations:
    find: { operationId: find, responses: { '204': { description: none } } }
";
    let imported = imported(text);
    assert_eq!(imported.findings, []);
    assert!(imported.capabilities[0].input.as_ref().unwrap().canonical().contains("path"));
}

#[test]
fn help_names_the_options_that_import_a_schema_as_it_is() {
    let operation = "{ responses: { '200': { description: a, content: { application/json: { schema: { type: string, pattern: '(a)\\1' } } } } } }";
    let text = document("get", operation);
    let help = imported(&text).findings[0].help.clone().unwrap();
    assert!(help.contains("`--lossy`") && help.contains("`--skip`"), "{help}");
}

/// A document with other files, by their paths.
fn with_files(files: &[(&str, &str)]) -> (Document, Imported) {
    let parse = |(path, text): &(&str, &str)| Document::parse(&Source::new(*path, *text)).unwrap();
    let read = |path: &str| {
        let found = files.iter().find(|(known, _)| *known == path).map(parse);
        Ok::<_, ()>(found.ok_or(NotRead::Missing))
    };
    let document = capgen_interop::import::with_files(files[0].0, parse(&files[0]), read).unwrap();
    let imported = openapi::operations(&document, ImportSettings::default()).imported;
    (document, imported)
}

#[test]
fn references_lead_to_other_files_of_the_folder() {
    let files = [
        (
            "api/openapi.yaml",
            "openapi: 3.0.3\ninfo: { title: a, version: '1' }\npaths: { /a: { $ref: './paths/a.yaml' } }\ncomponents: { schemas: { Id: { type: integer } } }\n",
        ),
        (
            "api/paths/a.yaml",
            "get:\n  operationId: find\n  responses:\n    '200': { $ref: '../../shared.yaml#/answers/found' }\n",
        ),
        (
            "shared.yaml",
            "answers:\n  found: { description: a, content: { application/json: { schema: { $ref: 'schemas/Pet.yaml' } } } }\n",
        ),
        (
            "schemas/Pet.yaml",
            "type: object\nproperties:\n  id: { $ref: '../api/openapi.yaml#/components/schemas/Id' }\n  parent: { $ref: 'Pet.yaml' }\n  tag: { $ref: '#/definitions/Tag', nullable: true }\ndefinitions: { Tag: { type: string } }\n",
        ),
    ];
    let (_, imported) = with_files(&files);
    assert_eq!(found(&imported.findings), ["W0902"], "{:#?}", imported.findings);
    let output = imported.capabilities[0].output.as_ref().unwrap();
    let expected = r##"{"$ref": "#/definitions/Pet", "definitions": {
        "Pet": {"type": "object", "properties": {
            "id": {"$ref": "#/definitions/Id"}, "parent": {"$ref": "#/definitions/Pet"},
            "tag": {"anyOf": [{"$ref": "#/definitions/Tag"}, {"type": "null"}]}}},
        "Id": {"type": "integer"}, "Tag": {"type": "string"}}}"##;
    assert_eq!(output.canonical(), Schema::parse_text(expected).unwrap().canonical());
}

#[test]
fn discriminators_may_name_other_files() {
    let branch =
        |name: &str| format!("type: object\nproperties: {{ kind: {{ type: string }}, {name}: {{ type: string }} }}\n");
    let (cat, dog) = (branch("purrs"), branch("barks"));
    let text = document(
        "get",
        "{ responses: { '200': { description: a, content: { application/json: { schema: { oneOf: [{ $ref: 'cat.yaml' }, { $ref: 'dog.yaml' }],
            discriminator: { propertyName: kind, mapping: { c: 'cat.yaml', d: './dog.yaml' } } } } } } } }",
    );
    let (_, imported) = with_files(&[("openapi.yaml", &text), ("cat.yaml", &cat), ("dog.yaml", &dog)]);
    assert_eq!(found(&imported.findings), ["N0903"], "{:#?}", imported.findings);
    let output = imported.capabilities[0].output.as_ref().unwrap().source();
    let tag = |name: &str| output.pointer(&format!("/definitions/{name}/properties/kind/const")).cloned();
    assert_eq!([tag("cat"), tag("dog")], [Some("c".into()), Some("d".into())]);
}

#[test]
fn findings_in_other_files_have_their_lines() {
    let files = [
        (
            "openapi.yaml",
            "openapi: 3.1.0\ninfo: { title: a, version: '1' }\npaths: { /a: { get: { responses: { '200': { content: { application/json: { schema: { $ref: 'pet.yaml#/Pet' } } } } } } } }\n",
        ),
        ("pet.yaml", "Pet: { type: objct }\n"),
    ];
    let (document, imported) = with_files(&files);
    let shown = document.with_places(&imported.findings).remove(0);
    let label = &shown.labels[0];
    assert_eq!((label.source.path(), files[1].1.get(label.span.clone())), ("pet.yaml", Some("objct")));
}

#[test]
fn webhooks_are_capabilities_and_paths_are_optional_with_them() {
    let webhooks = "webhooks: { sold: { post: { responses: { '204': { description: none } } } } }";
    let with = imported(&format!("openapi: 3.1.0\ninfo: {{ title: a, version: '1' }}\n{webhooks}\n"));
    assert_eq!((with.entries, found(&with.findings)), (1, Vec::new()));
    let sold = &with.capabilities[0];
    let http = sold.http.as_ref().unwrap();
    assert_eq!(
        (sold.wire_name.as_deref(), http.webhook(), http.method()),
        (Some("webhook sold"), Some("sold"), "POST")
    );
    let without = imported("openapi: 3.1.0\ninfo: { title: a, version: '1' }\ncomponents: { schemas: { A: {} } }\n");
    assert_eq!((without.entries, found(&without.findings)), (0, vec!["E0905"]));
    assert_eq!(without.findings[0].pointer, "/components/schemas");
    assert!(without.findings[0].help.as_ref().unwrap().contains("`--each`"));
    let old = imported("openapi: 3.0.3\ninfo: { title: a, version: '1' }\ncomponents: {}\n");
    assert_eq!(found(&old.findings), ["E0901"], "OpenAPI 3.0 requires them");
}
