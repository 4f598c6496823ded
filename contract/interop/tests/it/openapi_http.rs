//! Operations of HTTP that an import keeps and an export gives back.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_descriptor::SideEffects;
use capgen_interop::import::{Document, ImportSettings, Imported, a2a as from_a2a, mcp as from_mcp, openapi as import};
use capgen_interop::{McpOptions, a2a, mcp, openapi};
use capgen_manifest::{AgentId, Capability, Manifest, Source, TransportSettings, load};
use capgen_schema::Json;
use proptest::prelude::*;

fn imported(text: &str) -> Imported {
    let document = Document::parse(&Source::new("openapi.yaml", text)).unwrap();
    import::operations(&document, ImportSettings::default()).imported
}

fn manifest(imported: Imported) -> Manifest {
    imported.into_manifest(AgentId::new("shop").unwrap(), vec![TransportSettings::memory("shop")])
}

/// The document of an export.
fn exported(manifest: &Manifest) -> Json {
    openapi(manifest).document
}

/// An import, after an export and another import of it.
#[track_caller]
fn again(first: &Manifest) -> Manifest {
    let document = Document::of_value(exported(first));
    let second = import::operations(&document, ImportSettings::default()).imported;
    let errors: Vec<_> = second.findings.iter().filter(|it| it.code.as_str().starts_with('E')).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    manifest(second)
}

#[track_caller]
fn assert_same(first: &Manifest, second: &Manifest, text: &str) {
    assert_eq!(first.to_yaml(), second.to_yaml(), "{text}");
}

const SHOP: &str = r##"
openapi: 3.0.3
info: { title: Shop, version: 1.0.0 }
servers:
  - { url: "https://{region}.shop.example/v1", x-internal: true, variables: { region: { default: eu } } }
security: [{ key: [] }, { oauth: [read] }]
paths:
  /things/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string } }
    get:
      operationId: getThing
      parameters:
        - { name: filter, in: query, style: deepObject, explode: true, schema: { type: object } }
        - { name: tags, in: query, explode: false, schema: { type: array, items: { type: string } } }
        - { name: where, in: query, required: true, content: { application/json: { schema: { type: object } } } }
        - { name: X-Trace, in: header, schema: { type: string } }
      responses:
        '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }
        '404': { description: none }
    put:
      operationId: putThing
      servers: [{ url: /other }]
      security: []
      requestBody: { content: { application/merge-patch+json: { schema: { $ref: '#/components/schemas/Thing' } } } }
      responses:
        '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }
        '201': { description: ok, content: { application/json: { schema: { type: integer } } } }
        '204': { description: nothing }
    head: { operationId: headThing, responses: { '200': { description: ok } } }
  /upload:
    post:
      operationId: upload
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema: { type: object, properties: { file: { type: string, format: binary } } }
            encoding: { file: { contentType: image/png, headers: {} } }
      responses: { default: { description: ok, content: { text/plain: {} } } }
  /raw:
    post:
      operationId: raw
      requestBody: { required: true, content: { application/octet-stream: {} } }
      responses: { '200': { description: ok, content: { application/pdf: {} } } }
    delete: { operationId: deleteRaw, responses: { '204': { description: ok } } }
components:
  securitySchemes:
    key: { $ref: '#/components/securitySchemes/real' }
    real: { type: apiKey, name: X-Key, in: header, x-extra: 1 }
    oauth: { type: oauth2, flows: { clientCredentials: { tokenUrl: https://id.example/token, scopes: { read: Read } } } }
  schemas:
    Thing: { type: object, nullable: true, required: [id], properties: { id: { type: string, readOnly: true }, next: { $ref: '#/components/schemas/Thing' } } }
"##;

fn http(capability: &Capability) -> String {
    capability.http.as_ref().map(|http| http.definition().canonical()).unwrap_or_default()
}

#[test]
fn an_import_keeps_the_operation() {
    let imported = imported(SHOP);
    assert!(!imported.has_errors(), "{:#?}", imported.findings);
    let find = |name: &str| imported.capabilities.iter().find(|capability| capability.name == name).unwrap();
    let servers = r#""servers":[{"url":"https://{region}.shop.example/v1","variables":{"region":{"default":"eu"}}}]"#;
    let text = http(find("getThing"));
    assert!(text.contains(servers), "{text}");
    assert!(text.contains(r#""method":"GET""#) && text.contains(r#""path":"/things/{id}""#), "{text}");
    assert!(
        text.contains(
            r#""parameters":[{"in":"path","name":"id"},{"explode":true,"in":"query","name":"filter","style":"deepObject"},{"explode":false,"in":"query","name":"tags"},{"content":"application/json","in":"query","name":"where"},{"in":"header","name":"X-Trace"}]"#
        ),
        "{text}"
    );
    assert!(
        text.contains(r#""key":{"in":"header","name":"X-Key","type":"apiKey"}"#) && !text.contains("real"),
        "{text}"
    );
    assert!(text.contains(r#""responses":{"200":{"mediaType":"application/json"}}"#), "{text}");
    let text = http(find("putThing"));
    assert!(text.contains(r#""servers":[{"url":"/other"}]"#) && !text.contains("security"), "{text}");
    assert!(text.contains(r#""body":{"mediaTypes":["application/merge-patch+json"]}"#), "{text}");
    let text = http(find("upload"));
    assert!(text.contains(r#""encoding":{"file":{"contentType":"image/png"}}"#), "{text}");
}

#[test]
fn an_export_gives_the_operation_back() {
    let first = manifest(imported(SHOP));
    let document = exported(&first);
    let at = |pointer: &str| document.pointer(pointer).map(Json::canonical).unwrap_or_default();
    assert_eq!(at("/servers/0/url"), r#""https://{region}.shop.example/v1""#);
    assert_eq!(at("/security"), r#"[{"key":[]},{"oauth":["read"]}]"#);
    assert_eq!(at("/components/securitySchemes/key"), r#"{"in":"header","name":"X-Key","type":"apiKey"}"#);
    assert_eq!(at("/paths/~1things~1{id}/put/security"), "[]");
    assert_eq!(at("/paths/~1things~1{id}/put/servers"), r#"[{"url":"/other"}]"#);
    assert_eq!(
        at("/paths/~1things~1{id}/get/parameters/0"),
        r#"{"in":"path","name":"id","required":true,"schema":{"type":"string"}}"#
    );
    assert!(!at("/paths/~1upload/post/requestBody/content/multipart~1form-data/schema").is_empty());
    assert_eq!(at("/paths/~1things~1{id}/put/responses/201/content/application~1json/schema"), r#"{"type":"integer"}"#);
    assert_eq!(openapi(&first).losses.iter().filter(|loss| loss.message.contains("http")).count(), 0);
    assert_same(&first, &again(&first), SHOP);
}

#[test]
fn a_manifest_of_an_import_loads_again() {
    let first = manifest(imported(SHOP));
    let text = first.to_yaml();
    let loaded = load(&Source::new("capabilities.yaml", text.as_str())).unwrap().manifest;
    assert_eq!(loaded.to_yaml(), text);
    assert_same(&first, &again(&loaded), &text);
}

#[test]
fn operations_of_an_agent_are_not_on_the_servers_of_others() {
    let mut first = manifest(imported(SHOP));
    first.capabilities.push(Capability::new("zz-own"));
    let document = exported(&first);
    let own = document.pointer("/paths/~1capabilities~1zz-own/post").unwrap();
    assert_eq!(own.get("security").map(Json::canonical).as_deref(), Some("[]"));
    assert_eq!(own.get("servers").map(Json::canonical).as_deref(), Some("[]"));
    assert!(again(&first).capabilities.last().unwrap().http.is_none());
}

#[test]
fn an_operation_whose_request_has_another_form_is_kept_as_data() {
    let text = r#"{"version":1,"agent":"agent://shop","transports":[{"kind":"memory","topics":{"requests":"a"}}],"capabilities":[
        {"name":"a","wireName":"GET /a/{id}","http":{"method":"GET","path":"/a/{id}","parameters":[{"name":"id","in":"path"}]},"inputSchema":{"type":"string"}},
        {"name":"b","http":{"method":"GET","path":"/b","responses":{"200":{},"204":{}}},"inputSchema":{"type":"object","additionalProperties":false},"outputSchema":{"type":"string"}},
        {"name":"c","http":{"method":"GET","path":"/capabilities/x"},"inputSchema":{"type":"object","additionalProperties":false}}]}"#;
    let first = load(&Source::new("capabilities.json", text)).unwrap().manifest;
    let export = openapi(&first);
    let losses = export.losses.iter().filter(|loss| loss.message.starts_with("`http`")).count();
    assert_eq!(losses, 3, "{:#?}", export.losses);
    let second = again(&first);
    let definitions = |manifest: &Manifest| -> Vec<String> {
        manifest.capabilities.iter().map(|capability| Json::Object(capability.definition()).canonical()).collect()
    };
    assert_eq!(definitions(&first), definitions(&second));
}

#[test]
fn parts_that_may_be_secrets_are_left_out_with_a_warning() {
    let text = r#"
openapi: 3.1.0
info: { title: Shop, version: 1.0.0 }
servers: [{ url: "https://me:hunter2@shop.example" }, { url: https://shop.example }]
security: [{ lost: [] }, { key: [] }, 7]
paths:
  /a: { get: { operationId: a, responses: { '204': { description: ok } } } }
  "/a b": { get: { operationId: b, responses: { '204': { description: ok } } } }
components: { securitySchemes: { key: { type: apiKey, name: k, in: query } } }
"#;
    let imported = imported(text);
    let codes: Vec<&str> = imported.findings.iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(codes, ["W0912"; 4], "{:#?}", imported.findings);
    assert!(!format!("{:?}", imported.findings).contains("hunter2"));
    let first = http(&imported.capabilities[0]);
    assert!(
        first.contains(r#""servers":[{"url":"https://shop.example"}]"#) && first.contains(r#""security":[{"key":[]}]"#)
    );
    assert!(imported.capabilities[1].http.is_none() && !imported.has_errors());
}

#[test]
fn other_formats_keep_the_operation_as_data() {
    let first = manifest(imported(SHOP));
    let all = |imported: Imported| {
        let errors: Vec<_> = imported.findings.iter().filter(|it| it.code.as_str().starts_with('E')).collect();
        assert!(errors.is_empty(), "{errors:#?}");
        imported.capabilities.iter().map(http).collect::<Vec<_>>()
    };
    let expected: Vec<String> = first.capabilities.iter().map(http).collect();
    let tools = Document::of_value(mcp(&first, McpOptions::default()).document);
    assert_eq!(all(from_mcp::tools(&tools, ImportSettings::default()).imported), expected);
    let card = Document::of_value(a2a(&first, "https://shop.example").document);
    assert_eq!(all(from_a2a::skills(&card, ImportSettings::default()).imported), expected);
}

#[test]
fn a_mark_of_someone_else_is_checked() {
    let document = exported(&manifest(imported(SHOP))).canonical();
    let changed = document.replacen(r#""http":"operation""#, r#""http":{"method":"GET"}"#, 1);
    assert_ne!(changed, document);
    assert!(imported(&changed).findings.iter().any(|finding| finding.code.as_str() == "E0904"));
}

#[test]
fn hostile_servers_are_not_copied_without_limit() {
    let servers: String = (0..3000).map(|number| format!("{{ url: /{number} }},")).collect();
    let paths: String = (0..3000)
        .map(|n| format!("  /p{n}: {{ get: {{ responses: {{ '204': {{ description: a }} }} }} }}\n"))
        .collect();
    let text = format!("openapi: 3.1.0\ninfo: {{ title: a, version: '1' }}\nservers: [{servers}]\npaths:\n{paths}");
    let imported = imported(&text);
    assert!(!imported.has_errors());
    assert!(imported.findings.iter().all(|finding| finding.code.as_str() == "W0912"));
    let text = manifest(imported).to_yaml();
    assert!(load(&Source::new("capabilities.yaml", text)).is_ok());
}

fn schema() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        r#"{"type":"string"}"#,
        r##"{"$ref":"#/components/schemas/A"}"##,
        r#"{"type":["string","null"]}"#,
        r#"{"type":"object","properties":{"a":true},"required":["a"]}"#,
        r##"{"anyOf":[{"$ref":"#/components/schemas/B"},{"type":"null"}]}"##,
        r#"{"type":"null"}"#,
        r#"{}"#,
        "true",
        r#"{"type":"object","properties":{"body":{"type":"string"}},"additionalProperties":false}"#,
    ])
}

fn media_type() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "application/json",
        "application/problem+json; charset=utf-8",
        "*/*",
        "multipart/form-data",
        "text/plain",
        "image/png",
    ])
}

fn content() -> impl Strategy<Value = String> {
    prop::collection::btree_map(media_type(), prop::option::of(schema()), 1..3).prop_map(|mut types| {
        // A union of strings is read as any value, so such an operation is kept as data.
        if types.contains_key("text/plain") {
            types.remove("image/png");
        }
        let types: Vec<String> = types
            .into_iter()
            .map(|(name, schema)| match schema {
                Some(schema) => format!(r#""{name}":{{"schema":{schema}}}"#),
                None => format!(r#""{name}":{{}}"#),
            })
            .collect();
        format!(r#""content":{{{}}}"#, types.join(","))
    })
}

fn parameter() -> impl Strategy<Value = (String, String)> {
    let place = prop::sample::select(vec![
        r#""in":"path","required":true"#,
        r#""in":"query","required":true"#,
        r#""in":"query","style":"pipeDelimited","explode":false"#,
        r#""in":"query","explode":false,"allowReserved":true"#,
        r#""in":"header","style":"form""#,
        r#""in":"cookie""#,
    ]);
    let value = prop_oneof![schema().prop_map(|schema| format!(r#""schema":{schema}"#)), content()];
    (0..4_u8, place, value)
        .prop_map(|(name, place, value)| (format!("p{name}"), format!(r#"{{"name":"p{name}",{place},{value}}}"#)))
}

fn operation() -> impl Strategy<Value = String> {
    let parameters = prop::collection::btree_map(0..9_u8, parameter(), 0..5);
    let body = prop::option::of((content(), any::<bool>()));
    let status = prop::sample::select(vec!["200", "201", "204", "206", "2XX", "404"]);
    let responses = prop::collection::btree_map(status, prop::option::of(content()), 1..4);
    let more =
        prop::sample::select(vec!["", r#","servers":[]"#, r#","security":[]"#, r#","security":[{},{"k":["a"]}]"#]);
    (parameters, body, responses, more).prop_map(|(parameters, body, responses, more)| {
        let mut names = std::collections::BTreeSet::new();
        let parameters: Vec<String> =
            parameters.into_values().filter(|(name, _)| names.insert(name.clone())).map(|(_, text)| text).collect();
        let body = body.map_or(String::new(), |(content, is_required)| {
            format!(r#","requestBody":{{"required":{is_required},{content}}}"#)
        });
        let responses: Vec<String> = responses
            .into_iter()
            .map(|(status, content)| {
                let content = content.map_or(String::new(), |content| format!(",{content}"));
                format!(r#""{status}":{{"description":"a"{content}}}"#)
            })
            .collect();
        let (parameters, responses) = (parameters.join(","), responses.join(","));
        format!(r#"{{"parameters":[{parameters}]{body},"responses":{{{responses}}}{more}}}"#)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn import_export_and_import_give_the_same_manifest(
        operations in prop::collection::vec((prop::sample::select(vec!["get", "post", "head", "put"]), operation(), any::<bool>()), 1..5),
    ) {
        let (mut paths, mut webhooks) = (Vec::new(), Vec::new());
        for (index, (method, operation, is_webhook)) in operations.iter().enumerate() {
            let item = |path: &str| format!(r#""{path}":{{"{method}":{operation}}}"#);
            if *is_webhook { webhooks.push(item(&format!("w{index}"))) } else { paths.push(item(&format!("/p{index}"))) }
        }
        let text = format!(
            r##"{{"openapi":"3.1.0","info":{{"title":"a","version":"1"}},"servers":[{{"url":"/v1"}}],"security":[{{"k":[]}}],
            "paths":{{{}}},"webhooks":{{{}}},"components":{{"securitySchemes":{{"k":{{"type":"http","scheme":"basic"}}}},
            "schemas":{{"A":{{"type":"string"}},"B":{{"type":"object","properties":{{"a":{{"$ref":"#/components/schemas/A"}}}}}}}}}}}}"##,
            paths.join(","), webhooks.join(",")
        );
        let first = imported(&text);
        prop_assert!(!first.has_errors(), "{:#?}\n{}", first.findings, text);
        let first = manifest(first);
        let second = again(&first);
        prop_assert_eq!(first.to_yaml(), second.to_yaml(), "{}", text);
        let losses = openapi(&first).losses;
        prop_assert!(losses.iter().all(|loss| !loss.message.starts_with("`http`")), "{:#?}\n{}", losses, text);
    }
}

#[test]
fn operations_may_have_other_methods() {
    let answer =
        "responses: { '200': { description: ok, content: { application/json: { schema: { type: string } } } } }";
    let text = format!(
        "
openapi: 3.2.0
info: {{ title: Shop, version: 1.0.0 }}
paths:
  /things:
    query:
      operationId: findThings
      requestBody: {{ required: true, content: {{ application/json: {{ schema: {{ type: object }} }} }} }}
      {answer}
    additionalOperations:
      COPY: {{ operationId: copyThing, {answer} }}
      M-SEARCH: {{ {answer} }}
"
    );
    let first = imported(&text);
    assert_eq!(first.findings, []);
    let first = manifest(first);
    let found: Vec<_> = first.capabilities.iter().map(|one| (one.name.as_str(), one.wire_name.as_deref())).collect();
    let names =
        [("M-SEARCH_things", "M-SEARCH /things"), ("copyThing", "COPY /things"), ("findThings", "QUERY /things")];
    assert_eq!(found, names.map(|(name, wire)| (name, Some(wire))));
    let find = &first.capabilities[2];
    assert_eq!((find.side_effects, find.http.as_ref().unwrap().method()), (Some(SideEffects::Pure), "QUERY"));
    assert_eq!(first.capabilities[1].side_effects, None);
    let losses: Vec<String> = openapi(&first).losses.into_iter().map(|loss| loss.message).collect();
    assert!(
        losses.contains(&"`http` is not the operation: OpenAPI 3.1 has no method `QUERY`".to_owned()),
        "{losses:?}"
    );
    assert_same(&first, &again(&first), &text);
}
