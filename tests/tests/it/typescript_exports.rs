//! The exports of generated TypeScript: together with those of other agents, in bundles, and before linters.

use capgen_codegen::Language;
use capgen_tests::contract::{Draft, contract, generated};
use capgen_tests::node::{self, Node, Program, TscError};

fn node() -> Option<Node> {
    node::require_or_skip().unwrap()
}

/// The generated files of the example fleet.
fn fleet() -> Vec<(String, String)> {
    let folder = capgen_tests::folder().join("../generated");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "ts"))
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(&path).unwrap()))
        .collect();
    files.sort();
    files
}

fn compile(node: &Node, files: Vec<(String, String)>) -> Vec<TscError> {
    node.tsc_check_all(&[Program { files, options: node::strictest() }]).unwrap().into_iter().flatten().collect()
}

/// The file of an agent whose capability has two objects, selected by a tag, and an enum.
fn shop(agent: &str, capability: &str) -> (String, String) {
    let schema = r#"{"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "card"}, "size": {"enum": ["s", "m", 1]}}, "required": ["kind"]},
        {"type": "object", "properties": {"kind": {"const": "cash"}}, "required": ["kind"]}]}"#;
    let draft = Draft { output: Some(r#"{"type": "string"}"#.to_owned()), ..Draft::request(capability, schema) };
    (format!("{agent}.ts"), generated(&contract(agent, &[draft]).unwrap(), Language::TypeScript))
}

#[test]
fn one_file_can_export_everything_of_several_agents() {
    let Some(node) = node() else { return };
    // The ids of the last three agents are the same in camel case.
    let agents = [("a-b", "pay"), ("a.b", "pay2"), ("a_b", "pay3"), ("a--b", "pay4")];
    let mut files = fleet();
    files.extend(agents.map(|(agent, capability)| shop(agent, capability)));
    let agents = files.iter().filter(|(name, _)| name != "_capgen.ts");
    let all: String = agents.map(|(name, _)| format!("export * from \"./{name}\";\n")).collect();
    files.push(("all.ts".to_owned(), all));
    assert_eq!(compile(&node, files), []);
}

#[test]
fn names_of_the_agent_differ_from_those_of_its_types() {
    let Some(node) = node() else { return };
    let draft = |name: &str| Draft::request(name, r#"{"type": "object", "properties": {"a": {"enum": [1, 2]}}}"#);
    let drafts = ["x", "x-request-a", "values"].map(draft);
    for agent in ["x", "x-request", "parse-x", "is-x"] {
        let file = generated(&contract(agent, &drafts).unwrap(), Language::TypeScript);
        assert_eq!(compile(&node, vec![("a.ts".to_owned(), file)]), []);
    }
}

#[test]
fn constants_have_the_values_of_enums_and_the_properties_of_capabilities() {
    let Some(node) = node() else { return };
    let usage = r#"
import * as shop from "./shop.ts";
export const sizes: readonly ["s", "m", 1] = shop.payRequestCardSizeValues;
const { pay } = shop.shopCapabilities;
export const hash: string = pay.hash;
export const version: undefined = pay.version;
export function size(value: unknown): "s" | "m" | 1 | null | undefined {
  const result: shop.ShopParseResult<shop.PayRequest> = pay.request.parse(value, { limit: 1 } satisfies shop.ShopParseOptions);
  if (!result.ok) throw new shop.ShopPayloadError(result.violations);
  return shop.hasPayRequestCardTag(result.value) ? result.value.size : null;
}
export const isText = (value: unknown): string => (pay.response.is(value) ? value : "");
export type Pay = shop.ShopCapabilities["pay"]["request"];
"#;
    let files = vec![shop("shop", "pay"), ("use.ts".to_owned(), usage.to_owned())];
    assert_eq!(compile(&node, files), []);
}

#[test]
fn bundles_contain_only_the_exports_that_a_program_uses() {
    let Some(node) = node() else { return };
    let files = [shop("shop", "pay")];
    // Bundlers write the name of each module as a comment.
    let bundle = |entry: &str| {
        let text = node.bundle(&files, entry).unwrap();
        text.lines().filter(|line| !line.starts_with("//")).collect::<Vec<_>>().join("\n")
    };
    let guard = bundle("import { isPayRequest } from './shop.ts'; console.log(isPayRequest(1));");
    for unused in ["PayloadError", "shopCapabilities", "Values", "function parse", "hasPayRequestCardTag", "capgen"] {
        assert!(!guard.contains(unused), "{unused} in {guard}");
    }
    let parser = bundle("import { parsePayRequest } from './shop.ts'; console.log(parsePayRequest(1));");
    for unused in ["PayloadError", "shopCapabilities", "~standard", "capgen", "jsonSchema", "schema_", "payRe"] {
        assert!(!parser.contains(unused), "{unused} in {parser}");
    }
    let object = bundle("import { payResponse } from './shop.ts'; console.log(payResponse);");
    assert!(object.contains("schema_payResponse") && object.contains("parsePayResponse"), "{object}");
    for unused in ["payRequest", "PayRequest", "cash"] {
        assert!(!object.contains(unused), "{unused} in {object}");
    }
    assert_eq!(bundle("import './shop.ts';").lines().filter(|line| !line.starts_with("//")).count(), 0);
    let table = bundle("import { shopCapabilities } from './shop.ts'; console.log(shopCapabilities);");
    assert!(table.contains("parsePayRequest") && table.contains("hash: "), "{table}");
}

#[test]
fn linters_and_formatters_have_no_findings() {
    let Some(node) = node() else { return };
    let mut files = fleet();
    files.push(shop("shop", "pay"));
    // Without findings to suppress, the comments must not be reported themselves.
    let loose = Draft { name: "ping".to_owned(), description: None, input: None, output: None };
    files.push(("loose.ts".to_owned(), generated(&contract("loose", &[loose]).unwrap(), Language::TypeScript)));
    for (tool, findings) in node.lint(&files).unwrap() {
        assert!(findings.is_empty(), "{tool}: {}", findings.join("\n"));
    }
    // Without the header, every tool has findings, so it was the header that silenced them.
    let bare = |(name, text): &(String, String)| (name.clone(), text.split_once("\n\n").unwrap().1.to_owned());
    for (tool, findings) in node.lint(&files.iter().take(1).map(bare).collect::<Vec<_>>()).unwrap() {
        assert!(!findings.is_empty(), "{tool}");
    }
}
