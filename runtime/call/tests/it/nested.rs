//! Calls that handlers make.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use capgen::call::{
    AgentId, CallMode, CallOptions, CapabilityContract, Client, Context, Envelope, Handlers, IncomingContent, Manifest,
    MemoryBroker, PeerTable, Retry, Server, Status, SubscribeOptions, Transport, TransportSettings, header,
};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

fn agent(id: &str) -> Manifest {
    Manifest::new(
        AgentId::new(id).unwrap(),
        vec![TransportSettings::memory(&format!("agents.{id}"))],
        vec![CapabilityContract::new("ask")],
    )
}

async fn client(broker: &MemoryBroker, id: &str, peer: &str) -> Client {
    let peers = PeerTable::new().with_manifest(&agent(peer));
    let client = Client::builder(id).transport(Arc::new(broker.connect())).peers(peers).tenant("own");
    client.build().await.unwrap()
}

/// The options of the calls that a handler makes.
type Options = fn(&Context) -> CallOptions;

/// An agent that asks another one with options, and gives its answer.
async fn relay(broker: &MemoryBroker, id: &'static str, next: &'static str, options: Options) -> Server {
    let client = client(broker, id, next).await;
    let handlers = Handlers::new(id).with_loose("ask", move |context: Context, payload: Value| {
        let client = client.clone();
        async move {
            // The call is made after a pause, so that the context is that of the task and not of the start.
            sleep(Duration::from_millis(1)).await;
            let options = options(&context).timeout(Duration::from_secs(60));
            let result = client.call_json_with(next, "ask", &payload, &options, CallMode::Sync).await;
            Ok(json!(result.status.as_str()))
        }
    });
    Server::builder(handlers).listen(Arc::new(broker.connect()), format!("agents.{id}")).start().await.unwrap()
}

/// The request that arrives at the last agent if the first one calls it through a relay.
async fn through(options: Options, outer: &CallOptions) -> Envelope {
    let broker = MemoryBroker::new();
    let _relay = relay(&broker, "b", "c", options).await;
    let last = broker.connect();
    let mut requests = last.subscribe("agents.c", SubscribeOptions::default()).await.unwrap();
    let client = client(&broker, "a", "b").await;
    let outer = outer.clone();
    tokio::spawn(async move { client.call_json_with("b", "ask", &json!(1), &outer, CallMode::Sync).await });
    let IncomingContent::Message(text) = requests.next().await.unwrap().content else { panic!("a message") };
    Envelope::decode(&text).unwrap()
}

const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

fn outer() -> CallOptions {
    CallOptions::new().timeout(Duration::from_secs(2)).tenant("acme").session("s1").header("traceparent", TRACE)
}

fn timeout(request: &Envelope) -> u64 {
    request.header(header::TIMEOUT).unwrap().parse().unwrap()
}

#[tokio::test(start_paused = true)]
async fn calls_of_a_handler_have_the_properties_of_the_call_that_it_serves() {
    let options: [Options; 2] = [|_| CallOptions::new(), Context::child_options];
    for options in options {
        let request = through(options, &outer()).await;
        assert_eq!((request.tenant(), request.header(header::SESSION)), (Some("acme"), Some("s1")));
        let trace = request.header(header::TRACEPARENT).unwrap();
        assert!(trace.starts_with("00-4bf92f3577b34da6a3ce929d0e0e4736-"), "{trace}");
        assert!(request.caused_by().is_some());
        assert!((1900..=2000).contains(&timeout(&request)), "{}", timeout(&request));
    }
}

#[tokio::test(start_paused = true)]
async fn options_of_a_handler_win() {
    let request = through(|_| CallOptions::new().tenant("other").session("s2").header("x", "y"), &outer()).await;
    assert_eq!((request.tenant(), request.header(header::SESSION)), (Some("other"), Some("s2")));
    assert_eq!(request.header("x"), Some("y"));
    let own = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let request = through(
        |_| CallOptions::new().header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
        &outer(),
    )
    .await;
    assert_eq!(request.header(header::TRACEPARENT).unwrap()[..36], own[..36]);
}

#[tokio::test(start_paused = true)]
async fn a_detached_call_has_nothing_of_the_call_that_the_handler_serves() {
    let request = through(|_| CallOptions::new().detached(), &outer()).await;
    assert_eq!((request.tenant(), request.header(header::SESSION), request.caused_by()), (Some("own"), None, None));
    assert!(!request.header(header::TRACEPARENT).unwrap().contains("4bf92f3577b34da6a3ce929d0e0e4736"));
    assert_eq!(timeout(&request), 60_000);
}

/// A handler that counts how often it is dropped before its end.
struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_cancels_the_calls_that_serve_it() {
    let broker = MemoryBroker::new();
    let _relays = [
        relay(&broker, "b", "c", |_| CallOptions::new()).await,
        relay(&broker, "c", "d", |_| CallOptions::new()).await,
    ];
    let dropped = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&dropped);
    let handlers = Handlers::new("d").with_loose("ask", move |_: Context, _: Value| {
        let unless_ended = Dropped(Arc::clone(&count));
        async move {
            std::future::pending::<()>().await;
            std::mem::forget(unless_ended);
            Ok(Value::Null)
        }
    });
    let last = Server::builder(handlers).listen(Arc::new(broker.connect()), "agents.d").start().await.unwrap();
    let client = client(&broker, "a", "b").await;
    let payload = json!(1);
    let start = Instant::now();
    let call = client.call_json("b", "ask", &payload);
    assert!(tokio::time::timeout(Duration::from_millis(500), call).await.is_err());
    sleep(Duration::from_millis(50)).await;
    assert_eq!((dropped.load(Ordering::SeqCst), last.in_flight()), (1, 0));
    assert!(start.elapsed() < Duration::from_secs(1));
}

/// Handlers that run without a server have a context too.
#[tokio::test(start_paused = true)]
async fn handlers_of_other_protocols_serve_a_call() {
    let broker = MemoryBroker::new();
    let last = broker.connect();
    let mut requests = last.subscribe("agents.c", SubscribeOptions::default()).await.unwrap();
    let client = client(&broker, "b", "c").await;
    let handlers = Handlers::new("b").with_loose("ask", move |_: Context, payload: Value| {
        let client = client.clone();
        async move { Ok(json!(client.call_json("c", "ask", &payload).await.status)) }
    });
    // An id that no message could have.
    for (id, is_cause) in [("m".repeat(200), false), ("m".to_owned(), true)] {
        let context = Context::of_request("a", "ask", &id, None);
        let running = handlers.run(context, Bytes::from_static(b"1")).unwrap();
        let running = tokio::spawn(running);
        let IncomingContent::Message(text) = requests.next().await.unwrap().content else { panic!("a message") };
        let request = Envelope::decode(&text).unwrap();
        assert_eq!(request.caused_by().is_some(), is_cause);
        running.abort();
    }
    assert_eq!(client_status(&broker).await, Status::Ok);
}

/// Outside of a handler, nothing is inherited.
async fn client_status(broker: &MemoryBroker) -> Status {
    let handlers = Handlers::new("e").with_loose("ask", async |context: Context, _: Value| {
        assert_eq!((context.tenant(), context.headers().get(header::SESSION)), (Some("own"), None));
        Ok(Value::Null)
    });
    let _server = Server::builder(handlers).listen(Arc::new(broker.connect()), "agents.e").start().await.unwrap();
    client(broker, "b", "e").await.call_json("e", "ask", &Value::Null).await.status
}

#[tokio::test(start_paused = true)]
async fn a_call_after_the_deadline_of_its_parent_is_too_late_also_without_room() {
    let broker = MemoryBroker::new();
    let last = broker.connect();
    let mut requests = last.subscribe("agents.c", SubscribeOptions::default()).await.unwrap();
    for attempts in [1, 3] {
        let peers = PeerTable::new().with_manifest(&agent("c"));
        let client = Client::builder("b").transport(Arc::new(broker.connect())).peers(peers).max_in_flight(1);
        let client = client.retry(Retry::attempts(attempts)).build().await.unwrap();
        let other = client.clone();
        let waiting = tokio::spawn(async move { other.call_json("c", "ask", &json!(1)).await });
        requests.next().await.unwrap();
        let request = Context::of_request("a", "ask", "m", Some(0));
        let options = request.child_options();
        sleep(Duration::from_millis(1)).await;
        let result = client.call_json_with("c", "ask", &json!(2), &options, CallMode::Sync).await;
        assert_eq!(result.status, Status::Timeout, "{attempts}: {result:?}");
        waiting.abort();
        let _ = waiting.await;
    }
}
