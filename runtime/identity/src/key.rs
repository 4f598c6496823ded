//! Keys of issuers, and signatures.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde_json::{Map, Value};

/// An algorithm of signatures. There is none without a key, and none whose key the verifier would have to keep secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Algorithm {
    /// `EdDSA` with Ed25519.
    EdDsa,
    /// `ES256`: ECDSA with P-256 and SHA-256.
    Es256,
    /// `RS256`: RSASSA-PKCS1-v1_5 with SHA-256, and a modulus of 2048 to 8192 bits.
    Rs256,
}

impl Algorithm {
    /// All of them: the default of an issuer.
    pub const ALL: [Self; 3] = [Self::EdDsa, Self::Es256, Self::Rs256];

    /// The name in tokens.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::EdDsa => "EdDSA",
            Self::Es256 => "ES256",
            Self::Rs256 => "RS256",
        }
    }
}

/// A public key of an issuer.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) id: String,
    material: Material,
}

#[derive(Clone, Debug)]
enum Material {
    Ed25519(Vec<u8>),
    /// An uncompressed point.
    P256(Vec<u8>),
    /// The modulus and the exponent, without zeros before them.
    Rsa(Vec<u8>, Vec<u8>),
}

impl Key {
    /// A key of a set; `None` if it is not one for the signatures of [`Algorithm`], or has no id.
    pub(crate) fn read(jwk: &Map<String, Value>) -> Option<Self> {
        let text = |name: &str| jwk.get(name).and_then(Value::as_str);
        let bytes = |name: &str| URL_SAFE_NO_PAD.decode(text(name)?).ok();
        let of_length = |name: &str| bytes(name).filter(|bytes| bytes.len() == 32);
        let material = match (text("kty")?, text("crv")) {
            ("OKP", Some("Ed25519")) => Material::Ed25519(of_length("x")?),
            ("EC", Some("P-256")) => Material::P256([&[4][..], &of_length("x")?, &of_length("y")?].concat()),
            ("RSA", _) => Material::Rsa(number(&bytes("n")?), number(&bytes("e")?)),
            _ => return None,
        };
        let key = Self { id: text("kid")?.to_owned(), material };
        let is_for_signatures = match (jwk.get("use"), jwk.get("key_ops")) {
            (Some(purpose), _) if purpose != "sig" => false,
            (_, Some(Value::Array(operations))) => operations.iter().any(|operation| operation == "verify"),
            (_, other) => other.is_none(),
        };
        // A key that names its algorithm is for no other.
        let is_named = jwk.get("alg").is_none_or(|name| name == key.algorithm().name());
        (is_for_signatures && is_named).then_some(key)
    }

    /// The only algorithm of the key.
    pub(crate) fn algorithm(&self) -> Algorithm {
        match self.material {
            Material::Ed25519(_) => Algorithm::EdDsa,
            Material::P256(_) => Algorithm::Es256,
            Material::Rsa(..) => Algorithm::Rs256,
        }
    }

    /// Whether a signature is that of a text.
    pub(crate) fn verifies(&self, text: &[u8], signature: &[u8]) -> bool {
        let verified = match &self.material {
            Material::Ed25519(key) => UnparsedPublicKey::new(&ED25519, key).verify(text, signature),
            Material::P256(key) => UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key).verify(text, signature),
            Material::Rsa(n, e) => RsaPublicKeyComponents { n, e }.verify(&RSA_PKCS1_2048_8192_SHA256, text, signature),
        };
        verified.is_ok()
    }
}

/// The bytes of a number without zeros before them.
fn number(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().skip_while(|byte| *byte == 0).collect()
}
