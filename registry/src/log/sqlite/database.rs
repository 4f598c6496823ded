//! Opening the file: to read it, or to append to it.

use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::table;

/// The largest value that a connection reads or writes, in bytes: an event, and the columns next to it.
const MAX_VALUE: i32 = 4 << 20;

/// How long a connection waits for the locks of others. Each append holds the lock only as long as it runs.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Why the file cannot be used.
#[derive(Debug)]
pub(super) enum Problem {
    /// Another connection locks the file for too long.
    Locked,
    /// SQLite cannot read the file.
    Damaged(String),
    /// Any other reason.
    Other(String),
}

/// Opens a file to append to it, and creates it if it does not exist or is empty.
pub(super) fn open(path: &Path) -> Result<Connection, Problem> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    harden(&connection)?;
    let end = Instant::now() + TIMEOUT;
    loop {
        // SQLite does not wait for a lock if two processes change the journal mode of a new file at the same time.
        match prepare(&mut connection) {
            Err(Problem::Locked) if Instant::now() < end => std::thread::sleep(Duration::from_millis(10)),
            Err(problem) => return Err(problem),
            Ok(()) => return Ok(connection),
        }
    }
}

fn prepare(connection: &mut Connection) -> Result<(), Problem> {
    let is_new = table::is_empty(connection)?;
    if !is_new {
        // Before anything is changed: the file may belong to another program.
        table::check_all(connection)?;
    }
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode != "wal" {
        let message = format!("the journal mode is `{mode}`: the file cannot be written, or its file system lacks WAL");
        return Err(Problem::Other(message));
    }
    // Every commit reaches the disk before it returns.
    connection.execute_batch("PRAGMA synchronous = FULL")?;
    if is_new {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have created the tables in the meantime.
        if table::is_empty(&transaction)? {
            table::create(&transaction)?;
        }
        transaction.commit()?;
    }
    table::check_all(connection)
}

/// Opens an existing file to read it.
pub(super) fn open_to_read(path: &Path) -> Result<Connection, Problem> {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(Problem::Other("it is not a regular file".to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(Problem::Other("the file does not exist".to_owned()));
        }
        Err(error) => return Err(Problem::Other(error.to_string())),
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(path, flags).map_err(Problem::from).and_then(checked);
    match opened {
        // In WAL mode, SQLite creates files next to the database even to read it. In a folder that is not writable, that fails; if there is
        // no write-ahead log, no one else has the file open, and it can be read as it is.
        Err(Problem::Other(_)) if !write_ahead_log(path).exists() => {
            let flags = flags | OpenFlags::SQLITE_OPEN_URI;
            checked(Connection::open_with_flags(immutable(path), flags)?)
        }
        opened => opened,
    }
}

fn checked(connection: Connection) -> Result<Connection, Problem> {
    harden(&connection)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    table::check(&connection)?;
    Ok(connection)
}

/// A file may come from anyone: SQLite must not run SQL of its schema beyond our triggers, and must bound the memory for a value.
fn harden(connection: &Connection) -> Result<(), Problem> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE)?;
    connection.busy_timeout(TIMEOUT)?;
    connection.execute_batch("PRAGMA cell_size_check = ON")?;
    Ok(())
}

/// The path of the write-ahead log.
pub(super) fn write_ahead_log(path: &Path) -> PathBuf {
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

impl From<rusqlite::Error> for Problem {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked,
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged(error.to_string()),
            Some(ErrorCode::NotADatabase) => Self::Other("the file is not an SQLite database".to_owned()),
            _ => Self::Other(error.to_string()),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Locked => f.write_str("another process locks the file"),
            Self::Damaged(reason) => write!(f, "the file is damaged: {reason}"),
            Self::Other(reason) => f.write_str(reason),
        }
    }
}
