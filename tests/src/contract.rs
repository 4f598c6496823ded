//! Contracts made of schemas.

use capgen_codegen::{Language, generate};
use capgen_manifest::{Diagnostic, Manifest, Source, load};

/// One capability of a contract to be; schemas are JSON texts.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The capability's name; [`name`] makes one of any text.
    pub name: String,
    /// The `description`, where there is one.
    pub description: Option<String>,
    /// The `inputSchema`, where there is one.
    pub input: Option<String>,
    /// The `outputSchema`, where there is one.
    pub output: Option<String>,
}

impl Draft {
    /// A capability with one schema, that of its request.
    pub fn request(name: &str, schema: &str) -> Self {
        Self { name: self::name(name), description: None, input: Some(schema.to_owned()), output: None }
    }
}

/// A text as a capability's name: other characters than letters, digits and `_` become `-`.
pub fn name(text: &str) -> String {
    let name: String = text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
    let name = name.trim_start_matches(['-', '_']);
    if name.is_empty() { "x".to_owned() } else { name.to_owned() }
}

/// The text of a `capabilities.json`.
pub fn text(agent: &str, capabilities: &[Draft]) -> String {
    let string = |text: &str| serde_json::Value::from(text).to_string();
    let capability = |draft: &Draft| {
        let mut members = vec![format!(r#""name": {}"#, string(&draft.name))];
        members.extend(draft.description.iter().map(|text| format!(r#""description": {}"#, string(text))));
        members.extend(draft.input.iter().map(|schema| format!(r#""inputSchema": {schema}"#)));
        members.extend(draft.output.iter().map(|schema| format!(r#""outputSchema": {schema}"#)));
        format!("{{{}}}", members.join(", "))
    };
    let capabilities: Vec<String> = capabilities.iter().map(capability).collect();
    format!(
        r#"{{"version": 1, "agent": "agent://{agent}",
"transports": [{{"kind": "memory", "topics": {{"requests": "agents.{agent}.requests"}}}}],
"capabilities": [{}]}}"#,
        capabilities.join(",\n")
    )
}

/// A contract of the agent `agent`.
///
/// # Errors
///
/// The findings, where the contract is refused.
pub fn contract(agent: &str, capabilities: &[Draft]) -> Result<Manifest, Vec<Diagnostic>> {
    load(&Source::new("capabilities.json", text(agent, capabilities))).map(|loaded| loaded.manifest)
}

/// The one file that is generated in a language.
pub fn generated(contract: &Manifest, language: Language) -> String {
    generate(contract, &[language]).into_values().collect()
}

/// The codes and messages of findings, one a line.
pub fn summary(findings: &[Diagnostic]) -> String {
    let lines: Vec<String> = findings.iter().map(|f| format!("{}: {}", f.code.as_str(), f.message)).collect();
    lines.join("\n")
}
