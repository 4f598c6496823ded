//! Rust types with a derived contract: serde, the contract, and the Rust and TypeScript generated from it agree.

use std::collections::{BTreeMap, BTreeSet};

use capgen_codegen::Language;
use capgen_manifest::{AgentId, Manifest, Side, Source, TransportSettings, load};
use capgen_schema::{Json, Schema, Validator};
use capgen_tests::agreement::tree::Tree;
use capgen_tests::agreement::{Pair, agree, domain};
use capgen_tests::contract::{generated, name};
use capgen_tests::derived::{Case, cases};
use capgen_tests::random::Random;
use serde_json::Value;

/// The number of payloads for each side of each type, in addition to those that serde writes.
const PAYLOADS: usize = 40;

/// The cases in which serde rejects payloads that the schema accepts, with the type that causes it and the reason.
/// docs/derive.md lists the same types and reasons.
const STRICTER_IN_SERDE: &[(&str, &str, &str)] = &[
    ("a result", "`Result`", "schemars allows other properties next to `Ok` and `Err`"),
    ("adjacent tags", ADJACENT, ANY_CONTENT),
    // One of its fields is the enum of the case before.
    ("enums in fields, lists and maps", ADJACENT, ANY_CONTENT),
];

const ADJACENT: &str = "an adjacently tagged enum";
const ANY_CONTENT: &str = "schemars accepts any content for a variant without content";

/// The types of which the schema rejects payloads that serde writes, with the reason.
const STRICTER_IN_SCHEMA: &[(&str, &str)] = &[];

/// A manifest with a capability for each type, which is both its request and its response. It is written and read
/// again.
fn manifest(cases: &[Case]) -> Manifest {
    let capability = |case: &Case| {
        let entry = (case.entry)().unwrap_or_else(|problems| panic!("{}: {problems:?}", case.name));
        capgen_manifest::Capability { name: name(case.name), ..entry }
    };
    let declared = Manifest::new(
        AgentId::new("derived").unwrap(),
        vec![TransportSettings::memory("derived")],
        cases.iter().map(capability).collect(),
    );
    let text = declared.to_yaml();
    let loaded = load(&Source::new("capabilities.yaml", text)).unwrap_or_else(|findings| panic!("{findings:?}"));
    assert_eq!(loaded.manifest.hash(), declared.hash());
    loaded.manifest
}

fn schema(manifest: &Manifest, index: usize, side: Side) -> &Schema {
    manifest.capabilities[index].schema(side).unwrap()
}

/// The payloads that serde writes, variations of them, and payloads near the bounds of the schema.
fn payloads(case: &Case, schema: &Schema, seed: u64) -> Vec<String> {
    let mut payloads = case.written.clone();
    let mut random = Random::new(seed);
    payloads.extend(random.near(&case.written, PAYLOADS / 2));
    payloads.extend(random.payloads(schema, PAYLOADS / 2));
    payloads
}

fn value(text: &str) -> Option<Value> {
    capgen_schema::parse_payload(text.as_bytes()).ok()
}

/// Whether a number is of at least 2^53 and not written as a 64-bit integer.
fn may_be_rounded(number: &str) -> bool {
    let is_large = number.parse::<f64>().is_ok_and(|float| float.abs() >= 2_f64.powi(53));
    is_large && number.parse::<i64>().is_err() && number.parse::<u64>().is_err()
}

/// Equal as JSON: `1.0` is `1`.
fn same(a: &Value, b: &Value) -> bool {
    matches!((Json::try_from(a), Json::try_from(b)), (Ok(a), Ok(b)) if a == b)
}

#[test]
fn the_book_lists_the_types_for_which_serde_is_stricter() {
    let book = std::fs::read_to_string(capgen_tests::folder().join("../docs/derive.md")).unwrap();
    for (name, cause, reason) in STRICTER_IN_SERDE {
        assert!(book.contains(&format!("| {cause} | {reason} |\n")), "{name}");
    }
    assert!(book.contains(&format!("derives contracts from {} types", cases().len())));
}

#[test]
fn at_least_sixty_types_have_payloads() {
    let cases = cases();
    assert!(cases.len() >= 60);
    assert!(cases.iter().all(|case| !case.written.is_empty()));
    assert_eq!(cases.iter().map(|case| case.name).collect::<BTreeSet<_>>().len(), cases.len());
}

#[test]
fn tuples_are_tuples_again_in_generated_code() {
    let manifest = manifest(&cases());
    let rust = generated(&manifest, Language::Rust);
    for part in [
        "pub pair: (String, u64),",
        "pub list: Vec<(f64, Option<String>)>,",
        "pub type Place = (f64, String);",
        "pub (String, u64, Option<bool>),",
    ] {
        assert!(rust.contains(part), "{part}");
    }
    let typescript = generated(&manifest, Language::TypeScript);
    for part in ["  pair: [string, number];", "  single: [boolean];", "export type Place = [number, string];"] {
        assert!(typescript.contains(part), "{part}");
    }
}

#[test]
fn generated_code_agrees_with_the_derived_schema_and_keeps_values() {
    let cases = cases();
    let manifest = manifest(&cases);
    let pair = |(index, case): (usize, &Case), side| {
        let schema = schema(&manifest, index, side);
        let text = Tree::from(schema.source()).to_string();
        let payloads = payloads(case, schema, index as u64);
        Pair { label: format!("{}, {}", case.name, side.name()), schema: text, payloads }
    };
    let pairs: Vec<Pair> = Side::ALL
        .into_iter()
        .flat_map(|side| cases.iter().enumerate().map(move |c| (c, side)))
        .map(|(c, side)| pair(c, side))
        .collect();
    agree(env!("CARGO_TARGET_TMPDIR"), "derived", &pairs);
}

#[test]
fn the_schema_accepts_payloads_that_serde_writes() {
    let cases = cases();
    let manifest = manifest(&cases);
    let mut rejected = BTreeSet::new();
    for (index, case) in cases.iter().enumerate() {
        for side in Side::ALL {
            let validator = Validator::new(schema(&manifest, index, side));
            for written in &case.written {
                let violations = validator.validate(&value(written).unwrap());
                if !violations.is_empty() {
                    let is_listed = STRICTER_IN_SCHEMA.iter().any(|(name, _)| *name == case.name);
                    assert!(is_listed, "{}, {}: {written}: {violations:?}", case.name, side.name());
                    rejected.insert(case.name);
                }
            }
        }
    }
    assert_eq!(rejected, STRICTER_IN_SCHEMA.iter().map(|(name, _)| *name).collect());
}

#[test]
fn the_schema_rejects_payloads_that_serde_rejects() {
    let cases = cases();
    let manifest = manifest(&cases);
    let mut found: BTreeMap<&str, String> = BTreeMap::new();
    for (index, case) in cases.iter().enumerate() {
        let schema = schema(&manifest, index, Side::Request);
        let validator = Validator::new(schema);
        for seed in 0..20 {
            for payload in payloads(case, schema, seed) {
                let Some(tree) = value(&payload) else { continue };
                // The runtime rejects integers that binary64 would round; the schema does not.
                if domain::numbers(&payload).into_iter().any(may_be_rounded) {
                    continue;
                }
                if validator.is_valid(&tree) && (case.by_capability)(&payload).is_none() {
                    found.entry(case.name).or_insert(payload);
                }
            }
        }
    }
    for (name, payload) in &found {
        assert!(
            STRICTER_IN_SERDE.iter().any(|(listed, ..)| listed == name),
            "{name}: serde rejects {payload}\n{found:#?}"
        );
    }
    assert_eq!(
        found.keys().copied().collect::<BTreeSet<_>>(),
        STRICTER_IN_SERDE.iter().map(|(name, ..)| *name).collect()
    );
}

#[test]
fn capabilities_read_valid_payloads_as_serde_does() {
    let cases = cases();
    let manifest = manifest(&cases);
    for (index, case) in cases.iter().enumerate() {
        let schema = schema(&manifest, index, Side::Request);
        let validator = Validator::new(schema);
        for payload in payloads(case, schema, 7) {
            let Some(tree) = value(&payload) else { continue };
            let read = (case.by_capability)(&payload);
            if !validator.is_valid(&tree) {
                assert!(read.is_none(), "{}: {payload}", case.name);
            } else if let Some(by_serde) = (case.by_serde)(&payload) {
                assert!(read.as_ref().is_some_and(|read| same(read, &by_serde)), "{}: {payload}: {read:?}", case.name);
            }
        }
    }
}
