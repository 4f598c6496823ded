//! Schemas of real agents and servers, from the corpus: the types of all schemas that load compile, and every valid
//! payload has its schema's type.

use std::collections::BTreeMap;

use capgen_codegen::{Language, output};
use capgen_manifest::{Data, Diagnostic, LoadedContract};
use capgen_tests::contract::{self, Draft, generated, loaded};
use capgen_tests::corpus::{self, Document, elements, member, string};
use capgen_tests::literal;
use capgen_tests::node::{self, Program};

/// The tools of a server, each as a separate contract: the tool's name, and the contract or the findings.
fn tools(document: &Document) -> Vec<(String, Result<LoadedContract, Vec<Diagnostic>>)> {
    let tool = |node| {
        let name = string(node, "name").unwrap_or_default();
        let schema = |key| member(node, key).map(|schema| document.text(schema).to_owned());
        let draft = Draft {
            name: contract::name(name),
            description: string(node, "description").map(str::to_owned),
            input: schema("inputSchema"),
            output: schema("outputSchema"),
        };
        (name.to_owned(), loaded("server", &[draft]))
    };
    elements(member(document.root(), "tools")).iter().map(tool).collect()
}

/// Compiles all contracts as one program, and prints how often each finding rejected a contract.
/// The types are as precise as the schemas.
fn compile(label: &str, contracts: Vec<(String, Result<LoadedContract, Vec<Diagnostic>>)>) {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let mut rejections: BTreeMap<String, usize> = BTreeMap::new();
    let mut files = Vec::new();
    let total = contracts.len();
    for (index, (name, contract)) in contracts.into_iter().enumerate() {
        match contract {
            // Names may differ only in case, which some file systems ignore.
            Ok(contract) => {
                let findings = output::check_types(&contract, &Language::DEFAULT);
                assert!(findings.is_empty(), "{name}: {findings:?}");
                files.push((format!("{index}-{name}.ts"), generated(&contract.manifest, Language::TypeScript)));
            }
            Err(findings) => {
                let first = findings.iter().find(|f| f.severity() == capgen_schema::Severity::Error).unwrap();
                *rejections.entry(format!("{} {}", first.code.as_str(), first.message)).or_default() += 1;
            }
        }
    }
    println!("{label}: {} of {total} load; rejected: {rejections:#?}", files.len());
    let errors = node.tsc_check_all(&[Program { files, options: node::strictest() }]).unwrap();
    assert_eq!(errors, [vec![]]);
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn the_tools_of_real_servers_have_types_that_compile() {
    let folder = corpus::path("mcp-tools");
    let servers = corpus::documents(&folder).unwrap();
    let contracts = servers.iter().flat_map(|(server, document)| {
        tools(document).into_iter().map(move |(tool, c)| (format!("{server}-{tool}"), c))
    });
    compile("tools", contracts.collect());
}

fn schemas() -> Document {
    Document::read(&corpus::path("capability-schemas.json")).unwrap()
}

fn schema_contract(document: &Document, case: &capgen_manifest::Node) -> Result<LoadedContract, Vec<Diagnostic>> {
    loaded("agent", &[Draft::request("root", document.text(member(case, "schema").unwrap()))])
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn the_schemas_of_capabilities_have_types_that_compile() {
    let document = schemas();
    let cases = elements(Some(document.root())).iter();
    let contracts =
        cases.map(|case| (string(case, "id").unwrap().to_owned(), schema_contract(&document, case))).collect();
    compile("schemas", contracts);
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn every_valid_payload_has_its_schemas_type() {
    let document = schemas();
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let mut files = Vec::new();
    let mut payloads = Vec::new();
    for (index, case) in elements(Some(document.root())).iter().enumerate() {
        let Ok(contract) = schema_contract(&document, case) else { continue };
        let id = format!("{index}-{}", string(case, "id").unwrap());
        let mut usage = format!("import type {{ RootRequest as Root }} from \"./{id}.ts\";\n");
        for test in elements(member(case, "tests")) {
            let valid = matches!(member(test, "valid").unwrap().data, Data::Bool(true));
            let payload = member(test, "data").unwrap().to_json();
            let index = payloads.len();
            // A fresh literal must not have undeclared properties, but a payload may.
            let (ty, value) = (literal::type_of(&payload), literal::expression(&payload));
            usage.push_str(&format!("const v{index}: {ty} = {value}; export const x{index}: Root = v{index};\n"));
            let line = usage.lines().count() as u64;
            payloads.push((format!("use-{id}.ts"), line, valid, value));
        }
        files.push((format!("{id}.ts"), generated(&contract.manifest, Language::TypeScript)));
        files.push((format!("use-{id}.ts"), usage));
    }
    let results = node.tsc_check_all(&[Program { files, options: node::strictest() }]).unwrap();
    let errors: BTreeMap<(&str, u64), &node::TscError> =
        results.iter().flatten().map(|error| ((error.file.as_str(), error.line), error)).collect();
    let (mut rejected, mut invalid, mut surprises) = (0, 0, String::new());
    for (file, line, valid, value) in &payloads {
        match (valid, errors.get(&(file.as_str(), *line))) {
            (true, Some(error)) => surprises.push_str(&format!("{file}: {value}\n    {}\n", error.message)),
            (true, None) => {}
            (false, error) => {
                invalid += 1;
                rejected += usize::from(error.is_some());
            }
        }
    }
    println!("types reject {rejected} of {invalid} invalid payloads");
    assert_eq!(surprises, "");
}
