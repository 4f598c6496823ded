//! The writer thread: takes records from the queue, and commits each batch in one transaction.

use std::sync::Arc;
use std::time::Duration;

use capgen_call::AuditError;
use capgen_time::Backoff;
use rusqlite::{Connection, TransactionBehavior};

use super::queue::{Entry, Item, Queue};
use crate::append::Appender;
use crate::database::DatabaseError;

/// After this many attempts in a row, everyone who waits for an answer gets an error. The second attempt covers a lock
/// or an error that is over at once; callers wait for the answer, so there is no third one for them.
const ATTEMPTS: u32 = 2;

/// The pauses between attempts.
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(50), Duration::from_secs(1));

pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) queue: Arc<Queue>,
    pub(super) batch: usize,
    /// Called before each commit, so that tests can make the thread end.
    #[cfg(test)]
    pub(super) before_commit: fn(&[Item]),
}

/// Ends the queue even if the thread panics, so that no one waits for it.
struct End<'q>(&'q Queue, Result<(), AuditError>);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.end(self.1.clone());
    }
}

impl Writer {
    /// Writes until the queue is closed and empty.
    pub(super) fn run(mut self) {
        let queue = Arc::clone(&self.queue);
        let mut end = End(&queue, Err(AuditError::Closed));
        end.1 = self.write_all();
        // The last connection to a file writes the log back to it and removes the log.
        drop(self);
    }

    fn write_all(&mut self) -> Result<(), AuditError> {
        while let Some(entries) = self.queue.take(self.batch) {
            // An error means that the queue closes. Other batches would fail too, and each attempt may take long.
            self.write_batch(entries)?;
        }
        Ok(())
    }

    /// Writes a batch, however many attempts it takes, unless the queue closes. Then its records are lost.
    fn write_batch(&mut self, entries: Vec<Entry>) -> Result<(), AuditError> {
        let mut items = Vec::new();
        let mut flushes = Vec::new();
        for entry in entries {
            match entry {
                Entry::Record(item) => items.push(item),
                Entry::Flush(answer) => flushes.push(answer),
            }
        }
        let mut failures = 0;
        loop {
            let error = match self.commit(&items) {
                Ok(()) => break,
                Err(error) => AuditError::Failed(DatabaseError::from(error).to_string()),
            };
            failures = u32::saturating_add(failures, 1);
            if failures >= ATTEMPTS {
                for flush in flushes.drain(..) {
                    drop(flush.send(Err(error.clone())));
                }
                self.refuse_awaited(&mut items, &error);
            }
            if self.queue.pause(BACKOFF.pause(failures)) && failures >= ATTEMPTS {
                self.queue.count_failed(items.len());
                self.queue.finish(items.len());
                return Err(error);
            }
        }
        self.queue.finish(items.len());
        for answer in items.into_iter().filter_map(|item| item.answer).chain(flushes) {
            // If the receiver is gone, no one is interested.
            drop(answer.send(Ok(())));
        }
        Ok(())
    }

    /// Gives up the records whose callers wait until they are durable, here and in the queue, and reports the error.
    /// The others remain: they are written as soon as that is possible.
    fn refuse_awaited(&self, items: &mut Vec<Item>, error: &AuditError) {
        let (awaited, rest): (Vec<Item>, Vec<Item>) =
            std::mem::take(items).into_iter().partition(|item| item.answer.is_some());
        *items = rest;
        self.queue.finish(awaited.len());
        let queued = self.queue.take_waiting().into_iter();
        for entry in awaited.into_iter().map(Entry::Record).chain(queued) {
            let answer = match entry {
                Entry::Record(item) => {
                    self.queue.count_failed(1);
                    item.answer
                }
                Entry::Flush(answer) => Some(answer),
            };
            if let Some(answer) = answer {
                drop(answer.send(Err(error.clone())));
            }
        }
    }

    fn commit(&mut self, items: &[Item]) -> rusqlite::Result<()> {
        if items.is_empty() {
            return Ok(());
        }
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut appender = Appender::new(&transaction)?;
        items.iter().try_for_each(|item| appender.append(&item.row).map(drop))?;
        drop(appender);
        #[cfg(test)]
        (self.before_commit)(items);
        transaction.commit()
    }
}
