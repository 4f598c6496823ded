//! The table, its indexes and its triggers.

use capgen_sqlite::{Schema, append_only};

/// The schema of the file. The application id is `cgAU` in ASCII.
pub(crate) const SCHEMA: Schema =
    Schema { application_id: 0x6367_4155, version: 1, objects: &OBJECTS, tables: &["audit"] };

/// The kind of the row that replaces pruned rows.
pub(crate) const CHECKPOINT: &str = "audit_checkpoint";

/// The name and the statement of everything in the file.
///
/// The chains are those of the tenants. Pruning removes the rows that a checkpoint replaces.
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
    append_only!(insert "audit", chain "tenant", place "seq", because "the audit is append-only"),
    append_only!(update "audit", because "the audit is append-only"),
    append_only!(
        delete "audit",
        unless "SELECT 1 FROM audit WHERE tenant = OLD.tenant AND seq > OLD.seq
    AND kind = 'audit_checkpoint' AND json_extract(record, '$.lastSeq') >= OLD.seq",
        because "the audit is append-only: only a checkpoint allows to remove rows"
    ),
];
