//! Recorded payloads.

use serde_json::json;

use super::{COMPARE, versions};
use crate::common::{Fleet, REVIEWER};

const LINES: &str =
    "{\"prUrl\": \"\", \"severity\": \"low\"}\n{}\n{\"prUrl\": \"\", \"severity\": \"high\"}\nnot json\n";
const REPLAY: &str = "--replay log.ndjson --capability review-pr --side request";

fn recorded(new: &str) -> Fleet {
    let fleet = versions(REVIEWER, new);
    fleet.write("log.ndjson", LINES);
    fleet
}

#[test]
fn rejected_payloads_are_counted_and_the_first_one_that_was_valid_is_printed() {
    let fleet = recorded(&REVIEWER.replace("low, med, high", "low, med"));
    let run = fleet.run(&format!("{COMPARE} {REPLAY}")).ended(1);
    assert_eq!(
        run.stdout,
        "line 3: rejected, accepted by the old version\n  /severity: value not in enum [\"low\",\"med\"]\n"
    );
    assert_eq!(run.stderr, "4 payloads (requests of `review-pr`): 3 rejected, of which the old version accepts 1\n");
    let document = fleet.run(&format!("{COMPARE} {REPLAY} --format json")).ended(1).json();
    let violations =
        json!([{ "path": "/severity", "message": "value not in enum [\"low\",\"med\"]", "keyword": "enum" }]);
    let first = json!({ "line": 3, "accepted_before": true, "violations": violations });
    assert_eq!(document, json!({ "payloads": 4, "rejected": 3, "accepted_before": 1, "first": first }));
}

#[test]
fn payloads_that_the_new_version_accepts_pass() {
    let fleet = recorded(REVIEWER);
    fleet.write("log.ndjson", LINES.lines().next().unwrap());
    let run = fleet.run(&format!("{COMPARE} {REPLAY}")).ended(0);
    assert_eq!(run.stderr, "✓ 1 payload (requests of `review-pr`): 0 rejected, of which the old version accepts 0\n");
    fleet.write("log.ndjson", "");
    fleet.run(&format!("{COMPARE} {REPLAY}")).ended(0);
}

#[test]
fn without_an_old_version_payloads_are_checked_against_the_new_one() {
    let fleet = recorded(REVIEWER);
    let run = fleet.run(&format!("diff --capabilities new.yaml {REPLAY}")).ended(1);
    assert!(run.stdout.starts_with("line 2: rejected\n  /prUrl: "), "{run:?}");
    assert!(run.stderr.starts_with("no old version: "), "{run:?}");
    assert!(run.stderr.ends_with("\n4 payloads (requests of `review-pr`): 2 rejected\n"), "{run:?}");
    fleet.run(&format!("diff --capabilities new.yaml --against gone.yaml {REPLAY}")).ended(1);
}

#[test]
fn payloads_are_read_from_standard_input_too() {
    let fleet = recorded(REVIEWER);
    let arguments = format!("{COMPARE} --replay - --capability review-pr --side request");
    assert!(fleet.run_with(&arguments, LINES).ended(1).stderr.contains("4 payloads"));
}

#[test]
fn replay_needs_a_capability_a_side_and_one_contract() {
    let fleet = recorded(REVIEWER);
    fleet.run(&format!("{COMPARE} --replay log.ndjson")).ended(2);
    fleet.run(&format!("{COMPARE} --replay log.ndjson --capability review-pr")).ended(2);
    fleet.run(&format!("{COMPARE} --capability review-pr")).ended(2);
    fleet.run(&format!("{COMPARE} {REPLAY} --format junit")).ended(2);
    let run = fleet.run(&format!("{COMPARE} --replay log.ndjson --capability review --side request")).ended(1);
    assert!(run.stderr.contains("error[E0502]"), "{run:?}");
    assert!(
        fleet
            .run(&format!("{COMPARE} --replay gone --capability review-pr --side request"))
            .ended(1)
            .stderr
            .contains("E0503")
    );
    let several = Fleet::new(&["a", "b"]);
    several.init();
    several.run("diff --replay x --capability ping --side request").ended(2);
}
