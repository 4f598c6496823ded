//! The example of two versions of a fleet.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use capgen_evolve::{Level, Settings, compare};
use capgen_manifest::{Manifest, Selection};

/// The contracts of a version by agent, without findings of their own.
fn fleet(version: &str) -> BTreeMap<String, Manifest> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/evolution").join(version);
    let contracts = Selection { all: true, root: Some(root), ..Selection::default() }.locate().load().unwrap();
    contracts
        .into_iter()
        .map(|contract| {
            assert!(contract.warnings.is_empty(), "{:#?}", contract.warnings);
            (contract.manifest.agent.to_string(), contract.manifest)
        })
        .collect()
}

#[test]
fn the_example_of_two_versions_has_changes_of_most_rules() {
    let (before, after) = (fleet("before"), fleet("after"));
    assert!(before.len() == 4 && after.len() == 3);
    let mut codes = BTreeSet::new();
    for (agent, new) in &after {
        let comparison = compare(&before[agent], new, Settings::default());
        assert_eq!(comparison.level(), Some(Level::Breaking), "{agent}");
        codes.extend(comparison.findings.iter().map(|finding| finding.code.as_str()));
    }
    let expected = [
        "E0701", "E0704", "E0705", "E0708", "E0709", "E0711", "E0712", "E0713", "E0714", "E0716", "E0718", "E0720",
        "E0722", "E0723", "E0724", "E0725", "E0728", "E0729", "N0701", "N0702", "N0703", "N0704", "N0705", "N0706",
        "W0701", "W0703", "W0704", "W0706",
    ];
    assert_eq!(codes, BTreeSet::from(expected));
}
