//! Generated Rust is formatted as `prettyplease` formats it, at every width and with any text.
//!
//! More precisely: the `use` and the `mod` with their attributes are formatted as `prettyplease` prints them, with an
//! empty line between the two. Each item of the module is formatted as `prettyplease` prints that item alone, indented
//! by four spaces, with an empty line between items. The same applies to the items of the inner module. The lines of a
//! raw string, which are the text of a schema, are not indented.

use std::path::{Path, PathBuf};

use capgen_codegen::{Language, Options, RuntimePath};
use capgen_manifest::{Manifest, load, read_source};
use capgen_tests::contract::{Draft, contract, generated_with};
use capgen_tests::folder;
use serde_json::{Map, Value, json};
use syn::{File, Item};

/// One item as `prettyplease` prints it.
fn item(item: Item) -> String {
    prettyplease::unparse(&File { shebang: None, frontmatter: None, attrs: Vec::new(), items: vec![item] })
}

/// Items inside the module with this head, with an empty line between them.
fn members(head: &str, items: Vec<Item>) -> String {
    let inside = |item: Item| {
        let module = Item::Mod(syn::ItemMod {
            content: Some((Default::default(), vec![item])),
            ..syn::parse_quote!(
                mod m {}
            )
        });
        let text = self::item(module);
        text.strip_prefix("mod m {\n").unwrap().strip_suffix("}\n").unwrap().to_owned()
    };
    format!("{head}{}}}\n", items.into_iter().map(inside).collect::<Vec<_>>().join("\n"))
}

/// An item of the module of a generated file.
fn member(member: Item) -> String {
    match member {
        Item::Mod(mut module) => {
            let (brace, items) = module.content.take().unwrap();
            let empty = item(Item::Mod(syn::ItemMod { content: Some((brace, Vec::new())), ..module }));
            members(&format!("{}{{\n", empty.strip_suffix("{}\n").unwrap()), items)
        }
        other => item(other),
    }
}

/// The text, indented by four spaces outside raw strings.
fn indented(text: &str) -> String {
    let mut is_raw = false;
    let line = |line: &str| {
        let indented = format!("{}{line}\n", if is_raw || line.is_empty() { "" } else { "    " });
        is_raw = (is_raw || line.contains("= r#")) && !line.ends_with("#;");
        indented
    };
    text.lines().map(line).collect()
}

/// A generated file in the expected format.
fn formatted(text: &str) -> String {
    let header = text.find("\n\n").map_or(0, |end| end + 2);
    let file = syn::parse_file(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let Ok([export, Item::Mod(mut module)]) = <[Item; 2]>::try_from(file.items) else { panic!("no module") };
    let (brace, items) = module.content.take().unwrap();
    let empty = item(Item::Mod(syn::ItemMod { content: Some((brace, Vec::new())), ..module }));
    let head = empty.strip_suffix("}\n").unwrap();
    let items: Vec<String> = items.into_iter().map(|item| indented(&member(item))).collect();
    format!("{}{}\n{head}\n{}}}\n", &text[..header], item(export), items.join("\n"))
}

fn check(contract: &Manifest) {
    check_with(contract, RuntimePath::default());
}

fn check_with(contract: &Manifest, runtime_path: RuntimePath) {
    // The items for calls are in the same file, after the types.
    let options = Options { calls: true, runtime_path, ..Options::default() };
    let text = generated_with(contract, Language::Rust, &options);
    let expected = formatted(&text);
    if text != expected {
        let differing = text.lines().zip(expected.lines()).position(|(a, b)| a != b).unwrap_or_default();
        let lines = |text: &str| text.lines().skip(differing.saturating_sub(3)).take(12).collect::<Vec<_>>().join("\n");
        panic!("printed:\n{}\n\nexpected:\n{}", lines(&text), lines(&expected));
    }
}

fn check_file(path: &Path) {
    check(&load(&read_source(path, &path.to_string_lossy()).unwrap()).unwrap().manifest);
}

fn contracts_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("node_modules") && !path.ends_with("target") {
            contracts_below(&path, found);
        } else if path.file_name().is_some_and(|name| name == "capabilities.yaml") {
            found.push(path);
        }
    }
}

#[test]
fn every_case_and_every_example_is_formatted() {
    let mut found = Vec::new();
    contracts_below(&folder().join("cases"), &mut found);
    contracts_below(&folder().join("../examples"), &mut found);
    assert!(found.len() > 20);
    found.iter().for_each(|path| check_file(path));
}

/// A text of that length: small letters, with capitals at the starts of words.
fn name(start: &str, length: usize) -> String {
    start.chars().chain("bcdefgHijklm".chars().cycle()).take(length.max(start.len())).collect()
}

/// A request with every kind of type and rule, in which names and texts have `length` characters.
fn everything(length: usize) -> Value {
    let text = |start: &str| name(start, length);
    let object = |tag: &str, more: &str| {
        let name = text(more);
        json!({"type": "object", "required": [text("t"), name], "additionalProperties": false,
            "properties": {text("t"): {"const": text(tag)}, name: {"type": "string"}}})
    };
    let mut properties = Map::new();
    let mut add = |schema: Value| {
        let name = name(&format!("p{}x", properties.len()), length);
        properties.insert(name, schema);
    };
    add(json!({"type": "string", "description": text("d")}));
    add(json!({"enum": [text("a"), text("b"), text("c")]}));
    add(json!({"enum": [1, text("a"), null]}));
    add(json!({"const": text("only")}));
    add(json!({"type": ["string", "null"]}));
    add(json!({"oneOf": [object("a", "x"), object("b", "y"), object("c", "z")]}));
    add(json!({"oneOf": [object("a", "x"), {"type": "string"}, {"type": "array", "items": {}}, {"type": "boolean"}]}));
    add(json!({"anyOf": [{"type": "object", "properties": {text("u"): {"type": "integer"}}}, {"type": "object"}]}));
    add(json!({"type": "array", "items": {"$ref": format!("#/definitions/{}", text("d"))}}));
    add(json!({"type": ["array", "null"], "items": {"type": ["array", "null"], "items": {"type": ["array", "null"],
        "items": {"type": "object", "additionalProperties": {"enum": [text("k"), text("l")]}}}}}));
    add(json!({"type": "object", "additionalProperties": {"type": "integer"}, "properties": {text("m"): false}}));
    add(json!({"type": "object", "additionalProperties": false, "properties": {}}));
    add(json!({"type": "string", "minLength": 1, "maxLength": 80}));
    add(json!({"type": "string", "pattern": text("p")}));
    add(json!({"type": ["string", "null"], "pattern": text("p"), "format": "uri-reference", "maxLength": 7}));
    add(json!({"type": "string", "format": "date-time"}));
    add(json!({"type": "integer", "minimum": 3, "exclusiveMaximum": 12_345_678}));
    add(json!({"type": "number", "exclusiveMinimum": -0.5, "maximum": 1e300}));
    add(
        json!({"type": "array", "uniqueItems": true, "minItems": 1, "items": {"type": "string", "pattern": text("q")}}),
    );
    add(
        json!({"type": ["array", "null"], "items": {"type": "array", "maxItems": 9, "items": {"type": "number", "minimum": 0}}}),
    );
    add(
        json!({"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer", "minimum": -1}}}),
    );
    add(
        json!({"type": "object", "properties": {text("v"): {}}, "additionalProperties": {"type": "string", "maxLength": 5}}),
    );
    add(json!({"type": "object", "properties": {text("w"): {}}, "not": {"properties": {text("w"): {"type": "null"}}}}));
    add(json!({"enum": [text("a"), text("b")], "minLength": 2}));
    add(json!({"enum": [1, text("a")], "minLength": 2}));
    add(json!({"allOf": [{"type": "string", "pattern": text("r")}, {"pattern": text("s")}]}));
    add(json!({"oneOf": [{"type": "string", "minLength": 2}, {"type": "integer", "minimum": 5}, object("a", "x")]}));
    let required: Vec<&String> = properties.keys().step_by(2).collect();
    let recursive = format!("#/definitions/{}", text("r"));
    json!({"type": "object", "required": required, "properties": properties, "definitions": {
        text("d"): {"type": "object", "properties": {text("d"): {"$ref": format!("#/definitions/{}", text("d"))}}},
        text("r"): {"type": "array", "items": {"$ref": recursive}},
        text("n"): {"type": "object", "properties": {}, "additionalProperties": {"type": "string"}},
    }})
}

// Lines are broken depending on their length, so every length up to the margin is tried.
#[test]
fn names_and_texts_of_every_length_are_formatted() {
    for length in 1..=96 {
        let draft = Draft {
            name: name("q", length.min(64)),
            description: Some(name("", length)),
            input: Some(everything(length).to_string()),
            output: (length % 2 == 0).then(|| everything(97 - length).to_string()),
        };
        check(&contract(&name("r", length), &[draft]).unwrap_or_else(|findings| panic!("{findings:?}")));
    }
}

#[test]
fn paths_of_the_runtime_of_every_length_are_formatted() {
    let draft = Draft {
        name: "q".to_owned(),
        description: None,
        input: Some(everything(20).to_string()),
        output: Some(everything(1).to_string()),
    };
    let contract = contract("r", &[draft]).unwrap_or_else(|findings| panic!("{findings:?}"));
    for length in 1..=96 {
        check_with(&contract, RuntimePath::new(&format!("::{}", name("a", length))).unwrap());
        check_with(&contract, RuntimePath::new(&format!("crate::{}::r#gen", name("a", length))).unwrap());
    }
}

/// Different numbers of tags, enum members and types, so that patterns and lists need more than one line.
#[test]
fn lists_of_every_length_are_formatted() {
    for count in 1..=16 {
        let letters = |prefix: &str| (0..count).map(|n| format!("{prefix}{n}")).collect::<Vec<_>>();
        let numbers: Vec<Value> = (0..count).map(|n| json!(n * 1_000_003)).collect();
        let branch = |tags: Value, name: &str| json!({"type": "object", "required": ["tag"], "properties": {"tag": {"enum": tags}, name: {"type": "string"}}});
        let types = ["string", "boolean", "array", "number", "null"];
        let schemas = [
            json!({"oneOf": [branch(json!(letters("a")), "x"), branch(json!(letters("some-b")), "y")]}),
            json!({"oneOf": [branch(json!(numbers), "x"), branch(json!(letters("b")), "y")]}),
            json!({"enum": letters("value-")}),
            json!({"type": &types[..count.min(5)]}),
            json!({"oneOf": [{"type": &types[..count.min(5)]}, {"type": "object"}]}),
            json!({"type": "object", "required": letters("p"),
                "properties": letters("p").iter().map(|p| (p.clone(), json!({"type": "boolean"}))).collect::<Map<_, _>>(),
                "additionalProperties": {"type": "string"}}),
        ];
        let drafts: Vec<Draft> =
            schemas.iter().enumerate().map(|(n, s)| Draft::request(&format!("c{n}"), &s.to_string())).collect();
        check(&contract("a", &drafts).unwrap_or_else(|findings| panic!("{findings:?}")));
    }
}

// Records with more than 64 properties are read in parts.
#[test]
fn wide_records_and_long_enums_are_formatted() {
    for (count, length) in [(65, 1), (129, 5), (130, 40), (200, 68), (150, 75), (150, 80), (150, 85), (150, 96)] {
        let names: Vec<String> = (0..count).map(|n| name(&format!("p{n}x"), length)).collect();
        let schema = |n: usize| match n % 5 {
            0 => json!({"type": "string"}),
            1 => json!({"type": ["string", "null"], "maxLength": 3}),
            2 => {
                json!({"type": "array", "items": {"type": "object", "additionalProperties": {"type": ["array", "null"]}}})
            }
            3 => json!({"type": "integer", "minimum": n}),
            _ => json!({"enum": ["a", "b"]}),
        };
        let properties: Map<_, _> = names.iter().enumerate().map(|(n, name)| (name.clone(), schema(n))).collect();
        let required: Vec<&String> = names.iter().filter(|name| name.len() % 2 == 0 || name.contains('7')).collect();
        let record =
            json!({"type": "object", "properties": properties, "required": required, "additionalProperties": {}});
        let values: Vec<String> = (0..257).map(|n| name(&format!("v{n}x"), length)).collect();
        let drafts = [
            Draft::request("record", &record.to_string()),
            Draft::request("texts", &json!({"enum": values}).to_string()),
            Draft::request("numbers", &json!({"enum": (0..300).collect::<Vec<_>>()}).to_string()),
        ];
        check(&contract("a", &drafts).unwrap_or_else(|findings| panic!("{findings:?}")));
    }
}

#[test]
fn types_of_any_depth_are_formatted() {
    for depth in 1..=24 {
        let schema = (0..depth).fold(json!({"type": "string"}), |item, n| match n % 3 {
            0 => json!({"type": ["array", "null"], "items": item}),
            1 => json!({"type": "object", "additionalProperties": item}),
            _ => json!({"type": "array", "items": item}),
        });
        let schema = json!({"type": "object", "required": ["p"], "properties": {"p": schema, "q": schema, "r": {
            "anyOf": [schema, {"type": "array", "items": schema}]}}});
        check(&contract("a", &[Draft::request("c", &schema.to_string())]).unwrap());
    }
}

#[test]
fn output_with_any_characters_is_formatted() {
    let texts: Vec<String> = (0..0x3000u32)
        .chain(0x1_f300..0x1_f320)
        .filter_map(char::from_u32)
        .collect::<Vec<_>>()
        .chunks(97)
        .map(|chunk| chunk.iter().collect())
        .chain(["*/ \"; /*".to_owned(), "/// x\n//! y".to_owned(), "\u{0}7\u{0}8\\".to_owned(), " / x  ".to_owned()])
        .collect();
    for text in texts {
        let schema = json!({"type": "object", "description": text, "required": [text],
            "properties": {text.clone(): {"enum": [text, "b"], "description": text}}});
        let draft = Draft { description: Some(text), ..Draft::request("c", &schema.to_string()) };
        check(&contract("a", &[draft]).unwrap_or_else(|findings| panic!("{findings:?}")));
    }
}
