//! The [JSON Schema Test Suite](https://github.com/json-schema-org/JSON-Schema-Test-Suite) for draft-07.
//!
//! A group whose schema is in the subset passes all of its tests. Every other group is rejected, and the schema indeed
//! contains the keyword or value that the error names.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::Path;

use crate::support;
use crate::support::groups::{Group, Test, groups};
use capgen_schema::{Code, ExactPayload, Json, Problem, Schema, Validator, codes};
use serde_json::Value;

#[derive(Default)]
struct Outcome {
    groups: usize,
    loaded: usize,
    tests: usize,
    /// The number of findings with each code.
    rejections: BTreeMap<&'static str, usize>,
    failures: Vec<String>,
}

/// Every group of the suite in a folder; each passes or is rejected with a reason.
fn run(suite: &Path) -> Outcome {
    let mut outcome = Outcome::default();
    groups(suite).iter().for_each(|group| run_group(group, &mut outcome));
    let Outcome { groups, loaded, tests, rejections, failures } = &outcome;
    println!("{loaded} of {groups} groups are in the subset, with {tests} tests; {} fail", failures.len());
    println!("rejections by code: {rejections:?}");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    outcome
}

#[test]
fn every_group_passes_or_is_rejected_with_a_reason() {
    let Outcome { loaded, tests, .. } = run(&support::suite());
    assert_eq!((loaded, tests), support::IN_SUBSET, "the groups and tests in the subset");
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn every_group_of_the_suite_in_the_corpora_passes_or_is_rejected_with_a_reason() {
    assert!(run(&support::newer_suite()).tests > 0);
}

fn run_group(group: &Group, outcome: &mut Outcome) {
    let Group { name, schema: text, tests } = group;
    outcome.groups += 1;
    match Schema::parse(&text.parse::<Json>().unwrap()) {
        Err(problems) => {
            let source = serde_json::from_str(text).unwrap();
            for problem in &problems {
                *outcome.rejections.entry(problem.code.as_str()).or_default() += 1;
            }
            let errors = problems.iter().filter(|problem| problem.code.as_str().starts_with('E'));
            let unjustified =
                errors.filter(|problem| !is_justified(problem, &source)).map(|p| format!("{name}: {p:?}"));
            outcome.failures.extend(unjustified);
        }
        Ok(schema) => {
            outcome.loaded += 1;
            let validator = Validator::new(&schema);
            for test in tests {
                outcome.tests += 1;
                outcome.failures.extend(failure(&validator, test).map(|reason| format!("{name}: {reason}")));
            }
        }
    }
}

fn failure(validator: &Validator, test: &Test) -> Option<String> {
    let Test { description, data, valid } = test;
    let payload = ExactPayload::parse(data.as_bytes()).unwrap();
    let violations = validator.validate_exact(&payload);
    if violations.is_empty() != validator.is_valid_exact(&payload) {
        return Some(format!("{data}: the verdict and the violations disagree"));
    }
    (violations.is_empty() != *valid).then(|| format!("{description}: {data} should be {valid}: {violations:?}"))
}

/// Whether the schema contains, at the pointer of the error, the unsupported keyword or value that the error reports.
fn is_justified(problem: &Problem, schema: &Value) -> bool {
    // The last two are unknown keywords that the suite uses.
    const OUTSIDE: [&str; 10] = [
        "$defs",
        "additionalItems",
        "contentEncoding",
        "contentMediaType",
        "dependencies",
        "else",
        "if",
        "then",
        "foo",
        "bar",
    ];
    let keyword = problem.pointer.rsplit('/').next().unwrap_or_default();
    let value = schema.pointer(&problem.pointer);
    let text = value.and_then(Value::as_str);
    let justified: &[(Code, bool)] = &[
        (
            codes::UNKNOWN_KEYWORD,
            OUTSIDE.contains(&keyword)
                || problem.pointer.contains("/dependencies/")
                || (keyword == "items" && value.is_some_and(Value::is_array)),
        ),
        (codes::PROPERTY_NAMES, problem.pointer.contains("/propertyNames")),
        (codes::NESTED_ID, keyword == "$id" && problem.pointer != "/$id"),
        (
            codes::REF_NOT_LOCAL,
            text.is_some_and(|text| !text.starts_with("#/definitions/") || text.matches('/').count() > 2),
        ),
        (
            codes::REF_SIBLING,
            problem
                .pointer
                .strip_suffix(keyword)
                .is_some_and(|parent| schema.pointer(&format!("{parent}$ref")).is_some()),
        ),
        (codes::REF_UNRESOLVED, text.and_then(|text| schema.pointer(text.strip_prefix('#')?)).is_none()),
        (codes::UNKNOWN_FORMAT, text.is_some()),
        (codes::OTHER_DIALECT, text.is_some_and(|text| !text.contains("draft-07/schema"))),
        (codes::PATTERN_BACK_REFERENCE, text.is_some_and(|text| text.contains('\\'))),
        (codes::PATTERN_SYNTAX, text.is_some()),
    ];
    value.is_some() && justified.contains(&(problem.code, true))
}
