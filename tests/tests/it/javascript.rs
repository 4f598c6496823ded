//! Generated JavaScript equals generated TypeScript without types, and has declarations.

use capgen_codegen::{Language, generate};
use capgen_manifest::{Manifest, load, read_source};
use capgen_testkit::node::{command, printed};
use capgen_tests::contract::{Draft, contract};
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
import { assertReviewPrRequest, capabilities, isReviewPrRequest, parseReviewPrRequest } from "./pr-reviewer.js";
import { PayloadError, reviewPrRequestSeverityValues } from "./pr-reviewer.js";
import type { ParseResult, Violation, ReviewPrRequest } from "./pr-reviewer.js";
declare const value: unknown;
const result: ParseResult<ReviewPrRequest> = parseReviewPrRequest(value, { redact: true, limit: 3 });
export const paths: string[] = result.ok ? [] : result.violations.map((violation: Violation) => violation.path);
export const severity: "low" | "med" | "high" | undefined = isReviewPrRequest(value) ? value.severity : undefined;
export const version: "2.0" | undefined | string = capabilities["review-pr"].version;
export const severities: readonly ["low", "med", "high"] = reviewPrRequestSeverityValues;
export const error: Error & { violations: Violation[] } = new PayloadError([]);
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

/// Writes the `.mjs` and `.cjs` files with their declarations into a new folder.
fn both_modules(name: &str) -> std::path::PathBuf {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for contract in contracts() {
        for (name, text) in generate(&contract, &[Language::JavaScriptModule, Language::CommonJs]) {
            std::fs::write(folder.join(name), text).unwrap();
        }
    }
    folder
}

#[test]
fn node_loads_both_kinds_of_modules_with_the_same_exports() {
    if node::require_or_skip().unwrap().is_none() {
        return;
    }
    let folder = both_modules("modules");
    let program = r#"
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import assert from "node:assert/strict";
import { isReviewPrRequest as named } from "./pr-reviewer.cjs";
const require = createRequire(import.meta.url);
let count = 0;
for (const name of readdirSync(".").filter((name) => name.endsWith(".mjs") && name !== "main.mjs")) {
  const module = await import("./" + name);
  const common = require("./" + name.replace(/mjs$/, "cjs"));
  assert.deepEqual(Object.keys(common).sort(), Object.keys(module).sort(), name);
  for (const key of Object.keys(module)) assert.equal(typeof common[key], typeof module[key], key);
  count += Object.keys(module).length;
}
const request = { prUrl: "https://example.org", severity: "low" };
const { parseReviewPrRequest } = await import("./pr-reviewer.mjs");
assert.equal(parseReviewPrRequest(request).ok, true);
assert.equal(require("./pr-reviewer.cjs").parseReviewPrRequest({}).ok, false);
assert.equal(named(request), true);
assert.ok(count > 50);
"#;
    std::fs::write(folder.join("main.mjs"), program).unwrap();
    // In a package of the other type, the extension still decides.
    for kind in ["module", "commonjs"] {
        std::fs::write(folder.join("package.json"), format!("{{\"type\":\"{kind}\"}}")).unwrap();
        assert_eq!(printed(command().arg("main.mjs").current_dir(&folder)), "");
    }
}

#[test]
fn the_compiler_finds_the_declarations_of_both_kinds_of_modules() {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let contract = contracts().into_iter().find(|contract| contract.agent.as_str() == "pr-reviewer").unwrap();
    let uses = "export const url: string = isReviewPrRequest(value) ? value.prUrl : \"\";\n";
    let consumer = |import: &str| format!("{import}\ndeclare const value: unknown;\n{uses}");
    for kind in ["node16", "nodenext"] {
        let files = vec![
            ("pr-reviewer.d.mts".to_owned(), file(&contract, Language::JavaScriptModule, "d.mts")),
            ("pr-reviewer.d.cts".to_owned(), file(&contract, Language::CommonJs, "d.cts")),
            ("a.mts".to_owned(), consumer("import { isReviewPrRequest } from \"./pr-reviewer.mjs\";")),
            ("b.mts".to_owned(), consumer("import { isReviewPrRequest } from \"./pr-reviewer.cjs\";")),
            (
                "c.cts".to_owned(),
                consumer("import capgen = require(\"./pr-reviewer.cjs\");\nconst { isReviewPrRequest } = capgen;"),
            ),
        ];
        let mut options = node::strict();
        options["module"] = kind.into();
        options["moduleResolution"] = kind.into();
        assert_eq!(node.tsc_check_all(&[Program { files, options }]).unwrap(), [vec![]], "{kind}");
    }
}

/// The output of a script that imports `./agent.mjs`, with the request of `read`; `None` without Node.
fn reports(folder: &str, schema: &str, script: &str) -> Option<Vec<String>> {
    node::require_or_skip().unwrap()?;
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    std::fs::create_dir_all(&folder).unwrap();
    let contract = contract("agent", &[Draft::request("read", schema)]).unwrap();
    for (name, text) in generate(&contract, &[Language::JavaScriptModule]) {
        std::fs::write(folder.join(name), text).unwrap();
    }
    std::fs::write(folder.join("script.mjs"), script).unwrap();
    Some(serde_json::from_str(&printed(command().arg(folder.join("script.mjs")))).unwrap())
}

/// The report of a value that is nested nearly as deep as allowed needs many calls for each level.
#[test]
fn long_chains_of_unions_do_not_overflow_the_stack_of_reports() {
    for keyword in ["anyOf", "oneOf", "not"] {
        let chain: Vec<String> = (0..60)
            .map(|level| {
                let next = format!(r##"{{"$ref": "#/definitions/a{}"}}"##, level + 1);
                let rule = if keyword == "not" { next } else { format!(r#"[{next}, {{"const": {level}}}]"#) };
                format!(r#""a{level}": {{"{keyword}": {rule}}}"#)
            })
            .collect();
        let schema = format!(
            r##"{{"$ref": "#/definitions/a0", "definitions": {{{},
                "a60": {{"type": "object", "properties": {{"n": {{"$ref": "#/definitions/a0"}}, "v": {{"type": "string"}}}}}}}}}}"##,
            chain.join(", ")
        );
        let script = r#"
import { parseReadRequest as parse } from "./agent.mjs";
const nested = (levels, v) => { let value = { v }; while (--levels) value = { n: value }; return value; };
console.log(JSON.stringify([1, 10, 127].map((levels) => {
  const { ok, violations, truncated } = parse(nested(levels, 5));
  return ok ? "valid" : `${violations.length > 0} ${truncated ? violations.map(({ path, message, keyword }) => `${path}: ${message} (${keyword})`) : ""}`;
})));
"#;
        let Some(reports) = reports(&format!("chains-of-{keyword}"), &schema, script) else { return };
        assert_eq!(reports[..2], ["true ", "true "], "{keyword}");
        assert_eq!(reports[2], "true : nested too deeply to list its violations (depth)", "{keyword}");
    }
}

/// Values that `JSON.parse` never returns, but other code does, have violations where they are invalid.
#[test]
fn rejected_values_that_are_not_json_have_violations() {
    let schema = r#"{
        "type": "object",
        "properties": {"a": {"type": "object"}, "b": {"type": "string"}, "c": {"items": {"type": "null"}}},
        "required": ["a"]
    }"#;
    let script = r#"
import { parseReadRequest as parse } from "./agent.mjs";
// Classes whose names are those of types.
const instance = (name) => new ({ [name]: class {} })[name]();
const hidden = (members) => Object.defineProperties({ a: {} }, members);
const values = [
  instance("object"), { a: instance("object") }, { a: {}, b: instance("string") }, { a: {}, b: instance("") }, { a: {}, c: [instance("null")] },
  new Date(0), { a: new Map() }, { a: {}, b: () => "" }, { a: {}, b: Symbol("b") }, { a: {}, b: 1n }, { a: {}, c: [, null] },
  hidden({ b: { value: 1 } }), hidden({ b: { value: 1, enumerable: true } }), { length: 0, a: 1 }, { a: {}, length: 0, b: 1 },
];
console.log(JSON.stringify(values.map((value) => {
  const { ok, violations } = parse(value);
  return ok ? "valid" : violations.map(({ path, message }) => `${path}: ${message}`).join("; ");
})));
"#;
    let Some(reports) = reports("values-that-are-not-json", schema, script) else { return };
    let expected = [
        ": expected object, got object",
        "/a: expected object, got object",
        "/b: expected string, got string",
        "/b: expected string, got instance",
        "/c/0: expected null, got null",
        ": expected object, got Date",
        "/a: expected object, got Map",
        "/b: expected string, got function",
        "/b: expected string, got symbol",
        "/b: expected string, got bigint",
        "/c/0: expected null, got undefined",
        "/b: expected string, got integer",
        "/b: expected string, got integer",
        "/a: expected object, got integer",
        "/b: expected string, got integer",
    ];
    assert_eq!(reports, expected);
}
