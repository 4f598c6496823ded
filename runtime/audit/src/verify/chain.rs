//! The chain of one tenant, row by row.

use std::fmt;

use super::anchor::{AnchorProblem, Head, UnconfirmedHead};
use super::{Allowed, TenantChain};
use crate::checkpoint::Checkpoint;
use crate::row::Row;
use crate::table::CHECKPOINT;
use capgen_schema::Hash;

/// The first row of a tenant that is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct BrokenRow {
    /// The `id` of the row.
    pub id: i64,
    /// Its position in the chain of the tenant.
    pub seq: i64,
    /// The reason.
    pub reason: Reason,
}

/// Why a row is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// A column was changed after the row was written.
    Hash,
    /// Rows before it are missing; `expected` is the sequence number of the first.
    Gap {
        /// The sequence number that the row should have.
        expected: i64,
    },
    /// It does not continue the row before it, which was replaced.
    PreviousHash,
    /// The first rows of the tenant are missing, and no checkpoint covers them.
    NoCheckpoint,
    /// It is a checkpoint that does not agree with the chain.
    Checkpoint,
    /// The record is not a JSON object.
    Record,
    /// This column differs from the record.
    Column(&'static str),
}

/// The state of a chain after some of its rows.
pub(super) struct Chain<'a> {
    rows: u64,
    /// The `id`, sequence number and previous hash of the first row.
    first: (i64, i64, Hash),
    last: (i64, Hash),
    /// The last checkpoint, and the hash of its row.
    checkpoint: Option<(Checkpoint, Hash)>,
    broken: Option<BrokenRow>,
    /// The anchored rows that have not been found yet.
    heads: Vec<(&'a Head, AnchorProblem)>,
    /// The hashes of the checkpoints that may replace anchored rows.
    allowed: &'a Allowed,
    /// The anchored rows that such a checkpoint replaces.
    replaced: u64,
}

impl<'a> Chain<'a> {
    pub(super) fn new(row: &Row, heads: Vec<&'a Head>, allowed: &'a Allowed) -> Self {
        let mut chain = Self {
            rows: 0,
            first: (row.id, row.seq, row.prev_hash),
            last: (row.seq.saturating_sub(1), row.prev_hash),
            checkpoint: None,
            broken: None,
            heads: heads.into_iter().map(|head| (head, AnchorProblem::TooShort)).collect(),
            allowed,
            replaced: 0,
        };
        chain.push(row);
        chain
    }

    pub(super) fn push(&mut self, row: &Row) {
        self.rows += 1;
        if self.broken.is_none()
            && let Err(reason) = self.check(row)
        {
            self.broken = Some(BrokenRow { id: row.id, seq: row.seq, reason });
        }
        self.confirm(row.seq, row.hash);
        self.last = (row.seq, row.hash);
    }

    fn check(&mut self, row: &Row) -> Result<(), Reason> {
        let (last_seq, last_hash) = self.last;
        if row.expected_hash() != row.hash {
            return Err(Reason::Hash);
        }
        if Some(row.seq) != last_seq.checked_add(1) {
            return Err(Reason::Gap { expected: last_seq.saturating_add(1) });
        }
        if row.prev_hash != last_hash {
            return Err(Reason::PreviousHash);
        }
        if row.seq < 1 || row.seq == 1 && row.prev_hash != Hash::ZERO {
            return Err(Reason::PreviousHash);
        }
        check_record(row)?;
        if row.kind == CHECKPOINT {
            let checkpoint = Checkpoint::read(&row.record).ok_or(Reason::Checkpoint)?;
            let continues = self.checkpoint.as_ref().is_none_or(|(last, _)| checkpoint.first_seq == last.last_seq + 1);
            if !continues || checkpoint.last_seq >= row.seq {
                return Err(Reason::Checkpoint);
            }
            self.replace(&checkpoint, row.hash);
            self.checkpoint = Some((checkpoint, row.hash));
        }
        Ok(())
    }

    /// Compares the anchored rows with a checkpoint. Its hash covers the chain before it, so one that the reader knows
    /// proves that all rows up to its last one were there. Any other proves nothing.
    fn replace(&mut self, checkpoint: &Checkpoint, hash: Hash) {
        let is_allowed = self.allowed.take(hash);
        let before = self.heads.len();
        self.heads.retain_mut(|(head, problem)| {
            let differs = head.seq == checkpoint.last_seq && head.hash != checkpoint.last_hash;
            if differs {
                *problem = AnchorProblem::Differs;
            }
            differs || head.seq > checkpoint.last_seq || !is_allowed
        });
        let replaced = before.saturating_sub(self.heads.len());
        self.replaced = self.replaced.saturating_add(u64::try_from(replaced).unwrap_or(u64::MAX));
    }

    /// Compares a row with the anchored ones.
    fn confirm(&mut self, seq: i64, hash: Hash) {
        self.heads.retain_mut(|(head, problem)| {
            if head.seq == seq {
                *problem = AnchorProblem::Differs;
            }
            head.seq != seq || head.hash != hash
        });
    }

    pub(super) fn finish(mut self, tenant: String) -> (TenantChain, Vec<UnconfirmedHead>) {
        let (id, seq, prev_hash) = self.first;
        let pruned = self.checkpoint.as_ref().map_or(0, |(checkpoint, _)| checkpoint.last_seq);
        let before = match &self.checkpoint {
            Some((checkpoint, _)) => (checkpoint.last_seq, checkpoint.last_hash),
            None => (0, Hash::ZERO),
        };
        // A checkpoint after a broken row was not read, so that its absence would not be a reason of its own.
        if self.broken.is_none() && (seq.saturating_sub(1), prev_hash) != before {
            let reason = if self.checkpoint.is_some() { Reason::Checkpoint } else { Reason::NoCheckpoint };
            self.broken = Some(BrokenRow { id, seq, reason });
        }
        let unconfirmed = self.heads.iter().map(|&(head, problem)| {
            let is_pruned = problem == AnchorProblem::TooShort && head.seq < seq;
            let pruned =
                AnchorProblem::Pruned { before: seq, checkpoint: self.checkpoint.as_ref().map(|(_, hash)| *hash) };
            let problem = if is_pruned { pruned } else { problem };
            UnconfirmedHead { head: head.clone(), problem }
        });
        let unconfirmed = unconfirmed.collect();
        let (last_seq, hash) = self.last;
        let head = Head { tenant: tenant.clone(), seq: last_seq, hash };
        let pruned = u64::try_from(pruned).unwrap_or(0);
        let replaced = self.replaced;
        (TenantChain { tenant, rows: self.rows, pruned, replaced, head, broken: self.broken }, unconfirmed)
    }
}

/// Checks that the columns for queries have the values of the record.
fn check_record(row: &Row) -> Result<(), Reason> {
    let record: serde_json::Value = serde_json::from_str(&row.record).map_err(|_| Reason::Record)?;
    let record = record.as_object().ok_or(Reason::Record)?;
    let text = |key: &str| record.get(key).and_then(serde_json::Value::as_str).unwrap_or_default();
    let ts = record.get("ts").and_then(serde_json::Value::as_u64).map(|ts| i64::try_from(ts).unwrap_or(i64::MAX));
    let columns = [
        ("tenant", text("tenantId") == row.tenant),
        ("ts", ts == Some(row.ts)),
        ("kind", text("kind") == row.kind),
        ("capability", text("capabilityName") == row.capability),
        ("peer", text("peerId") == row.peer),
    ];
    columns.into_iter().find(|(_, is_equal)| !is_equal).map_or(Ok(()), |(column, _)| Err(Reason::Column(column)))
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hash => f.write_str("its hash does not match its columns, so it was changed after it was written"),
            Self::Gap { expected } => write!(f, "the row with sequence number {expected} should be in its place"),
            Self::PreviousHash => f.write_str("it does not continue the row before it"),
            Self::NoCheckpoint => f.write_str("the rows before it are missing, and no checkpoint covers them"),
            Self::Checkpoint => f.write_str("the checkpoint does not agree with the chain"),
            Self::Record => f.write_str("its record is not a JSON object"),
            Self::Column(column) => write!(f, "its column `{column}` differs from its record"),
        }
    }
}
