//! Texts of contracts stay text, whatever they contain.

use std::collections::BTreeSet;

use capgen_manifest::{LoadedContract, Source, load};
use capgen_site::{Call, CallSample, Caller, Changes, Fleet, build};
use proptest::prelude::{ProptestConfig, any, proptest};

use super::{checked, fleet};

/// The elements of pages. Texts add none.
const ELEMENTS: [&str; 41] = [
    "html", "head", "meta", "title", "link", "script", "body", "a", "header", "nav", "div", "input", "p", "button",
    "main", "footer", "code", "pre", "span", "h1", "h2", "h3", "h4", "section", "ul", "li", "dl", "dt", "dd", "table",
    "thead", "tbody", "tr", "th", "td", "details", "summary", "svg", "line", "rect", "text",
];

/// A contract with the text at each place that accepts it, written as JSON, which is read like YAML.
fn contract(text: &str) -> Option<LoadedContract> {
    let text = serde_json::Value::from(text);
    let key = text.as_str().unwrap_or_default();
    let schema = serde_json::json!({
        "title": text, "description": text, "type": "object",
        "propertyNames": { "pattern": "</script><b>\\u2028|" },
        "properties": {
            key: { "type": "string", "description": text, "default": text, "examples": [text] },
            "union": { "oneOf": [{ "title": text, "const": text }, { "title": text, "enum": [text, 1] }] },
            "pattern": { "type": "string", "pattern": "</script><b>\\u2028" },
            "reference": { "$ref": format!("#/definitions/{}", reference(key)) },
        },
        "additionalProperties": { "description": text },
        "definitions": { key: { "description": text, "not": { "const": text } } },
        "examples": [{ key: text }],
    });
    // Names below `http` have no control characters.
    let name = if key.is_empty() || key.contains(char::is_control) { "name" } else { key };
    let http = serde_json::json!({
        "webhook": name, "parameters": [{ "name": name, "in": "query", "content": name }],
        "servers": [{ "url": "/", "description": text }], "security": [{ name: [text] }],
        "securitySchemes": { name: { "type": "http", "scheme": name, "description": text } },
        "body": { "mediaTypes": [name] }, "responses": { "200": { "mediaType": name, "code": name } },
    });
    let document = serde_json::json!({
        "version": 1, "agent": "agent://a", "description": text, "owner": format!("o{key}"),
        "contact": "a?b&c'd@example.com", "documentation": "https://docs.example.com/?a='&b=(c)",
        "transports": [{ "kind": "memory", "topics": { "requests": "q" } }],
        "capabilities": [{
            "name": "c", "description": text, "tags": [format!("t{key}")], "skill": format!("s{key}"), "since": text, "http": http,
            "inputSchema": schema, "outputSchema": schema,
        }],
    });
    load(&Source::new("capabilities.json", document.to_string())).ok()
}

/// A name as a token of a JSON Pointer in a URI.
fn reference(name: &str) -> String {
    let pointer = name.replace('~', "~0").replace('/', "~1");
    pointer
        .bytes()
        .map(|b| if b.is_ascii_alphanumeric() { char::from(b).to_string() } else { format!("%{b:02X}") })
        .collect()
}

/// The pages of a contract with the text everywhere have the elements of every page and no others.
fn check(text: &str) {
    let Some(contract) = contract(text) else { return };
    let contracts = [contract];
    let id = contracts.first().unwrap().manifest.agent.clone();
    let call = |caller| Call { caller, provider: id.clone(), files: vec![(text.to_owned(), false)] };
    let sample = CallSample { language: text.to_owned(), before: text.to_owned(), after: text.to_owned() };
    let mut fleet = fleet(&contracts);
    fleet.agents.iter_mut().for_each(|agent| agent.samples = vec![vec![sample.clone()]]);
    let files = build(&Fleet {
        name: Some(text.to_owned()),
        description: Some(text.to_owned()),
        calls: vec![call(Caller::Folder(text.to_owned())), call(Caller::Agent(id.clone()))],
        changes: Some(Changes { since: text.to_owned(), contracts: Vec::new() }),
        ..fleet
    });
    let allowed = BTreeSet::from(ELEMENTS);
    let pages = checked(&files);
    for (path, page) in &pages {
        for element in &page.elements {
            assert!(allowed.contains(element.name.as_str()), "{path}: {}", element.name);
        }
        assert_eq!(page.named("script").count(), 2, "{path}");
        assert_eq!(page.named("meta").count(), 4, "{path}");
    }
    // One line for each entry and two around them, whatever the texts contain.
    let data = files.get("assets/search.js").unwrap();
    assert!(!data.contains("</") && !data.contains('\u{2028}') && data.ends_with("],false);\n"), "{data}");
}

#[test]
fn hostile_texts_stay_text() {
    let texts = [
        "<script>alert(1)</script>",
        "</title><img src=x onerror=alert(1)>",
        "\"><svg onload=alert(1)>",
        "' onmouseover='alert(1)",
        "-->]]><!--",
        "</script><script>alert(1)//",
        "javascript:alert(1)",
        "`</code><iframe src=javascript:alert(1)>`",
        "&lt;b&gt; &amp;",
        "\u{2028}\u{2029}\u{202e}\u{0}\u{1b}[31m",
        "\\\");alert(1);(\"",
        "${alert(1)} {{x}} %3Cb%3E",
        "# a.b[0]/~1",
        "",
        " ",
    ];
    for text in texts {
        assert!(contract(text).is_some(), "{text:?} is not part of a contract");
        check(text);
    }
    let contracts = [contract("<b>bold</b>").unwrap()];
    let files = build(&fleet(&contracts));
    let page = &checked(&files)["capabilities/a/c.html"];
    assert!(page.text.matches("<b>bold</b>").count() > 10, "{}", page.text);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn any_text_stays_text(text in any::<String>(), markup in "[<>&\"'/`a-c ]{0,24}") {
        check(&text);
        check(&markup);
    }
}
