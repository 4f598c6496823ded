//! The ids of accepted invocations, so that none runs twice.

use std::collections::BTreeMap;

use capgen_schema::Hash;
use capgen_shares::Shares;

use super::answered::Seen;
use super::request::{MessageHash, RequestKey, SenderId, first};
use crate::message::ID_TOLERANCE_MS;

/// The length of the times for which ids are kept together, in ms. Shorter times would need more memory for each
/// sender, longer ones would remember ids for longer than they are needed.
const PERIOD_MS: u64 = 60_000;

/// The greatest [`Class`]: about a million years.
const MAX_CLASS: u8 = 39;

/// The ids of the invocations that were accepted and have not expired, with the share of each sender (decision 22).
///
/// An id needs 16 bytes: eight of a hash of its sender and itself, and eight of the hash of the signed message, which
/// distinguish another message with the same id. Ids of the same minute and of about the same lifetime are in one group
/// and forgotten together, so that no time is stored with each.
#[derive(Clone, Debug)]
pub(crate) struct Ids {
    shares: Shares<SenderId>,
    classes: BTreeMap<Class, BTreeMap<u64, Group>>,
}

/// The lifetimes up to `PERIOD_MS << class`: that of a group is at most twice that of its shortest message.
type Class = u8;

#[derive(Clone, Default, Debug)]
struct Group {
    /// The hashes of messages by the hashes of their ids.
    ids: BTreeMap<u64, u64>,
    /// How many of them each sender has.
    senders: BTreeMap<SenderId, u64>,
}

impl Ids {
    /// A memory for so many ids of a sender that is alone.
    pub(crate) const fn new(capacity: u64) -> Self {
        Self { shares: Shares::new(capacity), classes: BTreeMap::new() }
    }

    /// Whether an invocation was accepted before. `None` if it was not.
    pub(crate) fn find(&self, key: &RequestKey, hash: &MessageHash) -> Option<Seen> {
        let (period, id) = (period(key), hash_of(key));
        let found = self.classes.values().find_map(|groups| groups.get(&period)?.ids.get(&id))?;
        Some(if *found == number(hash) { Seen::Gone } else { Seen::Different })
    }

    /// Remembers the id of an invocation with this lifetime. False if the share of its sender is used up: then it must
    /// not run.
    pub(crate) fn try_insert(&mut self, key: &RequestKey, hash: &MessageHash, ttl: u64) -> bool {
        let is_in_share = self.shares.try_take(&key.sender, 1);
        if is_in_share {
            self.add(key, hash, ttl);
        }
        is_in_share
    }

    /// Remembers an id from a store. It was in the share of its sender when the invocation was accepted.
    pub(crate) fn restore(&mut self, key: &RequestKey, hash: &MessageHash, ttl: u64) {
        self.shares.hold(&key.sender, 1);
        self.add(key, hash, ttl);
    }

    /// Forgets an id whose invocation has not started.
    pub(crate) fn remove(&mut self, key: &RequestKey) {
        let (period, id) = (period(key), hash_of(key));
        for groups in self.classes.values_mut() {
            let Some(group) = groups.get_mut(&period) else { continue };
            if group.ids.remove(&id).is_some() {
                self.shares.give_back(&key.sender, 1);
                group.forget_one_of(key.sender);
                return;
            }
        }
    }

    /// Forgets the ids of expired invocations.
    pub(crate) fn forget_expired(&mut self, now: u64) {
        for (class, groups) in &mut self.classes {
            while let Some(first) = groups.first_entry().filter(|first| end(*class, *first.key()) < now) {
                let group = first.remove();
                group.senders.iter().for_each(|(sender, count)| self.shares.give_back(sender, *count));
            }
        }
        self.classes.retain(|_, groups| !groups.is_empty());
    }

    fn add(&mut self, key: &RequestKey, hash: &MessageHash, ttl: u64) {
        let group = self.classes.entry(class(ttl)).or_default().entry(period(key)).or_default();
        let former = group.ids.insert(hash_of(key), number(hash));
        if former.is_none() {
            *group.senders.entry(key.sender).or_default() += 1;
        } else {
            self.shares.give_back(&key.sender, 1);
        }
    }
}

impl Group {
    fn forget_one_of(&mut self, sender: SenderId) {
        if let Some(count) = self.senders.get_mut(&sender) {
            *count -= 1;
            if *count == 0 {
                self.senders.remove(&sender);
            }
        }
    }
}

const fn period(key: &RequestKey) -> u64 {
    key.id.time() / PERIOD_MS
}

fn class(ttl: u64) -> Class {
    (0..MAX_CLASS).find(|class| ttl <= PERIOD_MS << class).unwrap_or(MAX_CLASS)
}

/// The last time at which a message of a group can be accepted.
const fn end(class: Class, period: u64) -> u64 {
    let last = period.saturating_add(1).saturating_mul(PERIOD_MS);
    last.saturating_add(ID_TOLERANCE_MS).saturating_add(PERIOD_MS << class)
}

fn hash_of(key: &RequestKey) -> u64 {
    number(Hash::of(key.to_bytes()).as_bytes())
}

fn number(hash: &[u8; 32]) -> u64 {
    u64::from_be_bytes(first(hash))
}

#[cfg(test)]
mod tests {
    use allocation_counter::measure;

    use super::*;
    use crate::message::MessageId;

    /// The memory of an id with its place in a tree, whose nodes are two thirds full on average.
    const MAX_BYTES: u64 = 32;

    fn key(sender: &str, number: u64) -> RequestKey {
        let did = format!("did:web:{sender}.example").parse().unwrap();
        RequestKey::new(&did, MessageId::new(1_770_000_000_000 + number % 60_000, number.to_be_bytes()))
    }

    #[test]
    fn decision_22_an_id_needs_16_bytes_and_its_place() {
        const COUNT: u64 = 50_000;
        let mut ids = Ids::new(COUNT);
        let keys: Vec<_> = (0..COUNT).map(|number| key("alice", number)).collect();
        let info = measure(|| keys.iter().for_each(|key| assert!(ids.try_insert(key, &[1; 32], 3_600_000))));
        let bytes = u64::try_from(info.bytes_current).unwrap();
        assert!(bytes < COUNT * MAX_BYTES, "{} bytes for each", bytes / COUNT);
        assert!(!ids.try_insert(&key("alice", COUNT), &[1; 32], 3_600_000), "the share of a sole sender is used up");
        assert!(ids.try_insert(&key("bob", 1), &[1; 32], 3_600_000));
        ids.forget_expired(1_770_000_000_000 + 7_200_000);
        assert_eq!((ids.shares.used(), ids.classes.len()), (0, 0));
    }

    #[test]
    fn an_id_that_is_withdrawn_is_not_known() {
        let mut ids = Ids::new(2);
        let [one, other] = [1, 2].map(|number| key("alice", number));
        assert!(ids.try_insert(&one, &[1; 32], 1) && ids.try_insert(&other, &[2; 32], 90_000_000));
        ids.remove(&one);
        assert_eq!((ids.find(&one, &[1; 32]), ids.find(&other, &[2; 32])), (None, Some(Seen::Gone)));
        assert_eq!(ids.find(&other, &[3; 32]), Some(Seen::Different));
        assert!(ids.try_insert(&one, &[1; 32], 1));
    }

    #[test]
    fn an_id_from_a_store_is_known_whatever_the_share() {
        let mut ids = Ids::new(1);
        for number in 0..5 {
            ids.restore(&key("alice", number), &[7; 32], 60_000);
        }
        assert!((0..5).all(|number| ids.find(&key("alice", number), &[7; 32]) == Some(Seen::Gone)));
        // The same twice holds one unit.
        ids.restore(&key("alice", 0), &[7; 32], 60_000);
        assert_eq!(ids.shares.used(), 5);
    }
}
