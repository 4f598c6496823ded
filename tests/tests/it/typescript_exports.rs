//! The exports of generated TypeScript: together with those of other agents, in bundles, and before linters.

use capgen_codegen::{Language, Options};
use capgen_tests::contract::{Draft, contract, generated, generated_with};
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
fn a_program_uses_each_agent_by_the_name_in_the_index() {
    let Some(node) = node() else { return };
    let files = fleet();
    let index = files.iter().find(|(name, _)| name == "index.ts").unwrap();
    let agents = files.iter().map(|(name, _)| name.trim_end_matches(".ts"));
    for agent in agents.filter(|name| !["_capgen", "index"].contains(name)) {
        assert!(index.1.contains(&format!(" from \"./{agent}.js\";\n")), "{agent}");
    }
    let uses = r#"
import { legacyCrm, payments, prReviewer } from "./index.ts";
export type All = payments.Capabilities & prReviewer.Capabilities;
export const review: prReviewer.ParseResult<prReviewer.ReviewPrRequest> = prReviewer.parseReviewPrRequest({});
export const hash: string = legacyCrm.capabilities.find_customer.hash;
export const timeout: 60000 = prReviewer.reviewPrTimeoutMs;
"#;
    let mut checked = files.clone();
    checked.push(("uses.ts".to_owned(), uses.to_owned()));
    assert_eq!(compile(&node, checked), []);
    // A bundle has only the agents that the program uses. esbuild keeps all exports of an agent here; Rollup does not.
    let entry = "import { prReviewer } from './index.ts'; console.log(prReviewer.isReviewPrRequest({}));";
    let bundle = node.bundle(&files, entry).unwrap();
    assert!(bundle.contains("function isReviewPrRequest") && !bundle.contains("Payment"), "{bundle}");
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

/// The names that are the same in every file, as definitions of a contract, in which they have priority.
#[test]
fn definitions_keep_names_that_every_file_exports() {
    let Some(node) = node() else { return };
    let names =
        ["Capabilities", "Violation", "ParseResult", "PayloadError", "Validators", "Message", "Call", "StandardSchema"];
    let definitions =
        names.map(|name| format!(r#""{name}": {{"type": "object", "properties": {{"a": {{"enum": [1, 2]}}}}}}"#));
    let properties = names.map(|name| format!(r##""{name}": {{"$ref": "#/definitions/{name}"}}"##));
    let schema = format!(
        r#"{{"type": "object", "definitions": {{{}}}, "properties": {{{}}}}}"#,
        definitions.join(","),
        properties.join(",")
    );
    // The last id gives names that every file exports.
    for (agent, prefix) in [("shop", "Shop"), ("server", "Server")] {
        for single_file in [false, true] {
            let options = Options { calls: true, single_file, ..Options::default() };
            let contract = contract(agent, &[Draft::request("pay", &schema)]).unwrap();
            let file = generated_with(&contract, Language::TypeScript, &options);
            for name in names {
                assert!(file.contains(&format!("export type {name} = {{\n  a?: 1 | 2;\n}};")), "{name}: {file}");
            }
            assert!(file.contains(&format!("export interface {prefix}Capabilities {{")), "{file}");
            assert!(!file.contains("@deprecated `Capabilities`"), "{file}");
            assert!(
                file.contains(&format!("(value: unknown, options?: ParseOptions): {prefix}ParseResult<PayRequest>"))
            );
            assert_eq!(compile(&node, vec![("a.ts".to_owned(), file)]), [], "{agent}");
        }
    }
}

#[test]
fn former_names_of_the_agent_are_aliases() {
    let Some(node) = node() else { return };
    let usage = r#"
import { capabilities, shopCapabilities } from "./shop.ts";
import type { Capabilities, ShopCapabilities } from "./shop.ts";
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
export const equal: [Equal<Capabilities, ShopCapabilities>, Equal<typeof capabilities, typeof shopCapabilities>] = [true, true];
"#;
    let (name, text) = shop("shop", "pay");
    assert!(text.contains("/** @deprecated `Capabilities` */\nexport type ShopCapabilities = Capabilities;\n"));
    assert_eq!(compile(&node, vec![(name, text), ("use.ts".to_owned(), usage.to_owned())]), []);
}

#[test]
fn generated_files_compile_with_isolated_declarations_and_the_library_of_es2020() {
    let Some(node) = node() else { return };
    let mut options = node::strictest();
    let more =
        serde_json::json!({"isolatedDeclarations": true, "declaration": true, "lib": ["es2020"], "target": "es2020"});
    options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let cases = std::fs::read_dir(capgen_tests::folder().join("cases")).unwrap();
    let mut files = Vec::new();
    for case in cases {
        for folder in ["ts", "ts-calls"] {
            let expected = case.as_ref().unwrap().path().join("expected").join(folder);
            for entry in std::fs::read_dir(expected).into_iter().flatten() {
                let path = entry.unwrap().path();
                let name = format!("{folder}/{}", path.file_name().unwrap().to_string_lossy());
                files.push((name, std::fs::read_to_string(path).unwrap()));
            }
            files.push((format!("{folder}/_capgen.ts"), capgen_tests::contract::shared("ts")));
        }
    }
    assert!(files.len() > 40);
    assert_eq!(node.tsc_check_all(&[Program { files, options }]).unwrap(), [vec![]]);
}

#[test]
fn constants_have_the_values_of_enums_and_the_properties_of_capabilities() {
    let Some(node) = node() else { return };
    let usage = r#"
import * as shop from "./shop.ts";
export const sizes: readonly ["s", "m", 1] = shop.payRequestCardSizeValues;
const { pay } = shop.capabilities;
export const hash: string = pay.hash;
export const version: undefined = pay.version;
export function size(value: unknown): "s" | "m" | 1 | null | undefined {
  const result: shop.ParseResult<shop.PayRequest> = pay.request.parse(value, { limit: 1 } satisfies shop.ParseOptions);
  if (!result.ok) throw new shop.PayloadError(result.violations);
  return shop.hasPayRequestCardTag(result.value) ? result.value.size : null;
}
export const isText = (value: unknown): string => (pay.response.is(value) ? value : "");
export type Pay = shop.Capabilities["pay"]["request"];
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
    for unused in
        ["PayloadError", "capabilities", "Capabilities", "Values", "function parse", "hasPayRequestCardTag", "capgen"]
    {
        assert!(!guard.contains(unused), "{unused} in {guard}");
    }
    let parser = bundle("import { parsePayRequest } from './shop.ts'; console.log(parsePayRequest(1));");
    for unused in ["PayloadError", "capabilities", "~standard", "capgen", "jsonSchema", "schema_", "payRe"] {
        assert!(!parser.contains(unused), "{unused} in {parser}");
    }
    let object = bundle("import { payResponse } from './shop.ts'; console.log(payResponse);");
    assert!(object.contains("schema_payResponse") && object.contains("parsePayResponse"), "{object}");
    for unused in ["payRequest", "PayRequest", "cash"] {
        assert!(!object.contains(unused), "{unused} in {object}");
    }
    assert_eq!(bundle("import './shop.ts';").lines().filter(|line| !line.starts_with("//")).count(), 0);
    let table = bundle("import { capabilities } from './shop.ts'; console.log(capabilities);");
    assert!(table.contains("parsePayRequest") && table.contains("hash: "), "{table}");
    // One timeout needs no table, and no validators.
    let files = [fleet().into_iter().find(|(name, _)| name == "payments.ts").unwrap()];
    let timeout = "import { createPaymentTimeoutMs } from './payments.ts'; console.log(createPaymentTimeoutMs);";
    let text = node.minified(&files, timeout).unwrap();
    assert!(text.len() < 40, "{text}");
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
