//! The keys `keys` and `grants` of `fleet.yaml`: the public keys of agents, and their roles and scopes.

use std::collections::BTreeMap;
use std::ops::Range;

use capgen_time::Timestamp;

use crate::keys::{FLEET_KEY, GRANT, names};
use crate::read::{Map, Place, Reader};
use crate::{AgentId, Data, Node, codes};

/// A public key of an agent, with which others verify its signatures.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FleetKey {
    /// The agent that has the private key.
    pub agent: AgentId,
    /// The id of the key, unique among those of the agent: 1 to 128 code points.
    pub key_id: String,
    /// The 32 bytes of the key in base64url without padding. They may not be a key of Ed25519.
    pub ed25519: String,
    /// The last Unix time in ms at which signatures are accepted.
    pub not_after: Option<u64>,
}

/// The roles and scopes of an agent.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct FleetGrant {
    /// The roles.
    pub roles: Vec<String>,
    /// The scopes.
    pub scopes: Vec<String>,
}

/// The longest id of a key in code points: that of envelopes.
const MAX_KEY_ID: usize = 128;

/// Reads the list `keys`.
pub(super) fn read_keys(reader: &mut Reader<'_>, map: &Map<'_>) -> Vec<FleetKey> {
    let (mut keys, mut seen) = (Vec::new(), BTreeMap::<(AgentId, String), Range<usize>>::new());
    for (node, place) in reader.elements(map, "keys") {
        let Some((key, span, place)) = read_key(reader, node, place) else { continue };
        let name = (key.agent.clone(), key.key_id.clone());
        if let Some(first) = seen.get(&name) {
            let message = "duplicate key of an agent";
            let finding = reader.finding(codes::DUPLICATE_FLEET_KEY, message, (span, "again here"), &place);
            reader.report(finding.at(reader.source, first.clone(), "first here"));
            continue;
        }
        seen.insert(name, span);
        keys.push(key);
    }
    keys
}

/// A key, and the place of its id.
fn read_key(reader: &mut Reader<'_>, node: &Node, place: Place) -> Option<(FleetKey, Range<usize>, Place)> {
    let mut map = reader.map(node, place, "a key")?;
    reader.only(&mut map, &names(&FLEET_KEY));
    for key in FLEET_KEY.iter().filter(|key| key.is_required) {
        reader.required(&map, key.name);
    }
    let agent = map.get("agent").and_then(|member| agent(reader, &member.value, &map.below("agent")));
    let key_id = reader.filled(&map, "keyId").map(str::to_owned);
    let is_short = |id: &String| id.chars().count() <= MAX_KEY_ID;
    let key_id = key_id.filter(|id| is_short(id) || invalid(reader, &map, "keyId", "it has more than 128 characters"));
    let ed25519 = reader.text(&map, "ed25519").map(str::to_owned);
    let ed25519 = ed25519.filter(|key| is_public_key(key) || invalid(reader, &map, "ed25519", KEY_RULE));
    let not_after = reader.text(&map, "notAfter").map(end);
    if not_after == Some(None) {
        invalid(reader, &map, "notAfter", "it is neither a day (`2027-01-31`) nor a time (`2027-01-31T12:00:00Z`)");
        return None;
    }
    let id = map.get("keyId")?;
    let key = FleetKey { agent: agent?, key_id: key_id?, ed25519: ed25519?, not_after: not_after.flatten() };
    Some((key, id.value.span.clone(), map.below("keyId")))
}

const KEY_RULE: &str = "it is not 32 bytes in base64url without padding: 43 letters, digits, `-` and `_`";

/// Reports a value that is invalid; `false`. Without the value, which may be a private key.
fn invalid(reader: &mut Reader<'_>, map: &Map<'_>, key: &str, problem: &'static str) -> bool {
    if let Some(member) = map.get(key) {
        let at = (member.value.span.clone(), "");
        let finding =
            reader.finding(codes::FLEET_KEY, format!("invalid `{key}` of an agent's key"), at, &map.below(key));
        reader.report(finding.help(problem));
    }
    false
}

/// Whether a text is 32 bytes in base64url: the last of its 43 characters has two bits that encode nothing, and are 0.
fn is_public_key(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    text.len() == 43
        && text.bytes().all(is_digit)
        && text.ends_with(['A', 'E', 'I', 'M', 'Q', 'U', 'Y', 'c', 'g', 'k', 'o', 's', 'w', '0', '4', '8'])
}

/// The last Unix time in ms of a day or a time.
fn end(text: &str) -> Option<u64> {
    let time = if text.len() == 10 { format!("{text}T23:59:59.999Z") } else { text.to_owned() };
    time.parse::<Timestamp>().ok()?.to_ms()
}

fn agent(reader: &mut Reader<'_>, node: &Node, place: &Place) -> Option<AgentId> {
    let text = reader.string(node, place, "agent")?;
    let id = AgentId::new(text);
    if id.is_none() {
        let finding = reader.finding(codes::PEER_ID, "not a valid agent id", (node.span.clone(), ""), place);
        reader.report(finding.help(AgentId::RULE));
    }
    id
}

/// Reads the mapping `grants`.
pub(super) fn read_grants(reader: &mut Reader<'_>, node: &Node, place: Place) -> BTreeMap<AgentId, FleetGrant> {
    let mut grants = BTreeMap::new();
    let Data::Object(members) = &node.data else {
        reader.wrong_type(node, &place, "`grants`", "a mapping");
        return grants;
    };
    for member in members.iter() {
        let place = place.below(&member.key);
        let id = AgentId::new(&member.key);
        if id.is_none() {
            let at = (member.key_span.clone(), "");
            let finding = reader.finding(codes::PEER_ID, "not a valid agent id", at, &place);
            reader.report(finding.help(AgentId::RULE));
        }
        let Some(mut map) = reader.map(&member.value, place, "a grant") else { continue };
        reader.only(&mut map, &names(&GRANT));
        let grant = FleetGrant { roles: reader.texts(&map, "roles"), scopes: reader.texts(&map, "scopes") };
        grants.extend(id.map(|id| (id, grant)));
    }
    grants
}
