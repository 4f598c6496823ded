//! Changed files of SQLite: every change that a reader could see is detected and named.
//!
//! The test of single bytes runs on a sample. The whole file:
//!
//! ```sh
//! CAPGEN_LOG_STRIDE=1 cargo test --release -p capgen-registry --test it logs::tampering -- --nocapture
//! ```

use std::path::{Path, PathBuf};

use capgen_registry::log::{AppendOptions, BrokenReason, Heads, Log as _, LogError, SqliteLog, Verification};
use capgen_registry::{Event, EventId, EventType};
use rusqlite::Connection;
use rusqlite::types::Value as Cell;
use serde_json::{Value, json};

use crate::logs::{NOW, checker, heartbeats, number, records};
use crate::support::{START, derived_id, requested, updated, value};

/// A small log in which every column and every table matters, and its file.
struct Sample {
    folder: tempfile::TempDir,
    bytes: Vec<u8>,
    heads: Heads,
    rows: Vec<(String, u64)>,
}

fn changed(event: &Event, member: &str, to: Value) -> Event {
    let mut value = event.value().clone();
    value[member] = to;
    Event::new(value)
}

fn events() -> Vec<Event> {
    let notice = json!({
        "original_event_id": null, "original_hash": "0".repeat(64), "failure_reason": "payload", "validation_trace": [],
    });
    let beats = heartbeats("b", 0..4);
    let mut events = vec![
        requested("a", 1, "core.text.count", "1.0.0", json!({"n": 1})),
        changed(&beats[0], "idempotency_key", "key".into()),
        updated("a", 2, "core.text.count", "1.0.0", json!({"priority": 1, "tags": ["x"]})),
        changed(&beats[1], "partition_key", "shared".into()),
        changed(&beats[1], "payload", json!({"reason": 7})),
        changed(&beats[2], "event_type", "other.type".into()),
        changed(&beats[3], "partition_key", "shared".into()),
        Event::new(value(crate::support::KERNEL, 1, EventType::ValidationFailed, notice)),
    ];
    events.extend(heartbeats("c", 0..3));
    assert_eq!(events[7].id().map(|id| id.to_string()), Some(derived_id(1)));
    events
}

impl Sample {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.db");
        let mut log = SqliteLog::open_or_create(&path, checker()).unwrap();
        let results = log.append(&events(), &NOW).unwrap();
        let rows = results.into_iter().map(|result| result.unwrap()).map(|row| (row.partition, row.offset)).collect();
        let verification = log.verify(None).unwrap();
        assert!(verification.ok);
        drop(log);
        let bytes = std::fs::read(&path).unwrap();
        Self { folder, bytes, heads: verification.heads, rows }
    }

    /// A file with these contents.
    fn file(&self, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join("log.db");
        for ending in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(self.folder.path().join(format!("log.db{ending}")));
        }
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// The result of verification after SQL that no trigger refuses. The triggers are there again afterwards.
    fn after(&self, statements: &str) -> Result<Verification, LogError> {
        self.after_with(statements, None)
    }

    fn after_with(&self, statements: &str, expect: Option<&Heads>) -> Result<Verification, LogError> {
        let path = self.file(&self.bytes);
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch("PRAGMA synchronous = OFF").unwrap();
        let triggers: Vec<(String, String)> = connection
            .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
            .unwrap()
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        assert_eq!(triggers.len(), 6);
        for (name, _) in &triggers {
            connection.execute_batch(&format!("DROP TRIGGER {name}")).unwrap();
        }
        connection.execute_batch(statements).unwrap();
        assert!(connection.changes() > 0 || !statements.starts_with("UPDATE"), "{statements}");
        for (_, sql) in &triggers {
            connection.execute_batch(sql).unwrap();
        }
        drop(connection);
        SqliteLog::open_to_read(&path, checker())?.verify(expect)
    }

    /// Asserts that a change breaks a row, and returns its partition, its offset and the reason.
    fn broken(&self, statements: &str) -> (String, u64, BrokenReason) {
        let verification = self.after(statements).unwrap_or_else(|error| panic!("{statements}: {error}"));
        assert!(!verification.ok, "{statements}");
        let broken = verification.first_broken.unwrap();
        (broken.partition, broken.offset, broken.reason)
    }

    fn row(&self, id: usize, reason: BrokenReason) -> (String, u64, BrokenReason) {
        let (partition, offset) = self.rows[id - 1].clone();
        (partition, offset, reason)
    }
}

/// Everything that a reader of the file can see.
fn contents(path: &Path) -> Option<Vec<Vec<Cell>>> {
    let connection = Connection::open(path).ok()?;
    let mut contents = Vec::new();
    for query in [
        "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name",
        "SELECT * FROM events ORDER BY id",
        "SELECT * FROM subjects ORDER BY agent, subject",
    ] {
        let mut statement = connection.prepare(query).ok()?;
        let columns = statement.column_count();
        let row = |row: &rusqlite::Row<'_>| (0..columns).map(|column| row.get(column)).collect::<Result<_, _>>();
        contents.extend(statement.query_map([], row).ok()?.collect::<Result<Vec<_>, _>>().ok()?);
    }
    Some(contents)
}

#[test]
fn every_changed_byte_that_a_reader_sees_is_detected() {
    let sample = Sample::new();
    let original = contents(&sample.file(&sample.bytes));
    assert!(original.is_some());
    let (mut refused, mut broken, mut errors, mut invisible) = (0, 0, 0, 0);
    let stride = number("CAPGEN_LOG_STRIDE", 97);
    for position in (0..sample.bytes.len()).step_by(stride) {
        let mut bytes = sample.bytes.clone();
        bytes[position] ^= 1 << (position / stride % 8);
        let path = sample.file(&bytes);
        let verified = SqliteLog::open_to_read(&path, checker()).map(|mut log| log.verify(None));
        match verified {
            Err(error) => {
                assert!(error.to_string().contains("log.db"), "{error}");
                refused += 1;
            }
            Ok(Err(error)) => {
                assert!(error.to_string().contains("log.db"), "{error}");
                errors += 1;
            }
            Ok(Ok(Verification { ok: false, first_broken: Some(_), .. })) => broken += 1,
            Ok(Ok(_)) => {
                assert_eq!(contents(&path), original, "the change of byte {position} is not detected");
                invisible += 1;
            }
        }
    }
    println!(
        "{} bytes, every {stride}.: {refused} changes refused when the file is opened, {broken} rows named, {errors} errors, \
         {invisible} changes of bytes that nothing reads",
        sample.bytes.len(),
    );
    assert!(broken > 0 && errors > 0);
}

#[test]
fn changed_bytes_of_the_write_ahead_log_are_detected() {
    let folder = tempfile::tempdir().unwrap();
    let mut log = SqliteLog::open_or_create(&folder.path().join("log.db"), checker()).unwrap();
    for batch in events().chunks(4) {
        log.append(batch, &NOW).unwrap();
    }
    let heads = log.verify(None).unwrap().heads;
    // The other connection is open, so SQLite has not moved the pages of its log to the database.
    let [database, write_ahead] = ["log.db", "log.db-wal"].map(|name| std::fs::read(folder.path().join(name)).unwrap());
    let sample = Sample { folder, bytes: database, heads: heads.clone(), rows: Vec::new() };
    let (mut detected, mut as_truncated, mut invisible) = (0, 0, 0);
    // The log is larger than the file, and slower to open.
    let stride = 7 * number("CAPGEN_LOG_STRIDE", 97);
    drop(log);
    for position in (0..write_ahead.len()).step_by(stride) {
        let mut bytes = write_ahead.clone();
        bytes[position] ^= 1 << (position / stride % 8);
        let path = sample.file(&sample.bytes);
        std::fs::write(sample.folder.path().join("log.db-wal"), &bytes).unwrap();
        let verify = |expect| SqliteLog::open_to_read(&path, checker()).and_then(|mut log| log.verify(expect));
        match (verify(None), verify(Some(&heads))) {
            (Ok(Verification { ok: true, rows: 11, .. }), Ok(Verification { ok: true, .. })) => invisible += 1,
            // The end of the last transaction: as if it had never been completed.
            (Ok(Verification { ok: true, rows: 8, .. }), Ok(Verification { ok: false, .. })) => as_truncated += 1,
            (Err(_) | Ok(Verification { ok: false, .. }), Err(_) | Ok(Verification { ok: false, .. })) => detected += 1,
            found => panic!("byte {position}: {found:?}"),
        }
    }
    println!("{detected} changes detected, {as_truncated} only with heads, {invisible} of bytes that nothing reads");
    assert!(detected > 0);
}

#[test]
fn a_removed_row_is_named() {
    let sample = Sample::new();
    for id in 1..=sample.rows.len() {
        let remove = format!("DELETE FROM events WHERE id = {id}");
        let (partition, offset) = &sample.rows[id - 1];
        let next = sample.rows.iter().position(|(other, at)| other == partition && *at == offset + 1);
        if let Some(next) = next {
            assert_eq!(sample.broken(&remove), sample.row(next + 1, BrokenReason::Chain), "{id}");
        } else if id < sample.rows.len() {
            // It was the last row of its partition: the next row of the file does not continue.
            assert_eq!(sample.broken(&remove), sample.row(id + 1, BrokenReason::Chain), "{id}");
        }
        // With heads that are stored elsewhere, a truncated tail is named, too.
        if next.is_none() {
            let truncate = format!("DELETE FROM events WHERE id >= {id}; DELETE FROM subjects WHERE id >= {id}");
            assert!(sample.after(&truncate).unwrap().ok);
            let broken = sample.after_with(&truncate, Some(&sample.heads)).unwrap().first_broken.unwrap();
            let missing = sample.heads.iter().find(|(partition, head)| {
                sample.rows.iter().position(|row| row == &((*partition).clone(), head.offset)).unwrap() + 1 >= id
            });
            assert_eq!((&broken.partition, broken.reason), (missing.unwrap().0, BrokenReason::Expected));
        }
    }
}

#[test]
fn swapped_rows_are_named() {
    let sample = Sample::new();
    let columns = "partition, offset, event, event_hash, prev_hash, row_hash, log_hash, agent, event_id, content_hash, valid, claim";
    for first in 1..=sample.rows.len() {
        for second in first + 1..=sample.rows.len() {
            let swapped_ids = format!(
                "UPDATE events SET id = -1 WHERE id = {first}; UPDATE events SET id = {first} WHERE id = {second};
                 UPDATE events SET id = {second} WHERE id = -1"
            );
            let (.., reason) = sample.broken(&swapped_ids);
            assert!(matches!(reason, BrokenReason::Chain | BrokenReason::Event));
            let swapped_events = format!(
                "CREATE TEMP TABLE old AS SELECT id, event FROM events;
                 UPDATE events SET event = (SELECT event FROM old WHERE id = {first} + {second} - events.id)
                 WHERE id IN ({first}, {second})"
            );
            assert_eq!(sample.broken(&swapped_events), sample.row(first, BrokenReason::Event));
            let swapped_contents = format!(
                "CREATE TEMP TABLE old AS SELECT * FROM events; DELETE FROM events WHERE id IN ({first}, {second});
                 INSERT INTO events (id, {columns}) SELECT {first} + {second} - id, {columns} FROM old WHERE id IN ({first}, {second})"
            );
            sample.broken(&swapped_contents);
        }
    }
}

#[test]
fn a_changed_column_is_named() {
    let sample = Sample::new();
    for (id, column, to, reason) in [
        (2, "event", "replace(event, 'beat', 'heat')", BrokenReason::Event),
        (2, "event", "event || ' '", BrokenReason::Event),
        (2, "event", "'{}'", BrokenReason::Event),
        (2, "event", "'x'", BrokenReason::Event),
        (3, "event_hash", "zeroblob(32)", BrokenReason::Event),
        (3, "prev_hash", "zeroblob(32)", BrokenReason::Chain),
        (3, "row_hash", "zeroblob(32)", BrokenReason::Chain),
        (3, "log_hash", "zeroblob(32)", BrokenReason::Chain),
        (3, "offset", "7", BrokenReason::Chain),
        (1, "agent", "'mallory'", BrokenReason::Event),
        (1, "event_id", "'018f0000-0000-7000-8000-000000000001'", BrokenReason::Event),
        (1, "content_hash", "zeroblob(32)", BrokenReason::Event),
        (2, "claim", "NULL", BrokenReason::Event),
        (2, "claim", "'other'", BrokenReason::Event),
        (1, "claim", "'key'", BrokenReason::Event),
        (6, "valid", "0", BrokenReason::Chain),
        (5, "valid", "1", BrokenReason::Chain),
        (5, "valid", "2", BrokenReason::Event),
        (4, "id", "400", BrokenReason::Chain),
    ] {
        let (.., found) = sample.broken(&format!("UPDATE events SET {column} = {to} WHERE id = {id}"));
        assert_eq!(found, reason, "{column} {to}");
    }
    let (partition, ..) = sample.broken("UPDATE events SET partition = 'other' WHERE id = 1");
    assert_eq!(partition, "other");
}

#[test]
fn changed_indexes_are_named() {
    let sample = Sample::new();
    for statements in ["DELETE FROM subjects WHERE id = 1", "UPDATE subjects SET id = 9 WHERE id = 1"] {
        assert_eq!(sample.broken(statements), sample.row(1, BrokenReason::Event));
    }
    for (statements, expected) in [
        (
            "INSERT INTO subjects VALUES ('a', '[\"health\",\"a\"]', 1)",
            "the table `subjects` contains rows that follow from no event",
        ),
        ("UPDATE subjects SET id = 0 WHERE id = 1", "the table `subjects` contains rows that follow from no event"),
        ("DROP INDEX events_claim", "`events_claim` is missing"),
        ("CREATE TABLE more (a)", "the file has 1 more tables, indexes, views or triggers"),
        (
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET tbl_name = 'Events' WHERE name = 'events_place'",
            "the definition of `events_place` was changed",
        ),
        (
            "DROP INDEX events_claim; CREATE INDEX events_claim ON events (claim)",
            "the definition of `events_claim` was changed",
        ),
    ] {
        let error = sample.after(statements).map(|found| panic!("{statements}: {found:?}")).unwrap_err();
        assert!(error.to_string().contains(expected), "{statements}: {error}");
        let writer = SqliteLog::open_or_create(&sample.folder.path().join("log.db"), checker());
        assert_eq!(writer.is_err(), !statements.contains("subjects"), "{statements}");
    }
    for statements in ["UPDATE events SET claim = claim", "DELETE FROM events", "DELETE FROM subjects"] {
        let path = sample.file(&sample.bytes);
        let error = Connection::open(&path).unwrap().execute_batch(statements).unwrap_err();
        assert!(error.to_string().contains("append-only"), "{error}");
    }
}

#[test]
fn ids_of_producers_are_searched_in_their_order() {
    // A former kernel has derived ids, which are in no order.
    let sample = Sample::new();
    let path = sample.file(&sample.bytes);
    let config = crate::support::config(&json!({"kernel": "another"}));
    let mut log = SqliteLog::open_or_create(&path, std::sync::Arc::new(capgen_registry::Checker::new(config))).unwrap();
    let event = |number: u64, millis| {
        let mut value = value(crate::support::KERNEL, 0, EventType::Heartbeat, json!({}));
        value["event_id"] = EventId::at(millis, number.into()).to_string().into();
        Event::new(value)
    };
    let options = AppendOptions { now: START, import: false };
    let results = log.append(&[event(1, START), event(2, START - 60_001), event(3, START - 60_000)], &options).unwrap();
    let results: Vec<_> =
        results.iter().map(|result| result.as_ref().map_or_else(|error| error.reason(), |_| "ok")).collect();
    assert_eq!(results, ["ok", "past", "ok"]);
    assert_eq!(records(&mut log).len(), sample.rows.len() + 2);
}
