//! The public keys of an agent.

use std::collections::BTreeMap;

use ed25519_dalek::VerifyingKey;
use serde_json::{Map, Value};

use super::Window;
use crate::EventId;

/// The public keys of one agent, by their ids.
#[derive(Clone, Default, Debug)]
pub(crate) struct AgentKeys(pub(crate) BTreeMap<String, Key>);

/// A public key, and its text in the configuration.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) text: String,
    pub(crate) key: VerifyingKey,
    pub(crate) window: Window,
}

/// The rule for the signature of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SignatureRule<'k> {
    /// No key of the agent is valid yet: the event has no signature.
    Unsigned,
    /// The event is signed with one of these keys that is valid for its id.
    Signed(&'k AgentKeys),
}

impl AgentKeys {
    /// From the least `from` of its keys on, all events of an agent are signed (ruling 1); a key without `from` is
    /// valid from the start.
    pub(super) fn rule(&self, id: EventId) -> SignatureRule<'_> {
        let is_started = self.0.values().any(|key| key.window.from.is_none_or(|from| from <= id));
        if is_started { SignatureRule::Signed(self) } else { SignatureRule::Unsigned }
    }

    /// The key of an id, if it is valid for an event.
    pub(crate) fn valid(&self, key_id: &str, id: EventId) -> Option<&VerifyingKey> {
        self.0.get(key_id).filter(|key| key.window.contains(id)).map(|key| &key.key)
    }

    pub(super) fn to_json(&self) -> Value {
        let keys = self.0.iter().map(|(id, key)| (id.clone(), key.window.to_json("key", &key.text)));
        keys.collect::<Map<_, _>>().into()
    }
}
