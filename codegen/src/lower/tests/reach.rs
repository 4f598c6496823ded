//! Schemas that cannot reach a limit are not lowered by `check`. This must not lose a warning.

use std::fmt::Write as _;
use std::path::Path;

use capgen_manifest::{ContractPart, Manifest, Source, load};

use super::lower;
use crate::Language;
use crate::lower::exceeded_limits;
use crate::lower::reach::may_reach_a_limit;
use crate::rust::Rust;
use crate::target::Target as _;

fn manifest(schema: &str) -> Manifest {
    let text = format!(
        r#"{{"version": 1, "agent": "agent://a", "transports": [{{"kind": "memory", "topics": {{"requests": "r"}}}}],
            "capabilities": [{{"name": "c", "inputSchema": {schema}}}]}}"#
    );
    load(&Source::new("a.json", text)).unwrap_or_else(|error| panic!("{error:#?}")).manifest
}

fn may_reach(manifest: &Manifest, index: usize, part: ContractPart) -> bool {
    let may_widen = |schema| may_reach_a_limit(schema) || Rust.may_widen(schema);
    manifest.capabilities[index].schema(part).is_some_and(may_widen)
}

/// No limit is exceeded unless the analysis expects it. Returns whether it expects one.
#[track_caller]
fn check(schema: &str) -> bool {
    let manifest = manifest(schema);
    let expected = may_reach(&manifest, 0, ContractPart::Request);
    let widened = lower(&manifest).widened;
    assert!(expected || widened.is_empty(), "{widened:?}: {schema:.300}");
    assert_eq!(exceeded_limits(&manifest, &[Language::Rust]), widened, "{schema:.300}");
    expected
}

fn list(n: usize, item: impl Fn(usize) -> String) -> String {
    (0..n).map(item).collect::<Vec<_>>().join(", ")
}

/// `n` definitions that each lead to the next one; the last one leads to the first one in a ring.
fn chain(n: usize, is_ring: bool, link: impl Fn(&str) -> String) -> String {
    let definition = |i: usize| {
        let to = if i + 1 < n || is_ring {
            link(&format!(r##"{{"$ref": "#/definitions/d{}"}}"##, (i + 1) % n))
        } else {
            r#"{"type": "object", "properties": {"end": {"type": "string"}}}"#.to_owned()
        };
        format!(r#""d{i}": {to}"#)
    };
    format!(r##"{{"$ref": "#/definitions/d0", "definitions": {{{}}}}}"##, list(n, definition))
}

/// Schemas that lead to `to` through one or several layers.
const LINKS: [fn(&str) -> String; 7] = [
    |to| format!(r#"{{"type": "object", "properties": {{"p": {to}}}}}"#),
    |to| format!(r#"{{"type": "object", "properties": {{"p": {to}}}, "required": ["p"]}}"#),
    |to| format!(r#"{{"type": ["array", "null"], "items": {to}}}"#),
    |to| format!(r#"{{"type": ["object", "null"], "additionalProperties": {to}}}"#),
    |to| format!(r#"{{"type": ["object", "string"], "properties": {{"p": {{"type": "array", "items": {to}}}}}}}"#),
    |to| {
        format!(
            r#"{{"type": "object", "properties": {{"p": {{"oneOf": [{{"type": "null"}}, {{"type": "string"}},
            {{"type": "array", "items": {to}}}]}}}}}}"#
        )
    },
    |to| {
        format!(
            r#"{{"type": "object", "properties": {{"a": {{"type": "integer"}}}}, "additionalProperties":
            {{"type": "object", "additionalProperties": {{"anyOf": [{{"type": "null"}}, {to}]}}}}}}"#
        )
    },
];

#[test]
fn chains_and_rings_that_are_too_deep_are_found() {
    for (index, link) in LINKS.iter().enumerate() {
        for is_ring in [false, true] {
            let reached: Vec<bool> = (1..=100).step_by(9).map(|n| check(&chain(n, is_ring, link))).collect();
            // The analysis is of use: small schemas cannot reach the limit, and none is below one that can.
            assert_eq!((reached[0], reached[11]), (false, true), "{index}, {is_ring}");
        }
    }
}

#[test]
fn work_and_repetitions_of_unions_are_found() {
    let record = |i: usize, n: usize| {
        let properties = list(n + 1, |j| format!(r#""p{j}": {{"type": "string"}}"#));
        format!(
            r#"{{"type": "object", "properties": {{"tag": {{"const": "t{i}"}}, {properties}}}, "required": ["tag"]}}"#
        )
    };
    let text = "x".repeat(5_000);
    for n in [2, 10, 64, 65, 200, 300, 600] {
        check(&format!(r#"{{"oneOf": [{}]}}"#, list(n, |i| record(i, 4))));
        check(&format!(r#"{{"description": "{text}", "oneOf": [{}]}}"#, list(n, |i| record(i, 0))));
        check(&format!(r#"{{"oneOf": [{}]}}"#, list(n, |i| format!(r#"{{"required": ["p{i}"]}}"#))));
        check(&format!(r#"{{"anyOf": [{}]}}"#, list(n, |i| format!(r#"{{"enum": ["a{i}", {i}]}}"#))));
        check(&format!(r#"{{"enum": [{}]}}"#, list(n * 100, |i| i.to_string())));
        let required = list(n, |i| format!(r#""p{i}""#));
        let long = list(200, |i| format!(r#""v{i}""#));
        let properties = list(n, |i| format!(r#""p{i}": {{"enum": [{long}]}}"#));
        check(&format!(r#"{{"type": "object", "properties": {{{properties}}}, "required": [{required}]}}"#));
        let mut definitions = String::new();
        for i in 0..n {
            let _ = write!(definitions, r#", "d{i}": {}"#, record(i, 3));
        }
        let branches = list(n, |i| format!(r##"{{"$ref": "#/definitions/d{i}"}}"##));
        check(&format!(
            r##"{{"type": "array", "items": {{"$ref": "#/definitions/u"}}, "definitions": {{"u": {{"oneOf": [{branches}]}}{definitions}}}}}"##
        ));
        check(&format!(r##"{{"oneOf": [{branches}], "definitions": {{"unused": true{definitions}}}}}"##));
    }
    assert!(!check(&format!(r#"{{"oneOf": [{}]}}"#, list(10, |i| record(i, 4)))));
}

#[test]
fn contracts_of_other_tests_exceed_no_limit_unexpectedly() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = ["tests/cases", "examples/fleet/agents", "tools/benches/payloads"];
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap());
    let mut simple = 0;
    for path in entries.map(|entry| entry.unwrap().path().join("capabilities.yaml")).filter(|path| path.exists()) {
        let source = Source::new("capabilities.yaml", std::fs::read_to_string(&path).unwrap());
        let manifest = load(&source).unwrap_or_else(|error| panic!("{error:#?}")).manifest;
        let widened = lower(&manifest).widened;
        for (index, part, _) in &widened {
            assert!(may_reach(&manifest, *index, *part), "{}", path.display());
        }
        assert_eq!(exceeded_limits(&manifest, &[Language::Rust]), widened, "{}", path.display());
        let parts = manifest.capabilities.iter().enumerate();
        let parts = parts.flat_map(|(index, capability)| capability.parts().map(move |part| (index, part)));
        simple += parts.filter(|(index, part)| !may_reach(&manifest, *index, *part)).count();
    }
    assert!(simple > 20, "{simple}");
}
