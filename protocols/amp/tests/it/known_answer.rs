//! The known-answer vector of `specs/amp-envelope.md`, bit for bit.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen_amp::cbor::{Limits, Value, encode};
use capgen_amp::message::{Did, DidKey, Keys, Message, MessageId, MessageType, PublicKey, SigningKey, decode_message};
use capgen_amp::{Code, cbor};

const SEED: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n";
const PUBLIC: &str = "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8";
const SIGNATURE: &str = "ddfe6db4951b1244be2953963b3323d1957bf95f04e123b0e4283fec5267961c6af0752a2e6ccbbfe313d08107c3ccc45a79add798bc4afd1d78f89ae38fdb02";

fn did(text: &str) -> Did {
    text.parse().unwrap()
}

fn message() -> Message {
    let ts = 1_707_055_200_000;
    Message {
        id: MessageId::new(ts, [0, 0, 0, 0, 0, 0, 0, 1]),
        kind: MessageType::Message,
        ts,
        ttl: 86_400_000,
        from: did("did:web:example.com:agent:alice"),
        to: did("did:web:example.com:agent:bob").into(),
        reply_to: None,
        thread_id: None,
        body: Value::Null,
        ext: None,
    }
}

#[test]
fn the_signature_of_the_known_message_is_the_known_one() {
    let key = SigningKey::from_hex(SEED).unwrap();
    assert_eq!(key.public().to_string(), PUBLIC);
    assert_eq!(message().id.to_string(), "0000018d746b37000000000000000001");
    let bytes = message().sign(&key);
    let decoded = cbor::decode(&bytes, &Limits::default()).unwrap();
    assert_eq!(decoded.get("sig").unwrap().as_bytes().map(hex::encode).as_deref(), Some(SIGNATURE));
    assert_eq!(decoded.as_map().unwrap().len(), 9);
    assert_eq!(decoded.get("body"), Some(&Value::Null));
    assert_eq!(encode(&decoded), bytes);
}

#[test]
fn the_known_message_is_read_and_verified() {
    let mut keys = Keys::new();
    assert_eq!(keys.insert_text(&format!("did:web:example.com:agent:alice={PUBLIC}")).unwrap(), None);
    let bytes = message().sign(&SigningKey::from_hex(SEED).unwrap());
    let unverified = decode_message(&bytes, &Limits::default()).unwrap();
    unverified.check_time(message().ts).unwrap();
    assert_eq!(unverified.clone().verify(&keys).unwrap(), message());
    assert_eq!(unverified.verify(&DidKey).unwrap_err().code, Code::InvalidSignature);
}

#[test]
fn codes_of_errors_have_the_known_bytes() {
    for (number, bytes) in [(4003, "190fa3"), (1001, "1903e9"), (3001, "190bb9"), (5004, "19138c")] {
        assert!(Code::from_number(number).is_some());
        assert_eq!(hex::encode(encode(&Value::from(number))), bytes);
    }
    assert_eq!(encode(&Value::Null), [0xf6]);
}

#[test]
fn the_public_key_is_read_from_its_text() {
    let key = PublicKey::from_hex(PUBLIC).unwrap();
    assert_eq!(hex::encode(key.as_bytes()), PUBLIC);
}
