//! Normalises schemas of real tools, from `$CAPGEN_CORPUS`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;

use capgen_schema::{Json, Kind, Schema, Validator, codes, normalise};
use serde_json::Value;

use crate::support::corpus;

fn read(path: PathBuf) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Whether `normalise` does not change the schema: it has no unused definition and no `allOf` with a single branch.
fn is_minimal(schema: &Schema) -> bool {
    let is_unused = schema.warnings().iter().any(|warning| warning.code == codes::UNUSED_DEFINITION);
    let has_single_branch =
        |kind: &Kind| matches!(kind, Kind::Assertions(a) if a.all_of.as_ref().is_some_and(|of| of.len() == 1));
    !is_unused && !schema.nodes().any(|(_, node)| has_single_branch(&node.kind))
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn schemas_of_the_corpora_in_the_subset_do_not_change() {
    let path = corpus("capability-schemas.json");
    let (mut equal, mut translated) = (0, 0);
    for case in read(path).as_array().unwrap() {
        let source = Json::try_from(&case["schema"]).unwrap();
        match (Schema::parse(&source), normalise(&source)) {
            (Ok(schema), Ok(output)) if is_minimal(&schema) => {
                assert_eq!(output, source, "{}", case["id"]);
                equal += 1;
            }
            (Ok(_), output) => drop(output.unwrap()),
            (Err(_), Ok(output)) => {
                translated += 1;
                let validator = Validator::new(&Schema::parse(&output).unwrap());
                for test in case["tests"].as_array().unwrap() {
                    assert_eq!(Some(validator.is_valid(&test["data"])), test["valid"].as_bool(), "{}", case["id"]);
                }
            }
            (Err(_), Err(problems)) => println!("{}: {}", case["id"], problems[0].message),
        }
    }
    println!("{equal} do not change, {translated} more are translated to the subset");
    assert!(equal > 0);
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn the_schemas_of_the_tools_of_the_corpora_load() {
    let folder = corpus("mcp-tools");
    let (mut tools, mut direct, mut normalised) = (0, 0, 0);
    for file in std::fs::read_dir(folder).unwrap() {
        for tool in read(file.unwrap().path())["tools"].as_array().unwrap() {
            let schemas = || ["inputSchema", "outputSchema"].into_iter().filter_map(|key| tool.get(key));
            let sources: Vec<Json> = schemas().map(|schema| Json::try_from(schema).unwrap()).collect();
            tools += 1;
            direct += usize::from(sources.iter().all(|source| Schema::parse(source).is_ok()));
            for source in sources.iter().filter(|source| Schema::parse(source).is_ok_and(|s| is_minimal(&s))) {
                assert_eq!(normalise(source).as_ref(), Ok(source), "{}", tool["name"]);
            }
            let outputs: Vec<_> = sources.iter().map(normalise).collect();
            normalised += usize::from(outputs.iter().all(Result::is_ok));
            for problem in outputs.into_iter().filter_map(Result::err).flatten() {
                println!("{}: {} {}", tool["name"], problem.pointer, problem.message);
            }
        }
    }
    println!("{normalised} of {tools} tools load after normalisation, {direct} without it");
    assert!(normalised > direct);
}
