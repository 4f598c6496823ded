//! `fleet.yaml`: which agents there are and where.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::document::parse_document;
use crate::read::{Map, Place, Reader, format_version};
use crate::{AgentId, Diagnostic, Node, Source, codes};

/// The keys that the reference runtime has. Only `version` and `agents` are read here; the rest is the runtime's.
const KEYS: [&str; 10] =
    ["version", "agents", "name", "description", "runtime", "environments", "deploy", "rpc", "hosts", "controlPlane"];

/// The same for one agent; `id` and `path` are read.
const AGENT_KEYS: [&str; 6] = ["id", "path", "env", "deploy", "sessionDb", "auditDb"];

/// Where `fleet.yaml` says that an agent is.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    /// Relative to the folder of `fleet.yaml`; it may lead out of it, for the file is the user's own.
    pub(crate) path: String,
    /// Where the path stands in the file.
    pub(crate) span: Range<usize>,
}

/// Reads a `fleet.yaml`: the path of each agent, by its id.
///
/// # Errors
///
/// Every finding in source order.
pub(crate) fn read_fleet(source: &Source) -> Result<BTreeMap<AgentId, Listed>, Vec<Diagnostic>> {
    let root = parse_document(source)?;
    let mut reader = Reader::new(source);
    let mut agents = Agents::default();
    if let Some(map) = reader.map(&root, Place::default(), "the fleet") {
        reader.only(&map, &KEYS);
        format_version(&mut reader, &map, false);
        reader.required(&map, "agents");
        for (node, place) in reader.elements(&map, "agents") {
            agents.read(&mut reader, node, place);
        }
    }
    let (findings, failed) = reader.finish();
    if failed { Err(findings) } else { Ok(agents.paths) }
}

#[derive(Default)]
struct Agents {
    paths: BTreeMap<AgentId, Listed>,
    seen: BTreeMap<AgentId, Range<usize>>,
}

impl Agents {
    fn read(&mut self, reader: &mut Reader<'_>, node: &Node, place: Place) {
        let Some(map) = reader.map(node, place, "an agent") else { return };
        reader.only(&map, &AGENT_KEYS);
        let id = id(reader, &map);
        let path = path(reader, &map);
        let Some((id, span)) = id else { return };
        if let Some(first) = self.seen.get(&id) {
            let message = format!("the fleet has two agents `{id}`");
            let finding = reader.finding(codes::DUPLICATE_AGENT, message, (span, "again here"), &map.below("id"));
            reader.report(finding.at(reader.source, first.clone(), "first here"));
            return;
        }
        self.seen.insert(id.clone(), span);
        self.paths.extend(path.map(|path| (id, path)));
    }
}

fn id(reader: &mut Reader<'_>, map: &Map<'_>) -> Option<(AgentId, Range<usize>)> {
    let member = reader.required(map, "id")?;
    let text = reader.text(map, "id")?;
    let span = member.value.span.clone();
    if let Some(id) = AgentId::new(text) {
        return Some((id, span));
    }
    let finding = reader.finding(codes::PEER_ID, "not an id of an agent", (span, ""), &map.below("id"));
    reader.report(match AgentId::from_uri(text) {
        Some(id) => finding.help(format!("write `{id}`, without `agent://`")),
        None => finding.help(AgentId::RULE),
    });
    None
}

fn path(reader: &mut Reader<'_>, map: &Map<'_>) -> Option<Listed> {
    let member = reader.required(map, "path")?;
    let text = reader.filled(map, "path")?;
    let drive = matches!(text.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    if text.starts_with(['/', '\\']) || drive {
        let at = (member.value.span.clone(), "");
        let finding = reader.finding(codes::FLEET_PATH, "`path` must be relative", at, &map.below("path"));
        reader
            .report(finding.help("write it relative to the folder of `fleet.yaml`: other machines have other folders"));
        return None;
    }
    Some(Listed { path: text.to_owned(), span: member.value.span.clone() })
}
