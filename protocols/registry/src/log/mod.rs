//! Logs: where events are stored (decisions 12 and 13).
//!
//! A log is partitioned, ordered within a partition, and append-only. Implementations pass one suite of tests.

mod admission;
mod chain;
#[cfg(feature = "conformance")]
pub mod conformance;
mod first_of_kernel;
mod index;
#[cfg(feature = "jetstream")]
mod jetstream;
mod jsonl;
mod memory;
mod rate;
#[cfg(feature = "sqlite")]
mod sqlite;

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use capgen_schema::Hash;
use capgen_time::Backoff;
use serde::{Deserialize, Serialize};

use crate::{Event, EventId, FilePlace, Invalid, Position};
pub use admission::{Admission, Decision};
pub use chain::{Chains, row_hash};
pub use first_of_kernel::FirstOfKernel;
pub use index::Index;
#[cfg(feature = "jetstream")]
pub use jetstream::{JetStreamLog, JetStreamLogOptions};
pub use jsonl::{JsonlLog, JsonlReader, Warning};
pub use memory::MemoryLog;
use rate::Rate;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteLog;

/// A log of events.
///
/// The kernel and snapshots follow the log's own order: the sequence, which starts at 1 and may have gaps. Offsets
/// count the events of one partition from 0, without gaps. Calls block; use a log from a thread of its own in async
/// programs.
///
/// Every operation fails for a log whose [first event of the kernel](FirstOfKernel) is unsigned under a configuration
/// with a key of the kernel.
pub trait Log: Send {
    /// Appends events in their order and returns the result of each. After it returns, the events survive a crash of
    /// the process and of the machine, unless the implementation documents another policy.
    ///
    /// A rejected event has no effect on the others. Invalid events that are not rejected are stored, and the kernel
    /// answers them.
    ///
    /// # Errors
    ///
    /// The log cannot be read or written. Then it contains all of these events or a number of the first ones; appending
    /// them again is safe.
    fn append(&mut self, events: &[Event], options: &AppendOptions) -> Result<Vec<AppendResult>, LogError>;

    /// The events after a sequence (0 for the start) in the log's order: at most `limit` of them, and none only at the
    /// end of the log.
    ///
    /// # Errors
    ///
    /// The log cannot be read.
    fn read(&mut self, after: u64, limit: usize) -> Result<Vec<Record>, LogError>;

    /// Waits until the log has an event after a sequence, or until the timeout. Returns whether it has one. Other
    /// processes may append; the whole log is not read.
    ///
    /// # Errors
    ///
    /// The log cannot be read.
    fn wait(&mut self, after: u64, timeout: Duration) -> Result<bool, LogError>;

    /// Checks every row and the chain of hashes. `expect` has heads that are stored elsewhere: without them, truncated
    /// tails and complete rewrites cannot be detected.
    ///
    /// # Errors
    ///
    /// The log cannot be read. Damage that concerns its rows is part of the result instead.
    fn verify(&mut self, expect: Option<&Heads>) -> Result<Verification, LogError>;

    /// The hash of the row at a sequence. `None` if there is no such row, or if the log knows no hashes without reading
    /// all rows.
    ///
    /// # Errors
    ///
    /// The log cannot be read.
    fn row_hash(&mut self, sequence: u64) -> Result<Option<Hash>, LogError> {
        let _ = sequence;
        Ok(None)
    }

    /// Whether the log has the last event of a position at its place, so that a snapshot of it can be used.
    ///
    /// # Errors
    ///
    /// The log cannot be read.
    fn resume(&mut self, position: &Position) -> Result<bool, LogError> {
        let Position { sequence, event_hash, row_hash, .. } = position;
        let Some(before) = sequence.checked_sub(1) else { return Ok(*position == Position::default()) };
        let records = self.read(before, 1)?;
        let has_event = records
            .first()
            .is_some_and(|record| record.sequence == *sequence && *event_hash == Some(Hash::of(record.event.text())));
        Ok(has_event && (row_hash.is_none() || self.row_hash(*sequence)? == *row_hash))
    }

    /// The place after the last event that was read, for logs that are files without an index.
    fn file_place(&self) -> Option<FilePlace> {
        None
    }
}

/// The pauses between two looks at a log that another process may write to. An answer comes within milliseconds, and
/// fifty looks per second cost little if none comes.
const POLL: Backoff = Backoff::new(Duration::from_millis(1), Duration::from_millis(20));

/// Asks until the answer is `true` or the time is over, and returns the last answer.
pub(crate) fn wait_for(timeout: Duration, mut ask: impl FnMut() -> Result<bool, LogError>) -> Result<bool, LogError> {
    let end = Instant::now().checked_add(timeout);
    let mut looks = 0;
    loop {
        let answer = ask()?;
        let left = end.map_or(timeout, |end| end.saturating_duration_since(Instant::now()));
        if answer || left.is_zero() {
            return Ok(answer);
        }
        looks = u32::saturating_add(looks, 1);
        std::thread::sleep(POLL.pause(looks).min(left));
    }
}

/// The options of [`Log::append`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AppendOptions {
    /// The time of the log's clock, as Unix time in ms.
    pub now: u64,
    /// Whether this is an import by an operator, which may contain old events (ruling 5).
    pub import: bool,
}

/// The result for one event.
pub type AppendResult = Result<Appended, Rejection>;

/// The place of an appended event.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Appended {
    /// The offset in the partition. For a duplicate, that of the first event.
    pub offset: u64,
    /// The partition. For a duplicate, that of the first event.
    pub partition: String,
    /// The id of the event that this one is a duplicate of. Then nothing was appended.
    pub duplicate_of: Option<String>,
    /// Whether the log has an event of the same identity with another content, also if nothing was appended. Both
    /// count, except that the first event of a derived id is kept alone.
    pub integrity_fault: bool,
}

/// Why an event was not appended (formats page, "Commands").
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Rejection {
    /// The envelope or the signature is invalid.
    Invalid(Invalid),
    /// The id is more than 60 s ahead of the clock.
    Future,
    /// The id is too far behind the producer's last one, or behind the clock (decision 2).
    Past,
    /// The idempotency key belongs to another type, version or payload.
    IdempotencyKey,
    /// The producer has too many invalid events or subjects (ruling 6).
    Quota,
}

impl Rejection {
    /// The text in reports.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::Invalid(invalid) => invalid.reason.as_str(),
            Self::Future => "future",
            Self::Past => "past",
            Self::IdempotencyKey => "idempotency-key",
            Self::Quota => "quota",
        }
    }

    /// JSON Pointers into the event.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        match self {
            Self::Invalid(invalid) => invalid.paths.clone(),
            Self::Future | Self::Past => vec!["/event_id".to_owned()],
            Self::IdempotencyKey => vec!["/idempotency_key".to_owned()],
            Self::Quota => Vec::new(),
        }
    }
}

/// An event of a log, and its place.
#[derive(Clone, Debug)]
pub struct Record {
    /// The place in the log's own order.
    pub sequence: u64,
    /// The partition.
    pub partition: String,
    /// The place in the partition.
    pub offset: u64,
    /// The event.
    pub event: Event,
}

/// The last row of each partition.
pub type Heads = BTreeMap<String, Head>;

/// The last row of a partition.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// Its offset.
    pub offset: u64,
    /// Its hash in lower-case hexadecimal: SHA-256 over the canonical `[partition, offset, event hash, previous
    /// row_hash or ""]`.
    pub row_hash: String,
}

/// The result of [`Log::verify`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Verification {
    /// Whether no row is broken.
    pub ok: bool,
    /// The number of rows.
    pub rows: u64,
    /// The first broken row.
    pub first_broken: Option<Broken>,
    /// The last row of each partition.
    pub heads: Heads,
}

/// A row that is not as it was appended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Broken {
    /// The partition.
    pub partition: String,
    /// The offset in the partition.
    pub offset: u64,
    /// The class of the damage.
    pub reason: BrokenReason,
}

/// The class of the damage of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum BrokenReason {
    /// The event is not the one that the row's hash covers, or is unreadable.
    Event,
    /// The row does not continue the chain.
    Chain,
    /// The row is not the expected head.
    Expected,
}

/// Why a log cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LogError {
    /// It cannot be read or written. The message names the file or the stream, and contains no event.
    Failed(String),
    /// Its first event of the kernel, which has this id, is unsigned, but the configuration has a key of the kernel
    /// (ruling 11).
    UnsignedKernel(EventId),
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(message) => f.write_str(message),
            Self::UnsignedKernel(id) => write!(
                f,
                "its first event of the kernel, {id}, has no signature, but the configuration has a key of the kernel"
            ),
        }
    }
}

impl std::error::Error for LogError {}
