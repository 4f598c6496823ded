//! The record of a checkpoint row, which replaces pruned rows.

use serde::{Deserialize, Serialize};

use crate::table::CHECKPOINT;
use capgen_schema::Hash;

/// The pruned part of a chain: one checkpoint covers the rows since the checkpoint before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Checkpoint {
    pub(crate) first_seq: i64,
    pub(crate) last_seq: i64,
    pub(crate) last_hash: Hash,
}

/// The record as JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Record {
    kind: String,
    ts: u64,
    tenant_id: String,
    before: u64,
    removed: i64,
    first_seq: i64,
    last_seq: i64,
    last_hash: String,
}

impl Checkpoint {
    /// The JSON text of the record. Times are Unix times in ms.
    pub(crate) fn record(&self, tenant: &str, ts: u64, before: u64) -> String {
        let record = Record {
            kind: CHECKPOINT.to_owned(),
            ts,
            tenant_id: tenant.to_owned(),
            before,
            removed: self.removed(),
            first_seq: self.first_seq,
            last_seq: self.last_seq,
            last_hash: self.last_hash.to_string(),
        };
        // Strings and integers are always written.
        serde_json::to_string(&record).unwrap_or_default()
    }

    /// Reads a record; `None` if it is not that of a checkpoint, or if its numbers contradict each other.
    pub(crate) fn read(record: &str) -> Option<Self> {
        let record: Record = serde_json::from_str(record).ok()?;
        let last_hash = record.last_hash.parse().ok()?;
        let checkpoint = Self { first_seq: record.first_seq, last_seq: record.last_seq, last_hash };
        let is_possible = record.first_seq >= 1 && record.last_seq >= record.first_seq && record.last_seq < i64::MAX;
        (is_possible && record.removed == checkpoint.removed()).then_some(checkpoint)
    }

    fn removed(&self) -> i64 {
        self.last_seq.saturating_sub(self.first_seq).saturating_add(1)
    }
}
