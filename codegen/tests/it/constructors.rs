//! Constructors of generated Rust: several arguments have names.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use capgen_codegen::{Language, Options, Regenerate, generate_with};
use capgen_manifest::{AgentId, Capability, Manifest, TransportSettings};
use capgen_schema::Schema;

fn generated(agent: &str, schema: &str, language: Language) -> String {
    let call = Capability { input: Some(Schema::parse_text(schema).unwrap()), ..Capability::new("call") };
    let agent = AgentId::new(agent).unwrap();
    let manifest = Manifest::new(agent, vec![TransportSettings::memory("calls")], vec![call]);
    let options = Options { calls: true, ..Options::default() };
    generate_with(&manifest, &[language], &options, &Regenerate::anywhere(&manifest.agent)).into_values().collect()
}

/// A request with these properties, all of them required.
fn request(properties: &[(&str, &str)]) -> String {
    let declared: Vec<String> = properties.iter().map(|(name, schema)| format!("{name:?}: {schema}")).collect();
    let required: Vec<String> = properties.iter().map(|(name, _)| format!("{name:?}")).collect();
    format!(r#"{{"properties": {{{}}}, "required": [{}], "type": "object"}}"#, declared.join(","), required.join(","))
}

const TEXT: &str = r#"{"type": "string"}"#;
const KIND: &str = r#"{"const": "transfer"}"#;
const CHOICE: &str = r#"{"enum": ["a", "b"]}"#;

/// The names of the types that a file declares.
fn types(code: &str) -> Vec<&str> {
    let names = code.lines().filter_map(|line| {
        let line = line.trim_start();
        ["pub struct ", "pub enum ", "pub trait ", "pub type "].iter().find_map(|head| line.strip_prefix(head))
    });
    names.map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap()).collect()
}

#[test]
fn one_argument_has_no_name() {
    let code = generated("bank", &request(&[("kind", KIND), ("to", TEXT)]), Language::Rust);
    assert!(code.contains("pub fn new(to: impl Into<String>) -> Self {"), "{code}");
    assert!(!code.contains("Required"), "{code}");
}

#[test]
fn several_arguments_have_names_and_constants_are_left_out() {
    let code = generated("bank", &request(&[("from", TEXT), ("kind", KIND), ("to", TEXT)]), Language::Rust);
    assert!(code.contains("pub fn new(required: CallRequestRequired) -> Self {"), "{code}");
    let fields = code.split("pub struct CallRequestRequired {").nth(1).unwrap().split('}').next().unwrap();
    assert!(fields.contains("pub from: String,") && fields.contains("pub to: String,"), "{fields}");
    assert!(!fields.contains("kind"), "{fields}");
}

#[test]
fn types_of_different_kinds_have_names_too() {
    let properties = [("amount", r#"{"type": "integer"}"#), ("choice", CHOICE)];
    let code = generated("bank", &request(&properties), Language::Rust);
    assert!(code.contains("pub fn new(required: CallRequestRequired) -> Self {"), "{code}");
}

#[test]
fn names_that_are_taken_get_a_suffix_and_never_rename_a_type() {
    // The type of the property `required` has the name already.
    let of_property = request(&[("required", CHOICE), ("to", TEXT)]);
    // A definition has it.
    let of_definition = format!(
        r##"{{"allOf": [{}], "definitions": {{"CallRequestRequired": {CHOICE}}}}}"##,
        request(&[("from", r##"{"$ref": "#/definitions/CallRequestRequired"}"##), ("to", TEXT)])
    );
    for schema in [&of_property, &of_definition] {
        let code = generated("bank", schema, Language::Rust);
        let names = types(&code);
        assert_eq!(names.len(), names.iter().collect::<BTreeSet<_>>().len(), "{names:?}");
        assert!(code.contains("pub enum CallRequestRequired {"), "{code}");
        assert!(code.contains("pub fn new(required: CallRequestRequiredX"), "{code}");
    }
    // The trait of the agent would have it.
    let code = generated("call-request-required", &request(&[("from", TEXT), ("to", TEXT)]), Language::Rust);
    let names = types(&code);
    assert_eq!(names.len(), names.iter().collect::<BTreeSet<_>>().len(), "{names:?}");
    assert!(code.contains("pub struct CallRequestRequired {"), "{code}");
    assert!(code.contains("pub trait CallRequestRequiredAgent: "), "{code}");
}

#[test]
fn typescript_has_no_names_for_them() {
    let schema = request(&[("from", TEXT), ("to", TEXT)]);
    assert!(!generated("bank", &schema, Language::TypeScript).contains("CallRequestRequired"));
}
