//! The contents of logs.

use std::collections::{HashMap, HashSet};

use capgen_registry::log::{Log, Record};
use capgen_registry::{Configuration, Event, EventType, Fold, Hash};

/// All records of a log.
///
/// # Panics
///
/// The log cannot be read.
#[must_use]
pub fn records(log: &mut dyn Log) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    loop {
        let after = records.last().map_or(0, |record| record.sequence);
        let next = log.read(after, 1000).expect("the log can be read");
        if next.is_empty() {
            return records;
        }
        records.extend(next);
    }
}

/// The events of a log, and the state of their fold.
#[derive(Debug)]
pub struct Survey {
    /// Every record.
    pub records: Vec<Record>,
    /// The place of each content.
    pub places: HashMap<Hash, (String, u64)>,
    /// The hash of the state.
    pub state: String,
    /// The hash of the registry facts.
    pub registry: String,
}

impl Survey {
    /// Reads a log, folds its events and checks that it contains each of them once.
    ///
    /// # Panics
    ///
    /// The log cannot be read, or contains an event twice.
    #[must_use]
    pub fn of(log: &mut dyn Log) -> Self {
        let records = records(log);
        let mut fold = Fold::new(Configuration::default().into());
        let mut places = HashMap::new();
        for record in &records {
            fold.event(&record.event);
            let place = (record.partition.clone(), record.offset);
            let other = places.insert(record.event.hash(), place);
            assert!(other.is_none(), "{other:?} and {}/{}: {}", record.partition, record.offset, record.event.text());
        }
        let report = fold.report();
        Self { records, places, state: report.hash, registry: report.registry_hash }
    }

    /// The events of a type.
    pub fn of_type(&self, kind: EventType) -> impl Iterator<Item = &Event> {
        self.records.iter().map(|record| &record.event).filter(move |event| event.event_type() == Some(kind))
    }

    /// Checks that each request has exactly one outcome, and returns the number of requests.
    ///
    /// # Panics
    ///
    /// A request has none or several.
    pub fn assert_answered(&self) -> usize {
        let outcomes = self.of_type(EventType::Invoked).chain(self.of_type(EventType::Unresolved));
        let outcomes: Vec<&str> = outcomes.map(|event| event.payload()["request_id"].as_str().unwrap()).collect();
        let answered: HashSet<&str> = outcomes.iter().copied().collect();
        assert_eq!(answered.len(), outcomes.len(), "a request has two outcomes");
        let requests: Vec<String> =
            self.of_type(EventType::Requested).map(|event| event.id().unwrap().to_string()).collect();
        let open = requests.iter().filter(|id| !answered.contains(id.as_str())).count();
        assert_eq!((open, requests.len()), (0, answered.len()), "requests without an outcome");
        requests.len()
    }
}
