//! The ids of messages that were received, to reject replays.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, PoisonError};

/// The ids of messages, until the time at which a replay is rejected anyway because its deadline has passed.
#[derive(Default, Debug)]
pub(super) struct Seen(Mutex<Ids>);

#[derive(Default, Debug)]
struct Ids {
    all: HashSet<(String, String)>,
    /// The ids by the time, in Unix ms, at which they are forgotten.
    by_end: BTreeMap<u64, Vec<(String, String)>>,
}

/// Whether a message is new.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Novelty {
    New,
    Replayed,
    /// There is no room to remember the message, so a replay of it could not be rejected.
    Full,
}

/// The number of messages that are remembered. One takes about 300 bytes with ids as clients of this crate make them,
/// and up to 1.5 kB with the longest ids. Without a limit, a sender could fill the memory; with it, usual ids take up
/// to 300 MB.
const CAPACITY: usize = 1_000_000;

impl Seen {
    /// Remembers a message until `end`, both in Unix ms.
    pub(super) fn add(&self, sender: &str, id: &str, now: u64, end: u64) -> Novelty {
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
        let key = (sender.to_owned(), id.to_owned());
        if !ids.all.insert(key.clone()) {
            return Novelty::Replayed;
        }
        ids.by_end.entry(end).or_default().push(key);
        Novelty::New
    }
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
