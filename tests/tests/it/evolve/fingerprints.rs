//! The fingerprint of a finding depends on the change, and on nothing else.

use std::collections::{BTreeMap, BTreeSet};

use capgen_evolve::{Assume, Comparison, Finding, Level, Settings, compare};
use capgen_manifest::{Capability, Manifest, Side};
use capgen_schema::{Containment, Json, Object, Schema, Steps, contains};
use capgen_tests::random::Random;
use serde_json::json;

use super::{about, compared, json, manifest, pair, parse, shown};

/// The fingerprints, each with its rule and message.
fn fingerprints(comparison: &Comparison) -> BTreeMap<String, (String, String)> {
    let entry = |finding: &Finding| {
        (finding.fingerprint.to_string(), (finding.code.as_str().to_owned(), finding.message.clone()))
    };
    comparison.findings.iter().map(entry).collect()
}

/// The value with the members of every object in the opposite order.
fn reversed(value: &Json) -> Json {
    match value {
        Json::Object(members) => {
            let members: Vec<(String, Json)> = members.iter().map(|(name, v)| (name.clone(), reversed(v))).collect();
            Json::Object(members.into_iter().rev().collect::<Object>())
        }
        Json::Array(items) => Json::Array(items.iter().map(reversed).collect()),
        other => other.clone(),
    }
}

#[test]
fn fingerprints_do_not_depend_on_the_order_of_keys_and_properties() {
    for (old, new) in (0..80).filter_map(pair) {
        let again = |schema: &Schema| Schema::parse(&reversed(schema.source())).unwrap();
        let expected = fingerprints(&compared(&old, &new, Assume::AnyPeer));
        let found = fingerprints(&compared(&again(&old), &again(&new), Assume::AnyPeer));
        assert_eq!(found, expected, "{}", shown(&old, &new));
    }
}

#[test]
fn fingerprints_do_not_depend_on_the_order_of_capabilities_or_on_other_capabilities() {
    let capability = |name: &str, schema: &Schema| Capability { input: Some(schema.clone()), ..Capability::new(name) };
    let pairs: Vec<(Schema, Schema)> = (0..20).filter_map(pair).collect();
    let version = |is_new: bool| -> Vec<Capability> {
        let pairs = pairs.iter().enumerate();
        pairs.map(|(index, (old, new))| capability(&format!("c{index}"), if is_new { new } else { old })).collect()
    };
    let found = |old: Vec<Capability>, new: Vec<Capability>| {
        fingerprints(&compare(&manifest(old), &manifest(new), Settings::default()))
    };
    let all = found(version(false), version(true));
    let mut backwards = version(true);
    backwards.reverse();
    assert_eq!(found(version(false), backwards), all);
    for (old, new) in version(false).into_iter().zip(version(true)) {
        let alone = found(vec![old], vec![new]);
        assert!(alone.iter().all(|(fingerprint, finding)| all.get(fingerprint) == Some(finding)), "{alone:?}");
    }
}

#[test]
fn fingerprints_do_not_depend_on_descriptions_or_on_other_changes() {
    let old = json!({"type": "object", "required": ["a"], "properties": {
        "a": {"type": "string", "maxLength": 10}, "b": {"enum": [1, 2]}}});
    let mut new = json!({"type": "object", "required": ["a"], "properties": {
        "a": {"type": "string", "maxLength": 5}, "b": {"enum": [1, 2]}}});
    let found = |new: &serde_json::Value| {
        let [old, new] = [&old, new].map(|schema| Schema::parse(&json(schema)).unwrap());
        fingerprints(&compared(&old, &new, Assume::AnyPeer))
    };
    let expected = found(&new);
    assert_eq!(expected.len(), 2, "one for each side");
    new["description"] = json!("text");
    new["properties"]["a"]["title"] = json!("text");
    new["properties"]["b"]["description"] = json!("text");
    new["properties"]["b"]["enum"] = json!([1]);
    let found = found(&new);
    assert!(found.len() > expected.len());
    assert!(expected.iter().all(|(fingerprint, finding)| found.get(fingerprint) == Some(finding)), "{found:#?}");
}

#[test]
fn different_changes_have_different_fingerprints() {
    let mut places = 0;
    for (old, new) in (0..120).filter_map(pair) {
        let comparison = compared(&old, &new, Assume::AnyPeer);
        let mut seen = BTreeSet::new();
        for finding in &comparison.findings {
            places += 1;
            assert!(seen.insert(finding.fingerprint.as_str()), "{finding:#?}\n{}", shown(&old, &new));
        }
    }
    assert!(places > 120, "{places}");
}

/// A reviewer who has accepted the only breaking change of a side accepts every version that has no other one. So such
/// a version breaks no payload that the accepted one leaves valid.
#[test]
fn a_version_whose_breaking_changes_are_accepted_breaks_no_more_payloads() {
    check_accepted(100);
}

#[test]
#[ignore = "takes half a minute"]
fn complete_versions_whose_breaking_changes_are_accepted_break_no_more_payloads() {
    check_accepted(400);
}

fn check_accepted(seeds: usize) {
    let breaking = |comparison: &Comparison, side: Side| -> BTreeSet<String> {
        let findings = about(comparison, side).into_iter().filter(|finding| finding.level == Level::Breaking);
        findings.map(|finding| finding.fingerprint.to_string()).collect()
    };
    let (mut compared_versions, mut decided) = (0, 0);
    for seed in 0..seeds as u64 {
        let mut random = Random::new(seed);
        let old = random.schema();
        let accepted = random.mutated(&old);
        let next = random.mutated(&accepted);
        let schemas = [&old, &accepted, &next].map(Schema::parse);
        let [Ok(old), Ok(accepted), Ok(next)] = schemas else { continue };
        let (first, second) = (compared(&old, &accepted, Assume::AnyPeer), compared(&old, &next, Assume::AnyPeer));
        for side in Side::ALL {
            let found = breaking(&second, side);
            if about(&first, side).len() != 1 || found.is_empty() || found != breaking(&first, side) {
                continue;
            }
            compared_versions += 1;
            let both = |keyword: &str, schema: &Schema| {
                let branches = [&old, schema].map(|schema| schema.source().clone()).to_vec();
                Schema::parse(&Json::Object(Object::from_iter([(keyword.to_owned(), Json::Array(branches))])))
            };
            // The random schemas have their definitions at the root.
            let answer = match side {
                Side::Request => both("allOf", &accepted).map(|sent| contains(&next, &sent, Steps(1_000_000))),
                Side::Response => both("anyOf", &accepted).map(|expected| contains(&expected, &next, Steps(1_000_000))),
            };
            let Ok(answer) = answer else { continue };
            decided += usize::from(answer == Containment::Yes);
            assert!(
                !matches!(answer, Containment::No(_)),
                "{seed} {side:?} {answer:?}\n{}\n{}",
                shown(&old, &accepted),
                shown(&old, &next)
            );
        }
    }
    assert!(20 * decided > seeds, "{decided} of {compared_versions}");
}

#[test]
fn the_same_change_of_another_value_side_or_capability_has_another_fingerprint() {
    let version = |name: &str, old: &str, new: &str| -> (Manifest, Manifest) {
        let capability = |schema: &str| Capability { input: Some(parse(schema)), ..Capability::new(name) };
        (manifest(vec![capability(old)]), manifest(vec![capability(new)]))
    };
    let response = |schema: &str| manifest(vec![Capability { output: Some(parse(schema)), ..Capability::new("a") }]);
    let of = |max: u32| format!(r#"{{"type": "string", "maxLength": {max}}}"#);
    let pairs = [
        version("a", &of(10), &of(9)),
        version("a", &of(10), &of(8)),
        version("a", &of(11), &of(9)),
        version("b", &of(10), &of(9)),
        version("a", &format!(r#"{{"items": {}}}"#, of(10)), &format!(r#"{{"items": {}}}"#, of(9))),
        (response(&of(10)), response(&of(9))),
    ];
    let found: Vec<String> = pairs
        .iter()
        .flat_map(|(old, new)| compare(old, new, Settings::default()).findings)
        .map(|finding| finding.fingerprint.to_string())
        .collect();
    assert_eq!(found.len(), pairs.len());
    assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), pairs.len(), "{found:?}");
    assert!(
        found.iter().all(|digits| digits.len() == 20 && digits.bytes().all(|b| b.is_ascii_hexdigit())),
        "{found:?}"
    );
}

#[test]
fn fingerprints_do_not_depend_on_the_order_of_branches() {
    let tagged = |kind: &str, max: u32| json!({"type": "object", "required": ["kind"], "properties": {"kind": {"const": kind}, "text": {"type": "string", "maxLength": max}}});
    let text = |max: u32| json!({"type": "string", "maxLength": max});
    let list = |max: u32| json!({"type": "array", "items": {"anyOf": [{"type": "null"}, {"type": "string", "maxLength": max}]}});
    // The branches of a union, of which one changes, and one that is added or removed with them.
    let unions = [
        ([tagged("a", 10), tagged("b", 10)], [tagged("a", 10), tagged("b", 5)], tagged("c", 1)),
        ([json!({"type": "null"}), text(10)], [json!({"type": "null"}), text(5)], json!({"type": "boolean"})),
        ([json!({"type": "null"}), list(10)], [json!({"type": "null"}), list(5)], json!({"type": "boolean"})),
        (
            [json!({"$ref": "#/definitions/a"}), json!({"$ref": "#/definitions/b"})],
            [json!({"$ref": "#/definitions/a"}), json!({"$ref": "#/definitions/c"})],
            json!({"type": "null"}),
        ),
    ];
    let definitions = json!({"a": {"type": "boolean"},
        "b": {"type": "array", "items": {"oneOf": [{"type": "null"}, {"type": "string", "maxLength": 10}]}},
        "c": {"type": "array", "items": {"oneOf": [{"type": "null"}, {"type": "string", "maxLength": 5}]}}});
    for keyword in ["oneOf", "anyOf"] {
        for (old, new, other) in &unions {
            let found = |old: Vec<&serde_json::Value>, new: Vec<&serde_json::Value>| {
                let [old, new] = [old, new].map(|branches| {
                    let mut schema = json!({keyword: branches});
                    schema["definitions"] = definitions.clone();
                    Schema::parse(&json(&schema)).unwrap()
                });
                let found = fingerprints(&compared(&old, &new, Assume::AnyPeer));
                let is_bound = |(_, (_, message)): &(String, (String, String))| message.starts_with("`maxLength`");
                found.into_iter().filter(is_bound).collect::<BTreeMap<_, _>>()
            };
            let ([a, b], [c, d]) = (old, new);
            let expected = found(vec![a, b], vec![c, d]);
            assert_eq!(expected.len(), 2, "one for each side: {expected:?}");
            assert_eq!(found(vec![a, b], vec![d, c]), expected, "{b}");
            assert_eq!(found(vec![b, a], vec![c, d]), expected, "{b}");
            assert_eq!(found(vec![b, a], vec![d, c]), expected, "{b}");
            assert_eq!(found(vec![a, b], vec![other, c, d]), expected, "{b}");
            assert_eq!(found(vec![other, a, b], vec![c, d]), expected, "{b}");
            assert_eq!(found(vec![a, other, b], vec![other, d, c]), expected, "{b}");
        }
    }
}
