//! The messages that were answered, so that duplicates get the same answer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::message::{Did, MessageId};

/// How long an answer is kept at most, in ms (decision 13).
const LONGEST_MS: u64 = 60 * 60 * 1000;

/// A message, as its sender identifies it. The DID has no fragment.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct RequestKey {
    sender: Arc<str>,
    id: MessageId,
}

/// SHA-256 of a whole message.
pub(crate) type MessageHash = [u8; 32];

/// The limits of the memory for the results of invocations. That for refusals is separate, so that agents that may not invoke anything
/// cannot empty this one; it has as many entries, and a tenth of the bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CacheLimits {
    /// The number of messages that are remembered. The oldest is forgotten first; its duplicates then run again.
    pub entries: usize,
    /// The bytes of all answers together.
    pub bytes: usize,
}

/// The memory for answers.
#[derive(Clone, Debug)]
pub(crate) struct Answered {
    limits: CacheLimits,
    entries: BTreeMap<RequestKey, Entry>,
    /// The keys by the time at which they expire, then in the order in which they came.
    order: BTreeSet<(u64, u64, RequestKey)>,
    bytes: usize,
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

/// Whether a message was seen before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Seen {
    /// It is new, or its answer is not kept.
    New,
    /// This is its answer.
    Answer(Arc<[u8]>),
    /// Another message of the same sender had the same id.
    Different,
}

impl Default for CacheLimits {
    /// 100,000 messages, and 64 MiB.
    fn default() -> Self {
        Self { entries: 100_000, bytes: 64 << 20 }
    }
}

impl CacheLimits {
    /// The limits of the memory for refusals, which is separate and has a tenth of the bytes: refusals are small.
    pub(crate) const fn for_refusals(self) -> Self {
        Self { entries: self.entries, bytes: self.bytes / 10 }
    }
}

impl RequestKey {
    pub(crate) fn new(sender: &Did, id: MessageId) -> Self {
        Self { sender: sender.without_fragment().into(), id }
    }
}

impl Answered {
    pub(crate) const fn new(limits: CacheLimits) -> Self {
        Self { limits, entries: BTreeMap::new(), order: BTreeSet::new(), bytes: 0, next: 0 }
    }

    /// Looks up a message.
    pub(crate) fn find(&self, key: &RequestKey, hash: &MessageHash, now: u64) -> Seen {
        match self.entries.get(key).filter(|entry| now <= entry.expires) {
            None => Seen::New,
            Some(entry) if entry.hash != *hash => Seen::Different,
            Some(Entry { answer: Some(answer), .. }) => Seen::Answer(Arc::clone(answer)),
            Some(_) => Seen::New,
        }
    }

    /// Remembers a message until it expires at `until`, but for an hour at most.
    pub(crate) fn insert(
        &mut self,
        key: RequestKey,
        hash: MessageHash,
        answer: Option<Arc<[u8]>>,
        until: u64,
        now: u64,
    ) {
        self.remove(&key);
        let (expires, number) = (until.min(now.saturating_add(LONGEST_MS)), self.next);
        self.next += 1;
        self.bytes += answer.as_ref().map_or(0, |answer| answer.len());
        self.order.insert((expires, number, key.clone()));
        self.entries.insert(key, Entry { hash, answer, expires, number });
        self.shrink(now);
    }

    /// The number of messages.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Forgets expired messages, then as many as the limits require, those first that expire first.
    pub(crate) fn shrink(&mut self, now: u64) {
        while let Some((expires, _, key)) = self.order.first() {
            let is_over = self.entries.len() > self.limits.entries || self.bytes > self.limits.bytes;
            if *expires >= now && !is_over {
                return;
            }
            let key = key.clone();
            self.remove(&key);
        }
    }

    fn remove(&mut self, key: &RequestKey) {
        if let Some(Entry { answer, expires, number, .. }) = self.entries.remove(key) {
            self.bytes -= answer.map_or(0, |answer| answer.len());
            self.order.remove(&(expires, number, key.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u8) -> RequestKey {
        RequestKey { sender: "did:a".into(), id: MessageId::new(0, [number; 8]) }
    }

    fn answer(length: usize) -> Option<Arc<[u8]>> {
        Some(vec![0; length].into())
    }

    #[test]
    fn a_duplicate_gets_the_answer_until_the_message_expires() {
        let mut answered = Answered::new(CacheLimits::default());
        answered.insert(key(1), [1; 32], answer(3), 500, 100);
        assert_eq!(answered.find(&key(1), &[1; 32], 500), Seen::Answer(vec![0; 3].into()));
        assert_eq!(answered.find(&key(1), &[2; 32], 500), Seen::Different);
        assert_eq!(answered.find(&key(1), &[1; 32], 501), Seen::New);
        answered.shrink(501);
        assert_eq!((answered.len(), answered.bytes, answered.order.len()), (0, 0, 0));
    }

    #[test]
    fn an_answer_is_kept_for_an_hour_at_most() {
        let mut answered = Answered::new(CacheLimits::default());
        answered.insert(key(1), [1; 32], answer(3), u64::MAX, 100);
        assert_eq!(answered.find(&key(1), &[1; 32], 100 + LONGEST_MS), Seen::Answer(vec![0; 3].into()));
        assert_eq!(answered.find(&key(1), &[1; 32], 101 + LONGEST_MS), Seen::New);
    }

    #[test]
    fn the_memory_is_bounded() {
        let mut answered = Answered::new(CacheLimits { entries: 3, bytes: 100 });
        for number in 0..10 {
            answered.insert(key(number), [number; 32], answer(10), 1000 + u64::from(number), 0);
        }
        assert_eq!((answered.len(), answered.bytes, answered.order.len()), (3, 30, 3));
        assert_eq!(answered.find(&key(6), &[6; 32], 0), Seen::New);
        assert_ne!(answered.find(&key(7), &[7; 32], 0), Seen::New);
        answered.insert(key(20), [20; 32], answer(95), 5000, 0);
        assert_eq!((answered.len(), answered.bytes), (1, 95));
        answered.insert(key(21), [21; 32], answer(101), 6000, 0);
        assert_eq!((answered.len(), answered.bytes), (0, 0), "an answer beyond the limit is not kept");
    }

    #[test]
    fn a_message_without_a_kept_answer_is_new_but_its_id_is_taken() {
        let mut answered = Answered::new(CacheLimits::default());
        answered.insert(key(1), [1; 32], None, 500, 100);
        assert_eq!(answered.find(&key(1), &[1; 32], 100), Seen::New);
        assert_eq!(answered.find(&key(1), &[2; 32], 100), Seen::Different);
    }
}
