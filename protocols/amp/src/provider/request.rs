//! Which invocation or query a message is.

use capgen_schema::Hash;

use crate::message::{Did, MessageId};

/// An agent, as the start of the SHA-256 of its DID without fragment. It has a fixed size: a DID may be as long as a
/// message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct SenderId([u8; 16]);

/// A message, as its sender identifies it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct RequestKey {
    pub(crate) sender: SenderId,
    pub(crate) id: MessageId,
}

/// SHA-256 of the bytes of a message that its signature covers: the rest does not distinguish two messages (decision
/// 22).
pub(crate) type MessageHash = [u8; 32];

impl RequestKey {
    pub(crate) fn new(sender: &Did, id: MessageId) -> Self {
        Self { sender: SenderId(first(Hash::of(sender.without_fragment()).as_bytes())), id }
    }

    /// The sender, then the id.
    pub(crate) fn to_bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        let parts = self.sender.0.iter().chain(self.id.as_bytes());
        bytes.iter_mut().zip(parts).for_each(|(to, from)| *to = *from);
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8; 32]) -> Self {
        let mut id = [0; 16];
        id.iter_mut().zip(bytes.iter().skip(16)).for_each(|(to, from)| *to = *from);
        Self { sender: SenderId(first(bytes)), id: id.into() }
    }
}

/// The first bytes of a hash.
pub(crate) fn first<const N: usize>(hash: &[u8; 32]) -> [u8; N] {
    let mut first = [0; N];
    first.iter_mut().zip(hash).for_each(|(to, from)| *to = *from);
    first
}
