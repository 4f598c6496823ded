//! The messages that a provider or a requester writes.

use hmac::Mac as _;

use crate::cbor::Value;
use crate::mac::keyed;
use crate::message::{Did, Message, MessageId, MessageType, Recipients, SigningKey};

/// An identity with its key.
pub(crate) struct Author {
    pub(crate) did: Did,
    key: SigningKey,
    /// Derives the random part of the ids of answers.
    ids: [u8; 32],
}

/// The parts of a message that its answer repeats.
#[derive(Clone, Debug)]
pub(crate) struct ReplyTo {
    pub(crate) sender: Did,
    pub(crate) id: MessageId,
    thread_id: Option<Vec<u8>>,
}

impl ReplyTo {
    pub(crate) fn new(message: &Message) -> Self {
        Self { sender: message.from.clone(), id: message.id, thread_id: message.thread_id.clone() }
    }

    /// The parts of the message that an answer to this sender answers.
    pub(crate) fn answered_by(answer: &Message, sender: &Did) -> Option<Self> {
        Some(Self { sender: sender.clone(), id: answer.reply_to?, thread_id: answer.thread_id.clone() })
    }
}

impl Author {
    pub(crate) fn new(did: Did, key: SigningKey) -> Self {
        let ids = key.derive(b"capgen-amp message id");
        Self { did, key, ids }
    }

    pub(crate) const fn key(&self) -> &SigningKey {
        &self.key
    }

    /// A signed answer.
    pub(crate) fn answer(&self, reply_to: &ReplyTo, kind: MessageType, body: Value, ttl: u64, now: u64) -> Vec<u8> {
        let message = Message {
            id: self.answer_id(reply_to, kind, now),
            kind,
            ts: now,
            ttl,
            from: self.did.clone(),
            to: Recipients::One(reply_to.sender.clone()),
            reply_to: Some(reply_to.id),
            thread_id: reply_to.thread_id.clone(),
            body,
            ext: None,
        };
        message.sign(&self.key)
    }

    /// The random part is derived from the answered message with a key of the author: others cannot predict it, and no
    /// source of randomness is needed. An author answers a message at most once per millisecond with each type.
    fn answer_id(&self, reply_to: &ReplyTo, kind: MessageType, now: u64) -> MessageId {
        let mut mac = keyed(&self.ids);
        mac.update(reply_to.id.as_bytes());
        mac.update(&[kind.code()]);
        mac.update(&now.to_be_bytes());
        mac.update(reply_to.sender.as_str().as_bytes());
        let derived = mac.finalize().into_bytes();
        let mut random = [0; 8];
        random.iter_mut().zip(&derived).for_each(|(to, from)| *to = *from);
        MessageId::new(now, random)
    }
}
