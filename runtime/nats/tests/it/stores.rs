//! Idempotency keys that several instances of an agent share by a stream.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use capgen_call::{
    AgentId, BoxFuture, CallMode, CallOptions, CapabilityContract, Client, Context, Handlers, IdempotencyStore as _,
    InvalidToken, Keys, Manifest, PeerTable, Principal, Server, Status, TokenVerifier, TransportError,
    TransportSettings, conformance,
};
use capgen_nats::{IdempotencyStoreOptions, NatsIdempotencyStore, NatsTransport};
use capgen_testkit::brokers::NatsServer;
use serde_json::{Value, json};

use crate::common::connect;

const ADDRESS: &str = "agents.trips";
const INSTANCES: usize = 3;
/// The number of keys, each of which has that many requests.
const KEYS: usize = 40;

async fn open(transport: &NatsTransport) -> NatsIdempotencyStore {
    NatsIdempotencyStore::open(transport, IdempotencyStoreOptions::new()).await.unwrap()
}

fn peer() -> PeerTable {
    let transports = vec![TransportSettings::nats(&["nats://localhost"], ADDRESS)];
    let capabilities = vec![CapabilityContract::new("book")];
    PeerTable::new().with_manifest(&Manifest::new(AgentId::new("trips").unwrap(), transports, capabilities))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_conforms_to_the_suite_of_stores() {
    let Some(server) = NatsServer::start() else { return };
    let report = conformance::run_store(Arc::new(open(&connect(&server).await).await)).await;
    assert!(report.passed(), "{report}");
    // Further instances find the stream.
    let report = conformance::run_store(Arc::new(open(&connect(&server).await).await)).await;
    assert!(report.passed(), "{report}");
}

/// Accepts every token, as its subject.
struct Everyone;

impl TokenVerifier for Everyone {
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, InvalidToken>> {
        Box::pin(async move { Ok(Principal::new("https://login.example.com", token)) })
    }
}

#[tokio::test]
async fn principals_do_not_get_the_answers_of_each_other() {
    let Some(server) = NatsServer::start() else { return };
    let keys = Keys::signing_with("k1", b"a secret of at least 16 bytes").unwrap();
    let runs = Arc::new(AtomicUsize::new(0));
    let mut instances = Vec::new();
    for _ in 0..INSTANCES {
        let transport = connect(&server).await;
        let (store, runs) = (open(&transport).await, Arc::clone(&runs));
        let handlers = Handlers::new("trips").with_loose("book", move |context: Context, _: Value| {
            runs.fetch_add(1, Ordering::SeqCst);
            async move { Ok(json!(context.principal().map(|principal| principal.subject.clone()))) }
        });
        let server = Server::builder(handlers).listen(transport, ADDRESS).keys(keys.clone()).tokens(Arc::new(Everyone));
        instances.push(server.idempotency_store(Arc::new(store)).start().await.unwrap());
    }
    let client = Client::builder("console").transport(connect(&server).await).peers(peer()).keys(keys);
    let client = client.build().await.unwrap();
    for number in 0..20 {
        let subject = if number % 2 == 0 { "ann" } else { "bob" };
        let options = CallOptions::new().idempotency_key("key").bearer(subject);
        let outcome = client.call_json_with("trips", "book", &json!(1), &options, CallMode::Sync).await;
        assert_eq!(outcome.response, Some(json!(subject)), "{:?}", outcome.error);
    }
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn instances_run_the_requests_of_a_key_once() {
    let Some(server) = NatsServer::start() else { return };
    let runs = Arc::new(Mutex::new(BTreeMap::<String, usize>::new()));
    let mut instances = Vec::new();
    for instance in 0..INSTANCES {
        let transport = connect(&server).await;
        let store = open(&transport).await;
        let runs = Arc::clone(&runs);
        let handlers = Handlers::new("trips").with_loose("book", move |_: Context, payload: Value| {
            *runs.lock().unwrap().entry(payload.to_string()).or_default() += 1;
            async move {
                tokio::time::sleep(Duration::from_millis(5)).await;
                Ok(json!(instance))
            }
        });
        let server = Server::builder(handlers).listen(Arc::new(transport), ADDRESS).idempotency_store(Arc::new(store));
        instances.push(server.start().await.unwrap());
    }
    let client = Client::builder("console").transport(Arc::new(connect(&server).await)).peers(peer());
    let client = client.build().await.unwrap();
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..KEYS * INSTANCES {
        let client = client.clone();
        calls.spawn(async move {
            let key = number % KEYS;
            let options = CallOptions::new().idempotency_key(format!("key {key}"));
            let outcome = client.call_json_with("trips", "book", &json!(key), &options, CallMode::Sync).await;
            assert_eq!(outcome.status, Status::Ok, "{outcome:?}");
            (key, format!("{:?}", outcome.response))
        });
    }
    let mut answers: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    while let Some(call) = calls.join_next().await {
        let (key, answer) = call.unwrap();
        answers.entry(key).or_default().push(answer);
    }
    for (key, answers) in &answers {
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{key}: {answers:?}");
    }
    let runs = runs.lock().unwrap().clone();
    assert_eq!(runs.len(), KEYS);
    assert!(runs.values().all(|count| *count == 1), "{runs:?}");
    for instance in instances {
        instance.shutdown(Duration::ZERO).await;
    }
}

#[tokio::test]
async fn a_store_that_cannot_keep_answers_refuses_them_first() {
    let Some(server) = NatsServer::start() else { return };
    let transport = connect(&server).await;
    let options = IdempotencyStoreOptions::new().max_age(Duration::from_secs(60));
    let store = NatsIdempotencyStore::open(&transport, options).await.unwrap();
    let minute = Duration::from_secs(60);
    assert!(store.write("a", "1".into(), None, minute).await.unwrap().is_some());
    let error = store.write("b", "1".into(), None, minute + minute).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the store of idempotency keys failed: an answer has to be kept for 120s, but the stream \"CAPGEN_KEYS\" \
         removes records after 60s"
    );
}

#[tokio::test]
async fn streams_that_cannot_be_a_store_are_refused() {
    let Some(server) = NatsServer::start() else { return };
    let transport = connect(&server).await;
    let missing = NatsIdempotencyStore::open(&transport, IdempotencyStoreOptions::existing()).await;
    let Err(TransportError::Refused(reason)) = missing else { panic!("{missing:?}") };
    assert!(reason.contains("\"CAPGEN_KEYS\" does not exist: create it"), "{reason}");
    open(&transport).await;
    let other = IdempotencyStoreOptions::existing().prefix("other.keys");
    let Err(TransportError::Refused(reason)) = NatsIdempotencyStore::open(&transport, other).await else { panic!() };
    assert!(reason.contains("\"other.keys.*\"") && reason.contains("max_msgs_per_subject"), "{reason}");
    let invalid = IdempotencyStoreOptions::new().prefix("a..b");
    assert!(matches!(NatsIdempotencyStore::open(&transport, invalid).await, Err(TransportError::Unsupported(_))));
}

#[tokio::test]
async fn a_stream_of_all_subjects_below_the_prefix_is_a_store() {
    let Some(server) = NatsServer::start() else { return };
    let client = async_nats::connect(server.url()).await.unwrap();
    let config = async_nats::jetstream::stream::Config {
        name: "CAPGEN_KEYS".to_owned(),
        subjects: vec!["capgen.keys.>".to_owned()],
        max_messages_per_subject: 1,
        ..Default::default()
    };
    async_nats::jetstream::new(client).create_stream(config).await.unwrap();
    let transport = connect(&server).await;
    let store = NatsIdempotencyStore::open(&transport, IdempotencyStoreOptions::existing()).await.unwrap();
    let report = conformance::run_store(Arc::new(store)).await;
    assert!(report.passed(), "{report}");
}

#[tokio::test]
async fn a_store_fails_at_once_without_its_server() {
    let Some(mut server) = NatsServer::start() else { return };
    let transport = connect(&server).await;
    let store = open(&transport).await;
    server.kill();
    let start = std::time::Instant::now();
    crate::common::wait_for(&transport, capgen_call::Health::Reconnecting).await;
    assert!(store.read("a").await.unwrap_err().to_string().contains("the connection"));
    assert!(start.elapsed() < crate::common::LONG);
}
