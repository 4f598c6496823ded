//! The configuration of a registry: who may emit what, and who may call what.

mod keys;
mod read;
mod window;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use capgen_schema::Hash;
use serde_json::{Map, Value, json};

use crate::canonical::{canonical, hash_of};
use crate::{EventId, SigningKey, access::Access};
pub(crate) use keys::{AgentKeys, SignatureRule};
pub use read::{ConfigurationError, ConfigurationErrors};
pub(crate) use window::Window;

/// The id of the kernel if the configuration names none.
pub const DEFAULT_KERNEL: &str = "capgen.kernel";

/// The configuration of a registry, `--config FILE` (formats page): the kernel, monitors, public keys, caps of
/// priorities, grants and the quota.
///
/// The validity of events depends on the kernel, the monitors, the keys and the caps, so their [`hash`](Self::hash) is
/// part of every state. The default has no monitors, keys, caps, grants or quota; its kernel is [`DEFAULT_KERNEL`].
#[derive(Clone, Debug)]
pub struct Configuration {
    kernel: Arc<str>,
    monitors: BTreeMap<String, Vec<Window>>,
    keys: BTreeMap<String, AgentKeys>,
    priority_cap: BTreeMap<String, i64>,
    grants: BTreeMap<String, Access>,
    quota: Option<u64>,
    hash: Hash,
    policy_hash: Hash,
}

impl Configuration {
    /// Reads a configuration from JSON.
    ///
    /// # Errors
    ///
    /// All errors, each with its JSON Pointer: the text is not JSON, or it has unknown members or values of another
    /// form.
    ///
    /// ```
    /// use capgen_registry::Configuration;
    /// let config = Configuration::parse(br#"{"monitors": ["ops.monitor"], "priority_cap": {"a": 10}}"#)?;
    /// assert_eq!(config.kernel(), "capgen.kernel");
    /// assert!(Configuration::parse(br#"{"monitor": []}"#).is_err());
    /// # Ok::<(), capgen_registry::ConfigurationErrors>(())
    /// ```
    pub fn parse(json: &[u8]) -> Result<Self, ConfigurationErrors> {
        read::read(json)
    }

    /// The agent that resolves requests, whose ids are UUIDv8.
    #[must_use]
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// The SHA-256 hash over the kernel, the keys, the monitors and the caps. States merge only if these hashes are
    /// equal.
    #[must_use]
    pub fn hash(&self) -> Hash {
        self.hash
    }

    /// The SHA-256 hash over the grants.
    #[must_use]
    pub fn policy_hash(&self) -> Hash {
        self.policy_hash
    }

    /// The roles and scopes of an agent; none if there is no grant.
    #[must_use]
    pub fn access(&self, agent: &str) -> &Access {
        static NONE: LazyLock<Access> = LazyLock::new(Access::default);
        self.grants.get(agent).unwrap_or(&NONE)
    }

    /// How many subjects the stored events of one producer may have; `None` means no limit.
    #[must_use]
    pub fn quota(&self) -> Option<u64> {
        self.quota
    }

    /// Whether an agent is a monitor for events of this id.
    #[must_use]
    pub fn is_monitor(&self, agent: &str, id: EventId) -> bool {
        self.monitors.get(agent).is_some_and(|windows| windows.iter().any(|window| window.contains(id)))
    }

    /// The priority of an agent's capability, after the cap.
    pub(crate) fn capped(&self, agent: &str, priority: i64) -> i64 {
        self.priority_cap.get(agent).map_or(priority, |cap| priority.min(*cap))
    }

    /// Whether an event of an agent with this id must be signed, and by which keys.
    pub(crate) fn signature_rule(&self, agent: &str, id: EventId) -> SignatureRule<'_> {
        self.keys.get(agent).map_or(SignatureRule::Unsigned, |keys| keys.rule(id))
    }

    /// Whether there is a key of the kernel, so that its events must be signed.
    #[must_use]
    pub fn has_kernel_key(&self) -> bool {
        self.keys.get(&*self.kernel).is_some_and(|keys| !keys.0.is_empty())
    }

    /// Whether the kernel may sign its events with a key: the configuration has its public key under its id.
    #[must_use]
    pub fn is_kernel_key(&self, key: &SigningKey) -> bool {
        let known = self.keys.get(&*self.kernel).and_then(|keys| keys.0.get(key.id()));
        known.is_some_and(|known| known.key == key.verifying_key())
    }

    fn new(parts: Parts) -> Self {
        let Parts { kernel, monitors, keys, priority_cap, grants, quota } = parts;
        let mut listed: Vec<Value> = Vec::new();
        for (agent, windows) in &monitors {
            listed.extend(windows.iter().map(|window| window.to_json("agent", agent)));
        }
        // Texts first, bytewise; then objects, by their canonical text.
        listed.sort_by_cached_key(|monitor| match monitor {
            Value::String(agent) => (false, agent.clone()),
            object => (true, canonical(object)),
        });
        listed.dedup();
        let keys_json: Map<String, Value> = keys.iter().map(|(agent, keys)| (agent.clone(), keys.to_json())).collect();
        let covered = json!({"kernel": kernel, "keys": keys_json, "monitors": listed, "priority_cap": priority_cap});
        let policy: Map<String, Value> =
            grants.iter().map(|(agent, access)| (agent.clone(), access.to_json())).collect();
        Self {
            kernel: kernel.into(),
            monitors,
            keys,
            priority_cap,
            grants,
            quota,
            hash: hash_of(&covered),
            policy_hash: hash_of(&policy.into()),
        }
    }
}

impl Default for Configuration {
    fn default() -> Self {
        Self::new(Parts::default())
    }
}

/// The members of a configuration.
struct Parts {
    kernel: String,
    monitors: BTreeMap<String, Vec<Window>>,
    keys: BTreeMap<String, AgentKeys>,
    priority_cap: BTreeMap<String, i64>,
    grants: BTreeMap<String, Access>,
    quota: Option<u64>,
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            kernel: DEFAULT_KERNEL.to_owned(),
            monitors: BTreeMap::new(),
            keys: BTreeMap::new(),
            priority_cap: BTreeMap::new(),
            grants: BTreeMap::new(),
            quota: None,
        }
    }
}

impl fmt::Display for ConfigurationErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for ConfigurationErrors {}
