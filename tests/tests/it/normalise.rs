//! The schemas of every contract in the repository are already in the subset. The normaliser only drops unused
//! definitions and inlines single branches.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use capgen_manifest::{Side, load, read_source};
use capgen_schema::{Kind, Schema, codes, normalise};
use capgen_tests::folder;

fn contracts(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().is_none_or(|name| name != "target" && name != "node_modules") {
            contracts(&path, found);
        } else if path.file_name().is_some_and(|name| name == "capabilities.yaml") {
            found.push(path);
        }
    }
}

fn is_minimal(schema: &Schema) -> bool {
    let is_unused = schema.warnings().iter().any(|warning| warning.code == codes::UNUSED_DEFINITION);
    let is_sole =
        |kind: &Kind| matches!(kind, Kind::Assertions(a) if a.all_of.as_ref().is_some_and(|of| of.len() == 1));
    !is_unused && !schema.nodes().any(|(_, node)| is_sole(&node.kind))
}

#[test]
fn normalising_the_schemas_of_every_contract_does_not_change_them() {
    let mut paths = Vec::new();
    contracts(&folder().join("cases"), &mut paths);
    contracts(&folder().join("../examples"), &mut paths);
    let (mut equal, mut shorter) = (0, 0);
    for path in paths {
        let name = path.to_string_lossy();
        let Ok(loaded) = load(&read_source(&path, &name).unwrap()) else { continue };
        for capability in &loaded.manifest.capabilities {
            for schema in [Side::Request, Side::Response].into_iter().filter_map(|side| capability.schema(side)) {
                let output = normalise(schema.source());
                let output = output.unwrap_or_else(|problems| panic!("{name} {}: {problems:?}", capability.name));
                // Loading gives `dependencies` the name that the contract has for it.
                let output = Schema::parse(&output).unwrap().source().clone();
                if is_minimal(schema) {
                    assert_eq!(&output, schema.source(), "{name} {}", capability.name);
                    equal += 1;
                } else {
                    shorter += 1;
                }
            }
        }
    }
    println!("{equal} schemas come back equal, {shorter} shorter");
    assert!(equal > 50);
}
