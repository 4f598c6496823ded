//! Signatures of messages, computed by the definition of HMAC ([RFC 2104](https://www.rfc-editor.org/rfc/rfc2104)) and
//! not by the code that is tested.

use capgen_schema::Hash;
use serde_json::json;

use super::recording::Key;

/// The start of the signature, which every recorded peer writes at the end of a message.
const START: &str = r#","auth":{"kind":"hmac","#;

/// The text without its signature, and the signature.
fn split(text: &str) -> Option<(String, serde_json::Value)> {
    let at = text.rfind(START)?;
    let auth = text[at..].strip_prefix(r#","auth":"#)?.strip_suffix('}')?;
    Some((format!("{}}}", &text[..at]), serde_json::from_str(auth).ok()?))
}

/// Whether a text is signed with a key.
pub(crate) fn is_signed(text: &str, key: &Key) -> bool {
    split(text).is_some_and(|(unsigned, auth)| {
        auth == json!({"kind": "hmac", "keyId": key.id, "signature": hmac(&key.secret, &unsigned)})
    })
}

/// The text with a new signature.
pub(crate) fn sign(text: &str, key: &Key) -> String {
    let unsigned = split(text).map_or_else(|| text.to_owned(), |(unsigned, _)| unsigned);
    let auth = format!(r#""keyId":"{}","signature":"{}""#, key.id, hmac(&key.secret, &unsigned));
    format!("{}{START}{auth}}}}}", unsigned.strip_suffix('}').unwrap())
}

/// HMAC-SHA-256 in hexadecimal. The secret has at most 64 bytes.
fn hmac(secret: &str, text: &str) -> String {
    let mut block = [0_u8; 64];
    block[..secret.len()].copy_from_slice(secret.as_bytes());
    let hash = |pad: u8, text: &[u8]| Hash::of([&block.map(|byte| byte ^ pad)[..], text].concat());
    let inner = hash(0x36, text.as_bytes());
    hash(0x5c, inner.as_bytes()).to_string()
}

#[test]
fn signatures_are_those_of_the_standard() {
    // The first test case of RFC 4231.
    let expected = "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7";
    assert_eq!(hmac(&"\u{b}".repeat(20), "Hi There"), expected);
    let key = Key { id: "k1".to_owned(), secret: "a secret of at least 16 bytes".to_owned() };
    let signed = sign(r#"{"a":1}"#, &key);
    assert!(is_signed(&signed, &key) && !is_signed(&signed.replace("\"a\":1", "\"a\":2"), &key));
    assert_eq!(sign(&signed, &key), signed);
}
