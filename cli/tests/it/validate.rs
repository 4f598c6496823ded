//! `capgen validate`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader, Write};

use crate::common::{Fleet, Run};
use serde_json::{Value, json};

const GOOD: &str = r#"{"prUrl": "https://example.org/1", "severity": "low"}"#;
const BAD: &str = r#"{"severity": "urgent", "extra": 1}"#;

fn validate(arguments: &str, stdin: &str) -> Run {
    let fleet = Fleet::new(&["pr-reviewer", "loose"]);
    fleet.run_with(&format!("validate --peer pr-reviewer --capability review-pr --side request {arguments}"), stdin)
}

fn lines(run: &Run) -> Vec<Value> {
    run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_valid_payload_prints_nothing_on_standard_output() {
    let run = validate("-", GOOD).ended(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", "✓ valid request of `review-pr`\n"));
}

#[test]
fn one_byte_order_mark_at_the_start_is_ignored() {
    let marked = format!("\u{feff}{GOOD}");
    validate("-", &marked).ended(0);
    let fleet = Fleet::new(&["pr-reviewer"]);
    fleet.write("payload.json", &marked);
    fleet.run("validate --peer pr-reviewer --capability review-pr --side request payload.json").ended(0);
    validate("-", &format!("\u{feff}{marked}")).ended(1);
    validate("-", &format!("{GOOD}\u{feff}")).ended(1);
    validate("-", "\u{feff}").ended(1);
}

#[test]
fn every_violation_is_printed_on_a_line_with_its_path() {
    let run = validate("", BAD).ended(1);
    let paths: Vec<_> = run.stdout.lines().map(|line| line.split(": ").next().unwrap()).collect();
    assert_eq!(paths, ["/extra", "/prUrl", "/severity"]);
    assert!(run.stdout.contains("/severity: value not in enum [\"low\",\"med\",\"high\"]\n"), "{run:?}");
    assert!(run.stderr.contains("3 violations"), "{run:?}");
}

#[test]
fn json_is_one_document() {
    assert_eq!(validate("--json", GOOD).ended(0).json(), json!({ "valid": true }));
    let document = validate("--json", r#"{"prUrl": "x", "severity": 1}"#).ended(1).json();
    let message = document["violations"][0]["message"].clone();
    let expected = json!({ "path": "/severity", "message": message, "keyword": "enum" });
    assert_eq!(document, json!({ "valid": false, "violations": [expected] }));
}

#[test]
fn the_response_has_its_own_schema() {
    let fleet = Fleet::new(&["pr-reviewer"]);
    fleet.write("response.json", r#"{"verdict": "approve", "summary": "fine"}"#);
    let arguments = "--capability review-pr --side response response.json";
    fleet.run(&format!("validate --capabilities agents/pr-reviewer/capabilities.yaml {arguments}")).ended(0);
    fleet.run(&format!("validate --peer pr-reviewer {}", arguments.replace("side response", "side request"))).ended(1);
}

#[test]
fn a_loose_side_accepts_every_json_value_and_nothing_else() {
    let fleet = Fleet::new(&["loose"]);
    let run = |stdin| fleet.run_with("validate --peer loose --capability ping --side request", stdin);
    for payload in ["null", "[1, {}]", "\"x\""] {
        run(payload).ended(0);
    }
    run("nope").ended(1);
}

#[test]
fn invalid_json_is_reported_as_an_error_instead_of_a_violation() {
    for payload in ["", "{", "{} {}", "nope", "\u{feff}\u{feff}{}", r#"{"a": 1, "a": 2}"#, r#""\ud800""#, "1e400"] {
        let run = validate("", payload).ended(1);
        assert!(run.stderr.contains("error[E0501]"), "{payload}: {run:?}");
        let document = validate("--json", payload).ended(1).json();
        assert!(document["valid"] == false && document["error"].is_string(), "{payload}: {document}");
    }
}

#[test]
fn a_payload_beyond_64_mib_is_rejected_and_the_next_line_is_read() {
    let long = " ".repeat((64 << 20) + 1);
    assert!(validate("", &long).ended(1).stderr.contains("error[E0504]"));
    let run = validate("--lines --json", &format!("{long}\n{GOOD}\n")).ended(1);
    assert_eq!(
        lines(&run),
        [json!({ "valid": false, "error": "the payload is longer than 64 MiB" }), json!({ "valid": true }),]
    );
}

#[test]
fn hostile_depth_is_an_error_and_not_a_crash() {
    let deep = "[".repeat(1_000_000);
    let document = validate("--json", &deep).ended(1).json();
    assert!(document["error"].as_str().unwrap().contains("128"), "{document}");
}

#[test]
fn errors_in_the_json_of_a_line_have_the_number_of_the_line() {
    let stdin = format!("{GOOD}\n{GOOD}\n{{\"a\":\n");
    let human = validate("--lines", &stdin).ended(1).stdout;
    assert!(human.ends_with("3: not valid JSON: EOF while parsing a value at line 3 column 5\n"), "{human}");
    let json = validate("--lines --json", &stdin).ended(1);
    assert_eq!(lines(&json)[2]["error"], "EOF while parsing a value at line 3 column 5");
}

#[test]
fn every_line_has_one_result() {
    let stdin = format!("{GOOD}\n{BAD}\r\n\nnope\n{GOOD}\n\n");
    let run = validate("--lines --json", &stdin).ended(1);
    let valid: Vec<_> = lines(&run).iter().map(|line| line["valid"] == true).collect();
    assert_eq!(valid, [true, false, false, false, true]);
    assert!(lines(&run)[1]["violations"].is_array() && lines(&run)[2]["error"].is_string(), "{run:?}");
    assert!(run.stderr.contains("5 payloads, 3 not valid"), "{run:?}");
    let human = validate("--lines", &stdin).ended(1);
    let starts: Vec<_> = human.stdout.lines().map(|line| line.get(..8).unwrap()).collect();
    assert_eq!(starts, ["1: valid", "2: not v", "3: not v", "4: not v", "5: valid"]);
}

#[test]
fn valid_lines_pass() {
    let run = validate("--lines --json -", &format!("{GOOD}\n").repeat(1000)).ended(0);
    assert_eq!(run.stdout, "{\"valid\":true}\n".repeat(1000));
    assert_eq!(validate("--lines", "").ended(0).stdout, "");
}

#[test]
fn a_line_is_answered_before_the_next_one_is_written() {
    let fleet = Fleet::new(&["loose"]);
    let mut child = fleet.command("validate --peer loose --capability ping --side request --lines").spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    for number in 1..=3 {
        stdin.write_all(b"{}\n").unwrap();
        let mut answer = String::new();
        stdout.read_line(&mut answer).unwrap();
        assert_eq!(answer, format!("{number}: valid\n"));
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn redaction_keeps_values_out_of_messages() {
    let secret = r#"{"prUrl": "x", "severity": "hunter2"}"#;
    for arguments in ["--redact", "--redact --json", "--redact --lines"] {
        let run = validate(arguments, secret).ended(1);
        assert!(!format!("{run:?}").contains("hunter2"), "{run:?}");
    }
}

#[test]
fn redaction_keeps_names_out_of_messages() {
    let twice = r#"{"hunter2": 1, "hunter2": 2}"#;
    for arguments in ["--redact", "--redact --json", "--redact --lines"] {
        let run = validate(arguments, twice).ended(1);
        let all = format!("{}{}", run.stdout, run.stderr);
        assert!(!all.contains("hunter2") && all.contains("duplicate property at line 1 column 24"), "{run:?}");
    }
    let unexpected = r#"{"prUrl": "x", "severity": "low", "hunter2": 2}"#;
    assert_eq!(validate("--redact", unexpected).ended(1).stdout, "/hunter2: unexpected property\n");
}

#[test]
fn control_characters_in_names_from_payloads_are_escaped() {
    let run = validate("", r#"{"prUrl": "x", "severity": "low", "\u001b[2J\n\u202e": 1}"#).ended(1);
    assert_eq!(run.stdout.lines().count(), 1, "{run:?}");
    assert!(!run.stdout.contains(['\u{1b}', '\u{202e}']), "{run:?}");
}

#[test]
fn an_unknown_capability_gets_a_suggestion() {
    let run = Fleet::new(&["pr-reviewer"]).run("validate --peer pr-reviewer --capability review_pr --side request");
    assert!(run.ended(1).stderr.contains("did you mean `review-pr`?"));
}

#[test]
fn a_payload_that_cannot_be_read_is_an_error() {
    for (path, lines) in [("gone.json", ""), ("gone.json", "--lines"), ("agents", ""), ("agents", "--lines")] {
        let run = validate(&format!("{path} {lines}"), "").ended(1);
        assert!(run.stderr.contains("error[E0503]") && run.stderr.contains(path), "{run:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_the_run_silently() {
    let fleet = Fleet::new(&["loose"]);
    let mut child = fleet.command("validate --peer loose --capability ping --side request --lines").spawn().unwrap();
    let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    drop(stdout);
    let written = (0..10_000).try_for_each(|_| stdin.write_all(&b"{}\n".repeat(100)));
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(written.is_err());
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

/// A contract whose payloads can have long names around many items.
const LISTS: &str = "version: 1
agent: agent://lists
transports: [{ kind: memory, topics: { requests: lists } }]
capabilities:
  - name: lists
    inputSchema: { additionalProperties: { items: { type: string } } }
";

#[test]
fn reports_have_a_budget_and_say_that_there_is_more() {
    let fleet = Fleet::new(&[]);
    fleet.write("lists.yaml", LISTS);
    let path = format!("/{}…/99", "n".repeat(128));
    // 98 kB and 1 MB.
    for (name, items) in [(20_000, 39_000), (200_000, 400_000)] {
        let payload = json!({"n".repeat(name): vec![1; items]}).to_string();
        let run = |arguments: &str| {
            let validate =
                format!("validate --capabilities lists.yaml --capability lists --side request {arguments} -");
            fleet.run_with(&validate, &payload).ended(1)
        };
        let plain = run("");
        assert_eq!(plain.stdout.lines().count(), 101);
        assert_eq!(plain.stdout.lines().last(), Some("and more"));
        assert!(plain.stdout.contains(&format!("{path}: expected string, got integer\nand more\n")));
        assert!(plain.stderr.contains("more than 100 violations"), "{}", plain.stderr);
        let document = run("--json").json();
        assert_eq!((&document["truncated"], document["violations"].as_array().unwrap().len()), (&json!(true), 100));
        assert_eq!(document["violations"][99]["path"], path);
        let line = run("--lines");
        assert!(line.stdout.ends_with("; and more\n"));
        assert!([&plain.stdout, &line.stdout].iter().all(|text| text.len() < 96 << 10));
    }
}
