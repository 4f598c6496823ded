//! The keys of DIDs.

use std::collections::BTreeMap;

use super::{Did, InvalidKey, PublicKey, base58};

/// Finds the key that verifies the signatures of a DID.
pub trait ResolveKey {
    /// The key; `None` if the DID is unknown. The DID may contain a fragment that names one of several keys.
    fn key(&self, did: &Did) -> Option<PublicKey>;
}

/// Resolves `did:key`, which contains its own key: base58btc (`z`) of the multicodec 0xed 0x01 and an Ed25519 key.
///
/// Such a DID has one signing key, so a fragment is not examined.
///
/// ```
/// use capgen_amp::message::{DidKey, ResolveKey};
/// let did = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK".parse().unwrap();
/// assert!(DidKey.key(&did).is_some());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DidKey;

impl ResolveKey for DidKey {
    fn key(&self, did: &Did) -> Option<PublicKey> {
        let bytes = base58::decode(did.without_fragment().strip_prefix("did:key:z")?)?;
        let key = bytes.strip_prefix(&[0xed, 0x01])?.first_chunk()?;
        PublicKey::from_bytes(key).ok()
    }
}

/// A list of DIDs with their keys.
#[derive(Clone, Default, Debug)]
pub struct Keys {
    known: BTreeMap<String, PublicKey>,
    has_did_key: bool,
}

impl Keys {
    /// An empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self { known: BTreeMap::new(), has_did_key: false }
    }

    /// The same list, which also resolves every `did:key` that it does not contain. Without this, the list is closed.
    #[must_use]
    pub fn with_did_key(self) -> Self {
        Self { has_did_key: true, ..self }
    }

    /// Adds a DID. Returns the key that it had. A DID with a fragment names this one key; one without, every key of the
    /// agent that is not listed by itself.
    pub fn insert(&mut self, did: Did, key: PublicKey) -> Option<PublicKey> {
        self.known.insert(did.as_str().to_owned(), key)
    }

    /// Adds `DID=KEY`, where the key is 64 hexadecimal digits. Returns the key that the DID had.
    ///
    /// # Errors
    ///
    /// The text has another form.
    pub fn insert_text(&mut self, text: &str) -> Result<Option<PublicKey>, InvalidKey> {
        const FORM: InvalidKey = InvalidKey::new("expected a DID, `=`, and a key of 64 hexadecimal digits");
        let (did, key) = text.rsplit_once('=').ok_or(FORM)?;
        Ok(self.insert(did.parse().map_err(|_| FORM)?, PublicKey::from_hex(key)?))
    }

    /// Whether there are no DIDs in the list.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }
}

impl ResolveKey for Keys {
    /// The key of the exact text; else that of the DID without its fragment; else that of a `did:key`, if the list
    /// allows it.
    fn key(&self, did: &Did) -> Option<PublicKey> {
        let found = self.known.get(did.as_str()).or_else(|| self.known.get(did.without_fragment()));
        found.copied().or_else(|| DidKey.key(did).filter(|_| self.has_did_key))
    }
}
