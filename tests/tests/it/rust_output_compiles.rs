//! Generated Rust compiles in both editions, as a module or through `include!`, under any lints.

use capgen_codegen::Language;
use capgen_manifest::{Manifest, load, read_source};
use capgen_tests::contract::{self, Draft, contract, generated, generated_with_calls, random_names};
use capgen_tests::corpus::{self, Document, elements, member, string};
use capgen_tests::folder;
use capgen_tests::rust_package::{Package, has_clippy, succeed};

/// Lints that users may turn on; generated code must cause no finding. `missing_docs` is even forbidden, so that
/// generated code cannot allow it.
const LINTS: &str = "\
#![forbid(missing_docs, unsafe_code)]
#![deny(
    warnings, unused, nonstandard_style, future_incompatible, rust_2018_idioms, let_underscore,
    ambiguous_negative_literals, deprecated_in_future, elided_lifetimes_in_paths, explicit_outlives_requirements,
    keyword_idents_2018, keyword_idents_2024, macro_use_extern_crate, meta_variable_misuse,
    missing_copy_implementations, missing_debug_implementations, non_ascii_idents, redundant_imports,
    redundant_lifetimes, single_use_lifetimes, trivial_casts, trivial_numeric_casts, unit_bindings, unnameable_types,
    unreachable_pub, unused_extern_crates, unused_import_braces, unused_lifetimes, unused_qualifications,
    unused_results, variant_size_differences,
)]
#![deny(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, clippy::cargo)]
#![allow(
    clippy::blanket_clippy_restriction_lints, clippy::cargo_common_metadata, clippy::multiple_crate_versions,
    clippy::allow_attributes, reason = \"these are about the lines above and the package\",
)]
";

/// Names of the prelude and of generated code, defined with another meaning next to the included file.
const NOISE: &str = "\
pub struct Option; pub struct String; pub struct Vec; pub struct Box; pub trait Clone {} pub fn Some() {} pub fn Ok() {}
pub mod capgen {} pub mod serde {} pub mod serde_json {} pub mod std {} pub mod core {}
macro_rules! concat { () => {} } macro_rules! matches { () => {} }
";

fn cases() -> Vec<(String, Manifest)> {
    let cases = std::fs::read_dir(folder().join("cases")).unwrap();
    let case = |entry: Result<std::fs::DirEntry, std::io::Error>| {
        let path = entry.unwrap().path().join("capabilities.yaml");
        let source = read_source(&path, &path.to_string_lossy()).unwrap();
        let contract = load(&source).unwrap_or_else(|f| panic!("{}", contract::summary(&f))).manifest;
        (contract.agent.to_string(), contract)
    };
    let mut cases: Vec<_> = cases.map(case).collect();
    cases.sort_by(|a, b| a.0.cmp(&b.0));
    cases
}

fn schemas() -> Vec<(String, Manifest)> {
    let path = corpus::path("capability-schemas.json");
    let document = Document::read(&path).unwrap();
    let case = |case| {
        let schema = document.text(member(case, "schema")?);
        let id = string(case, "id")?;
        Some((id.to_owned(), contract(id, &[Draft::request("root", schema)]).ok()?))
    };
    elements(Some(document.root())).iter().filter_map(case).collect()
}

/// One contract for each server, with all of its tools that load.
fn tools() -> Vec<(String, Manifest)> {
    let folder = corpus::path("mcp-tools");
    let server = |(server, document): (String, Document)| {
        let tool = |node| {
            let schema = |key| member(node, key).map(|schema| document.text(schema).to_owned());
            let draft = Draft {
                name: contract::name(string(node, "name").unwrap_or_default()),
                description: string(node, "description").map(str::to_owned),
                input: schema("inputSchema"),
                output: schema("outputSchema"),
            };
            contract("server", std::slice::from_ref(&draft)).is_ok().then_some(draft)
        };
        let drafts: Vec<Draft> = elements(member(document.root(), "tools")).iter().filter_map(tool).collect();
        Some((server.clone(), contract(&server, &drafts).ok()?))
    };
    corpus::documents(&folder).unwrap().into_iter().filter_map(server).collect()
}

/// One crate with all contracts. Every second one is used through `include!`.
fn package(name: &str, edition: &str, contracts: &[(String, Manifest)]) -> Package {
    package_with(name, edition, contracts, false)
}

/// Like [`package`]; `calls` adds the items for calls.
fn package_with(name: &str, edition: &str, contracts: &[(String, Manifest)], calls: bool) -> Package {
    let mut root = format!("//! Generated code.\n{LINTS}");
    let mut files = Vec::new();
    for (index, (_, contract)) in contracts.iter().enumerate() {
        let text = if calls { generated_with_calls } else { generated }(contract, Language::Rust);
        root.push_str(&match index % 2 {
            0 => format!("/// Through a path.\n#[path = \"{index}.rs\"]\npub mod m{index};\n"),
            _ => format!("/// Included.\npub mod m{index} {{\ninclude!(\"{index}.rs\");\n}}\n"),
        });
        files.push((format!("{index}.rs"), text));
    }
    // A private module that nothing uses must not cause warnings either.
    let first = contracts.len() - 1;
    root.push_str(&format!("/// Unused.\nmod private {{\ninclude!(\"{first}.rs\");\n}}\n"));
    root.push_str(&format!(
        "/// Noisy.\n#[allow(warnings, unused, unreachable_pub, nonstandard_style, missing_debug_implementations, missing_copy_implementations)]
#[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction, reason = \"noise\")]
pub(crate) mod noisy {{\n{NOISE}\ninclude!(\"0.rs\");\n}}\n"
    ));
    files.push(("lib.rs".to_owned(), root));
    let features: &[&str] = if calls { &["call"] } else { &[] };
    Package::write_with(env!("CARGO_TARGET_TMPDIR"), name, edition, &files, features).unwrap()
}

/// Types that contain each other in chains longer than the compiler's recursion limit.
fn deep() -> (String, Manifest) {
    let chain = |schema: fn(&str) -> String| {
        let definition = |i: usize| format!("\"A{i}\": {}", schema(&format!("#/definitions/A{}", i + 1)));
        let definitions: Vec<String> = (0..300).map(definition).collect();
        let definitions = definitions.join(", ");
        format!(r##"{{"definitions": {{{definitions}, "A300": {{"type": "string"}}}}, "$ref": "#/definitions/A0"}}"##)
    };
    let nested = (0..62).fold(r#"{"type": "string"}"#.to_owned(), |inner, _| {
        format!(r#"{{"type": ["array", "null"], "items": {inner}}}"#)
    });
    let drafts = [
        chain(|next| format!(r#"{{"type": ["array", "null"], "items": {{"$ref": "{next}"}}}}"#)),
        chain(|next| {
            format!(r#"{{"type": "object", "required": ["a"], "properties": {{"a": {{"$ref": "{next}"}}}}}}"#)
        }),
        nested,
    ];
    let drafts: Vec<Draft> = drafts.iter().enumerate().map(|(i, s)| Draft::request(&format!("c{i}"), s)).collect();
    ("deep".to_owned(), contract("deep", &drafts).unwrap_or_else(|f| panic!("{}", contract::summary(&f))))
}

/// Requests and responses that are other names for types: directly, through chains of references, or since only one
/// branch of a union is possible. Several lead to the same type.
fn other_names() -> (String, Manifest) {
    let words = r#"{"oneOf": [{"type": "object", "properties": {"k": false}, "required": ["k"]}, {"const": "a"}, {"const": "b"}]}"#;
    let record =
        r##"{"type": "object", "properties": {"a": {"const": "x"}, "next": {"$ref": "#/definitions/Record"}}}"##;
    let long = "L".repeat(1100);
    let reference = |name: &str| format!(r##"{{"$ref": "#/definitions/{name}"}}"##);
    let definitions = format!(
        r#"{{"Words": {words}, "Record": {record}, "{long}": {record}, "ToWords": {}, "ToToWords": {{"allOf": [{}]}}, "ToLong": {}}}"#,
        reference("Words"),
        reference("ToWords"),
        reference(&long),
    );
    let all_of = |schemas: &[&str]| format!(r#""allOf": [{}]"#, schemas.join(", "));
    let to = |name: &str| all_of(&[&reference(name)]);
    let roots = [
        to("Words"),
        to("ToWords"),
        to("ToToWords"),
        to("Record"),
        to(&long),
        to("ToLong"),
        all_of(&[r#"{"type": "object"}"#, &reference("Record")]),
        all_of(&[r#"{"type": "string"}"#, &reference("Words")]),
        format!(r#""oneOf": [{record}]"#),
        format!(
            r#""oneOf": [{}, {{"type": "object", "required": ["a"], "properties": {{"a": false}}}}]"#,
            reference("Record")
        ),
        format!(r#""anyOf": [{}, false]"#, reference("Words")),
        format!(r#""anyOf": [{}, {{"type": "null"}}]"#, reference("Words")),
        words.trim_matches(['{', '}']).to_owned(),
    ];
    let side = |root: &String| Some(format!(r#"{{"definitions": {definitions}, {root}}}"#));
    let draft = |(index, root): (usize, &String)| {
        let name = format!("c{index}");
        let equal = Draft { name: name.clone(), description: None, input: side(root), output: side(root) };
        let different = roots.iter().cycle().nth(index + 1).and_then(side);
        [equal.clone(), Draft { name: format!("d{index}"), output: different, ..equal }]
    };
    let drafts: Vec<Draft> = roots.iter().enumerate().flat_map(draft).collect();
    ("names".to_owned(), contract("names", &drafts).unwrap_or_else(|f| panic!("{}", contract::summary(&f))))
}

fn all() -> Vec<(String, Manifest)> {
    cases().into_iter().chain([deep()]).collect()
}

#[test]
fn all_output_compiles_without_lint_findings_in_edition_2024() {
    // With the items for calls. Without them, the files have the same items otherwise.
    check_lints("generated-2024", &all().into_iter().chain(hostile_names()).collect::<Vec<_>>());
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn the_output_for_the_corpora_compiles_without_lint_findings() {
    let contracts: Vec<_> = schemas().into_iter().chain(tools()).collect();
    println!("{} contracts", contracts.len());
    check_lints("generated-corpora", &contracts);
}

/// Checks the package of the contracts, in edition 2024.
fn check_lints(name: &str, contracts: &[(String, Manifest)]) {
    let package = package_with(name, "2024", contracts, true);
    if has_clippy() {
        succeed(&mut package.cargo("clippy")).unwrap_or_else(|e| panic!("{e}"));
    } else {
        println!("clippy is not installed, checking with rustc only");
        succeed(&mut package.cargo("check")).unwrap_or_else(|e| panic!("{e}"));
    }
}

#[test]
fn all_output_compiles_in_edition_2021() {
    let package = package("generated-2021", "2021", &all());
    succeed(&mut package.cargo("check")).unwrap_or_else(|e| panic!("{e}"));
}

/// Agents and capabilities whose names are those of types, methods, traits and keywords.
fn hostile_names() -> Vec<(String, Manifest)> {
    let object = r##"{"definitions": {"EchoClient": {"type": "object", "properties": {"a": {"type": "string"}}},
        "PongAgent": {"type": "object", "properties": {"b": {"type": "string"}}}}, "type": "object",
        "properties": {"a": {"$ref": "#/definitions/EchoClient"}, "b": {"$ref": "#/definitions/PongAgent"}}}"##;
    let drafts = |names: &[&str]| {
        let draft =
            |name: &&str| Draft { output: Some(object.to_owned()), ..Draft::request(name, r#"{"type": "string"}"#) };
        names.iter().map(draft).collect::<Vec<_>>()
    };
    let methods = [
        "new",
        "with-options",
        "with_options",
        "clone",
        "type",
        "async",
        "self",
        "Self",
        "crate",
        "gen",
        "a-b",
        "a_b",
        "into",
        "as-ref",
        "eq",
        "drop",
        "borrow",
        "to-string",
        "review-pr",
        "client",
        "options",
        "agent",
        "handlers",
        "shared",
        "call",
        "call-with",
        "call-with-options",
        "type-with",
        "new-with",
        "with",
    ];
    let mut agents = vec![("methods", drafts(&methods)), ("echo", drafts(&["echo", "echo-client"]))];
    agents.extend(
        ["pong", "clone", "send", "sync", "result", "option", "a.b", "a-b", "9", "fn", "handlers", "x.", "std"].map(
            |id| {
                (
                    id,
                    vec![Draft {
                        name: id.replace(['.'], "-"),
                        description: None,
                        input: None,
                        output: Some(object.to_owned()),
                    }],
                )
            },
        ),
    );
    agents.into_iter().map(|(id, drafts)| (id.to_owned(), contract(id, &drafts).unwrap())).collect()
}

#[test]
fn items_for_calls_compile_in_edition_2021_with_any_names() {
    let random = random_names(40).into_iter().map(|contract| (contract.agent.to_string(), contract));
    let contracts: Vec<_> = cases().into_iter().chain(hostile_names()).chain(random).collect();
    let package = package_with("generated-calls-2021", "2021", &contracts, true);
    succeed(&mut package.cargo("check")).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn other_names_for_a_type_implement_its_traits_once() {
    // Alone, too: which side is the first to lead to a type depends on the other capabilities.
    let (name, contract) = other_names();
    let alone = contract.capabilities.iter().map(|capability| {
        let capabilities = vec![capability.clone()];
        (capability.name.to_string(), Manifest { capabilities, ..contract.clone() })
    });
    let mut contracts: Vec<_> = alone.collect();
    contracts.push((name, contract));
    let package = package("generated-names", "2024", &contracts);
    succeed(&mut package.cargo("check")).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn descriptions_contain_no_doc_tests_and_no_links() {
    let hostile: Vec<_> = cases().into_iter().filter(|(id, _)| id.contains("hostile")).collect();
    let package = package("generated-docs", "2024", &hostile);
    let output = succeed(package.cargo("test").arg("--doc")).unwrap_or_else(|e| panic!("{e}"));
    assert!(String::from_utf8_lossy(&output.stdout).contains("running 0 tests"), "{output:?}");
    succeed(package.cargo("doc").arg("--no-deps").env("RUSTDOCFLAGS", "-D warnings")).unwrap_or_else(|e| panic!("{e}"));
}
