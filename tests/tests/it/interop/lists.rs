//! Lists of MCP tools are imported, and their types compile.

use std::fmt::Write as _;
use std::path::Path;

use capgen_codegen::Language;
use capgen_files::asks_for_update;
use capgen_interop::import::{Document, ImportSettings, mcp};
use capgen_interop::{McpOptions, mcp as export};
use capgen_manifest::{AgentId, Manifest, Source, TransportSettings, load};
use capgen_tests::contract::generated;
use capgen_tests::folder;
use capgen_tests::node::{self, Program};
use capgen_tests::rust_package::{Package, succeed};

/// A list of tools.
struct List {
    name: String,
    document: Document,
}

impl List {
    fn read(path: &Path) -> Self {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(path).unwrap();
        Self { name, document: Document::parse_json(&Source::new("tools.json", text)).unwrap() }
    }
}

/// A small list with the forms of real ones.
fn own() -> List {
    List::read(&folder().join("tests/it/interop/tools.json"))
}

/// The lists of real servers.
fn corpora() -> Vec<List> {
    let folder = capgen_tests::corpus::path("mcp-tools");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| List::read(path)).collect()
}

fn import(list: &List, lossy: bool) -> mcp::Tools {
    mcp::tools(&list.document, ImportSettings { lossy, ..ImportSettings::default() })
}

/// The contract of a list with everything that can be imported, read again from its text.
fn contract(list: &List, lossy: bool) -> Manifest {
    let agent = AgentId::new(&list.name).unwrap();
    let transports = vec![TransportSettings::mcp(agent.as_str())];
    let manifest = import(list, lossy).imported.into_manifest(agent, transports);
    let text = manifest.to_yaml();
    let loaded = load(&Source::new("capabilities.yaml", text)).unwrap().manifest;
    assert_eq!(loaded.hash(), manifest.hash(), "{}", list.name);
    loaded
}

/// The number of tools, and each finding with its keyword, of each list.
fn findings(lists: &[List]) -> String {
    let mut text = String::new();
    for list in lists {
        let imported = import(list, false).imported;
        let (count, total) = (imported.capabilities.len(), imported.entries);
        writeln!(text, "{}: {count} of {total} tools imported", list.name).unwrap();
        for finding in &imported.findings {
            let (code, help) = (finding.code.as_str(), finding.help.as_deref().unwrap());
            let tool = finding.entry.as_str();
            writeln!(text, "  {code} {tool} {} `{}`: {}; {help}", finding.pointer, finding.keyword, finding.message)
                .unwrap();
        }
        let widened = import(list, true).imported;
        assert_eq!((widened.capabilities.len(), widened.rejected.len()), (total, 0), "{}", list.name);
        for loss in &widened.findings {
            writeln!(text, "  {} {} {} `{}`", loss.code.as_str(), loss.entry, loss.pointer, loss.keyword).unwrap();
        }
    }
    text
}

#[test]
fn rejected_tools_are_listed_with_their_keywords() {
    let text = findings(&[own()]);
    let path = folder().join("tests/it/interop/tools.txt");
    if asks_for_update(std::env::var_os("CAPGEN_UPDATE").as_deref()) {
        std::fs::write(&path, &text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
    assert!(expected == text, "CAPGEN_UPDATE=1 updates the file\n{text}");
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn all_tools_of_the_corpora_are_imported_with_their_losses() {
    println!("{}", findings(&corpora()));
}

/// Strict, and with the tools that have losses.
pub(crate) fn contracts() -> Vec<(String, Manifest)> {
    contracts_of(vec![own()])
}

fn contracts_of(lists: Vec<List>) -> Vec<(String, Manifest)> {
    let both = |list: List| [false, true].map(|lossy| (format!("{}-{lossy}", list.name), contract(&list, lossy)));
    lists.into_iter().flat_map(both).collect()
}

#[test]
fn the_rust_types_of_imported_tools_compile() {
    check_rust("imported", &contracts());
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn the_rust_types_of_the_tools_of_the_corpora_compile() {
    check_rust("imported-corpora", &contracts_of(corpora()));
}

fn check_rust(name: &str, contracts: &[(String, Manifest)]) {
    let mut files = Vec::new();
    let mut root = "#![deny(warnings)]\n".to_owned();
    for (index, (_, contract)) in contracts.iter().enumerate() {
        writeln!(root, "pub mod m{index};").unwrap();
        files.push((format!("m{index}.rs"), generated(contract, Language::Rust)));
    }
    files.push(("lib.rs".to_owned(), root));
    let package = Package::write(env!("CARGO_TARGET_TMPDIR"), name, "2024", &files).unwrap();
    succeed(&mut package.cargo("check")).unwrap();
}

#[test]
fn the_typescript_types_of_imported_tools_compile() {
    check_typescript(&contracts());
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn the_typescript_types_of_the_tools_of_the_corpora_compile() {
    check_typescript(&contracts_of(corpora()));
}

fn check_typescript(contracts: &[(String, Manifest)]) {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let file =
        |(name, contract): &(String, Manifest)| (format!("{name}.ts"), generated(contract, Language::TypeScript));
    let files = contracts.iter().map(file).collect();
    let errors = node.tsc_check_all(&[Program { files, options: node::strictest() }]).unwrap();
    assert_eq!(errors, [vec![]]);
}

#[test]
fn an_export_of_imported_tools_is_imported_with_the_same_hash() {
    check_exports(vec![own()]);
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn an_export_of_tools_of_the_corpora_is_imported_with_the_same_hash() {
    check_exports(corpora());
}

fn check_exports(lists: Vec<List>) {
    for list in lists {
        for lossy in [false, true] {
            let manifest = contract(&list, lossy);
            let tools = export(&manifest, McpOptions::default()).document;
            let again = mcp::tools(&Document::of_value(tools), ImportSettings::default()).imported;
            // Without keys of a contract, nothing shows that the author meant its formats as assertions.
            let other: Vec<_> = again.findings.iter().filter(|finding| finding.code.as_str() != "N0905").collect();
            assert!(other.is_empty(), "{other:?} {}", list.name);
            let again = again.into_manifest(manifest.agent.clone(), manifest.transports.clone());
            assert_eq!(again.hash(), manifest.hash(), "{}", list.name);
        }
    }
}

/// The bounds that zod writes for every integer do not make the type wider than `i64`, and are not repeated in its
/// documentation.
#[test]
fn integers_with_the_bounds_of_zod_are_integers() {
    let list = own();
    let rust = generated(&contract(&list, false), Language::Rust);
    let field = rust.lines().position(|line| line.trim() == "pub line: Option<i64>,");
    assert!(field.is_some(), "{rust}");
}
