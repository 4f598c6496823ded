//! Opening a file: to read it, or to write to it.

use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use crate::schema::is_empty;
use crate::{FileError, Schema, write_ahead};

/// The time between two attempts to change the journal mode. The other process needs a few writes to the disk for it,
/// so the wait is hardly longer than theirs, and a wait until the timeout takes no noticeable work.
const RETRY: Duration = Duration::from_millis(10);

/// The limits of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The largest value or row that is read or written, in bytes.
    pub max_value: usize,
    /// How long to wait for the locks of other connections.
    pub timeout: Duration,
}

/// Opens an existing file read-only. Programs may write to it at the same time.
///
/// # Errors
///
/// The file does not exist, has another schema, or cannot be read.
pub fn open_to_read(path: &Path, schema: &Schema, limits: Limits) -> Result<Connection, FileError> {
    require_file(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let checked = |connection| checked(connection, schema, limits);
    match Connection::open_with_flags(path, flags).map_err(FileError::from).and_then(checked) {
        // In WAL mode, SQLite creates files next to the database even to read it. In a folder that is not writable,
        // that fails; if there is no write-ahead log, no one else has the file open, and it can be read as it is.
        Err(FileError::Failed(_)) if !write_ahead::path(path).exists() => {
            let flags = flags | OpenFlags::SQLITE_OPEN_URI;
            checked(Connection::open_with_flags(immutable(path), flags)?)
        }
        opened => opened,
    }
}

fn checked(connection: Connection, schema: &Schema, limits: Limits) -> Result<Connection, FileError> {
    harden(&connection, limits)?;
    schema.check(&connection)?;
    Ok(connection)
}

/// Opens a file to write to it, in WAL mode. With `may_create`, creates the tables if the file does not exist or is
/// empty.
///
/// # Errors
///
/// The file has another schema, or cannot be created, read or written.
pub fn open_to_write(path: &Path, schema: &Schema, limits: Limits, may_create: bool) -> Result<Connection, FileError> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if may_create {
        flags |= OpenFlags::SQLITE_OPEN_CREATE;
    } else {
        require_file(path)?;
    }
    let mut connection = Connection::open_with_flags(path, flags)?;
    harden(&connection, limits)?;
    let end = Instant::now() + limits.timeout;
    loop {
        // SQLite does not wait for a lock if two processes change the journal mode of a new file at the same time.
        match prepare(&mut connection, schema, may_create) {
            Err(FileError::Locked) if Instant::now() < end => std::thread::sleep(RETRY),
            Err(problem) => return Err(problem),
            Ok(()) => return Ok(connection),
        }
    }
}

fn prepare(connection: &mut Connection, schema: &Schema, may_create: bool) -> Result<(), FileError> {
    let is_new = may_create && is_empty(connection)?;
    if !is_new {
        // Before anything is changed: the file may belong to another program.
        schema.check(connection)?;
    }
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode != "wal" {
        return Err(FileError::Failed(format!("the journal mode is `{mode}`: the file system does not support WAL")));
    }
    if is_new {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have created it in the meantime.
        if is_empty(&transaction)? {
            schema.create(&transaction)?;
        }
        transaction.commit()?;
    }
    schema.check(connection)
}

/// A file may come from anyone: SQLite must not run SQL of its schema beyond our triggers, and must bound the memory
/// for a value.
fn harden(connection: &Connection, limits: Limits) -> Result<(), FileError> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, i32::try_from(limits.max_value).unwrap_or(i32::MAX))?;
    connection.busy_timeout(limits.timeout)?;
    connection.execute_batch("PRAGMA cell_size_check = ON")?;
    Ok(())
}

fn require_file(path: &Path) -> Result<(), FileError> {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(()),
        Ok(_) => Err(FileError::Other("it is not a regular file".to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(FileError::Missing),
        Err(error) => Err(FileError::Failed(error.to_string())),
    }
}

/// The URI of a file that no one changes.
fn immutable(path: &Path) -> String {
    let mut uri = String::from("file:");
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => uri.push(char::from(byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    uri
}
