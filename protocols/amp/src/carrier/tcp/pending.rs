//! The requests of a client that wait for answers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::mpsc;

use crate::carrier::PeerError;
use crate::message::MessageId;

/// The answers to one request that wait to be read. A peer that sends more loses its connection's request, and not the
/// others. Reports on progress come one by one and are read at once, so more than a few wait only if the peer sends
/// without need.
const CAPACITY: usize = 64;

pub(super) type Receiver = mpsc::Receiver<Result<Bytes, PeerError>>;

/// The requests that wait for answers. Clones are the same ones.
#[derive(Clone, Default)]
pub(super) struct Pending(Arc<Mutex<Waiting>>);

#[derive(Default)]
struct Waiting {
    /// Several requests may have the same id: duplicates.
    by_id: HashMap<MessageId, Vec<Waiter>>,
    next: u64,
    count: usize,
    /// No more requests are added.
    is_closed: bool,
}

struct Waiter {
    number: u64,
    sender: mpsc::Sender<Result<Bytes, PeerError>>,
}

/// Removes a request when it is dropped.
pub(super) struct Entry {
    pending: Pending,
    id: MessageId,
    number: u64,
}

impl Pending {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a request.
    ///
    /// # Errors
    ///
    /// There are `max` requests already, or the connection has ended.
    pub(super) fn add(&self, id: MessageId, max: usize) -> Result<(Receiver, Entry), PeerError> {
        let mut waiting = self.lock();
        if waiting.is_closed {
            return Err(PeerError::Unreachable("the connection has ended".to_owned()));
        }
        if waiting.count >= max {
            return Err(PeerError::Overloaded);
        }
        let (sender, receiver) = mpsc::channel(CAPACITY);
        let number = waiting.next;
        waiting.next += 1;
        waiting.count += 1;
        waiting.by_id.entry(id).or_default().push(Waiter { number, sender });
        Ok((receiver, Entry { pending: self.clone(), id, number }))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lock().count == 0
    }

    pub(super) fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    /// Hands an answer to each request with this id. Without one, nothing happens: it came too late.
    pub(super) fn answer(&self, id: &MessageId, answer: &Result<Bytes, PeerError>) {
        let waiting = self.lock();
        for waiter in waiting.by_id.get(id).into_iter().flatten() {
            // A reader that is this slow has no use for more.
            let _ = waiter.sender.try_send(answer.clone());
        }
    }

    /// Ends all requests.
    pub(super) fn close(&self, error: &PeerError) {
        let mut waiting = self.lock();
        waiting.is_closed = true;
        for waiter in waiting.by_id.values().flatten() {
            let _ = waiter.sender.try_send(Err(error.clone()));
        }
        waiting.by_id.clear();
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut waiting = self.pending.lock();
        waiting.count = waiting.count.saturating_sub(1);
        if let Some(waiters) = waiting.by_id.get_mut(&self.id) {
            waiters.retain(|waiter| waiter.number != self.number);
            if waiters.is_empty() {
                waiting.by_id.remove(&self.id);
            }
        }
    }
}
