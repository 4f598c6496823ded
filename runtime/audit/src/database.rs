//! Opening a database: to read it, or to append to it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use capgen_sqlite::{FileError, Limits, write_ahead_path};
use rusqlite::Connection;

use crate::table::SCHEMA;

/// The largest value that a connection reads or writes, in bytes. Records have at most 64 KiB; those of earlier
/// versions had up to 16 MiB, with the columns next to them.
const MAX_VALUE: usize = 32 << 20;

/// How long readers wait for a lock. In WAL mode, they only need one while another process recovers the file. The
/// recovery of a usual file takes far less, and it is the default of writers too.
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
        let connection = capgen_sqlite::open_to_read(path, &SCHEMA, limits(READER_TIMEOUT))?;
        Ok(Self { connection, log: write_ahead_path(path) })
    }
}

/// Opens an existing database to append to it.
pub(crate) fn open_to_write(path: &Path, timeout: Duration) -> Result<Connection, DatabaseError> {
    Ok(capgen_sqlite::open_to_write(path, &SCHEMA, limits(timeout), false)?)
}

/// Opens a database to append to it, and creates it if the file does not exist or is empty.
#[cfg(feature = "store")]
pub(crate) fn open_or_create(path: &Path, timeout: Duration) -> Result<Connection, DatabaseError> {
    Ok(capgen_sqlite::open_to_write(path, &SCHEMA, limits(timeout), true)?)
}

fn limits(timeout: Duration) -> Limits {
    Limits { max_value: MAX_VALUE, timeout }
}

impl From<FileError> for DatabaseError {
    fn from(problem: FileError) -> Self {
        match problem {
            FileError::Missing => Self::Missing,
            FileError::Other(reason) => Self::NotAnAudit(reason),
            FileError::Newer(version) => Self::Newer(version),
            FileError::Damaged(reason) => Self::Damaged(reason),
            FileError::Locked => Self::Locked,
            FileError::Failed(reason) => Self::Failed(reason),
        }
    }
}

impl From<rusqlite::Error> for DatabaseError {
    fn from(error: rusqlite::Error) -> Self {
        FileError::from(error).into()
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
