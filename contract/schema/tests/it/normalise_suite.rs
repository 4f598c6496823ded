//! The [JSON Schema Test Suite](https://github.com/json-schema-org/JSON-Schema-Test-Suite) of every draft, through
//! `normalise`.
//!
//! The normalised schema must accept exactly the payloads of the suite that the original accepts in its own draft.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::support;
use capgen_schema::{Json, Schema, Validator, normalise};
use serde_json::Value;

const DRAFTS: [&str; 5] = ["draft4", "draft6", "draft7", "draft2019-09", "draft2020-12"];

/// Formats that every draft has, or that earlier drafts lack.
const FORMATS: [&str; 3] = ["ipv4.json", "ipv6.json", "date.json"];

#[test]
fn normalised_schemas_accept_the_same_payloads_as_the_originals() {
    check(&support::suite());
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn normalised_schemas_of_the_corpora_accept_the_same_payloads_as_the_originals() {
    check(&support::newer_suite());
}

fn check(suite: &Path) {
    let mut failures = Vec::new();
    let mut rejections: BTreeMap<String, usize> = BTreeMap::new();
    for draft in DRAFTS.into_iter().filter(|draft| suite.join(draft).is_dir()) {
        let (mut groups, mut normalised, mut direct) = (0, 0, 0);
        for path in files(&suite.join(draft)) {
            let file = path.strip_prefix(suite).unwrap().display().to_string();
            let cases: Vec<Value> = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            for group in &cases {
                groups += 1;
                let name = format!("{file}: {}", group["description"].as_str().unwrap());
                let source = in_its_draft(draft, &group["schema"]);
                direct += usize::from(Schema::parse(&source).is_ok());
                match normalise(&source) {
                    Err(problems) => {
                        for problem in problems {
                            *rejections.entry(format!("{} {}", problem.code.as_str(), problem.message)).or_default() +=
                                1;
                        }
                    }
                    Ok(output) => {
                        normalised += 1;
                        failures.extend(run_group(&name, &output, group));
                    }
                }
            }
        }
        println!("{draft}: {normalised} of {groups} groups load after normalisation, {direct} without it");
    }
    println!("rejected: {rejections:#?}");
    assert!(failures.is_empty(), "{} fail\n{}", failures.len(), failures.join("\n"));
}

fn files(draft: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(draft).unwrap().map(|entry| entry.unwrap().path()).collect();
    // That file tests that `format` is only an annotation. Here it is an assertion.
    files.retain(|path| {
        path.extension().is_some_and(|e| e == "json") && path.file_name().is_none_or(|f| f != "format.json")
    });
    files.sort();
    let formats = draft.join("optional").join("format");
    files.extend(FORMATS.iter().map(|name| formats.join(name)).filter(|path| path.is_file()));
    files
}

/// The schema with a `$schema`. Most schemas of the suite have none, because the folder determines the draft.
fn in_its_draft(draft: &str, schema: &Value) -> Json {
    let mut schema = schema.clone();
    let uri = match draft {
        "draft4" | "draft6" | "draft7" => {
            format!("http://json-schema.org/{}/schema#", draft.replace("draft", "draft-0"))
        }
        later => format!("https://json-schema.org/{}/schema", later.replace("draft", "draft/")),
    };
    if let Some(object) = schema.as_object_mut() {
        object.entry("$schema").or_insert(uri.into());
    }
    Json::try_from(&schema).unwrap()
}

/// Runs the tests of a group with its normalised schema; returns the failures.
fn run_group(name: &str, output: &Json, group: &Value) -> Vec<String> {
    let again = normalise(output).map(|again| again.canonical());
    if again.as_ref() != Ok(&output.canonical()) {
        return vec![format!("{name}: normalising again changes it: {again:?}")];
    }
    let validator = match Schema::parse(output) {
        Ok(schema) => Validator::new(&schema),
        Err(problems) => return vec![format!("{name}: does not load: {problems:?}")],
    };
    let tests = group["tests"].as_array().unwrap().iter();
    let wrong = tests.filter(|test| Some(validator.is_valid(&test["data"])) != test["valid"].as_bool());
    let describe = |test: &Value| format!("{name}: {}: {} {}", test["description"], test["data"], output.canonical());
    wrong.map(describe).collect()
}
