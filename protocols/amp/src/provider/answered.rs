//! The messages that were answered, so that duplicates get the same answer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use capgen_shares::Shares;

use super::request::{MessageHash, RequestKey, SenderId};
use crate::message::MessageId;

/// How long an answer is kept at most, in ms (decision 13). Requesters that send again do so within minutes, and an
/// answer needs far more memory than an id, which is remembered as long as its message lives.
const MAX_MS: u64 = 60 * 60 * 1000;

/// Refusals have a tenth of the bytes that results have: they are small.
const REFUSALS: usize = 10;

/// The ids that are remembered for each result that may be kept. An id needs 16 bytes, and is remembered for up to 25
/// hours. A result is kept for an hour at most.
const IDS: usize = 10;

/// The limits of the memory for the results of invocations, for a sender that is alone. Senders that are not alone have
/// shares: each may hold at most four times the amount that is still free, and loses only its own results (decision
/// 22). All together hold less than a quarter more.
///
/// The memory for refusals is separate, so that agents that may not invoke anything cannot empty this one; it has as
/// many entries, and a tenth of the bytes. Ten times as many ids of invocations are remembered until the invocations
/// expire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CacheLimits {
    /// The number of results. The result that expires first is forgotten first; its duplicates are then refused.
    pub entries: usize,
    /// The bytes of all results together.
    pub bytes: usize,
}

/// The memory for answers.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    count: Shares<SenderId>,
    bytes: Shares<SenderId>,
    entries: BTreeMap<RequestKey, Entry>,
    /// The messages by the time at which they expire, then in the order in which they came.
    order: BTreeSet<(u64, u64, RequestKey)>,
    /// The same for each sender.
    by_sender: BTreeSet<(SenderId, u64, u64, MessageId)>,
    next: u64,
}

#[derive(Clone, Debug)]
struct Entry {
    hash: MessageHash,
    /// `None` if the answer is made again: a page of a query, or an error that may not be repeated.
    answer: Option<Arc<[u8]>>,
    expires: u64,
    number: u64,
}

/// The knowledge about a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Seen {
    /// Nothing, or only that it may run now.
    New,
    /// It is an invocation that runs.
    Running,
    /// This is its answer.
    Answer(Arc<[u8]>),
    /// It is an invocation that was accepted, and its result is not kept.
    Gone,
    /// Another message of the same sender had the same id.
    Different,
}

/// The effect of adding an answer.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Inserted {
    /// When it will be forgotten; `None` if it is larger than the share of its sender, and so not kept.
    pub(crate) expires: Option<u64>,
    /// Others of the same sender that had to make room.
    pub(crate) dropped: Vec<RequestKey>,
}

impl Default for CacheLimits {
    /// 100,000 messages, and 64 MiB.
    fn default() -> Self {
        // About 670 bytes for each result. Larger ones displace older ones of their sender earlier.
        Self { entries: 100_000, bytes: 64 << 20 }
    }
}

impl CacheLimits {
    /// The limits of the memory for refusals.
    pub(crate) const fn for_refusals(self) -> Self {
        Self { entries: self.entries, bytes: self.bytes / REFUSALS }
    }

    /// The number of ids that are remembered.
    pub(crate) const fn ids(self) -> u64 {
        (self.entries as u64).saturating_mul(IDS as u64)
    }
}

impl Answered {
    pub(crate) const fn new(limits: CacheLimits) -> Self {
        Self {
            count: Shares::new(limits.entries as u64),
            bytes: Shares::new(limits.bytes as u64),
            entries: BTreeMap::new(),
            order: BTreeSet::new(),
            by_sender: BTreeSet::new(),
            next: 0,
        }
    }

    /// Looks up a message. `None` if it is not known.
    pub(crate) fn find(&self, key: &RequestKey, hash: &MessageHash, now: u64) -> Option<Seen> {
        let entry = self.entries.get(key).filter(|entry| now <= entry.expires)?;
        Some(match &entry.answer {
            _ if entry.hash != *hash => Seen::Different,
            Some(answer) => Seen::Answer(Arc::clone(answer)),
            None => Seen::New,
        })
    }

    /// Remembers a message until it expires at `until`, but for an hour at most. An answer beyond the share of its
    /// sender makes the oldest of this sender be forgotten, and never one of another sender.
    pub(crate) fn insert(
        &mut self,
        key: RequestKey,
        hash: MessageHash,
        answer: Option<Arc<[u8]>>,
        until: u64,
        now: u64,
    ) -> Inserted {
        self.remove(&key);
        self.forget_expired(now);
        let length = length(answer.as_deref());
        let mut inserted = Inserted::default();
        if length > self.bytes.share(&key.sender) || self.count.share(&key.sender) == 0 {
            return inserted;
        }
        while !self.take(key.sender, length) {
            let Some(oldest) = self.oldest_of(key.sender) else { return inserted };
            self.remove(&oldest);
            inserted.dropped.push(oldest);
        }
        let (expires, number) = (until.min(now.saturating_add(MAX_MS)), self.next);
        self.next += 1;
        self.order.insert((expires, number, key));
        self.by_sender.insert((key.sender, expires, number, key.id));
        self.entries.insert(key, Entry { hash, answer, expires, number });
        inserted.expires = Some(expires);
        inserted
    }

    /// Forgets expired messages.
    pub(crate) fn forget_expired(&mut self, now: u64) {
        while let Some((_, _, key)) = self.order.first().filter(|(expires, ..)| *expires < now) {
            let key = *key;
            self.remove(&key);
        }
    }

    /// Takes one entry and some bytes of the share of a sender, or nothing.
    fn take(&mut self, sender: SenderId, length: u64) -> bool {
        let has_entry = self.count.try_take(&sender, 1);
        let has_both = has_entry && self.bytes.try_take(&sender, length);
        if has_entry && !has_both {
            self.count.give_back(&sender, 1);
        }
        has_both
    }

    fn oldest_of(&self, sender: SenderId) -> Option<RequestKey> {
        let first = (sender, 0, 0, MessageId::from([0; 16]));
        let (owner, _, _, id) = self.by_sender.range(first..).next()?;
        (*owner == sender).then_some(RequestKey { sender, id: *id })
    }

    fn remove(&mut self, key: &RequestKey) {
        if let Some(Entry { answer, expires, number, .. }) = self.entries.remove(key) {
            self.count.give_back(&key.sender, 1);
            self.bytes.give_back(&key.sender, length(answer.as_deref()));
            self.order.remove(&(expires, number, *key));
            self.by_sender.remove(&(key.sender, expires, number, key.id));
        }
    }
}

fn length(answer: Option<&[u8]>) -> u64 {
    answer.map_or(0, |answer| answer.len() as u64)
}
