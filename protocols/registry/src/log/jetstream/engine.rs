//! The operations of a log.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::log::{AppendOptions, AppendResult, Appended, Decision, Record};
use crate::{Checker, Event, Hash};

use super::contents::Contents;
use super::link::{Link, Published};
use super::message::{Draft, Stored};
use super::problem::OperationError;
use super::reader::{BATCH, Reader};

/// The longest request for the next message. After it, the last sequence of the stream is compared, so a message that
/// was lost on its way is noticed within this time.
const MAX_WAIT: Duration = Duration::from_secs(5);
/// The bytes of the events that one read returns at most, apart from those of the last one. It bounds the memory of a
/// caller that asks for many events: 16 of the largest ones.
const MAX_READ: usize = 16 << 20;

/// A log over one connection.
pub(super) struct Engine {
    pub(super) link: Link,
    pub(super) contents: Contents,
    reader: Reader,
    /// The greatest sequence that the stream has confirmed. A replica that delivers messages may learn it later.
    confirmed: u64,
}

impl Engine {
    pub(super) fn new(link: Link, checker: Arc<Checker>) -> Self {
        Self { link, contents: Contents::new(checker), reader: Reader::default(), confirmed: 0 }
    }

    pub(super) async fn append(
        &mut self,
        events: &[Event],
        options: &AppendOptions,
    ) -> Result<Vec<AppendResult>, OperationError> {
        self.catch_up().await?;
        let mut results = Vec::with_capacity(events.len());
        for event in events {
            self.contents.expect(Some(event.hash()));
            let result = self.append_one(event, options).await;
            self.contents.expect(None);
            results.push(result?);
        }
        Ok(results)
    }

    /// Publishes an event until the stream has confirmed it. Each attempt expects the last sequence of the subject that
    /// the checks have seen, so the stream stores the event at most once, and only if these checks still hold.
    async fn append_one(&mut self, event: &Event, options: &AppendOptions) -> Result<AppendResult, OperationError> {
        let draft = Draft::new(event);
        let mut retry = self.link.retry();
        // Known if an attempt may have stored the event.
        let mut attempted: Option<bool> = None;
        loop {
            if let (Some(integrity_fault), Some(found)) = (attempted, self.contents.found()) {
                return Ok(Ok(Appended { integrity_fault, ..found }));
            }
            let admission = match self.contents.admit(event, options) {
                Decision::Append(admission) => admission,
                Decision::Duplicate(appended) => return Ok(Ok(appended)),
                Decision::Reject(rejection) => return Ok(Err(rejection)),
            };
            match self.link.publish(&draft, self.contents.last_of(&draft.token)).await {
                Ok(Published::Stored(sequence)) => {
                    if self.contents.end().checked_add(1) == Some(sequence) {
                        return Ok(Ok(self.contents.record(sequence, &draft, event, &admission)));
                    }
                    // Others have appended to other partitions in the meantime.
                    self.confirmed = self.confirmed.max(sequence);
                    attempted.get_or_insert(admission.integrity_fault);
                }
                // Another process has appended the event; the checks find it, unless it was deleted.
                Ok(Published::Duplicate) => retry.after(OperationError::transient("it has lost an event")).await?,
                Ok(Published::Conflict) => retry.at_once(OperationError::transient("too many others append"))?,
                Err(problem) => {
                    attempted.get_or_insert(admission.integrity_fault);
                    retry.after(problem).await?;
                }
            }
            self.catch_up().await?;
        }
    }

    /// Reads the events that others have appended.
    async fn catch_up(&mut self) -> Result<(), OperationError> {
        let last = self.last_sequence().await?;
        while self.contents.end() < last {
            self.advance(last).await?;
        }
        Ok(())
    }

    async fn last_sequence(&mut self) -> Result<u64, OperationError> {
        let mut retry = self.link.retry();
        let last = loop {
            match self.link.last_sequence().await {
                Ok(last) => break last.max(self.confirmed),
                Err(problem) => retry.after(problem).await?,
            }
        };
        if last < self.contents.end() {
            return Err(OperationError::Lasting("it has lost its last messages, or was created again".to_owned()));
        }
        Ok(last)
    }

    /// Reads some messages after the known ones, of which there are some up to `last`.
    async fn advance(&mut self, last: u64) -> Result<(), OperationError> {
        for message in self.fetch(self.contents.end(), last, BATCH).await? {
            self.contents.add(&message);
        }
        self.contents.check()
    }

    /// Messages after a sequence, of which there are some up to `last`.
    pub(super) async fn fetch(&mut self, after: u64, last: u64, limit: usize) -> Result<Vec<Stored>, OperationError> {
        let mut retry = self.link.retry();
        let available = usize::try_from(last.saturating_sub(after)).unwrap_or(usize::MAX);
        loop {
            match self.reader.fetch(&self.link, after, limit.min(available)).await {
                Ok(messages) if messages.is_empty() => {
                    let reason = format!("it does not deliver the messages {} to {last}", after.saturating_add(1));
                    retry.after(OperationError::Transient(reason)).await?;
                }
                Err(problem) => retry.after(problem).await?,
                messages => return messages,
            }
        }
    }

    pub(super) async fn read(&mut self, after: u64, limit: usize) -> Result<Vec<Record>, OperationError> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        if self.contents.last_event() <= after {
            let last = self.last_sequence().await?;
            while self.contents.last_event() <= after && self.contents.end() < last {
                self.advance(last).await?;
            }
        }
        if let Some(records) = self.contents.recent(after, limit) {
            return Ok(records);
        }
        let (mut records, mut after, mut bytes) = (Vec::new(), after, 0_usize);
        let last = self.contents.last_event();
        while after < last && records.len() < limit && bytes < MAX_READ {
            for message in self.fetch(after, last, limit - records.len()).await? {
                after = message.sequence;
                let row = self.contents.row(after);
                if let (Some(row), Some(event)) = (row, message.event()) {
                    bytes += message.payload.len();
                    records.push(row.record(event));
                }
            }
        }
        Ok(records)
    }

    pub(super) async fn wait(&mut self, after: u64, timeout: Duration) -> Result<bool, OperationError> {
        let end = Instant::now().checked_add(timeout);
        self.catch_up().await?;
        let mut retry = self.link.retry();
        loop {
            if self.contents.last_event() > after {
                return Ok(true);
            }
            let left = end.map_or(MAX_WAIT, |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return Ok(false);
            }
            match self.reader.wait(&self.link, self.contents.end(), left.min(MAX_WAIT)).await {
                Ok(Some(message)) => {
                    self.contents.add(&message);
                    self.contents.check()?;
                    retry = self.link.retry();
                }
                // A message on its way may have been lost.
                Ok(None) => self.catch_up().await?,
                Err(problem) => retry.after(problem).await?,
            }
        }
    }

    pub(super) async fn row_hash(&mut self, sequence: u64) -> Result<Option<Hash>, OperationError> {
        if sequence > self.contents.end() {
            self.catch_up().await?;
        }
        Ok(self.contents.row(sequence).map(|row| row.hash))
    }

    /// The last sequence, after everything up to it is known.
    pub(super) async fn known_end(&mut self) -> Result<u64, OperationError> {
        self.catch_up().await?;
        Ok(self.contents.end())
    }
}
