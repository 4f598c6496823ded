//! Claims of idempotency keys in a store, which all instances of an agent use.
//!
//! A record of the store is either a claim, while a request runs, or its answer. A claim is renewed while its instance
//! is alive; another instance that sees one without a new revision for [`LEASE`] takes it over. No clocks of different
//! machines are compared.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use capgen_descriptor::OwnedDescriptor;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use super::idempotency::Key;
use super::respond::Answer;
use crate::id::Id;
use crate::idempotency_store::{IdempotencyStore, StoreError, StoredRecord};
use crate::outcome::code;

/// How long a claim lasts that is not renewed: three renewals, so that a lost one does not matter.
const LEASE: Duration = Duration::from_secs(3);
/// How often a claim is renewed. A request that ends sooner writes its claim and its answer, and nothing else.
const RENEWAL: Duration = Duration::from_secs(1);
/// The attempts to write an answer: without it, a duplicate would run the request again.
const WRITES: usize = 3;
/// The pause between looks at the claim of another instance, whose answer a caller waits for, and between attempts to
/// write.
const LOOK: Duration = Duration::from_millis(50);

/// A record of the store.
#[derive(Serialize, Deserialize)]
struct Record {
    /// The hash of the payload, in hexadecimal.
    payload: String,
    /// The id of the claim.
    owner: String,
    /// The answer; absent while the request runs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    answer: Option<StoredAnswer>,
}

/// An answer in a record.
#[derive(Clone, Serialize, Deserialize)]
struct StoredAnswer {
    /// The JSON of the response or of the error.
    text: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    code: Option<String>,
    /// The hash of the contract by which the request was read; empty if there is none.
    contract: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    version: Option<String>,
}

/// The part of a request in its key, among all instances.
pub(super) enum Claimed {
    /// This instance runs the request.
    First(Running),
    /// Another instance has answered it.
    Answered(Answer),
    /// The key was used with another payload.
    Conflict,
}

/// A claim of this instance, which a task renews until there is an answer. Without one, the task removes the record.
pub(super) struct Running {
    answer: oneshot::Sender<StoredAnswer>,
    task: JoinHandle<()>,
}

/// A claim in the store.
struct Claim {
    store: Arc<dyn IdempotencyStore>,
    key: String,
    payload: String,
    owner: String,
    /// How long the answer is kept.
    keep: Duration,
    /// The revision of the record; `None` if another instance took it over, or it is an answer.
    revision: Option<u64>,
    /// Whether the last write failed: it may have succeeded anyway, with a revision that is not known.
    is_uncertain: bool,
}

/// Claims a key, whose answer will be kept for some time, or waits for the answer of the instance that has claimed it.
/// Only the caller bounds the time.
pub(super) async fn claim(
    store: &Arc<dyn IdempotencyStore>,
    key: &Key,
    payload: &Bytes,
    keep: Duration,
) -> Result<Claimed, StoreError> {
    let (key, payload) = (key.to_string(), capgen_schema::Hash::of(payload).to_string());
    let owner = Id::random().as_str().to_owned();
    let value = Record { payload: payload.clone(), owner: owner.clone(), answer: None }.written()?;
    let mut seen: Option<(u64, Instant)> = None;
    let mut expected = None;
    loop {
        if let Some(revision) = store.write(&key, value.clone(), expected, keep.max(LEASE)).await? {
            let store = Arc::clone(store);
            let claim = Claim { store, key, payload, owner, keep, revision: Some(revision), is_uncertain: false };
            let (answer, answered) = oneshot::channel();
            return Ok(Claimed::First(Running { answer, task: tokio::spawn(claim.hold(answered)) }));
        }
        expected = loop {
            let Some(StoredRecord { value, revision }) = store.read(&key).await? else { break None };
            let record = Record::read(&value)?;
            if record.payload != payload {
                return Ok(Claimed::Conflict);
            }
            if let Some(answer) = record.answer {
                return Ok(Claimed::Answered(answer.into()));
            }
            match seen {
                Some((known, since)) if known == revision && since.elapsed() >= LEASE => break Some(revision),
                Some((known, _)) if known == revision => {}
                _ => seen = Some((revision, Instant::now())),
            }
            sleep(LOOK).await;
        };
    }
}

impl Running {
    /// Stores the answer, also if this future is dropped.
    pub(super) async fn answer(self, answer: Answer, contract: Option<Arc<OwnedDescriptor>>) {
        let stored = StoredAnswer {
            text: String::from_utf8_lossy(&answer.payload).into_owned(),
            code: answer.code,
            contract: contract.as_ref().map(|contract| contract.hash.clone()).unwrap_or_default(),
            version: contract.and_then(|contract| contract.version.clone()),
        };
        // An error means that the program ends.
        if self.answer.send(stored).is_ok() {
            let _ = self.task.await;
        }
    }
}

impl Claim {
    /// Renews the claim until there is an answer, and stores that. No write is dropped once it has started: its effect
    /// would not be known.
    async fn hold(mut self, mut answered: oneshot::Receiver<StoredAnswer>) {
        loop {
            match timeout(RENEWAL, &mut answered).await {
                // A store that fails for a while may be back before the claim ends.
                Err(_) => drop(self.write(None).await),
                Ok(Ok(answer)) => return self.answer(&answer).await,
                Ok(Err(_)) => return self.remove().await,
            }
        }
    }

    async fn answer(mut self, answer: &StoredAnswer) {
        let Err(error) = self.write_patiently(answer).await else { return };
        tracing::warn!(%error, "an answer is not stored");
        // The others must not run the request again because its answer is too large for the store.
        let unkept = Answer::error(code::HANDLER_FAILED, "the request ran before, and its answer could not be kept");
        let text = String::from_utf8_lossy(&unkept.payload).into_owned();
        let instead = StoredAnswer { text, code: unkept.code, ..answer.clone() };
        if let Err(error) = self.write_patiently(&instead).await {
            tracing::warn!(%error, "another instance may run a request again");
        }
    }

    async fn write_patiently(&mut self, answer: &StoredAnswer) -> Result<(), StoreError> {
        let mut result = self.write(Some(answer)).await;
        for _ in 1..WRITES {
            if result.is_err() {
                sleep(LOOK).await;
                result = self.write(Some(answer)).await;
            }
        }
        result
    }

    /// Replaces the record, if it is still the own one, and has no answer.
    async fn write(&mut self, answer: Option<&StoredAnswer>) -> Result<(), StoreError> {
        if std::mem::replace(&mut self.is_uncertain, true) {
            self.revision = self.own_revision().await?;
        }
        let keep = if answer.is_some() { self.keep } else { self.keep.max(LEASE) };
        let record = Record { payload: self.payload.clone(), owner: self.owner.clone(), answer: answer.cloned() };
        let value = record.written()?;
        for _ in 0..WRITES {
            let Some(revision) = self.revision else { break };
            let written = self.store.write(&self.key, value.clone(), Some(revision), keep).await?;
            let is_written = written.is_some();
            // An earlier write that seemed to fail may take effect this late. Then the record is still the own one.
            self.revision = if is_written { written } else { self.own_revision().await? };
            if is_written {
                break;
            }
        }
        self.is_uncertain = false;
        Ok(())
    }

    /// The revision of the record, if it is the own claim still.
    async fn own_revision(&self) -> Result<Option<u64>, StoreError> {
        let Some(StoredRecord { value, revision }) = self.store.read(&self.key).await? else { return Ok(None) };
        let record = Record::read(&value)?;
        Ok((record.owner == self.owner && record.answer.is_none()).then_some(revision))
    }

    async fn remove(self) {
        let Some(revision) = self.revision else { return };
        if let Err(error) = self.store.remove(&self.key, revision).await {
            tracing::warn!(%error, "a claim is not removed before its lease ends");
        }
    }
}

impl From<StoredAnswer> for Answer {
    fn from(stored: StoredAnswer) -> Self {
        let StoredAnswer { text, code, contract, version } = stored;
        let mut descriptor = OwnedDescriptor::default();
        (descriptor.hash, descriptor.version) = (contract, version);
        let contract = (!descriptor.hash.is_empty()).then(|| Arc::new(descriptor));
        let mut answer = Answer::ok(text.into()).of_contract(contract.as_ref());
        answer.code = code;
        answer
    }
}

impl Record {
    fn read(value: &[u8]) -> Result<Self, StoreError> {
        serde_json::from_slice(value).map_err(|error| StoreError(format!("the record of a key is invalid: {error}")))
    }

    fn written(&self) -> Result<Bytes, StoreError> {
        serde_json::to_vec(self).map(Bytes::from).map_err(|error| StoreError(error.to_string()))
    }
}
