//! A provider that remembers invocations in a file (decision 22).
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::path::Path;
use std::sync::Arc;

use capgen_amp::body::Body;
use capgen_amp::carrier::run::{Execute, Runner};
use capgen_amp::carrier::{BoxFuture, Handled, Proved, Service as _};
use capgen_amp::message::MessageType;
use capgen_amp::policy::Policy;
use capgen_amp::provider::{CacheLimits, HandlerOutcome, Provider, Record, RequestId, Start, State, Store};
use capgen_amp::store::SqliteStore;
use tempfile::TempDir;

use crate::carriers::agents::{Behaviour, code, invoke, message};
use crate::support::{self, catalogue, did, invocation, key, keys};

/// A time before that of every message.
const EARLY: u64 = 1_000;

fn provider() -> (Provider, State) {
    let provider = Provider::new(did("provider"), key("provider"), Arc::new(keys()), Policy::from_json("{}").unwrap());
    (provider, State::new(catalogue(&["org.agentries.code-review:1.0.0"]), CacheLimits::default()))
}

fn open(path: &Path) -> SqliteStore {
    SqliteStore::open_or_create(path, &did("provider"), EARLY).unwrap()
}

/// A provider with the memory of a file, as a new process starts it.
fn runner(store: impl Store + 'static) -> (Runner, Arc<Behaviour>) {
    let behaviour = Arc::new(Behaviour::default());
    let (provider, state) = provider();
    let execute = Arc::clone(&behaviour) as Arc<dyn Execute>;
    (Runner::with_store(provider, state, execute, Box::new(store)).unwrap(), behaviour)
}

async fn answer(runner: &Runner, message: &bytes::Bytes) -> bytes::Bytes {
    match runner.handle(message.clone(), None, Proved::channel().0).await {
        Handled::Answer(answer) => answer,
        handled => panic!("{handled:?}"),
    }
}

fn retry(answer: &[u8]) -> Option<bool> {
    match support::body(&support::read(answer)) {
        Body::Error(error) => error.retry,
        body => panic!("{body:?}"),
    }
}

#[tokio::test]
async fn decision_22_results_survive_a_restart() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("provider.db");
    let request = invoke("review");
    let first = {
        let (runner, behaviour) = runner(open(&path));
        let first = answer(&runner, &request).await;
        assert_eq!((code(&first, &request), behaviour.total()), (0, 1));
        first
    };
    let (runner, behaviour) = runner(open(&path));
    assert_eq!(answer(&runner, &request).await, first, "the same answer, byte for byte");
    let other = invoke("review");
    assert_eq!(code(&answer(&runner, &other).await, &other), 0);
    assert_eq!(behaviour.total(), 1, "the first invocation has not run again");
}

#[tokio::test]
async fn decision_22_an_invocation_that_a_restart_interrupted_does_not_run_again() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("provider.db");
    let request = invoke("wait");
    {
        let (runner, behaviour) = runner(open(&path));
        let waiting = tokio::spawn({
            let (runner, request) = (runner.clone(), request.clone());
            async move { runner.handle(request, None, Proved::channel().0).await }
        });
        while behaviour.total() == 0 {
            tokio::task::yield_now().await;
        }
        waiting.abort();
        // The handler holds the file as long as it runs.
        behaviour.gate.send_replace(true);
        while runner.running() > 0 {
            tokio::task::yield_now().await;
        }
    }
    // As if the process had ended before the result.
    let killed = rusqlite::Connection::open(&path).unwrap();
    killed.execute("DELETE FROM results", []).unwrap();
    drop(killed);
    let (runner, behaviour) = runner(open(&path));
    let refused = answer(&runner, &request).await;
    assert_eq!((code(&refused, &request), retry(&refused), behaviour.total()), (5002, Some(false), 0));
}

#[tokio::test]
async fn decision_22_a_new_store_does_not_know_what_ran_before() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("provider.db");
    let request = invoke("review");
    let future = support::NOW * 2;
    let store = SqliteStore::open_or_create(&path, &did("provider"), future).unwrap();
    let (runner, _) = runner(store);
    let refused = answer(&runner, &request).await;
    assert_eq!(code(&refused, &request), 1003);
}

#[tokio::test]
async fn decision_22_without_a_store_a_replay_from_before_the_start_is_refused() {
    let request = invoke("review");
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    let (runner, behaviour) = crate::carriers::agents::runner();
    let refused = answer(&runner, &request).await;
    assert_eq!((code(&refused, &request), behaviour.total()), (1003, 0));
    let again = invoke("review");
    assert_eq!(code(&answer(&runner, &again).await, &again), 0);
}

#[test]
fn one_process_and_one_provider_use_a_file() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("provider.db");
    let store = open(&path);
    let second = SqliteStore::open_or_create(&path, &did("provider"), EARLY).unwrap_err();
    assert_eq!(second.to_string(), "another process locks the file");
    drop(store);
    let other = SqliteStore::open_or_create(&path, &did("alice"), EARLY).unwrap_err();
    let expected = "the file cannot be used: it belongs to the provider `did:web:example.com:provider`";
    assert_eq!(other.to_string(), expected);
    drop(open(&path));
    std::fs::write(folder.path().join("text"), "this is not a database, although it is long enough for a header")
        .unwrap();
    assert!(SqliteStore::open_or_create(&folder.path().join("text"), &did("provider"), EARLY).is_err());
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_the_results() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TempDir::new().unwrap();
    let _store = open(&folder.path().join("provider.db"));
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let file = file.unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o077, 0, "{:?}", file.path());
    }
}

#[test]
fn a_file_has_the_facts_that_have_not_expired() {
    let folder = TempDir::new().unwrap();
    let mut store = open(&folder.path().join("provider.db"));
    let id = |number: u8| RequestId::from_bytes(&[number; 32]);
    let accepted = |number: u8, expires| Record::Accepted { request: id(number), hash: [number; 32], ttl: 7, expires };
    let answered = |number: u8, expires| Record::Answered {
        request: id(number),
        hash: [number; 32],
        answer: vec![number; 3].into(),
        expires,
    };
    let read = |store: &mut SqliteStore, now| {
        let mut found = Vec::new();
        store.read(now, &mut |record| found.push(record)).unwrap();
        found
    };
    let all = [accepted(1, 100), accepted(2, 200), accepted(3, 300), answered(1, 90), answered(2, 200)];
    store.write(&all, 50).unwrap();
    assert_eq!(read(&mut store, 90), all);
    assert_eq!(read(&mut store, 150), [accepted(2, 200), accepted(3, 300), answered(2, 200)]);
    store.write(&[Record::Dropped { request: id(2) }, Record::Withdrawn { request: id(3) }], 50).unwrap();
    assert_eq!(read(&mut store, 0), [accepted(1, 100), accepted(2, 200), answered(1, 90)]);
    // A later write also deletes expired facts.
    store.write(&[accepted(4, 400)], 150).unwrap();
    assert_eq!(read(&mut store, 0), [accepted(2, 200), accepted(4, 400)]);
}

/// A store whose disk is full while a flag is set.
struct Full(Arc<std::sync::atomic::AtomicBool>);

impl Store for Full {
    fn write(&mut self, _: &[Record], _: u64) -> Result<(), String> {
        if self.0.load(std::sync::atomic::Ordering::SeqCst) { Err("the disk is full".to_owned()) } else { Ok(()) }
    }

    fn read(&mut self, _: u64, _: &mut dyn FnMut(Record)) -> Result<(), String> {
        Ok(())
    }

    fn since(&self) -> u64 {
        EARLY
    }
}

/// Collects the reports about the store.
struct Reports(std::sync::Mutex<Vec<String>>);

impl Execute for Reports {
    fn execute(&self, _: Start) -> BoxFuture<'static, HandlerOutcome> {
        Box::pin(async { support::success(&serde_json::json!({"issues": 0})) })
    }

    fn store_failed(&self, reason: &str) {
        self.0.lock().unwrap().push(reason.to_owned());
    }
}

#[tokio::test]
async fn an_invocation_that_cannot_be_stored_does_not_run() {
    let is_full = Arc::new(std::sync::atomic::AtomicBool::new(true));
    let reports = Arc::new(Reports(std::sync::Mutex::default()));
    let (provider, state) = provider();
    let execute = Arc::clone(&reports) as Arc<dyn Execute>;
    let runner = Runner::with_store(provider, state, execute, Box::new(Full(Arc::clone(&is_full)))).unwrap();
    let request: bytes::Bytes = message(MessageType::CapInvoke, invocation()).sign(&key("alice")).into();
    let refused = answer(&runner, &request).await;
    assert_eq!((code(&refused, &request), retry(&refused), runner.running()), (5002, Some(true), 0));
    is_full.store(false, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(code(&answer(&runner, &request).await, &request), 0, "it may be tried again");
    assert!(!reports.0.lock().unwrap().is_empty());
}
