//! The messages that were delivered before.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeSet, VecDeque};
use std::hash::{Hash as _, Hasher as _};
use std::sync::{Mutex, PoisonError};

use async_nats::jetstream::message::Info;

/// The number of messages to remember. At 8 bytes for a hash, twice, it takes a few MB. A message is delivered again
/// after `ack_wait`, 30 s by default, so more than 2,000 per second may arrive until then.
const MAX_MESSAGES: usize = 1 << 16;

/// The messages that this transport has received, by their hashes.
///
/// The server counts deliveries, but writes the count to the disk only now and then: after it was killed, it delivers
/// messages again as if for the first time.
#[derive(Default)]
pub(super) struct Seen(Mutex<Recent>);

#[derive(Default)]
struct Recent {
    all: BTreeSet<u64>,
    oldest_first: VecDeque<u64>,
}

impl Seen {
    /// Remembers a delivery. Returns whether the consumer has received the message before.
    pub(super) fn insert(&self, info: &Info<'_>) -> bool {
        let mut hasher = DefaultHasher::new();
        // A stream that was created again counts from 1 again, so the time is part of the identity.
        (info.stream, info.consumer, info.stream_sequence, info.published).hash(&mut hasher);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(hasher.finish(), MAX_MESSAGES)
    }
}

impl Recent {
    fn insert(&mut self, hash: u64, limit: usize) -> bool {
        if !self.all.insert(hash) {
            return true;
        }
        self.oldest_first.push_back(hash);
        if self.oldest_first.len() > limit
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            self.all.remove(&oldest);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::Recent;

    #[test]
    fn the_latest_messages_are_remembered() {
        let mut recent = Recent::default();
        for hash in 0..10 {
            assert!(!recent.insert(hash, 4));
            assert!(recent.insert(hash, 4));
        }
        assert_eq!(recent.all.len(), 4);
        assert!(recent.insert(6, 4) && recent.insert(9, 4));
        assert!(!recent.insert(5, 4));
    }
}
