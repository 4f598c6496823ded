//! The calls to copy that pages show compile, with a request that the page shows.

use capgen_codegen::{CallSample, Language, call_samples};
use capgen_manifest::Manifest;
use capgen_schema::{ExampleSettings, Json, Object, Schema, Steps, examples};
use capgen_tests::contract::generated_with_calls;
use capgen_tests::node::{self, Program, strictest};
use capgen_tests::rust_package::{Package, succeed};

use crate::interop::contracts;
use crate::typescript_calls::shop;

/// A request of a capability; `None` if none is found in a short time.
fn request(input: Option<&Schema>) -> Option<Json> {
    let Some(schema) = input else { return Some(Json::Object(Object::new())) };
    let settings = ExampleSettings { count: Some(1), steps: Steps(40_000), ..ExampleSettings::default() };
    examples(schema, settings).ok()?.into_iter().next()
}

/// The calls of an agent in a language, each with its request.
fn calls(contract: &Manifest, language: Language) -> Vec<String> {
    let samples = call_samples(contract, &[language]);
    let calls = contract.capabilities.iter().zip(samples).flat_map(|(capability, samples)| {
        let request = request(capability.input.as_ref());
        samples.into_iter().filter_map(move |CallSample { before, after, .. }| {
            Some(format!("{before}{}{after}\n", capgen_interop::pretty(request.as_ref()?).trim_end()))
        })
    });
    calls.collect()
}

/// The contracts of the fleet of the examples, and names that are keywords or methods of every object.
fn agents() -> Vec<Manifest> {
    let mut agents = contracts::checked_in();
    agents.push(shop());
    agents
}

#[test]
fn samples_in_typescript_compile() {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let mut programs = Vec::new();
    for contract in agents() {
        let own = (format!("{}.ts", contract.agent), generated_with_calls(&contract, Language::TypeScript));
        for call in calls(&contract, Language::TypeScript) {
            let around = "export {};\ndeclare const transport: { request(): Promise<string>; publish(): Promise<void> };\n\
                          declare const console: { log(...values: unknown[]): void };\n";
            let files = vec![own.clone(), ("call.ts".to_owned(), format!("{around}{call}"))];
            programs.push(Program { files, options: strictest() });
        }
    }
    assert!(programs.len() > 50, "{} samples", programs.len());
    for (program, errors) in programs.iter().zip(node.tsc_check_all(&programs).unwrap()) {
        assert!(errors.is_empty(), "{errors:#?}\n{}", program.files[1].1);
    }
}

#[test]
fn samples_in_rust_compile() {
    let mut root = String::new();
    let mut files = Vec::new();
    for (index, contract) in agents().iter().enumerate() {
        root.push_str(&format!("#[path = \"m{index}.rs\"]\npub mod m{index};\n"));
        files.push((format!("m{index}.rs"), generated_with_calls(contract, Language::Rust)));
        for (number, call) in calls(contract, Language::Rust).iter().enumerate() {
            root.push_str(&format!(
                "pub async fn call{index}_{number}(client: capgen::call::Client) -> Result<(), Box<dyn std::error::Error>> {{\n\
                 use m{index}::*;\n{call}drop(response);\nOk(())\n}}\n"
            ));
        }
    }
    files.push(("lib.rs".to_owned(), root));
    let folder = env!("CARGO_TARGET_TMPDIR");
    let package = Package::write_with(folder, "call-samples", "2024", &files, &["call"]).unwrap();
    succeed(&mut package.cargo("check")).unwrap();
}
