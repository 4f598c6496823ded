//! The keys of agents: Ed25519 ([RFC 8032](https://www.rfc-editor.org/rfc/rfc8032)).

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use capgen_files::Links;
use capgen_manifest::AgentId;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};

use super::keys::{InvalidKey, is_id};
use super::{Ed25519Auth, Ed25519AuthRequired};

/// The start of the text that is signed, before the envelope, so that no signature is valid for another purpose.
const PREFIX: &[u8] = b"capgen-envelope-v1\n";

/// The largest file with a key, in bytes. A key has 43 characters; the rest is room for line ends and blanks.
const MAX_FILE: u64 = 128;

/// The private key of an agent. No message and no `Debug` text contains it, and its memory is cleared when it is
/// dropped.
#[derive(Clone)]
pub struct AgentKey {
    name: Name,
    key: SigningKey,
}

/// The public key of an agent, with which others verify its signatures.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey {
    name: Name,
    key: VerifyingKey,
    /// The last Unix time in ms at which a signature is accepted.
    not_after: Option<u64>,
}

/// An agent and the id of one of its keys.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Name {
    agent: Arc<str>,
    id: Arc<str>,
}

impl Name {
    fn new(agent: &str, id: &str) -> Result<Self, InvalidKey> {
        let agent = AgentId::new(agent).ok_or(InvalidKey::InvalidAgent)?;
        is_id(id).then(|| Self { agent: agent.as_str().into(), id: id.into() }).ok_or(InvalidKey::InvalidId)
    }
}

impl AgentKey {
    /// The key of an agent, given without `agent://`, with an id that is unique among the keys of the agent, and a seed
    /// (the private key of RFC 8032, section 5.1.5). The seed must come from a random number generator for keys.
    ///
    /// # Errors
    ///
    /// The id of the agent or of the key is invalid.
    pub fn from_seed(agent: &str, key_id: &str, seed: &[u8; 32]) -> Result<Self, InvalidKey> {
        Ok(Self { name: Name::new(agent, key_id)?, key: SigningKey::from_bytes(seed) })
    }

    /// As [`from_seed`](Self::from_seed), with the seed in base64url without padding, such as in a variable of the
    /// environment. Blanks around it are ignored.
    ///
    /// # Errors
    ///
    /// An id is invalid, or the text has another form.
    pub fn from_base64url(agent: &str, key_id: &str, text: &str) -> Result<Self, InvalidKey> {
        Ok(Self { name: Name::new(agent, key_id)?, key: SigningKey::from_bytes(&decoded(text)?) })
    }

    /// As [`from_base64url`](Self::from_base64url), with the text in a file. Links are followed, because secrets are
    /// often mounted as such.
    ///
    /// # Errors
    ///
    /// The file cannot be read, an id is invalid, or the text has another form.
    pub fn from_file(agent: &str, key_id: &str, path: impl AsRef<Path>) -> Result<Self, InvalidKey> {
        let read = capgen_files::read(path.as_ref(), Links::Followed, MAX_FILE);
        let bytes = read.map_err(|error| InvalidKey::Unreadable(error.to_string()))?;
        Self::from_base64url(agent, key_id, std::str::from_utf8(&bytes).map_err(|_| InvalidKey::NotAKey)?)
    }

    /// The public key, which does not expire.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        PublicKey { name: self.name.clone(), key: self.key.verifying_key(), not_after: None }
    }

    /// The id of the agent.
    #[must_use]
    pub fn agent(&self) -> &str {
        &self.name.agent
    }

    /// The id of the key.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.name.id
    }

    pub(super) fn sign(&self, text: &[u8]) -> Ed25519Auth {
        let signature = self.key.sign(&[PREFIX, text].concat());
        let signature = URL_SAFE_NO_PAD.encode(signature.to_bytes());
        Ed25519Auth::new(Ed25519AuthRequired { key_id: self.id().to_owned(), signature })
    }
}

impl PublicKey {
    /// The key of an agent, given without `agent://`, by its id and its 32 bytes in base64url without padding.
    ///
    /// # Errors
    ///
    /// An id is invalid, or the text is not a key of Ed25519. Weak keys, with which several texts have one signature,
    /// are invalid.
    pub fn from_base64url(agent: &str, key_id: &str, text: &str) -> Result<Self, InvalidKey> {
        let name = Name::new(agent, key_id)?;
        let key = VerifyingKey::from_bytes(&decoded(text)?).map_err(|_| InvalidKey::NotAKey)?;
        if key.is_weak() {
            return Err(InvalidKey::NotAKey);
        }
        Ok(Self { name, key, not_after: None })
    }

    /// The same key, whose signatures are accepted until a Unix time in ms. The clock is that of the program that
    /// verifies, without a tolerance.
    #[must_use]
    pub fn not_after(self, unix_ms: u64) -> Self {
        Self { not_after: Some(unix_ms), ..self }
    }

    /// The 32 bytes of the key in base64url without padding: its form in `fleet.yaml`.
    #[must_use]
    pub fn to_base64url(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.key.as_bytes())
    }

    /// The id of the agent.
    #[must_use]
    pub fn agent(&self) -> &str {
        &self.name.agent
    }

    /// The id of the key.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.name.id
    }

    pub(super) fn shared_id(&self) -> Arc<str> {
        Arc::clone(&self.name.id)
    }

    /// Whether the key has not expired.
    pub(super) fn is_current(&self, now: impl Fn() -> u64) -> bool {
        self.not_after.is_none_or(|end| now() <= end)
    }

    /// Whether a signature is that of the parts of a text. The check is strict: all strict implementations agree on
    /// which signatures are valid.
    pub(super) fn verifies(&self, signature: &str, [before, after]: [&[u8]; 2]) -> bool {
        let mut bytes = [0; 64];
        if !matches!(URL_SAFE_NO_PAD.decode_slice(signature, &mut bytes), Ok(64)) {
            return false;
        }
        let text = [PREFIX, before, after].concat();
        self.key.verify_strict(&text, &Signature::from_bytes(&bytes)).is_ok()
    }
}

/// The public keys of agents, by agent. An agent has few keys: the current one, and another one while it is replaced.
#[derive(Clone, Default)]
pub(super) struct AgentKeys(BTreeMap<Arc<str>, Vec<PublicKey>>);

impl AgentKeys {
    /// Adds a key; `false` if its agent has one with its id.
    pub(super) fn insert(&mut self, key: PublicKey) -> bool {
        let keys = self.0.entry(Arc::clone(&key.name.agent)).or_default();
        let is_new = keys.iter().all(|known| known.name.id != key.name.id);
        if is_new {
            keys.push(key);
        }
        is_new
    }

    pub(super) fn get(&self, agent: &str, id: &str) -> Option<&PublicKey> {
        self.0.get(agent)?.iter().find(|key| key.id() == id)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The 32 bytes of a key. The copy that remains on the stack is short-lived.
fn decoded(text: &str) -> Result<[u8; 32], InvalidKey> {
    let mut bytes = [0; 32];
    match URL_SAFE_NO_PAD.decode_slice(text.trim(), &mut bytes) {
        Ok(32) => Ok(bytes),
        _ => Err(InvalidKey::NotAKey),
    }
}

impl fmt::Debug for AgentKey {
    /// Leaves out the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentKey").field("agent", &self.agent()).field("id", &self.id()).finish_non_exhaustive()
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut key = f.debug_struct("PublicKey");
        key.field("agent", &self.agent()).field("id", &self.id()).field("ed25519", &self.to_base64url());
        key.field("not_after", &self.not_after).finish()
    }
}

impl fmt::Debug for AgentKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids = |keys: &Vec<PublicKey>| keys.iter().map(PublicKey::shared_id).collect::<Vec<_>>();
        f.debug_map().entries(self.0.iter().map(|(agent, keys)| (agent, ids(keys)))).finish()
    }
}
