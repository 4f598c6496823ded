//! The texts about an agent in all formats that have a place for them.

use capgen_interop::import::json_schema::Naming;
use capgen_interop::import::{self, Document, ImportSettings};
use capgen_interop::{McpOptions, a2a, json_schema, mcp, openapi, pretty};
use capgen_manifest::{About, Contact, HttpsUrl, Manifest, Source, load};
use capgen_schema::Json;

const REST: &str = "transports: [{ kind: memory, topics: { requests: a } }]\ncapabilities: [{ name: x }]\n";

fn contract(about: About) -> Manifest {
    let text = format!("version: 1\nagent: agent://a\n{REST}");
    Manifest { about, ..load(&Source::new("capabilities.yaml", text)).unwrap().manifest }
}

fn full(contact: &str) -> About {
    About {
        description: Some("Reviews */ pull requests.\n\n# All".to_owned()),
        owner: Some("Team \"A\"".to_owned()),
        contact: Contact::new(contact),
        documentation: HttpsUrl::new("https://docs.example.com/a"),
    }
}

fn document(json: &Json) -> Document {
    Document::parse_json(&Source::new("in.json", pretty(json))).unwrap()
}

#[test]
fn an_import_of_an_export_has_the_texts() {
    let settings = ImportSettings::default();
    let owner = About { owner: Some("Ann".to_owned()), ..About::default() };
    for about in [full("team@example.com"), full("https://example.com/help"), owner, About::default()] {
        let manifest = contract(about.clone());
        let tools = mcp(&manifest, McpOptions::default()).document;
        assert_eq!(import::mcp::tools(&document(&tools), settings).imported.about, about, "{}", pretty(&tools));
        let card = a2a(&manifest, "https://a.example.com").document;
        assert_eq!(import::a2a::skills(&document(&card), settings).imported.about, about, "{}", pretty(&card));
        let operations = openapi(&manifest).document;
        let imported = import::openapi::operations(&document(&operations), settings).imported;
        assert_eq!(imported.about, about, "{}", pretty(&operations));
        let files: Vec<(String, Document)> =
            json_schema(&manifest).into_iter().map(|(name, file)| (name, Document::of_value(file))).collect();
        let imported = import::json_schema::schemas(&Document::of_files(files), settings, &Naming::default()).imported;
        assert_eq!(imported.into_manifest(manifest.agent.clone(), manifest.transports.clone()).about, about);
    }
}

#[test]
fn clients_see_the_texts_where_each_format_has_them() {
    let text = |json: &Json, at: &str| json.pointer(at).and_then(Json::as_str).map(str::to_owned);
    let manifest = contract(full("https://example.com/help"));
    let (card, operations) = (a2a(&manifest, "https://a.example.com").document, openapi(&manifest).document);
    let places = [
        (&card, "/description", "Reviews */ pull requests.\n\n# All"),
        (&card, "/provider/organization", "Team \"A\""),
        (&card, "/provider/url", "https://example.com/help"),
        (&card, "/documentationUrl", "https://docs.example.com/a"),
        (&operations, "/info/description", "Reviews */ pull requests.\n\n# All"),
        (&operations, "/info/contact/name", "Team \"A\""),
        (&operations, "/info/contact/url", "https://example.com/help"),
        (&operations, "/externalDocs/url", "https://docs.example.com/a"),
    ];
    for (json, at, expected) in places {
        assert_eq!(text(json, at).as_deref(), Some(expected), "{at}");
    }
    let manifest = contract(full("team@example.com"));
    assert_eq!(text(&openapi(&manifest).document, "/info/contact/email").as_deref(), Some("team@example.com"));
    // A provider must have a URL.
    assert!(a2a(&manifest, "https://a.example.com").document.get("provider").is_none());
    let card = a2a(&contract(About::default()), "https://a.example.com").document;
    assert_eq!(text(&card, "/description").as_deref(), Some("An agent with 1 capability."));
}

#[test]
fn documents_of_others_give_their_texts_and_no_unsafe_link() {
    let settings = ImportSettings::default();
    let openapi = |contact: &str, url: &str| {
        let text = format!(
            r#"{{"openapi": "3.1.0", "info": {{"title": "Shop", "version": "1", "description": "Sells.",
                "contact": {contact}}}, "externalDocs": {{"url": "{url}"}},
                "paths": {{"/a": {{"get": {{"responses": {{}}}}}}}}}}"#
        );
        import::openapi::operations(&document(&text.parse().unwrap()), settings).imported.about
    };
    let about =
        openapi(r#"{"name": "Ann", "email": "ann@example.com", "url": "https://x.example"}"#, "https://d.example");
    assert_eq!(about.definition().len(), 4);
    assert_eq!(about.contact, Contact::new("ann@example.com"));
    let about = openapi(r#"{"name": 1, "email": "ann", "url": "http://x.example"}"#, "javascript:alert(1)");
    assert_eq!(about, About { description: Some("Sells.".to_owned()), ..About::default() });

    let card = r#"{"name": "Shop", "description": "Sells.", "documentationUrl": "https://d.example",
        "provider": {"organization": "Shops", "url": "javascript:alert(1)"},
        "skills": [{"id": "find", "name": "Find", "description": "Finds.", "tags": []}]}"#;
    let about = import::a2a::skills(&document(&card.parse().unwrap()), settings).imported.about;
    let expected = [("description", "Sells."), ("owner", "Shops"), ("documentation", "https://d.example")];
    let definition = about.definition();
    let found: Vec<_> = definition.iter().map(|(key, value)| (key.as_str(), value.as_str().unwrap())).collect();
    assert_eq!(found, expected);

    let server = r#"[{"result": {"serverInfo": {"name": "shop"}, "protocolVersion": "2025-06-18",
        "capabilities": {}, "instructions": "Search first."}},
        {"tools": [{"name": "find", "inputSchema": {"type": "object"}}]}]"#;
    let about = import::mcp::tools(&document(&server.parse().unwrap()), settings).imported.about;
    assert_eq!(about, About { description: Some("Search first.".to_owned()), ..About::default() });
}
