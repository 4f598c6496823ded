//! The tables of the file.

use capgen_sqlite::Schema;

/// "AMP1" in ASCII.
const APPLICATION_ID: i64 = 0x414d_5031;

pub(super) const SCHEMA: Schema = Schema {
    application_id: APPLICATION_ID,
    version: 1,
    objects: &[
        ("provider", "CREATE TABLE provider (did TEXT NOT NULL, since INTEGER NOT NULL) STRICT"),
        (
            "invocations",
            "CREATE TABLE invocations (request BLOB PRIMARY KEY, hash BLOB NOT NULL, ttl INTEGER NOT NULL, expires INTEGER NOT NULL) STRICT, WITHOUT ROWID",
        ),
        ("invocations_expires", "CREATE INDEX invocations_expires ON invocations (expires)"),
        (
            "results",
            "CREATE TABLE results (request BLOB NOT NULL, answer BLOB NOT NULL, expires INTEGER NOT NULL) STRICT",
        ),
        ("results_request", "CREATE UNIQUE INDEX results_request ON results (request)"),
        ("results_expires", "CREATE INDEX results_expires ON results (expires)"),
    ],
    tables: &["provider", "invocations", "results"],
};
