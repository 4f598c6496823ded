//! The [JSON Schema Test Suite](https://github.com/json-schema-org/JSON-Schema-Test-Suite) for draft-07.
//!
//! A group whose schema is in the subset passes all of its tests. Every other group is rejected, and the schema indeed contains the
//! keyword or value that the error names.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use capgen_schema::{Code, Json, Problem, Schema, Validator, codes, parse_payload};
use serde_json::Value;

/// The files of `draft7/optional` to run. The others are about formats outside the subset, or repeat core tests.
const OPTIONAL: [&str; 8] = [
    "bignum.json",
    "ecmascript-regex.json",
    "float-overflow.json",
    "non-bmp-regex.json",
    "format/date-time.json",
    "format/email.json",
    "format/uri.json",
    "format/uri-reference.json",
];

#[derive(Default)]
struct Outcome {
    groups: usize,
    loaded: usize,
    tests: usize,
    /// The number of findings with each code.
    rejections: BTreeMap<&'static str, usize>,
    failures: Vec<String>,
}

#[test]
fn every_group_passes_or_is_rejected_with_a_reason() {
    let suite = match support::suite() {
        Ok(suite) => suite,
        Err(reason) => {
            println!("THE JSON SCHEMA TEST SUITE DID NOT RUN: {reason}");
            println!("set CAPGEN_JSON_SCHEMA_SUITE to a folder that contains draft7/");
            assert!(std::env::var_os("CAPGEN_REQUIRE_SUITE").is_none_or(|v| v != "1"), "the suite is required");
            return;
        }
    };
    let mut outcome = Outcome::default();
    for path in files(&suite) {
        let groups: Vec<Value> = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let file = path.strip_prefix(&suite).unwrap().display().to_string();
        groups.iter().for_each(|group| run_group(&file, group, &mut outcome));
    }
    let Outcome { groups, loaded, tests, rejections, failures } = outcome;
    println!("{loaded} of {groups} groups are in the subset, with {tests} tests; {} fail", failures.len());
    println!("rejections by code: {rejections:?}");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(loaded >= 165 && tests >= 690, "fewer groups load than the subset allows");
}

fn files(suite: &Path) -> Vec<PathBuf> {
    let draft7 = suite.join("draft7");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&draft7).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files.extend(OPTIONAL.map(|name| draft7.join("optional").join(name)));
    files.push(suite.join("draft2019-09/optional/format/uuid.json"));
    files
}

fn run_group(file: &str, group: &Value, outcome: &mut Outcome) {
    let name = format!("{file}: {}", group["description"].as_str().unwrap());
    let mut source = group["schema"].clone();
    // `uuid` is a format of a later draft. Its tests have a `$schema` of that draft, which must be removed.
    if file.starts_with("draft2019-09")
        && let Some(object) = source.as_object_mut()
    {
        object.remove("$schema");
    }
    outcome.groups += 1;
    match Schema::parse(&Json::try_from(&source).unwrap()) {
        Err(problems) => {
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
            for test in group["tests"].as_array().unwrap() {
                outcome.tests += 1;
                outcome.failures.extend(failure(&validator, test).map(|reason| format!("{name}: {reason}")));
            }
        }
    }
}

fn failure(validator: &Validator, test: &Value) -> Option<String> {
    let data = &test["data"];
    let violations = validator.validate(data);
    let read_back = parse_payload(data.to_string().as_bytes());
    if violations.is_empty() != validator.is_valid(data) {
        return Some(format!("{data}: the verdict and the violations disagree"));
    }
    if read_back.as_ref().ok() != Some(data) {
        return Some(format!("{data}: parsed as {read_back:?}"));
    }
    (Some(violations.is_empty()) != test["valid"].as_bool())
        .then(|| format!("{}: {data} should be {}: {violations:?}", test["description"], test["valid"]))
}

/// Whether the schema contains, at the pointer of the error, the unsupported keyword or value that the error reports.
fn is_justified(problem: &Problem, schema: &Value) -> bool {
    // The last two are unknown keywords that the suite uses.
    const OUTSIDE: [&str; 16] = [
        "$defs",
        "additionalItems",
        "contains",
        "contentEncoding",
        "contentMediaType",
        "dependencies",
        "else",
        "if",
        "maxProperties",
        "minProperties",
        "multipleOf",
        "patternProperties",
        "propertyNames",
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
            OUTSIDE.contains(&keyword) || (keyword == "items" && value.is_some_and(Value::is_array)),
        ),
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
