//! Help texts: for each common mistake in a manifest, the text to write instead.

use capgen_diagnostic::quoted;

use crate::transport::SHAPES;
use crate::{AgentId, Capability, Data, Member};

/// The subjects of findings about whole files.
pub(crate) const MANIFEST: &str = "the manifest";
pub(crate) const FLEET: &str = "the fleet";
pub(crate) const PEERS: &str = "the table of peers";
pub(super) const TRANSPORT: &str = "a transport";
pub(super) const CAPABILITY: &str = "a capability";
pub(super) const ERROR: &str = "an error";
pub(super) const ACCEPTED: &str = "an accepted warning";

const NULL: &str = "a key without a value is null: add a value, or remove the key";

/// The keys of a file.
pub(super) fn document(subject: &str) -> Option<&'static str> {
    match subject {
        MANIFEST => {
            Some("a manifest has the keys `version: 1`, `agent: agent://<id>`, `transports` and `capabilities`")
        }
        FLEET => Some("a fleet has the keys `version: 1` and `agents`"),
        PEERS => Some("a table of peers has the keys `version: 1` and `peers`"),
        _ => None,
    }
}

/// Help for a value that must be a mapping.
pub(super) fn mapping(data: &Data, subject: &str) -> Option<String> {
    let text = match (subject, data) {
        (MANIFEST | FLEET | PEERS, _) => document(subject)?,
        (TRANSPORT | CAPABILITY | ERROR | "an agent", Data::Null) => {
            "an element without a value is null: remove the `-`, or add keys"
        }
        (TRANSPORT | CAPABILITY, Data::Array(_)) => "it is a list in a list: write one `-` for each element",
        ("a peer", _) => "write a list of transports: `- { kind: memory, topics: { requests: <name> } }`",
        (TRANSPORT, _) => "write `{ kind: memory, topics: { requests: <name> } }`",
        (CAPABILITY, _) => "write `name: <name>`",
        (ERROR, _) => "write `code: <CODE>`",
        (_, Data::Null) => NULL,
        _ => return None,
    };
    Some(text.to_owned())
}

/// Help for a value of `key` that must be a list.
pub(super) fn list(data: &Data, key: &str) -> String {
    let members = if let Data::Object(members) = data { members.as_slice() } else { &[] };
    let one = |first: &str| {
        members
            .iter()
            .any(|m| m.key == first)
            .then(|| format!("write `- ` before `{first}`: `{key}` is a list, even of one element"))
    };
    let named = match key {
        "transports" => one("kind").or_else(|| {
            let shape = SHAPES.iter().find(|shape| members.iter().any(|m| m.key == shape.kind))?;
            Some(format!("write `- kind: {}` and the other settings below it: `{key}` is a list", shape.kind))
        }),
        "capabilities" => one("name").or_else(|| {
            let Member { key: name, .. } = members.first().filter(|m| Capability::is_name(&m.key))?;
            Some(format!("write {} instead of the key: `{key}` is a list", quoted(&format!("- name: {name}"))))
        }),
        "agents" => one("id"),
        "errors" => one("code"),
        _ => None,
    };
    // The text may be the element itself.
    let is_text = matches!((key, data), ("brokers" | "servers", Data::String(_)));
    named.or_else(|| element(key).filter(|_| !is_text)).unwrap_or_else(|| match data {
        Data::Null => NULL.to_owned(),
        Data::Object(_) => "write a list: `[...]`".to_owned(),
        _ => "put it in brackets to make it a list".to_owned(),
    })
}

/// An element to add to an empty list.
pub(super) fn element(key: &str) -> Option<String> {
    let element = match key {
        "transports" => "- { kind: memory, topics: { requests: <name> } }",
        "capabilities" => "- name: <name>",
        "errors" => "- code: <CODE>",
        "agents" => "- { id: <id>, path: <path> }",
        "brokers" => "- <host>:9092",
        "servers" => "- nats://<host>:4222",
        _ => return None,
    };
    Some(format!("write a list with an element such as `{element}`"))
}

/// Help for a key that is missing in `subject`.
pub(super) fn missing(key: &str, subject: &str) -> Option<String> {
    let text = match (subject, key) {
        (MANIFEST | FLEET, "version") => "version: 1",
        (MANIFEST, "agent") => "agent: agent://<id>",
        (MANIFEST, "transports") => "transports: [{ kind: memory, topics: { requests: <name> } }]",
        (MANIFEST, "capabilities") => "capabilities: [{ name: <name> }]",
        (FLEET, "agents") => "agents: [{ id: <id>, path: <path> }]",
        (TRANSPORT, "kind") => "kind: memory",
        (TRANSPORT, "brokers") => "brokers: [<host>:9092]",
        (TRANSPORT, "servers") => "servers: [nats://<host>:4222]",
        (TRANSPORT, "url") => "url: <url>",
        (TRANSPORT, "region") => "region: <region>",
        (TRANSPORT, "topics") => "topics: { requests: <name> }",
        (TRANSPORT, "subjects") => "subjects: { requests: <name> }",
        (TRANSPORT, "queues") => "queues: { requests: <name> }",
        ("`topics`" | "`subjects`" | "`queues`", "requests") => "requests: <name>",
        _ => return None,
    };
    Some(format!("add `{text}`"))
}

/// The key for a name that other formats give it.
pub(super) fn alias(name: &str, keys: &[&str]) -> Option<&'static str> {
    let key = match name {
        "input" | "request" | "requestSchema" | "params" | "parameters" | "args" | "arguments" | "schema" => {
            "inputSchema"
        }
        "output" | "response" | "responseSchema" | "result" | "returns" => "outputSchema",
        "desc" | "doc" | "summary" | "title" => "description",
        "id" | "name" => "agent",
        "type" => "kind",
        "tools" | "skills" | "functions" => "capabilities",
        _ => return None,
    };
    keys.contains(&key).then_some(key)
}

/// Help for a text that is not the URI of an agent.
pub(super) fn agent(text: &str) -> String {
    match AgentId::new(agent_id(text)) {
        Some(id) => format!("write `agent://{id}`"),
        None => format!("write `agent://<id>`: {}", AgentId::RULE),
    }
}

/// The part of a text that was probably meant as the id of an agent.
pub(super) fn agent_id(text: &str) -> &str {
    text.split_once("://").map_or(text, |(_, id)| id).trim().trim_end_matches('/')
}

/// A name of a capability that is like a text.
pub(super) fn like_capability_name(text: &str) -> Option<String> {
    let mut name = String::new();
    // A longer text is not a name with a small mistake.
    for c in text.chars().take(128) {
        match c {
            c if c.is_ascii_alphanumeric() || c == '_' => name.push(c),
            _ if name.is_empty() || name.ends_with('-') => {}
            _ => name.push('-'),
        }
    }
    let name = name.trim_matches(['-', '_']);
    (Capability::is_name(name) && text.len() <= 128).then(|| name.to_owned())
}

/// Help for a text that is not a name of a capability.
pub(super) fn capability_name(text: &str) -> String {
    match like_capability_name(text) {
        Some(name) => format!("for example `{name}`; {}", Capability::NAME_RULE),
        None => Capability::NAME_RULE.to_owned(),
    }
}

/// A duration with units, such as `5s` or `1m30s`, or in ISO 8601, such as `PT5S`, in milliseconds.
pub(super) fn milliseconds(text: &str) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    let mut rest = lower.strip_prefix("pt").unwrap_or(&lower).trim();
    let mut total = 0.0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, unit) = rest.split_at(end);
        let unit = unit.trim_start();
        let end = unit.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(unit.len());
        let (unit, after) = unit.split_at(end);
        let factor = match unit {
            "ms" | "msec" | "millis" | "milliseconds" => 1.0,
            "s" | "sec" | "secs" | "second" | "seconds" => 1e3,
            "m" | "min" | "mins" | "minute" | "minutes" => 6e4,
            "h" | "hr" | "hour" | "hours" => 3.6e6,
            "d" | "day" | "days" => 8.64e7,
            _ => return None,
        };
        total += number.parse::<f64>().ok()? * factor;
        rest = after.trim_start();
    }
    ((1.0..=1e15).contains(&total) && total.fract() == 0.0).then_some(total as u64)
}
