//! A log in memory.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use capgen_schema::Hash;

use super::{
    AppendOptions, AppendResult, Appended, Chains, Decision, Heads, Index, Log, LogError, Record, Verification,
};
use crate::{Checker, Event};

/// A log in memory, for tests and short-lived programs. Clones share the events. Nothing survives the process.
///
/// ```
/// use std::sync::Arc;
/// use capgen_registry::log::{AppendOptions, Log, MemoryLog};
/// use capgen_registry::{Checker, Configuration, Event};
///
/// let mut log = MemoryLog::new(Arc::new(Checker::new(Configuration::default().into())));
/// let results = log.append(&[Event::parse(b"{}")?], &AppendOptions { now: 0, import: false })?;
/// assert_eq!(results[0].as_ref().unwrap_err().reason(), "envelope");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MemoryLog {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    store: Mutex<Store>,
    appended: Condvar,
}

#[derive(Debug)]
struct Store {
    index: Index,
    chains: Chains,
    rows: Vec<Row>,
}

/// Its sequence is its place in the list, from 1 on.
#[derive(Debug)]
struct Row {
    offset: u64,
    event: Event,
    hash: Hash,
}

impl MemoryLog {
    /// An empty log.
    #[must_use]
    pub fn new(checker: Arc<Checker>) -> Self {
        let store = Store { index: Index::new(checker), chains: Chains::new(None), rows: Vec::new() };
        Self { shared: Arc::new(Shared { store: Mutex::new(store), appended: Condvar::new() }) }
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.shared.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Log for MemoryLog {
    fn append(&mut self, events: &[Event], options: &AppendOptions) -> Result<Vec<AppendResult>, LogError> {
        let mut store = self.store();
        let results = events.iter().map(|event| store.append(event, options)).collect();
        self.shared.appended.notify_all();
        Ok(results)
    }

    fn read(&mut self, after: u64, limit: usize) -> Result<Vec<Record>, LogError> {
        let store = self.store();
        let record = |(index, row): (usize, &Row)| Record {
            sequence: u64::try_from(index).unwrap_or(u64::MAX).saturating_add(1),
            partition: row.event.partition().to_owned(),
            offset: row.offset,
            event: row.event.clone(),
        };
        Ok(store.rows.iter().enumerate().skip(position(after)).take(limit).map(record).collect())
    }

    fn wait(&mut self, after: u64, timeout: Duration) -> Result<bool, LogError> {
        let is_at_end = |store: &mut Store| store.rows.len() <= position(after);
        let waited = self.shared.appended.wait_timeout_while(self.store(), timeout, is_at_end);
        let (store, _) = waited.unwrap_or_else(PoisonError::into_inner);
        Ok(store.rows.len() > position(after))
    }

    fn verify(&mut self, expect: Option<&Heads>) -> Result<Verification, LogError> {
        let mut chains = Chains::new(expect);
        for row in &self.store().rows {
            chains.push(row.event.partition(), row.event.text());
        }
        Ok(chains.finish())
    }

    fn row_hash(&mut self, sequence: u64) -> Result<Option<Hash>, LogError> {
        let row = sequence.checked_sub(1).map(position);
        Ok(row.and_then(|row| self.store().rows.get(row).map(|row| row.hash)))
    }
}

impl Store {
    fn append(&mut self, event: &Event, options: &AppendOptions) -> AppendResult {
        let admission = match self.index.admit(event, options) {
            Decision::Append(admission) => admission,
            Decision::Duplicate(appended) => return Ok(appended),
            Decision::Reject(rejection) => return Err(rejection),
        };
        let appended: Appended = self.index.record(event, &admission);
        let hash = self.chains.push(event.partition(), event.text());
        self.rows.push(Row { offset: appended.offset, event: event.clone(), hash });
        Ok(appended)
    }
}

/// A number of events as an index.
fn position(sequence: u64) -> usize {
    usize::try_from(sequence).unwrap_or(usize::MAX)
}
