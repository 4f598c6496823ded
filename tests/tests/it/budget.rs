//! The budget of reports in every language: the engines cut them at the same violation, and a small payload costs
//! little.

use std::path::Path;

use capgen_codegen::{Language, Options, Regenerate, generate_with};
use capgen_schema::{ReportBudget, Schema, Validator, Violations};
use capgen_testkit::node::{command, printed};
use capgen_tests::agreement::{Pair, agree};
use capgen_tests::contract::{Draft, contract};
use capgen_tests::node;
use capgen_tests::random::Random;
use serde_json::{Map, Value, json};

const NOTE: &str = r#"{"type": "object", "required": ["b"], "properties": {"b": {"type": "string", "maxLength": 3}}}"#;

/// Schemas whose violations are at items, at members, and in unions.
fn schemas() -> Vec<String> {
    vec![
        r#"{"additionalProperties": {"items": {"type": "string"}}}"#.to_owned(),
        // Under several names, so that the bytes of the paths cut the report.
        r#"{"additionalProperties": {"additionalProperties": {"additionalProperties": {"items": {"type": "string"}}}}}"#
            .to_owned(),
        format!(
            r#"{{"additionalProperties": {{"items": {NOTE}}}, "propertyNames": {{"maxLength": 200, "pattern": "^[^9]*$"}}}}"#
        ),
        r#"{"properties": {"a": {"items": {"minimum": 5, "multipleOf": 2}}}, "additionalProperties": false}"#
            .to_owned(),
        format!(
            r#"{{"additionalProperties": {{"items": {{"anyOf": [{NOTE}, {{"type": "object", "required": ["c", "d"]}}]}}}}}}"#
        ),
        format!(
            r#"{{"anyOf": [{{"additionalProperties": {{"items": {NOTE}}}}}, {{"additionalProperties": {{"items": {{"type": "null"}}}}}}]}}"#
        ),
    ]
}

/// A name. Many are longer than a path shows, some only by bytes, and some have characters with escapes near the cut.
fn name(random: &mut Random) -> String {
    let text = random.pick(&["n", "é", "\u{ffee}", "\u{1f600}", "~", "/", "~1", "9"]);
    let length = random.pick(&[1, 2, 126, 127, 128, 129, 130, 400]);
    let end = random.pick(&["", "a", "~", "\u{1f600}", "…"]);
    text.repeat(length) + end
}

fn item(random: &mut Random) -> Value {
    match random.below(6) {
        0 => json!(random.below(9)),
        1 => json!("text"),
        2 => json!({"b": "long text", "a": 1}),
        3 => json!({"c": 1}),
        4 => json!({"b": "t"}),
        _ => Value::Null,
    }
}

/// An object of lists, each under a name or three.
fn payload(random: &mut Random, is_nested: bool) -> String {
    let mut members: Vec<String> = Vec::new();
    let mut names: Vec<String> = vec!["a".to_owned()];
    for _ in 0..random.pick(&[1, 3, 20, 150]) {
        let name = name(random);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    // Not in the order of the report.
    names.reverse();
    for name in names {
        let items: Vec<Value> = (0..random.pick(&[0, 1, 12, 120])).map(|_| item(random)).collect();
        let (first, second) = (self::name(random), self::name(random));
        let value = if is_nested { json!({first: {second: items}}) } else { json!(items) };
        members.push(format!("{}:{value}", json!(name)));
    }
    format!("{{{}}}", members.join(","))
}

#[test]
fn all_engines_cut_reports_at_the_same_violation() {
    let mut random = Random::new(7);
    let pair = |(index, schema): (usize, String)| {
        let payloads = (0..24).map(|_| payload(&mut random, index == 1)).collect();
        Pair { label: format!("budget {index}"), schema, payloads }
    };
    let pairs: Vec<Pair> = schemas().into_iter().enumerate().map(pair).collect();
    let reports: Vec<Violations> = pairs.iter().flat_map(reports).collect();
    let by = |is: fn(&Violations) -> bool| reports.iter().filter(|report| is(report)).count();
    assert!(by(|report| report.is_truncated() && report.len() == 100) > 10, "cut by the number of violations");
    assert!(by(|report| report.is_truncated() && report.len() < 100) > 2, "cut by the bytes of text");
    assert!(by(|report| !report.is_truncated() && !report.is_empty()) > 10, "not cut");
    agree(env!("CARGO_TARGET_TMPDIR"), "budget", &pairs);
}

fn reports(pair: &Pair) -> Vec<Violations> {
    let validator = Validator::new(&Schema::parse_text(&pair.schema).unwrap());
    pair.payloads.iter().map(|payload| validator.validate(&serde_json::from_str(payload).unwrap())).collect()
}

/// Runs a script that imports `m`, the generated module for these schemas, and returns its output.
fn output(name: &str, script: &str) -> Option<String> {
    node::require_or_skip().unwrap()?;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let union = r#"{"additionalProperties": {"anyOf": [{"items": {"type": "string"}}, {"items": {"type": "null"}}]}}"#;
    let drafts = [Draft::request("lists", &schemas()[0]), Draft::request("unions", union)];
    let agent = contract("agent", &drafts).unwrap();
    let options = Options { standard_schema: true, ..Options::default() };
    let regenerate = Regenerate::anywhere(&agent.agent);
    for (name, text) in generate_with(&agent, &[Language::JavaScriptModule], &options, &regenerate) {
        std::fs::write(folder.join(name), text).unwrap();
    }
    std::fs::write(folder.join("script.mjs"), format!("import * as m from \"./agent.mjs\";\n{script}")).unwrap();
    // Far less than the report would take without a budget.
    Some(printed(command().arg("--max-old-space-size=200").arg(folder.join("script.mjs"))))
}

#[test]
fn a_small_payload_has_no_large_report_in_javascript() {
    let script = r#"
const bytes = (value) => new TextEncoder().encode(JSON.stringify(value)).length;
const result = [];
// 98 kB and 1 MB: a long name around many items.
for (const [name, items] of [[20_000, 39_000], [200_000, 400_000]]) {
  const payload = { ["n".repeat(name)]: new Array(items).fill(1) };
  const texts = { ["n".repeat(name)]: Array.from({ length: items }, (_, index) => index) };
  for (const type of ["Lists", "Unions"]) {
    for (const value of [payload, texts]) {
      const { violations, truncated } = m[`parse${type}Request`](value);
      let error;
      try { m[`assert${type}Request`](value); } catch (thrown) { error = thrown; }
      const { issues } = m[`${type.toLowerCase()}Request`]["~standard"].validate(value);
      result.push({
        count: violations.length,
        truncated,
        bytes: bytes(violations) < 96 * 1024 || bytes(violations),
        same: JSON.stringify(error.violations) === JSON.stringify(violations) && error.truncated === truncated,
        message: error.message.split("\n").at(-1).slice(0, 8),
        issues: issues.length,
        last: issues.at(-1).message.slice(0, 8),
        key: typeof violations[0].path === "string" && issues[0].path.length,
        index: issues[0].path[1],
        path: violations.at(-1).path.slice(-5),
      });
    }
  }
}
console.log(JSON.stringify(result));
"#;
    let Some(output) = output("budget-of-javascript", script) else { return };
    let results: Vec<Map<String, Value>> = serde_json::from_str(&output).unwrap();
    let cut = json!({"count": 100, "truncated": true, "bytes": true, "same": true, "message": "and more", "issues": 101,
        "last": "and more", "key": 2, "index": 0, "path": "n…/99"});
    let union = json!({"count": 1, "truncated": false, "bytes": true, "same": true, "message": format!("/{}", "n".repeat(7)),
        "issues": 1, "last": "matches ", "key": 1, "path": "nnnn…"});
    for (index, result) in results.into_iter().enumerate() {
        assert_eq!(Value::from(result), if index % 4 < 2 { cut.clone() } else { union.clone() }, "{index}");
    }
}

#[test]
fn a_caller_of_javascript_gets_more_if_it_asks_for_more() {
    let script = r#"
const payload = { ["é".repeat(400)]: new Array(2000).fill(1), a: [1] };
const counts = [{}, { limit: 1 }, { limit: 150 }, { limit: 5000 }, { limit: 5000, maxBytes: 1e6 }, { maxBytes: 0 }, { limit: 2.5 }];
console.log(JSON.stringify(counts.map((options) => {
  const { violations, truncated } = m.parseListsRequest(payload, options);
  return [violations.length, truncated];
})));
"#;
    let Some(output) = output("more-of-javascript", script) else { return };
    let validator = Validator::new(&Schema::parse_text(&schemas()[0]).unwrap());
    let payload = json!({"é".repeat(400): vec![1; 2000], "a": [1]});
    let count = |violations: usize, bytes: usize| {
        let found =
            validator.clone().budget(ReportBudget { violations, bytes, ..ReportBudget::DEFAULT }).validate(&payload);
        (found.len(), found.is_truncated())
    };
    let default = ReportBudget::DEFAULT;
    let expected = [
        count(default.violations, default.bytes),
        count(1, default.bytes),
        count(150, default.bytes),
        count(5000, default.bytes),
        count(5000, 1_000_000),
        count(default.violations, 0),
        count(2, default.bytes),
    ];
    assert_eq!(serde_json::from_str::<Vec<(usize, bool)>>(&output).unwrap(), expected);
    assert_eq!(expected[4], (2001, false));
}
