//! Sets of keys: JSON Web Key Sets ([RFC 7517](https://www.rfc-editor.org/rfc/rfc7517)).

use capgen_schema::parse_payload;
use serde_json::Value;

use crate::fetch::MAX_JWKS;
use crate::key::{Algorithm, Key};

/// The most keys of a set. Issuers have the current key, the next one and some that expire.
const MAX_KEYS: usize = 100;

/// The keys of an issuer.
#[derive(Clone, Default, Debug)]
pub(crate) struct KeySet(Vec<Key>);

impl KeySet {
    /// Reads a set. Keys of other kinds, for other purposes and without an id are skipped.
    pub(crate) fn read(text: &[u8]) -> Result<Self, &'static str> {
        if text.len() > MAX_JWKS {
            return Err("the set of keys is larger than 1 MiB");
        }
        // Without the reason of the parser, which may quote the text of another server.
        let set = parse_payload(text).map_err(|_| "the set of keys is not JSON")?;
        let Some(Value::Array(keys)) = set.get("keys") else { return Err("the set of keys has no list `keys`") };
        if keys.len() > MAX_KEYS {
            return Err("the set has more than 100 keys");
        }
        Ok(Self(keys.iter().filter_map(|key| Key::read(key.as_object()?)).collect()))
    }

    /// Whether there is a key with an id.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.0.iter().any(|key| key.id == id)
    }

    /// Whether a signature is that of a key with an id and an algorithm.
    pub(crate) fn verifies(&self, id: &str, algorithm: Algorithm, text: &[u8], signature: &[u8]) -> bool {
        let mut keys = self.0.iter().filter(|key| key.id == id && key.algorithm() == algorithm);
        keys.any(|key| key.verifies(text, signature))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: &Value) -> Result<usize, &'static str> {
        KeySet::read(value.to_string().as_bytes()).map(|set| set.0.len())
    }

    #[test]
    fn sets_have_limits() {
        let key = json!({"kty": "OKP", "crv": "Ed25519", "kid": "k", "x": "A".repeat(43)});
        assert_eq!(read(&json!({"keys": vec![key.clone(); 100]})), Ok(100));
        assert_eq!(read(&json!({"keys": vec![key; 101]})), Err("the set has more than 100 keys"));
        assert_eq!(KeySet::read(&vec![b' '; MAX_JWKS + 1]).err(), Some("the set of keys is larger than 1 MiB"));
        for text in [&b"{"[..], b"[]", b"{\"keys\":{}}", b"{\"keys\":[],\"keys\":[]}"] {
            assert!(KeySet::read(text).is_err());
        }
    }

    #[test]
    fn keys_for_something_else_are_skipped() {
        let key = json!({"kty": "OKP", "crv": "Ed25519", "kid": "k", "x": "A".repeat(43)});
        let with = |name: &str, value: Value| {
            let mut key = key.clone();
            key[name] = value;
            read(&json!({"keys": [key]}))
        };
        for (name, value, count) in [
            ("use", json!("sig"), 1),
            ("use", json!("enc"), 0),
            ("use", json!(1), 0),
            ("key_ops", json!(["verify"]), 1),
            ("key_ops", json!(["sign"]), 0),
            ("key_ops", json!("verify"), 0),
            ("alg", json!("EdDSA"), 1),
            ("alg", json!("ES256"), 0),
            ("kid", json!(7), 0),
            ("kty", json!("oct"), 0),
            ("crv", json!("Ed448"), 0),
            ("x", json!("AA"), 0),
            ("x", json!("!"), 0),
        ] {
            assert_eq!(with(name, value.clone()), Ok(count), "{name} {value}");
        }
        assert_eq!(read(&json!({"keys": [1, null, {}]})), Ok(0));
    }
}
