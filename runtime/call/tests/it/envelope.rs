//! Envelopes: any text can be read, and those that are written can be read back.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use bytes::Bytes;
use capgen::call::{Envelope, Keys};
use proptest::prelude::*;
use serde_json::{Value, json};

fn request() -> Value {
    json!({
        "version": 1, "kind": "request", "messageId": "m", "correlationId": "c", "from": "agent://a", "to": "agent://b",
        "capability": "say", "replyTo": "memory://inbox.m", "deadline": 1_900_000_000_000_u64, "tenantId": "t",
        "headers": {"a": "b"}, "payload": {"x": [1, "}", {"auth": null}]},
    })
}

fn keys() -> Keys {
    Keys::signing_with("k", b"a secret of at least 16 bytes").unwrap()
}

#[test]
fn the_keys_of_a_written_envelope_have_the_order_of_the_specification() {
    let envelope = Envelope::decode(&request().to_string().into()).unwrap();
    let text = envelope.encode(Some(&keys())).unwrap();
    let text = String::from_utf8(text.to_vec()).unwrap();
    let names = [
        "version",
        "kind",
        "messageId",
        "correlationId",
        "from",
        "to",
        "capability",
        "replyTo",
        "deadline",
        "tenantId",
        "headers",
        "payload",
        "auth",
    ];
    let places: Vec<usize> = names.iter().map(|name| text.find(&format!("\"{name}\":")).unwrap()).collect();
    assert!(places.is_sorted(), "{text}");
    assert!(!text.contains(['\n', ' ']), "{text}");
    assert!(Envelope::decode(&text.into()).unwrap().is_authentic(Some(&keys())));
}

#[test]
fn errors_do_not_quote_the_message() {
    let mut request = request();
    request["capability"] = json!("hunter2 hunter2");
    request["hunter2"] = json!("hunter2");
    let error = Envelope::decode(&request.to_string().into()).unwrap_err().to_string();
    assert!(error.contains("/capability") && !error.contains("hunter2 hunter2"), "{error}");
}

/// JSON texts of payloads, with whitespace.
fn payload() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<i64>().prop_map(|number| number.to_string()),
        any::<String>().prop_map(|text| json!(text).to_string()),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(" , "))),
            prop::collection::vec(("payload|auth|[a-c\"\\\\{}]{0,3}", inner), 0..4).prop_map(|members| {
                let members: BTreeMap<String, String> = members.into_iter().collect();
                let members = members.iter().map(|(name, value)| format!("{} : {value}", json!(name)));
                format!("{{ {} }}", members.collect::<Vec<_>>().join(","))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn every_payload_arrives_as_it_was_sent(payload in payload(), place in 0_usize..13) {
        // The payload at any place among the other members.
        let request = request();
        let mut members: Vec<String> = request.as_object().unwrap().iter()
            .filter(|(name, _)| *name != "payload")
            .map(|(name, value)| format!("{}:{value}", json!(name)))
            .collect();
        members.insert(place.min(members.len()), format!("\"payload\": {payload}"));
        let text = format!("{{{}}}", members.join(","));
        let envelope = Envelope::decode(&text.into()).unwrap();
        prop_assert_eq!(&envelope.payload[..], payload.as_bytes());
        let signed = envelope.encode(Some(&keys())).unwrap();
        let again = Envelope::decode(&signed).unwrap();
        prop_assert!(again.is_authentic(Some(&keys())));
        prop_assert_eq!(&again.payload[..], payload.as_bytes());
    }

    #[test]
    fn any_change_of_a_byte_is_invalid_or_not_authentic(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let envelope = Envelope::decode(&request().to_string().into()).unwrap();
        let signed = envelope.encode(Some(&keys())).unwrap().to_vec();
        let mut changed = signed.clone();
        let at = at.index(changed.len());
        changed[at] = byte;
        prop_assume!(changed != signed);
        if let Ok(envelope) = Envelope::decode(&Bytes::from(changed)) {
            // A change within `auth` itself, such as in its whitespace, is allowed if the signature stays the same.
            prop_assert!(!envelope.is_authentic(Some(&keys())), "{at}");
        }
    }

    #[test]
    fn any_text_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Envelope::decode(&Bytes::from(bytes));
    }

    #[test]
    fn any_text_of_json_characters_can_be_read(text in r#"[{}\[\]",:\\ a1payloduth]{0,80}"#) {
        let _ = Envelope::decode(&Bytes::from(format!("{{\"payload\":{text}")));
        let _ = Envelope::decode(&Bytes::from(text));
    }
}
