//! Generated TypeScript, checked by the TypeScript compiler.

use capgen_codegen::Language;
use capgen_manifest::{Source, load};
use capgen_tests::contract::{Draft, contract, generated, summary};
use capgen_tests::folder;
use capgen_tests::node::{self, Node, Program, TscError};
use serde_json::{Value, json};

/// The expected TypeScript of every case, with the name of the case.
fn cases() -> Vec<(String, String)> {
    let mut cases = Vec::new();
    for case in std::fs::read_dir(folder().join("cases")).unwrap() {
        let case = case.unwrap();
        for file in std::fs::read_dir(case.path().join("expected/ts")).unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            cases.push((format!("{}.ts", case.file_name().to_string_lossy()), text));
        }
    }
    cases.sort();
    cases
}

fn node() -> Option<Node> {
    node::require_or_skip().unwrap()
}

fn request(schema: &Value) -> String {
    let contract = contract("test", &[Draft::request("test", &schema.to_string())]);
    generated(&contract.unwrap_or_else(|findings| panic!("{}", summary(&findings))), Language::TypeScript)
}

/// The compiler's errors for a program that uses the generated types of a request schema.
fn errors(node: &Node, schema: &Value, usage: &str) -> Vec<TscError> {
    let text = format!("{}{usage}\n", request(schema));
    node.tsc_check(&[("test.ts", text)], node::strictest()).unwrap()
}

#[test]
fn every_case_compiles_under_strict_and_under_the_strictest_options() {
    let Some(node) = node() else { return };
    for options in [node::strict(), node::strictest()] {
        let errors = node.tsc_check_all(&[Program { files: cases(), options }]).unwrap();
        assert_eq!(errors, [vec![]]);
    }
}

#[test]
fn a_file_only_exports_declarations_without_side_effects() {
    let Some(node) = node() else { return };
    let cases = cases();
    let texts: Vec<&str> = cases.iter().map(|(_, text)| text.as_str()).collect();
    for ((name, text), outline) in cases.iter().zip(node.outlines(&texts).unwrap()) {
        let exported = text.lines().filter(|line| line.starts_with("export "));
        let is_export = |line: &str| {
            ["export type ", "export function ", "export interface ", "export const ", "export {"]
                .iter()
                .any(|e| line.starts_with(e))
        };
        assert!(exported.clone().all(is_export), "{name}");
        let kind = |item: &String| item.split(' ').next().unwrap_or_default().to_owned();
        let is_known = |item: &String| {
            matches!(kind(item).as_str(), "import" | "export" | "type" | "function" | "interface" | "const")
        };
        assert!(outline.iter().all(is_known), "{name}: {outline:?}");
        assert!(outline.len() >= exported.count(), "{name}");
    }
}

#[test]
fn hostile_text_remains_text() {
    let Some(node) = node() else { return };
    let path = folder().join("cases/hostile-text/expected/ts/hostile-text.ts");
    let outlines = node.outlines(&[&std::fs::read_to_string(path).unwrap()]).unwrap();
    let items = outlines.iter().flatten().map(String::as_str);
    // The names of the shared module come first. Only the former names are deprecated.
    let former = ["type HostileTextCapabilities @deprecated", "const hostileTextCapabilities @deprecated"];
    let items = items.skip_while(|item| !item.starts_with("type ")).filter(|item| !former.contains(item));
    let shown: Vec<&str> = items.take(12).collect();
    let functions =
        ["isEscapeRequest", "parseEscapeRequest", "assertEscapeRequest"].map(|name| format!("function {name}"));
    assert_eq!(
        shown[..7],
        [
            "type EscapeRequest",
            "type EscapeResponse",
            "interface Capabilities",
            "export ",
            "export ",
            "const escapeRequestAllowXRValues",
            "const capabilities",
        ]
    );
    assert_eq!(shown[7..10], functions);
    assert_eq!(shown[10..], ["const escapeRequest", "const escapeResponse"]);
}

#[test]
fn guards_narrow_to_their_variant() {
    let Some(node) = node() else { return };
    let schema = json!({"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "a"}, "x": {"type": "string"}}, "required": ["kind", "x"]},
        {"type": "object", "properties": {"kind": {"const": "b"}, "y": {"type": "number"}}, "required": ["kind", "y"]}
    ]});
    let usage = "export const f = (v: TestRequest): string => hasTestRequestATag(v) ? v.x : v.y.toFixed();";
    assert_eq!(errors(&node, &schema, usage), []);
    let wrong = "export const f = (v: TestRequest): string => hasTestRequestATag(v) ? v.y : v.x;";
    assert!(!errors(&node, &schema, wrong).is_empty());
}

#[test]
fn guards_narrow_by_the_property_that_selects_a_variant() {
    let Some(node) = node() else { return };
    let branch = |name: &str, schema: Value| json!({"type": "object", "properties": {name: schema}, "required": [name], "additionalProperties": false});
    let schema = json!({"oneOf": [
        {"enum": ["None", "All"]},
        branch("Text", json!({"type": "string"})),
        branch("Count", json!({"type": "integer"})),
        {"type": "array", "items": {"type": "string"}},
        {"type": "null"}
    ]});
    let usage = "export const f = (v: Exclude<TestRequest, null>): string => hasTestRequestValueTextKey(v)
        ? v.Text
        : hasTestRequestValueCountKey(v) ? v.Count.toFixed() : typeof v === \"string\" ? v : v.join();";
    assert_eq!(errors(&node, &schema, usage), []);
    let wrong =
        "export const f = (v: Exclude<TestRequest, null>): number | false => hasTestRequestValueTextKey(v) && v.Count;";
    assert!(!errors(&node, &schema, wrong).is_empty());
}

#[test]
fn tuples_have_the_types_of_their_positions() {
    let Some(node) = node() else { return };
    let schema = json!({"type": "array", "minItems": 1, "items": [{"type": "string"}, {"type": "number"}],
        "additionalItems": {"type": "boolean"}});
    let usage = "export const f = ([name, count, ...flags]: TestRequest): boolean =>
        name.length > (count?.toFixed() ?? \"\").length && flags.every((flag) => flag === true);
        export const values: TestRequest[] = [[\"a\"], [\"a\", 1], [\"a\", 1, true, false]];";
    assert_eq!(errors(&node, &schema, usage), []);
    for wrong in ["[]", "[1]", "[\"a\", \"b\"]", "[\"a\", 1, 2]"] {
        assert!(!errors(&node, &schema, &format!("export const value: TestRequest = {wrong};")).is_empty(), "{wrong}");
    }
}

#[test]
fn hostile_sizes_compile() {
    let Some(node) = node() else { return };
    let many = |f: &dyn Fn(usize) -> Value| (0..10_000).map(f).collect::<Vec<Value>>();
    let properties: serde_json::Map<String, Value> =
        (0..10_000).map(|i| (format!("p{i}"), json!({"enum": [i, "x"]}))).collect();
    let mut deep = json!({"type": "string"});
    let mut tuples = json!({"type": "string"});
    let mut positions = json!({"type": "string"});
    let mut value = json!(1);
    for _ in 0..60 {
        deep = json!({"type": "object", "properties": {"a": deep}, "required": ["a"]});
        tuples = json!({"type": "array", "items": tuples, "minItems": 2, "maxItems": 8});
        positions =
            json!({"type": "array", "items": [{"enum": ["a", "b"]}], "additionalItems": positions, "minItems": 7});
        value = json!([value]);
    }
    let chain: serde_json::Map<String, Value> = (0..2_000)
        .map(|i| {
            let next = json!({"allOf": [{"$ref": format!("#/definitions/d{}", i + 1)}, {"minItems": 1}]});
            (format!("d{i}"), json!({"type": "array", "items": next}))
        })
        .chain([("d2000".to_owned(), json!({"type": "array", "items": {"enum": ["a", "b"]}}))])
        .collect();
    let schemas = [
        json!({"enum": many(&|i| json!(format!("member {i}")))}),
        json!({"type": "object", "properties": {"e": {"enum": many(&|i| json!(i))}}}),
        json!({"type": "object", "properties": properties, "additionalProperties": {"type": "boolean"}}),
        json!({"oneOf": (0..200).map(|i| json!({"type": "object", "required": ["k"],
            "properties": {"k": {"const": format!("k{i}")}, "v": {"type": "string"}}})).collect::<Vec<_>>()}),
        json!({"definitions": chain, "$ref": "#/definitions/d0"}),
        deep,
        tuples,
        positions,
        json!({"type": "array", "items": (0..1_000).map(|i| json!({"enum": [i, "x"]})).collect::<Vec<_>>()}),
        json!({"const": value}),
    ];
    let files = schemas.iter().enumerate().map(|(i, schema)| (format!("s{i}.ts"), request(schema))).collect();
    let errors = node.tsc_check_all(&[Program { files, options: node::strictest() }]).unwrap();
    assert_eq!(errors, [vec![]]);
}

#[test]
fn branches_that_list_different_values_are_not_counted() {
    let values = |values: &[Value]| {
        let branches: Vec<Value> = values.iter().map(|value| json!({"description": "one", "const": value})).collect();
        request(&json!({"oneOf": branches}))
    };
    let text = values(&[json!("a"), json!(1), json!(null)]);
    assert!(text.contains(r#"return value === "a" || value === 1 || value === null;"#), "{text}");
    let text = values(&[json!(1), json!("a"), json!(1.0)]);
    assert!(text.contains(r#"+(value === 1) + +(value === "a") + +(value === 1) === 1"#), "{text}");
}

#[test]
fn loading_a_case_again_gives_the_same_bytes() {
    let path = folder().join("cases/recursion/capabilities.yaml");
    let text = std::fs::read_to_string(path).unwrap();
    let print = |text: &str| generated(&load(&Source::new("x", text)).unwrap().manifest, Language::TypeScript);
    assert_eq!(print(&text), print(&text.replace('\n', "\r\n")));
}
