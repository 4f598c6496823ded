//! The ids of messages that were received, to reject replays.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, PoisonError};

use capgen_schema::HashBuilder;
use capgen_shares::Shares;

use super::callers::{Caller, Sender};
use crate::identity::Proof;

/// The ids of messages, until the time at which a replay is rejected anyway because its deadline has passed.
#[derive(Debug)]
pub(super) struct Seen(Mutex<Ids>);

/// What proves the sender of a message, its id and that of the message: the first half of their hash. Others can state
/// both ids, but with another proof. A sender that searched for two messages with one
/// hash (2^64 attempts) could only make the second one be rejected.
type Id = u128;

#[derive(Debug)]
struct Ids {
    all: HashSet<Id>,
    /// The ids by the time, in Unix ms, at which they are forgotten, and by their caller.
    by_end: BTreeMap<(u64, Caller), Vec<Id>>,
    shares: Shares<Caller>,
}

/// Whether a message is new.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Novelty {
    New,
    Replayed,
    /// There is no room to remember the message, so a replay of it could not be rejected.
    Full,
}

/// The number of messages that are remembered, if one caller sends all of them. Without a limit, a sender could fill
/// the memory; with it, ids take up to about 70 MB: each is in a set and in a list, both of which grow by doubling.
/// With the default of 5 minutes for the difference of clocks, they are those of some 3,000 requests a second.
const CAPACITY: u64 = 1_000_000;

impl Default for Seen {
    fn default() -> Self {
        Self::new(CAPACITY)
    }
}

impl Seen {
    fn new(capacity: u64) -> Self {
        Self(Mutex::new(Ids { all: HashSet::new(), by_end: BTreeMap::new(), shares: Shares::new(capacity) }))
    }

    /// Remembers a message from now until the end, both in Unix ms, given the id that its sender states and its own.
    pub(super) fn add(&self, sender: &Sender, from: &str, id: &str, (now, end): (u64, u64)) -> Novelty {
        let (message, caller) = (hash(sender, from, id), &sender.caller);
        let mut ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ids.forget(now);
        if ids.all.contains(&message) {
            return Novelty::Replayed;
        }
        if !ids.shares.try_take(caller, 1) {
            return Novelty::Full;
        }
        ids.all.insert(message);
        ids.by_end.entry((end, caller.clone())).or_default().push(message);
        Novelty::New
    }
}

impl Ids {
    fn forget(&mut self, now: u64) {
        while let Some(entry) = self.by_end.first_entry()
            && entry.key().0 < now
        {
            let ((_, caller), ids) = entry.remove_entry();
            self.shares.give_back(&caller, u64::try_from(ids.len()).unwrap_or(u64::MAX));
            for id in ids {
                self.all.remove(&id);
            }
        }
    }
}

fn hash(sender: &Sender, from: &str, id: &str) -> Id {
    let mut hash = HashBuilder::new();
    // Not the id of a key, which the signature does not include: a copy of a message may name another id of the same
    // key.
    hash.add_framed(match &sender.proof {
        Some(Proof::AgentKey { .. } | Proof::Tls { .. }) => "agent",
        Some(Proof::SharedKey { .. }) => "shared key",
        Some(Proof::None) | None => "",
    });
    // The token of a signed message proves nothing more about it.
    if let (Some(Proof::None), Caller::Principal(issuer, subject)) = (&sender.proof, &sender.caller) {
        hash.add_framed(&**issuer);
        hash.add_framed(&**subject);
    }
    hash.add_framed(from);
    hash.add_framed(id);
    let mut half = [0; 16];
    half.iter_mut().zip(hash.finish().as_bytes()).for_each(|(to, from)| *to = *from);
    Id::from_be_bytes(half)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sender(caller: Caller) -> Sender {
        Sender { caller, proof: Some(Proof::None), principal: None, token: None }
    }

    #[test]
    fn a_message_is_new_once_until_it_is_forgotten() {
        let seen = Seen::default();
        let add = |from, id, now, end| seen.add(&sender(Caller::Unproved), from, id, (now, end));
        assert_eq!(add("a", "1", 0, 10), Novelty::New);
        assert_eq!(add("a", "1", 10, 20), Novelty::Replayed);
        assert_eq!(add("b", "1", 10, 20), Novelty::New);
        assert_eq!(add("a", "1", 11, 20), Novelty::New);
    }

    #[test]
    fn a_caller_that_fills_its_share_leaves_room_for_others() {
        for caller in [Caller::Unproved, Caller::Agent("a".into())] {
            let seen = Seen::new(1000);
            let caller = sender(caller);
            let fill =
                || (0..=1000).filter(|id: &i32| seen.add(&caller, "a", &id.to_string(), (0, 10)) == Novelty::New);
            assert_eq!(fill().count(), 1000);
            assert_eq!(seen.add(&sender(Caller::Agent("b".into())), "b", "1", (0, 10)), Novelty::New);
            // A replay is found, although there is no room.
            assert_eq!(seen.add(&caller, "a", "1", (0, 10)), Novelty::Replayed);
            assert_eq!(seen.add(&caller, "a", "1", (11, 20)), Novelty::New);
        }
    }
}
