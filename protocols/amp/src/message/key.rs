//! Ed25519 keys.

use std::fmt;

use ed25519_dalek::{Signature, Signer, VerifyingKey};
use hmac::Mac;

use crate::mac::keyed;

/// A private key of Ed25519. No message and no `Debug` text contains it, and its memory is cleared if it is dropped.
#[derive(Clone)]
pub struct SigningKey(ed25519_dalek::SigningKey);

/// A public key of Ed25519.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

/// A text or bytes that are not a key. The error does not contain them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidKey(&'static str);

impl SigningKey {
    /// The key with this seed, the private key of [RFC 8032, section
    /// 5.1.5](https://www.rfc-editor.org/rfc/rfc8032#section-5.1.5).
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(ed25519_dalek::SigningKey::from_bytes(seed))
    }

    /// The key whose seed is 64 hexadecimal digits. White space around them is ignored, as files end with a line break.
    ///
    /// # Errors
    ///
    /// The text has another form.
    pub fn from_hex(text: &str) -> Result<Self, InvalidKey> {
        Ok(Self::from_seed(&bytes_of(text)?))
    }

    /// The public key.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    /// The signature of some bytes.
    #[must_use]
    pub fn sign(&self, bytes: &[u8]) -> [u8; 64] {
        self.0.sign(bytes).to_bytes()
    }

    /// A key for another purpose: HMAC-SHA-256 of the context, with the seed as its key. Different contexts give
    /// independent keys.
    #[must_use]
    pub fn derive(&self, context: &[u8]) -> [u8; 32] {
        keyed(self.0.as_bytes()).chain_update(context).finalize().into_bytes().into()
    }
}

impl PublicKey {
    /// The key with this encoding ([RFC 8032, section 5.1.2](https://www.rfc-editor.org/rfc/rfc8032#section-5.1.2)).
    ///
    /// # Errors
    ///
    /// The bytes do not encode a point of the curve.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, InvalidKey> {
        VerifyingKey::from_bytes(bytes).map(Self).map_err(|_| InvalidKey("the bytes are not a public key of Ed25519"))
    }

    /// The key of 64 hexadecimal digits. White space around them is ignored.
    ///
    /// # Errors
    ///
    /// The text has another form, or does not encode a point of the curve.
    pub fn from_hex(text: &str) -> Result<Self, InvalidKey> {
        Self::from_bytes(&bytes_of(text)?)
    }

    /// The encoding of the key.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// Whether the signature of the bytes is valid. The check is strict: it rejects weak keys and every second form of
    /// a signature, so all verifiers that are strict agree.
    #[must_use]
    pub fn verify_strict(&self, bytes: &[u8], signature: &[u8; 64]) -> bool {
        self.0.verify_strict(bytes, &Signature::from_bytes(signature)).is_ok()
    }
}

impl InvalidKey {
    pub(super) const fn new(message: &'static str) -> Self {
        Self(message)
    }
}

fn bytes_of(text: &str) -> Result<[u8; 32], InvalidKey> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(text.trim(), &mut bytes).map_err(|_| InvalidKey("a key has 64 hexadecimal digits"))?;
    Ok(bytes)
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey(of {:?})", self.public())
    }
}

/// Hexadecimal digits.
impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.as_bytes()))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

impl fmt::Display for InvalidKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for InvalidKey {}
