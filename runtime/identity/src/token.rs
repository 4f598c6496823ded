//! The parts of a token: the compact form of [RFC 7515](https://www.rfc-editor.org/rfc/rfc7515).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use capgen_schema::parse_payload;
use serde_json::{Map, Value};

use crate::key::Algorithm;

/// The longest token in bytes: that of the headers of an envelope. Usual ones have 1 to 4 KB.
const MAX_TOKEN: usize = 16 * 1024;

/// A token whose signature is not checked yet.
#[derive(Debug)]
pub(crate) struct Token<'t> {
    pub(crate) algorithm: Algorithm,
    pub(crate) key_id: String,
    pub(crate) claims: Map<String, Value>,
    /// The text that is signed.
    pub(crate) signed: &'t [u8],
    pub(crate) signature: Vec<u8>,
}

impl<'t> Token<'t> {
    /// Reads a token. Keys in its header (`jwk`, `jku`, `x5u`, `x5c`) are ignored: the sender chose them.
    pub(crate) fn read(text: &'t str, allowed: &[Algorithm]) -> Result<Self, &'static str> {
        if text.len() > MAX_TOKEN {
            return Err("it has more than 16 KiB");
        }
        let (signed, signature) = text.rsplit_once('.').ok_or("it has not three parts")?;
        let (header, claims) = signed.split_once('.').ok_or("it has not three parts")?;
        let header = object(header).ok_or("its header is not a JSON object in base64url")?;
        let name = header.get("alg").and_then(Value::as_str).ok_or("its header has no algorithm")?;
        let algorithm = allowed.iter().copied().find(|allowed| allowed.name() == name);
        let algorithm = algorithm.ok_or("its algorithm is not allowed")?;
        // Extensions that the receiver must understand (RFC 7515, section 4.1.11): none is known.
        if header.contains_key("crit") {
            return Err("its header has a critical extension");
        }
        // Tokens for other purposes, such as logging out, have other types (RFC 8725, section 3.11).
        let is_access = |kind: &Value| {
            let kind = kind.as_str().map(str::to_ascii_lowercase);
            kind.is_some_and(|kind| ["jwt", "at+jwt", "application/at+jwt"].contains(&kind.as_str()))
        };
        if !header.get("typ").is_none_or(is_access) {
            return Err("its type is neither `JWT` nor `at+jwt`");
        }
        let key_id = header.get("kid").and_then(Value::as_str).ok_or("its header names no key")?.to_owned();
        let claims = object(claims).ok_or("its claims are not a JSON object in base64url")?;
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| "its signature is not base64url")?;
        Ok(Self { algorithm, key_id, claims, signed: signed.as_bytes(), signature })
    }
}

fn object(text: &str) -> Option<Map<String, Value>> {
    match parse_payload(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()? {
        Value::Object(object) => Some(object),
        _ => None,
    }
}
