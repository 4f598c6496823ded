//! The [JSON Schema Test Suite](https://github.com/json-schema-org/JSON-Schema-Test-Suite), with contracts and payloads
//! as files: numbers keep all their digits on the way through the program.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../../contract/schema/tests/it/support/mod.rs"]
mod support;

use crate::common::Fleet;
use capgen_schema::Schema;
use serde_json::Value;
use support::groups::{Group, groups};

#[test]
fn the_command_line_passes_every_test_of_the_subset() {
    let groups: Vec<Group> =
        groups(&support::suite()).into_iter().filter(|group| Schema::parse_text(&group.schema).is_ok()).collect();
    let fleet = Fleet::new(&[]);
    let mut tests = 0;
    for group in &groups {
        fleet.write("capabilities.json", &contract(&group.schema));
        // One payload per line.
        let lines: String = group.tests.iter().map(|test| test.data.replace(['\n', '\r'], " ") + "\n").collect();
        let command = "validate --capabilities capabilities.json --capability c --side request --lines --json";
        let run = fleet.run_with(command, &lines);
        let verdicts = run.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["valid"] == true);
        assert_eq!(run.stdout.lines().count(), group.tests.len(), "{}: {run:?}", group.name);
        for (test, verdict) in group.tests.iter().zip(verdicts) {
            assert_eq!(verdict, test.valid, "{}: {}: {}: {}", group.name, test.description, group.schema, test.data);
            tests += 1;
        }
    }
    println!("{tests} tests pass");
    assert_eq!((groups.len(), tests), support::IN_SUBSET, "the groups and tests in the subset");
}

/// A contract with one capability.
fn contract(schema: &str) -> String {
    let transports = r#"[{"kind": "memory", "topics": {"requests": "q"}}]"#;
    let capabilities = format!(r#"[{{"name": "c", "inputSchema": {schema}}}]"#);
    format!(r#"{{"version": 1, "agent": "agent://suite", "transports": {transports}, "capabilities": {capabilities}}}"#)
}
