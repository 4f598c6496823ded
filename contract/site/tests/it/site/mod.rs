//! The pages, read by an independent parser of HTML.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;
mod hostile;
mod places;

use std::collections::{BTreeMap, BTreeSet};

use capgen_evolve::{ComparedContract, Settings, compare};
use capgen_manifest::{AgentId, LoadedContract, Manifest, Source, load};
use capgen_site::{Agent, Call, Caller, Changes, Fleet, OlderContract, build};
use common::{Element, Parsed};

fn contract(name: &str) -> LoadedContract {
    let path = format!("{}/../../examples/fleet/agents/{name}/capabilities.yaml", env!("CARGO_MANIFEST_DIR"));
    load(&Source::new(path.clone(), std::fs::read_to_string(path).unwrap())).unwrap()
}

fn read(text: &str) -> LoadedContract {
    load(&Source::new("capabilities.yaml", text)).unwrap()
}

fn agent(contract: &LoadedContract) -> Agent<'_> {
    let path = "capabilities.yaml".to_owned();
    Agent { contract, path, warnings: contract.warnings.clone(), older: Vec::new(), samples: Vec::new() }
}

fn fleet(contracts: &[LoadedContract]) -> Fleet<'_> {
    Fleet { agents: contracts.iter().map(agent).collect(), ..Fleet::default() }
}

/// The site of a fleet: every page, parsed without errors.
fn pages(files: &BTreeMap<String, String>) -> BTreeMap<&str, Parsed> {
    let pages = files.iter().filter(|(path, _)| path.ends_with(".html"));
    pages.map(|(path, text)| (path.as_str(), Parsed::new(path, text))).collect()
}

/// The path of a file that a page links to, and the anchor in it.
fn target(page: &str, link: &str) -> (String, Option<String>) {
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor.to_owned())));
    if path.is_empty() {
        return (page.to_owned(), anchor);
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        if part == ".." {
            parts.pop().unwrap();
        } else {
            parts.push(part);
        }
    }
    (parts.join("/"), anchor)
}

/// Checks everything that every site has, and returns the pages.
fn checked(files: &BTreeMap<String, String>) -> BTreeMap<&str, Parsed> {
    let pages = pages(files);
    for (path, text) in files {
        assert!(text.lines().next().unwrap().contains(capgen_site::MARK), "{path}");
    }
    let names: BTreeSet<String> = files.keys().map(|path| path.to_ascii_lowercase()).collect();
    assert_eq!(names.len(), files.len(), "paths differ without regard to case");
    for (path, page) in &pages {
        let ids: Vec<&str> = page.elements.iter().filter_map(|element| element.attribute("id")).collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{path}: duplicate ids");
        assert_eq!(page.named("h1").count(), 1, "{path}");
        assert_eq!(page.named("script").count(), 2, "{path}");
        for element in &page.elements {
            check(path, element, files, &pages);
        }
    }
    pages
}

fn check(path: &str, element: &Element, files: &BTreeMap<String, String>, pages: &BTreeMap<&str, Parsed>) {
    for (name, value) in &element.attributes {
        assert!(!name.starts_with("on") && name != "style", "{path}: {name}={value}");
        if (name == "href" || name == "src") && value != "data:," {
            if element.attribute("rel") == Some("noreferrer") {
                assert!(["https://", "mailto:"].iter().any(|scheme| value.starts_with(scheme)), "{path}: {value}");
                continue;
            }
            assert!(!value.contains(':') && !value.starts_with('/'), "{path}: {value} is not relative");
            let (file, anchor) = target(path, value);
            assert!(files.contains_key(&file), "{path}: dead link {value}");
            if let Some(anchor) = anchor {
                let ids = &pages.get(file.as_str()).unwrap().ids;
                assert!(ids.contains(&anchor), "{path}: dead anchor {value}");
            }
        }
    }
}

#[test]
fn every_page_of_the_example_is_valid_and_has_no_dead_link() {
    let contracts = ["legacy-crm", "notifier", "payments", "pr-reviewer", "search"].map(contract);
    let id = |index: usize| contracts[index].manifest.agent.clone();
    let calls = vec![
        Call { caller: Caller::Agent(id(1)), provider: id(2), files: vec![("a/b.rs".into(), false)] },
        Call { caller: Caller::Folder("web".into()), provider: id(2), files: vec![("web/p.ts".into(), true)] },
    ];
    let files = build(&Fleet { name: Some("desk".into()), calls, ..fleet(&contracts) });
    let pages = checked(&files);
    assert_eq!(pages.len(), 3 + 5 + 10);
    let text = &pages["capabilities/payments/create-payment.html"].text;
    for expected in [
        "Charge a customer once",
        "exactly one of Card, BankTransfer, StoreCredit",
        "at least 0 and less than 1",
        "requiredScopes",
        "8 to 64 characters",
    ] {
        assert!(text.contains(expected), "{expected}");
    }
    assert!(pages["index.html"].text.contains("web/p.ts"));
    assert!(pages["agents/notifier.html"].text.contains("a/b.rs (outdated)"));
}

#[test]
fn operations_of_http_and_webhooks_are_shown() {
    let text = r#"
version: 1
agent: agent://shop
transports: [{ kind: memory, topics: { requests: shop } }]
http:
  servers: [{ url: "https://shop.example/<v1>" }]
  security: [{ key: [read] }]
  securitySchemes: { key: { type: apiKey, name: X-Key, in: header } }
capabilities:
  - name: get
    http:
      method: GET
      path: /things/{id}
      parameters: [{ name: id, in: path }, { name: f, in: query, style: deepObject }]
      responses: { "200": { mediaType: application/json }, "404": { code: NOT_FOUND } }
  - name: sold
    http: { webhook: thing-sold, security: [{}], servers: [] }
  - name: plain
"#;
    let contracts = [load(&Source::new("capabilities.yaml", text)).unwrap()];
    let files = build(&fleet(&contracts));
    let pages = checked(&files);
    let page = |name: &str| &pages[format!("capabilities/shop/{name}.html").as_str()];
    for expected in [
        "GET /things/{id}",
        "https://shop.example/<v1>",
        "id (path)",
        "f (query, deepObject)",
        "200 application/json",
        "404 NOT_FOUND",
        "key (read)",
        "X-Key",
    ] {
        assert!(page("get").text.contains(expected), "{expected}: {}", page("get").text);
    }
    assert!(page("sold").text.contains("thing-sold") && page("sold").text.contains("those who subscribe"));
    assert!(page("get").ids.contains("http") && !page("plain").ids.contains("http"));
}

#[test]
fn equal_input_gives_equal_bytes_without_absolute_paths() {
    let contracts = ["payments", "search"].map(contract);
    let files = build(&fleet(&contracts));
    assert_eq!(files, build(&fleet(&["payments", "search"].map(contract))));
    assert!(files.values().all(|text| !text.contains(env!("CARGO_MANIFEST_DIR"))));
}

#[test]
fn recursive_schemas_and_definitions_without_users_have_pages() {
    let contract = read(
        "version: 1\nagent: agent://a\ntransports: [{ kind: memory, topics: { requests: q } }]\ncapabilities:\n  - name: c\n    inputSchema:\n      $ref: '#/definitions/list'\n      definitions:\n        list: { type: object, properties: { next: { $ref: '#/definitions/list' } } }\n        unused: { type: string }\n",
    );
    let contracts = [contract];
    let files = build(&fleet(&contracts));
    let pages = checked(&files);
    assert!(pages["capabilities/a/c.html"].ids.contains("request-definitions.list.next"));
    let warnings = &pages["warnings.html"].text;
    assert!(warnings.contains("this definition is never used"), "{warnings}");
}

#[test]
fn ids_that_file_systems_take_for_equal_have_files_of_their_own() {
    let ids = ["con", "CON", "a", "A", "a.html", "index", "aux.b", "x."];
    let contracts = ids.map(|id| {
        read(&format!(
            "version: 1\nagent: agent://{id}\ntransports: [{{ kind: memory, topics: {{ requests: q }} }}]\n\
             capabilities: [{{ name: index }}, {{ name: INDEX }}, {{ name: nul }}]\n"
        ))
    });
    let files = build(&fleet(&contracts));
    assert_eq!(checked(&files).len(), 3 + ids.len() * 4);
}

#[test]
fn a_thousand_capabilities_have_a_page_each() {
    let contracts: Vec<LoadedContract> = (0..100).map(|index| read(&common::many(index, 10))).collect();
    let files = build(&fleet(&contracts));
    assert_eq!(files.len(), 4 + 3 + 100 + 1000);
    assert!(files["assets/search.js"].len() < 4 << 20);
}

#[test]
fn changes_link_only_to_capabilities_and_agents_that_exist() {
    let manifest = |capabilities: &str| {
        read(&format!(
            "version: 1\nagent: agent://a\ntransports: [{{ kind: memory, topics: {{ requests: q }} }}]\ncapabilities: [{capabilities}]\n"
        ))
    };
    let old = manifest(
        "{ name: old, id: x.y, version: 1.0.0, timeoutMs: 5 }, { name: removed }, { name: kept, inputSchema: { type: string } }",
    );
    let new =
        manifest("{ name: new, id: x.y, version: 1.1.0 }, { name: kept, inputSchema: { type: string, minLength: 1 } }");
    let compared = |agent: &str, old: &Manifest, new: &Manifest| ComparedContract {
        agent: AgentId::new(agent).unwrap(),
        comparison: compare(old, new, Settings::default()),
        acceptances: Vec::new(),
        callers: vec!["web/a.ts".to_owned()],
    };
    let nothing = Manifest { capabilities: Vec::new(), ..new.manifest.clone() };
    let contracts = vec![compared("a", &old.manifest, &new.manifest), compared("gone", &old.manifest, &nothing)];
    let changes = Some(Changes { since: "v1".to_owned(), contracts });
    let agents = [new];
    let mut fleet = Fleet { changes, ..fleet(&agents) };
    fleet.agents[0].older = vec![OlderContract { source: "v1".to_owned(), manifest: old.manifest.clone() }];
    let files = build(&fleet);
    let pages = checked(&files);
    let text = &pages["changes.html"].text;
    assert!(text.contains("removed") && text.contains("gone") && text.contains("web/a.ts"), "{text}");
    let text = &pages["capabilities/a/kept.html"].text;
    assert!(text.contains("A payload that proves it") && text.contains("requester \\ provider"), "{text}");
}
