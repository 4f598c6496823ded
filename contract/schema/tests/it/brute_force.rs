//! Checks of keywords: by their violations, and against a reading of the specification that is easy to verify.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use capgen_schema::{Containment, ExactPayload, Json, Schema, Steps, Validator, contains};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use serde_json::Value;

pub(crate) fn parsed(schema: &Value) -> Schema {
    Schema::parse(&Json::try_from(schema).unwrap()).unwrap_or_else(|problems| panic!("{schema}: {problems:?}"))
}

pub(crate) fn contained(new: &Value, old: &Value) -> Containment {
    contains(&parsed(new), &parsed(old), Steps::default())
}

/// Checks every violation as `path: message [keyword]`.
pub(crate) fn check(schema: &Value, payload: &Value, expected: &[&str]) {
    let validator = Validator::new(&parsed(schema));
    let violations = validator.validate(payload);
    let found: Vec<String> = violations.iter().map(|v| format!("{}: {} [{}]", v.path, v.message, v.keyword)).collect();
    assert_eq!(found, expected, "{schema} {payload}");
    assert_eq!(validator.is_valid(payload), expected.is_empty(), "{schema} {payload}");
}

/// Whether a payload is valid, by the letter of the specification.
fn accepts(schema: &Value, payload: &Value) -> bool {
    let Some(keywords) = schema.as_object() else { return schema.as_bool().unwrap() };
    let items = payload.as_array();
    let all = |value: &Value| value.as_array().unwrap().clone();
    keywords.iter().all(|(keyword, arg)| match keyword.as_str() {
        "type" => {
            let names = if arg.is_array() { all(arg) } else { vec![arg.clone()] };
            names.iter().any(|name| match name.as_str().unwrap() {
                "null" => payload.is_null(),
                "boolean" => payload.is_boolean(),
                "integer" => payload.is_i64(),
                "array" => payload.is_array(),
                other => panic!("{other}"),
            })
        }
        "enum" => all(arg).contains(payload),
        "const" => arg == payload,
        "not" => !accepts(arg, payload),
        "allOf" => all(arg).iter().all(|schema| accepts(schema, payload)),
        "anyOf" => all(arg).iter().any(|schema| accepts(schema, payload)),
        "oneOf" => all(arg).iter().filter(|schema| accepts(schema, payload)).count() == 1,
        "if" => {
            keywords.get(if accepts(arg, payload) { "then" } else { "else" }).is_none_or(|part| accepts(part, payload))
        }
        "then" | "else" => true,
        "contains" => items.is_none_or(|items| items.iter().any(|item| accepts(arg, item))),
        "minItems" => items.is_none_or(|items| items.len() as u64 >= arg.as_u64().unwrap()),
        "maxItems" => items.is_none_or(|items| items.len() as u64 <= arg.as_u64().unwrap()),
        "uniqueItems" => items.is_none_or(|items| (1..items.len()).all(|end| !items[..end].contains(&items[end]))),
        "items" => items.is_none_or(|items| {
            items.iter().enumerate().all(|(index, item)| match (arg, keywords.get("additionalItems")) {
                (Value::Array(list), rest) => list.get(index).or(rest).is_none_or(|schema| accepts(schema, item)),
                (every, _) => accepts(every, item),
            })
        }),
        "additionalItems" => true,
        other => panic!("{other}"),
    })
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() }
}

/// Checks random pairs of schemas: the verdicts of all payloads, the answer whether one schema contains the other, and
/// its witness. At most one answer in fifty may be undecided.
pub(crate) fn check_comparisons<S: Strategy<Value = Value>>(schema: impl Fn() -> S, payloads: &[Value], cases: u32) {
    let mut runner = TestRunner::new(config(cases));
    let undecided = std::cell::Cell::new(0);
    let outcome = runner.run(&(schema(), schema()), |(old, new)| {
        let validator = Validator::new(&parsed(&old));
        for payload in payloads {
            let exact = ExactPayload::parse(payload.to_string().as_bytes()).unwrap();
            let valid = validator.is_valid_exact(&exact);
            prop_assert_eq!(valid, accepts(&old, payload), "{} {}", old, payload);
            prop_assert_eq!(valid, validator.validate_exact(&exact).is_empty(), "{} {}", old, payload);
        }
        match contained(&new, &old) {
            Containment::Yes => {
                let lost = payloads.iter().find(|payload| accepts(&old, payload) && !accepts(&new, payload));
                prop_assert_eq!(lost, None, "{} {}", old, new);
            }
            Containment::No(witness) => {
                let witness: Value = serde_json::from_str(&witness.canonical()).unwrap();
                prop_assert!(accepts(&old, &witness) && !accepts(&new, &witness), "{} {} {}", old, new, witness);
            }
            Containment::Undecided(_) => undecided.set(undecided.get() + 1),
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    assert!(undecided.get() * 50 <= cases, "{} of {cases} are undecided", undecided.get());
}
