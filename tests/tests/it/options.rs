//! The options of generated code.

use capgen_codegen::{Build, ImportExtension, Language, Options, RuntimePath};
use capgen_manifest::{Manifest, OptionValue, load, read_source};
use capgen_tests::contract::own_files;
use capgen_tests::folder;
use capgen_tests::rust_package::{Package, succeed};

fn contract(case: &str) -> Manifest {
    load(&read_source(&folder().join("cases").join(case).join("capabilities.yaml"), case).unwrap()).unwrap().manifest
}

fn file(contract: &Manifest, language: Language, options: Options) -> String {
    own_files(contract, language, &options).into_values().next().unwrap()
}

/// A program that uses merged properties.
const MERGED: &str = r##"
include!("generated.rs");
use capgen::Payload as _;

fn main() {
    for text in [r#"{"id":"a"}"#, r#"{"id":"a","nickname":null}"#] {
        let value = SaveContactRequest::from_json_str(text).unwrap();
        let nickname: &Option<String> = &value.nickname;
        assert_eq!(nickname, &None);
        assert_eq!(String::from_utf8(value.to_json().unwrap()).unwrap(), r#"{"id":"a"}"#);
        assert_eq!(serde_json::to_string(&value).unwrap(), r#"{"id":"a"}"#);
    }
    let text = r#"{"id":"a","nickname":"abc","age":1,"address":{"city":"x"},"tags":["a"]}"#;
    let value = SaveContactRequest::from_json_str(text).unwrap();
    assert_eq!(value.nickname.as_deref(), Some("abc"));
    assert_eq!(value.address.as_ref().unwrap().city, "x");
    assert_eq!(String::from_utf8(value.to_json().unwrap()).unwrap(), text);
    let violations = |text: &str| {
        let error = SaveContactRequest::from_json_str(text).unwrap_err();
        error.violations().iter().map(|v| (v.path.clone(), v.keyword.to_string())).collect::<Vec<_>>()
    };
    assert_eq!(violations(r#"{"id":"a","nickname":5}"#), [("/nickname".to_owned(), "type".to_owned())]);
    assert_eq!(violations(r#"{"id":"a","nickname":"a"}"#), [("/nickname".to_owned(), "minLength".to_owned())]);
    assert_eq!(violations(r#"{"id":"a","plain":null}"#), [("/plain".to_owned(), "type".to_owned())]);
    let mut short = value.clone();
    short.nickname = Some("a".to_owned());
    assert!(short.to_json().is_err());
    let open = SaveContactResponse::from_json_str(r#"{"note":null}"#).unwrap();
    assert_eq!(open.note, Some(None), "an assertion that the type does not express may require the property");
    assert_eq!(String::from_utf8(open.to_json().unwrap()).unwrap(), r#"{"note":null}"#);
}
"##;

const CONTRACT: &str = r##"{"version": 1, "agent": "agent://contacts",
"transports": [{"kind": "memory", "topics": {"requests": "c"}}],
"capabilities": [{"name": "save-contact",
 "inputSchema": {"type": "object", "required": ["id"], "additionalProperties": false,
  "definitions": {"name": {"type": ["string", "null"], "minLength": 2}},
  "properties": {
   "id": {"type": "string"},
   "nickname": {"$ref": "#/definitions/name"},
   "plain": {"type": "string"},
   "age": {"type": ["integer", "null"], "minimum": 0},
   "address": {"anyOf": [{"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}}, {"type": "null"}]},
   "tags": {"type": ["array", "null"], "items": {"type": "string"}, "uniqueItems": true}}},
 "outputSchema": {"type": "object", "properties": {"note": {"type": ["string", "null"]}},
  "not": {"properties": {"note": false}}}}]}"##;

#[test]
fn merged_properties_read_null_as_absent_and_keep_every_violation() {
    let source = capgen_manifest::Source::new("capabilities.json", CONTRACT);
    let contract = load(&source).unwrap().manifest;
    let merged = file(&contract, Language::Rust, Options { merge_nullable: true, ..Options::default() });
    assert!(merged.contains("// Regenerate: capgen --peer contacts --lang rust --merge-nullable #"), "{merged}");
    for edition in ["2021", "2024"] {
        let files = [("generated.rs".to_owned(), merged.clone()), ("main.rs".to_owned(), MERGED.to_owned())];
        let name = format!("merged-{edition}");
        let package = Package::write(env!("CARGO_TARGET_TMPDIR"), &name, edition, &files).unwrap();
        succeed(&mut package.cargo("run")).unwrap();
    }
}

#[test]
fn every_case_has_the_same_types_with_merged_properties_except_for_them() {
    for case in std::fs::read_dir(folder().join("cases")).unwrap() {
        let contract = contract(&case.unwrap().file_name().into_string().unwrap());
        let merged = file(&contract, Language::Rust, Options { merge_nullable: true, ..Options::default() });
        let plain = file(&contract, Language::Rust, Options::default());
        let other = file(&contract, Language::TypeScript, Options { merge_nullable: true, ..Options::default() });
        assert_eq!(other, file(&contract, Language::TypeScript, Options::default()), "it changes only Rust");
        let differing = plain.lines().zip(merged.lines()).filter(|(a, b)| a != b && !a.starts_with("// Regenerate"));
        let differs = plain.lines().count() != merged.lines().count() || differing.count() > 0;
        assert_eq!(differs, plain.contains("Option<Option<"), "{}", contract.agent);
    }
}

#[test]
fn arrays_are_plain_if_the_option_is_on() {
    let contract = contract("arrays");
    let tuples = file(&contract, Language::TypeScript, Options::default());
    let plain = file(&contract, Language::TypeScript, Options { plain_arrays: true, ..Options::default() });
    assert!(tuples.contains(", ...") && !plain.contains("[]]"), "{plain}");
    assert!(plain.contains("// Regenerate: capgen --peer arrays --lang typescript --plain-arrays #"), "{plain}");
    let positions =
        file(&self::contract("tuples"), Language::TypeScript, Options { plain_arrays: true, ..Options::default() });
    assert!(positions.contains("  atLeastFour?: [string, ...number[]];"), "{positions}");
    let rust = file(&contract, Language::Rust, Options { plain_arrays: true, ..Options::default() });
    assert_eq!(rust, file(&contract, Language::Rust, Options::default()), "it changes only TypeScript");
}

/// Whether a file has the lines of another one in their order, apart from the command and the lists of names from the
/// shared module.
fn is_extended(plain: &str, more: &str) -> bool {
    let code = |text: &str| -> Vec<String> {
        let mut is_list = false;
        let mut code = Vec::new();
        // Calls add classes, about which the first line silences ESLint.
        let text = text.replacen("eslint-disable max-classes-per-file -- ", "", 1);
        for line in text.lines().filter(|line| !line.starts_with("// Regenerate")) {
            is_list |= ["import ", "export {", "export type {", "const {"].iter().any(|start| line.starts_with(start));
            if !is_list {
                code.push(line.to_owned());
            }
            is_list &= !line.ends_with(';');
        }
        code
    };
    let mut rest = code(more).into_iter();
    code(plain).iter().all(|line| rest.any(|other| other == *line))
}

#[test]
fn items_for_calls_are_only_generated_if_the_option_is_on() {
    for case in std::fs::read_dir(folder().join("cases")).unwrap() {
        let contract = contract(&case.unwrap().file_name().into_string().unwrap());
        for language in Language::DEFAULT {
            let plain = file(&contract, language, Options::default());
            let with_calls = file(&contract, language, Options { calls: true, ..Options::default() });
            assert!(!plain.contains("Client"), "{}", contract.agent);
            assert!(with_calls.contains("--calls") && with_calls.contains("Client"), "{}", contract.agent);
            assert!(is_extended(&plain, &with_calls), "{}: the items are added to the others", contract.agent);
        }
    }
}

#[test]
fn standard_schemas_are_generated_unless_the_option_is_off() {
    let off = || Options { standard_schema: false, ..Options::default() };
    for case in std::fs::read_dir(folder().join("cases")).unwrap() {
        let contract = contract(&case.unwrap().file_name().into_string().unwrap());
        for &language in Language::ALL {
            let with = file(&contract, language, Options::default());
            let without = file(&contract, language, off());
            let is_typescript = language != Language::Rust;
            assert_eq!(with.contains("StandardSchema") || with.contains("~standard"), is_typescript);
            assert!(!without.contains("tandardSchema") && !without.contains("~standard"), "{}", contract.agent);
            assert_eq!(without.contains("--standard-schema=false"), is_typescript, "{}", contract.agent);
            assert!(!with.contains("--standard-schema"), "the usual value is not written");
            // The objects share rules with the validators, so that only the exports are the same.
            let exports = |text: &str| -> String {
                let is_item = |line: &&str| line.starts_with("export ") && !line.contains('{');
                text.lines().filter(is_item).map(|line| format!("{line}\n")).collect()
            };
            assert!(is_extended(&exports(&without), &exports(&with)), "{}: exports are added", contract.agent);
        }
    }
}

fn runtime_at(path: &str) -> Options {
    Options { runtime_path: RuntimePath::new(path).unwrap(), calls: true, ..Options::default() }
}

#[test]
fn every_path_of_the_runtime_starts_with_the_option() {
    for case in std::fs::read_dir(folder().join("cases")).unwrap() {
        let contract = contract(&case.unwrap().file_name().into_string().unwrap());
        let usual = file(&contract, Language::Rust, runtime_at("::capgen"));
        // As long as `::capgen`, so that lines are broken at the same places.
        let renamed = file(&contract, Language::Rust, runtime_at("::unique"));
        let option = " --runtime-path ::unique";
        assert!(renamed.contains(option) && !usual.contains("--runtime-path"), "{}", contract.agent);
        let code = |text: &str| text.replace(option, "").replace("::unique", "::capgen");
        assert_eq!(code(&renamed), usual);
        assert_eq!(renamed.matches("::unique").count() - 1, usual.matches("::capgen").count(), "{}", contract.agent);
        assert!(!renamed.contains("::capgen"), "{}", contract.agent);
        let other = file(&contract, Language::TypeScript, runtime_at("::unique"));
        assert_eq!(other, file(&contract, Language::TypeScript, runtime_at("::capgen")), "it changes only Rust");
    }
}

#[test]
fn generated_code_compiles_with_a_dependency_that_has_another_name() {
    let source = capgen_manifest::Source::new("capabilities.json", CONTRACT);
    let contract = load(&source).unwrap().manifest;
    let program =
        MERGED.replace("use capgen::Payload", "mod r#gen { pub use my_capgen as r#type; }\nuse my_capgen::Payload");
    for (edition, path) in [("2021", "::my_capgen"), ("2024", "crate::r#gen::r#type")] {
        let generated = file(&contract, Language::Rust, Options { merge_nullable: true, ..runtime_at(path) });
        let files = [("generated.rs".to_owned(), generated), ("main.rs".to_owned(), program.clone())];
        let name = format!("renamed-{edition}");
        let package = Package::write_with(env!("CARGO_TARGET_TMPDIR"), &name, edition, &files, &["call"]).unwrap();
        package.rename_runtime("my_capgen").unwrap();
        succeed(&mut package.cargo("run")).unwrap();
    }
}

#[test]
fn the_table_of_options_names_each_option_in_every_place() {
    let page = std::fs::read_to_string(folder().join("../docs/generated-code.md")).unwrap();
    let script = ["mod.rs", "options.rs"]
        .map(|file| std::fs::read_to_string(folder().join("../codegen/src/build_script").join(file)).unwrap())
        .concat();
    for row in Options::TABLE {
        let mut options = Options::default();
        let argument = match row.value {
            OptionValue::Switch { get, set } => {
                let changed = !get(&options);
                set(&mut options, changed);
                assert_eq!(get(&options), changed, "{}", row.flag);
                "true"
            }
            OptionValue::Extension { get, set } => {
                set(&mut options, ImportExtension::Ts);
                assert_eq!(get(&options), ImportExtension::Ts, "{}", row.flag);
                "ImportExtension::Ts"
            }
            OptionValue::Path { get, set } => {
                set(&mut options, RuntimePath::new("::my_capgen").unwrap());
                assert_eq!(get(&options).as_str(), "::my_capgen", "{}", row.flag);
                "\"::my_capgen\""
            }
        };
        assert_ne!(options, Options::default(), "{}", row.flag);
        let shown = format!("| `--{}` | `{}` | `.{}({argument})` |", row.flag, row.key, row.method);
        assert!(page.contains(&shown), "{shown}");
        assert!(script.contains(&format!("pub fn {}(mut self", row.method)), "{}", row.method);
    }
    let build = Build::new().merge_nullable(true).plain_arrays(true).calls(true).standard_schema(false);
    let _ = build.single_file(true).import_extension(ImportExtension::Ts).runtime_path("::a");
}
