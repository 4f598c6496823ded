//! Appending rows to the chains.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, Statement, Transaction, params};

use capgen_schema::Hash;

use crate::hash::hash;
use crate::row::{COLUMNS, Row};

/// A row that has no place in a chain yet.
#[derive(Clone, Debug)]
pub(crate) struct NewRow {
    pub(crate) tenant: String,
    pub(crate) ts: i64,
    pub(crate) kind: &'static str,
    pub(crate) capability: String,
    pub(crate) peer: String,
    pub(crate) record: String,
}

/// Appends rows within one `IMMEDIATE` transaction, so that the ends of the chains that it read cannot change before
/// the commit, whatever other processes write.
pub(crate) struct Appender<'t> {
    insert: Statement<'t>,
    end: Statement<'t>,
    next_id: i64,
    /// The last sequence number and hash of each tenant so far.
    ends: BTreeMap<String, (i64, Hash)>,
}

impl<'t> Appender<'t> {
    pub(crate) fn new(transaction: &'t Transaction<'_>) -> rusqlite::Result<Self> {
        let marks = "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10";
        Ok(Self {
            insert: transaction.prepare(&format!("INSERT INTO audit ({COLUMNS}) VALUES ({marks})"))?,
            end: transaction.prepare("SELECT seq, hash FROM audit WHERE tenant = ?1 ORDER BY seq DESC LIMIT 1")?,
            next_id: transaction.query_row("SELECT coalesce(max(id), 0) + 1 FROM audit", [], |row| row.get(0))?,
            ends: BTreeMap::new(),
        })
    }

    /// Appends a row, and returns its hash.
    pub(crate) fn append(&mut self, new: &NewRow) -> rusqlite::Result<Hash> {
        let (seq, prev_hash) = match self.ends.get(&new.tenant) {
            Some(end) => *end,
            None => self.stored_end(&new.tenant)?,
        };
        let mut row = Row {
            id: self.next_id,
            tenant: new.tenant.clone(),
            seq: seq.saturating_add(1),
            ts: new.ts,
            kind: new.kind.to_owned(),
            capability: new.capability.clone(),
            peer: new.peer.clone(),
            record: new.record.clone(),
            prev_hash,
            hash: Hash::ZERO,
        };
        row.hash = hash(&row);
        self.insert.execute(params![
            row.id,
            row.tenant,
            row.seq,
            row.ts,
            row.kind,
            row.capability,
            row.peer,
            row.record,
            row.prev_hash.as_bytes(),
            row.hash.as_bytes()
        ])?;
        self.next_id = self.next_id.saturating_add(1);
        self.ends.insert(row.tenant, (row.seq, row.hash));
        Ok(row.hash)
    }

    fn stored_end(&mut self, tenant: &str) -> rusqlite::Result<(i64, Hash)> {
        let end = self.end.query_row([tenant], |row| {
            let bytes: Vec<u8> = row.get(1)?;
            // A hash of another length makes the next row wrong, as it should: the chain is broken before it.
            Ok((row.get(0)?, Hash::from_bytes(&bytes).unwrap_or(Hash::ZERO)))
        });
        Ok(end.optional()?.unwrap_or((0, Hash::ZERO)))
    }
}

#[cfg(feature = "store")]
impl NewRow {
    /// The approximate size in memory, in bytes.
    pub(crate) fn size(&self) -> usize {
        let columns = [&self.tenant, &self.capability, &self.peer, &self.record];
        columns.iter().map(|column| column.len()).sum::<usize>() + size_of::<Self>()
    }
}
