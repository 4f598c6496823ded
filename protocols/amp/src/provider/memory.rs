//! The memory of a provider for messages, so that none has two effects.

use std::sync::Arc;

use super::CacheLimits;
use super::answered::{Answered, Inserted, Seen};
use super::ids::Ids;
use super::record::{Record, RequestId};
use super::state::Request;

/// The memory for the messages that have been received.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    /// The results of invocations.
    answered: Answered,
    /// The ids of invocations, which are smaller than their results and kept for longer.
    ids: Ids,
    /// The refusals, apart from the results: a stranger can cause any number of them.
    refused: Answered,
    /// Whether records are written: the program has a store.
    is_stored: bool,
    records: Vec<Record>,
}

impl Memory {
    pub(super) const fn new(limits: CacheLimits) -> Self {
        Self {
            answered: Answered::new(limits),
            ids: Ids::new(limits.ids()),
            refused: Answered::new(limits.for_refusals()),
            is_stored: false,
            records: Vec::new(),
        }
    }

    /// Writes records from now on.
    pub(super) const fn write_records(&mut self) {
        self.is_stored = true;
    }

    /// The records since the last call.
    pub(super) fn take_records(&mut self) -> Vec<Record> {
        std::mem::take(&mut self.records)
    }

    /// The knowledge about a message that does not run.
    pub(super) fn find(&self, request: &Request, now: u64) -> Seen {
        let Request { key, hash, .. } = request;
        // The results first: an id has no answer.
        let accepted = self.answered.find(key, hash, now).or_else(|| self.ids.find(key, hash));
        accepted.or_else(|| self.refused.find(key, hash, now)).unwrap_or(Seen::New)
    }

    /// Remembers that an invocation is accepted. False if its sender has used up its share: then it must be refused.
    pub(super) fn accept(&mut self, request: &Request) -> bool {
        let Request { key, hash, ttl, expires, .. } = request;
        let is_accepted = self.ids.try_insert(key, hash, *ttl);
        if is_accepted {
            self.record(Record::accepted(*key, *hash, *ttl, *expires));
        }
        is_accepted
    }

    /// Forgets an invocation that was accepted, but cannot start.
    pub(super) fn withdraw(&mut self, request: &Request) {
        self.ids.remove(&request.key);
        self.record(Record::Withdrawn { request: RequestId(request.key) });
    }

    /// Remembers the result of an invocation.
    pub(super) fn answer(&mut self, request: &Request, answer: &Arc<[u8]>, now: u64) {
        let Request { key, hash, expires, .. } = request;
        let inserted = self.answered.insert(*key, *hash, Some(Arc::clone(answer)), *expires, now);
        let Inserted { expires, dropped } = inserted;
        if let Some(expires) = expires {
            let (request, hash, answer) = (RequestId(*key), *hash, Arc::clone(answer));
            self.record(Record::Answered { request, hash, answer, expires });
        }
        dropped.into_iter().for_each(|key| self.record(Record::Dropped { request: RequestId(key) }));
    }

    /// Remembers a refusal, or a message that is answered again.
    pub(super) fn refuse(&mut self, request: &Request, answer: Option<Arc<[u8]>>, now: u64) {
        self.refused.insert(request.key, request.hash, answer, request.expires, now);
    }

    /// Takes a fact from the store.
    pub(super) fn restore(&mut self, record: Record, now: u64) {
        match record {
            Record::Accepted { request, hash, ttl, .. } => self.ids.restore(&request.0, &hash, ttl),
            Record::Answered { request, hash, answer, expires } => {
                self.answered.insert(request.0, hash, Some(answer), expires, now);
            }
            Record::Dropped { .. } | Record::Withdrawn { .. } => {}
        }
    }

    pub(super) fn forget_expired(&mut self, now: u64) {
        self.answered.forget_expired(now);
        self.refused.forget_expired(now);
        self.ids.forget_expired(now);
    }

    fn record(&mut self, record: Record) {
        if self.is_stored {
            self.records.push(record);
        }
    }
}
