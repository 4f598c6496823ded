//! The table, its indexes and its triggers.

use rusqlite::Connection;

use crate::database::DatabaseError;

/// `PRAGMA application_id` of the file: `cgAU` in ASCII.
pub(crate) const APPLICATION_ID: i64 = 0x6367_4155;

/// `PRAGMA user_version` of the file: the version of the table.
pub(crate) const VERSION: i64 = 1;

/// The kind of the row that replaces pruned rows.
pub(crate) const CHECKPOINT: &str = "audit_checkpoint";

/// The name and the statement of everything in the file. SQLite stores the text of each statement, so [`differences`] compares it.
///
/// The triggers refuse changes by accident and by other programs that use SQL. Someone who can write to the file can drop them;
/// the hashes are for that case. `INSERT OR REPLACE` deletes rows without the trigger for `DELETE`, so the one for `INSERT` refuses it.
const OBJECTS: [(&str, &str); 7] = [
    (
        "audit",
        "CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  seq INTEGER NOT NULL,
  ts INTEGER NOT NULL,
  kind TEXT NOT NULL,
  capability TEXT NOT NULL,
  peer TEXT NOT NULL,
  record TEXT NOT NULL,
  prev_hash BLOB NOT NULL,
  hash BLOB NOT NULL
) STRICT",
    ),
    ("audit_chain", "CREATE UNIQUE INDEX audit_chain ON audit (tenant, seq)"),
    ("audit_ts", "CREATE INDEX audit_ts ON audit (ts)"),
    ("audit_checkpoints", "CREATE INDEX audit_checkpoints ON audit (tenant, seq) WHERE kind = 'audit_checkpoint'"),
    (
        "audit_insert",
        "CREATE TRIGGER audit_insert BEFORE INSERT ON audit
WHEN NEW.id <= (SELECT coalesce(max(id), 0) FROM audit)
  OR EXISTS (SELECT 1 FROM audit WHERE tenant = NEW.tenant AND seq >= NEW.seq)
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END",
    ),
    (
        "audit_update",
        "CREATE TRIGGER audit_update BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END",
    ),
    (
        "audit_delete",
        "CREATE TRIGGER audit_delete BEFORE DELETE ON audit
WHEN NOT EXISTS (
  SELECT 1 FROM audit WHERE tenant = OLD.tenant AND seq > OLD.seq
    AND kind = 'audit_checkpoint' AND json_extract(record, '$.lastSeq') >= OLD.seq
)
BEGIN SELECT RAISE(ABORT, 'the audit is append-only: only a checkpoint allows to remove rows'); END",
    ),
];

/// Creates the table in an empty file, in a transaction of the caller.
pub(crate) fn create(connection: &Connection) -> rusqlite::Result<()> {
    for (_, statement) in OBJECTS {
        connection.execute_batch(statement)?;
    }
    connection.execute_batch(&format!("PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}"))
}

/// Whether the file has no tables at all.
pub(crate) fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    Ok(integer(connection, "SELECT count(*) FROM sqlite_schema")? == 0)
}

/// Checks that the file contains an audit of this version. The table must be the one of [`create`], so that reading it runs no view or
/// expression of the file.
pub(crate) fn check(connection: &Connection) -> Result<(), DatabaseError> {
    let other = |reason: &str| Err(DatabaseError::NotAnAudit(reason.to_owned()));
    if integer(connection, "PRAGMA application_id")? != APPLICATION_ID {
        return other("its application id is not that of an audit");
    }
    let version = integer(connection, "PRAGMA user_version")?;
    if version > VERSION && version <= VERSION + 1000 {
        return Err(DatabaseError::Newer(version));
    }
    if version != VERSION {
        return other("it has an unknown version");
    }
    match statement(connection, "audit")? {
        Some(found) if OBJECTS.iter().any(|(name, expected)| *name == "audit" && *expected == found) => Ok(()),
        Some(_) => other("its table `audit` has other columns"),
        None => other("it has no table `audit`"),
    }
}

/// The objects of the file that are missing, changed or unexpected.
pub(crate) fn differences(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut differences = Vec::new();
    for (name, expected) in OBJECTS {
        match statement(connection, name)? {
            Some(found) if found == expected => {}
            Some(_) => differences.push(format!("the definition of `{name}` was changed")),
            None => differences.push(format!("`{name}` is missing")),
        }
    }
    let known = u32::try_from(OBJECTS.len()).unwrap_or(u32::MAX);
    // `ANALYZE` adds tables of its own.
    let others = "SELECT count(*) FROM sqlite_schema WHERE NOT (type = 'table' AND name LIKE 'sqlite_stat_')";
    let count = integer(connection, others)?;
    if count > i64::from(known) {
        differences.push(format!("the file has {} more tables, indexes, views or triggers", count - i64::from(known)));
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

pub(crate) fn integer(connection: &Connection, query: &str) -> rusqlite::Result<i64> {
    connection.query_row(query, [], |row| row.get(0))
}
