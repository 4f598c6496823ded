//! The tables of the file, their indexes and their triggers.

use capgen_sqlite::{Schema, append_only};

/// The schema of the file. The application id is `cgRE` in ASCII.
pub(super) const SCHEMA: Schema =
    Schema { application_id: 0x6367_5245, version: 1, objects: &OBJECTS, tables: &["events", "subjects"] };

/// The name and the statement of everything in the file.
///
/// The last columns of `events` are those that an append searches. `subjects` has the distinct subjects of each
/// producer, with the first row of each. All of it follows from the events, and `verify` computes it again.
///
/// The chains are those of the partitions. A subject that is there already is not an error: an append need not search
/// for it.
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
    // Not unique: the content hash does not cover the signature, and a derived id without a valid one is appended
    // again.
    ("events_identity", "CREATE INDEX events_identity ON events (agent, event_id, content_hash)"),
    ("events_claim", "CREATE UNIQUE INDEX events_claim ON events (agent, partition, claim) WHERE claim IS NOT NULL"),
    append_only!(insert "events", chain "partition", place "offset", because "the log is append-only"),
    append_only!(update "events", because "the log is append-only"),
    append_only!(delete "events", because "the log is append-only"),
    (
        "subjects_insert",
        "CREATE TRIGGER subjects_insert BEFORE INSERT ON subjects
WHEN EXISTS (SELECT 1 FROM subjects WHERE agent = NEW.agent AND subject = NEW.subject)
BEGIN SELECT RAISE(IGNORE); END",
    ),
    append_only!(update "subjects", because "the log is append-only"),
    append_only!(delete "subjects", because "the log is append-only"),
];
