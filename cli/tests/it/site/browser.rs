//! The site in Node and in Chromium: the search, errors of the console, dead links, widths, contrast.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use capgen_testkit::{node, npm};
use serde_json::{Value, json};

use crate::common::Fleet;

/// A manifest with texts that would end elements, attributes and scripts, and with very long words.
fn hostile() -> String {
    let long = "very".repeat(80);
    let texts = [
        "<script>alert(1)</script>",
        "\"><svg onload=alert(1)>",
        "</title></script><img src=x onerror=alert(1)>",
        "\u{2028}\u{202e}`<b>`",
        long.as_str(),
    ];
    let properties: serde_json::Map<String, Value> = texts
        .iter()
        .map(|text| ((*text).to_owned(), json!({ "description": text, "enum": [text], "title": text })))
        .collect();
    let schema = json!({ "type": "object", "description": texts.concat(), "properties": properties });
    let capabilities: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| {
            let name = if index == 0 { "n".repeat(128) } else { format!("c{index}") };
            json!({ "name": name, "description": text, "tags": [text], "since": text, "inputSchema": schema, "outputSchema": schema })
        })
        .collect();
    let transports = json!([{ "kind": "memory", "topics": { "requests": "q" } }]);
    json!({
        "version": 1, "agent": "agent://hostile", "description": texts.concat(), "owner": texts[1],
        "contact": "'onclick='a@example.com", "documentation": format!("https://example.com/{long}"),
        "transports": transports, "capabilities": capabilities,
    })
    .to_string()
}

/// A site with the agents of the example and a hostile one.
fn site() -> Fleet {
    let fleet = Fleet::new(&[]);
    for agent in ["legacy-crm", "notifier", "payments", "pr-reviewer", "search"] {
        let path = format!("examples/fleet/agents/{agent}/capabilities.yaml");
        let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).unwrap();
        fleet.write(&format!("agents/{agent}/capabilities.yaml"), &text);
    }
    fleet.write("agents/hostile/capabilities.json", &hostile());
    fleet.run("gen --peer payments --out agents/notifier/src").ended(0);
    fleet.init();
    let changed = fleet.read("agents/search/capabilities.yaml").replace("maximum: 200", "maximum: 100");
    fleet.write("agents/search/capabilities.yaml", &changed);
    fleet.run("docs --since git:HEAD").ended(0);
    fleet
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/node")
}

#[test]
fn the_search_finds_agents_capabilities_and_properties() {
    if !npm::is_installed() {
        return;
    }
    let fleet = site();
    let queries = [
        "payments",
        "refund",
        "minorUnits",
        "MONEY currency",
        "pagesize",
        "preferences digest",
        "svg",
        "\u{202e}",
        "zzz",
    ];
    let job = json!({ "folder": fleet.path("site"), "queries": queries });
    let result = node::run_script(&scripts(), "search.mjs", &job).unwrap();
    let first = |query: &str| {
        let index = queries.iter().position(|q| *q == query).unwrap();
        result["answers"][index].as_array().unwrap().first().cloned()
    };
    assert_eq!(first("payments"), Some(json!(["agent", "payments", "agents/payments.html"])));
    let refund = json!(["capability", "refund-payment", "capabilities/payments/refund-payment.html"]);
    assert_eq!(first("refund"), Some(refund));
    let page = "capabilities/payments/create-payment.html#request-definitions.Money";
    assert_eq!(first("minorUnits").unwrap()[2], json!("capabilities/payments/refund-payment.html#request.minorUnits"));
    assert_eq!(first("MONEY currency"), Some(json!(["property", "Money.currency", format!("{page}.currency")])));
    assert_eq!(first("pagesize").unwrap()[1], json!("pageSize"));
    assert_eq!(first("preferences digest").unwrap()[1], json!("digest"));
    // The owner of the agent.
    let index = queries.iter().position(|query| *query == "svg").unwrap();
    let kinds = result["answers"][index].as_array().unwrap().iter().map(|answer| answer[0].clone());
    assert!(kinds.collect::<Vec<_>>().contains(&json!("agent")));
    assert!(first("\u{202e}").is_some());
    assert_eq!(first("zzz"), None);
}

/// The program in the search path.
pub(crate) fn chromium() -> Option<&'static str> {
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|program| {
        let version = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    })
}

#[test]
fn pages_have_no_errors_in_chromium() {
    let Some(chromium) = chromium() else {
        eprintln!("skipped: Chromium is not installed");
        return;
    };
    if !npm::is_installed() {
        return;
    }
    let fleet = site();
    let job = json!({ "chromium": chromium, "folder": fleet.path("site"), "query": "amount" });
    let result = node::run_script(&scripts(), "site.mjs", &job).unwrap();
    assert_eq!(result["problems"], json!([]), "{result:#}");
    assert_eq!(result["pages"], json!(3 + 6 + 15));
}
