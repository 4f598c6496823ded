//! A log in a file of SQLite.

mod batch;
mod row;
mod table;
mod verify;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use capgen_schema::Hash;
use capgen_sqlite::{FileError, Limits, open_to_read, open_to_write};
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension as _, Row, TransactionBehavior};

use super::{AppendOptions, AppendResult, FirstOfKernel, Heads, Log, LogError, Rate, Record, Verification, wait_for};
use crate::{Checker, Event};
use batch::Batch;
use table::SCHEMA;

/// The largest value is an event, of at most 1 MiB in canonical form; the limit is also one for whole rows and
/// statements, so it leaves room. An append has its lock only as long as it runs, so other appends wait for it; half a
/// minute without the lock means that a process hangs.
const LIMITS: Limits = Limits { max_value: 4 << 20, timeout: Duration::from_secs(30) };

/// The bytes of the events that one call of `read` returns at most, apart from the first one. It bounds the memory of a
/// caller that asks for many events: 16 of the largest ones.
const MAX_READ: usize = 16 << 20;

/// A log in a file of SQLite, the default of embedded registries.
///
/// Each append is one transaction in WAL mode with `synchronous = FULL`: when it returns, the events are on the disk.
/// Several processes may append to one file and read it. The rows contain the events as readable canonical JSON, and
/// are chained by hashes, for each partition and for the whole log. An append reads only from indexes, so its time does
/// not depend on the length of the log.
///
/// The file may come from anyone: its schema must be exactly the expected one, and no code of it runs apart from the
/// triggers that refuse changes.
///
/// ```
/// use std::sync::Arc;
/// use capgen_registry::log::{Log, SqliteLog};
/// use capgen_registry::{Checker, Configuration};
///
/// let folder = tempfile::tempdir()?;
/// let checker = Arc::new(Checker::new(Configuration::default().into()));
/// let mut log = SqliteLog::open_or_create(&folder.path().join("registry.db"), checker)?;
/// assert!(log.verify(None)?.ok);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SqliteLog {
    path: PathBuf,
    connection: Connection,
    checker: Arc<Checker>,
    rate: Rate,
    first_of_kernel: FirstOfKernel,
}

impl SqliteLog {
    /// Opens a file to append to it and to read it. Creates it if it does not exist or is empty.
    ///
    /// # Errors
    ///
    /// The file cannot be created or read, or is not a log.
    pub fn open_or_create(path: &Path, checker: Arc<Checker>) -> Result<Self, LogError> {
        let opened = open_to_write(path, &SCHEMA, LIMITS, true).and_then(|connection| {
            // The file's triggers and expressions run during an append.
            if let Some(difference) = SCHEMA.differences(&connection)?.into_iter().next() {
                return Err(FileError::Other(difference));
            }
            // Every commit reaches the disk before it returns.
            connection.execute_batch("PRAGMA synchronous = FULL")?;
            Ok(connection)
        });
        Self::of(path, opened, checker)
    }

    /// Opens an existing file only to read it. This also works if an index or a trigger was changed, so that
    /// [`verify`](Log::verify) can find the damage.
    ///
    /// # Errors
    ///
    /// The file does not exist, cannot be read, or is not a log.
    pub fn open_to_read(path: &Path, checker: Arc<Checker>) -> Result<Self, LogError> {
        Self::of(path, open_to_read(path, &SCHEMA, LIMITS), checker)
    }

    fn of(path: &Path, opened: Result<Connection, FileError>, checker: Arc<Checker>) -> Result<Self, LogError> {
        let connection = opened.map_err(|problem| failed(path, &problem))?;
        let first_of_kernel = FirstOfKernel::new(checker.clone());
        let mut log = Self { path: path.to_owned(), connection, checker, rate: Rate::default(), first_of_kernel };
        log.check_kernel()?;
        Ok(log)
    }

    /// Fails if the log is refused for its first event of the kernel. Other processes may have appended it since the
    /// last look.
    fn check_kernel(&mut self) -> Result<(), LogError> {
        if !self.first_of_kernel.is_known() {
            let query = "SELECT event FROM events WHERE id = (SELECT min(id) FROM events WHERE agent = ?1)";
            let kernel = self.checker.config().kernel();
            let found = self.connection.query_row(query, [kernel], |row| row.get::<_, String>(0));
            // Damage is found where the rows are read or verified.
            let event = found.ok().and_then(|text| Event::parse(text.as_bytes()).ok());
            event.iter().for_each(|event| self.first_of_kernel.note(event));
        }
        self.first_of_kernel.check()
    }

    fn try_append(&mut self, events: &[Event], options: &AppendOptions) -> Result<Vec<AppendResult>, FileError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut batch = Batch::new(&transaction)?;
        let results = events.iter().map(|event| batch.append(event, options, &self.checker, &mut self.rate));
        let results: Vec<AppendResult> = results.collect::<Result<_, FileError>>()?;
        let is_changed = batch.is_changed();
        drop(batch);
        if is_changed {
            transaction.commit()?;
        }
        Ok(results)
    }

    fn try_read(&self, after: u64, limit: usize) -> Result<Vec<Record>, FileError> {
        let query = "SELECT id, partition, offset, event FROM events WHERE id > ?1 ORDER BY id";
        let mut statement = self.connection.prepare(query)?;
        let mut rows = statement.query([i64::try_from(after).unwrap_or(i64::MAX)])?;
        let (mut records, mut bytes, mut last) = (Vec::new(), 0, after);
        while records.len() < limit && bytes < MAX_READ {
            let Some(row) = rows.next()? else { break };
            let (sequence, text) = (unsigned(row, 0)?, row.get_ref(3)?);
            let event = text.as_bytes().ok().and_then(|text| Event::parse(text).ok());
            let (Some(event), true) = (event, sequence > last) else {
                return Err(FileError::Damaged(format!("row {sequence} contains no event, or is in another order")));
            };
            last = sequence;
            bytes += event.text().len();
            records.push(Record { sequence, partition: row.get(1)?, offset: unsigned(row, 2)?, event });
        }
        Ok(records)
    }

    fn failed(&self, problem: &FileError) -> LogError {
        failed(&self.path, problem)
    }
}

impl Log for SqliteLog {
    fn append(&mut self, events: &[Event], options: &AppendOptions) -> Result<Vec<AppendResult>, LogError> {
        self.check_kernel()?;
        self.try_append(events, options).map_err(|problem| self.failed(&problem))
    }

    fn read(&mut self, after: u64, limit: usize) -> Result<Vec<Record>, LogError> {
        self.check_kernel()?;
        self.try_read(after, limit).map_err(|problem| self.failed(&problem))
    }

    fn wait(&mut self, after: u64, timeout: Duration) -> Result<bool, LogError> {
        wait_for(timeout, || {
            let last = capgen_sqlite::integer(&self.connection, "SELECT coalesce(max(id), 0) FROM events");
            let last = last.map_err(|error| self.failed(&error.into()))?;
            Ok(u64::try_from(last).unwrap_or(0) > after)
        })
    }

    fn verify(&mut self, expect: Option<&Heads>) -> Result<Verification, LogError> {
        self.check_kernel()?;
        verify::verify(&self.connection, &self.path, expect).map_err(|problem| self.failed(&problem))
    }

    fn row_hash(&mut self, sequence: u64) -> Result<Option<Hash>, LogError> {
        let id = i64::try_from(sequence).unwrap_or(i64::MAX);
        let found = self.connection.query_row("SELECT row_hash FROM events WHERE id = ?1", [id], |row| hash(row, 0));
        found.optional().map_err(|error| self.failed(&error.into()))
    }
}

fn failed(path: &Path, problem: &FileError) -> LogError {
    LogError::Failed(format!("{}: {problem}", path.display()))
}

/// The number in a column, which is not negative.
fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, number))
}

/// The hash in a column.
fn hash(row: &Row<'_>, column: usize) -> rusqlite::Result<Hash> {
    let bytes: [u8; 32] = row.get(column)?;
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    text.parse().map_err(|_| rusqlite::Error::InvalidColumnType(column, "hash".to_owned(), Type::Blob))
}
