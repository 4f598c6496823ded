//! Opening a database: to read it, or to append to it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::table;

/// The largest value that a connection reads or writes, in bytes; the limit of a record.
pub(crate) const MAX_RECORD: usize = 16 << 20;

/// How long readers wait for a lock. In WAL mode, they only need one while another process recovers the file.
const READER_TIMEOUT: Duration = Duration::from_secs(5);

/// Why a database cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DatabaseError {
    /// The file does not exist.
    Missing,
    /// The file is not an audit; the text states the reason.
    NotAnAudit(String),
    /// A newer version of capgen wrote the file, with this version of the table.
    Newer(i64),
    /// SQLite cannot read the file.
    Damaged(String),
    /// Another process locks the file for too long.
    Locked,
    /// The system or SQLite reports an error.
    Failed(String),
}

/// A database that is read: it is never changed, and not created if it does not exist.
///
/// ```
/// use capgen_audit::{Database, DatabaseError};
/// assert_eq!(Database::open("missing.db".as_ref()).err(), Some(DatabaseError::Missing));
/// ```
#[derive(Debug)]
pub struct Database {
    pub(crate) connection: Connection,
    /// The path of the write-ahead log.
    pub(crate) log: PathBuf,
}

impl Database {
    /// Opens a database read-only. Programs may write to it at the same time.
    ///
    /// # Errors
    ///
    /// The file does not exist, is not an audit, or cannot be read.
    pub fn open(path: &Path) -> Result<Self, DatabaseError> {
        require_file(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(path, flags).map_err(DatabaseError::from);
        match opened.and_then(|connection| Self::checked(connection, path)) {
            // In WAL mode, SQLite creates files next to the database even to read it. In a folder that is not writable, that fails; if
            // there is no log, no one else has the file open, and it can be read as it is.
            Err(DatabaseError::Failed(_)) if !log(path).exists() => {
                let flags = flags | OpenFlags::SQLITE_OPEN_URI;
                Self::checked(Connection::open_with_flags(immutable(path), flags)?, path)
            }
            opened => opened,
        }
    }

    fn checked(connection: Connection, path: &Path) -> Result<Self, DatabaseError> {
        harden(&connection)?;
        connection.busy_timeout(READER_TIMEOUT)?;
        table::check(&connection)?;
        Ok(Self { connection, log: log(path) })
    }
}

/// Opens an existing database to append to it.
pub(crate) fn open_to_write(path: &Path, timeout: Duration) -> Result<Connection, DatabaseError> {
    require_file(path)?;
    open(path, OpenFlags::SQLITE_OPEN_READ_WRITE, timeout)
}

/// Opens a database to append to it, and creates it if the file does not exist or is empty.
#[cfg(feature = "store")]
pub(crate) fn open_or_create(path: &Path, timeout: Duration) -> Result<Connection, DatabaseError> {
    open(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE, timeout)
}

fn open(path: &Path, flags: OpenFlags, timeout: Duration) -> Result<Connection, DatabaseError> {
    let may_create = flags.contains(OpenFlags::SQLITE_OPEN_CREATE);
    let mut connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    harden(&connection)?;
    connection.busy_timeout(timeout)?;
    let end = Instant::now() + timeout;
    loop {
        // SQLite does not wait for a lock if two processes change the journal mode of a new file at the same time.
        match prepare(&mut connection, may_create) {
            Err(DatabaseError::Locked) if Instant::now() < end => std::thread::sleep(Duration::from_millis(10)),
            Err(error) => return Err(error),
            Ok(()) => return Ok(connection),
        }
    }
}

fn prepare(connection: &mut Connection, may_create: bool) -> Result<(), DatabaseError> {
    let is_new = may_create && table::is_empty(connection)?;
    if !is_new {
        // Before anything is changed: the file may belong to another program.
        table::check(connection)?;
    }
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode != "wal" {
        return Err(DatabaseError::Failed(format!(
            "the journal mode is `{mode}`: the file system does not support WAL"
        )));
    }
    if is_new {
        let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        // Another process may have created it in the meantime.
        if table::is_empty(&transaction)? {
            table::create(&transaction)?;
        }
        transaction.commit()?;
    }
    table::check(connection)
}

/// A file may come from anyone: SQLite must not run SQL of its schema beyond our triggers, and must bound the memory for a value.
fn harden(connection: &Connection) -> Result<(), DatabaseError> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    // A value, and the columns next to it.
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, i32::try_from(2 * MAX_RECORD).unwrap_or(i32::MAX))?;
    connection.execute_batch("PRAGMA cell_size_check = ON")?;
    Ok(())
}

fn require_file(path: &Path) -> Result<(), DatabaseError> {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(()),
        Ok(_) => Err(DatabaseError::NotAnAudit("it is not a regular file".to_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(DatabaseError::Missing),
        Err(error) => Err(DatabaseError::Failed(error.to_string())),
    }
}

/// The path of the write-ahead log.
fn log(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    name.into()
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

impl From<rusqlite::Error> for DatabaseError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked,
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged(error.to_string()),
            Some(ErrorCode::NotADatabase) => Self::NotAnAudit("it is not an SQLite database".to_owned()),
            _ => Self::Failed(error.to_string()),
        }
    }
}

impl fmt::Display for DatabaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("the file does not exist"),
            Self::NotAnAudit(reason) => write!(f, "the file is not an audit: {reason}"),
            Self::Newer(version) => {
                write!(f, "the file has version {version}, which this version of capgen cannot read")
            }
            Self::Damaged(reason) => write!(f, "the file is damaged: {reason}"),
            Self::Locked => f.write_str("another process locks the file"),
            Self::Failed(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for DatabaseError {}
