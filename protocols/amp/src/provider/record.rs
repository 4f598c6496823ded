//! The facts that a provider must remember when its process has ended.

use std::fmt;
use std::sync::Arc;

use super::request::{MessageHash, RequestKey};

/// A fact about an invocation, for a [`Store`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Record {
    /// An invocation is accepted, and must never be accepted again.
    Accepted {
        /// Its sender and id.
        request: RequestId,
        /// The SHA-256 of the signed part of its message.
        hash: [u8; 32],
        /// The `ttl` of its message, in ms.
        ttl: u64,
        /// The time at which its message expires, in Unix ms: then the record is not needed any more.
        expires: u64,
    },
    /// It has ended with a result, which its duplicates get.
    Answered {
        /// Its sender and id.
        request: RequestId,
        /// The SHA-256 of the signed part of its message.
        hash: [u8; 32],
        /// The whole `CAP_RESULT` message.
        answer: Arc<[u8]>,
        /// The time at which the result is forgotten, in Unix ms.
        expires: u64,
    },
    /// Its result is not kept any more, because newer ones of its sender needed the memory. It must still not be
    /// accepted again.
    Dropped {
        /// Its sender and id.
        request: RequestId,
    },
    /// It was accepted, but has not started: it may be accepted again.
    Withdrawn {
        /// Its sender and id.
        request: RequestId,
    },
}

/// The sender and the id of an invocation. Its bytes are the start of the SHA-256 of the sender's DID, and the id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RequestId(pub(super) RequestKey);

impl RequestId {
    /// The bytes, for a store.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 32] {
        self.0.to_bytes()
    }

    /// The id with these bytes.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; 32]) -> Self {
        Self(RequestKey::from_bytes(bytes))
    }
}

/// A memory that outlives the process, such as a file.
pub trait Store: Send {
    /// Writes facts, all or none of them. Facts that have expired at `now`, in Unix ms, may be deleted.
    ///
    /// When it returns, an [`Accepted`](Record::Accepted) fact must be on the disk: its invocation runs next.
    ///
    /// # Errors
    ///
    /// The facts are not written. The text is for the log of the provider.
    fn write(&mut self, records: &[Record], now: u64) -> Result<(), String>;

    /// The facts that have not expired at `now`, in Unix ms: those about acceptance first, then the results, those
    /// first that expire first.
    ///
    /// # Errors
    ///
    /// The store cannot be read. The provider must not start then: it would run invocations again.
    fn read(&mut self, now: u64, found: &mut dyn FnMut(Record)) -> Result<(), String>;

    /// The time since which every accepted invocation is in the store, in Unix ms.
    fn since(&self) -> u64;
}

impl Record {
    pub(super) const fn accepted(key: RequestKey, hash: MessageHash, ttl: u64, expires: u64) -> Self {
        Self::Accepted { request: RequestId(key), hash, ttl, expires }
    }
}

impl fmt::Debug for dyn Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Store")
    }
}
