//! Messages for the tests.

use capgen_amp::cbor::{Map, Value};
use capgen_amp::message::{Message, MessageId, MessageType, Recipients, SigningKey};

/// 2024-02-04T14:00:00Z.
pub(crate) const NOON: u64 = 1_707_055_200_000;
pub(crate) const ALICE: &str = "did:web:example.com:agent:alice";
pub(crate) const BOB: &str = "did:web:example.com:agent:bob";
/// The public key of [`alice`].
pub(crate) const ALICE_KEY: &str = "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8";

pub(crate) const ALICE_DID_KEY: &str = "did:key:z6MkehRgf7yJbgaGfYsdoAsKdBPE3dj2CYhowQdcjqSJgvVd";

/// The key of the known-answer vector, with the seed 000102...1f.
pub(crate) fn alice() -> SigningKey {
    SigningKey::from_seed(&std::array::from_fn(|index| u8::try_from(index).unwrap()))
}

/// The value `DID=HEXPUB` of the sender.
pub(crate) fn alice_key() -> String {
    format!("{ALICE}={ALICE_KEY}")
}

pub(crate) fn map<V: Into<Value>, const N: usize>(entries: [(&str, V); N]) -> Value {
    let mut map = Map::new();
    for (key, value) in entries {
        map.insert(key, value);
    }
    map.into()
}

/// The message of the known-answer vector, with another type and body.
pub(crate) fn message(kind: MessageType, body: Value) -> Message {
    Message {
        id: MessageId::new(NOON, 1_u64.to_be_bytes()),
        kind,
        ts: NOON,
        ttl: 86_400_000,
        from: ALICE.parse().unwrap(),
        to: Recipients::One(BOB.parse().unwrap()),
        reply_to: None,
        thread_id: None,
        body,
        ext: None,
    }
}

/// A `CAP_QUERY` without errors.
pub(crate) fn query() -> Message {
    let filter = map([("capability", "org.agentries.code-review")]);
    message(MessageType::CapQuery, map([("filter", filter)]))
}

/// A message of Bob that answers another one.
pub(crate) fn answer(request: &Message, kind: MessageType, body: Value) -> Message {
    Message {
        id: MessageId::new(NOON, 2_u64.to_be_bytes()),
        from: BOB.parse().unwrap(),
        to: Recipients::One(request.from.clone()),
        reply_to: Some(request.id),
        ..message(kind, body)
    }
}

/// The body of an `ERROR`.
pub(crate) fn error() -> Value {
    map([("code", Value::from(4002)), ("category", "client".into()), ("message", "not found".into())])
}
