//! Removing old rows without breaking the chains.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};

use crate::append::{Appender, NewRow};
use crate::checkpoint::Checkpoint;
use crate::database::{Database, DatabaseError, open_to_write};
use crate::table::CHECKPOINT;
use crate::verify::Verification;
use capgen_schema::Hash;

/// How long pruning waits until other processes release the file. Twice the default of the writers, which need the file
/// only for the time of a transaction.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The result of [`prune`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pruned {
    /// The rows were removed: the part of each tenant that had any.
    Removed(Vec<PrunedPart>),
    /// Nothing was removed, because the database is not intact: the rows may be evidence.
    NotIntact(Verification),
}

/// The rows of a tenant that were removed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PrunedPart {
    /// The tenant.
    pub tenant: String,
    /// The number of rows.
    pub rows: u64,
    /// The hash of the checkpoint that replaces them. Someone who knows it can distinguish these rows from rows that
    /// another person removed: see [`Database::verify_with_pruned`].
    pub checkpoint: Hash,
}

/// Removes, for each tenant, the first rows of the chain up to the first one with a time that is not less than
/// `before`. For each tenant with removed rows, appends a checkpoint with their number, and the sequence number and
/// hash of the last of them. Times are Unix times in ms; `now` is the time of the checkpoints.
///
/// ```
/// use capgen_audit::{DatabaseError, prune};
/// assert_eq!(prune("missing.db".as_ref(), 0, 0), Err(DatabaseError::Missing));
/// ```
///
/// # Errors
///
/// The file cannot be read or written; nothing was removed.
pub fn prune(path: &Path, before: u64, now: u64) -> Result<Pruned, DatabaseError> {
    let mut connection = open_to_write(path, TIMEOUT)?;
    // Removed rows are overwritten, and the removal survives a power failure.
    connection.execute_batch("PRAGMA secure_delete = ON; PRAGMA synchronous = FULL")?;
    let verification = Database::open(path)?.verify(None)?;
    if !verification.is_intact() {
        return Ok(Pruned::NotIntact(verification));
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut removed = Vec::new();
    for tenant in tenants(&transaction)? {
        let Some(checkpoint) = removable(&transaction, &tenant, before)? else { continue };
        removed.push(remove(&transaction, tenant, &checkpoint, before, now)?);
    }
    transaction.commit()?;
    // Old pages remain in the log until it is written to the database. If another process reads the log, that happens
    // later.
    let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    Ok(Pruned::Removed(removed))
}

fn tenants(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    connection.prepare("SELECT DISTINCT tenant FROM audit ORDER BY tenant")?.query_map([], |row| row.get(0))?.collect()
}

/// The rows to remove. Checkpoints alone are not worth another checkpoint.
fn removable(connection: &Connection, tenant: &str, before: u64) -> Result<Option<Checkpoint>, DatabaseError> {
    let before = i64::try_from(before).unwrap_or(i64::MAX);
    let kept = "SELECT coalesce(min(seq), 9223372036854775807) FROM audit WHERE tenant = ?1 AND ts >= ?2";
    let kept: i64 = connection.query_row(kept, (tenant, before), |row| row.get(0))?;
    let records = "SELECT count(*) FROM audit WHERE tenant = ?1 AND seq < ?2 AND kind <> ?3";
    let records: i64 = connection.query_row(records, (tenant, kept, CHECKPOINT), |row| row.get(0))?;
    if records == 0 {
        return Ok(None);
    }
    let range = "SELECT min(seq) FROM audit WHERE tenant = ?1";
    let first_seq: i64 = connection.query_row(range, [tenant], |row| row.get(0))?;
    let last = "SELECT seq, hash FROM audit WHERE tenant = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT 1";
    let last = connection.query_row(last, (tenant, kept), |row| Ok((row.get(0)?, row.get::<_, Vec<u8>>(1)?)));
    let Some((last_seq, hash)) = last.optional()? else { return Ok(None) };
    let last_hash = Hash::from_bytes(&hash).ok_or(DatabaseError::Damaged("a hash has a wrong length".to_owned()))?;
    Ok(Some(Checkpoint { first_seq, last_seq, last_hash }))
}

/// Appends the checkpoint first: the trigger of the table only allows to remove rows that one covers.
fn remove(
    transaction: &Transaction<'_>,
    tenant: String,
    checkpoint: &Checkpoint,
    before: u64,
    now: u64,
) -> Result<PrunedPart, DatabaseError> {
    let row = NewRow {
        record: checkpoint.record(&tenant, now, before),
        tenant,
        ts: i64::try_from(now).unwrap_or(i64::MAX),
        kind: CHECKPOINT,
        capability: String::new(),
        peer: String::new(),
    };
    let hash = Appender::new(transaction)?.append(&row)?;
    let statement = "DELETE FROM audit WHERE tenant = ?1 AND seq <= ?2";
    let removed = transaction.execute(statement, (&row.tenant, checkpoint.last_seq))?;
    Ok(PrunedPart { tenant: row.tenant, rows: u64::try_from(removed).unwrap_or(u64::MAX), checkpoint: hash })
}
