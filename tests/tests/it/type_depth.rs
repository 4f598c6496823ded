//! Generated code compiles whatever graph the definitions form. rustc follows types into their parts only as deep as
//! the recursion limit allows, so types that are nested more deeply are less precise in Rust, and only there.

use capgen_codegen::Language;
use capgen_tests::contract::{self, Draft, contract, generated};
use capgen_tests::node::{self, Program};
use capgen_tests::rust_package::{Package, succeed};

/// The definitions that definition `i` of `n` refers to.
type Graph = fn(usize, usize) -> Vec<usize>;

const GRAPHS: [(&str, Graph); 3] = [
    ("chain", |i, n| if i + 1 < n { vec![i + 1] } else { Vec::new() }),
    ("ring", |i, n| vec![(i + 1) % n]),
    ("dense", |i, n| vec![(i + 1) % n, (7 * i + 3) % n, (5 * i + 2) % n]),
];

/// The schema of a property that refers to a definition, from its JSON Pointer.
type Link = fn(&str) -> String;

const LINKS: [(&str, Link); 7] = [
    ("reference", |to| format!(r#"{{"$ref": "{to}"}}"#)),
    ("nullable", |to| format!(r#"{{"anyOf": [{{"$ref": "{to}"}}, {{"type": "null"}}]}}"#)),
    ("items", |to| format!(r#"{{"type": "array", "items": {{"$ref": "{to}"}}}}"#)),
    ("tuple", |to| {
        let items = format!(r#"{{"type": "integer", "minimum": 1}}, {{"$ref": "{to}"}}, {{"$ref": "{to}"}}"#);
        format!(r#"{{"type": "array", "items": [{items}], "minItems": 3, "maxItems": 3}}"#)
    }),
    ("rest", |to| {
        format!(r#"{{"type": "array", "items": [{{"type": "integer"}}], "additionalItems": {{"$ref": "{to}"}}}}"#)
    }),
    ("map", |to| format!(r#"{{"type": "object", "additionalProperties": {{"$ref": "{to}"}}}}"#)),
    ("union", |to| format!(r#"{{"oneOf": [{{"$ref": "{to}"}}, {{"type": "string", "minLength": 2}}]}}"#)),
];

fn schema(graph: Graph, link: Link, n: usize) -> String {
    let definition = |i: usize| {
        let property = |to: usize| format!(r#""p{to}": {}"#, link(&format!("#/definitions/d{to}")));
        let mut properties: Vec<String> = graph(i, n).into_iter().map(property).collect();
        properties.sort();
        properties.dedup();
        properties.push(r#""text": {"type": "string"}, "any": {}"#.to_owned());
        format!(r#""d{i}": {{"type": "object", "properties": {{{}}}}}"#, properties.join(", "))
    };
    let definitions: Vec<String> = (0..n).map(definition).collect();
    // The root is in the middle: rustc may start with any type.
    format!(
        r##"{{"definitions": {{{}}}, "type": "object", "properties": {{"first": {{"$ref": "#/definitions/d{}"}},
        "second": {{"$ref": "#/definitions/d0"}}}}}}"##,
        definitions.join(", "),
        n / 2
    )
}

fn drafts() -> Vec<Draft> {
    let mut drafts = Vec::new();
    for (graph_name, graph) in GRAPHS {
        for (link_name, link) in LINKS {
            // References overflow at other sizes than collections.
            let sizes: &[usize] = match link_name {
                "reference" => &[66, 95],
                "nullable" => &[66],
                _ => &[40],
            };
            for n in sizes {
                drafts.push(Draft::request(&format!("{graph_name}-{link_name}-{n}"), &schema(graph, link, *n)));
            }
        }
    }
    let nested = (0..62).fold(r#"{"type": "string", "minLength": 1}"#.to_owned(), |inner, _| {
        format!(r#"{{"type": "array", "uniqueItems": true, "items": {inner}}}"#)
    });
    drafts.push(Draft::request("nested", &nested));
    drafts
}

/// Uses each type in the ways in which rustc follows it into its parts.
fn uses(text: &str) -> String {
    let names = text.lines().filter_map(|line| {
        let line = line.trim_start();
        let rest = line.strip_prefix("pub struct ").or_else(|| line.strip_prefix("pub enum "))?;
        rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
    });
    let uses = names.enumerate().map(|(i, name)| {
        format!(
            "fn u{i}(x: m::{name}) -> impl Send {{ thread::<m::{name}>(); let y = x.clone(); \
             let z = format!(\"{{y:?}}{{}}\", x == y); async move {{ async {{}}.await; (x, z) }} }}\n"
        )
    });
    let head = "fn thread<T: Send + Sync + Unpin + std::panic::UnwindSafe + std::panic::RefUnwindSafe>() {}\n";
    head.to_owned() + &uses.collect::<String>()
}

#[test]
fn types_in_long_chains_rings_and_dense_graphs_compile() {
    let mut root = "#![allow(dead_code, clippy::all)]\n".to_owned();
    let mut files = Vec::new();
    for (index, draft) in drafts().into_iter().enumerate() {
        let name = draft.name.clone();
        let contract = contract(&name, &[draft]).unwrap_or_else(|f| panic!("{}", contract::summary(&f)));
        let text = generated(&contract, Language::Rust);
        root.push_str(&format!(
            "/// {name}\nmod a{index} {{\nmod m {{ include!(\"{index}.rs\"); }}\n{} }}\n",
            uses(&text)
        ));
        files.push((format!("{index}.rs"), text));
    }
    files.push(("lib.rs".to_owned(), root));
    let package = Package::write(env!("CARGO_TARGET_TMPDIR"), "type-depth", "2024", &files).unwrap();
    succeed(&mut package.cargo("build")).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn types_in_long_chains_rings_and_dense_graphs_are_precise_in_typescript() {
    let mut files = Vec::new();
    for (index, draft) in drafts().into_iter().enumerate() {
        let name = draft.name.clone();
        let contract = contract(&name, &[draft]).unwrap_or_else(|f| panic!("{}", contract::summary(&f)));
        let text = generated(&contract, Language::TypeScript);
        // The properties `any` and the responses have no schema.
        let has_no_schema = |line: &str| line.contains("any?: unknown") || line.ends_with("Response = unknown;");
        let imprecise = |line: &&str| line.contains("unknown") && !has_no_schema(line);
        let types = text.lines().take_while(|line| !line.starts_with("export interface"));
        assert_eq!(types.filter(imprecise).collect::<Vec<_>>(), [""; 0], "{name}");
        files.push((format!("{index}.ts"), text));
    }
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let errors = node.tsc_check_all(&[Program { files, options: node::strictest() }]).unwrap();
    assert!(errors.iter().all(Vec::is_empty), "{errors:?}");
}
