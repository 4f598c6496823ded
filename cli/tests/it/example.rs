//! `capgen example`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{Fleet, Run, loose};
use serde_json::{Value, json};

fn fleet(schema: &str) -> Fleet {
    let fleet = Fleet::new(&["pr-reviewer"]);
    fleet.write("a.yaml", &loose("a").replace("{ name: ping }", &format!("{{ name: ping, inputSchema: {schema} }}")));
    fleet
}

fn lines(run: &Run) -> Vec<Value> {
    run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn example(schema: &str, arguments: &str) -> Run {
    fleet(schema).run(&format!("example --capabilities a.yaml --capability ping {arguments}"))
}

#[test]
fn examples_are_valid_requests_or_responses() {
    let fleet = fleet("{}");
    for side in ["request", "response"] {
        let run = fleet.run(&format!("example --peer pr-reviewer --capability review-pr --side {side}")).ended(0);
        assert!(run.stdout.lines().count() >= 3, "{run:?}");
        let arguments = format!("--capability review-pr --side {side} --lines");
        fleet.run_with(&format!("validate --peer pr-reviewer {arguments}"), &run.stdout).ended(0);
    }
    let first = fleet.run("example --peer pr-reviewer --capability review-pr --count 1").ended(0);
    assert_eq!(first.stdout, "{\"prUrl\":\"\",\"severity\":\"low\"}\n");
}

#[test]
fn each_constraint_is_violated_with_the_violation() {
    let fleet = fleet("{}");
    let run = fleet.run("example --peer pr-reviewer --capability review-pr --invalid").ended(0);
    let lines = lines(&run);
    let keywords: Vec<_> = lines.iter().map(|line| line["violations"][0]["keyword"].as_str().unwrap()).collect();
    assert_eq!(keywords, ["type", "required", "required", "additionalProperties", "type", "enum"]);
    let message = lines[5]["violations"][0]["message"].clone();
    let violation = json!({"path": "/severity", "message": message, "keyword": "enum"});
    let expected = json!({"path": "/severity", "keyword": "enum"});
    let constraint = "/properties/severity/enum";
    let payload = json!({"prUrl": "", "severity": ""});
    assert_eq!(
        lines[5],
        json!({"payload": payload, "constraint": constraint, "expected": expected, "violations": [violation]})
    );
    assert_eq!(
        fleet.run("example --peer pr-reviewer --capability review-pr --invalid --count 2").stdout.lines().count(),
        2
    );
}

#[test]
fn every_failure_of_a_union_is_shown() {
    let branch = |tag: &str, rest: &str| {
        format!("{{ type: object, required: [kind], properties: {{ kind: {{ const: {tag} }}, {rest} }} }}")
    };
    let [a, b] = [branch("a", "n: { minimum: 3 }"), branch("b", "s: { type: string }")];
    let run = example(&format!("{{ oneOf: [{a}, {b}] }}"), "--invalid").ended(0);
    let lines = lines(&run);
    for (constraint, path, keyword, payload) in [
        ("/oneOf", "", "type", json!(null)),
        ("/oneOf", "/kind", "required", json!({})),
        ("/oneOf", "/kind", "enum", json!({"kind": ""})),
        ("/oneOf/0/properties/n/minimum", "/n", "minimum", json!({"kind": "a", "n": 0})),
        ("/oneOf/1/properties/s/type", "/s", "type", json!({"kind": "b", "s": null})),
    ] {
        let line = lines.iter().find(|line| line["payload"] == payload).unwrap();
        assert_eq!(line["constraint"], json!(constraint));
        assert_eq!(line["expected"], json!({"path": path, "keyword": keyword}));
    }
}

#[test]
fn without_a_capability_the_payloads_are_those_of_the_whole_agent() {
    let fleet = fleet("{ type: string, format: date }");
    let manifest = "capabilities:\n  - { name: ping, inputSchema: { type: string, format: date } }\n  \
                    - { name: book, version: 1.0.0, inputSchema: { type: boolean } }\n  \
                    - { name: book, version: 2.0.0, inputSchema: { type: integer }, outputSchema: { const: x } }\n";
    fleet.write("b.yaml", &loose("b").replace("capabilities: [{ name: ping }]\n", manifest));
    let run = fleet.run("example --capabilities b.yaml").ended(0);
    let line = |capability: &str, side: &str, payload: Value| json!({"capability": capability, "side": side, "payload": payload});
    let expected = [
        line("ping", "request", json!("1970-01-01")),
        line("ping", "response", json!(null)),
        line("book@1.0.0", "request", json!(false)),
        line("book@1.0.0", "response", json!(null)),
        line("book@2.0.0", "request", json!(0)),
        line("book@2.0.0", "response", json!("x")),
    ];
    assert_eq!(lines(&run), expected);

    let run = fleet.run("example --capabilities b.yaml --side response --invalid").ended(0);
    assert_eq!(lines(&run).len(), 1, "{run:?}");
    assert_eq!((&lines(&run)[0]["capability"], &lines(&run)[0]["side"]), (&json!("book@2.0.0"), &json!("response")));
    assert_eq!(lines(&run)[0]["constraint"], json!("/const"));
    assert!(run.stderr.contains("every JSON value is a valid response of `ping`"), "{run:?}");
}

#[test]
fn sides_without_payloads_are_all_reported_and_nothing_is_printed() {
    let fleet = fleet("{ allOf: [{ type: string }, { minimum: 3, type: integer }] }");
    let two = "[{ name: pong, inputSchema: { enum: [] } }, { name: ping,";
    fleet.write("b.yaml", &fleet.read("a.yaml").replace("[{ name: ping,", two));
    let run = fleet.run("example --capabilities b.yaml").ended(1);
    assert_eq!(run.stdout, "");
    for subject in ["request of `ping`", "request of `pong`"] {
        assert!(run.stderr.contains(&format!("there is no valid {subject}")), "{run:?}");
    }
}

#[test]
fn numbers_have_all_their_digits() {
    let run = example("{ const: 12345678901234567890.123456789 }", "").ended(0);
    assert_eq!(run.stdout, "12345678901234567890.123456789\n");
}

#[test]
fn a_seed_gives_the_same_examples_each_time() {
    let schema = "{ type: object, properties: { a: { type: string }, b: { enum: [1, 2, 3] }, c: { type: integer } } }";
    let of = |seed: u32| example(schema, &format!("--count 5 --seed {seed}")).ended(0).stdout;
    assert_eq!(of(5), of(5));
    assert_ne!(of(5), of(0));
}

#[test]
fn a_schema_that_accepts_nothing_is_an_error() {
    for arguments in ["", "--invalid"] {
        let run = example("{ type: string, minLength: 5, maxLength: 4 }", arguments).ended(1);
        assert!(
            run.stdout.is_empty() && run.stderr.contains("error[E0506]: there is no valid request of `ping`"),
            "{run:?}"
        );
        assert!(run.stderr.contains("a.yaml:4"), "{run:?}");
    }
}

#[test]
fn a_search_beyond_the_limit_is_an_error() {
    let run = example("{ type: string, minLength: 1000000000 }", "").ended(1);
    assert!(run.stderr.contains("error[E0507]: no valid request of `ping` was found"), "{run:?}");
}

#[test]
fn a_pattern_that_is_not_decided_is_named_with_the_remedy() {
    let pattern = "{ type: string, pattern: '^[a-z]{3}(?<=xyz)[0-9]*$'";
    let run = example(&format!("{pattern} }}"), "").ended(1);
    for part in [
        "error[E0507]: no valid request of `ping` was found: the search ended at a pattern with look-around",
        "a.yaml:4:",
        "this pattern has look-around",
        "help: add a valid value to `examples` or `default` in the schema",
    ] {
        assert!(run.stderr.contains(part), "{part}: {run:?}");
    }
    let text = "xyz7";
    let run = example(&format!("{pattern}, examples: [{text}] }}"), "").ended(0);
    assert_eq!(run.stdout, format!("\"{text}\"\n"));
    let large =
        "{ type: string, minLength: 60, pattern: 'a.{24}$', allOf: [{ pattern: 'b.{25}$' }, { pattern: 'c.{26}c' }] }";
    let run = example(large, "").ended(1);
    assert!(run.stderr.contains("the patterns have too many combinations"), "{run:?}");
    assert!(run.stderr.contains("this pattern\n"), "{run:?}");
    // Invalid payloads need no valid one.
    let run = example(&format!("{pattern} }}"), "--invalid").ended(0);
    assert_eq!(run.stdout.lines().count(), 2, "{run:?}");
    let run = example("{ type: string, pattern: '^(?=.*[0-9])(?!0)[a-z0-9]{3,}$' }", "").ended(0);
    assert_eq!(run.stdout, "\"aa0\"\n");
}

#[test]
fn more_than_1000_invalid_payloads_are_reported() {
    let properties: Vec<String> = (0..1100).map(|index| format!("p{index}: {{ type: string }}")).collect();
    let schema = format!("{{ type: object, properties: {{ {} }} }}", properties.join(", "));
    let run = example(&schema, "--invalid").ended(0);
    assert_eq!(run.stdout.lines().count(), 1000);
    assert_eq!(run.stderr, "only the first 1000 payloads are printed\n");
}

#[test]
fn a_side_without_a_schema_accepts_everything() {
    let run = example("{}", "--side response --count 2").ended(0);
    assert_eq!(run.stdout.lines().count(), 2);
    let run = example("{}", "--side response --invalid").ended(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", "every JSON value is a valid response of `ping`\n"));
}

#[test]
fn unknown_capabilities_and_missing_options_are_reported() {
    let fleet = fleet("{}");
    let run = fleet.run("example --peer pr-reviewer --capability review").ended(1);
    assert!(run.stderr.contains("did you mean `review-pr`?"), "{run:?}");
    fleet.run("example --capability review-pr").ended(2);
    fleet.run("example --peer pr-reviewer --capability review-pr --count 0").ended(2);
}
