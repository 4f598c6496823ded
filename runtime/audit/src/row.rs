//! A row of the table, as it is stored.

use std::fmt;

use rusqlite::types::ValueRef;

use capgen_schema::Hash;

use crate::hash::hash;

/// The columns, in the order in which [`Row::read`] expects them.
pub(crate) const COLUMNS: &str = "id, tenant, seq, ts, kind, capability, peer, record, prev_hash, hash";

/// A row of the audit.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Row {
    /// The position over all tenants, ascending; not contiguous if rows were pruned.
    pub id: i64,
    /// The tenant; `-` if the call had none.
    pub tenant: String,
    /// The position in the chain of the tenant, from 1.
    pub seq: i64,
    /// Unix time in ms.
    pub ts: i64,
    /// The kind of the record, such as `capability_schema_violation`.
    pub kind: String,
    /// The capability; empty in a checkpoint.
    pub capability: String,
    /// The other party, as `agent://<id>`; empty in a checkpoint.
    pub peer: String,
    /// The record as JSON text.
    pub record: String,
    /// The hash of the row before it in the chain of the tenant.
    pub prev_hash: Hash,
    /// The stored hash of this row.
    pub hash: Hash,
}

/// A row with a column of the wrong type. Only a file that something else than capgen changed has one.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MalformedRow {
    /// The `id` of the row; `None` if it cannot be read either.
    pub id: Option<i64>,
    /// The name of the column.
    pub column: &'static str,
}

impl Row {
    /// The hash that follows from the other columns. It equals [`hash`](Self::hash) unless the row was changed.
    #[must_use]
    pub fn expected_hash(&self) -> Hash {
        hash(self)
    }

    /// Reads [`COLUMNS`].
    pub(crate) fn read(row: &rusqlite::Row<'_>) -> Result<Self, MalformedRow> {
        let id = row.get(0).ok();
        let malformed = |column| MalformedRow { id, column };
        let text = |index, column| text(row, index).ok_or(malformed(column));
        let integer = |index: usize, column| row.get::<_, i64>(index).map_err(|_| malformed(column));
        let digest = |index, column| digest(row, index).ok_or(malformed(column));
        Ok(Self {
            id: integer(0, "id")?,
            tenant: text(1, "tenant")?,
            seq: integer(2, "seq")?,
            ts: integer(3, "ts")?,
            kind: text(4, "kind")?,
            capability: text(5, "capability")?,
            peer: text(6, "peer")?,
            record: text(7, "record")?,
            prev_hash: digest(8, "prev_hash")?,
            hash: digest(9, "hash")?,
        })
    }
}

fn text(row: &rusqlite::Row<'_>, index: usize) -> Option<String> {
    let value = row.get_ref(index).ok()?;
    value.as_str().ok().map(str::to_owned)
}

fn digest(row: &rusqlite::Row<'_>, index: usize) -> Option<Hash> {
    match row.get_ref(index).ok()? {
        ValueRef::Blob(bytes) => Hash::from_bytes(bytes),
        _ => None,
    }
}

impl fmt::Display for MalformedRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.id {
            Some(id) => write!(f, "row {id} is malformed: the column `{}` has the wrong type", self.column),
            None => write!(f, "a row is malformed: the column `{}` has the wrong type", self.column),
        }
    }
}
