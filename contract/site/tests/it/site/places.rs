//! Each part of a contract is at the place where readers look for it.

use capgen_manifest::AgentId;
use capgen_site::{Call, CallSample, Caller, Fleet, build};

use super::{checked, fleet, read};

const TEXT: &str = r##"
version: 1
agent: agent://shop
description: "Sells `things`. And more."
owner: The <shop> team
contact: shop@example.com
documentation: https://docs.example.com/shop
transports: [{ kind: memory, topics: { requests: shop } }]
capabilities:
  - name: pay
    requiredRoles: [cashier]
    requiredScopes: ["payments:write"]
    errors:
      - code: DECLINED
        detailsSchema:
          type: object
          properties: { reason: { enum: [limit, fraud], description: Why }, next: { $ref: "#/definitions/step" } }
          definitions: { step: { type: object, properties: { wait: { type: integer } } } }
      - code: CLOSED
    inputSchema:
      type: object
      properties:
        labels: { type: object, propertyNames: { pattern: "^[a-z]+$", maxLength: 12 } }
        means:
          oneOf:
            - { type: object, title: By card, properties: { kind: { const: card }, number: { type: string } }, required: [kind] }
            - { type: object, properties: { kind: { enum: [iban, bic] } }, required: [kind] }
      required: [means]
      examples:
        - { means: { kind: card, number: "4111" }, labels: { shop: 1 } }
        - { means: { kind: cash } }
  - name: list
"##;

#[test]
fn agents_have_their_texts_and_links() {
    let contracts = [read(TEXT)];
    let files = build(&fleet(&contracts));
    let pages = checked(&files);
    let agent = &pages["agents/shop.html"];
    for expected in ["Sells things. And more.", "The <shop> team", "shop@example.com", "https://docs.example.com/shop"]
    {
        assert!(agent.text.contains(expected), "{expected}: {}", agent.text);
    }
    let outside: Vec<&str> = agent
        .named("a")
        .filter(|link| link.attribute("rel") == Some("noreferrer"))
        .filter_map(|link| link.attribute("href"))
        .collect();
    assert_eq!(outside, ["mailto:shop@example.com", "https://docs.example.com/shop"]);
    let overview = &pages["index.html"].text;
    assert!(overview.contains("Sells things.") && overview.contains("owner: The <shop> team"), "{overview}");
}

#[test]
fn callers_and_calls_are_apart() {
    let other = TEXT.replace("agent://shop", "agent://other");
    let contracts = [read(TEXT), read(&other)];
    let id = |text: &str| AgentId::new(text).unwrap();
    let call = |caller: &str, provider: &str, file: &str| Call {
        caller: Caller::Agent(id(caller)),
        provider: id(provider),
        files: vec![(file.to_owned(), true)],
    };
    let calls = vec![call("other", "shop", "other/shop.rs"), call("shop", "other", "shop/other.rs")];
    let files = build(&Fleet { calls, ..fleet(&contracts) });
    let pages = checked(&files);
    let text = &pages["agents/shop.html"].text;
    let (before, after) = text.rsplit_once("Calls").unwrap();
    let callers = before.rsplit_once("Called by").unwrap().1;
    assert!(callers.contains("other/shop.rs") && !callers.contains("shop/other.rs"), "{callers}");
    assert!(after.contains("shop/other.rs") && !after.contains("other/shop.rs"), "{after}");
    let alone = build(&fleet(&contracts));
    let text = &checked(&alone)["agents/shop.html"].text;
    assert!(text.contains("No other program") && !text.contains("Calls"), "{text}");
}

#[test]
fn tags_names_of_properties_and_details_are_in_the_tables() {
    let contracts = [read(TEXT)];
    let files = build(&fleet(&contracts));
    let page = &checked(&files)["capabilities/shop/pay.html"];
    for expected in [
        "kind: \"card\": By card",
        "kind: \"iban\", \"bic\"",
        "names of properties: at most 12 characters",
        "names of properties: matches ^[a-z]+$",
        "one of \"limit\", \"fraud\"",
        "It has no details.",
    ] {
        assert!(page.text.contains(expected), "{expected}: {}", page.text);
    }
    for id in ["errors.DECLINED", "errors.DECLINED.reason", "errors.DECLINED.~~definitions.step.wait", "errors.CLOSED"]
    {
        assert!(page.ids.contains(id), "{id}: {:?}", page.ids);
    }
}

#[test]
fn valid_examples_of_the_author_are_those_of_the_page_and_of_the_samples() {
    let contracts = [read(TEXT)];
    let mut fleet = fleet(&contracts);
    let sample = CallSample { language: "Plain".to_owned(), before: "call(\n".to_owned(), after: "\n);".to_owned() };
    fleet.agents[0].samples = vec![vec![sample.clone()], vec![sample]];
    let files = build(&fleet);
    let pages = checked(&files);
    let text = &pages["capabilities/shop/pay.html"].text;
    let (before, _) = text.split_once("JSON Schema").unwrap();
    let (_, examples) = before.split_once("Examples").unwrap();
    assert!(examples.contains("\"number\": \"4111\"") && !examples.contains("cash"), "{examples}");
    let request =
        "call(\n{\n  \"means\": {\"kind\": \"card\", \"number\": \"4111\"},\n  \"labels\": {\"shop\": 1}\n}\n);";
    assert!(text.contains(request), "{text}");
    let loose = &pages["capabilities/shop/list.html"].text;
    assert!(loose.contains("Plain") && loose.contains("call(\n{}\n);"), "{loose}");
}

#[test]
fn samples_that_would_have_another_meaning_are_left_out() {
    for (example, is_shown) in
        [("{ a: 1 }", true), ("{ __proto__: 1 }", false), ("[{ a: { __proto__: 1 } }]", false), ("'##'", false)]
    {
        let text = format!(
            "version: 1\nagent: agent://a\ntransports: [{{ kind: memory, topics: {{ requests: q }} }}]\n\
             capabilities: [{{ name: c, inputSchema: {{ examples: [{example}] }} }}]\n"
        );
        let contracts = [read(&text)];
        let mut fleet = fleet(&contracts);
        let sample = CallSample { language: "Plain".to_owned(), before: "call(".to_owned(), after: ");".to_owned() };
        fleet.agents[0].samples = vec![vec![sample]];
        let files = build(&fleet);
        assert_eq!(checked(&files)["capabilities/a/c.html"].text.contains("call("), is_shown, "{example}");
    }
}

#[test]
fn the_search_has_the_texts_the_rights_and_the_values() {
    let contracts = [read(TEXT)];
    let files = build(&fleet(&contracts));
    let data = &files["assets/search.js"];
    for expected in [
        r#""Sells `things`. · The "#,
        "cashier payments:write DECLINED CLOSED",
        r#"["DECLINED","reason","errors.DECLINED.reason","Why","limit fraud"]"#,
        r#"["request","means.kind","request.means.~~one2.kind","","iban bic"]"#,
    ] {
        assert!(data.contains(&expected.replace('`', "\\u0060")), "{expected}: {data}");
    }
}
