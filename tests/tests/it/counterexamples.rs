//! Payloads that violate each assertion of random schemas.

use std::collections::BTreeSet;

use capgen_schema::{
    Counterexample, ExactPayload, ExampleSettings, Json, Keyword, Schema, Steps, Validator, Violation, Violations,
    counterexamples, pointer,
};
use capgen_tests::random::Random;

const SETTINGS: ExampleSettings = ExampleSettings { count: None, seed: 0, steps: Steps(1_000_000) };

/// The schema of a seed; `None` if it is rejected or large.
fn schema(seed: u64) -> Option<Schema> {
    let source = Random::new(seed).schema();
    (source.canonical().len() < 1_500).then(|| Schema::parse(&source).ok()).flatten()
}

/// The violations of a payload, by a validator that the search does not use.
fn violations(schema: &Schema, payload: &str) -> Violations {
    Validator::new(schema).validate_exact(&ExactPayload::parse(payload.as_bytes()).unwrap())
}

/// Whether the schema has the assertion of a counterexample.
fn is_in_schema(schema: &Schema, example: &Counterexample) -> bool {
    let mut at = schema.source();
    for token in pointer::tokens(&example.pointer) {
        let next = match at {
            Json::Array(items) => token.parse().ok().and_then(|index: usize| items.get(index)),
            other => other.get(&token),
        };
        match next {
            Some(next) => at = next,
            None => return false,
        }
    }
    match example.keyword {
        Keyword::False => *at == Json::Bool(false),
        keyword => at.get(keyword.as_str()).is_some(),
    }
}

#[test]
fn every_payload_is_invalid_and_has_the_expected_violation() {
    check_payloads(300);
}

#[test]
#[ignore = "takes half a minute"]
fn complete_payloads_are_invalid_and_have_the_expected_violations() {
    check_payloads(600);
}

fn check_payloads(seeds: usize) {
    let (mut schemas, mut payloads, mut own, mut undecided) = (0_usize, 0_usize, 0_usize, 0_usize);
    for (seed, schema) in (1..=seeds as u64).filter_map(|seed| Some((seed, schema(seed)?))) {
        let result = counterexamples(&schema, SETTINGS);
        schemas += 1;
        undecided += result.undecided;
        for example in &result.found {
            let name = format!("seed {seed}: {} {example:?}", schema.source().canonical());
            let violations = violations(&schema, &example.payload.canonical());
            assert_eq!(violations, example.violations, "{name}");
            assert!(violations.contains(&example.expected), "{name}");
            assert!(is_in_schema(&schema, example), "{name}");
            payloads += 1;
            own += usize::from(example.expected.keyword == example.keyword);
        }
    }
    println!("{schemas} schemas, {payloads} payloads, {own} with the keyword of the assertion, {undecided} undecided");
    // About one search in thirty is given up within these steps.
    assert!(2 * schemas > seeds && payloads > 4 * schemas && undecided * 25 < payloads);
}

/// Whether violations have the same keyword, and paths that differ only in indexes and in names that the payload is
/// free to choose: the search chooses short names, unless `propertyNames` or
/// `patternProperties` demand others.
fn is_shown_by(violation: &Violation, shown: &Violation, has_names: bool) -> bool {
    let pairs = pointer::tokens(&violation.path).zip(pointer::tokens(&shown.path));
    let is_index = |token: &str| token.bytes().all(|byte| byte.is_ascii_digit());
    let mut same = pairs
        .map(|(token, shown)| token == shown || is_index(&token) && is_index(&shown) || has_names || shown.len() == 1);
    let count = |violation: &Violation| pointer::tokens(&violation.path).count();
    violation.keyword == shown.keyword && count(violation) == count(shown) && same.all(|same| same)
}

#[test]
fn every_violation_that_random_payloads_have_alone_is_shown() {
    check_violations(100);
}

#[test]
#[ignore = "takes half a minute"]
fn complete_violations_that_random_payloads_have_alone_are_shown() {
    check_violations(400);
}

fn check_violations(seeds: usize) {
    let (mut shown, mut missing) = (0_usize, Vec::new());
    for (seed, schema) in (1..=seeds as u64).filter_map(|seed| Some((seed, schema(seed)?))) {
        let result = counterexamples(&schema, SETTINGS);
        // A recursive schema is violated one level below its root only.
        let definitions = schema.source().get("definitions").map(Json::canonical).unwrap_or_default();
        if result.undecided > 0 || definitions.contains("$ref") {
            continue;
        }
        let text = schema.source().canonical();
        let has_names = text.contains("propertyNames") || text.contains("patternProperties");
        let mut seen = BTreeSet::new();
        for payload in Random::new(seed).payloads(&schema, 60) {
            let Ok(exact) = ExactPayload::parse(payload.as_bytes()) else { continue };
            let violations = Validator::new(&schema).validate_exact(&exact);
            let [violation] = &violations[..] else { continue };
            if !seen.insert((violation.keyword, violation.path.clone())) {
                continue;
            }
            if result
                .found
                .iter()
                .flat_map(|example| &example.violations)
                .any(|shown| is_shown_by(violation, shown, has_names))
            {
                shown += 1;
            } else {
                missing.push(format!("seed {seed}: {violation:?} {payload}\n  {}", schema.source().canonical()));
            }
        }
    }
    missing.sort_by_key(String::len);
    println!("{shown} shown, {} missing\n{}", missing.len(), missing[..missing.len().min(12)].join("\n"));
    assert!(4 * shown > 5 * seeds && missing.is_empty());
}
