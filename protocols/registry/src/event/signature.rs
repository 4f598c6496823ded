//! Signatures of events: Ed25519 over the canonical text that the content hash covers (decision 15).

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer as _};
use serde_json::{Value, json};

use super::{Event, envelope::text};
use crate::Configuration;
use crate::config::SignatureRule;

/// Whether the signature of an event whose envelope is valid, or its absence, is right.
pub(super) fn is_valid(event: &Event, config: &Configuration) -> bool {
    let (Some(agent), Some(id)) = (event.agent(), event.id()) else { return false };
    // An event in usual form is not signed.
    let signature = if event.usual().is_some() { None } else { event.value().get("signature") };
    let signature = signature.filter(|signature| !signature.is_null());
    match (config.signature_rule(agent, id), signature) {
        (SignatureRule::Unsigned, None) => true,
        (SignatureRule::Signed(keys), Some(signature)) => {
            let key = text(signature, "public_key_id").and_then(|key_id| keys.valid(key_id, id));
            let is_ed25519 = text(signature, "algorithm").is_some_and(|name| name.eq_ignore_ascii_case("Ed25519"));
            let signature = text(signature, "signature").and_then(decode);
            // Strict: no key or signature that libraries disagree about.
            let verifies = |(key, signature): (&ed25519_dalek::VerifyingKey, _)| {
                key.verify_strict(event.content().as_bytes(), &signature).is_ok()
            };
            is_ed25519 && key.zip(signature).is_some_and(verifies)
        }
        _ => false,
    }
}

fn decode(text: &str) -> Option<Signature> {
    Some(Signature::from_bytes(&STANDARD.decode(text).ok()?.try_into().ok()?))
}

/// A private key that signs events, and its id in the configuration.
///
/// Its debug output does not contain the key.
#[derive(Clone)]
pub struct SigningKey {
    id: String,
    key: ed25519_dalek::SigningKey,
}

/// A text that is not a private key: 32 bytes in base64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvalidSigningKey;

impl SigningKey {
    /// Reads the 32 bytes of an Ed25519 seed ([RFC 8032](https://www.rfc-editor.org/rfc/rfc8032#section-5.1.5)) from
    /// base64.
    ///
    /// # Errors
    ///
    /// The text is not 32 bytes in base64.
    pub fn from_base64(id: impl Into<String>, seed: &str) -> Result<Self, InvalidSigningKey> {
        let seed: [u8; 32] =
            STANDARD.decode(seed.trim()).ok().and_then(|seed| seed.try_into().ok()).ok_or(InvalidSigningKey)?;
        Ok(Self { id: id.into(), key: ed25519_dalek::SigningKey::from_bytes(&seed) })
    }

    /// The id of the key in the configuration.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn verifying_key(&self) -> ed25519_dalek::VerifyingKey {
        self.key.verifying_key()
    }

    /// The public key in base64, as in the member `keys` of a configuration.
    #[must_use]
    pub fn public_key(&self) -> String {
        STANDARD.encode(self.key.verifying_key().as_bytes())
    }

    /// The event with a signature, which replaces the one that it has. A value that is not an object is returned as it
    /// is.
    #[must_use]
    pub fn sign(&self, event: &Event) -> Event {
        let mut value = event.value().clone();
        if let Value::Object(members) = &mut value {
            let signature = STANDARD.encode(self.key.sign(event.content().as_bytes()).to_bytes());
            members.insert(
                "signature".to_owned(),
                json!({"algorithm": "Ed25519", "public_key_id": self.id, "signature": signature}),
            );
        }
        Event::new(value)
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("id", &self.id).finish_non_exhaustive()
    }
}

impl fmt::Display for InvalidSigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected the 32 bytes of an Ed25519 seed in base64")
    }
}

impl std::error::Error for InvalidSigningKey {}
