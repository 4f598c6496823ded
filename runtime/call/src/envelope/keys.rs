//! The keys of envelopes: HMAC-SHA-256 ([RFC 2104](https://www.rfc-editor.org/rfc/rfc2104)).

use std::collections::BTreeMap;
use std::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// The keys with which envelopes are signed and verified.
///
/// A client or a server with keys accepts only signed envelopes. To rotate a key, add the new one to every program,
/// then sign with it, then remove the old one.
///
/// ```
/// use capgen_call::Keys;
/// let keys = Keys::signing_with("2026-11", b"a secret of at least 16 bytes")?.and("2026-10", b"the secret of last month")?;
/// assert_eq!(format!("{keys:?}"), r#"Keys { ids: ["2026-10", "2026-11"] }"#);
/// # Ok::<(), capgen_call::InvalidKey>(())
/// ```
#[derive(Clone)]
pub struct Keys {
    signing: String,
    /// The keyed functions, so that the key schedule is computed once.
    keys: BTreeMap<String, Hmac<Sha256>>,
}

/// Why a key was rejected.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum InvalidKey {
    /// The secret has fewer than 16 bytes.
    TooShort,
    /// The id is empty, longer than 128 code points, or used already.
    InvalidId,
}

impl Keys {
    /// The length of the shortest secret, in bytes. The recommended length is 32. 128 bits cannot be guessed; 32 bytes
    /// are the length of the hash of the signature (RFC 2104, section 3).
    pub const MIN_SECRET: usize = 16;

    /// One key, for signing and verifying.
    ///
    /// # Errors
    ///
    /// The id or the secret is invalid.
    pub fn signing_with(id: &str, secret: &[u8]) -> Result<Self, InvalidKey> {
        Self { signing: id.to_owned(), keys: BTreeMap::new() }.and(id, secret)
    }

    /// Another key, for verifying only.
    ///
    /// # Errors
    ///
    /// The id or the secret is invalid.
    pub fn and(mut self, id: &str, secret: &[u8]) -> Result<Self, InvalidKey> {
        if id.is_empty() || id.chars().count() > 128 || self.keys.contains_key(id) {
            return Err(InvalidKey::InvalidId);
        }
        if secret.len() < Self::MIN_SECRET {
            return Err(InvalidKey::TooShort);
        }
        let key = Hmac::<Sha256>::new_from_slice(secret).map_err(|_| InvalidKey::TooShort)?;
        self.keys.insert(id.to_owned(), key);
        Ok(self)
    }

    /// The id of the signing key and the signature of a text, in hexadecimal.
    pub(super) fn sign(&self, text: &[u8]) -> Option<(&str, String)> {
        let mut mac = self.keys.get(&self.signing)?.clone();
        mac.update(text);
        Some((&self.signing, hex::encode(mac.finalize().into_bytes())))
    }

    /// Whether a signature in hexadecimal is the one of the parts of a text. Takes the same time for every wrong
    /// signature.
    pub(super) fn verifies(&self, id: &str, signature: &str, parts: [&[u8]; 2]) -> bool {
        let (Some(key), Ok(signature)) = (self.keys.get(id), hex::decode(signature)) else { return false };
        let mut mac = key.clone();
        parts.iter().for_each(|part| mac.update(part));
        mac.verify_slice(&signature).is_ok()
    }
}

impl fmt::Debug for Keys {
    /// Leaves out the secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").field("ids", &self.keys.keys().collect::<Vec<_>>()).finish()
    }
}

impl fmt::Display for InvalidKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooShort => write!(f, "the secret of a key has at least {} bytes", Keys::MIN_SECRET),
            Self::InvalidId => f.write_str("the id of a key is empty, too long or used already"),
        }
    }
}

impl std::error::Error for InvalidKey {}
