//! A registry of a snapshot and of the rest of a log.

use std::io::BufRead;
use std::sync::Arc;

use capgen_schema::Hash;

use super::{InvalidSnapshot, Position, Snapshot};
use crate::log::{Log, LogError, Record};
use crate::{Checker, Registry};

/// How many events are read at once. Logs limit the bytes of one read too, so large events do not make a batch large.
const BATCH: usize = 1000;

/// A registry, and its place in the log whose events it contains, which a snapshot needs.
///
/// ```
/// use std::sync::Arc;
/// use capgen_registry::log::MemoryLog;
/// use capgen_registry::{Checker, Configuration, Restored};
///
/// let checker = Arc::new(Checker::new(Configuration::default().into()));
/// let mut log = MemoryLog::new(checker.clone());
/// let (mut restored, dropped) = Restored::start(&mut log, None, checker.clone())?;
/// let snapshot = restored.snapshot(&mut log)?.to_json();
/// let (again, dropped) = Restored::start(&mut log, Some(snapshot.as_bytes()), checker)?;
/// assert_eq!((again.position(), dropped), (restored.position(), None));
/// # Ok::<(), capgen_registry::log::LogError>(())
/// ```
#[derive(Debug)]
pub struct Restored {
    checker: Arc<Checker>,
    registry: Registry,
    position: Position,
    /// The number of requests that were removed from the snapshot at the start.
    pruned: u64,
}

impl Restored {
    /// Starts from a snapshot, if there is one that is valid and belongs to the log, and reads the rest of the log.
    /// Otherwise, reads the whole log, and returns the reason why the snapshot was dropped, for a warning.
    ///
    /// # Errors
    ///
    /// The log cannot be read.
    pub fn start(
        log: &mut dyn Log,
        snapshot: Option<&[u8]>,
        checker: Arc<Checker>,
    ) -> Result<(Self, Option<InvalidSnapshot>), LogError> {
        match snapshot {
            Some(text) => Self::start_from(log, text, checker),
            None => {
                let mut restored = Self::new(checker);
                restored.catch_up(log)?;
                Ok((restored, None))
            }
        }
    }

    /// Like [`start`](Self::start), from a snapshot that is read entry by entry. The caller limits its length.
    ///
    /// # Errors
    ///
    /// The log cannot be read.
    pub fn start_from(
        log: &mut dyn Log,
        snapshot: impl BufRead,
        checker: Arc<Checker>,
    ) -> Result<(Self, Option<InvalidSnapshot>), LogError> {
        let (mut restored, dropped) = match Self::of(log, snapshot, &checker)? {
            Ok(restored) => (restored, None),
            Err(invalid) => (Self::new(checker), Some(invalid)),
        };
        restored.catch_up(log)?;
        Ok((restored, dropped))
    }

    fn new(checker: Arc<Checker>) -> Self {
        let registry = Registry::new(checker.config().clone());
        Self { checker, registry, position: Position::default(), pruned: 0 }
    }

    /// The registry of a snapshot.
    fn of(
        log: &mut dyn Log,
        text: impl BufRead,
        checker: &Arc<Checker>,
    ) -> Result<Result<Self, InvalidSnapshot>, LogError> {
        let snapshot = match Snapshot::read(text, checker.config()) {
            Ok(snapshot) => snapshot,
            Err(invalid) => return Ok(Err(invalid)),
        };
        if !log.resume(&snapshot.position)? {
            return Ok(Err(InvalidSnapshot::OtherLog));
        }
        let Snapshot { registry, position, pruned, .. } = snapshot;
        Ok(Ok(Self { checker: checker.clone(), registry, position, pruned }))
    }

    /// Reads the events after the position. Returns their number.
    ///
    /// # Errors
    ///
    /// The log cannot be read. The events before the error are in the registry.
    pub fn catch_up(&mut self, log: &mut dyn Log) -> Result<u64, LogError> {
        let mut count = 0;
        loop {
            let records = log.read(self.position.sequence, BATCH)?;
            if records.is_empty() {
                return Ok(count);
            }
            for record in &records {
                self.add(record);
                count += 1;
            }
            if let Some(last) = records.last() {
                self.position.event_hash = Some(Hash::of(last.event.text()));
                (self.position.row_hash, self.position.file) = (None, log.file_place());
            }
        }
    }

    fn add(&mut self, record: &Record) {
        self.registry.join_all(self.checker.check(&record.event).into_facts());
        self.position.sequence = record.sequence;
        match self.position.offsets.get_mut(&record.partition) {
            Some(offset) => *offset = record.offset,
            None => drop(self.position.offsets.insert(record.partition.clone(), record.offset)),
        }
    }

    /// The registry.
    pub fn registry(&mut self) -> &mut Registry {
        &mut self.registry
    }

    /// The registry, without its place.
    #[must_use]
    pub fn into_registry(self) -> Registry {
        self.registry
    }

    /// The place in the log.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Whether the snapshot at the start was pruned. Then the state has no hash, and must not be merged.
    #[must_use]
    pub fn is_pruned(&self) -> bool {
        self.pruned > 0
    }

    /// A snapshot of the registry at its place.
    ///
    /// # Errors
    ///
    /// The log cannot be read.
    pub fn snapshot(&mut self, log: &mut dyn Log) -> Result<Snapshot, LogError> {
        if self.position.row_hash.is_none() {
            self.position.row_hash = log.row_hash(self.position.sequence)?;
        }
        let snapshot = Snapshot::take(&mut self.registry, self.position.clone());
        Ok(Snapshot { pruned: self.pruned, ..snapshot })
    }
}
