//! Addresses that clients and servers derive from the address of an agent's requests.

use std::collections::HashMap;

use crate::{AgentId, Diagnostic, LoadedContract, TransportSettings, codes};

/// The parts that follow the address of requests: that of cancels, also of one instance, that of a contract, and those
/// of events.
const DERIVED: [&str; 3] = ["control", "contract", "events"];

/// The name of an instance has 22 characters of base64url, and that of a contract the first 32 hexadecimal digits of
/// its hash.
const LENGTHS: [usize; 2] = [22, 32];

/// Longer addresses are not examined, because the search for the addresses from which one is derived takes time
/// quadratic in its length. Addresses that people choose are much shorter.
const MAX_LENGTH: usize = 1024;

/// The channels of a transport that name addresses.
const CHANNELS: [&str; 2] = ["requests", "responses"];

/// An agent, and the address of a channel in its manifest.
struct Channel<'c> {
    contract: &'c LoadedContract,
    kind: &'c str,
    address: &'c str,
    /// The place of the address in the manifest.
    pointer: String,
}

/// A warning ([`codes::DERIVED_ADDRESS`]) for each address of an agent that is derived from the address of another
/// agent's requests, on a transport of the same kind. One of them would get the other's messages if they use the same
/// broker. Messages do not quote addresses, which are settings of transports.
///
/// ```
/// use capgen_manifest::{Source, check_addresses, load};
/// let contract = |id: &str, topic: &str| {
///     let transport = format!("{{ kind: memory, topics: {{ requests: {topic} }} }}");
///     let text = format!("version: 1\nagent: agent://{id}\ntransports: [{transport}]\ncapabilities: [{{ name: a }}]\n");
///     load(&Source::new(format!("{id}.yaml"), text)).unwrap()
/// };
/// let fleet = [contract("trips", "trips"), contract("desk", "trips.control")];
/// assert_eq!(check_addresses(&fleet).len(), 1);
/// assert!(check_addresses(&fleet[..1]).is_empty());
/// ```
pub fn check_addresses(contracts: &[LoadedContract]) -> Vec<Diagnostic> {
    let channels: Vec<Channel<'_>> = contracts.iter().flat_map(channels).collect();
    let mut owners: HashMap<(&str, &str), Vec<&AgentId>> = HashMap::new();
    for channel in channels.iter().filter(|channel| channel.pointer.ends_with("/requests")) {
        owners.entry((channel.kind, channel.address)).or_default().push(&channel.contract.manifest.agent);
    }
    let mut findings = Vec::new();
    for channel in &channels {
        let agent = &channel.contract.manifest.agent;
        for (base, part) in bases(channel.kind, channel.address) {
            let others = owners.get(&(channel.kind, base)).into_iter().flatten();
            // The same agent may have read the address from one of its own.
            if let Some(other) = others.copied().find(|other| *other != agent) {
                findings.push(finding(channel, other, part));
                break;
            }
        }
    }
    findings
}

fn finding(channel: &Channel<'_>, other: &AgentId, part: &str) -> Diagnostic {
    let agent = &channel.contract.manifest.agent;
    let message = format!("an address of agent `{agent}` belongs to agent `{other}`, which derives it from its own");
    let uses = match part {
        "control" => "cancels",
        "contract" => "requests for a certain contract",
        _ => "events",
    };
    let separator = separator(channel.kind);
    let note = format!("`{other}` uses the addresses below its own with the part `{separator}{part}` for {uses}");
    let mut finding = Diagnostic::new(codes::DERIVED_ADDRESS, message);
    let label = channel.contract.label(&channel.pointer, "");
    finding = finding.at(&label.source, label.span, "").note(note);
    finding.pointer = Some(channel.pointer.clone());
    finding.help("give one of the agents another address, unless they use different brokers")
}

/// The addresses of an agent.
fn channels(contract: &LoadedContract) -> impl Iterator<Item = Channel<'_>> {
    contract.manifest.transports.iter().enumerate().flat_map(move |(index, transport)| {
        CHANNELS.into_iter().filter_map(move |name| {
            let (key, address) = transport.channel(name)?;
            let pointer = format!("/transports/{index}/{key}/{name}");
            Some(Channel { contract, kind: &transport.kind, address, pointer })
        })
    })
}

/// The addresses from which a program would derive this one, each with the first part that it would add.
fn bases<'a>(kind: &str, address: &'a str) -> impl Iterator<Item = (&'a str, &'static str)> {
    let separator = separator(kind);
    // Calls over MCP have no such addresses.
    let address = if kind == "mcp" || address.len() > MAX_LENGTH { "" } else { address };
    address.match_indices(separator).filter_map(move |(at, _)| {
        let (base, rest) = address.split_at_checked(at)?;
        let mut parts = rest.get(separator.len_utf8()..)?.split(separator);
        let first = parts.next()?;
        let part = DERIVED.into_iter().find(|part| *part == first)?;
        let [instance, contract] = LENGTHS;
        let is_derived = match (part, parts.next(), parts.next()) {
            ("events", ..) | ("control", None, _) => true,
            ("control", Some(name), None) => has_form(name, instance, is_base64url),
            ("contract", Some(name), None) => {
                has_form(name, contract, |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
            }
            _ => false,
        };
        is_derived.then_some((base, part))
    })
}

fn has_form(name: &str, length: usize, is_digit: impl Fn(u8) -> bool) -> bool {
    name.len() == length && name.bytes().all(is_digit)
}

fn is_base64url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

fn separator(kind: &str) -> char {
    if kind == "mqtt" { '/' } else { '.' }
}

impl TransportSettings {
    /// The address of a channel, with the key of the mapping that has it.
    fn channel(&self, name: &str) -> Option<(&'static str, &str)> {
        let mappings = ["topics", "subjects", "queues"];
        mappings.into_iter().find_map(|key| Some((key, self.settings.get(key)?.get(name)?.as_str()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(kind: &str, address: &str) -> Vec<(String, &'static str)> {
        bases(kind, address).map(|(base, part)| (base.to_owned(), part)).collect()
    }

    #[test]
    fn derived_addresses_have_the_parts_of_the_protocol() {
        for (kind, address, expected) in [
            ("nats", "agents.trips.control", Some(("agents.trips", "control"))),
            ("nats", "agents.trips.control.AAAAAAAAAAAAAAAAAAAA-_", Some(("agents.trips", "control"))),
            ("nats", "agents.trips.control.AAAAAAAAAAAAAAAAAAAA-_.j", None),
            ("nats", "agents.trips.control.panel", None),
            ("nats", "agents.trips.contract", None),
            ("nats", "agents.trips.contract.0123456789abcdef0123456789abcdef", Some(("agents.trips", "contract"))),
            ("nats", "agents.trips.contract.0123", None),
            ("nats", "agents.trips.events", Some(("agents.trips", "events"))),
            ("nats", "agents.trips.events.booked.key", Some(("agents.trips", "events"))),
            ("nats", "agents.trips.controls", None),
            ("nats", "control", None),
            ("mqtt", "agents/trips/control", Some(("agents/trips", "control"))),
            ("mqtt", "agents.trips.control", None),
            ("mcp", "trips.control", None),
        ] {
            let expected: Vec<_> = expected.iter().map(|(base, part)| ((*base).to_owned(), *part)).collect();
            assert_eq!(parts(kind, address), expected, "{kind} {address}");
        }
        // Nothing is known about the agents, so each part may be the first derived one.
        let both = [("a".to_owned(), "events"), ("a.events".to_owned(), "control")];
        assert_eq!(parts("nats", "a.events.control"), both);
        assert_eq!(parts("nats", &".events".repeat(1000)), []);
    }
}
