//! Checking every row, everything that follows from the rows, and the structure of the file.

use std::path::Path;

use capgen_schema::Hash;
use capgen_sqlite::{FileError, header_damage, structure_errors, write_ahead_damage, write_ahead_path};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, Statement};

use super::row::{Derived, log_hash, subjects_of};
use super::table::SCHEMA;
use crate::Event;
use crate::log::chain::row_hash_of;
use crate::log::{Broken, BrokenReason, Chains, Heads, Verification};

/// Checks the file. Damage that belongs to a row is part of the result; other damage is an error, which names it.
pub(super) fn verify(connection: &Connection, path: &Path, expect: Option<&Heads>) -> Result<Verification, FileError> {
    // All statements see the same state, whatever is written in the meantime.
    let transaction = connection.unchecked_transaction()?;
    let mut scan = Scan {
        chains: Chains::new(expect),
        order: None,
        last: None,
        subject: transaction.prepare("SELECT id FROM subjects WHERE agent = ?1 AND subject = ?2")?,
        subjects: 0,
    };
    scan.rows(&transaction)?;
    let subjects = scan.subjects;
    let verification = scan.finish();
    if verification.ok {
        check_rest(&transaction, subjects)?;
        if let Some(damage) = header_damage(path, &SCHEMA) {
            return Err(FileError::Damaged(damage));
        }
        if let Some(damage) = write_ahead_damage(&write_ahead_path(path)) {
            let rows = verification.rows;
            return Err(FileError::Damaged(format!("{damage}: rows after row {rows} may be missing")));
        }
    }
    Ok(verification)
}

/// Checks what belongs to no row.
fn check_rest(connection: &Connection, subjects: i64) -> Result<(), FileError> {
    if let Some(difference) = SCHEMA.differences(connection)?.into_iter().next() {
        return Err(FileError::Damaged(difference));
    }
    if capgen_sqlite::integer(connection, "SELECT count(*) FROM subjects")? != subjects {
        return Err(FileError::Damaged("the table `subjects` contains rows that follow from no event".to_owned()));
    }
    structure_errors(connection, 1).into_iter().next().map_or(Ok(()), |error| Err(FileError::Damaged(error)))
}

/// The state while the rows are read, in the order of `id`.
struct Scan<'c> {
    chains: Chains,
    /// The first row that does not continue the chain of the whole file.
    order: Option<Broken>,
    /// The id and the hash of the last row.
    last: Option<(i64, Option<Hash>)>,
    subject: Statement<'c>,
    /// The number of rows of `subjects` that were found.
    subjects: i64,
}

impl Scan<'_> {
    fn rows(&mut self, connection: &Connection) -> Result<(), FileError> {
        // An index may be damaged, so it is not used.
        let mut statement = connection.prepare(
            "SELECT id, partition, offset, event, event_hash, prev_hash, row_hash, log_hash, agent, event_id, content_hash, valid, claim
             FROM events NOT INDEXED ORDER BY id",
        )?;
        match self.read(&mut statement) {
            Err(FileError::Damaged(reason)) => self.unreadable(connection, reason),
            result => result,
        }
    }

    fn read(&mut self, statement: &mut Statement<'_>) -> Result<(), FileError> {
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            if self.last.is_some_and(|(last, _)| id <= last) {
                // In a damaged file, a page may occur several times, so that reading it would not end.
                return Err(FileError::Damaged(format!("row {id} is in another order")));
            }
            self.row(id, row)?;
        }
        Ok(())
    }

    /// Names the row after the last one that could be read, with the help of an index.
    fn unreadable(&mut self, connection: &Connection, reason: String) -> Result<(), FileError> {
        let last = self.last.map_or(0, |(id, _)| id);
        let query = "SELECT partition, offset FROM events INDEXED BY events_place WHERE id > ?1 ORDER BY id LIMIT 1";
        let place = connection.query_row(query, [last], |row| Ok((row.get::<_, String>(0)?, super::unsigned(row, 1)?)));
        match place {
            Ok((partition, offset)) => self.chains.break_at(&partition, offset, BrokenReason::Event),
            Err(_) => return Err(FileError::Damaged(format!("the row after row {last} cannot be read: {reason}"))),
        }
        Ok(())
    }

    fn row(&mut self, id: i64, row: &Row<'_>) -> Result<(), FileError> {
        let partition = String::from_utf8_lossy(bytes(row, 1)).into_owned();
        let stored_offset = row.get::<_, i64>(2).ok().and_then(|offset| u64::try_from(offset).ok());
        let (offset, previous) = self.chains.next(&partition);
        let event_hash = Hash::of(bytes(row, 3));
        let row_hash = row_hash_of(&partition, offset, &event_hash, previous.as_ref());
        let place = stored_offset.unwrap_or(offset);
        let valid = match row.get_ref(11)? {
            ValueRef::Integer(0) => Some(false),
            ValueRef::Integer(1) => Some(true),
            _ => None,
        };
        if bytes(row, 4) != event_hash.as_bytes() || !self.is_derived(id, row, valid)? {
            self.chains.break_at(&partition, place, BrokenReason::Event);
        }
        let previous = previous.as_ref().map(|hash| hash.as_bytes().as_slice()).unwrap_or_default();
        let is_next = stored_offset == Some(offset) && bytes(row, 5) == previous && row.get_ref(1)?.as_str().is_ok();
        if !is_next || bytes(row, 6) != row_hash.as_bytes() {
            self.chains.break_at(&partition, place, BrokenReason::Chain);
        }
        self.check_order(id, row, valid, &row_hash, (&partition, place));
        self.chains.set(&partition, place, row_hash);
        Ok(())
    }

    /// Checks the chain of the whole file.
    fn check_order(&mut self, id: i64, row: &Row<'_>, valid: Option<bool>, row_hash: &Hash, place: (&str, u64)) {
        let (last, previous) = self.last.unwrap_or((0, None));
        let expected = u64::try_from(id).ok().zip(valid);
        let expected = expected.map(|(id, valid)| log_hash(id, row_hash, valid, previous.as_ref()));
        let is_next = last.checked_add(1) == Some(id);
        if !is_next || expected.is_none_or(|expected| bytes(row, 7) != expected.as_bytes()) {
            let (partition, offset) = (place.0.to_owned(), place.1);
            self.order.get_or_insert(Broken { partition, offset, reason: BrokenReason::Chain });
        }
        self.last = Some((id, expected));
    }

    /// Whether the columns and the subjects are those of the event.
    fn is_derived(&mut self, id: i64, row: &Row<'_>, valid: Option<bool>) -> Result<bool, FileError> {
        let text = bytes(row, 3);
        let (Ok(event), Some(valid)) = (Event::parse(text), valid) else { return Ok(false) };
        let Some(derived) = Derived::of(&event, valid) else { return Ok(false) };
        let claim = match row.get_ref(12)? {
            ValueRef::Null => None,
            _ => Some(bytes(row, 12)),
        };
        let is_same = event.text().as_bytes() == text
            && event.partition().as_bytes() == bytes(row, 1)
            && derived.agent.as_bytes() == bytes(row, 8)
            && derived.event_id.as_bytes() == bytes(row, 9)
            && derived.content.as_bytes() == bytes(row, 10)
            && derived.claim.map(str::as_bytes) == claim;
        if !is_same {
            return Ok(false);
        }
        for subject in subjects_of(&event, valid) {
            let mut rows = self.subject.query([derived.agent, &subject])?;
            let first: Option<i64> = rows.next()?.map(|row| row.get(0)).transpose()?;
            if first.is_none_or(|first| first > id) {
                return Ok(false);
            }
            self.subjects += i64::from(first == Some(id));
        }
        Ok(true)
    }

    fn finish(self) -> Verification {
        let mut verification = self.chains.finish();
        if verification.ok
            && let Some(broken) = self.order
        {
            verification.ok = false;
            verification.first_broken = Some(broken);
        }
        verification
    }
}

/// The bytes of a text or of a blob; empty for anything else, which a damaged file may contain.
fn bytes<'r>(row: &'r Row<'_>, column: usize) -> &'r [u8] {
    row.get_ref(column).ok().and_then(|value| value.as_bytes().ok()).unwrap_or_default()
}
