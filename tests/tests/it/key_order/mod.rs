//! Nothing that a program can name or call in generated code depends on the order of keys in the file: of properties,
//! of `required`, of definitions and of capabilities. So a caller that generates its code again, from a file that its
//! provider sorted, either has the same program or one that does not compile.

mod rust_api;
mod shuffle;
mod transfer;
mod typescript_api;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use capgen_codegen::{Language, Options, public_items};
use capgen_manifest::{Manifest, load, read_source};
use capgen_tests::contract::{Draft, contract, generated_with_calls, random_names};
use capgen_tests::folder;
use capgen_tests::random::Random;

/// How many random contracts are compared, each in several orders.
const RANDOM: u64 = 60;

/// The orders of each contract.
const ORDERS: u64 = 2;

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("node_modules") && !path.ends_with("target") {
            files_below(&path, found);
        } else if path.file_name().is_some_and(|name| name == "capabilities.yaml") {
            found.push(path);
        }
    }
}

/// The contracts in the folders with cases, examples and servers.
fn checked_in() -> Vec<Manifest> {
    let mut files = Vec::new();
    for below in ["cases", "mcp", "../examples", "../tools/benches/payloads"] {
        files_below(&folder().join(below), &mut files);
    }
    assert!(files.len() > 30, "{files:?}");
    let manifest = |path: &PathBuf| load(&read_source(path, "capabilities.yaml").unwrap()).unwrap().manifest;
    files.iter().map(manifest).collect()
}

/// A contract whose schemas have every keyword and refer to equal and different definitions.
fn random(seed: u64) -> Option<Manifest> {
    let mut random = Random::new(seed);
    let first = random.schema().canonical();
    let second = random.schema().canonical();
    let draft = |name: &str, input: &str, output: &str| Draft {
        output: Some(output.to_owned()),
        ..Draft::request(name, input)
    };
    contract("agent", &[draft("b-call", &first, &second), draft("a-call", &second, &first)]).ok()
}

fn difference(expected: &BTreeSet<String>, found: &BTreeSet<String>) -> String {
    let lines = |mark: &str, one: &BTreeSet<String>, other: &BTreeSet<String>| {
        one.difference(other).map(|line| format!("{mark} {line}\n")).collect::<String>()
    };
    lines("-", expected, found) + &lines("+", found, expected)
}

fn check(contract: &Manifest) {
    let rust = rust_api::of(&generated_with_calls(contract, Language::Rust));
    let typescript = typescript_api::of(contract);
    for seed in 0..ORDERS {
        let other = shuffle::shuffled(contract, seed);
        let found = rust_api::of(&generated_with_calls(&other, Language::Rust));
        assert!(rust == found, "Rust of {}:\n{}", contract.agent, difference(&rust, &found));
        let found = typescript_api::of(&other);
        assert!(typescript == found, "TypeScript of {}:\n{}", contract.agent, difference(&typescript, &found));
        let changes = public_items::changes(contract, &other, &Options::default());
        assert!(changes.is_empty(), "{}: {changes:?}", contract.agent);
    }
}

#[test]
fn the_api_of_checked_in_contracts_does_not_depend_on_the_order_of_keys() {
    checked_in().iter().for_each(check);
}

#[test]
fn the_api_of_contracts_with_random_names_does_not_depend_on_the_order_of_keys() {
    random_names(20).iter().for_each(check);
}

#[test]
fn the_api_of_random_contracts_does_not_depend_on_the_order_of_keys() {
    let contracts: Vec<Manifest> = (0..RANDOM).filter_map(random).collect();
    assert!(contracts.len() > 20, "{}", contracts.len());
    contracts.iter().for_each(check);
}

#[test]
fn no_function_of_generated_rust_has_two_arguments_that_could_be_exchanged() {
    let contracts = checked_in().into_iter().chain((0..RANDOM).filter_map(random)).chain(random_names(20));
    for contract in contracts {
        for function in rust_api::functions(&generated_with_calls(&contract, Language::Rust)) {
            // The trait of an agent has the context of a call next to the request, and its client the options.
            let of_calls = [":: capgen :: call :: Context", "& :: capgen :: call :: CallOptions"];
            let arguments = function.arguments.iter().filter(|ty| !of_calls.contains(&ty.as_str()));
            assert!(arguments.count() <= 1, "{} of {}: {:?}", function.name, contract.agent, function.arguments);
        }
    }
}

#[test]
fn a_test_of_the_order_notices_a_parameter_that_moved() {
    let api = |parameters: &str| rust_api::of(&format!("mod m {{ impl A {{ pub fn f({parameters}) {{}} }} }}"));
    assert_ne!(api("a: u8, b: u8"), api("b: u8, a: u8"));
    let api = |fields: &str| rust_api::of(&format!("mod m {{ pub struct A {{ {fields} }} }}"));
    assert_eq!(api("pub a: u8, pub b: u16"), api("pub b: u16, pub a: u8"));
    assert_ne!(api("pub a: u8, pub b: u16"), api("pub a: u16, pub b: u8"));
}
