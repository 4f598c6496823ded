//! Files of SQLite with a fixed schema, which may come from anyone: opening them without running their code, and finding damage.
#![forbid(unsafe_code)]

mod header;
mod open;
mod problem;
mod schema;
mod write_ahead;

pub use header::damage as header_damage;
pub use open::{Limits, open_to_read, open_to_write};
pub use problem::Problem;
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

/// The errors that SQLite finds in the structure of the file and in its indexes, at most `limit` of them. Reads the whole file.
#[must_use]
pub fn structure_errors(connection: &Connection, limit: usize) -> Vec<String> {
    let messages = connection.prepare(&format!("PRAGMA integrity_check({limit})")).and_then(|mut statement| {
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        rows.collect::<rusqlite::Result<Vec<_>>>()
    });
    let messages = messages.unwrap_or_else(|error| vec![error.to_string()]);
    messages.into_iter().filter(|message| message != "ok").map(|message| format!("SQLite reports: {message}")).collect()
}
