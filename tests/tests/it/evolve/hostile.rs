//! Pairs that are large, deep or recursive: a comparison ends, in time that grows as the contract does.

use std::time::{Duration, Instant};

use capgen_evolve::{Assume, Comparison, Level, Settings, compare};
use capgen_manifest::Capability;
use capgen_schema::{Json, Schema};
use capgen_tests::corpus;
use capgen_tests::random::Random;
use serde_json::{Value, json};

use super::{compared, json, manifest, parse};

/// The most time that a comparison of this file takes in a build without optimisations, on a slow machine. Most take
/// less than a hundredth of it.
const MAX_TIME: Duration = Duration::from_secs(120);

/// Compares both directions, and returns the one from `old` to `new`.
fn timed(name: &str, old: &Value, new: &Value) -> Comparison {
    let [old, new] = [old, new].map(|schema| Schema::parse(&json(schema)).unwrap());
    let start = Instant::now();
    let forwards = compared(&old, &new, Assume::AnyPeer);
    let there = start.elapsed();
    compared(&new, &old, Assume::CapgenPeer);
    let both = start.elapsed();
    println!("{name}: {} findings, {there:?}, back {:?}", forwards.findings.len(), both - there);
    assert!(both < MAX_TIME, "{name}: {both:?}");
    forwards
}

/// An object with `count` properties, whose names start with `prefix`.
fn wide(count: usize, prefix: &str, schema: &Value) -> Value {
    let properties: serde_json::Map<_, _> = (0..count).map(|i| (format!("{prefix}{i}"), schema.clone())).collect();
    json!({"type": "object", "properties": properties})
}

fn required(mut schema: Value) -> Value {
    let names: Vec<String> = schema["properties"].as_object().unwrap().keys().cloned().collect();
    schema["required"] = json!(names);
    schema
}

#[test]
fn wide_objects_are_compared_in_bounded_time() {
    let (short, long) = (json!({"type": "string", "maxLength": 5}), json!({"type": "string", "maxLength": 9}));
    let old = wide(300, "p", &long);
    let mut one = old.clone();
    one["properties"]["p150"] = short.clone();
    let found = timed("one of 300 properties", &old, &one);
    assert_eq!(found.findings.iter().filter(|finding| finding.level == Level::Breaking).count(), 1);
    let old = wide(100, "p", &long);
    timed("each of 100 properties", &old, &wide(100, "p", &short));
    timed("100 other names", &old, &wide(100, "q", &long));
    timed("100 required", &old, &required(old.clone()));
    timed("100 other required names", &required(old.clone()), &required(wide(100, "q", &long)));
    let mut closed = wide(100, "q", &long);
    closed["additionalProperties"] = json!(false);
    timed("100 names and closed", &old, &closed);
}

#[test]
fn unions_with_many_branches_are_compared_in_bounded_time() {
    let branch = |i: usize, max: usize| {
        json!({"type": "object", "required": ["kind"], "properties": {
            "kind": {"const": format!("k{i}")}, "text": {"type": "string", "maxLength": max}}})
    };
    for keyword in ["oneOf", "anyOf"] {
        let old: Vec<Value> = (0..20).map(|i| branch(i, 9)).collect();
        let mut one = old.clone();
        one[10] = branch(10, 5);
        let of = |branches: &[Value]| json!({keyword: branches});
        timed(&format!("one of 20 branches of {keyword}"), &of(&old), &of(&one));
        timed(&format!("20 branches of {keyword} in the opposite order"), &of(&old), &{
            let mut backwards = old.clone();
            backwards.reverse();
            of(&backwards)
        });
        let other: Vec<Value> = (20..40).map(|i| branch(i, 9)).collect();
        timed(&format!("20 other branches of {keyword}"), &of(&old), &of(&other));
    }
}

#[test]
fn enums_with_many_values_are_compared_in_bounded_time() {
    let of = |from: usize| json!({"enum": (from..from + 500).map(|i| format!("v{i}")).collect::<Vec<_>>()});
    timed("one of 500 values", &of(0), &of(1));
    timed("500 other values", &of(0), &of(500));
}

#[test]
fn deep_and_recursive_schemas_are_compared_in_bounded_time() {
    let nested = |leaf: Value| {
        (0..60).fold(leaf, |schema, i| match i % 3 {
            0 => json!({"type": "object", "properties": {"a": schema}}),
            1 => json!({"items": schema}),
            _ => json!({"anyOf": [schema, {"type": "null"}]}),
        })
    };
    timed("60 levels", &nested(json!({"type": "string"})), &nested(json!({"type": "integer"})));
    let ring = |count: usize, max: u32| {
        let definition = |i: usize| {
            (
                format!("D{i}"),
                json!({"type": "object", "properties": {
                "next": {"$ref": format!("#/definitions/D{}", (i + 1) % count)},
                "far": {"$ref": format!("#/definitions/D{}", (i * 7 + 3) % count)},
                "text": {"type": "string", "maxLength": max}}}),
            )
        };
        let definitions: serde_json::Map<_, _> = (0..count).map(definition).collect();
        json!({"$ref": "#/definitions/D0", "definitions": definitions})
    };
    timed("rings of 20 and 21 definitions", &ring(20, 5), &ring(21, 5));
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn tricky_schemas_of_the_corpora_and_their_mutations_are_compared_without_panics() {
    let folder = corpus::path("tricky-schemas");
    let mut pairs = 0;
    let mut schemas: Vec<Schema> = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        schemas.extend(
            [&value, &value["schema"]].into_iter().filter_map(|v| Schema::parse(&Json::try_from(v).ok()?).ok()),
        );
    }
    assert!(schemas.len() >= 10, "{}", schemas.len());
    for (seed, old) in schemas.iter().enumerate() {
        let mut random = Random::new(seed as u64);
        for _ in 0..6 {
            let Ok(new) = Schema::parse(&random.mutated(old.source())) else { continue };
            pairs += 1;
            let start = Instant::now();
            compared(old, &new, Assume::ALL[pairs % 2]);
            assert!(start.elapsed() < MAX_TIME, "{} {}", old.source().canonical(), new.source().canonical());
        }
        compared(old, &schemas[(seed + 1) % schemas.len()], Assume::AnyPeer);
    }
    assert!(pairs >= 40, "{pairs}");
}

#[test]
fn contracts_with_many_capabilities_are_compared_in_bounded_time() {
    let schema = parse(r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#);
    let other = parse(r#"{"type": "object", "properties": {"a": {"type": "string", "maxLength": 3}}}"#);
    let contract = |prefix: &str, schema: &Schema| {
        let capability =
            |i: usize| Capability { input: Some(schema.clone()), ..Capability::new(format!("{prefix}{i}")) };
        manifest((0..200).map(capability).collect())
    };
    for (name, new) in [
        ("equal", contract("find-", &schema)),
        ("other schemas", contract("find-", &other)),
        ("other names", contract("list-", &schema)),
    ] {
        let start = Instant::now();
        let comparison = compare(&contract("find-", &schema), &new, Settings::default());
        println!("200 capabilities, {name}: {} findings, {:?}", comparison.findings.len(), start.elapsed());
        assert!(start.elapsed() < MAX_TIME, "{name}: {:?}", start.elapsed());
    }
}
