//! Files of SQLite with a fixed schema, which may come from anyone: opening them without running their code, and
//! finding damage.
//!
//! The audit, AMP and the registry use it for their files.
//!
//! ```
//! use std::time::Duration;
//!
//! use capgen_sqlite::{Limits, FileError, Schema, open_to_read, open_to_write};
//!
//! const NOTES: Schema = Schema {
//!     application_id: 0x6e6f_7465,
//!     version: 1,
//!     objects: &[("note", "CREATE TABLE note(text TEXT NOT NULL) STRICT")],
//!     tables: &["note"],
//! };
//! let limits = Limits { max_value: 1 << 20, timeout: Duration::from_secs(1) };
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("notes.db");
//! assert!(matches!(open_to_read(&path, &NOTES, limits), Err(FileError::Missing)));
//! open_to_write(&path, &NOTES, limits, true)?.execute("INSERT INTO note VALUES ('a')", [])?;
//! assert!(NOTES.differences(&open_to_read(&path, &NOTES, limits)?)?.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Reading order
//!
//! For contributors. `schema.rs` is the fixed schema of a file, with the differences of a file from it, and
//! `append_only.rs` has the triggers of tables that only grow. `open.rs` opens files; the order of its steps matters,
//! because the first statement that SQLite runs may already execute code that a file contains. `write_ahead.rs` and
//! `header.rs` find damage that SQLite does not report, and `error.rs` has the reasons why a file cannot be used.
#![forbid(unsafe_code)]

mod append_only;
mod error;
mod header;
mod open;
mod schema;
mod write_ahead;

pub use error::FileError;
pub use header::damage as header_damage;
pub use open::{Limits, open_to_read, open_to_write};
pub use schema::Schema;
pub use write_ahead::{damage as write_ahead_damage, path as write_ahead_path};

use rusqlite::Connection;

/// The result of a query that is one integer.
///
/// # Errors
///
/// SQLite reports an error.
pub fn integer(connection: &Connection, query: &str) -> rusqlite::Result<i64> {
    connection.query_row(query, [], |row| row.get(0))
}

/// The errors that SQLite finds in the structure of the file and in its indexes, at most `limit` of them. Reads the
/// whole file.
#[must_use]
pub fn structure_errors(connection: &Connection, limit: usize) -> Vec<String> {
    let messages = connection.prepare(&format!("PRAGMA integrity_check({limit})")).and_then(|mut statement| {
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        rows.collect::<rusqlite::Result<Vec<_>>>()
    });
    let messages = messages.unwrap_or_else(|error| vec![error.to_string()]);
    messages.into_iter().filter(|message| message != "ok").map(|message| format!("SQLite reports: {message}")).collect()
}
