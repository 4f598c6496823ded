//! The JSON document.

use serde_json::json;

use super::{COMPARE, changed, versions};
use crate::common::{Fleet, REVIEWER};

#[test]
fn the_document_has_the_relation_of_both_sides_and_the_findings() {
    let fleet = versions(REVIEWER, &changed());
    let document = fleet.run(&format!("{COMPARE} --format json")).ended(1).json();
    let sides = &document["capabilities"]["review-pr"];
    assert_eq!(sides["request"]["old_in_new"], "no");
    assert_eq!(sides["request"]["new_in_old"], "yes");
    assert_eq!(sides["request"]["old_witness"], json!({ "prUrl": "", "severity": "high" }));
    assert_eq!(sides["request"].get("new_witness"), None);
    assert_eq!(sides["response"]["old_in_new"], "no");
    let finding = &document["findings"][0];
    assert_eq!((&finding["code"], &finding["level"]), (&json!("E0708"), &json!("breaking")));
    assert_eq!((&finding["capability"], &finding["side"]), (&json!("review-pr"), &json!("request")));
    assert_eq!(finding["pointer"], "/inputSchema/properties/severity/enum");
    assert_eq!(finding["witness"], json!({ "prUrl": "", "severity": "high" }));
    assert_eq!(finding["violations"][0]["path"], "/severity");
    assert_eq!(finding["fingerprint"].as_str().unwrap().len(), 20);
    assert_eq!(document["bump"], "major");
}

#[test]
fn equal_capabilities_are_listed_with_both_sides() {
    let document = versions(REVIEWER, REVIEWER).run(&format!("{COMPARE} --format json")).ended(0).json();
    let yes = json!({ "old_in_new": "yes", "new_in_old": "yes", "from_capgen_peer": "yes" });
    assert_eq!(document["capabilities"], json!({ "review-pr": { "request": yes, "response": yes } }));
    assert_eq!((&document["findings"], &document["bump"]), (&json!([]), &json!("none")));
}

#[test]
fn capabilities_of_one_version_have_a_status() {
    let renamed = REVIEWER.replace("name: review-pr", "name: review-change");
    let document = versions(REVIEWER, &renamed).run(&format!("{COMPARE} --format json")).ended(1).json();
    let capabilities = &document["capabilities"];
    assert_eq!(capabilities, &json!({ "review-change": { "status": "added" }, "review-pr": { "status": "removed" } }));
    let codes: Vec<_> = document["findings"].as_array().unwrap().iter().map(|finding| &finding["code"]).collect();
    assert_eq!(codes, ["N0701", "E0701"]);
}

#[test]
fn witnesses_keep_all_digits() {
    let contract = |bound: &str| {
        let schema = format!("inputSchema: {{ type: integer, minimum: {bound} }}\n    outputSchema:");
        REVIEWER.split("inputSchema:").next().unwrap().to_owned()
            + &schema
            + REVIEWER.split("outputSchema:").nth(1).unwrap()
    };
    let fleet = versions(&contract("123456789012345678901234567890"), &contract("123456789012345678901234567891"));
    let run = fleet.run(&format!("{COMPARE} --format json")).ended(1);
    assert!(run.stdout.contains("\"old_witness\":123456789012345678901234567890,"), "{run:?}");
    assert!(run.stdout.contains("\"witness\":123456789012345678901234567890,"), "{run:?}");
}

#[test]
fn invalid_input_gives_a_document_without_a_result() {
    let fleet = versions(REVIEWER, &REVIEWER.replace("type: string", "type: strin"));
    let run = fleet.run(&format!("{COMPARE} --format json")).ended(1);
    let document = run.json();
    assert!(document.get("capabilities").is_none(), "{run:?}");
    assert_eq!(document["errors"][0]["path"], "new.yaml");
    assert!(run.stderr.contains("new.yaml:"), "{run:?}");
}

#[test]
fn the_reading_changes_levels_but_not_the_relation() {
    let open = REVIEWER.replace("      additionalProperties: false\n", "");
    let fleet =
        versions(&open, &open.replace("        severity:", "        note: { type: string }\n        severity:"));
    let document = fleet.run(&format!("{COMPARE} --format json")).ended(1).json();
    assert_eq!(document["findings"][0]["level"], "breaking");
    let other = fleet.run(&format!("{COMPARE} --format json --assume capgen-peer"));
    let other = other.ended(0).json();
    assert_eq!(other["capabilities"], document["capabilities"]);
    assert_eq!(other["capabilities"]["review-pr"]["request"]["from_capgen_peer"], "yes");
    assert_eq!(other["findings"][0]["level"], "safe");
    assert_eq!((&document["assume"], &other["assume"]), (&json!("any-peer"), &json!("capgen-peer")));
}

#[test]
fn the_budget_is_a_number_of_seconds() {
    let fleet = Fleet::new(&["a"]);
    fleet.init();
    fleet.run("diff --budget 1").ended(0);
    for budget in ["0", "-1", "1s", "100000"] {
        fleet.run(&format!("diff --budget {budget}")).ended(2);
    }
}
