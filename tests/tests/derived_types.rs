//! Rust types, through the contracts that they declare, to generated Rust and TypeScript and back.

use std::collections::{BTreeMap, BTreeSet};

use capgen_manifest::{AgentId, Manifest, Side, Source, TransportSettings, load};
use capgen_schema::{Json, Schema, Validator};
use capgen_tests::agreement::tree::Tree;
use capgen_tests::agreement::{Pair, agree, domain};
use capgen_tests::contract::name;
use capgen_tests::derived::{Case, cases};
use capgen_tests::random::Random;
use serde_json::Value;

/// Payloads of each side of each type, beside what serde writes.
const PAYLOADS: usize = 40;

/// Where serde refuses what the schema allows, and why.
const SERDE_REFUSES: &[(&str, &str)] = &[
    ("a result", "schemars allows other properties next to `Ok` and `Err`"),
    ("adjacent tags", "schemars accepts any content for a variant without content"),
    ("enums in fields, lists and maps", "it contains the type with adjacent tags"),
];

/// Where the schema refuses what serde writes, and why.
const SCHEMA_REFUSES: &[(&str, &str)] = &[];

/// A manifest with every type on both sides of a capability, as it is read from its own text.
fn manifest(cases: &[Case]) -> Manifest {
    let capability = |case: &Case| {
        let entry = (case.entry)().unwrap_or_else(|problems| panic!("{}: {problems:?}", case.name));
        capgen_manifest::Capability { name: name(case.name), ..entry }
    };
    let declared = Manifest {
        agent: AgentId::new("derived").unwrap(),
        transports: vec![TransportSettings::memory("derived")],
        capabilities: cases.iter().map(capability).collect(),
    };
    let text = declared.to_yaml();
    let loaded = load(&Source::new("capabilities.yaml", text)).unwrap_or_else(|findings| panic!("{findings:?}"));
    assert_eq!(loaded.manifest.hash(), declared.hash());
    loaded.manifest
}

fn schema(manifest: &Manifest, index: usize, side: Side) -> &Schema {
    manifest.capabilities[index].schema(side).unwrap()
}

/// What serde writes, and payloads near the edges of the schema.
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

/// Whether a number is an integer of 2^53 or more that is not written as one of 64 bits.
fn may_be_rounded(number: &str) -> bool {
    let is_large = number.parse::<f64>().is_ok_and(|float| float.abs() >= 2_f64.powi(53));
    is_large && number.parse::<i64>().is_err() && number.parse::<u64>().is_err()
}

/// Equal as JSON: `1.0` is `1`.
fn same(a: &Value, b: &Value) -> bool {
    matches!((Json::try_from(a), Json::try_from(b)), (Ok(a), Ok(b)) if a == b)
}

#[test]
fn the_book_lists_what_serde_refuses_beyond_the_schema() {
    let book = std::fs::read_to_string(capgen_tests::folder().join("../docs/derive.md")).unwrap();
    for (name, reason) in SERDE_REFUSES {
        assert!(book.contains(&format!("| {name} | {reason} |\n")), "{name}");
    }
    assert!(book.contains(&format!("takes {} types through", cases().len())));
}

#[test]
fn there_are_sixty_types_and_each_has_values() {
    let cases = cases();
    assert!(cases.len() >= 60);
    assert!(cases.iter().all(|case| !case.written.is_empty()));
    assert_eq!(cases.iter().map(|case| case.name).collect::<BTreeSet<_>>().len(), cases.len());
}

#[test]
fn generated_code_judges_as_the_derived_schema_does_and_keeps_what_it_reads() {
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
fn what_serde_writes_is_what_the_schema_allows() {
    let cases = cases();
    let manifest = manifest(&cases);
    let mut refused = BTreeSet::new();
    for (index, case) in cases.iter().enumerate() {
        for side in Side::ALL {
            let validator = Validator::new(schema(&manifest, index, side));
            for written in &case.written {
                let violations = validator.validate(&value(written).unwrap());
                if !violations.is_empty() {
                    let is_listed = SCHEMA_REFUSES.iter().any(|(name, _)| *name == case.name);
                    assert!(is_listed, "{}, {}: {written}: {violations:?}", case.name, side.name());
                    refused.insert(case.name);
                }
            }
        }
    }
    assert_eq!(refused, SCHEMA_REFUSES.iter().map(|(name, _)| *name).collect());
}

#[test]
fn what_serde_refuses_the_schema_refuses() {
    let cases = cases();
    let manifest = manifest(&cases);
    let mut found: BTreeMap<&str, String> = BTreeMap::new();
    for (index, case) in cases.iter().enumerate() {
        let schema = schema(&manifest, index, Side::Request);
        let validator = Validator::new(schema);
        for seed in 0..20 {
            for payload in payloads(case, schema, seed) {
                let Some(tree) = value(&payload) else { continue };
                // A number with more digits than a binary64 has is refused where it would be rounded.
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
        assert!(SERDE_REFUSES.iter().any(|(listed, _)| listed == name), "{name}: serde refuses {payload}\n{found:#?}");
    }
    assert_eq!(found.keys().copied().collect::<BTreeSet<_>>(), SERDE_REFUSES.iter().map(|(name, _)| *name).collect());
}

#[test]
fn a_capability_reads_what_serde_reads_where_the_schema_allows_it() {
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
