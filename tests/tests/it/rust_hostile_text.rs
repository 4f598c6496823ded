//! A peer's text never becomes code: the output for hostile text has the same items as the output for harmless text.

use capgen_codegen::Language;
use capgen_tests::contract::{Draft, contract, generated};
use quote::ToTokens as _;
use syn::{Attribute, Fields, Item, Meta};

const HOSTILE: [&str; 22] = [
    "*/ pub fn evil() {} /*",
    "\"; pub fn evil() {} //",
    "\"#; pub fn evil() {} //",
    "\\\"; pub fn evil() {} //",
    "\n} pub fn evil() {}",
    "\r\npub fn evil() {}\r\n",
    "\rpub fn evil() {}",
    "\u{2028}pub fn evil() {}\u{2029}pub fn worse() {}",
    "\u{85}pub fn evil() {}",
    "\u{0}\u{1}\u{7f}",
    "\u{202e}} lanretxe\u{2066}",
    "#![allow(x)]\n#[cfg(test)] mod evil {}",
    "//! evil",
    "/** evil */",
    "```\nfn main() { panic!() }\n```",
    "    fn main() { panic!() }",
    "-\tfn main() {}",
    "{} {0} ${x} %s \\u{41} \\n \\",
    "include!(\"/etc/passwd\")",
    "'\\'' r#\"x\"# b\"y\" c'z",
    "\u{feff}\u{200b}\u{ad}",
    "Self super crate self type r#async",
];

/// A file's items and their attributes, including those of fields and variants, without the text of documentation.
fn outline(text: &str) -> Vec<String> {
    let file = syn::parse_file(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert!(file.attrs.is_empty() && file.shebang.is_none());
    let mut lines = Vec::new();
    outline_items(&file.items, &mut lines);
    lines
}

fn outline_items(items: &[Item], lines: &mut Vec<String>) {
    for item in items {
        match item {
            Item::Mod(module) => {
                lines.push(format!("mod {:?}", attributes(&module.attrs)));
                outline_items(&module.content.as_ref().unwrap().1, lines);
            }
            item => lines.push(describe(item)),
        }
    }
}

fn attributes(attrs: &[Attribute]) -> Vec<String> {
    let mut attributes: Vec<String> = attrs
        .iter()
        .map(|attr| match &attr.meta {
            Meta::NameValue(doc) if doc.path.is_ident("doc") => "doc".to_owned(),
            meta => meta.to_token_stream().to_string(),
        })
        .collect();
    attributes.dedup();
    attributes
}

fn describe(item: &Item) -> String {
    let fields = |fields: &Fields| fields.iter().map(|field| attributes(&field.attrs)).collect::<Vec<_>>();
    match item {
        Item::Struct(item) => format!("struct {:?} {:?}", attributes(&item.attrs), fields(&item.fields)),
        Item::Enum(item) => {
            let variants: Vec<_> = item.variants.iter().map(|v| (attributes(&v.attrs), fields(&v.fields))).collect();
            format!("enum {:?} {variants:?}", attributes(&item.attrs))
        }
        Item::Impl(item) => {
            let of = item.trait_.as_ref().map(|(path, _)| path.segments.last().unwrap().ident.to_string());
            format!("impl {of:?} {}", item.items.len())
        }
        Item::Macro(item) => format!("macro {}", item.mac.path.to_token_stream()),
        Item::Const(item) => format!("const {}", item.ident),
        Item::Static(item) => format!("static {}", item.ident),
        Item::Type(item) => format!("type {}", item.ty.to_token_stream()),
        Item::Use(_) => "use".to_owned(),
        other => panic!("{}", other.to_token_stream()),
    }
}

/// The generated Rust for a contract with the text in every place that allows free text.
fn output(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    let other = serde_json::Value::from(format!("{text}.")).to_string();
    let schema = format!(
        r##"{{"title": {json}, "description": {json}, "$comment": {json}, "default": {json}, "examples": [{json}],
            "definitions": {{{json}: {{"type": "object", "description": {json}, "required": ["kind"],
              "properties": {{"kind": {{"const": {json}}}, "a": {{"enum": [{json}, 1, [{json}]]}}}}}}}},
            "type": "object", "additionalProperties": {{"enum": [{json}, {other}]}}, "properties": {{
              {json}: {{"description": {json}, "type": "string"}},
              "one": {{"description": {json}, "oneOf": [
                {{"type": "object", "required": [{json}], "properties": {{{json}: {{"const": {json}}}}}}},
                {{"type": "object", "required": [{json}], "properties": {{{json}: {{"const": {other}}}}}}}]}},
              "ref": {{"$ref": "#/definitions/{}"}}}}}}"##,
        pointer_token(text),
    );
    let draft = Draft {
        name: "c".to_owned(),
        description: Some(text.to_owned()),
        input: Some(schema.clone()),
        output: Some(schema),
    };
    let contract = contract("agent", &[draft]).unwrap_or_else(|e| panic!("{text:?}\n{e:#?}"));
    generated(&contract, Language::Rust)
}

/// The text as a reference token of a JSON Pointer in a URI fragment.
fn pointer_token(text: &str) -> String {
    let token = text.replace('~', "~0").replace('/', "~1");
    token
        .bytes()
        .map(|b| if b.is_ascii_alphanumeric() || b == b'~' { char::from(b).into() } else { format!("%{b:02X}") })
        .collect()
}

#[test]
fn hostile_text_does_not_change_the_generated_items() {
    let harmless = outline(&output("harmless"));
    assert!(harmless.len() > 20);
    for text in HOSTILE {
        assert_eq!(outline(&output(text)), harmless, "{text:?}");
    }
}

#[test]
fn hostile_text_never_becomes_a_doc_test() {
    for text in HOSTILE {
        let output = output(text);
        for line in output.lines().filter_map(|line| line.trim_start().strip_prefix("///")) {
            let content = line.strip_prefix(' ').unwrap_or(line);
            let fence = content.contains("```") || content.contains("~~~");
            // Rustdoc also runs indented code blocks.
            let indented = content.contains("  ") || content.contains('\t');
            assert!(!fence && !indented, "{line:?}");
        }
    }
}
