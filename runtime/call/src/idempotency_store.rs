//! Where all instances of an agent find the answers to requests with idempotency keys.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use crate::transport::BoxFuture;

/// A store of records that all instances of an agent use, so that an idempotency key means the same for each of them.
/// [`ServerBuilder::idempotency_store`](crate::ServerBuilder::idempotency_store) uses it.
///
/// Each record has a revision, and a write succeeds only if the record still has the revision that its writer has seen.
/// This is all that a store has to guarantee: tables of SQL databases, Redis and etcd do. `capgen_nats` has one in a
/// bucket of JetStream.
///
/// Keys are 64 hexadecimal digits. Values are JSON text, with the response of the request, which may be confidential;
/// those above the store's limit may fail.
pub trait IdempotencyStore: fmt::Debug + Send + Sync + 'static {
    /// The record of a key; `None` if there is none.
    fn read<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<StoredRecord>, StoreError>>;

    /// Writes the record of a key, if the one that exists has this revision (`None`: if there is none), and returns its
    /// new revision; `None` if there is another one. The record may be removed after `keep`, but not before.
    fn write<'a>(
        &'a self,
        key: &'a str,
        value: Bytes,
        expected: Option<u64>,
        keep: Duration,
    ) -> BoxFuture<'a, Result<Option<u64>, StoreError>>;

    /// Removes the record of a key, if it has this revision.
    fn remove<'a>(&'a self, key: &'a str, expected: u64) -> BoxFuture<'a, Result<(), StoreError>>;
}

/// A record of an [`IdempotencyStore`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredRecord {
    /// The value.
    pub value: Bytes,
    /// The revision, which no other value of the key has had.
    pub revision: u64,
}

/// Why a store did not read or write: a text for logs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoreError(pub String);

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the store of idempotency keys failed: {}", self.0)
    }
}

impl std::error::Error for StoreError {}

/// A store in memory, for several servers of one process, and for tests. It has no limit.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), capgen_call::StoreError> {
/// use capgen_call::{IdempotencyStore as _, MemoryIdempotencyStore};
/// use std::time::Duration;
///
/// let (store, keep) = (MemoryIdempotencyStore::default(), Duration::from_secs(60));
/// let first = store.write("key", "1".into(), None, keep).await?;
/// assert!(first.is_some());
/// assert_eq!(store.write("key", "2".into(), None, keep).await?, None);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct MemoryIdempotencyStore {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The records, with the time at which they end.
    records: BTreeMap<String, (StoredRecord, Instant)>,
    last_revision: u64,
}

impl MemoryIdempotencyStore {
    fn lock(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        state.records.retain(|_, (_, end)| *end > now);
        state
    }
}

impl IdempotencyStore for MemoryIdempotencyStore {
    fn read<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<StoredRecord>, StoreError>> {
        Box::pin(async move { Ok(self.lock().records.get(key).map(|(record, _)| record.clone())) })
    }

    fn write<'a>(
        &'a self,
        key: &'a str,
        value: Bytes,
        expected: Option<u64>,
        keep: Duration,
    ) -> BoxFuture<'a, Result<Option<u64>, StoreError>> {
        Box::pin(async move {
            let mut state = self.lock();
            if state.records.get(key).map(|(record, _)| record.revision) != expected {
                return Ok(None);
            }
            state.last_revision += 1;
            let revision = state.last_revision;
            // A clock of the process cannot show a time that is centuries away.
            let end = Instant::now().checked_add(keep).unwrap_or_else(|| Instant::now() + MAX_KEPT);
            state.records.insert(key.to_owned(), (StoredRecord { value, revision }, end));
            Ok(Some(revision))
        })
    }

    fn remove<'a>(&'a self, key: &'a str, expected: u64) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let mut state = self.lock();
            if state.records.get(key).is_some_and(|(record, _)| record.revision == expected) {
                state.records.remove(key);
            }
            Ok(())
        })
    }
}

/// The longest time that a record is kept, where a longer one cannot be represented: a year is longer than any process
/// keeps its memory.
const MAX_KEPT: Duration = Duration::from_secs(365 * 24 * 3600);
