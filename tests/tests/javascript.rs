//! Generated JavaScript equals generated TypeScript without types, and has declarations.

use capgen_codegen::{Language, generate};
use capgen_manifest::{Manifest, load, read_source};
use capgen_tests::folder;
use capgen_tests::node::{self, Program};

fn contracts() -> Vec<Manifest> {
    let cases = std::fs::read_dir(folder().join("cases")).unwrap();
    let mut paths: Vec<_> = cases.map(|case| case.unwrap().path().join("capabilities.yaml")).collect();
    paths.sort();
    paths.iter().map(|path| load(&read_source(path, "case").unwrap()).unwrap().manifest).collect()
}

fn file(contract: &Manifest, language: Language, extension: &str) -> String {
    let mut files = generate(contract, &[language]);
    files.remove(&format!("{}.{extension}", contract.agent)).unwrap()
}

#[test]
fn javascript_is_typescript_without_types() {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let contracts = contracts();
    let all = |language: Language, extension: &str| {
        contracts.iter().map(|contract| file(contract, language, extension)).collect::<Vec<_>>()
    };
    let from_typescript = node.erase(&all(Language::TypeScript, "ts")).unwrap();
    let javascript = node.erase(&all(Language::JavaScript, "js")).unwrap();
    for ((contract, expected), actual) in contracts.iter().zip(from_typescript).zip(javascript) {
        assert_eq!(actual, expected, "{}", contract.agent);
    }
}

#[test]
fn a_typescript_program_can_use_the_declarations() {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let contract = contracts().into_iter().find(|contract| contract.agent.as_str() == "pr-reviewer").unwrap();
    let consumer = r#"
import { assertReviewPrRequest, isReviewPrRequest, parseReviewPrRequest } from "./pr-reviewer.js";
import type { Result, ReviewPrRequest, Violation } from "./pr-reviewer.js";
declare const value: unknown;
const result: Result<ReviewPrRequest> = parseReviewPrRequest(value, { redact: true, limit: 3 });
export const paths: string[] = result.ok ? [] : result.violations.map((violation: Violation) => violation.path);
export const severity: "low" | "med" | "high" | undefined = isReviewPrRequest(value) ? value.severity : undefined;
assertReviewPrRequest(value);
export const url: string = value.prUrl;
"#;
    let files = vec![
        ("pr-reviewer.d.ts".to_owned(), file(&contract, Language::JavaScript, "d.ts")),
        ("consumer.ts".to_owned(), consumer.to_owned()),
    ];
    assert_eq!(node.tsc_check_all(&[Program { files, options: node::strictest() }]).unwrap(), [vec![]]);
}

#[test]
fn every_declaration_compiles() {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let declarations =
        |contract: &Manifest| (format!("{}.d.ts", contract.agent), file(contract, Language::JavaScript, "d.ts"));
    let files = contracts().iter().map(declarations).collect();
    assert_eq!(node.tsc_check_all(&[Program { files, options: node::strictest() }]).unwrap(), [vec![]]);
}
