//! A message, and its encoding.

use super::{Did, MessageId, MessageType, Recipients, SigningKey};
use crate::cbor::{self, Map, Value};

/// A message without its version, which is 1, and its signature.
///
/// Source: `specs/amp-envelope.md`, Message.
#[derive(Clone, PartialEq, Debug)]
pub struct Message {
    /// `id`: unique among the messages of the sender.
    pub id: MessageId,
    /// `typ`.
    pub kind: MessageType,
    /// `ts`: the time of creation, in Unix milliseconds.
    pub ts: u64,
    /// `ttl`: the lifetime in milliseconds.
    pub ttl: u64,
    /// `from`: the sender.
    pub from: Did,
    /// `to`: the recipients.
    pub to: Recipients,
    /// `reply_to`: the message that this one answers.
    pub reply_to: Option<MessageId>,
    /// `thread_id`: the conversation. An answer has that of its request.
    pub thread_id: Option<Vec<u8>>,
    /// `body`: [`Value::Null`] if there is no payload.
    pub body: Value,
    /// `ext`: the signature does not cover it, so it must not affect security.
    pub ext: Option<Map>,
}

/// The value of a field.
enum Field<'a> {
    Unsigned(u64),
    Bytes(&'a [u8]),
    Recipients(&'a Recipients),
    Text(&'a str),
    Map(&'a Map),
    /// The encoding of a value.
    Encoded(&'a [u8]),
}

impl Message {
    /// The deterministic encoding of the message with its signature.
    ///
    /// A receiver rejects it if `body` or `ext` is nested more than 127 levels deep, if `id` does not contain `ts`, or
    /// if there are no recipients.
    #[must_use]
    pub fn sign(&self, key: &SigningKey) -> Vec<u8> {
        let body = cbor::encode(&self.body);
        let signature = key.sign(&self.signed_bytes_with(&body));
        let mut bytes = Vec::with_capacity(body.len() + 256);
        // In the order of the encodings: by length, then by bytes.
        let fields = [
            ("v", Some(Field::Unsigned(1))),
            ("id", Some(Field::Bytes(self.id.as_bytes()))),
            ("to", Some(Field::Recipients(&self.to))),
            ("ts", Some(Field::Unsigned(self.ts))),
            ("ext", self.ext.as_ref().map(Field::Map)),
            ("sig", Some(Field::Bytes(&signature))),
            ("ttl", Some(Field::Unsigned(self.ttl))),
            ("typ", Some(Field::Unsigned(u64::from(self.kind.code())))),
            ("body", Some(Field::Encoded(&body))),
            ("from", Some(Field::Text(self.from.as_str()))),
            ("reply_to", self.reply_to.as_ref().map(|id| Field::Bytes(id.as_bytes()))),
            ("thread_id", self.thread_id.as_deref().map(Field::Bytes)),
        ];
        write_map(&mut bytes, &fields);
        bytes
    }

    /// The bytes that the signature covers.
    ///
    /// Source: `specs/amp-envelope.md`, Signature: `["AMP-v1", h'', {id, typ, ts, ttl, from, to, ?reply_to,
    /// ?thread_id}, bstr(deterministic_cbor(body))]`.
    #[must_use]
    pub fn signed_bytes(&self) -> Vec<u8> {
        self.signed_bytes_with(&cbor::encode(&self.body))
    }

    fn signed_bytes_with(&self, body: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(body.len() + 256);
        cbor::write_array_head(&mut bytes, 4);
        cbor::write_text(&mut bytes, "AMP-v1");
        cbor::write_bytes(&mut bytes, &[]);
        let fields = [
            ("id", Some(Field::Bytes(self.id.as_bytes()))),
            ("to", Some(Field::Recipients(&self.to))),
            ("ts", Some(Field::Unsigned(self.ts))),
            ("ttl", Some(Field::Unsigned(self.ttl))),
            ("typ", Some(Field::Unsigned(u64::from(self.kind.code())))),
            ("from", Some(Field::Text(self.from.as_str()))),
            ("reply_to", self.reply_to.as_ref().map(|id| Field::Bytes(id.as_bytes()))),
            ("thread_id", self.thread_id.as_deref().map(Field::Bytes)),
        ];
        write_map(&mut bytes, &fields);
        cbor::write_bytes(&mut bytes, body);
        bytes
    }
}

/// Appends a map with the fields that are present. They must be in the order of the encodings of their names.
fn write_map(bytes: &mut Vec<u8>, fields: &[(&str, Option<Field<'_>>)]) {
    let present = || fields.iter().filter_map(|(name, field)| Some((name, field.as_ref()?)));
    cbor::write_map_head(bytes, present().count());
    for (name, field) in present() {
        cbor::write_text(bytes, name);
        match field {
            Field::Unsigned(number) => cbor::write_unsigned(bytes, *number),
            Field::Bytes(content) => cbor::write_bytes(bytes, content),
            Field::Text(text) => cbor::write_text(bytes, text),
            Field::Map(map) => cbor::write_map(bytes, map),
            Field::Encoded(encoded) => bytes.extend_from_slice(encoded),
            Field::Recipients(Recipients::One(recipient)) => cbor::write_text(bytes, recipient.as_str()),
            Field::Recipients(Recipients::Many(recipients)) => {
                cbor::write_array_head(bytes, recipients.len());
                recipients.iter().for_each(|recipient| cbor::write_text(bytes, recipient.as_str()));
            }
        }
    }
}
