//! `capgen registry resolve` and `explain`.

use serde_json::json;

use super::{Folder, fleet, id};

#[test]
fn the_best_candidate_is_the_target() {
    let folder = Folder::with(&fleet());
    let resolution = folder.run("resolve text.summarize --requirement 1.2.0 --log events.jsonl").ended(0).json();
    assert_eq!(resolution["target"]["agent"], "b");
    let explanation = &resolution["explanation"];
    assert_eq!(explanation["decided_by"], "priority");
    assert_eq!(
        explanation["question"],
        json!({"capability": "text.summarize", "requirement": "1.2.0", "roles": [], "scopes": [], "caller": null})
    );
    let removed =
        |agent: &str, version: &str, number: u32| json!([{"agent": agent, "version": version, "event_id": id(number)}]);
    let expected = json!([
        {"filter": "id", "left": 6, "removed": []},
        {"filter": "version", "left": 5, "removed": removed("e", "2.0.0", 5)},
        {"filter": "health", "left": 4, "removed": removed("c", "1.3.0", 3)},
        {"filter": "access", "left": 3, "removed": removed("d", "1.2.0", 4)},
        {"filter": "deprecation", "left": 2, "removed": removed("f", "1.9.0", 6)},
    ]);
    assert_eq!(explanation["filters"], expected);
    let admin = "resolve text.summarize --requirement 1.2.0 --role admin --role admin --caller x --log events.jsonl";
    let resolution = folder.run(admin).ended(0).json();
    assert_eq!(resolution["target"]["agent"], "d");
    assert_eq!(resolution["explanation"]["question"]["roles"], json!(["admin"]));
    assert_eq!(resolution["explanation"]["question"]["caller"], "x");
}

#[test]
fn each_failure_has_its_reason_and_exits_with_1() {
    let folder = Folder::with(&fleet());
    for (id, requirement, reason) in [
        ("text.translate", "1.0.0", "not-found"),
        ("text.summarize", "3.0.0", "no-compatible-version"),
        ("text.summarize", "=1.3.0", "unhealthy"),
        ("text.summarize", "1.2.0", "access-denied"),
    ] {
        if reason == "access-denied" {
            folder.log("events.jsonl", &fleet()[3..4]);
        }
        let arguments = format!("{id} --requirement {requirement} --log events.jsonl");
        let resolution = folder.run(&format!("resolve {arguments}")).ended(1).json();
        assert_eq!((&resolution["target"], &resolution["explanation"]["reason"]), (&json!(null), &json!(reason)));
        let text = folder.run(&format!("explain {arguments}")).ended(1).stdout;
        assert!(text.contains(&format!("no target: {reason}\n")), "{text}");
    }
}

#[test]
fn explain_prints_why_each_candidate_was_removed() {
    let folder = Folder::with(&fleet());
    let run = folder.run("explain text.summarize --requirement 1.2.0 --log events.jsonl").ended(0);
    let expected = format!(
        "\
text.summarize 1.2.0
roles: none
scopes: none

filter by id: 6 candidates left

filter by version: 5 candidates left
REMOVED  VERSION  REASON
e        2.0.0    does not satisfy 1.2.0

filter by health: 4 candidates left
REMOVED  VERSION  REASON
c        1.3.0    unhealthy since the event {}

filter by access: 3 candidates left
REMOVED  VERSION  REASON
d        1.2.0    the caller lacks the roles admin

filter by deprecation: 2 candidates left
REMOVED  VERSION  REASON
f        1.9.0    deprecated by the event {}: use b

ranking
RANK  AGENT  VERSION  PRIORITY  WEIGHT  REGISTRATION
1     b      1.4.0    5         1       {}
2     a      1.2.0    1         1       {}

decided by: priority
target: b 1.4.0
registry hash: ",
        id(7),
        id(8),
        id(2),
        id(1)
    );
    assert!(run.stdout.starts_with(&expected), "{}", run.stdout);
    let arguments = "text.summarize --requirement 1.2.0 --log events.jsonl";
    let json = folder.run(&format!("explain {arguments} --json")).ended(0).stdout;
    assert_eq!(json, folder.run(&format!("resolve {arguments}")).ended(0).stdout);
}

/// Text is for terminals, which act on some characters.
#[test]
fn explanations_escape_control_characters() {
    let folder = Folder::with(&[super::registered(1, "a\u{1b}[2J", "1.0.0", json!({}))]);
    let run = folder.run("explain text.summarize --requirement 1.0.0 --log events.jsonl").ended(0);
    assert!(run.stdout.contains("target: a\\u{1b}[2J 1.0.0") && !run.stdout.contains('\u{1b}'), "{run:?}");
}
