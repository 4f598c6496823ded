//! `capabilities.yaml`: text to model.

mod about;
mod accepted;
pub(crate) mod advice;
mod aliases;
mod capability;
mod definitions;
pub(crate) mod edits;
mod errors;
mod http;
mod inspect;
mod json_notation;
mod names;
mod peers;
mod reader;
mod schema;
mod transport;

use capgen_descriptor::complete_version;
use capgen_schema::{Code, codes as schema_codes};

use crate::document::{is_json, parse_document};
use crate::keys::{self, MANIFEST};
use crate::{
    AcceptedWarning, AgentId, Capability, Data, Diagnostic, LoadedContract, Manifest, Node, Source, Spans,
    accepted_warning, codes, secrets,
};

pub(crate) use capability::class;
pub use inspect::{Inspection, inspect};
use names::Names;
pub use peers::read_peers;
pub(crate) use reader::{Map, Place, Reader, listed};

/// Warnings about the style of a contract. A file that capgen wrote has none of them: its author would
/// have to change the source, which belongs to others if it was imported.
const STYLE: [Code; 7] = [
    schema_codes::ENUM_VALUES,
    schema_codes::UNUSED_DEFINITION,
    schema_codes::BAD_EXAMPLE,
    schema_codes::NEVER_APPLIES,
    schema_codes::UNDECLARED_REQUIRED,
    schema_codes::PATTERN_SLASHES,
    codes::DIFFERENT_DEFINITIONS,
];

/// Reads a `capabilities.yaml` or `capabilities.json`. Takes time linear in the text.
///
/// # Errors
///
/// If one finding is an error, every finding of the whole file in source order, warnings included. A text that is not
/// valid YAML or JSON gives only the findings of [`parse_document`].
pub fn load(source: &Source) -> Result<LoadedContract, Vec<Diagnostic>> {
    read(source, None)
}

/// Reads the file of the agent `id`.
///
/// # Errors
///
/// Those of [`load`], and [`codes::WRONG_AGENT`] if the file names another agent.
pub fn load_peer(source: &Source, id: &AgentId) -> Result<LoadedContract, Vec<Diagnostic>> {
    read(source, Some(id))
}

fn read(source: &Source, expected: Option<&AgentId>) -> Result<LoadedContract, Vec<Diagnostic>> {
    source.hide_with(secrets::in_contract);
    let root = parse_document(source).map_err(|findings| help_for_empty(source, findings, advice::MANIFEST))?;
    let mut reader = Reader::new(source);
    let (manifest, mut accepted) = manifest(&mut reader, &root, expected).unwrap_or_default();
    if let Some(manifest) = manifest.as_ref().filter(|_| !reader.has_failed()) {
        definitions::check(&mut reader, &root, manifest);
    }
    let (findings, failed) = reader.finish(&root);
    match manifest {
        Some(manifest) if !failed => {
            let (file, spans) = (source.path().into(), Spans::new(root));
            let mut warnings = findings;
            if capgen_files::has_mark(source.text().as_bytes()) {
                warnings.retain(|finding| !STYLE.contains(&finding.code));
            }
            accepted_warning::remove(&mut accepted, &mut warnings);
            Ok(LoadedContract { manifest, source: source.clone(), file, spans, warnings, accepted })
        }
        _ => Err(findings),
    }
}

/// Adds the keys that an empty file must have.
pub(crate) fn help_for_empty(source: &Source, mut findings: Vec<Diagnostic>, subject: &str) -> Vec<Diagnostic> {
    let keys = advice::document(subject).unwrap_or_default();
    for finding in findings.iter_mut().filter(|finding| finding.code == codes::EMPTY) {
        let keys = if is_json(source) { json_notation::in_json(keys) } else { keys.to_owned() };
        finding.help = Some(format!("{keys}; `capgen explain {}` shows an example", codes::EMPTY.as_str()));
    }
    findings
}

/// The manifest, and the warnings about it that its author accepts.
type Read = (Option<Manifest>, Vec<AcceptedWarning>);

fn manifest(reader: &mut Reader<'_>, root: &Node, expected: Option<&AgentId>) -> Option<Read> {
    let mut map = reader.map(root, Place::default(), advice::MANIFEST)?;
    reader.only(&mut map, &keys::names(&MANIFEST));
    format_version(reader, &map, true);
    let agent = agent(reader, &map, expected);
    let about = about::read(reader, &map);
    reader.required(&map, "transports");
    reader.not_empty(&map, "transports");
    let transports = reader.elements(&map, "transports");
    let transports = transports.into_iter().filter_map(|(node, place)| transport::read(reader, node, place)).collect();
    let mut inherited = http::Inherited::read(reader, &map);
    reader.required(&map, "capabilities");
    reader.not_empty(&map, "capabilities");
    let elements = reader.elements(&map, "capabilities");
    let mut names = Names::default();
    let mut capabilities: Vec<Capability> = Vec::with_capacity(elements.len());
    for (node, place) in elements {
        capabilities.extend(capability::read(reader, node, place, &mut names, &mut inherited));
    }
    schema::check_patterns(reader, root);
    // A fleet would keep the compiled patterns of all its contracts.
    let schemas = capabilities.iter_mut().flat_map(|Capability { input, output, errors, .. }| {
        [input, output].into_iter().chain(errors.iter_mut().map(|error| &mut error.details))
    });
    reader.patterns.drop_compiled(schemas.flatten());
    let manifest = agent.map(|agent| Manifest { agent, about, transports, capabilities });
    let accepted = accepted::read(reader, &map, manifest.as_ref());
    Some((manifest, accepted))
}

/// Checks the key `version`, the version of the file format.
pub(crate) fn format_version(reader: &mut Reader<'_>, map: &Map<'_>, required: bool) {
    let member = if required { reader.required(map, "version") } else { map.get("version") };
    let Some(member) = member else { return };
    let help = match &member.value.data {
        Data::Number(number, _) if number.as_u64() == Some(1) => return,
        Data::String(text) if text.trim() == "1" => "write `version: 1`, without quotes",
        _ => "write `version: 1`: this is the version of the file format",
    };
    let (text, is_one) = match &member.value.data {
        Data::String(text) => (text.as_str(), text.trim() == "1" || complete_version(text) == complete_version("1")),
        // Another number may be the version of the contract.
        Data::Number(_, text) => (text.as_str(), false),
        _ => ("", false),
    };
    let place = map.below("version");
    let at = (member.value.span.clone(), "");
    let finding = reader.finding(codes::FORMAT_VERSION, "`version` must be the number 1", at, &place).help(help);
    let finding = if text.is_empty() { finding } else { reader.suggest(finding, &member.value.span, text, "1") };
    reader.report(if is_one { finding } else { finding.for_review() });
}

fn agent(reader: &mut Reader<'_>, map: &Map<'_>, expected: Option<&AgentId>) -> Option<AgentId> {
    let member = reader.required(map, "agent")?;
    let text = if let Data::String(text) = &member.value.data { text.as_str() } else { "" };
    let (span, place) = (member.value.span.clone(), map.below("agent"));
    let Some(id) = AgentId::from_uri(text) else {
        let finding = reader.finding(codes::AGENT, "`agent` must be `agent://<id>`", (span, ""), &place);
        let finding = finding.help(advice::agent(text));
        // Spaces and a slash at the end, or another scheme, are not a part of the id.
        let id = AgentId::new(text).or_else(|| AgentId::new(advice::agent_id(text)));
        let uri = id.map(|id| format!("agent://{id}"));
        let finding = uri.iter().fold(finding, |f, uri| reader.suggest_text(f, &member.value.span, text, uri));
        reader.report(if AgentId::new(text).is_some() { finding } else { finding.for_review() });
        return None;
    };
    if let Some(expected) = expected.filter(|&expected| *expected != id) {
        let message = format!("expected the contract of `agent://{expected}`, found that of `agent://{id}`");
        let finding = reader.finding(codes::WRONG_AGENT, message, (span, ""), &place);
        let finding = reader.suggest_text(finding, &member.value.span, text, &format!("agent://{expected}"));
        reader.report(finding.for_review().help("the id of an agent in the fleet must be the id in its file"));
    }
    Some(id)
}
