//! The tables of the file, their indexes and their triggers.

use rusqlite::Connection;

use super::database::Problem;

/// `PRAGMA application_id` of the file: `cgRE` in ASCII.
const APPLICATION_ID: i64 = 0x6367_5245;

/// `PRAGMA user_version` of the file: the version of the tables.
const VERSION: i64 = 1;

/// The name and the statement of everything in the file. SQLite stores the text of each statement, so [`differences`] compares it.
///
/// The last columns of `events` are those that an append searches. `subjects` has the distinct subjects of each producer, with the first
/// row of each. All of it follows from the events, and `verify` computes it again.
///
/// The triggers refuse changes by accident and by other programs that use SQL. Someone who can write to the file can drop them; the
/// hashes are for that case. `INSERT OR REPLACE` deletes rows without the trigger for `DELETE`, so those for `INSERT` refuse it.
const OBJECTS: [(&str, &str); 11] = [
    (
        "events",
        "CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  partition TEXT NOT NULL,
  offset INTEGER NOT NULL,
  event TEXT NOT NULL,
  event_hash BLOB NOT NULL,
  prev_hash BLOB NOT NULL,
  row_hash BLOB NOT NULL,
  log_hash BLOB NOT NULL,
  agent TEXT NOT NULL,
  event_id TEXT NOT NULL,
  content_hash BLOB NOT NULL,
  valid INTEGER NOT NULL,
  claim TEXT
) STRICT",
    ),
    (
        "subjects",
        "CREATE TABLE subjects (
  agent TEXT NOT NULL,
  subject TEXT NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (agent, subject)
) STRICT, WITHOUT ROWID",
    ),
    ("events_place", "CREATE UNIQUE INDEX events_place ON events (partition, offset)"),
    ("events_identity", "CREATE UNIQUE INDEX events_identity ON events (agent, event_id, content_hash)"),
    ("events_claim", "CREATE UNIQUE INDEX events_claim ON events (agent, partition, claim) WHERE claim IS NOT NULL"),
    (
        "events_insert",
        "CREATE TRIGGER events_insert BEFORE INSERT ON events
WHEN NEW.id <= (SELECT coalesce(max(id), 0) FROM events)
  OR EXISTS (SELECT 1 FROM events WHERE partition = NEW.partition AND offset >= NEW.offset)
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END",
    ),
    (
        "events_update",
        "CREATE TRIGGER events_update BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END",
    ),
    (
        "events_delete",
        "CREATE TRIGGER events_delete BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END",
    ),
    (
        "subjects_insert",
        "CREATE TRIGGER subjects_insert BEFORE INSERT ON subjects
WHEN EXISTS (SELECT 1 FROM subjects WHERE agent = NEW.agent AND subject = NEW.subject)
BEGIN SELECT RAISE(IGNORE); END",
    ),
    (
        "subjects_update",
        "CREATE TRIGGER subjects_update BEFORE UPDATE ON subjects
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END",
    ),
    (
        "subjects_delete",
        "CREATE TRIGGER subjects_delete BEFORE DELETE ON subjects
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END",
    ),
];

/// The tables that readers use.
const TABLES: [&str; 2] = ["events", "subjects"];

/// Creates the tables in an empty file, in a transaction of the caller.
pub(super) fn create(connection: &Connection) -> rusqlite::Result<()> {
    for (_, statement) in OBJECTS {
        connection.execute_batch(statement)?;
    }
    connection.execute_batch(&format!("PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}"))
}

/// Whether the file has no tables at all.
pub(super) fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    Ok(integer(connection, "SELECT count(*) FROM sqlite_schema")? == 0)
}

/// Checks that the file contains a log of this version, for readers. The tables must be those of [`create`], so that reading them runs no
/// view or expression of the file.
pub(super) fn check(connection: &Connection) -> Result<(), Problem> {
    let other = |reason: &str| Err(Problem::Other(format!("the file is not a log of events: {reason}")));
    if integer(connection, "PRAGMA application_id")? != APPLICATION_ID {
        return other("it has another application id");
    }
    let version = integer(connection, "PRAGMA user_version")?;
    if version != VERSION {
        let message = format!("the file has version {version}; this version of capgen reads version {VERSION}");
        return Err(Problem::Other(message));
    }
    for (name, expected) in OBJECTS.iter().filter(|(name, _)| TABLES.contains(name)) {
        if statement(connection, name)?.as_deref() != Some(expected) {
            return other(&format!("its table `{name}` is missing or has other columns"));
        }
    }
    Ok(())
}

/// Checks that nothing but a log is in the file, for writers: the file's triggers and expressions run during an append.
pub(super) fn check_all(connection: &Connection) -> Result<(), Problem> {
    check(connection)?;
    match differences(connection)?.into_iter().next() {
        Some(difference) => Err(Problem::Other(difference)),
        None => Ok(()),
    }
}

/// The objects of the file that are missing, changed or unexpected.
pub(super) fn differences(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut differences = Vec::new();
    for (name, expected) in OBJECTS {
        match statement(connection, name)? {
            Some(found) if found == expected => {}
            Some(_) => differences.push(format!("the definition of `{name}` was changed")),
            None => differences.push(format!("`{name}` is missing")),
        }
    }
    let known = i64::try_from(OBJECTS.len()).unwrap_or(i64::MAX);
    // `ANALYZE` adds tables of its own.
    let others = "SELECT count(*) FROM sqlite_schema WHERE NOT (type = 'table' AND name LIKE 'sqlite_stat_')";
    if integer(connection, others)? > known {
        differences.push("the file has other tables, indexes, views or triggers".to_owned());
    }
    Ok(differences)
}

fn statement(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    let mut found = connection.prepare("SELECT CAST(sql AS BLOB) FROM sqlite_schema WHERE name = ?1")?;
    let mut rows = found.query([name])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let bytes = row.get_ref(0)?.as_blob_or_null()?.unwrap_or_default();
    Ok(Some(String::from_utf8_lossy(bytes).into_owned()))
}

pub(super) fn integer(connection: &Connection, query: &str) -> rusqlite::Result<i64> {
    connection.query_row(query, [], |row| row.get(0))
}
