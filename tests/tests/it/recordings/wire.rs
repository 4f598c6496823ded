//! The rules that old peers apply to messages: their schemas, and signatures over the text.

use std::sync::LazyLock;

use capgen_manifest::{Side, Source, load};
use capgen_schema::{ExactPayload, Validator};
use serde_json::{Value, json};

use super::recording::{Key, folder};
use super::signature;

/// The schemas of the envelope and of the payload of an error, as old peers have them.
static SCHEMAS: LazyLock<[Validator; 2]> = LazyLock::new(|| {
    let text = std::fs::read_to_string(folder().join("contracts/envelope.yaml")).unwrap();
    let manifest = load(&Source::new("envelope.yaml", text)).unwrap().manifest;
    ["deliver", "fail"].map(|name| {
        let capability = manifest.capabilities.iter().find(|capability| capability.name == name).unwrap();
        Validator::new(capability.schema(Side::Request).unwrap())
    })
});

/// A message that old peers can read: without its id, and with `auth` replaced by `true` if it is signed with the key.
///
/// # Errors
///
/// Why old peers reject it.
pub(crate) fn read(text: &str, key: Option<&Key>) -> Result<Value, String> {
    let [envelope, error] = &*SCHEMAS;
    check(envelope, text)?;
    let mut message: Value = serde_json::from_str(text).unwrap();
    if is_error(&message) {
        check(error, &message["payload"].to_string())?;
    }
    let members = message.as_object_mut().unwrap();
    members.remove("messageId");
    if members.contains_key("auth") {
        let is_valid = key.is_some_and(|key| signature::is_signed(text, key));
        members.insert("auth".to_owned(), is_valid.into());
    }
    Ok(message)
}

/// Whether a message is the response to a call that failed.
pub(crate) fn is_error(message: &Value) -> bool {
    message["headers"]["capgen-status"] == json!("error")
}

fn check(validator: &Validator, text: &str) -> Result<(), String> {
    let payload = ExactPayload::parse(text.as_bytes()).map_err(|error| format!("{error}: {text}"))?;
    let violations = validator.validate_exact(&payload);
    if violations.is_empty() { Ok(()) } else { Err(format!("{violations:?}: {text}")) }
}

#[test]
fn messages_that_old_peers_reject_are_found() {
    let valid = r#"{"version":1,"kind":"request","messageId":"m","correlationId":"c","from":"agent://a","to":"agent://b","capability":"x","payload":null}"#;
    assert!(read(valid, None).is_ok());
    let response = valid.replace("request", "response");
    let failed = |payload: &str| {
        response.replace("\"payload\":null", &format!(r#""headers":{{"capgen-status":"error"}},"payload":{payload}"#))
    };
    assert!(read(&failed(r#"{"code":"X","message":"m","effect":"none","skew":{}}"#), None).is_ok());
    for invalid in [
        valid.replace("request", "control"),
        valid.replace("\"payload\"", "\"instance\":\"i\",\"payload\""),
        valid.replace("null", "{\"a\":1,\"a\":2}"),
        valid.replace("\"payload\"", "\"auth\":{\"kind\":\"ed25519\",\"keyId\":\"k\",\"signature\":\"s\"},\"payload\""),
        failed("null"),
        failed(r#"{"code":"X"}"#),
        failed(r#"{"code":"X","message":"m","side":"item"}"#),
    ] {
        assert!(read(&invalid, None).is_err(), "{invalid}");
    }
}
