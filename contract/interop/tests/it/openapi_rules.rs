//! The parts of an OpenAPI document that linters require: they state nothing that the contract does not.

use capgen_interop::import::{Document, ImportSettings, openapi as operations};
use capgen_interop::{openapi, pretty};
use capgen_manifest::{Capability, Manifest, Source, load};
use capgen_schema::Json;

const TEXT: &str = r#"
version: 1
agent: agent://shop
transports: [{ kind: memory, topics: { requests: shop } }]
capabilities:
  - name: free
    description: "Looks. And more."
  - name: paid
    requiredRoles: [cashier]
    requiredScopes: ["payments:write"]
    errors: [{ code: SLOW, status: 503 }]
    inputSchema: { anyOf: [true, { not: false }], properties: { a: { items: [false, true] }, b: true } }
    outputSchema: true
  - name: get
    requiredRoles: [cashier]
    http: { method: GET, path: /things, responses: { "200": { mediaType: application/json } }, HTTP }
    outputSchema: { type: object }
"#;

fn contract(http: &str) -> Manifest {
    load(&Source::new("capabilities.yaml", TEXT.replace("HTTP", http))).unwrap().manifest
}

fn at<'d>(document: &'d Json, pointer: &str) -> Option<String> {
    document.pointer(pointer).map(|value: &'d Json| value.canonical())
}

#[test]
fn servers_and_requirements_are_those_of_the_contract_or_mean_nothing() {
    let document = openapi(&contract("")).document;
    let places = [
        ("/servers", r#"[{"url":"/"}]"#),
        ("/security", "[]"),
        ("/paths/~1capabilities~1paid/post/security", r#"[{"rights":["cashier","payments:write"]}]"#),
        ("/paths/~1things/get/servers", "[]"),
        ("/components/securitySchemes/rights/type", r#""http""#),
    ];
    for (place, expected) in places {
        assert_eq!(at(&document, place).as_deref(), Some(expected), "{place}");
    }
    // The operation of HTTP states itself how its callers prove their rights.
    for place in ["/paths/~1things/get/security", "/paths/~1capabilities~1free/post/security"] {
        assert_eq!(at(&document, place), None, "{place}");
    }
    let own = "servers: [{ url: 'https://x.example' }], security: [{ rights: [] }], \
               securitySchemes: { rights: { type: apiKey, name: X, in: header } }";
    let document = openapi(&contract(own)).document;
    let names = document.pointer("/components/securitySchemes").and_then(Json::as_object).unwrap();
    assert_eq!(names.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["rights", "rights-2"]);
    let security = at(&document, "/paths/~1capabilities~1paid/post/security");
    assert_eq!(security.as_deref(), Some(r#"[{"rights-2":["cashier","payments:write"]}]"#));
}

#[test]
fn operations_have_summaries_and_a_response_for_invalid_requests() {
    let document = openapi(&contract("")).document;
    assert_eq!(at(&document, "/paths/~1capabilities~1free/post/summary").as_deref(), Some("\"Looks.\""));
    assert_eq!(at(&document, "/paths/~1capabilities~1paid/post/summary").as_deref(), Some("\"paid\""));
    for (operation, is_present) in [("~1capabilities~1paid/post", true), ("~1things/get", false)] {
        let found = at(&document, &format!("/paths/{operation}/responses/4XX"));
        assert_eq!(found.is_some(), is_present, "{operation}");
    }
}

#[test]
fn an_import_gives_the_contract_again() {
    for http in ["", "servers: [], security: []", "servers: [{ url: / }]", "servers: [{ url: 'https://x.example' }]"] {
        let manifest = contract(http);
        let document = openapi(&manifest).document;
        let source = Source::new("openapi.json", pretty(&document));
        let document = Document::parse_json(&source).unwrap();
        let imported = operations::operations(&document, ImportSettings::default()).imported;
        assert_eq!(imported.rejected, [""; 0], "{:?}", imported.findings);
        let again = imported.into_manifest(manifest.agent.clone(), manifest.transports.clone());
        for capability in &manifest.capabilities {
            let found = again.capability(&capability.name).unwrap();
            let expected = Capability { wire_name: found.wire_name.clone(), ..capability.clone() };
            let text = |capability: &Capability| Json::Object(capability.definition()).canonical();
            assert_eq!(text(found), text(&expected), "{http}");
        }
        assert_eq!(again.hash(), manifest.hash(), "{http}");
    }
}
