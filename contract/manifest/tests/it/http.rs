//! The key `http`, at the root and in capabilities.

use capgen_diagnostic::render;
use capgen_manifest::{Diagnostic, Http, Manifest, Source, capabilities_schema, load};
use proptest::prelude::*;
use serde_json::Value;

const HEAD: &str = "version: 1\nagent: agent://shop\ntransports:\n  - kind: memory\n    topics: { requests: shop }\n";

fn read(rest: &str) -> Result<Manifest, Vec<Diagnostic>> {
    load(&Source::new("capabilities.yaml", format!("{HEAD}{rest}"))).map(|contract| contract.manifest)
}

fn with_http(http: &str) -> Result<Manifest, Vec<Diagnostic>> {
    read(&format!("capabilities:\n  - name: a\n    http: {http}\n"))
}

/// The codes and pointers of the findings.
fn found(findings: &[Diagnostic]) -> Vec<(&str, &str)> {
    findings.iter().map(|finding| (finding.code.as_str(), finding.pointer.as_deref().unwrap_or_default())).collect()
}

const FULL: &str = "http:
  servers:
    - url: https://{region}.shop.example/v1
      description: The shop
      variables:
        region: { default: eu, enum: [eu, us], description: The region }
  security: [{ key: [] }, { oauth: [read, write] }]
  securitySchemes:
    key: { type: apiKey, name: X-Key, in: header }
    oauth:
      type: oauth2
      flows:
        authorizationCode:
          authorizationUrl: https://id.shop.example/authorize
          tokenUrl: https://id.shop.example/token
          scopes: { read: Read, write: Write }
    unused: { type: mutualTLS }
capabilities:
  - name: get
    http:
      method: GET
      path: /things/{id}
      parameters:
        - { name: id, in: path }
        - { name: filter, in: query, style: deepObject, explode: true, allowReserved: true }
        - { name: X-Trace, in: header, content: application/json }
        - { name: session, in: cookie }
      responses:
        \"200\": { mediaType: application/json }
        \"404\": { code: NOT_FOUND }
        2XX: {}
        default: {}
  - name: put
    http:
      method: PUT
      path: /things
      servers: []
      security: []
      body:
        mediaTypes: [multipart/form-data]
        encoding: { file: { contentType: image/png } }
  - name: list
    http:
      method: GET
      path: /things
      security: [{ key: [] }]
      securitySchemes: { key: { type: http, scheme: bearer, bearerFormat: JWT } }
  - name: sold
    http: { webhook: sold, security: [{}] }
  - name: plain
";

#[test]
fn every_key_is_read_and_written_with_the_defaults_of_the_root() {
    let manifest = read(FULL).unwrap();
    let http = |index: usize| manifest.capabilities[index].http.as_ref().unwrap();
    assert_eq!((http(0).method(), http(0).path(), http(0).webhook()), ("GET", Some("/things/{id}"), None));
    assert_eq!(http(0).list("servers").len(), 1);
    assert_eq!(http(0).list("security").len(), 2);
    let schemes = |index: usize| http(index).get("securitySchemes").map(|schemes| schemes.canonical());
    assert!(schemes(0).unwrap().starts_with(r#"{"key":{"in":"header","#) && !schemes(0).unwrap().contains("unused"));
    assert!(http(1).get("servers").is_none() && http(1).get("security").is_none() && schemes(1).is_none());
    assert_eq!(schemes(2).unwrap(), r#"{"key":{"bearerFormat":"JWT","scheme":"bearer","type":"http"}}"#);
    assert_eq!((http(3).webhook(), http(3).method(), http(3).path()), (Some("sold"), "POST", None));
    assert!(manifest.capabilities[4].http.is_none());

    let text = manifest.to_yaml();
    let again = load(&Source::new("capabilities.yaml", text.as_str())).unwrap().manifest;
    assert_eq!(again.to_yaml(), text);
    for (old, new) in manifest.capabilities.iter().zip(&again.capabilities) {
        assert_eq!(old.http, new.http, "{text}");
    }
    // Three of four have the servers, so they are written once.
    assert_eq!(text.matches("region}.shop.example").count(), 1, "{text}");
    assert!(text.contains("      servers: []\n"), "{text}");
}

#[test]
fn it_is_in_the_definition_and_not_in_the_hash() {
    let (with, without) =
        (with_http("{ method: GET, path: /a }").unwrap(), read("capabilities: [{ name: a }]").unwrap());
    assert_eq!(with.hash(), without.hash());
    let definition = |manifest: &Manifest| manifest.capabilities[0].definition();
    assert_eq!(definition(&with).get("http").unwrap().canonical(), r#"{"method":"GET","path":"/a"}"#);
    assert!(definition(&without).get("http").is_none());
}

#[test]
fn other_methods_than_the_usual_ones_are_tokens() {
    for method in ["QUERY", "COPY", "LINK", "PROPFIND", "M-SEARCH", "copy"] {
        let manifest = with_http(&format!("{{ method: {method}, path: /a }}")).unwrap();
        assert_eq!(manifest.capabilities[0].http.as_ref().unwrap().method(), method);
    }
}

#[test]
fn all_mistakes_are_reported_at_their_places() {
    let text = "{
        method: get, path: things, webhook: '', paramters: [], servers: [{ url: 'https://me:hunter2@a.example' }, {}, 7],
        security: [{ other: [] }, { key: read }], securitySchemes: { key: { type: apiKey, scheme: x }, b: { type: basic } },
        parameters: [{ name: a, in: query }, { name: a, in: query }, { name: b, in: path, style: form }, { name: X-A, in: header },
          { name: x-a, in: header }, { in: body }],
        body: { mediaTypes: [] }, responses: { 600: {}, '200': { mediaType: 5 } } }";
    let findings = with_http(text).unwrap_err();
    let mut all = found(&findings);
    all.sort_unstable();
    let expected = [
        ("E0201", "/paramters"),
        ("E0201", "/securitySchemes/key/scheme"),
        ("E0202", "/parameters/5"),
        ("E0202", "/securitySchemes/key"),
        ("E0202", "/securitySchemes/key"),
        ("E0202", "/servers/1"),
        ("E0203", "/responses/200/mediaType"),
        ("E0203", "/security/1/key"),
        ("E0203", "/servers/2"),
        ("E0206", "/body/mediaTypes"),
        ("E0211", "/method"),
        ("E0211", "/parameters/5/in"),
        ("E0211", "/securitySchemes/b/type"),
        ("E0214", "/webhook"),
        ("E0220", "/path"),
        ("E0220", "/responses/600"),
        ("E0220", "/webhook"),
        ("E0221", "/parameters/1/name"),
        ("E0221", "/parameters/2/style"),
        ("E0221", "/parameters/4/name"),
        ("E0222", "/servers/0/url"),
        ("E0223", "/security/0/other"),
    ];
    let expected: Vec<(&str, String)> =
        expected.into_iter().map(|(code, at)| (code, format!("/capabilities/0/http{at}"))).collect();
    let all: Vec<(&str, String)> = all.into_iter().map(|(code, at)| (code, at.to_owned())).collect();
    assert_eq!(all, expected);
    let shown = render::human(&findings, false);
    assert!(!shown.contains("hunter2"), "{shown}");
    assert!(shown.contains("did you mean `GET`?") && shown.contains("did you mean `parameters`?"), "{shown}");
}

#[test]
fn mistakes_at_the_root_are_reported_once() {
    let rest = "http: { servers: [{ url: 'https://a.example?key=hunter2' }], security: [{ a: [] }], method: GET }
capabilities: [{ name: a, http: { method: GET, path: /a } }, { name: b, http: { method: GET, path: /b } }]";
    let findings = read(rest).unwrap_err();
    assert_eq!(
        found(&findings),
        [("E0222", "/http/servers/0/url"), ("E0223", "/http/security/0/a"), ("E0201", "/http/method")]
    );
    assert!(!render::human(&findings, false).contains("hunter2"));
}

#[test]
fn an_operation_has_a_method_and_a_path_or_is_a_webhook() {
    for (http, code, at) in [
        ("{}", "E0220", ""),
        ("{ path: /a }", "E0202", ""),
        ("{ method: GET }", "E0220", ""),
        ("{ method: 'A B', path: /a }", "E0211", "/method"),
        ("{ method: '', path: /a }", "E0211", "/method"),
        ("{ method: Post, path: /a }", "E0211", "/method"),
        ("{ method: QUERRY, path: /a }", "E0211", "/method"),
        ("{ method: GET, path: /a, webhook: b }", "E0220", "/webhook"),
        ("{ method: GET, path: '/a b' }", "E0220", "/path"),
        ("{ method: GET, path: \"/a\\nb\" }", "E0220", "/path"),
        ("{ webhook: \"a\\u0007\" }", "E0220", "/webhook"),
        ("7", "E0203", ""),
        ("", "E0203", ""),
    ] {
        let findings = with_http(http).unwrap_err();
        assert_eq!(found(&findings), [(code, format!("/capabilities/0/http{at}").as_str())], "{http}");
    }
}

#[test]
fn hostile_defaults_are_not_copied_without_limit() {
    let servers: String = (0..30_000).map(|number| format!("{{ url: /{number} }},")).collect();
    let capabilities: String =
        (0..30_000).map(|number| format!("  - {{ name: a{number}, http: {{ method: GET, path: /a }} }}\n")).collect();
    let findings = read(&format!("http: {{ servers: [{servers}] }}\ncapabilities:\n{capabilities}")).unwrap_err();
    assert!(findings.iter().all(|finding| finding.code.as_str() == "E0008"), "{:?}", findings.first());
}

#[test]
fn the_schema_for_editors_knows_the_keys() {
    let schema: Value = serde_json::from_str(&capabilities_schema().canonical()).unwrap();
    let http = &schema["definitions"]["capability"]["properties"]["http"];
    assert_eq!(http["properties"].as_object().unwrap().len(), 9);
    assert_eq!(http["properties"]["parameters"]["items"]["required"], serde_json::json!(["name", "in"]));
    assert_eq!(schema["properties"]["http"]["properties"].as_object().unwrap().len(), 3);
}

/// A random value of `http`, from a few servers, schemes and requirements.
fn operation() -> impl Strategy<Value = String> {
    let servers = prop::option::of(prop::collection::vec(0..3_u8, 0..3));
    let security = prop::option::of(prop::collection::vec(0..3_u8, 0..3));
    (servers, security, 0..2_u8, prop::bool::ANY).prop_map(|(servers, security, scheme, is_webhook)| {
        let servers = servers.map(|all| {
            let all: Vec<String> = all.iter().map(|n| format!(r#"{{"url":"https://{n}.example"}}"#)).collect();
            format!(r#","servers":[{}]"#, all.join(","))
        });
        let schemes: Vec<String> =
            (0..3).map(|n| format!(r#""s{n}":{{"type":"apiKey","name":"k{scheme}","in":"query"}}"#)).collect();
        let security = security.map(|all| {
            let all: Vec<String> = all.iter().map(|n| format!(r#"{{"s{n}":["a"]}}"#)).collect();
            format!(r#","security":[{}],"securitySchemes":{{{}}}"#, all.join(","), schemes.join(","))
        });
        let target = if is_webhook { r#""webhook":"w""# } else { r#""method":"GET","path":"/a""# };
        format!("{{{target}{}{}}}", servers.unwrap_or_default(), security.unwrap_or_default())
    })
}

proptest! {
    #[test]
    fn a_written_manifest_has_the_same_operations(all in prop::collection::vec(prop::option::of(operation()), 1..8)) {
        let mut manifest = read("capabilities: [{ name: a }]").unwrap();
        let one = manifest.capabilities[0].clone();
        manifest.capabilities.clear();
        for (index, text) in all.iter().enumerate() {
            let http = text.as_ref().map(|text| Http::from_definition(&text.parse().unwrap()).unwrap());
            manifest.capabilities.push(capgen_manifest::Capability { name: format!("a{index}"), http, ..one.clone() });
        }
        let text = manifest.to_yaml();
        let again = load(&Source::new("capabilities.yaml", text.as_str())).map_err(|findings| format!("{findings:?}")).unwrap();
        for (old, new) in manifest.capabilities.iter().zip(&again.manifest.capabilities) {
            prop_assert_eq!(&old.http, &new.http, "{}", text);
        }
        prop_assert_eq!(again.manifest.to_yaml(), text);
    }
}
