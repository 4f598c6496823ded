//! Builds contracts from schemas.

use crate::random::Random;
use capgen_codegen::{Files, Language, Options, Regenerate, generate_with, shared_files};
use capgen_manifest::{DeclaredError, Diagnostic, LoadedContract, Manifest, Source, load};
use capgen_schema::Schema;

/// A capability of a contract to build. Schemas are JSON texts.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The capability's name; [`name`] converts any text.
    pub name: String,
    /// The `description`.
    pub description: Option<String>,
    /// The `inputSchema`.
    pub input: Option<String>,
    /// The `outputSchema`.
    pub output: Option<String>,
}

impl Draft {
    /// A capability with a request schema and no response schema.
    pub fn request(name: &str, schema: &str) -> Self {
        Self { name: self::name(name), description: None, input: Some(schema.to_owned()), output: None }
    }
}

/// A valid capability name for any text: all characters except letters, digits and `_` become `-`.
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

/// The contract of an agent with these capabilities.
///
/// # Errors
///
/// The findings, if the contract is rejected.
pub fn contract(agent: &str, capabilities: &[Draft]) -> Result<Manifest, Vec<Diagnostic>> {
    loaded(agent, capabilities).map(|loaded| loaded.manifest)
}

/// Like [`contract`], with the text.
///
/// # Errors
///
/// The findings, if the contract is rejected.
pub fn loaded(agent: &str, capabilities: &[Draft]) -> Result<LoadedContract, Vec<Diagnostic>> {
    load(&Source::new("capabilities.json", text(agent, capabilities)))
}

/// The file that is generated in a language with a single file per agent, without the code that it imports.
pub fn generated(contract: &Manifest, language: Language) -> String {
    generated_with(contract, language, &Options::default())
}

/// Like [`generated`], with a client and the items to implement the agent.
pub fn generated_with_calls(contract: &Manifest, language: Language) -> String {
    generated_with(contract, language, &Options { calls: true, ..Options::default() })
}

/// Like [`generated`], with options.
pub fn generated_with(contract: &Manifest, language: Language, options: &Options) -> String {
    own_files(contract, language, options).into_values().collect()
}

/// The files that are generated for an agent alone, without the code that the files of a folder share.
pub fn own_files(contract: &Manifest, language: Language, options: &Options) -> Files {
    let mut files = generate_with(contract, &[language], options, &Regenerate::anywhere(&contract.agent));
    // No id starts with this character.
    files.retain(|name, _| !name.starts_with('_'));
    files
}

/// The text of the file with this extension that generated files import.
///
/// # Panics
///
/// There is no such file.
pub fn shared(extension: &str) -> String {
    let mut files = shared_files(Language::ALL, &Options::default());
    files.remove(&format!("_capgen.{extension}")).unwrap_or_else(|| panic!("no shared file for {extension}"))
}

/// Contracts whose agents, capabilities and definitions have random names of words that generated code uses. Names of
/// capabilities often differ only in punctuation or case. Some capabilities declare errors, of which some are random.
pub fn random_names(count: usize) -> Vec<Manifest> {
    const WORDS: [&str; 22] = [
        "a",
        "b",
        "1",
        "x2",
        "new",
        "type",
        "async",
        "self",
        "clone",
        "client",
        "agent",
        "handlers",
        "call",
        "context",
        "with",
        "options",
        "then",
        "constructor",
        "to",
        "string",
        "transport",
        "result",
    ];
    const JOINTS: [&str; 4] = ["-", "_", "--", ""];
    let mut random = Random::new(12);
    let mut name = |joints: &[&str]| {
        let mut name = (*random.pick(&WORDS)).to_owned();
        for _ in 0..random.below(3) {
            name.push_str(random.pick(joints));
            name.push_str(random.pick(&WORDS));
        }
        name
    };
    let mut of_errors = Random::new(13);
    let mut one = || {
        let agent = name(&["-", ".", "_"]);
        let mut drafts: Vec<Draft> = Vec::new();
        for index in 0..8 {
            let capability = name(&JOINTS);
            if drafts.iter().any(|draft| draft.name.eq_ignore_ascii_case(&capability)) {
                continue;
            }
            let definition: String = name(&[""]).split('-').map(|word| word[..1].to_uppercase() + &word[1..]).collect();
            let object = format!(
                r##"{{"definitions": {{"{definition}": {{"type": "object", "properties": {{"n{index}": {{"type": "string"}}}}}}}},
                "type": "object", "properties": {{"p": {{"$ref": "#/definitions/{definition}"}}}}}}"##
            );
            let output = (index % 2 == 0).then(|| object.clone());
            drafts.push(Draft { output, ..Draft::request(&capability, &object) });
        }
        let mut contract = contract(&agent, &drafts).unwrap_or_else(|findings| panic!("{}", summary(&findings)));
        for (index, capability) in contract.capabilities.iter_mut().enumerate().filter(|(index, _)| index % 2 == 0) {
            let details = capability.input.clone();
            let error = |code: &str, details| {
                let mut error = DeclaredError::new(code);
                error.details = details;
                error
            };
            // The details of one code are equal in all capabilities, those of another one differ, and two have one
            // name.
            let equal = Schema::parse_text(r#"{"type": "string"}"#).ok();
            capability.errors = vec![error("OTHER", equal), error("SELF", details.clone()), error("OTHER_", details)];
            capability.errors.extend((index > 0).then(|| error("NO_DETAILS", None)));
            add_random_errors(&mut of_errors, &mut capability.errors);
        }
        contract
    };
    (0..count).map(|_| one()).collect()
}

/// Adds errors with random codes of words that generated code uses, some of which differ only in `_`, and with random
/// schemas of their details.
fn add_random_errors(random: &mut Random, errors: &mut Vec<DeclaredError>) {
    const WORDS: [&str; 14] = [
        "A", "B2", "CALL", "CLONE", "CODE", "DETAILS", "ERROR", "FAILURE", "FROM", "NEW", "OK", "OTHER", "SELF", "TYPE",
    ];
    const JOINTS: [&str; 3] = ["_", "__", ""];
    for _ in 0..random.below(5) {
        let mut code = random.pick(&WORDS).to_owned();
        for _ in 0..random.below(3) {
            code.push_str(random.pick(&JOINTS));
            code.push_str(random.pick(&WORDS));
        }
        if errors.iter().any(|error| error.code == code) {
            continue;
        }
        let mut error = DeclaredError::new(&code);
        error.description = (random.below(2) == 0).then(|| format!("`{code}` */ \"failed\"\\ {{0}}\n\nAgain."));
        error.retryable = random.below(2) == 0;
        let status = random.below(2) == 0;
        error.status = status.then(|| random.pick(&[DeclaredError::MIN_STATUS, 418, 503, DeclaredError::MAX_STATUS]));
        error.details = match random.below(3) {
            0 => None,
            _ => Schema::parse(&random.schema()).ok(),
        };
        errors.push(error);
    }
}

/// The codes and messages of findings, one per line.
pub fn summary(findings: &[Diagnostic]) -> String {
    let lines: Vec<String> = findings.iter().map(|f| format!("{}: {}", f.code.as_str(), f.message)).collect();
    lines.join("\n")
}
