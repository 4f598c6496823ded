//! Reading the text of a lock.

use std::collections::BTreeMap;

use capgen_diagnostic::{Diagnostic, Source, nearest, quoted};
use capgen_manifest::{AgentId, Capability, Data, Member, Node, parse_document};
use capgen_schema::Hash;

use super::{LOCK_VERSION, Lock, LockedAgent, LockedCapability, LockedTransport};
use crate::codes;

/// Further errors are not reported: a hostile file can cause millions. The first ones are enough to see that another
/// program wrote the file.
const MAX_FINDINGS: usize = 100;

/// Reads a lock.
pub(super) fn read(source: &Source) -> Result<(Lock, Node), Vec<Diagnostic>> {
    let root = parse_document(source)?;
    let mut reader = Reader { source, findings: Vec::new() };
    let lock = reader.lock(&root);
    reader.findings.truncate(MAX_FINDINGS);
    if reader.findings.is_empty() { Ok((lock, root)) } else { Err(reader.findings) }
}

struct Reader<'s> {
    source: &'s Source,
    findings: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn reject(&mut self, node: &Node, message: impl Into<String>) {
        let finding = Diagnostic::new(codes::LOCK_FORMAT, message).at(self.source, node.span.clone(), "");
        self.findings.push(finding.help("do not edit the file: `capgen lock` writes it"));
    }

    fn reject_key(&mut self, member: &Member, message: &str) {
        let finding = Diagnostic::new(codes::LOCK_FORMAT, message).at(self.source, member.key_span.clone(), "");
        self.findings.push(finding);
    }

    /// The members of a mapping; empty if the value is not a mapping.
    fn members<'n>(&mut self, node: &'n Node, name: &str) -> &'n [Member] {
        match &node.data {
            Data::Object(members) => members,
            _ => {
                self.reject(node, format!("{name} must be a mapping"));
                &[]
            }
        }
    }

    /// The members of a mapping with exactly these keys.
    fn keys<'n, const N: usize>(&mut self, node: &'n Node, name: &str, keys: [&str; N]) -> [Option<&'n Node>; N] {
        for member in self.members(node, name) {
            if !keys.contains(&member.key.as_str()) {
                let near = nearest(&member.key, keys).map_or(String::new(), |near| format!(", did you mean `{near}`?"));
                let message = format!("{name} has the unknown key {}{near}", quoted(&member.key));
                let finding = Diagnostic::new(codes::LOCK_FORMAT, message);
                self.findings.push(finding.at(self.source, member.key_span.clone(), ""));
            }
        }
        let found = keys.map(|key| node.member(key).map(|member| &member.value));
        if matches!(node.data, Data::Object(_)) {
            let missing = keys.iter().zip(&found).filter(|(_, found)| found.is_none());
            missing.for_each(|(key, _)| self.reject(node, format!("{name} has no `{key}`")));
        }
        found
    }

    fn lock(&mut self, root: &Node) -> Lock {
        // The version first: the other keys of another version are not known.
        let version = root.member("version").map(|member| &member.value);
        if let Some(node) = version
            && !matches!(&node.data, Data::Number(_, text) if *text == LOCK_VERSION.to_string())
        {
            let message = format!("the version of the lock must be {LOCK_VERSION}");
            let finding = Diagnostic::new(codes::LOCK_FORMAT, message).at(self.source, node.span.clone(), "");
            // A lock of version 1 had no transports, so no one has reviewed them.
            let help = "review the transports and capabilities of each agent, remove the file, and run `capgen lock`";
            self.findings.push(finding.help(help));
            return Lock::default();
        }
        let mut agents = BTreeMap::new();
        let [_, listed] = self.keys(root, "the lock", ["version", "agents"]);
        let listed = listed.map_or(&[][..], |node| self.members(node, "`agents`"));
        for member in listed {
            let locked = self.agent(&member.value, &member.key);
            match AgentId::new(&member.key) {
                Some(agent) => drop(agents.insert(agent, locked)),
                None => self.reject_key(member, "not a valid agent id"),
            }
        }
        Lock { agents }
    }

    fn agent(&mut self, node: &Node, agent: &str) -> LockedAgent {
        let subject = format!("the agent {}", quoted(agent));
        let [transports, capabilities] = self.keys(node, &subject, ["transports", "capabilities"]);
        LockedAgent {
            transports: transports.map(|node| self.transports(node)).unwrap_or_default(),
            capabilities: capabilities.map(|node| self.capabilities(node, agent)).unwrap_or_default(),
        }
    }

    fn transports(&mut self, node: &Node) -> Vec<LockedTransport> {
        let Data::Array(items) = &node.data else {
            self.reject(node, "`transports` must be a list");
            return Vec::new();
        };
        let mut transports = Vec::new();
        for item in items {
            let mut settings = BTreeMap::new();
            for member in self.members(item, "a transport") {
                match &member.value.data {
                    Data::String(text) => drop(settings.insert(member.key.clone(), text.clone())),
                    _ => self.reject(&member.value, "a setting of a transport must be a text in quotes"),
                }
            }
            transports.push(LockedTransport(settings));
        }
        transports
    }

    fn capabilities(&mut self, node: &Node, agent: &str) -> BTreeMap<String, LockedCapability> {
        let mut capabilities = BTreeMap::new();
        for member in self.members(node, &format!("`capabilities` of the agent {}", quoted(agent))) {
            if !is_label(&member.key) {
                self.reject_key(member, "not a valid name of a capability");
            }
            let capability = self.capability(&member.value, &member.key);
            capabilities.extend(capability.map(|capability| (member.key.clone(), capability)));
        }
        capabilities
    }

    fn capability(&mut self, node: &Node, name: &str) -> Option<LockedCapability> {
        let subject = format!("the capability {}", quoted(name));
        let [contract, definition, keys] = self.keys(node, &subject, ["contract", "definition", "keys"]);
        let contract = contract.and_then(|node| self.hash(node, "contract"));
        let definition = definition.and_then(|node| self.hash(node, "definition"));
        let mut digits_of = BTreeMap::new();
        let keys = keys.map_or(&[][..], |node| self.members(node, "`keys`"));
        for member in keys {
            match &member.value.data {
                Data::String(text) if is_digits(text) => drop(digits_of.insert(member.key.clone(), text.clone())),
                _ => self.reject(
                    &member.value,
                    format!(
                        "the hash of {} must be {} hexadecimal digits",
                        quoted(&member.key),
                        LockedCapability::DIGITS
                    ),
                ),
            }
        }
        Some(LockedCapability { contract: contract?, definition: definition?, keys: digits_of })
    }

    fn hash(&mut self, node: &Node, key: &str) -> Option<Hash> {
        let hash = if let Data::String(text) = &node.data { text.parse().ok() } else { None };
        if hash.is_none() {
            self.reject(node, format!("`{key}` must be a SHA-256 hash: 64 lowercase hexadecimal digits in quotes"));
        }
        hash
    }
}

fn is_digits(text: &str) -> bool {
    text.len() == LockedCapability::DIGITS && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether a text may be a [label](capgen_manifest::Manifest::labels) of a capability.
fn is_label(text: &str) -> bool {
    match text.split_once('@') {
        Some((name, version)) => Capability::is_name(name) && semver::Version::parse(version).is_ok(),
        None => Capability::is_name(text),
    }
}
