//! The known messages of a stream.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::log::{Admission, AppendOptions, Appended, Chains, Decision, Index, Record};
use crate::{Checker, Event, Hash};

use super::message::{Draft, Stored};
use super::problem::OperationError;
use super::reader::BATCH;

/// How many of the last events are kept: more than one request returns, so that new events are read only once.
const RECENT: usize = 2 * BATCH;
/// The bytes of their texts, as many as one read returns: 512 events of the largest size would take 512 MiB.
const RECENT_BYTES: usize = 16 << 20;

/// The known rows of a stream, and the index for the checks of appends.
pub(super) struct Contents {
    index: Index,
    chains: Chains,
    rows: Vec<Row>,
    /// The last sequence of each subject, by the token of the partition.
    last: HashMap<String, u64>,
    /// The last sequence that is known.
    end: u64,
    /// The last events, which end with the last row.
    recent: VecDeque<Event>,
    recent_bytes: usize,
    /// The content hash of the event that is being appended, and its place if it was read from the stream.
    expected: Option<(Hash, Option<Appended>)>,
}

/// An event of the stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Row {
    pub(super) sequence: u64,
    /// The offset in the partition.
    pub(super) offset: u64,
    pub(super) hash: Hash,
}

impl Contents {
    pub(super) fn new(checker: Arc<Checker>) -> Self {
        Self {
            index: Index::new(checker),
            chains: Chains::new(None),
            rows: Vec::new(),
            last: HashMap::new(),
            end: 0,
            recent: VecDeque::new(),
            recent_bytes: 0,
            expected: None,
        }
    }

    /// Fails if the log is refused for its first event of the kernel.
    pub(super) fn check(&self) -> Result<(), OperationError> {
        self.index.check().map_err(OperationError::Refused)
    }

    /// The last sequence that is known.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// The sequence of the last event; messages that are not events may come after it.
    pub(super) fn last_event(&self) -> u64 {
        self.rows.last().map_or(0, |row| row.sequence)
    }

    /// The last sequence of the subject of a partition; 0 if there is none.
    pub(super) fn last_of(&self, token: &str) -> u64 {
        self.last.get(token).copied().unwrap_or(0)
    }

    pub(super) fn row(&self, sequence: u64) -> Option<Row> {
        let place = self.rows.binary_search_by_key(&sequence, |row| row.sequence).ok()?;
        self.rows.get(place).copied()
    }

    pub(super) fn admit(&mut self, event: &Event, options: &AppendOptions) -> Decision {
        self.index.admit(event, options)
    }

    /// Notes the content hash of the event that may be stored from now on.
    pub(super) fn expect(&mut self, content: Option<Hash>) {
        self.expected = content.map(|content| (content, None));
    }

    /// The place of the expected event, once it was read from the stream.
    pub(super) fn found(&self) -> Option<Appended> {
        self.expected.as_ref().and_then(|(_, found)| found.clone())
    }

    /// Adds a message of the stream that comes after the known ones.
    pub(super) fn add(&mut self, message: &Stored) {
        if message.sequence <= self.end {
            return;
        }
        self.end = message.sequence;
        self.last.insert(message.token.clone(), message.sequence);
        let Some(event) = message.event() else {
            tracing::warn!(
                sequence = message.sequence,
                "a message of the registry's stream is not an event of its subject"
            );
            return;
        };
        let appended = self.index.replay(&event);
        if let Some((expected, found)) = &mut self.expected
            && found.is_none()
            && *expected == event.hash()
        {
            *found = Some(appended.clone());
        }
        self.push(message.sequence, event, appended.offset);
    }

    /// Adds an event that was admitted, and that the stream has stored directly after the known messages.
    pub(super) fn record(&mut self, sequence: u64, draft: &Draft, event: &Event, admission: &Admission) -> Appended {
        self.end = sequence;
        self.last.insert(draft.token.clone(), sequence);
        let appended = self.index.record(event, admission);
        self.push(sequence, event.clone(), appended.offset);
        appended
    }

    fn push(&mut self, sequence: u64, event: Event, offset: u64) {
        let hash = self.chains.push(event.partition(), event.text());
        self.rows.push(Row { sequence, offset, hash });
        self.recent_bytes += event.text().len();
        self.recent.push_back(event);
        while self.recent.len() > RECENT || (self.recent_bytes > RECENT_BYTES && self.recent.len() > 1) {
            let removed = self.recent.pop_front().map_or(0, |event| event.text().len());
            self.recent_bytes = self.recent_bytes.saturating_sub(removed);
        }
    }

    /// The first events after a sequence, if they are still in memory.
    pub(super) fn recent(&self, after: u64, limit: usize) -> Option<Vec<Record>> {
        let first_recent = self.rows.len().saturating_sub(self.recent.len());
        let first = self.rows.partition_point(|row| row.sequence <= after);
        let skipped = first.checked_sub(first_recent)?;
        let events = self.recent.iter().skip(skipped).cloned();
        Some(self.rows.iter().skip(first).zip(events).take(limit).map(|(row, event)| row.record(event)).collect())
    }
}

impl Row {
    pub(super) fn record(self, event: Event) -> Record {
        Record { sequence: self.sequence, partition: event.partition().to_owned(), offset: self.offset, event }
    }
}
