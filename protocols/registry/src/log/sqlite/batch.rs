//! Appending events in one transaction.

use std::collections::HashMap;

use capgen_schema::Hash;
use capgen_sqlite::FileError;
use rusqlite::{Connection, OptionalExtension as _, Statement, params};

use super::row::{Derived, log_hash};
use super::{hash, unsigned};
use crate::log::admission::{Admission, Claim, Decision, Known, Lookup, Place, Subject, admit, request_hash};
use crate::log::chain::row_hash_of;
use crate::log::{AppendOptions, AppendResult, Appended, Rate};
use crate::{Checker, Event, EventId};

/// The appends of one transaction. Values are read once, because no other connection writes at the same time.
pub(super) struct Batch<'t> {
    /// The last row of the file, and its hash.
    last: Option<(u64, Hash)>,
    is_changed: bool,
    /// The last row of each partition.
    heads: HashMap<String, Option<(u64, Hash)>>,
    known: Stored<'t>,
    head: Statement<'t>,
    insert: Statement<'t>,
    insert_subject: Statement<'t>,
}

/// The questions about the stored events.
struct Stored<'t> {
    /// The greatest time in the ids of each producer, and the number of its subjects.
    latest: HashMap<String, Option<u64>>,
    counts: HashMap<String, u64>,
    identity: Statement<'t>,
    content: Statement<'t>,
    other: Statement<'t>,
    greatest: Statement<'t>,
    greatest_of_version_7: Statement<'t>,
    claim: Statement<'t>,
    count: Statement<'t>,
    has_subject: Statement<'t>,
}

impl<'t> Batch<'t> {
    /// Begins to append, in a transaction of the caller that may write.
    pub(super) fn new(transaction: &'t Connection) -> Result<Self, FileError> {
        let query = "SELECT id, log_hash FROM events ORDER BY id DESC LIMIT 1";
        let last = transaction.query_row(query, [], |row| Ok((unsigned(row, 0)?, hash(row, 1)?))).optional()?;
        Ok(Self {
            last,
            is_changed: false,
            heads: HashMap::new(),
            known: Stored::new(transaction)?,
            head: transaction
                .prepare("SELECT offset, row_hash FROM events WHERE partition = ?1 ORDER BY offset DESC LIMIT 1")?,
            insert: transaction
                .prepare("INSERT INTO events VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)")?,
            insert_subject: transaction.prepare("INSERT INTO subjects VALUES (?1, ?2, ?3)")?,
        })
    }

    /// Whether there is something to commit.
    pub(super) fn is_changed(&self) -> bool {
        self.is_changed
    }

    /// Appends an event, if the checks allow it.
    pub(super) fn append(
        &mut self,
        event: &Event,
        options: &AppendOptions,
        checker: &Checker,
        rate: &mut Rate,
    ) -> Result<AppendResult, FileError> {
        Ok(match admit(event, options, checker, rate, &mut self.known)? {
            Decision::Append(admission) => Ok(self.insert(event, &admission)?),
            Decision::Duplicate(appended) => Ok(appended),
            Decision::Reject(rejection) => Err(rejection),
        })
    }

    fn insert(&mut self, event: &Event, admission: &Admission) -> Result<Appended, FileError> {
        let Some(derived) = Derived::of(event, admission.valid) else {
            return Err(FileError::Failed("an event without an identity was admitted".to_owned()));
        };
        let partition = event.partition();
        let (offset, previous) = match self.head(partition)? {
            Some((offset, hash)) => (offset + 1, Some(hash)),
            None => (0, None),
        };
        let event_hash = Hash::of(event.text());
        let row_hash = row_hash_of(partition, offset, &event_hash, previous.as_ref());
        let id = self.last.map_or(1, |(id, _)| id + 1);
        let log_hash = log_hash(id, &row_hash, admission.valid, self.last.as_ref().map(|(_, hash)| hash));
        self.insert.execute(params![
            signed(id),
            partition,
            signed(offset),
            event.text(),
            event_hash.as_bytes(),
            previous.as_ref().map(|hash| hash.as_bytes().as_slice()).unwrap_or_default(),
            row_hash.as_bytes(),
            log_hash.as_bytes(),
            derived.agent,
            derived.event_id,
            derived.content.as_bytes(),
            admission.valid,
            derived.claim,
        ])?;
        for subject in &admission.subjects {
            let new = self.insert_subject.execute(params![derived.agent, subject, signed(id)])?;
            if let Some(count) = self.known.counts.get_mut(derived.agent) {
                *count += u64::try_from(new).unwrap_or(0);
            }
        }
        self.is_changed = true;
        self.last = Some((id, log_hash));
        self.heads.insert(partition.to_owned(), Some((offset, row_hash)));
        self.known.raise(derived.agent, event.id().and_then(EventId::millis));
        let integrity_fault = admission.integrity_fault;
        Ok(Appended { offset, partition: partition.to_owned(), duplicate_of: None, integrity_fault })
    }

    /// The last row of a partition.
    fn head(&mut self, partition: &str) -> Result<Option<(u64, Hash)>, FileError> {
        if let Some(head) = self.heads.get(partition) {
            return Ok(*head);
        }
        let head = self.head.query_row([partition], |row| Ok((unsigned(row, 0)?, hash(row, 1)?)));
        Ok(head.optional()?)
    }
}

impl<'t> Stored<'t> {
    fn new(transaction: &'t Connection) -> Result<Self, FileError> {
        let place = "SELECT partition, offset, event FROM events WHERE agent = ?1 AND event_id = ?2";
        let greatest = "SELECT max(event_id) FROM events WHERE agent = ?1";
        Ok(Self {
            latest: HashMap::new(),
            counts: HashMap::new(),
            identity: transaction.prepare(&format!("{place} ORDER BY id"))?,
            content: transaction.prepare(&format!("{place} AND content_hash = ?3 ORDER BY id LIMIT 1"))?,
            other: transaction.prepare(
                "SELECT 1 FROM events WHERE agent = ?1 AND event_id = ?2 AND content_hash <> ?3 LIMIT 1",
            )?,
            greatest: transaction.prepare(greatest)?,
            greatest_of_version_7: transaction.prepare(&format!("{greatest} AND substr(event_id, 15, 1) = '7'"))?,
            claim: transaction.prepare(
                "SELECT partition, offset, event_id, event FROM events WHERE agent = ?1 AND partition = ?2 AND claim = ?3",
            )?,
            count: transaction.prepare("SELECT count(*) FROM subjects WHERE agent = ?1")?,
            has_subject: transaction.prepare("SELECT 1 FROM subjects WHERE agent = ?1 AND subject = ?2")?,
        })
    }

    /// Notes that a producer has an event of this time.
    fn raise(&mut self, agent: &str, millis: Option<u64>) {
        if let Some(latest) = self.latest.get_mut(agent) {
            *latest = millis.max(*latest);
        }
    }

    fn count(&mut self, agent: &str) -> Result<u64, FileError> {
        if let Some(count) = self.counts.get(agent) {
            return Ok(*count);
        }
        let count = self.count.query_row([agent], |row| unsigned(row, 0))?;
        self.counts.insert(agent.to_owned(), count);
        Ok(count)
    }
}

impl Lookup for Stored<'_> {
    type Error = FileError;

    fn known(&mut self, agent: &str, id: EventId, content: Hash) -> Result<Known, FileError> {
        let key = params![agent, id.to_string(), content.as_bytes()];
        let same = self.content.query_row(key, place).optional()?;
        Ok(Known { same, has_other: self.other.exists(key)? })
    }

    fn authentic(&mut self, agent: &str, id: EventId, checker: &Checker) -> Result<Option<Place>, FileError> {
        let mut rows = self.identity.query([agent, &id.to_string()])?;
        while let Some(row) = rows.next()? {
            let event = row.get_ref(2)?.as_bytes().ok().and_then(|text| Event::parse(text).ok());
            if event.is_some_and(|event| checker.is_authentic(&event)) {
                return Ok(Some(place(row)?));
            }
        }
        Ok(None)
    }

    fn latest(&mut self, agent: &str) -> Result<Option<u64>, FileError> {
        if let Some(latest) = self.latest.get(agent) {
            return Ok(*latest);
        }
        let id = |text: Option<String>| text.and_then(|text| text.parse::<EventId>().ok());
        let mut greatest = id(self.greatest.query_row([agent], |row| row.get(0))?);
        if greatest.is_some_and(EventId::is_derived) {
            // The agent was the kernel once.
            greatest = id(self.greatest_of_version_7.query_row([agent], |row| row.get(0))?);
        }
        let latest = greatest.and_then(EventId::millis);
        self.latest.insert(agent.to_owned(), latest);
        Ok(latest)
    }

    fn claim(&mut self, agent: &str, partition: &str, key: &str) -> Result<Option<Claim>, FileError> {
        let claim = self.claim.query_row([agent, partition, key], |row| {
            let place = Place { partition: row.get(0)?, offset: unsigned(row, 1)? };
            Ok((place, row.get::<_, String>(2)?, row.get::<_, String>(3)?))
        });
        let Some((place, id, event)) = claim.optional()? else { return Ok(None) };
        let event = Event::parse(event.as_bytes()).ok();
        match (id.parse(), event) {
            (Ok(id), Some(event)) => Ok(Some(Claim { place, id, hash: request_hash(&event) })),
            _ => Err(FileError::Damaged("a row contains no event".to_owned())),
        }
    }

    fn subjects(&mut self, agent: &str, subjects: &[Subject]) -> Result<(u64, u64), FileError> {
        let mut new = 0;
        for subject in subjects {
            new += u64::from(!self.has_subject.exists([agent, subject])?);
        }
        Ok((self.count(agent)?, new))
    }
}

/// The place in the first two columns.
fn place(row: &rusqlite::Row<'_>) -> rusqlite::Result<Place> {
    Ok(Place { partition: row.get(0)?, offset: unsigned(row, 1)? })
}

/// A number that is at most that of the rows of a file.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
