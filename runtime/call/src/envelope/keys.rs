//! The keys of envelopes: shared ones, for HMAC-SHA-256 ([RFC 2104](https://www.rfc-editor.org/rfc/rfc2104)), and those
//! of agents, for Ed25519.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

#[cfg(feature = "ed25519")]
use super::agent_key::{AgentKey, AgentKeys, PublicKey};
use super::{Auth, HmacAuth, HmacAuthRequired};
use crate::identity::Proof;

/// The keys with which envelopes are signed and verified.
///
/// A client or a server with keys accepts only signed envelopes. Clones share their keys, so that
/// [`replace`](Self::replace) changes those of a client or a server while it runs; the methods that add a key return
/// keys of their own. To rotate a key, add the new one to every program, then sign with it, then remove the old one.
///
/// Every owner of a shared key can sign in the name of every agent. With the feature `ed25519`, `Keys::of_agent` signs
/// with a key that only one agent has.
///
/// ```
/// use capgen_call::Keys;
/// let keys = Keys::signing_with("2026-11", b"a secret of at least 16 bytes")?.and("2026-10", b"the secret of last month")?;
/// assert_eq!(format!("{keys:?}"), r#"Keys { ids: ["2026-10", "2026-11"] }"#);
/// # Ok::<(), capgen_call::InvalidKey>(())
/// ```
#[derive(Clone)]
pub struct Keys(Arc<RwLock<Arc<Set>>>);

#[derive(Clone, Default)]
struct Set {
    signer: Signer,
    /// The shared keys.
    shared: BTreeMap<Arc<str>, Hmac<Sha256>>,
    /// The public keys of agents.
    #[cfg(feature = "ed25519")]
    agents: AgentKeys,
}

/// The key that signs.
#[derive(Clone, Default)]
enum Signer {
    /// None: the keys only verify.
    #[default]
    None,
    /// A shared key, given by its id.
    Shared(Arc<str>),
    #[cfg(feature = "ed25519")]
    Agent(Arc<AgentKey>),
}

/// Why a key was rejected. It does not contain the key.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InvalidKey {
    /// The secret has fewer than 16 bytes.
    TooShort,
    /// The id is empty, longer than 128 code points, or used already.
    InvalidId,
    /// The id of the agent is invalid.
    InvalidAgent,
    /// The text is not 32 bytes in base64url without padding, or they are not a public key of Ed25519.
    NotAKey,
    /// The file with the key cannot be read: why.
    Unreadable(String),
}

impl Keys {
    /// The length of the shortest secret, in bytes. The recommended length is 32. 128 bits cannot be guessed; 32 bytes
    /// are the length of the hash of the signature (RFC 2104, section 3).
    pub const MIN_SECRET: usize = 16;

    /// One shared key, for signing and verifying.
    ///
    /// # Errors
    ///
    /// The id or the secret is invalid.
    pub fn signing_with(id: &str, secret: &[u8]) -> Result<Self, InvalidKey> {
        Self::from(Set { signer: Signer::Shared(id.into()), ..Set::default() }).and(id, secret)
    }

    /// These keys and another shared key, for verifying only.
    ///
    /// # Errors
    ///
    /// The id or the secret is invalid.
    pub fn and(self, id: &str, secret: &[u8]) -> Result<Self, InvalidKey> {
        let mut set = self.copy();
        if !is_id(id) || set.shared.contains_key(id) {
            return Err(InvalidKey::InvalidId);
        }
        if secret.len() < Self::MIN_SECRET {
            return Err(InvalidKey::TooShort);
        }
        let key = Hmac::<Sha256>::new_from_slice(secret).map_err(|_| InvalidKey::TooShort)?;
        set.shared.insert(id.into(), key);
        Ok(set.into())
    }

    /// Replaces these keys in all clones, such as those of a client or a server that runs. Each message is signed, and
    /// each one is verified, with either the old or the new keys.
    ///
    /// ```
    /// use capgen_call::Keys;
    /// let keys = Keys::signing_with("2026-10", b"the secret of last month")?;
    /// let of_server = keys.clone();
    /// let both = keys.clone().and("2026-11", b"a secret of at least 16 bytes")?;
    /// keys.replace(&both);
    /// assert_eq!(format!("{of_server:?}"), r#"Keys { ids: ["2026-10", "2026-11"] }"#);
    /// # Ok::<(), capgen_call::InvalidKey>(())
    /// ```
    pub fn replace(&self, keys: &Self) {
        let set = keys.set();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = set;
    }

    fn set(&self) -> Arc<Set> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn copy(&self) -> Set {
        (*self.set()).clone()
    }

    /// The proof of a text's sender, without `auth`.
    pub(super) fn sign(&self, text: &[u8]) -> Option<Auth> {
        let set = self.set();
        match &set.signer {
            Signer::None => None,
            Signer::Shared(id) => {
                let mut mac = set.shared.get(id)?.clone();
                mac.update(text);
                let signature = hex::encode(mac.finalize().into_bytes());
                Some(Auth::Hmac(HmacAuth::new(HmacAuthRequired { key_id: id.as_ref().to_owned(), signature })))
            }
            #[cfg(feature = "ed25519")]
            Signer::Agent(key) => Some(Auth::Ed25519(key.sign(text))),
        }
    }

    /// The proof in the member `auth` of a message, given its sender, the parts of its text without `auth`, and the
    /// Unix time in ms; `None` if the signature is missing or invalid. Takes the same time for every wrong signature
    /// of a kind.
    pub(super) fn proof(&self, auth: &Auth, from: &str, parts: [&[u8]; 2], now: impl Fn() -> u64) -> Option<Proof> {
        match auth {
            Auth::Internal(_) => None,
            Auth::Hmac(auth) => {
                let set = self.set();
                let (id, key) = set.shared.get_key_value(auth.key_id.as_str())?;
                let signature = hex::decode(&auth.signature).ok()?;
                let mut mac = key.clone();
                parts.iter().for_each(|part| mac.update(part));
                mac.verify_slice(&signature).is_ok().then(|| Proof::SharedKey { key_id: Arc::clone(id) })
            }
            #[cfg(feature = "ed25519")]
            Auth::Ed25519(auth) => {
                let set = self.set();
                let key = set.agents.get(from, &auth.key_id)?;
                let key_id = || Proof::AgentKey { key_id: key.shared_id() };
                (key.is_current(now) && key.verifies(&auth.signature, parts)).then(key_id)
            }
            #[cfg(not(feature = "ed25519"))]
            Auth::Ed25519(_) => {
                let _ = (from, now);
                None
            }
        }
    }

    /// Whether there is a key that proves an agent.
    pub(crate) fn prove_agents(&self) -> bool {
        #[cfg(feature = "ed25519")]
        return !self.set().agents.is_empty();
        #[cfg(not(feature = "ed25519"))]
        false
    }

    /// Whether there is a key that signs.
    pub(crate) fn can_sign(&self) -> bool {
        !matches!(self.set().signer, Signer::None)
    }

    /// The agent whose key signs, if it is not a shared one.
    pub(crate) fn signing_agent(&self) -> Option<String> {
        match &self.set().signer {
            Signer::None | Signer::Shared(_) => None,
            #[cfg(feature = "ed25519")]
            Signer::Agent(key) => Some(key.agent().to_owned()),
        }
    }
}

/// Keys of agents.
#[cfg(feature = "ed25519")]
#[cfg_attr(docsrs, doc(cfg(feature = "ed25519")))]
impl Keys {
    /// The private key of an agent, for signing, and no key for verifying: add those of the agents that send messages
    /// to this one.
    ///
    /// ```
    /// use capgen_call::{AgentKey, Keys};
    /// let own = AgentKey::from_seed("trips", "trips-2026-11", &[7; 32])?;
    /// # let concierge = AgentKey::from_seed("concierge", "c1", &[8; 32])?.public_key().to_base64url();
    /// // concierge: the public key of another agent, from `fleet.yaml`.
    /// let public = capgen_call::PublicKey::from_base64url("concierge", "c1", &concierge)?;
    /// let keys = Keys::of_agent(own).and_agent(public)?;
    /// # Ok::<(), capgen_call::InvalidKey>(())
    /// ```
    #[must_use]
    pub fn of_agent(key: AgentKey) -> Self {
        Set { signer: Signer::Agent(Arc::new(key)), ..Set::default() }.into()
    }

    /// The same keys for verifying, of which none signs: the private key of an agent does. Programs without Ed25519
    /// refuse its signatures.
    ///
    /// From a shared key to keys of agents without a failed call: first, every program gets the public keys with
    /// [`and_agent`](Self::and_agent); then, each one signs with its own key; last, the shared key is removed.
    #[must_use]
    pub fn signing_as(self, key: AgentKey) -> Self {
        Set { signer: Signer::Agent(Arc::new(key)), ..self.copy() }.into()
    }

    /// These keys and the public key of an agent. A message of that agent that it verifies is proved to come from the
    /// agent; a message of another agent is not authentic. Responses are accepted only with a key of the agent that was
    /// called.
    ///
    /// # Errors
    ///
    /// The agent has a key with this id already.
    pub fn and_agent(self, key: PublicKey) -> Result<Self, InvalidKey> {
        let mut set = self.copy();
        if !set.agents.insert(key) {
            return Err(InvalidKey::InvalidId);
        }
        Ok(set.into())
    }
}

impl From<Set> for Keys {
    fn from(set: Set) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(set))))
    }
}

/// Whether a text can be the id of a key.
pub(super) fn is_id(id: &str) -> bool {
    !id.is_empty() && id.chars().count() <= 128
}

impl fmt::Debug for Keys {
    /// Leaves out the secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let set = self.set();
        let mut keys = f.debug_struct("Keys");
        keys.field("ids", &set.shared.keys().collect::<Vec<_>>());
        #[cfg(feature = "ed25519")]
        if !set.agents.is_empty() {
            keys.field("agents", &set.agents);
        }
        keys.finish()
    }
}

impl fmt::Display for InvalidKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooShort => write!(f, "the secret of a key has at least {} bytes", Keys::MIN_SECRET),
            Self::InvalidId => f.write_str("the id of a key is empty, too long or used already"),
            Self::InvalidAgent => f.write_str("the id of the agent of a key is invalid"),
            Self::NotAKey => f.write_str("a key is 32 bytes in base64url without padding"),
            Self::Unreadable(reason) => write!(f, "the file with the key cannot be read: {reason}"),
        }
    }
}

impl std::error::Error for InvalidKey {}
