//! `fleet.yaml`: the ids of the agents, their paths, and the options of generated code.

use std::collections::BTreeMap;
use std::ops::Range;

use super::access::{FleetGrant, FleetKey, read_grants, read_keys};
use super::calls::{FleetCalls, read_calls};
use super::outputs::{FleetOutput, read_outputs};
use crate::document::parse_document;
use crate::keys::{AGENT, FLEET, GENERATE, names};
use crate::read::{Map, Place, Reader, advice, class, format_version, help_for_empty};
use crate::{
    AgentId, Data, Diagnostic, ImportExtension, InvalidRuntimePath, Node, OptionValue, Options, RuntimePath, Source,
    codes, secrets,
};

/// A path in `fleet.yaml`.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    /// Relative to the folder of `fleet.yaml`. It may lead out of that folder, because users write the file themselves.
    pub(crate) path: String,
    /// The span of the path in the file.
    pub(crate) span: Range<usize>,
}

/// The parts of `fleet.yaml` that are read here.
#[derive(Debug, Default)]
pub(crate) struct FleetFile {
    /// The path of each agent by its id.
    pub(crate) agents: BTreeMap<AgentId, Listed>,
    pub(crate) options: Options,
    /// With paths relative to the folder of the file.
    pub(crate) outputs: Vec<FleetOutput>,
    pub(crate) calls: FleetCalls,
    /// The path of the file of accepted findings.
    pub(crate) accepted: Option<Listed>,
    pub(crate) keys: Vec<FleetKey>,
    pub(crate) grants: Option<BTreeMap<AgentId, FleetGrant>>,
    /// `name` and `description`, if they are strings.
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
}

/// Reads a `fleet.yaml`.
///
/// # Errors
///
/// Every finding in source order.
pub(crate) fn read_fleet(source: &Source) -> Result<FleetFile, Vec<Diagnostic>> {
    source.hide_with(secrets::in_fleet);
    let root = parse_document(source).map_err(|findings| help_for_empty(source, findings, advice::FLEET))?;
    let mut reader = Reader::new(source);
    let mut agents = Agents::default();
    let (mut options, mut outputs) = (Options::default(), Vec::new());
    let (mut calls, mut accepted) = (FleetCalls::default(), None);
    let (mut keys, mut grants) = (Vec::new(), None);
    let (mut name, mut description) = (None, None);
    if let Some(mut map) = reader.map(&root, Place::default(), advice::FLEET) {
        reader.only(&mut map, &names(&FLEET));
        format_version(&mut reader, &map, false);
        // A package of one agent's callers may have the file only for its outputs.
        if map.get("generate").is_none() {
            reader.required(&map, "agents");
        }
        let text = |key| match &map.get(key)?.value.data {
            Data::String(text) => Some(text.clone()),
            _ => None,
        };
        (name, description) = (text("name"), text("description"));
        for (node, place) in reader.elements(&map, "agents") {
            agents.read(&mut reader, node, place);
        }
        if let Some(member) = map.get("generate") {
            outputs = read_generate(&mut reader, &member.value, map.below("generate"), &mut options);
        }
        if let Some(member) = map.get("calls") {
            (calls, accepted) = read_calls(&mut reader, &member.value, map.below("calls"));
        }
        keys = read_keys(&mut reader, &map);
        if let Some(member) = map.get("grants") {
            grants = Some(read_grants(&mut reader, &member.value, map.below("grants")));
        }
    }
    let (findings, failed) = reader.finish(&root);
    if failed {
        return Err(findings);
    }
    Ok(FleetFile { agents: agents.paths, options, outputs, calls, accepted, keys, grants, name, description })
}

/// The agents that the text of a `fleet.yaml` lists, each with its path relative to the folder of that file, sorted by
/// id. For a fleet in a folder, use [`Fleet`](crate::Fleet).
///
/// # Errors
///
/// Every finding in source order.
pub fn listed_agents(source: &Source) -> Result<Vec<(AgentId, String)>, Vec<Diagnostic>> {
    Ok(read_fleet(source)?.agents.into_iter().map(|(id, listed)| (id, listed.path)).collect())
}

/// The key `generate`: the options of all generated code, and the outputs.
fn read_generate(reader: &mut Reader<'_>, node: &Node, place: Place, options: &mut Options) -> Vec<FleetOutput> {
    let Some(mut map) = reader.map(node, place, "`generate`") else { return Vec::new() };
    let keys: Vec<&str> = Options::TABLE.iter().map(|row| row.key).chain(names(&GENERATE)).collect();
    reader.only(&mut map, &keys);
    read_options(reader, &map, options);
    read_outputs(reader, &map, options)
}

/// The options of generated code that a mapping sets.
pub(super) fn read_options(reader: &mut Reader<'_>, map: &Map<'_>, options: &mut Options) {
    for row in Options::TABLE {
        match row.value {
            OptionValue::Switch { set, .. } => {
                if let Some(value) = reader.boolean(map, row.key) {
                    set(options, value);
                }
            }
            OptionValue::Extension { set, .. } => {
                let values = ImportExtension::ALL.map(|extension| (extension.name(), extension));
                if let Some(value) = class(reader, map, row.key, values) {
                    set(options, value);
                }
            }
            OptionValue::Path { set, .. } => {
                if let Some(value) = runtime_path(reader, map, row.key) {
                    set(options, value);
                }
            }
        }
    }
}

fn runtime_path(reader: &mut Reader<'_>, map: &Map<'_>, key: &str) -> Option<RuntimePath> {
    let text = reader.text(map, key)?;
    let span = &map.get(key)?.value.span;
    match RuntimePath::new(text) {
        Ok(path) => Some(path),
        Err(error) => {
            let at = (span.clone(), error.reason());
            let message = format!("`{key}` is not an absolute path of Rust");
            let finding = reader.finding(codes::RUNTIME_PATH, message, at, &map.below(key));
            // Without a correction, which would display a value of which the rest of the finding shows nothing.
            reader.report(finding.help(InvalidRuntimePath::EXPECTED));
            None
        }
    }
}

#[derive(Default)]
struct Agents {
    paths: BTreeMap<AgentId, Listed>,
    seen: BTreeMap<AgentId, Range<usize>>,
}

impl Agents {
    fn read(&mut self, reader: &mut Reader<'_>, node: &Node, place: Place) {
        let Some(mut map) = reader.map(node, place, "an agent") else { return };
        reader.only(&mut map, &names(&AGENT));
        let id = reader.required(&map, "id").and_then(|_| agent_id(reader, &map, "id"));
        let path = path(reader, &map);
        let Some((id, span)) = id else { return };
        if let Some(first) = self.seen.get(&id) {
            let message = format!("duplicate agent `{id}`");
            let finding = reader.finding(codes::DUPLICATE_AGENT, message, (span, "again here"), &map.below("id"));
            reader.report(finding.at(reader.source, first.clone(), "first here"));
            return;
        }
        self.seen.insert(id.clone(), span);
        self.paths.extend(path.map(|path| (id, path)));
    }
}

/// The id of an agent at a key, without `agent://`, and its span.
pub(super) fn agent_id(reader: &mut Reader<'_>, map: &Map<'_>, key: &str) -> Option<(AgentId, Range<usize>)> {
    let member = map.get(key)?;
    let text = reader.text(map, key)?;
    let span = member.value.span.clone();
    if let Some(id) = AgentId::new(text) {
        return Some((id, span));
    }
    let finding = reader.finding(codes::PEER_ID, "not a valid agent id", (span, ""), &map.below(key));
    reader.report(match AgentId::from_uri(text) {
        Some(id) => {
            let finding = reader.suggest_text(finding, &member.value.span, text, id.as_str());
            finding.help(format!("write `{id}`, without `agent://`"))
        }
        None => finding.help(AgentId::RULE),
    });
    None
}

fn path(reader: &mut Reader<'_>, map: &Map<'_>) -> Option<Listed> {
    reader.required(map, "path")?;
    relative(reader, map, "path")
}

/// The path at a key, which is relative to the folder of `fleet.yaml`.
pub(super) fn relative(reader: &mut Reader<'_>, map: &Map<'_>, key: &str) -> Option<Listed> {
    let text = reader.filled(map, key)?;
    relative_text(reader, key, text, &map.get(key)?.value.span, &map.below(key))
}

/// A path at a place, which is relative to the folder of `fleet.yaml`.
pub(super) fn relative_text(
    reader: &mut Reader<'_>,
    key: &str,
    text: &str,
    span: &Range<usize>,
    place: &Place,
) -> Option<Listed> {
    let drive = matches!(text.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    if text.starts_with(['/', '\\']) || drive {
        let (message, at) = (format!("`{key}` must be relative"), (span.clone(), ""));
        let finding = reader.finding(codes::FLEET_PATH, message, at, place);
        reader.report(
            finding.help("write it relative to the folder of `fleet.yaml`, so that it is valid on other machines"),
        );
        return None;
    }
    Some(Listed { path: text.to_owned(), span: span.clone() })
}
