//! The index of a log in memory.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::sync::Arc;

use capgen_schema::Hash;

use super::admission::{self, Admission, Claim, Decision, Known, Lookup, Place, Subject, request_hash};
use super::{AppendOptions, Appended, FirstOfKernel, LogError, Rate};
use crate::state::{Name, Names};
use crate::{Checker, Event, EventId};

/// The index of a log in memory, for logs whose stores have none of their own.
///
/// It decides about new events, which [`record`](Self::record) adds once they are stored. [`replay`](Self::replay) adds
/// events that the log already contains, in the log's order, from any process. Memory is about 150 bytes per event, and
/// depends on no payload.
///
/// ```
/// use std::sync::Arc;
/// use capgen_registry::log::{AppendOptions, Decision, Index};
/// use capgen_registry::{Checker, Configuration, Event};
///
/// let mut index = Index::new(Arc::new(Checker::new(Configuration::default().into())));
/// let event = Event::parse(br#"{"event_type": "agent.heartbeat"}"#)?;
/// let options = AppendOptions { now: 0, import: false };
/// assert!(matches!(index.admit(&event, &options), Decision::Reject(_)));
/// # Ok::<(), capgen_registry::NotJson>(())
/// ```
#[derive(Debug)]
pub struct Index {
    checker: Arc<Checker>,
    rate: Rate,
    first_of_kernel: FirstOfKernel,
    events: Events,
}

/// The stored events.
#[derive(Default, Debug)]
struct Events {
    names: Names,
    /// The first content of each identity.
    first: HashMap<(Name, EventId), (Hash, NamedPlace)>,
    /// The other contents.
    others: HashMap<(Name, EventId), HashMap<Hash, NamedPlace>>,
    /// The greatest time in the ids of each producer, in Unix ms.
    latest: HashMap<Name, u64>,
    /// By producer, partition and idempotency key.
    claims: HashMap<(Name, Name, Box<str>), NamedClaim>,
    /// The hashes of subjects; only if there is a quota.
    subjects: HashMap<Name, HashSet<Hash>>,
    /// The next offset of each partition.
    next: HashMap<Name, u64>,
}

#[derive(Clone, Copy, Debug)]
struct NamedPlace {
    partition: Name,
    offset: u64,
}

/// The event that has claimed a key, and its [`request_hash`].
#[derive(Clone, Copy, Debug)]
struct NamedClaim {
    place: NamedPlace,
    id: EventId,
    hash: Hash,
}

impl Index {
    /// The index of an empty log.
    #[must_use]
    pub fn new(checker: Arc<Checker>) -> Self {
        let first_of_kernel = FirstOfKernel::new(checker.clone());
        Self { checker, rate: Rate::default(), first_of_kernel, events: Events::default() }
    }

    /// Decides about a new event. An invalid event that is to be appended is counted for the quota.
    #[must_use]
    pub fn admit(&mut self, event: &Event, options: &AppendOptions) -> Decision {
        let Ok(decision) = admission::admit(event, options, &self.checker, &mut self.rate, &mut self.events);
        decision
    }

    /// Adds an event that was admitted and is stored now, and returns the result of the append.
    pub fn record(&mut self, event: &Event, admission: &Admission) -> Appended {
        self.events.add(event, Some(admission), self.checker.config().quota().is_some())
    }

    /// Adds an event that the log already contains, and returns its place. An event whose envelope or signature is
    /// invalid has an offset, but changes nothing for its alleged producer.
    pub fn replay(&mut self, event: &Event) -> Appended {
        self.first_of_kernel.note(event);
        let admission = admission::replay(event, &self.checker);
        self.events.add(event, admission.as_ref(), self.checker.config().quota().is_some())
    }

    /// Fails if the log is refused for its first event of the kernel. A log calls this after it has replayed new
    /// events.
    ///
    /// # Errors
    ///
    /// See [`FirstOfKernel::check`].
    pub fn check(&self) -> Result<(), LogError> {
        self.first_of_kernel.check()
    }

    /// The number of events in a partition, which is the next offset.
    #[must_use]
    pub fn len(&self, partition: &str) -> u64 {
        let name = self.events.names.find(partition);
        name.and_then(|name| self.events.next.get(&name)).copied().unwrap_or(0)
    }
}

impl Events {
    fn add(&mut self, event: &Event, admission: Option<&Admission>, has_quota: bool) -> Appended {
        let partition = self.names.number(event.partition());
        let next = self.next.entry(partition).or_default();
        let place = NamedPlace { partition, offset: *next };
        *next += 1;
        if let (Some(admission), Some(agent), Some(id)) = (admission, event.agent(), event.id()) {
            self.note(event, (agent, id), place, admission);
            if has_quota && !admission.subjects.is_empty() {
                let agent = self.names.number(agent);
                self.subjects.entry(agent).or_default().extend(admission.subjects.iter().map(Hash::of));
            }
        }
        let integrity_fault = admission.is_some_and(|admission| admission.integrity_fault);
        Appended { offset: place.offset, partition: event.partition().to_owned(), duplicate_of: None, integrity_fault }
    }

    fn note(&mut self, event: &Event, (agent, id): (&str, EventId), place: NamedPlace, admission: &Admission) {
        let agent = self.names.number(agent);
        let content = event.hash();
        let (first, _) = self.first.entry((agent, id)).or_insert((content, place));
        if *first != content {
            self.others.entry((agent, id)).or_default().entry(content).or_insert(place);
        }
        if let Some(millis) = id.millis() {
            let latest = self.latest.entry(agent).or_default();
            *latest = millis.max(*latest);
        }
        let key = event.member("idempotency_key").filter(|_| admission.valid);
        if let Some(key) = key {
            let claim = || NamedClaim { place, id, hash: request_hash(event) };
            self.claims.entry((agent, place.partition, key.into())).or_insert_with(claim);
        }
    }

    fn place(&self, place: NamedPlace) -> Place {
        Place { partition: self.names.text(place.partition).to_owned(), offset: place.offset }
    }
}

impl Lookup for Events {
    type Error = Infallible;

    fn known(&mut self, agent: &str, id: EventId, content: Hash) -> Result<Known, Infallible> {
        let Some(agent) = self.names.find(agent) else { return Ok(Known::default()) };
        let Some((hash, first)) = self.first.get(&(agent, id)) else { return Ok(Known::default()) };
        let others = self.others.get(&(agent, id));
        let same = if *hash == content { Some(first) } else { others.and_then(|others| others.get(&content)) };
        let has_other = *hash != content || others.is_some();
        Ok(Known { same: same.map(|same| self.place(*same)), has_other })
    }

    fn authentic(&mut self, agent: &str, id: EventId, _: &Checker) -> Result<Option<Place>, Infallible> {
        // No other events are noted.
        let first = self.names.find(agent).and_then(|agent| self.first.get(&(agent, id)));
        Ok(first.map(|(_, place)| self.place(*place)))
    }

    fn latest(&mut self, agent: &str) -> Result<Option<u64>, Infallible> {
        Ok(self.names.find(agent).and_then(|agent| self.latest.get(&agent)).copied())
    }

    fn claim(&mut self, agent: &str, partition: &str, key: &str) -> Result<Option<Claim>, Infallible> {
        let (Some(agent), Some(partition)) = (self.names.find(agent), self.names.find(partition)) else {
            return Ok(None);
        };
        let claim = self.claims.get(&(agent, partition, key.into()));
        Ok(claim.map(|NamedClaim { place, id, hash }| Claim { place: self.place(*place), id: *id, hash: *hash }))
    }

    fn subjects(&mut self, agent: &str, subjects: &[Subject]) -> Result<(u64, u64), Infallible> {
        let known = self.names.find(agent).and_then(|agent| self.subjects.get(&agent));
        let is_new = |subject: &&Subject| !known.is_some_and(|known| known.contains(&Hash::of(subject)));
        let new = subjects.iter().filter(is_new).count();
        let count = |number| u64::try_from(number).unwrap_or(u64::MAX);
        Ok((count(known.map_or(0, HashSet::len)), count(new)))
    }
}
