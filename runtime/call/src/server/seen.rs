//! The ids of messages that were received, to reject replays.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, PoisonError};

use capgen_schema::HashBuilder;

/// The ids of messages, until the time at which a replay is rejected anyway because its deadline has passed.
#[derive(Default, Debug)]
pub(super) struct Seen(Mutex<Ids>);

/// The sender and the id of a message: the first half of their hash. A sender that searched for two messages with one
/// hash (2^64 attempts) could only make the second one be rejected.
type Id = u128;

#[derive(Default, Debug)]
struct Ids {
    all: HashSet<Id>,
    /// The ids by the time, in Unix ms, at which they are forgotten.
    by_end: BTreeMap<u64, Vec<Id>>,
}

/// Whether a message is new.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Novelty {
    New,
    Replayed,
    /// There is no room to remember the message, so a replay of it could not be rejected.
    Full,
}

/// The number of messages that are remembered. Without a limit, a sender could fill the memory; with it, ids take up to
/// about 70 MB: each is in a set and in a list, both of which grow by doubling. With the default of 5 minutes for the
/// difference of clocks, they are those of some 3,000 requests a second.
const CAPACITY: usize = 1_000_000;

impl Seen {
    /// Remembers a message until `end`, both in Unix ms.
    pub(super) fn add(&self, sender: &str, id: &str, now: u64, end: u64) -> Novelty {
        let message = hash(sender, id);
        let mut ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(entry) = ids.by_end.first_entry()
            && *entry.key() < now
        {
            for id in entry.remove() {
                ids.all.remove(&id);
            }
        }
        if ids.all.len() >= CAPACITY {
            return Novelty::Full;
        }
        if !ids.all.insert(message) {
            return Novelty::Replayed;
        }
        ids.by_end.entry(end).or_default().push(message);
        Novelty::New
    }
}

fn hash(sender: &str, id: &str) -> Id {
    let mut hash = HashBuilder::new();
    hash.add_framed(sender);
    hash.add_framed(id);
    let mut half = [0; 16];
    half.iter_mut().zip(hash.finish().as_bytes()).for_each(|(to, from)| *to = *from);
    Id::from_be_bytes(half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_new_once_until_it_is_forgotten() {
        let seen = Seen::default();
        assert_eq!(seen.add("a", "1", 0, 10), Novelty::New);
        assert_eq!(seen.add("a", "1", 10, 20), Novelty::Replayed);
        assert_eq!(seen.add("b", "1", 10, 20), Novelty::New);
        assert_eq!(seen.add("a", "1", 11, 20), Novelty::New);
    }
}
