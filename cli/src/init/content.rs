//! The texts of the files.

use std::path::Path;

use capgen_codegen::Language;
use capgen_manifest::{Capability, Manifest, Source, listed_agents, load};
use capgen_schema::Schema;

use super::Start;
use crate::failure::Failure;
use crate::generate::DEFAULT_OUT;

/// Schemas that are easy to change: one property of a request, and one of a response.
const SCHEMAS: [&str; 2] = [
    r#"{
        "type": "object",
        "properties": {"text": {"type": "string", "description": "A property of the request."}},
        "required": ["text"],
        "additionalProperties": false
    }"#,
    r#"{
        "type": "object",
        "properties": {"result": {"type": "string", "description": "A property of the response."}},
        "required": ["result"]
    }"#,
];

/// The name of the folder of the schemas for editors.
pub(super) const FOLDER: &str = ".capgen";

/// The comment with which editors find a schema.
fn modeline(schema: &str) -> String {
    format!("yaml-language-server: $schema={schema}")
}

/// The text of the manifest, which loads without a warning. `schema` is the path of its schema for editors.
pub(super) fn manifest(start: &Start, schema: &str) -> Result<String, Failure> {
    let [input, output] = SCHEMAS.map(|text| Schema::parse_text(text).ok());
    let capability = |name: &String| Capability {
        // Without a version, a later change has nothing to raise.
        version: "1.0.0".parse().ok(),
        description: Some("A description of the capability for callers.".to_owned()),
        input: input.clone(),
        output: output.clone(),
        ..Capability::new(name)
    };
    let manifest = Manifest::new(
        start.agent.clone(),
        vec![start.transport.clone()],
        start.capabilities.iter().map(capability).collect(),
    );
    let text = manifest.to_yaml_with_comment(&modeline(schema));
    // The names may be equal or too similar.
    let loaded = load(&Source::new("the new manifest", text.as_str()))?;
    if loaded.warnings.is_empty() { Ok(text) } else { Err(Failure::Findings(loaded.warnings)) }
}

/// The text of `fleet.yaml`, which generates code in `languages` of every agent.
pub(super) fn fleet(start: &Start, schema: &str, languages: &[Language]) -> Result<String, Failure> {
    // An id may be a number in YAML, but needs no escapes.
    let agent = &start.agent;
    let entry = format!("{{ id: \"{agent}\", path: \"agents/{agent}\" }}");
    let names: Vec<&str> = languages.iter().map(|language| language.name()).collect();
    let output = format!("{{ peers: all, lang: [{}], out: {DEFAULT_OUT} }}", names.join(", "));
    let text = format!(
        "# {}\nversion: 1\nagents:\n  - {entry}\n\
         # The code that `{}` generates: an entry for each package of the repository.\n\
         generate:\n  outputs:\n    - {output}\n",
        modeline(schema),
        "capgen gen",
    );
    listed_agents(&Source::new("the new fleet.yaml", text.as_str()))?;
    Ok(text)
}

/// The languages of the packages whose manifests are in the folder of the fleet; all, if there is no package.
pub(super) fn languages(root: &Path) -> Vec<Language> {
    let has = |name: &str| root.join(name).is_file();
    let packages = [(Language::Rust, has("Cargo.toml")), (Language::TypeScript, has("package.json"))];
    let used: Vec<Language> = packages.iter().filter(|(_, is_used)| *is_used).map(|(language, _)| *language).collect();
    if used.is_empty() { packages.map(|(language, _)| language).to_vec() } else { used }
}
