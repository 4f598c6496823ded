//! Reading a configuration, with all of its errors.

use std::collections::BTreeMap;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use capgen_schema::{ExactPayload, pointer};
use ed25519_dalek::VerifyingKey;
use serde_json::{Map, Value};

use super::keys::{AgentKeys, Key};
use super::{Configuration, Parts, Window};
use crate::access::Access;

/// An error in a configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigurationError {
    /// The JSON Pointer of the value; empty if the text is not JSON.
    pub pointer: String,
    /// One phrase. It never quotes a value.
    pub message: String,
}

/// Every error in a configuration; at least one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigurationErrors(pub Vec<ConfigurationError>);

impl fmt::Display for ConfigurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pointer.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.pointer, self.message)
        }
    }
}

pub(super) fn read(json: &[u8]) -> Result<Configuration, ConfigurationErrors> {
    let mut reader = Reader::default();
    let value = match ExactPayload::parse(json) {
        Ok(payload) => payload.with_integers(),
        Err(error) => {
            reader.error("", format!("not JSON: {}", error.redact(true)));
            Value::Null
        }
    };
    let parts = if reader.errors.is_empty() { reader.parts(&value) } else { Parts::default() };
    if reader.errors.is_empty() { Ok(Configuration::new(parts)) } else { Err(ConfigurationErrors(reader.errors)) }
}

#[derive(Default)]
struct Reader {
    errors: Vec<ConfigurationError>,
}

impl Reader {
    fn error(&mut self, pointer: &str, message: impl Into<String>) {
        self.errors.push(ConfigurationError { pointer: pointer.to_owned(), message: message.into() });
    }

    fn parts(&mut self, value: &Value) -> Parts {
        let mut parts = Parts::default();
        for (name, value) in self.object(value, "") {
            let at = pointer::join("", name);
            match name.as_str() {
                _ if value.is_null() => {}
                "kernel" => parts.kernel = self.agent(value, &at),
                "monitors" => parts.monitors = self.monitors(value, &at),
                "keys" => {
                    let agents = self.entries(value, &at);
                    parts.keys = agents.map(|(agent, keys, at)| (agent, self.agent_keys(keys, &at))).collect();
                }
                "priority_cap" => {
                    let caps = self.entries(value, &at);
                    parts.priority_cap = caps.map(|(agent, cap, at)| (agent, self.integer(cap, &at))).collect();
                }
                "grants" => {
                    let grants = self.entries(value, &at);
                    parts.grants = grants.map(|(agent, grant, at)| (agent, self.grant(grant, &at))).collect();
                }
                "quota" => {
                    parts.quota = value.as_u64();
                    if parts.quota.is_none() {
                        self.error(&at, "expected a non-negative integer");
                    }
                }
                _ => self.error(
                    &at,
                    "unknown member; a configuration has `kernel`, `monitors`, `keys`, `priority_cap`, `grants` and `quota`",
                ),
            }
        }
        self.check_kernel_keys(&parts);
        parts
    }

    /// The kernel's keys have no bounds (ruling 1): its ids contain no time.
    fn check_kernel_keys(&mut self, parts: &Parts) {
        let Some(keys) = parts.keys.get(&parts.kernel) else { return };
        for (id, _) in keys.0.iter().filter(|(_, key)| !key.window.is_unbounded()) {
            let at = pointer::join(&pointer::join("/keys", &parts.kernel), id);
            self.error(&at, "a key of the kernel has neither `from` nor `until`");
        }
    }

    fn object<'v>(&mut self, value: &'v Value, at: &str) -> &'v Map<String, Value> {
        static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
        match value {
            Value::Object(members) => members,
            _ => {
                self.error(at, "expected an object");
                &EMPTY
            }
        }
    }

    /// The members of an object, with their JSON Pointers.
    fn entries<'v>(
        &mut self,
        value: &'v Value,
        at: &str,
    ) -> impl Iterator<Item = (String, &'v Value, String)> + use<'v> {
        let at = at.to_owned();
        let members = if value.is_null() { None } else { Some(self.object(value, &at)) };
        members.into_iter().flatten().map(move |(name, value)| (name.clone(), value, pointer::join(&at, name)))
    }

    fn agent(&mut self, value: &Value, at: &str) -> String {
        match value.as_str() {
            Some(agent) if !agent.is_empty() && agent.chars().count() <= 255 => agent.to_owned(),
            _ => {
                self.error(at, "expected the id of an agent, of 1 to 255 characters");
                String::new()
            }
        }
    }

    fn integer(&mut self, value: &Value, at: &str) -> i64 {
        value.as_i64().unwrap_or_else(|| {
            self.error(at, "expected an integer");
            0
        })
    }

    fn items<'v>(&mut self, value: &'v Value, at: &str) -> &'v [Value] {
        match value {
            Value::Array(items) => items,
            Value::Null => &[],
            _ => {
                self.error(at, "expected an array");
                &[]
            }
        }
    }

    fn monitors(&mut self, value: &Value, at: &str) -> BTreeMap<String, Vec<Window>> {
        let mut monitors: BTreeMap<String, Vec<Window>> = BTreeMap::new();
        for (index, item) in self.items(value, at).iter().enumerate() {
            let (agent, window) = self.bounded(item, "agent", &format!("{at}/{index}"));
            monitors.entry(self.agent(agent, &format!("{at}/{index}"))).or_default().push(window);
        }
        monitors
    }

    fn agent_keys(&mut self, value: &Value, at: &str) -> AgentKeys {
        let mut keys = AgentKeys::default();
        for (id, key, at) in self.entries(value, at) {
            let (text, window) = self.bounded(key, "key", &at);
            match text.as_str().and_then(|text| Some((text, verifying_key(text)?))) {
                Some((text, key)) => drop(keys.0.insert(id, Key { text: text.to_owned(), key, window })),
                None => self.error(&at, "expected an Ed25519 public key: 32 bytes in base64"),
            }
        }
        keys
    }

    /// A text, or an object with the text as its member `name`, and with bounds.
    fn bounded<'v>(&mut self, value: &'v Value, name: &str, at: &str) -> (&'v Value, Window) {
        let Value::Object(members) = value else { return (value, Window::default()) };
        let mut window = Window::default();
        for (member, value) in members.iter().filter(|(member, _)| *member != name) {
            let at = pointer::join(at, member);
            let bound = match member.as_str() {
                "from" => &mut window.from,
                "until" => &mut window.until,
                _ => {
                    self.error(&at, format!("unknown member; expected `{name}`, `from` and `until`"));
                    continue;
                }
            };
            *bound = value.as_str().and_then(|id| id.parse().ok());
            if bound.is_none() && !value.is_null() {
                self.error(&at, "expected the id of an event, a UUID in lower case");
            }
        }
        (members.get(name).unwrap_or(&Value::Null), window)
    }

    fn grant(&mut self, value: &Value, at: &str) -> Access {
        let mut access = Access::default();
        for (name, list, at) in self.entries(value, at) {
            let names = match name.as_str() {
                "roles" => &mut access.roles,
                "scopes" => &mut access.scopes,
                _ => {
                    self.error(&at, "unknown member; a grant has `roles` and `scopes`");
                    continue;
                }
            };
            for (index, item) in self.items(list, &at).iter().enumerate() {
                match item.as_str() {
                    Some(text) => drop(names.insert(text.to_owned())),
                    None => self.error(&format!("{at}/{index}"), "expected a string"),
                }
            }
        }
        access
    }
}

fn verifying_key(text: &str) -> Option<VerifyingKey> {
    let bytes: [u8; 32] = STANDARD.decode(text).ok()?.try_into().ok()?;
    VerifyingKey::from_bytes(&bytes).ok()
}
