//! Operations of OpenAPI and skills of A2A as capabilities.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_interop::import::{Document, ImportSettings, Imported, a2a, openapi};
use capgen_manifest::{Capability, Side, Source};
use capgen_schema::Schema;

fn imported(text: &str) -> (Document, Imported) {
    let document = Document::parse(&Source::new("openapi.yaml", text)).unwrap();
    let imported = openapi::operations(&document, ImportSettings::default()).imported;
    (document, imported)
}

/// A document with one operation, whose members are `operation`, indented by six spaces.
fn with_operation(version: &str, operation: &str, components: &str) -> String {
    let path = if operation.contains("in: path") { "/things/{id}" } else { "/things" };
    format!(
        "openapi: {version}\ninfo: {{ title: Shop, version: 1.0.0 }}\npaths:\n  {path}:\n    put:\n{operation}\n{components}\n"
    )
}

fn one(version: &str, operation: &str, components: &str) -> Capability {
    let (_, imported) = imported(&with_operation(version, operation, components));
    assert_eq!(imported.findings, []);
    imported.capabilities.into_iter().next().unwrap()
}

/// The codes, pointers and messages of findings.
fn findings(operation: &str) -> Vec<(String, String, String)> {
    let (_, imported) = imported(&with_operation("3.1.0", operation, ""));
    assert!(imported.capabilities.is_empty());
    imported.findings.into_iter().map(|f| (f.code.as_str().to_owned(), f.pointer, f.message)).collect()
}

fn assert_schema(capability: &Capability, side: Side, expected: &str) {
    let expected = Schema::parse_text(expected).unwrap().canonical();
    assert_eq!(capability.schema(side).map(Schema::canonical), Some(expected));
}

const OK: &str =
    "      responses: { '200': { description: ok, content: { application/json: { schema: { type: string } } } } }";

#[test]
fn a_json_body_is_the_request() {
    let body = "      requestBody: { required: true, content: { application/json: { schema: { type: integer } } } }";
    let capability = one("3.1.0", &format!("{body}\n{OK}"), "");
    assert_schema(&capability, Side::Request, r#"{"type": "integer"}"#);
    assert_schema(&capability, Side::Response, r#"{"type": "string"}"#);
    assert_eq!(capability.wire_name.as_deref(), Some("PUT /things"));
    assert_eq!((capability.idempotent, capability.side_effects.map(|e| e.name())), (Some(true), Some("idempotent")));
}

#[test]
fn parameters_are_members_of_the_request() {
    let operation = format!(
        "      operationId: putThing\n      summary: Puts.\n      tags: [things, things, '']\n      parameters:
        - {{ name: id, in: path, required: true, schema: {{ type: string }} }}
        - {{ name: limit, in: query, schema: {{ type: integer }} }}
        - {{ name: X-Trace, in: header, schema: {{ type: string }} }}
        - {{ name: Authorization, in: header, required: true, schema: {{ type: string }} }}
        - {{ name: theme, in: cookie, schema: {{ type: string }} }}
      requestBody: {{ content: {{ application/vnd.thing+json: {{ schema: {{ $ref: '#/components/schemas/Thing' }} }} }} }}\n{OK}"
    );
    let components = "components: { schemas: { Thing: { type: object, properties: { next: { $ref: '#/components/schemas/Thing' } } } } }";
    let capability = one("3.0.3", &operation, components);
    assert_eq!((capability.name.as_str(), capability.description.as_deref()), ("putThing", Some("Puts.")));
    assert_eq!(capability.tags, ["things"]);
    assert_schema(
        &capability,
        Side::Request,
        r##"{"type": "object", "additionalProperties": false, "required": ["path"], "properties": {
            "path": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"], "additionalProperties": false},
            "query": {"type": "object", "properties": {"limit": {"type": "integer"}}, "additionalProperties": false},
            "header": {"type": "object", "properties": {"X-Trace": {"type": "string"}}, "additionalProperties": false},
            "body": {"$ref": "#/definitions/Thing"}},
            "definitions": {"Thing": {"type": "object", "properties": {"next": {"$ref": "#/definitions/Thing"}}}}}"##,
    );
}

#[test]
fn parameters_of_an_operation_override_those_of_its_path() {
    let text = "openapi: 3.1.0\ninfo: { title: Shop, version: '1' }\npaths:\n  /a:\n    parameters:\n      - $ref: '#/components/parameters/limit'\n    get:\n      parameters: [{ name: limit, in: query, schema: { type: string } }]\n      responses: { '204': { description: nothing } }\ncomponents: { parameters: { limit: { name: limit, in: query, schema: { type: integer } } } }\n";
    let (_, imported) = imported(text);
    assert_eq!(imported.findings, []);
    let capability = &imported.capabilities[0];
    let source = capability.input.as_ref().unwrap().source();
    assert_eq!(source.pointer("/properties/query/properties/limit/type").and_then(|t| t.as_str()), Some("string"));
    assert_schema(capability, Side::Response, r#"{"type": "null"}"#);
    assert_eq!(capability.side_effects.map(|e| e.name()), Some("pure"));
}

#[test]
fn a_parameter_is_declared_once_in_a_list() {
    let parameters = |name: &str, place: &str, other: &str| {
        format!(
            "      parameters: [{{ name: {name}, in: {place} }}, {{ name: x, in: query }}, {{ name: {other}, in: {place} }}]\n{OK}"
        )
    };
    for (name, place, other) in [("q", "query", "q"), ("X-A", "header", "x-a"), ("id", "path", "id")] {
        let message = format!("the {place} has two parameters `{other}`");
        let path = if place == "path" { "~1things~1{id}" } else { "~1things" };
        let expected = ("E0902".to_owned(), format!("/paths/{path}/put/parameters/2"), message);
        assert_eq!(findings(&parameters(name, place, other)), [expected]);
    }
    one("3.1.0", &parameters("q", "query", "Q"), "");
    // The operation overrides the parameter of the path.
    let text = "openapi: 3.1.0\ninfo: { title: a, version: '1' }\npaths:\n  /a:\n    parameters: [{ name: X-A, in: header }]\n    get:\n      parameters: [{ name: x-a, in: header }]\n      responses: { '204': { description: ok } }\n";
    let (_, imported) = imported(text);
    assert_eq!(imported.findings, []);
    let header = imported.capabilities[0].input.as_ref().unwrap().source().pointer("/properties/header/properties");
    assert_eq!(header.unwrap().canonical(), r#"{"x-a":true}"#);
}

#[test]
fn extensions_are_not_paths() {
    let text = "openapi: 3.1.0\ninfo: { title: a, version: '1' }\npaths:\n  x-note: { get: { summary: none } }\n  /a:\n    x-note: { get: {} }\n    get:\n      responses: { x-note: [1], '204': { description: ok } }\n";
    let (_, imported) = imported(text);
    assert_eq!((imported.findings.as_slice(), imported.capabilities.len()), ([].as_slice(), 1));
}

#[test]
fn an_operation_without_input_has_a_closed_request() {
    let capability = one("3.1.0", OK, "");
    assert_schema(&capability, Side::Request, r#"{"type": "object", "additionalProperties": false}"#);
}

#[test]
fn the_dialect_is_that_of_the_version() {
    let schema = |schema: &str| {
        format!(
            "      responses: {{ 2XX: {{ description: ok, content: {{ 'application/json; charset=utf-8': {{ schema: {schema} }} }} }} }}"
        )
    };
    let nullable = one("3.0.0", &schema("{ type: string, nullable: true, example: a }"), "");
    assert_eq!(nullable.output.unwrap().source().get("type").unwrap().canonical(), r#"["string","null"]"#);
    let components = "components: { schemas: { A: { type: string } } }";
    let sibling = schema("{ $ref: '#/components/schemas/A', maxLength: 3 }");
    assert!(one("3.1.0", &sibling, components).output.unwrap().canonical().contains("maxLength"));
    // OpenAPI 3.0 ignores the keyword, which its author may not expect.
    let (_, old) = imported(&with_operation("3.0.0", &sibling, components));
    assert_eq!((old.findings[0].code.as_str(), old.capabilities.len()), ("N0902", 1));
    assert!(!old.capabilities[0].output.as_ref().unwrap().canonical().contains("maxLength"));
}

#[test]
fn marked_properties_are_required_on_one_side() {
    let body = "      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
      responses: { '200': { description: ok, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Pet' } } } } } }";
    let components = "components:
  schemas:
    Pet:
      allOf:
        - $ref: '#/components/schemas/Base'
        - { required: [id, tag, pw], properties: { tag: { $ref: '#/components/schemas/Tag' } } }
      anyOf: [{ required: [id] }, { required: [name] }]
    Base:
      type: object
      required: [id, pw, name]
      properties:
        id: { type: string, readOnly: true }
        pw: { allOf: [{ type: string }], writeOnly: true }
        name: { type: string, readOnly: false }
        parent: { type: object, required: [id], properties: { id: { type: string } } }
      additionalProperties: { $ref: '#/components/schemas/Tag' }
    Tag: { type: object, required: [made], readOnly: true, properties: { made: { type: string, readOnly: true } } }";
    for version in ["3.0.3", "3.1.0"] {
        let capability = one(version, body, components);
        let required = |side: Side, pointer: &str| {
            let names = capability.schema(side).unwrap().source().pointer(&format!("/definitions/{pointer}/required"));
            names.map(|names| names.canonical()).unwrap_or_default()
        };
        let both = |pointer: &str| [required(Side::Request, pointer), required(Side::Response, pointer)];
        assert_eq!(both("Base"), [r#"["pw","name"]"#, r#"["id","name"]"#]);
        assert_eq!(both("Base/properties/parent"), [r#"["id"]"#, r#"["id"]"#], "another object");
        assert_eq!(both("Pet/allOf/1"), [r#"["pw"]"#, r#"["id","tag"]"#]);
        assert_eq!(both("Pet/anyOf/0"), ["", r#"["id"]"#]);
        assert_eq!(both("Tag"), ["", r#"["made"]"#]);
        let properties =
            |side: Side| capability.schema(side).unwrap().source().pointer("/definitions/Base/properties").cloned();
        assert_eq!(properties(Side::Request), properties(Side::Response), "all properties stay allowed");
    }
}

#[test]
fn marks_next_to_a_reference_apply_in_openapi_3_1() {
    let operation = "      requestBody: { required: true, content: { application/json: { schema: { type: object, required: [a], properties: { a: { $ref: '#/components/schemas/A', readOnly: true } } } } } }
      responses: { '204': { description: none } }";
    let components = "components: { schemas: { A: { type: string } } }";
    for (version, is_required) in [("3.0.3", true), ("3.1.0", false)] {
        let capability = one(version, operation, components);
        let source = capability.input.as_ref().unwrap().source();
        assert_eq!(source.get("required").is_some(), is_required, "{version}");
    }
}

#[test]
fn the_response_is_that_of_any_successful_code() {
    let responses = "      responses:
        default: { description: problem, content: { application/json: { schema: { type: object } } } }
        '404': { description: none, content: { application/json: { schema: { type: object } } } }
        x-note: { content: { application/json: { schema: { type: object } } } }
        '204': { description: nothing }
        '202': { description: later, content: { application/json: { schema: { type: boolean, maximum: 3 } } } }
        2XX: { $ref: '#/components/responses/Made' }
        '201': { $ref: '#/components/responses/Made' }";
    let components = "components: { responses: { Made: { description: made, content: { application/json: { schema: { type: number } } } } } }";
    let expected = r#"{"anyOf": [{"type": "number"}, {"type": "boolean", "maximum": 3}, {"type": "null"}]}"#;
    for version in ["3.0.0", "3.1.0"] {
        assert_schema(&one(version, responses, components), Side::Response, expected);
    }
    let any = "      responses: { '200': { description: any, content: { application/json: {} } }, '204': { description: nothing } }";
    assert!(one("3.1.0", any, "").output.is_none(), "any value is valid");
    let nothing = "      responses: { '205': { description: ok }, '204': { description: nothing } }";
    assert_schema(&one("3.1.0", nothing, ""), Side::Response, r#"{"type": "null"}"#);
}

#[test]
fn problems_of_several_responses_have_their_places() {
    let dynamic = "{ schema: { type: array, $dynamicRef: '#item' } }";
    let responses = format!(
        "      responses: {{ '204': {{ description: ok }}, '201': {{ description: a, content: {{ application/json: {dynamic} }} }} }}"
    );
    let found = findings(&responses);
    let at = "/paths/~1things/put/responses/201/content/application~1json/schema/$dynamicRef";
    assert!(found.len() == 1 && found[0].1.starts_with(at), "{found:?}");
}

#[test]
fn other_documents_and_cookies_are_rejected_where_they_are() {
    let at = "/paths/~1things/put";
    let rejected = |operation: &str, pointer: &str, message: &str| {
        let expected = ("E0911".to_owned(), format!("{at}{pointer}"), message.to_owned());
        assert_eq!(findings(operation), [expected], "{operation}");
    };
    let remote = format!("      requestBody: {{ $ref: 'https://example.com/body.yaml' }}\n{OK}");
    rejected(&remote, "/requestBody", "the reference leads to another document: bundle the document first");
    let missing = format!("      parameters: [{{ $ref: '#/components/parameters/x' }}]\n{OK}");
    rejected(&missing, "/parameters/0", "the reference `#/components/parameters/x` has no target");
    rejected("      $ref: 'operations.yaml'", "", "the reference leads to another document: bundle the document first");
    let cookie = format!("      parameters: [{{ name: s, in: cookie, required: true }}]\n{OK}");
    rejected(&cookie, "/parameters/0", "the parameter `s` is not in the path, the query or a header");
}

#[test]
fn problems_of_schemas_have_their_place_in_the_document() {
    let remote = "      responses: { '200': { description: ok, content: { application/json: { schema: { properties: { a: { $ref: 'other.yaml#/A' } } } } } } }";
    let text = with_operation("3.1.0", remote, "");
    let (document, found) = imported(&text);
    let pointer = "/paths/~1things/put/responses/200/content/application~1json/schema/properties/a/$ref";
    assert_eq!(found.findings[0].pointer, pointer);
    let label = document.with_places(&found.findings)[0].labels.remove(0);
    assert_eq!(text.get(label.span), Some("'other.yaml#/A'"));
    let body = "      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/A' } } } }";
    let dynamic = "components: { schemas: { A: { $dynamicRef: '#a' } } }";
    let (_, found) = imported(&with_operation("3.1.0", &format!("{body}\n{OK}"), dynamic));
    assert!(found.findings[0].pointer.starts_with("/components/schemas/A/$dynamicRef"), "{:?}", found.findings);
}

#[test]
fn a_problem_of_a_shared_component_is_reported_once() {
    let content = "content: { application/json: { schema: { $ref: '#/components/schemas/A' } } }";
    let picture = "'201': { $ref: 'picture.yaml' }";
    let operation = format!(
        "{{ requestBody: {{ required: true, {content} }}, responses: {{ '200': {{ {content} }}, {picture} }} }}"
    );
    let text = format!(
        "openapi: 3.1.0\npaths: {{ /a: {{ put: {operation}, post: {operation} }}, /b: {{ put: {operation} }} }}\ncomponents: {{ schemas: {{ A: {{ type: objct }} }} }}\n"
    );
    let (document, imported) = imported(&text);
    assert_eq!(imported.rejected, ["PUT /a", "POST /a", "PUT /b"]);
    let shared: Vec<_> = imported.findings.iter().filter(|f| f.pointer.starts_with("/components")).collect();
    assert_eq!(shared.len(), 1, "{:#?}", imported.findings);
    assert_eq!(shared[0].entry, "PUT /a");
    let place = "operation `PUT /a`, inputSchema, /components/schemas/A/type, and 2 other operations";
    assert_eq!(shared[0].place, place);
    assert_eq!(document.with_places(&imported.findings).len(), 4);
}

#[test]
fn other_documents_are_rejected() {
    for (text, pointer) in [
        ("swagger: '2.0'\npaths: {}", "/swagger"),
        ("openapi: 4.0.0\npaths: {}", "/openapi"),
        ("openapi: 3.1.0", ""),
        ("[1]", ""),
        ("openapi: 3.1.0\npaths: { a: { get: {} } }", "/paths/a"),
        ("openapi: 3.1.0\npaths: { /a: { $ref: '#/paths/~1a' } }", "/paths/~1a"),
    ] {
        let (_, imported) = imported(text);
        let found: Vec<_> = imported.findings.iter().map(|f| (f.code.as_str(), f.pointer.as_str())).collect();
        assert_eq!(found, [("E0901", pointer)], "{text}");
    }
}

#[test]
fn components_are_not_copied_without_limit() {
    let big: Vec<String> = (0..2_000).map(|index| format!("p{index}: {{ type: string }}")).collect();
    let reference = "{ schema: { $ref: '#/components/schemas/Big' } }";
    let path = |index: usize| {
        format!(
            "  /{index}:\n    get:\n      responses: {{ '200': {{ description: ok, content: {{ application/json: {reference} }} }} }}\n"
        )
    };
    let paths: String = (0..700).map(path).collect();
    let components = format!("components: {{ schemas: {{ Big: {{ properties: {{ {} }} }} }} }}\n", big.join(", "));
    let (_, imported) =
        imported(&format!("openapi: 3.1.0\ninfo: {{ title: a, version: '1' }}\npaths:\n{paths}{components}"));
    assert!(imported.findings.iter().all(|finding| finding.code.as_str() == "E0911"));
    assert!((100..600).contains(&imported.capabilities.len()), "{}", imported.capabilities.len());
}

#[test]
fn cards_without_valid_schemas_are_rejected() {
    let found = |text: &str| -> Vec<(String, String)> {
        let document = Document::parse_json(&Source::new("card.json", text)).unwrap();
        let imported = a2a::skills(&document, ImportSettings::default()).imported;
        imported.findings.into_iter().map(|f| (f.code.as_str().to_owned(), f.pointer)).collect()
    };
    let expected = |code: &str, pointer: &str| vec![(code.to_owned(), pointer.to_owned())];
    assert_eq!(found("{}"), expected("E0901", ""));
    assert_eq!(
        found(r#"{"skills": [{"id": "a"}], "capabilities": {"extensions": [{"uri": "x"}]}}"#),
        expected("N0931", "/skills")
    );
    let card_of = |skills: &str, capabilities: &str| {
        format!(
            r#"{{"skills": [{skills}], "capabilities": {{"extensions": [{{"uri": "https://github.com/capgen/capgen/extensions/contract/v1", "params": {{"capabilities": {capabilities}}}}}]}}}}"#
        )
    };
    let card = |capabilities: &str| card_of(r#"{"id": "a"}, {"id": "a b"}"#, capabilities);
    let at = "/capabilities/extensions/0/params/capabilities";
    assert_eq!(found(&card("7")), expected("E0901", at));
    assert_eq!(found(&card(r#"{"a": {}, "a b": {}}"#)), expected("E0904", &format!("{at}/a b")));
    assert_eq!(
        found(&card_of(r#"{"id": "a"}"#, r#"{"a": {"inputSchema": {"type": "text"}}}"#)),
        expected("E0105", &format!("{at}/a/inputSchema/type"))
    );
    let added = [r#"{"id": "a"}, {"name": "x"}, {"id": "new"}"#, r#"{"a": {}, "old": {}}"#];
    let text = card_of(added[0], added[1]);
    let place = format!("{at}/old");
    let differences = [("E0904", place.as_str()), ("E0902", "/skills/1"), ("E0902", "/skills/2")];
    assert_eq!(found(&text), differences.map(|(code, at)| (code.to_owned(), at.to_owned())));
    let document = Document::parse_json(&Source::new("card.json", text)).unwrap();
    let imported = a2a::skills(&document, ImportSettings::default()).imported;
    assert_eq!(imported.rejected, ["old", "new", ""]);
    assert_eq!(imported.capabilities.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["a"]);
}
