//! The table, its indexes and its triggers.

use capgen_sqlite::Schema;

/// The schema of the file. The application id is `cgAU` in ASCII.
pub(crate) const SCHEMA: Schema =
    Schema { application_id: 0x6367_4155, version: 1, objects: &OBJECTS, tables: &["audit"] };

/// The kind of the row that replaces pruned rows.
pub(crate) const CHECKPOINT: &str = "audit_checkpoint";

/// The name and the statement of everything in the file.
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
