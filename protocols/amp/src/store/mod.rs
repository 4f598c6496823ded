//! The memory of a provider in a file of SQLite.

mod table;

use std::path::Path;
use std::time::Duration;

use capgen_sqlite::{FileError, Limits, open_to_write};
use rusqlite::{Connection, Row, params};

use crate::message::Did;
use crate::provider::{Record, RequestId, Store};
use table::SCHEMA;

/// The largest value is an answer, which has at most 16 MiB; the rest is for its row. Another process that starts waits
/// until the file is free, for as long as a process that was asked to end usually needs.
const LIMITS: Limits = Limits { max_value: 17 << 20, timeout: Duration::from_secs(2) };

/// The expired rows that are deleted for each record that is written: more than one, so that the file does not grow,
/// and few, so that no write takes long.
const DELETED: usize = 16;

/// A [`Store`] in a file of SQLite, of one provider and one process at a time.
///
/// An accepted invocation is on the disk before it runs (`synchronous = FULL`). A result is in the file before it is
/// sent; a power failure may lose the last results, whose duplicates are then refused, but the end of the process does
/// not.
///
/// The file contains the results of invocations, and is created so that only its owner may read it.
///
/// ```
/// use capgen_amp::provider::Store as _;
/// use capgen_amp::store::SqliteStore;
///
/// let folder = tempfile::tempdir()?;
/// let provider = "did:web:example.com:agent:bob".parse()?;
/// let store = SqliteStore::open_or_create(&folder.path().join("bob.db"), &provider, 1_770_000_000_000)?;
/// assert_eq!(store.since(), 1_770_000_000_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SqliteStore {
    connection: Connection,
    since: u64,
}

impl SqliteStore {
    /// Opens the file of a provider, and locks it until the process ends. Creates it if it does not exist or is empty;
    /// then it knows the invocations from `now` on, in Unix ms.
    ///
    /// # Errors
    ///
    /// The file cannot be created or read, another process uses it, or it belongs to another provider.
    pub fn open_or_create(path: &Path, provider: &Did, now: u64) -> Result<Self, FileError> {
        create_private(path)?;
        let connection = open_to_write(path, &SCHEMA, LIMITS, true)?;
        if let Some(difference) = SCHEMA.differences(&connection)?.into_iter().next() {
            return Err(FileError::Other(difference));
        }
        // Two processes would not know each other's invocations. The lock begins with the first write.
        connection.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE")?;
        let did = provider.without_fragment();
        connection.execute(
            "INSERT INTO provider SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM provider)",
            params![did, i64::try_from(now).unwrap_or(i64::MAX)],
        )?;
        let row = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?));
        let (owner, since) = connection.query_row("SELECT did, since FROM provider", [], row)?;
        connection.execute_batch("COMMIT")?;
        if owner != did {
            let owner = capgen_diagnostic::quoted(&owner);
            return Err(FileError::Other(format!("it belongs to the provider {owner}")));
        }
        Ok(Self { connection, since: u64::try_from(since).unwrap_or_default() })
    }

    fn try_write(&mut self, records: &[Record], now: u64) -> rusqlite::Result<()> {
        // A lost result is refused after a restart, but a lost acceptance would run again.
        let is_acceptance = |record: &Record| matches!(record, Record::Accepted { .. });
        let synchronous = if records.iter().any(is_acceptance) { "FULL" } else { "NORMAL" };
        self.connection.execute_batch(&format!("PRAGMA synchronous = {synchronous}"))?;
        let transaction = self.connection.transaction()?;
        for record in records {
            write(&transaction, record)?;
        }
        let (now, limit) = (integer(now), records.len().saturating_mul(DELETED));
        for table in ["invocations", "results"] {
            let expired = format!("SELECT request FROM {table} WHERE expires < ?1 LIMIT ?2");
            let mut delete = transaction.prepare(&format!("DELETE FROM {table} WHERE request IN ({expired})"))?;
            delete.execute(params![now, i64::try_from(limit).unwrap_or(i64::MAX)])?;
        }
        transaction.commit()
    }

    fn try_read(&self, now: u64, found: &mut dyn FnMut(Record)) -> Result<(), FileError> {
        let mut accepted = self
            .connection
            .prepare("SELECT request, hash, ttl, expires FROM invocations WHERE expires >= ?1 ORDER BY expires")?;
        let mut rows = accepted.query([integer(now)])?;
        while let Some(row) = rows.next()? {
            let (request, hash) = (request(row)?, bytes(row, 1)?);
            found(Record::Accepted { request, hash, ttl: unsigned(row, 2)?, expires: unsigned(row, 3)? });
        }
        let mut answered = self.connection.prepare(
            "SELECT results.request, hash, answer, results.expires FROM results JOIN invocations USING (request) WHERE results.expires >= ?1 ORDER BY results.expires",
        )?;
        let mut rows = answered.query([integer(now)])?;
        while let Some(row) = rows.next()? {
            let (request, hash) = (request(row)?, bytes(row, 1)?);
            let answer = row.get_ref(2)?.as_blob().map_err(|error| FileError::Damaged(error.to_string()))?.into();
            found(Record::Answered { request, hash, answer, expires: unsigned(row, 3)? });
        }
        Ok(())
    }
}

impl Store for SqliteStore {
    fn write(&mut self, records: &[Record], now: u64) -> Result<(), String> {
        self.try_write(records, now).map_err(|error| format!("the store cannot be written: {error}"))
    }

    fn read(&mut self, now: u64, found: &mut dyn FnMut(Record)) -> Result<(), String> {
        self.try_read(now, found).map_err(|problem| format!("the store cannot be read: {problem}"))
    }

    fn since(&self) -> u64 {
        self.since
    }
}

fn write(connection: &Connection, record: &Record) -> rusqlite::Result<()> {
    let request = |request: &RequestId| request.to_bytes();
    match record {
        Record::Accepted { request: id, hash, ttl, expires } => connection.execute(
            "INSERT OR REPLACE INTO invocations (request, hash, ttl, expires) VALUES (?1, ?2, ?3, ?4)",
            params![request(id), hash, integer(*ttl), integer(*expires)],
        )?,
        Record::Answered { request: id, answer, expires, .. } => connection.execute(
            "INSERT OR REPLACE INTO results (request, answer, expires) VALUES (?1, ?2, ?3)",
            params![request(id), &**answer, integer(*expires)],
        )?,
        Record::Dropped { request: id } => {
            connection.execute("DELETE FROM results WHERE request = ?1", params![request(id)])?
        }
        Record::Withdrawn { request: id } => {
            connection.execute("DELETE FROM invocations WHERE request = ?1", params![request(id)])?
        }
    };
    Ok(())
}

/// Creates a file that only its owner may read: results are for their callers alone. SQLite gives its other files the
/// same permissions.
fn create_private(path: &Path) -> Result<(), FileError> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(FileError::Failed(error.to_string())),
    }
}

fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn request(row: &Row<'_>) -> Result<RequestId, FileError> {
    Ok(RequestId::from_bytes(&bytes(row, 0)?))
}

fn bytes(row: &Row<'_>, column: usize) -> Result<[u8; 32], FileError> {
    let bytes = row.get_ref(column)?.as_blob().ok().and_then(|bytes| bytes.try_into().ok());
    bytes.ok_or_else(|| FileError::Damaged("a value has another length".to_owned()))
}

fn unsigned(row: &Row<'_>, column: usize) -> Result<u64, FileError> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|_| FileError::Damaged("a number is negative".to_owned()))
}
