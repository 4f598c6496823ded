//! Calls over NATS: cancels and heartbeats, and instances of a provider that end.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use capgen_call::{
    AgentId, CallMode, CallOptions, CapabilityContract, Client, Context, Handlers, IncomingContent, Manifest,
    PeerTable, Retry, Server, Status, SubscribeOptions, Transport as _, TransportSettings, header,
};
use capgen_nats::{NatsOptions, NatsTransport};
use capgen_testkit::brokers::{NatsServer, Proxy};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::common::{LONG, connect, eventually, options, soon, text};

const ADDRESS: &str = "agents.trips";

/// The numbers of handlers that started, ended and were dropped.
#[derive(Clone, Default)]
struct Runs {
    started: Arc<AtomicUsize>,
    ended: Arc<AtomicUsize>,
    dropped: Arc<AtomicUsize>,
}

struct Unless(Arc<AtomicUsize>);

impl Drop for Unless {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Runs {
    fn get(&self) -> [usize; 3] {
        [&self.started, &self.ended, &self.dropped].map(|count| count.load(Ordering::SeqCst))
    }

    /// Handlers that take as many ms as the request asks for.
    fn handlers(&self) -> Handlers {
        let runs = self.clone();
        Handlers::new("trips").with_loose("book", move |_: Context, payload: Value| {
            runs.started.fetch_add(1, Ordering::SeqCst);
            let (ended, unless_ended) = (Arc::clone(&runs.ended), Unless(Arc::clone(&runs.dropped)));
            async move {
                sleep(Duration::from_millis(payload.as_u64().unwrap_or(0))).await;
                std::mem::forget(unless_ended);
                ended.fetch_add(1, Ordering::SeqCst);
                Ok(payload)
            }
        })
    }

    async fn serve(&self, transport: NatsTransport) -> Server {
        Server::builder(self.handlers()).listen(Arc::new(transport), ADDRESS).start().await.unwrap()
    }
}

async fn client(transport: NatsTransport, retry: Retry) -> Client {
    let mut contract = CapabilityContract::new("book");
    contract.idempotent = Some(true);
    let trips = AgentId::new("trips").unwrap();
    let transports = vec![TransportSettings::nats(&["nats://localhost"], ADDRESS)];
    let manifest = Manifest::new(trips, transports, vec![contract]);
    let peers = PeerTable::new().with_manifest(&manifest);
    Client::builder("caller").transport(Arc::new(transport)).peers(peers).retry(retry).build().await.unwrap()
}

fn within(timeout: Duration) -> CallOptions {
    CallOptions::new().timeout(timeout)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_is_dropped_ends_its_handler_in_any_instance() {
    let Some(server) = NatsServer::start() else { return };
    let runs = Runs::default();
    let _instances = [runs.serve(connect(&server).await).await, runs.serve(connect(&server).await).await];
    let client = client(connect(&server).await, Retry::default()).await;
    for number in 1..=8 {
        let payload = json!(10_000);
        let call = client.call_json("trips", "book", &payload);
        assert!(tokio::time::timeout(Duration::from_millis(100), call).await.is_err());
        let start = Instant::now();
        while runs.get() != [number, 0, number] {
            assert!(start.elapsed() < LONG, "{:?}", runs.get());
            sleep(Duration::from_millis(1)).await;
        }
        // It takes some ms; the limit is for machines that are busy.
        assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_may_only_receive_requests_works_without_cancels() {
    let configuration = r#"
        authorization {
            users: [
                { user: provider, password: s3cret, permissions: { publish: "_INBOX.>", subscribe: ["_INBOX.>", "agents.trips"] } },
                { user: caller, password: s3cret }
            ]
        }"#;
    let Some(server) = NatsServer::start_with(configuration) else { return };
    let connect = async |user: &str| {
        let url = format!("nats://{user}:s3cret@127.0.0.1:{}", server.port());
        NatsTransport::connect(NatsOptions::new([url])).await.unwrap()
    };
    let runs = Runs::default();
    let _provider = runs.serve(connect("provider").await).await;
    let transport = connect("caller").await;
    let inbox = transport.new_inbox();
    let mut replies = transport.subscribe(&format!("{inbox}.*"), SubscribeOptions::default()).await.unwrap();
    let request = json!({
        "version": 1, "kind": "request", "messageId": "m", "correlationId": "c", "from": "agent://caller",
        "to": "agent://trips", "capability": "book", "replyTo": format!("nats://{inbox}.1"), "payload": 1,
    });
    transport.publish(crate::common::message(ADDRESS, request.to_string())).await.unwrap();
    let response: Value = serde_json::from_str(&text(&soon(&mut replies).await.unwrap())).unwrap();
    assert_eq!(response["headers"][header::FEATURES], "heartbeat");
    let client = client(transport, Retry::attempts(2)).await;
    let payload = json!(300);
    let call = client.call_json("trips", "book", &payload);
    assert!(tokio::time::timeout(Duration::from_millis(100), call).await.is_err());
    eventually("the handler goes on", || runs.get() == [2, 2, 0]).await;
    assert_eq!(client.call_json("trips", "book", &json!(1)).await.status, Status::Ok);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_to_an_instance_that_is_killed_are_sent_to_another_one() {
    let Some(server) = NatsServer::start() else { return };
    let proxy = Proxy::start(server.port());
    let [killed, lives] = [Runs::default(), Runs::default()];
    let link = NatsTransport::connect(NatsOptions::new([proxy.url()])).await.unwrap();
    let instance = killed.serve(link).await;
    let _other = lives.serve(connect(&server).await).await;
    let retry = Retry::attempts(4).heartbeat(Duration::from_millis(250));
    let client = client(connect(&server).await, retry).await;
    // The responses make the heartbeats known.
    assert_eq!(client.call_json("trips", "book", &json!(1)).await.status, Status::Ok);
    let calls: Vec<_> = (0..100)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move {
                let options = within(Duration::from_secs(15));
                client.call_json_with("trips", "book", &json!(1500), &options, CallMode::Sync).await
            })
        })
        .collect();
    eventually("all handlers run", || killed.get()[0] + lives.get()[0] >= 101).await;
    let lost = killed.get()[0] - killed.get()[1];
    assert!(lost > 10, "{lost}");
    // The process ends: nothing that it does arrives.
    proxy.refuse(true);
    proxy.cut();
    drop(instance);
    for call in calls {
        let result = call.await.unwrap();
        assert_eq!(result.status, Status::Ok, "{:?}", result.error);
    }
    // Each request ran once in an instance that lived until its end.
    let done = lives.get()[1] + killed.get()[1];
    assert_eq!((lives.get()[0], done), (lives.get()[1], 101));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heartbeats_show_that_a_slow_provider_works() {
    let Some(server) = NatsServer::start() else { return };
    let runs = Runs::default();
    let _provider = runs.serve(connect(&server).await).await;
    let retry = Retry::attempts(4).heartbeat(Duration::from_millis(250));
    let client = client(connect(&server).await, retry).await;
    for payload in [json!(1), json!(2500)] {
        let result = client.call_json_with("trips", "book", &payload, &within(LONG), CallMode::Sync).await;
        assert_eq!(result.status, Status::Ok, "{:?}", result.error);
    }
    assert_eq!((runs.get(), client.unexpected_responses()), ([2, 2, 0], 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broker_that_restarts_loses_no_call_with_retries() {
    let Some(mut server) = NatsServer::start() else { return };
    let runs = Runs::default();
    let _provider = runs.serve(connect(&server).await).await;
    let retry = Retry::attempts(100).backoff(Duration::from_millis(50), Duration::from_millis(200));
    let retry = retry.heartbeat(Duration::from_millis(250));
    let client = client(NatsTransport::connect(options(&server)).await.unwrap(), retry).await;
    let next = Arc::new(AtomicUsize::new(0));
    let callers: Vec<_> = (0..20)
        .map(|_| {
            let (client, next) = (client.clone(), Arc::clone(&next));
            tokio::spawn(async move {
                let (mut failed, payload, options) = (Vec::new(), json!(5), within(LONG));
                while next.fetch_add(1, Ordering::SeqCst) < 2000 {
                    let result = client.call_json_with("trips", "book", &payload, &options, CallMode::Sync).await;
                    if result.status != Status::Ok {
                        failed.push(result.error);
                    }
                }
                failed
            })
        })
        .collect();
    eventually("calls are made", || runs.get()[1] > 200).await;
    tokio::task::block_in_place(|| {
        server.kill();
        server.restart();
    });
    for caller in callers {
        assert_eq!(caller.await.unwrap(), []);
    }
    // A request whose response was lost is answered by its first run.
    assert_eq!(runs.get(), [2000, 2000, 0]);
}

#[tokio::test]
async fn control_messages_reach_all_instances_and_requests_one() {
    let Some(server) = NatsServer::start() else { return };
    let runs = Runs::default();
    let _instances = [runs.serve(connect(&server).await).await, runs.serve(connect(&server).await).await];
    let spy = connect(&server).await;
    let mut control = spy.subscribe(&format!("{ADDRESS}.control"), SubscribeOptions::default()).await.unwrap();
    let client = client(connect(&server).await, Retry::default()).await;
    let payload = json!(5000);
    let call = client.call_json("trips", "book", &payload);
    assert!(tokio::time::timeout(Duration::from_millis(100), call).await.is_err());
    let incoming = soon(&mut control).await.unwrap();
    let IncomingContent::Message(message) = &incoming.content else { panic!("a message") };
    let message: Value = serde_json::from_slice(message).unwrap();
    assert_eq!((&message["kind"], &message["payload"]), (&json!("control"), &json!({"reason": "abandoned"})));
    assert_eq!(incoming.reply_to, None);
    eventually("the handler is dropped", || runs.get() == [1, 0, 1]).await;
}
