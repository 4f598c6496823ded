//! Running requests with equal idempotency keys once.

use std::collections::{BTreeMap, HashMap, btree_map};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use capgen_schema::HashBuilder;
use capgen_shares::Shares;
use tokio::sync::watch;

use super::callers::Caller;
use super::respond::Answer;
use crate::envelope::Envelope;
use crate::identity::Principal;

/// The responses of requests with a key, for a while.
#[derive(Debug)]
pub(super) struct KeyedResponses {
    entries: Mutex<Entries>,
    /// How long responses of requests with a key of their callers are kept, in ms.
    pub(super) window: u64,
}

/// The identity of a request: the hash of its caller, its recipient (several agents may use one store), tenant,
/// capability, principal and key, so that long keys take no more memory than short ones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key(capgen_schema::Hash);

impl Key {
    /// The identity of a request with a key, for a principal if its token names one: an answer to one principal of an
    /// agent is not for another one.
    pub(super) fn of(request: &Envelope, principal: Option<&Principal>, key: &str) -> Self {
        let mut hash = HashBuilder::new();
        hash.add_count(usize::from(request.tenant().is_some()));
        for part in [request.from(), request.to(), request.tenant().unwrap_or_default(), request.capability(), key] {
            hash.add_framed(part);
        }
        // At the end, so that the keys of requests without a principal are those of earlier versions, which share
        // stores with this one.
        for part in principal.iter().flat_map(|principal| [&principal.issuer, &principal.subject]) {
            hash.add_framed(part);
        }
        Self(hash.finish())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[derive(Debug)]
struct Entries {
    all: HashMap<Key, Entry>,
    /// Entries that have a response, by the time, in Unix ms, at which they are forgotten.
    by_end: BTreeMap<u64, Vec<Key>>,
    /// Those of them whose key is the id of a call, by their caller and end.
    of_attempts: BTreeMap<(Caller, u64), Vec<Key>>,
    /// The numbers of entries, and the bytes of their answers.
    counts: Shares<Caller>,
    bytes: Shares<Caller>,
}

/// The origin of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// The caller chose it, and relies on the answer for the whole window.
    Caller,
    /// It is the id of the call, for the attempts of the client. Without it, the request would be served too: so its
    /// answer makes room for further requests of its caller, rather than that they are refused.
    Attempts,
}

#[derive(Debug)]
struct Entry {
    /// The hash of the payload.
    payload: capgen_schema::Hash,
    /// The caller whose share the entry is a part of.
    caller: Caller,
    /// The id of the request that runs.
    first: String,
    /// When the answer is forgotten, in Unix ms; `None` while the request runs.
    end: Option<u64>,
    /// Where the others wait for the answer.
    answer: Arc<watch::Sender<Option<Answer>>>,
}

/// The part of a request in its key.
pub(super) enum Turn {
    /// The first one: run the request, and give the answer to the others.
    First(First),
    /// A later one: this is the answer, once there is one.
    Later(watch::Receiver<Option<Answer>>),
    /// The key was used with another payload.
    Conflict,
    /// There is no room.
    Full,
}

/// The right to run the request. If it is dropped without an answer, the next request with the key runs.
pub(super) struct First {
    once: Arc<KeyedResponses>,
    key: Key,
    answer: Arc<watch::Sender<Option<Answer>>>,
    has_answer: bool,
}

impl KeyedResponses {
    /// Responses of which a caller that is alone may have `capacity`, with `max_bytes`.
    pub(super) fn new(window: u64, capacity: u64, max_bytes: u64) -> Self {
        let (counts, bytes) = (Shares::new(capacity), Shares::new(max_bytes));
        let (all, by_end, of_attempts) = (HashMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { entries: Mutex::new(Entries { all, by_end, of_attempts, counts, bytes }), window }
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The turn of a request with an id, at a time in Unix ms.
    pub(super) fn turn(self: &Arc<Self>, (key, caller): (Key, &Caller), id: &str, payload: &Bytes, now: u64) -> Turn {
        let hash = capgen_schema::Hash::of(payload);
        let mut entries = self.lock();
        entries.forget(now);
        if let Some(entry) = entries.all.get(&key) {
            return if entry.payload == hash { Turn::Later(entry.answer.subscribe()) } else { Turn::Conflict };
        }
        while !entries.try_take(caller) {
            if !entries.forget_answer_for_attempts(caller) {
                return Turn::Full;
            }
        }
        let answer = Arc::new(watch::Sender::new(None));
        let (caller, first) = (caller.clone(), id.to_owned());
        entries.all.insert(key, Entry { payload: hash, caller, first, end: None, answer: Arc::clone(&answer) });
        Turn::First(First { once: Arc::clone(self), key, answer, has_answer: false })
    }

    /// Whether a request with an id is the one that runs, and others wait for its answer.
    pub(super) fn has_waiters(&self, key: &Key, id: &str) -> bool {
        let entries = self.lock();
        entries.all.get(key).is_some_and(|entry| entry.first == id && entry.answer.receiver_count() > 0)
    }
}

impl Entries {
    fn forget(&mut self, now: u64) {
        while let Some(entry) = self.by_end.first_entry()
            && *entry.key() < now
        {
            let (end, keys) = entry.remove_entry();
            for key in keys {
                // The key may have been forgotten before, and used again.
                if self.all.get(&key).is_some_and(|entry| entry.end == Some(end)) {
                    self.remove(&key);
                }
            }
        }
    }

    /// Takes a place of a caller, if its share has one. The size of the answer is not known yet.
    fn try_take(&mut self, caller: &Caller) -> bool {
        self.bytes.held(caller) < self.bytes.share(caller) && self.counts.try_take(caller, 1)
    }

    /// Forgets the answer for attempts of a caller that ends first. Returns whether there was one.
    fn forget_answer_for_attempts(&mut self, caller: &Caller) -> bool {
        let mut ends = self.of_attempts.range((caller.clone(), 0)..=(caller.clone(), u64::MAX));
        let Some(key) = ends.next().and_then(|(_, keys)| keys.last().copied()) else { return false };
        self.remove(&key);
        true
    }

    fn remove(&mut self, key: &Key) {
        if let Some(entry) = self.all.remove(key) {
            if let Some(end) = entry.end
                && let btree_map::Entry::Occupied(mut keys) = self.of_attempts.entry((entry.caller.clone(), end))
            {
                keys.get_mut().retain(|other| other != key);
                if keys.get().is_empty() {
                    keys.remove();
                }
            }
            let bytes = entry.answer.borrow().as_ref().map_or(0, size);
            self.counts.give_back(&entry.caller, 1);
            self.bytes.give_back(&entry.caller, bytes);
        }
    }
}

/// The size of an answer, in bytes.
fn size(answer: &Answer) -> u64 {
    u64::try_from(answer.payload.len()).unwrap_or(u64::MAX)
}

impl First {
    /// Stores the answer until a time in Unix ms, and gives it to the requests that wait.
    pub(super) fn answer(mut self, answer: Answer, end: u64, origin: Origin) {
        self.has_answer = true;
        let mut guard = self.once.lock();
        let entries = &mut *guard;
        if let Some(entry) = entries.all.get_mut(&self.key) {
            entry.end = Some(end);
            entries.bytes.hold(&entry.caller, size(&answer));
            if origin == Origin::Attempts {
                entries.of_attempts.entry((entry.caller.clone(), end)).or_default().push(self.key);
            }
        }
        entries.by_end.entry(end).or_default().push(self.key);
        // Together with the bytes, which are returned when the entry is forgotten.
        self.answer.send_replace(Some(answer));
    }
}

impl Drop for First {
    fn drop(&mut self) {
        if !self.has_answer {
            self.once.lock().remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(key: &str) -> Key {
        Key::of(&Envelope::of_request("a", "b", "1", None), None, key)
    }

    fn turn(once: &Arc<KeyedResponses>, name: &str, id: &str, payload: &Bytes, now: u64) -> Turn {
        once.turn((key(name), &Caller::Unproved), id, payload, now)
    }

    #[test]
    fn an_answer_is_kept_for_the_window() {
        let once = Arc::new(KeyedResponses::new(100, 10, 1000));
        let payload = Bytes::from_static(b"1");
        let Turn::First(first) = turn(&once, "k", "1", &payload, 0) else { panic!("not first") };
        assert!(!once.has_waiters(&key("k"), "1"));
        let later = turn(&once, "k", "2", &payload, 0);
        assert!(matches!(later, Turn::Later(_)));
        assert!(once.has_waiters(&key("k"), "1") && !once.has_waiters(&key("k"), "2"));
        drop(later);
        assert!(!once.has_waiters(&key("k"), "1"));
        assert!(matches!(turn(&once, "k", "1", &Bytes::from_static(b"2"), 0), Turn::Conflict));
        first.answer(Answer::ok(payload.clone()), 100, Origin::Caller);
        let Turn::Later(answer) = turn(&once, "k", "1", &payload, 100) else { panic!("not later") };
        assert_eq!(answer.borrow().as_ref().map(|answer| answer.payload.clone()), Some(payload.clone()));
        assert!(matches!(turn(&once, "k", "1", &payload, 101), Turn::First(_)));
    }

    #[test]
    fn answers_for_attempts_make_room_and_those_for_keys_of_callers_do_not() {
        let once = Arc::new(KeyedResponses::new(100, 3, 1000));
        let payload = Bytes::from_static(b"1");
        let run = |name: &str, origin, end| match turn(&once, name, "1", &payload, 0) {
            Turn::First(first) => first.answer(Answer::ok(payload.clone()), end, origin),
            _ => panic!("{name} is not first"),
        };
        run("chosen", Origin::Caller, 10);
        run("late", Origin::Attempts, 30);
        run("early", Origin::Attempts, 20);
        for number in 0..1000 {
            run(&number.to_string(), Origin::Attempts, 40 + number);
        }
        let is_known = |name| matches!(turn(&once, name, "1", &payload, 0), Turn::Later(_));
        assert!(is_known("chosen") && is_known("999"), "keys of callers, and the latest one");
        let count = |entries: &Entries| (entries.all.len(), entries.bytes.used());
        assert_eq!(count(&once.lock()), (3, 3));
        // A key that was forgotten and used again lasts as long as its new answer.
        run("early", Origin::Attempts, 2000);
        once.lock().forget(21);
        assert!(is_known("early") && !is_known("chosen"));
    }

    #[test]
    fn a_request_without_an_answer_lets_the_next_one_run() {
        let once = Arc::new(KeyedResponses::new(100, 1, 1000));
        let payload = Bytes::from_static(b"1");
        let Turn::First(first) = turn(&once, "k", "1", &payload, 0) else { panic!("not first") };
        assert!(matches!(turn(&once, "other", "1", &payload, 0), Turn::Full));
        drop(first);
        assert!(matches!(turn(&once, "k", "1", &payload, 0), Turn::First(_)));
    }

    #[test]
    fn a_caller_that_fills_its_share_leaves_room_for_others() {
        let payload = Bytes::from_static(b"12345678");
        // By their number, and by their bytes.
        for (capacity, max_bytes, expected) in [(100, u64::MAX, 100), (u64::MAX, 800, 100)] {
            let once = Arc::new(KeyedResponses::new(100, capacity, max_bytes));
            let (one, other) = (Caller::Agent("a".into()), Caller::Agent("b".into()));
            let fill = |caller: &Caller, name: &str, most: usize| {
                let mut count = 0;
                while count < most
                    && let Turn::First(first) = once.turn((key(&format!("{name}{count}")), caller), "1", &payload, 0)
                {
                    first.answer(Answer::ok(payload.clone()), 100, Origin::Caller);
                    count += 1;
                }
                count
            };
            assert_eq!(fill(&one, "a", 1000), expected);
            assert_eq!(fill(&other, "b", 10), 10);
            assert!(matches!(once.turn((key("c"), &one), "1", &payload, 0), Turn::Full));
            // After the end of the window, it has its share again.
            assert!(matches!(once.turn((key("c"), &one), "1", &payload, 101), Turn::First(_)));
            assert_eq!(once.lock().bytes.used(), 0);
        }
    }
}
