//! Answers about pairs of schemas are right, and every witness is confirmed by generated code and by independent
//! validators.

use capgen_agreement::containment::{self, peers};
use capgen_agreement::{Boon, JsonSchema, NodeOracles};
use capgen_tests::agreement::{Engine, Rust, TypeScript};
use capgen_tests::node;

#[test]
fn pairs_of_the_corpus_are_right_and_every_witness_is_confirmed() {
    let Some(file) = containment::pairs::file() else {
        eprintln!("skipped: schema-pairs.json is missing");
        return;
    };
    let pairs = containment::pairs::read(&file).unwrap();
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let (oracles, typescript) = (NodeOracles::install().unwrap(), TypeScript::new(node));
    let rust = Rust::new(env!("CARGO_TARGET_TMPDIR"), "witnesses");
    let engines: [&(dyn Engine + Sync); 5] = [&rust, &typescript, &JsonSchema, &oracles, &Boon];
    let report = containment::compare(&pairs, &[&peers::JsonCompat, &peers::Covers], &engines).unwrap();
    println!("{report}");
    let failures = report.failures();
    assert!(failures.is_empty(), "{failures:#?}");
    assert_eq!(report.exact_pairs(0), pairs.len());
    // The peers are run as their authors intend: an error in their options would make most of their answers useless.
    assert!(report.exact_pairs(1) > 30 && report.exact_pairs(2) > 25);
}
