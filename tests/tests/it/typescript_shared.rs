//! The module that generated TypeScript and JavaScript files of one folder share.

use std::path::{Path, PathBuf};

use capgen_codegen::{Files, ImportExtension, Language, Options, Regenerate, generate_with, shared_files};
use capgen_manifest::{Manifest, load, read_source};
use capgen_testkit::node::{command, printed};
use capgen_tests::contract::{Draft, contract, generated_with, shared};
use capgen_tests::folder;
use capgen_tests::node::{self, Program};
use serde_json::{Value, json};

fn contracts() -> Vec<Manifest> {
    let cases = std::fs::read_dir(folder().join("cases")).unwrap();
    let mut paths: Vec<_> = cases.map(|case| case.unwrap().path().join("capabilities.yaml")).collect();
    paths.sort();
    paths.iter().map(|path| load(&read_source(path, "case").unwrap()).unwrap().manifest).collect()
}

fn files(contract: &Manifest, languages: &[Language], options: &Options) -> Files {
    generate_with(contract, languages, options, &Regenerate::anywhere(&contract.agent))
}

fn single_file() -> Options {
    Options { single_file: true, ..Options::default() }
}

/// An agent with a request that needs reports, formats and a JSON Schema.
fn shop(agent: &str) -> Manifest {
    let schema = r#"{"type": "object", "required": ["id"], "additionalProperties": false, "properties": {
        "id": {"type": "string", "format": "uuid"}, "sizes": {"type": "array", "uniqueItems": true, "items": {"enum": ["s", "m"]}}}}"#;
    contract(agent, &[Draft::request(&format!("order-from-{agent}"), schema)]).unwrap()
}

#[test]
fn every_contract_and_option_has_the_same_shared_files() {
    let names = |languages: &[Language], options: &Options| -> Vec<String> {
        shared_files(languages, options).into_keys().collect()
    };
    assert_eq!(names(&[Language::TypeScript], &Options::default()), ["_capgen.ts"]);
    assert_eq!(names(&[Language::JavaScript], &Options::default()), ["_capgen.d.ts", "_capgen.js"]);
    assert_eq!(names(&[Language::JavaScriptModule], &Options::default()), ["_capgen.d.mts", "_capgen.mjs"]);
    assert_eq!(names(&[Language::CommonJs], &Options::default()), ["_capgen.cjs", "_capgen.d.cts"]);
    assert_eq!(names(&[Language::Rust], &Options::default()), [""; 0]);
    assert_eq!(names(Language::ALL, &single_file()), [""; 0]);
    let expected = shared_files(Language::ALL, &Options::default());
    let extension = Options { import_extension: ImportExtension::None, ..Options::default() };
    let variants = [
        Options::default(),
        Options { calls: true, ..Options::default() },
        Options { standard_schema: false, plain_arrays: true, ..Options::default() },
        extension,
    ];
    for contract in contracts() {
        for options in &variants {
            let mut found = files(&contract, Language::ALL, options);
            found.retain(|name, _| name.starts_with('_'));
            assert!(found == expected, "{}: {options:?}", contract.agent);
        }
    }
}

#[test]
fn the_shared_module_has_declarations_alone() {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let text = shared("ts");
    let outline = node.outlines(&[&text]).unwrap().remove(0);
    let kinds = ["type ", "interface ", "class ", "function ", "const "];
    assert!(outline.iter().all(|item| kinds.iter().any(|kind| item.starts_with(kind))), "{outline:?}");
    // Each is exported, and names neither an agent nor a contract.
    let exported = text.lines().filter(|line| line.starts_with("export "));
    assert_eq!(exported.count(), outline.len());
    assert!(!text.contains("agent://p") && !text.contains("// Contract: "), "{text}");
    let options = |more: &Value| {
        let mut options = node::strictest();
        options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        options
    };
    let program = |file: &str, options: Value| Program {
        files: vec![(file.to_owned(), shared(file.split_once('.').unwrap().1))],
        options,
    };
    let libraries = json!({"skipLibCheck": false});
    let programs = [
        program("_capgen.ts", options(&json!({"declaration": true}))),
        program("_capgen.ts", options(&json!({"lib": ["es2022", "dom"], "noImplicitOverride": true}))),
        program("_capgen.d.ts", options(&libraries)),
        program("_capgen.d.mts", options(&libraries)),
        program("_capgen.d.cts", options(&json!({"skipLibCheck": false, "verbatimModuleSyntax": false}))),
    ];
    assert_eq!(node.tsc_check_all(&programs).unwrap(), vec![vec![]; programs.len()]);
    // Nothing runs when it is loaded.
    let files = [("_capgen.ts".to_owned(), text)];
    let empty = node.bundle(&files, "import './_capgen.ts';").unwrap();
    assert_eq!(empty.lines().filter(|line| !line.starts_with("//")).count(), 0, "{empty}");
}

#[test]
fn javascript_of_the_shared_module_is_typescript_without_types() {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let texts = node.erase(&[shared("ts"), shared("js"), shared("mjs")]).unwrap();
    assert_eq!(texts[0], texts[1]);
    assert_eq!(texts[0], texts[2]);
    // The kinds of modules differ in the exports.
    let common = shared("cjs");
    let body = common.split_once("\"use strict\";\n\n").unwrap().1.split_once("\nmodule.exports = {").unwrap().0;
    let module = shared("js");
    let code = module.split_once("\n\n").unwrap().1.replace("\nexport ", "\n");
    assert_eq!(body, code.trim_start_matches("export "));
}

/// The size in bytes of a minified bundle.
fn size(node: &node::Node, files: &[(String, String)], entry: &str) -> usize {
    node.minified(files, entry).unwrap().len()
}

#[test]
fn a_bundle_has_only_the_shared_code_that_a_program_uses() {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let calls = Options { calls: true, ..Options::default() };
    let file = |agent: &str, options: &Options| {
        (format!("{agent}.ts"), generated_with(&shop(agent), Language::TypeScript, options))
    };
    let bundle = |options: &Options, entry: &str| {
        let files = ["one", "two"].map(|agent| file(agent, options));
        let text = node.bundle(&files, entry).unwrap();
        (text, size(&node, &files, entry))
    };
    let validate = "import { parseOrderFromOneRequest as parse } from './one.ts'; console.log(parse(1));";
    let (text, shared) = bundle(&calls, validate);
    for unused in [
        "clientOf",
        "callOf",
        "attemptsOf",
        "peerOf",
        "EAGENTRPC",
        "isEnvelope",
        "jsonSchema",
        "PayloadError",
        "isEmail",
        "isMultiple",
        "explainUnion",
    ] {
        assert!(!text.contains(&format!("function {unused}")) && !text.contains("EAGENTRPC"), "{unused}: {text}");
    }
    let (_, without_calls) = bundle(&Options::default(), validate);
    assert_eq!(shared, without_calls, "the option `calls` costs nothing");
    // Only the reports have code for keywords that the contract does not use: a message for each.
    let (_, alone) = bundle(&single_file(), validate);
    assert!(shared <= alone + 2_000, "{shared} bytes instead of {alone}");
    let verdict = "import { isOrderFromOneRequest as is } from './one.ts'; console.log(is(1));";
    // A few constants refer to shared functions.
    assert!(bundle(&calls, verdict).1 <= bundle(&single_file(), verdict).1 + 60);
    // Two agents have one copy.
    let both = "import { createOneClient } from './one.ts'; import { createTwoClient } from './two.ts'; \
                console.log(createOneClient, createTwoClient);";
    let (text, shared) = bundle(&calls, both);
    assert_eq!(text.matches("function clientOf").count(), 1);
    let (text, alone) = bundle(&Options { single_file: true, ..calls }, both);
    assert_eq!(text.matches("function clientOf").count(), 2);
    assert!(3 * shared < 2 * alone, "{shared} bytes instead of {alone}");
}

/// Writes TypeScript and other files into a new folder.
fn project(name: &str, options: &Options, others: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for agent in ["one", "two"] {
        for (name, text) in files(&shop(agent), &[Language::TypeScript], options) {
            std::fs::write(folder.join(name), text).unwrap();
        }
    }
    for (name, text) in others {
        std::fs::write(folder.join(name), text).unwrap();
    }
    folder
}

/// A program that uses values and types of two agents.
const USES: &str = r#"
import { PayloadError, assertOrderFromOneRequest, createOneClient } from "./oneEXTENSION";
import type { CallResult, Transport, Violation } from "./oneEXTENSION";
import * as two from "./twoEXTENSION";
const { handleTwo, parseOrderFromTwoRequest } = two;
const result = parseOrderFromTwoRequest({ id: 1 });
const violations: Violation[] = result.ok ? [] : result.violations;
const transport: Transport = { request: async () => "", publish: async () => {} };
const sent: CallResult<unknown> = await createOneClient(transport, { from: "a" }).orderFromOne({ id: "b" });
const answer: string | undefined = await handleTwo("{}", { orderFromTwo: () => 1 });
let kind = "";
try {
  const value: unknown = {};
  assertOrderFromOneRequest(value);
} catch (error) {
  // All agents of the folder have one class.
  kind = `${error instanceof PayloadError} ${error instanceof two.PayloadError}`;
}
console.log(violations.map(({ path }) => path).join(), sent.status, answer, kind);
"#;

const EXPECTED: &str = "/id schema-violation undefined true true\n";

#[test]
fn each_extension_of_imports_compiles_with_the_options_on_the_page() {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let page = std::fs::read_to_string(folder().join("../docs/generated-code.md")).unwrap();
    let strict =
        "--strict --verbatimModuleSyntax --erasableSyntaxOnly --isolatedModules --target es2022 --skipLibCheck";
    let nodenext = "--module nodenext";
    let bundler = "--module esnext --moduleResolution bundler";
    let rewrite = "--module nodenext --rewriteRelativeImportExtensions";
    let no_emit = "--module esnext --moduleResolution bundler --allowImportingTsExtensions --noEmit";
    for (extension, runs) in [
        (ImportExtension::Js, vec![nodenext, bundler]),
        (ImportExtension::Ts, vec![rewrite, no_emit]),
        (ImportExtension::None, vec![bundler]),
    ] {
        let row = format!("| `{}` | `\"./_capgen{}\"` |", extension.name(), extension.suffix());
        assert!(page.contains(&row), "{row}");
        for (index, options) in runs.into_iter().enumerate() {
            let uses = USES.replace("EXTENSION", extension.suffix());
            let others =
                [("main.ts", uses.as_str()), ("package.json", r#"{"type": "module"}"#), ("console.d.ts", CONSOLE)];
            let name = format!("imports-{}-{index}", extension.name());
            let generated = Options { import_extension: extension, calls: true, ..Options::default() };
            let project = project(&name, &generated, &others);
            let tsc = node.folder().join("node_modules/typescript/bin/tsc");
            let mut compiler = command();
            compiler.arg(tsc).args(strict.split(' ')).args(options.split(' ')).args(["--outDir", "build"]);
            assert_eq!(printed(compiler.args(["main.ts", "console.d.ts"]).current_dir(&project)), "", "{name}");
            let is_runnable = !options.contains("noEmit") && extension != ImportExtension::None;
            if is_runnable {
                assert_eq!(printed(command().arg("build/main.js").current_dir(&project)), EXPECTED, "{name}");
            }
            let files = ["one.ts", "two.ts", "_capgen.ts", "main.ts"]
                .map(|name| (name.to_owned(), std::fs::read_to_string(project.join(name)).unwrap()));
            let bundle = node.bundle(&files, &format!("import './main{}';", extension.suffix())).unwrap();
            std::fs::write(project.join("bundle.mjs"), bundle).unwrap();
            assert_eq!(printed(command().arg("bundle.mjs").current_dir(&project)), EXPECTED, "{name}");
        }
    }
}

/// The libraries of browsers and Node are not used.
const CONSOLE: &str = "declare const console: { log(...values: unknown[]): void };\n";

#[test]
fn a_single_file_imports_nothing() {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let options = Options { single_file: true, calls: true, ..Options::default() };
    let mut texts = Vec::new();
    for contract in contracts() {
        let found = files(&contract, &[Language::TypeScript, Language::CommonJs], &options);
        for (name, text) in &found {
            assert!(!name.starts_with('_') && !text.contains("_capgen") && !text.contains("require("), "{name}");
            assert!(text.contains(" --single-file "), "{name}");
            let is_import = |line: &str| line.starts_with("import ") || line.contains("} from ");
            assert_eq!(text.lines().find(|line| is_import(line)), None, "{name}");
        }
        let name = format!("{}.ts", contract.agent);
        texts.push((name.clone(), found[&name].clone()));
    }
    let program = Program { files: texts, options: node::strictest() };
    assert_eq!(node.tsc_check_all(&[program]).unwrap(), [vec![]]);
}
