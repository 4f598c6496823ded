//! `rpc-peers.yaml`: the transports by which a caller reaches each agent, instead of those in the agent's manifest.

use super::{Place, Reader, advice, format_version, help_for_empty, transport};
use crate::document::parse_document;
use crate::{AgentId, Data, Diagnostic, Node, Source, TransportSettings, codes, secrets};

/// Reads an `rpc-peers.yaml`: `version: 1`, and below `peers` the agents, as `agent://<id>`, each with a list of
/// transports in the form of `capabilities.yaml`, or a mapping with the key `transports`.
///
/// ```
/// use capgen_manifest::{Source, read_peers};
/// let text = "version: 1\npeers:\n  agent://reviewer:\n    - { kind: memory, topics: { requests: reviews } }\n";
/// let peers = read_peers(&Source::new("rpc-peers.yaml", text)).map_err(|findings| format!("{findings:?}"))?;
/// assert_eq!(peers.first().map(|(agent, transports)| (agent.as_str(), transports.len())), Some(("reviewer", 1)));
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
///
/// Every finding in source order.
pub fn read_peers(source: &Source) -> Result<Vec<(AgentId, Vec<TransportSettings>)>, Vec<Diagnostic>> {
    source.hide_with(secrets::in_peers);
    let root = parse_document(source).map_err(|findings| help_for_empty(source, findings, advice::PEERS))?;
    let mut reader = Reader::new(source);
    let mut peers = Vec::new();
    if let Some(mut map) = reader.map(&root, Place::default(), advice::PEERS) {
        reader.only(&mut map, &["version", "peers"]);
        format_version(&mut reader, &map, false);
        if let Some(member) = reader.required(&map, "peers") {
            let place = map.below("peers");
            if let Some(agents) = reader.map(&member.value, place, "`peers`")
                && let Data::Object(members) = &agents.node.data
            {
                for member in members {
                    let place = agents.below(&member.key);
                    let agent = agent(&mut reader, member, &place);
                    let transports = transports(&mut reader, &member.value, place);
                    peers.extend(agent.map(|agent| (agent, transports)));
                }
            }
        }
    }
    let (findings, failed) = reader.finish(&root);
    if failed { Err(findings) } else { Ok(peers) }
}

fn agent(reader: &mut Reader<'_>, member: &crate::Member, place: &Place) -> Option<AgentId> {
    let found = AgentId::from_uri(&member.key);
    if found.is_none() {
        let at = (member.key_span.clone(), "");
        let finding = reader.finding(codes::AGENT, "the key of a peer must be `agent://<id>`", at, place);
        reader.report(match AgentId::new(&member.key) {
            Some(id) => finding.help(format!("write `agent://{id}`")),
            None => finding.help(AgentId::RULE),
        });
    }
    found
}

/// The transports of one agent.
fn transports(reader: &mut Reader<'_>, node: &Node, place: Place) -> Vec<TransportSettings> {
    if let Data::Array(items) = &node.data {
        if items.is_empty() {
            let at = (node.span.clone(), "");
            let mut finding = reader.finding(codes::EMPTY_LIST, "a peer must have a transport", at, &place);
            finding.help = advice::element("transports");
            reader.report(finding);
        }
        let items = items.iter().enumerate();
        return items.filter_map(|(i, item)| transport::read(reader, item, place.below(&i.to_string()))).collect();
    }
    let Some(mut map) = reader.map(node, place, "a peer") else { return Vec::new() };
    reader.only(&mut map, &["transports"]);
    reader.required(&map, "transports");
    reader.not_empty(&map, "transports");
    let elements = reader.elements(&map, "transports");
    elements.into_iter().filter_map(|(node, place)| transport::read(reader, node, place)).collect()
}
