//! Checks of stores for the answers to requests with idempotency keys.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use capgen_schema::Hash;

use super::harness::LONG;
use crate::idempotency_store::{IdempotencyStore, StoreError, StoredRecord};
use crate::transport::BoxFuture;

type Store = Arc<dyn IdempotencyStore>;
type Check = for<'a> fn(&'a Store) -> BoxFuture<'a, Result<(), String>>;

/// Longer than a run, so that no record ends meanwhile.
const KEEP: Duration = Duration::from_secs(600);
/// The writers that race for one key.
const WRITERS: usize = 8;

/// The checks, with their names.
pub(super) const ALL: [(&str, Check); 6] = [
    ("a record is written once", |store| Box::pin(once(store))),
    ("a write needs the revision", |store| Box::pin(revisions(store))),
    ("a removal needs the revision", |store| Box::pin(removal(store))),
    ("a removed record can be written again", |store| Box::pin(again(store))),
    ("one of many writers wins", |store| Box::pin(race(store))),
    ("large values are kept unchanged", |store| Box::pin(large(store))),
];

/// A key that no other check and no other run uses.
fn key() -> String {
    Hash::of(uuid::Uuid::new_v4().as_bytes()).to_string()
}

async fn within<T>(operation: BoxFuture<'_, Result<T, StoreError>>) -> Result<T, String> {
    match tokio::time::timeout(LONG, operation).await {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(_) => Err("an operation does not end".to_owned()),
    }
}

async fn write(store: &Store, key: &str, value: &'static str, expected: Option<u64>) -> Result<Option<u64>, String> {
    within(store.write(key, value.into(), expected, KEEP)).await
}

/// Writes a record that must be accepted.
async fn accepted(store: &Store, key: &str, value: &'static str, expected: Option<u64>) -> Result<u64, String> {
    let written = write(store, key, value, expected).await?;
    written.ok_or_else(|| format!("a write with the revision {expected:?} is refused"))
}

async fn refused(store: &Store, key: &str, expected: Option<u64>) -> Result<(), String> {
    match write(store, key, "refused", expected).await? {
        None => Ok(()),
        Some(_) => Err(format!("a write with the revision {expected:?} is accepted")),
    }
}

async fn expect(store: &Store, key: &str, expected: Option<(&'static str, u64)>) -> Result<(), String> {
    let expected = expected.map(|(value, revision)| StoredRecord { value: value.into(), revision });
    let found = within(store.read(key)).await?;
    if found == expected { Ok(()) } else { Err(format!("{found:?} is read, instead of {expected:?}")) }
}

async fn once(store: &Store) -> Result<(), String> {
    let (one, other) = (key(), key());
    expect(store, &one, None).await?;
    let revision = accepted(store, &one, "first", None).await?;
    refused(store, &one, None).await?;
    expect(store, &one, Some(("first", revision))).await?;
    expect(store, &other, None).await
}

async fn revisions(store: &Store) -> Result<(), String> {
    let key = key();
    let first = accepted(store, &key, "first", None).await?;
    let second = accepted(store, &key, "second", Some(first)).await?;
    if first == second {
        return Err("two values have the same revision".to_owned());
    }
    refused(store, &key, Some(first)).await?;
    refused(store, &key, None).await?;
    expect(store, &key, Some(("second", second))).await
}

async fn removal(store: &Store) -> Result<(), String> {
    let key = key();
    let first = accepted(store, &key, "first", None).await?;
    let second = accepted(store, &key, "second", Some(first)).await?;
    within(store.remove(&key, first)).await?;
    expect(store, &key, Some(("second", second))).await?;
    within(store.remove(&key, second)).await?;
    expect(store, &key, None).await?;
    // Nothing is there to remove.
    within(store.remove(&key, second)).await
}

async fn again(store: &Store) -> Result<(), String> {
    let key = key();
    let first = accepted(store, &key, "first", None).await?;
    within(store.remove(&key, first)).await?;
    refused(store, &key, Some(first)).await?;
    let second = accepted(store, &key, "second", None).await?;
    if first == second {
        return Err("two values have the same revision".to_owned());
    }
    expect(store, &key, Some(("second", second))).await
}

async fn race(store: &Store) -> Result<(), String> {
    let key = key();
    let mut writers = tokio::task::JoinSet::new();
    for _ in 0..WRITERS {
        let (store, key) = (Arc::clone(store), key.clone());
        writers.spawn(async move { write(&store, &key, "mine", None).await });
    }
    let mut winners = 0;
    while let Some(written) = writers.join_next().await {
        winners += usize::from(written.map_err(|error| error.to_string())??.is_some());
    }
    if winners == 1 { Ok(()) } else { Err(format!("{winners} of {WRITERS} writers win")) }
}

async fn large(store: &Store) -> Result<(), String> {
    let key = key();
    // Smaller than the largest message of common brokers.
    let value: Bytes = "ü\"\\\u{1}".repeat(10_000).into();
    within(store.write(&key, value.clone(), None, KEEP)).await?;
    let found = within(store.read(&key)).await?.map(|record| record.value);
    if found == Some(value) { Ok(()) } else { Err("another value is read".to_owned()) }
}
