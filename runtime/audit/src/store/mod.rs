//! The store that programs write to.

mod cut;
mod metrics;
mod queue;
mod redact;
mod room;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use capgen_call::{Audit, AuditError, AuditRecord, BoxFuture};
use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::database::{DatabaseError, open_or_create};
use queue::{Item, Limits, Push, Queue};
use room::Caller;
use writer::Writer;

/// The records in the queue may need this much memory: a thousand of the largest ones, which a disk writes in a second.
const QUEUE_BYTES: usize = 64 << 20;

/// An audit in an SQLite database. Several programs may write to the same file at the same time.
///
/// A record is accepted when it is in the queue. A thread takes records from the queue and commits them in batches. If
/// the database cannot be written, for example because the disk is full, accepted records remain in memory and the
/// thread tries again; new ones are rejected once the queue is full. Records are only lost as [`Lost`] states, and each
/// one is counted.
///
/// A record is *acknowledged* if [`record_durable`](Self::record_durable) for it, or a later [`flush`](Audit::flush),
/// returned `Ok`. An acknowledged record survives if the program is killed and, with [`Durability::PowerLoss`], if the
/// machine loses power.
///
/// Dropping the store closes it, and waits until the accepted records are written.
///
/// ```
/// use std::sync::Arc;
/// use capgen_audit::SqliteAudit;
/// use capgen_call::Audit;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("capgen-audit.db");
/// let audit: Arc<dyn Audit> = Arc::new(SqliteAudit::open(&path)?);
/// assert_eq!(audit.lost(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SqliteAudit {
    queue: Arc<Queue>,
    values: bool,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// The options of a [`SqliteAudit`].
///
/// ```
/// use capgen_audit::{Durability, SqliteAudit, WhenFull};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("capgen-audit.db");
/// let audit = SqliteAudit::options(&path).queue(256).when_full(WhenFull::Drop).durability(Durability::Kill).open()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "call `open`"]
pub struct SqliteAuditOptions {
    path: PathBuf,
    queue: usize,
    batch: usize,
    when_full: WhenFull,
    busy_timeout: Duration,
    durability: Durability,
    values: bool,
    is_shared: bool,
    max_file_size: Option<u64>,
    #[cfg(test)]
    before_commit: fn(&[Item]),
}

/// What happens to a record if the queue is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhenFull {
    /// The caller waits until there is room, but at most for this time. Then the record is lost.
    Block {
        /// The longest time.
        at_most: Duration,
    },
    /// The record is lost at once.
    Drop,
}

/// The failures that an acknowledged record survives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Durability {
    /// The end of the program, however it ends (`synchronous = NORMAL`). If the machine loses power, the last batches
    /// may be lost; the chain remains intact.
    Kill,
    /// Also the loss of power: each batch is synchronized with the disk (`synchronous = FULL`). The default.
    #[default]
    PowerLoss,
}

/// The numbers of lost records since the start, by reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Lost {
    /// The queue was full, or the caller gave up while it waited for room.
    pub full: u64,
    /// The store was closed, or its thread ended.
    pub closed: u64,
    /// The database could not be written while a caller waited for the record, or until the store was closed.
    pub failed: u64,
}

impl Lost {
    /// The sum.
    #[must_use]
    pub fn total(self) -> u64 {
        self.full.saturating_add(self.closed).saturating_add(self.failed)
    }
}

impl SqliteAuditOptions {
    /// The number of records that the queue has room for; 1024 by default. Their size is limited, too, to 64 MiB.
    pub fn queue(mut self, records: usize) -> Self {
        self.queue = records.max(1);
        self
    }

    /// The largest number of records in one transaction; 256 by default.
    pub fn batch(mut self, records: usize) -> Self {
        self.batch = records.max(1);
        self
    }

    /// What happens if the queue is full; by default, callers wait for at most one second.
    pub fn when_full(mut self, when_full: WhenFull) -> Self {
        self.when_full = when_full;
        self
    }

    /// How long an attempt to write waits while another connection locks the database; 5 seconds by default. After two
    /// attempts, everyone who waits for a record to be durable gets an error.
    pub fn busy_timeout(mut self, timeout: Duration) -> Self {
        self.busy_timeout = timeout;
        self
    }

    /// The failures that an acknowledged record survives.
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Stores the messages of violations as the caller wrote them. By default, the store replaces each message by one
    /// that only names the keyword, because messages may quote values of payloads. Paths are stored in any case, and
    /// contain names of properties.
    pub fn include_values(mut self, include: bool) -> Self {
        self.values = include;
        self
    }

    /// Gives each caller a share of the queue, so that none can fill it for others: a caller may hold at most four
    /// times the room that is still free. For servers that prove who calls: they pass the caller to
    /// [`SqliteAudit::record_of`], and all records without one have one share together. The queue becomes a quarter
    /// larger, so that a sole caller has as much room as without shares. By default, there is one share for all: the
    /// name that a caller gives itself proves nothing.
    pub fn shares(mut self, shares: bool) -> Self {
        self.is_shared = shares;
        self
    }

    /// The largest size of the database in bytes, without its write-ahead log. If it is reached, the store behaves as
    /// if the disk were full.
    pub fn max_file_size(mut self, bytes: u64) -> Self {
        self.max_file_size = Some(bytes);
        self
    }

    /// Opens the database, creating it if the file does not exist, and starts the thread.
    ///
    /// # Errors
    ///
    /// The file cannot be opened or created, or is not an audit.
    pub fn open(self) -> Result<SqliteAudit, DatabaseError> {
        let connection = open_or_create(&self.path, self.busy_timeout)?;
        self.configure(&connection)?;
        let limits =
            Limits { records: self.queue, bytes: QUEUE_BYTES, is_shared: self.is_shared, when_full: self.when_full };
        let queue = Arc::new(Queue::new(limits));
        let writer = Writer {
            connection,
            queue: Arc::clone(&queue),
            batch: self.batch,
            #[cfg(test)]
            before_commit: self.before_commit,
        };
        let audit = SqliteAudit { queue: Arc::clone(&queue), values: self.values, threads: Mutex::default() };
        audit.spawn("capgen-audit", move || writer.run())?;
        if matches!(self.when_full, WhenFull::Block { .. }) {
            audit.spawn("capgen-audit-timer", move || queue.watch_deadlines())?;
        }
        Ok(audit)
    }

    fn configure(&self, connection: &Connection) -> Result<(), DatabaseError> {
        let synchronous = match self.durability {
            Durability::Kill => "NORMAL",
            Durability::PowerLoss => "FULL",
        };
        connection.execute_batch(&format!("PRAGMA synchronous = {synchronous}"))?;
        if let Some(bytes) = self.max_file_size {
            let page: i64 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
            let pages = i64::try_from(bytes).unwrap_or(i64::MAX) / page.max(1);
            connection.query_row(&format!("PRAGMA max_page_count = {}", pages.max(1)), [], |_| Ok(()))?;
        }
        Ok(())
    }
}

impl SqliteAudit {
    /// Opens a database with the default options, creating it if the file does not exist.
    ///
    /// # Errors
    ///
    /// The file cannot be opened or created, or is not an audit.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, DatabaseError> {
        Self::options(path).open()
    }

    /// The options, to change them before the database is opened.
    pub fn options(path: impl AsRef<Path>) -> SqliteAuditOptions {
        SqliteAuditOptions {
            path: path.as_ref().to_owned(),
            queue: 1024,
            batch: 256,
            when_full: WhenFull::Block { at_most: Duration::from_secs(1) },
            busy_timeout: Duration::from_secs(5),
            durability: Durability::default(),
            values: false,
            is_shared: false,
            max_file_size: None,
            #[cfg(test)]
            before_commit: |_| {},
        }
    }

    /// Hands over a record, and waits until it is durable. If the database cannot be written after two attempts, the
    /// record is given up: it is in the database if and only if the result is `Ok`.
    ///
    /// # Errors
    ///
    /// The record is lost, and counted.
    pub fn record_durable(&self, record: AuditRecord) -> BoxFuture<'_, Result<(), AuditError>> {
        let (answer, answered) = oneshot::channel();
        let push = self.push(record, String::new(), Some(answer));
        Box::pin(async move {
            push?.await?;
            // Without an answer, the thread panicked.
            answered.await.unwrap_or(Err(AuditError::Closed))
        })
    }

    /// Hands over a record that a caller has caused, as [`record`](Audit::record) does. `caller` identifies it as the
    /// server has proved it, such as the id of an agent whose signature it has verified; it decides whose
    /// [share](SqliteAuditOptions::shares) the record takes, and is not stored.
    ///
    /// # Errors
    ///
    /// The record is lost, and counted.
    pub fn record_of(&self, caller: &str, record: AuditRecord) -> BoxFuture<'_, Result<(), AuditError>> {
        let push = self.push(record, caller.to_owned(), None);
        Box::pin(async move { push?.await })
    }

    /// Accepts no more records, and waits until the accepted ones are written. If that fails twice, they are lost.
    ///
    /// # Errors
    ///
    /// Accepted records are lost, and counted.
    pub fn close(&self) -> BoxFuture<'_, Result<(), AuditError>> {
        let (answer, answered) = oneshot::channel();
        self.queue.close(Some(answer));
        Box::pin(async move { answered.await.unwrap_or(Err(AuditError::Closed)) })
    }

    /// The numbers of lost records, by reason. [`lost`](Audit::lost) is their sum.
    #[must_use]
    pub fn lost_by_reason(&self) -> Lost {
        self.queue.lost()
    }

    fn push(&self, record: AuditRecord, caller: String, answer: Option<queue::Answer>) -> Result<Push, AuditError> {
        let row = redact::row(record, self.values).inspect_err(|_| self.queue.count_failed(1))?;
        Ok(self.queue.push(Item { row, caller: Caller(caller), answer }))
    }

    fn spawn(&self, name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), DatabaseError> {
        let thread = thread::Builder::new().name(name.to_owned()).spawn(run);
        let thread = thread.map_err(|error| DatabaseError::Failed(format!("cannot start a thread: {error}")))?;
        self.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        Ok(())
    }
}

impl Audit for SqliteAudit {
    fn record(&self, record: AuditRecord) -> BoxFuture<'_, Result<(), AuditError>> {
        let push = self.push(record, String::new(), None);
        Box::pin(async move { push?.await })
    }

    fn flush(&self) -> BoxFuture<'_, Result<(), AuditError>> {
        let (answer, answered) = oneshot::channel();
        self.queue.flush(answer);
        Box::pin(async move { answered.await.unwrap_or(Err(AuditError::Closed)) })
    }

    fn lost(&self) -> u64 {
        self.lost_by_reason().total()
    }
}

impl Drop for SqliteAudit {
    fn drop(&mut self) {
        self.queue.close(None);
        let threads = std::mem::take(self.threads.get_mut().unwrap_or_else(PoisonError::into_inner));
        // A thread that panicked has nothing more to do.
        threads.into_iter().for_each(|thread| drop(thread.join()));
    }
}

impl std::fmt::Debug for SqliteAudit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteAudit").field("lost", &self.lost_by_reason()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::Database;

    fn call(tenant: &str) -> AuditRecord {
        let record = serde_json::json!({
            "kind": "capability_call", "ts": 1, "tenantId": tenant, "capabilityName": "c", "peerId": "agent://p",
            "contractHash": "", "status": "ok", "latencyMs": 1, "correlationId": "i",
        });
        serde_json::from_value(record).unwrap()
    }

    #[test]
    fn a_writer_that_panics_closes_the_store_and_counts_its_records() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.db");
        let mut options = SqliteAudit::options(&path);
        options.before_commit = |items| assert!(items.iter().all(|item| item.row.tenant != "panic"), "a test");
        let audit = options.open().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            audit.record_durable(call("t")).await.unwrap();
            assert_eq!(audit.record_durable(call("panic")).await, Err(AuditError::Closed));
            // The thread may still be unwinding: a flush waits until it has ended.
            assert_eq!(audit.flush().await, Err(AuditError::Closed));
            assert_eq!(audit.record(call("t")).await, Err(AuditError::Closed));
            assert_eq!(audit.close().await, Err(AuditError::Closed));
        });
        assert_eq!(audit.lost_by_reason(), Lost { full: 0, closed: 2, failed: 0 });
        drop(audit);
        let database = Database::open(&path).unwrap();
        assert_eq!(database.verify(None).unwrap().rows(), 1);
    }

    #[test]
    fn a_large_record_is_cut_and_not_lost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.db");
        let audit = SqliteAudit::open(&path).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(audit.record_durable(call(&"t".repeat(17 << 20)))).unwrap();
        assert_eq!(audit.lost_by_reason(), Lost::default());
        let verification = Database::open(&path).unwrap().verify(None).unwrap();
        assert!(verification.is_intact() && verification.rows() == 1, "{verification:?}");
    }

    /// A store that writes nothing until the sender is dropped.
    fn stopped(options: SqliteAuditOptions) -> (SqliteAudit, std::sync::mpsc::Sender<()>) {
        static STOP: Mutex<Option<std::sync::mpsc::Receiver<()>>> = Mutex::new(None);
        let (go, stop) = std::sync::mpsc::channel();
        *STOP.lock().unwrap() = Some(stop);
        let mut options = options;
        options.before_commit = |_| {
            let stop = STOP.lock().unwrap().take();
            // The end of the channel is the sign to go on.
            if let Some(stop) = stop {
                let _ = stop.recv();
            }
        };
        (options.open().unwrap(), go)
    }

    #[test]
    fn a_caller_that_fills_its_share_pushes_no_record_of_another_one_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.db");
        let options = SqliteAudit::options(&path).queue(100).batch(1).when_full(WhenFull::Drop).shares(true);
        let (audit, go) = stopped(options);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let record = |caller: &str| runtime.block_on(audit.record_of(caller, call(caller)));
        let accepted = |caller: &str, count: usize| (0..count).filter(|_| record(caller).is_ok()).count();
        let flood = accepted("flood", 1_000);
        assert!((100..=101).contains(&flood), "{flood}: one may be with the writer");
        for other in ["a", "b", "c"] {
            assert!(accepted(other, 3) >= 1, "{other}");
        }
        assert!(runtime.block_on(audit.record(call("-"))).is_ok(), "callers without a proof have a share too");
        drop(go);
        runtime.block_on(audit.flush()).unwrap();
        assert!(accepted("flood", 50) > 0, "written records free their room");
    }

    #[test]
    fn a_keyword_that_does_not_exist_is_not_stored() {
        let record = serde_json::json!({
            "kind": "capability_schema_violation", "ts": 1, "tenantId": "-", "capabilityName": "c", "peerId": "agent://p",
            "side": "request", "correlationId": "i",
            "violations": [{"path": "", "message": "secret", "keyword": "secret"}],
        });
        let row = redact::row(serde_json::from_value(record).unwrap(), false).unwrap();
        assert!(!row.record.contains("secret"), "{}", row.record);
    }
}
