//! One agent fills its shares of a server; the calls of others go on as before. Each agent has a key of its own. The
//! units of each share are tested beside it, in `runtime/call`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use capgen_call::{
    AgentId, AgentKey, CallMode, CallOptions, CallResult, CapabilityContract, Client, Context, Handlers, Keys,
    Manifest, MemoryBroker, PeerTable, Server, Transport, TransportSettings,
};
use capgen_testkit::brokers::NatsServer;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::common::connect;

/// The address of requests.
const ADDRESS: &str = "agents.echo";
const AGENTS: [&str; 3] = ["flood", "alice", "bob"];
/// The handlers that run and the requests that wait, of a caller that is alone. There is one more place for handlers of
/// others: the smallest number with which there is one.
const RUNNING: usize = 4;
const WAITING: usize = 12;
/// The bytes of a large response. A server keeps 64 MiB of responses of a caller that is alone.
const LARGE: usize = 900_000;
const KEPT: usize = 64 << 20;

/// A server, and the state of its handlers.
struct Fixture {
    server: Server,
    started: Arc<AtomicUsize>,
    /// Ends handlers that wait.
    end: Arc<Semaphore>,
}

fn key(agent: &str) -> AgentKey {
    let mut seed = [1; 32];
    seed.iter_mut().zip(agent.bytes()).for_each(|(to, from)| *to = from);
    AgentKey::from_seed(agent, "a1", &seed).unwrap()
}

/// The keys of an agent, and the public keys of others.
fn keys(agent: &str, others: &[&str]) -> Keys {
    others.iter().fold(Keys::of_agent(key(agent)), |keys, other| keys.and_agent(key(other).public_key()).unwrap())
}

impl Fixture {
    async fn start(transport: Arc<dyn Transport>) -> Self {
        let (started, end) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
        let (count, permits) = (Arc::clone(&started), Arc::clone(&end));
        let handlers = Handlers::new("echo").with_loose("say", move |_: Context, payload: Value| {
            count.fetch_add(1, Ordering::SeqCst);
            let permits = Arc::clone(&permits);
            async move {
                if payload["waits"] == true {
                    permits.acquire().await.unwrap().forget();
                }
                Ok(json!("x".repeat(payload["size"].as_u64().unwrap_or(1).try_into().unwrap())))
            }
        });
        let server = Server::builder(handlers).listen(transport, ADDRESS).keys(keys("echo", &AGENTS));
        let server = server.max_concurrent(RUNNING).max_waiting(WAITING).start().await.unwrap();
        Self { server, started, end }
    }

    fn started(&self) -> usize {
        self.started.load(Ordering::SeqCst)
    }
}

/// A client of an agent with its own key.
async fn client(agent: &str, transport: Arc<dyn Transport>) -> Client {
    let transports = match transport.kind() {
        "memory" => vec![TransportSettings::memory(ADDRESS)],
        _ => vec![TransportSettings::nats(&["nats://localhost"], ADDRESS)],
    };
    let capabilities = vec![CapabilityContract::new("say")];
    let manifest = Manifest::new(AgentId::new("echo").unwrap(), transports, capabilities);
    let client = Client::builder(agent).transport(transport).peers(PeerTable::new().with_manifest(&manifest));
    client.keys(keys(agent, &["echo"])).build().await.unwrap()
}

/// A call that has ten minutes: none of these tests ends because one of its calls is too late.
async fn call(client: Client, payload: Value, key: Option<String>) -> CallResult {
    let options = CallOptions::new().timeout(Duration::from_secs(600));
    let options = key.into_iter().fold(options, CallOptions::idempotency_key);
    client.call_json_with("echo", "say", &payload, &options, CallMode::Sync).await
}

fn code(result: &CallResult) -> &str {
    result.error.as_ref().map_or("ok", |error| &error.code)
}

/// The calls of the other two agents, some of them with keys.
async fn others_are_served(clients: &[Client; 3], fixture: &Fixture) {
    for (agent, client) in AGENTS.iter().zip(clients).skip(1) {
        let before = fixture.started();
        for number in 0..5 {
            assert_eq!(code(&call(client.clone(), json!({"size": 10}), None).await), "ok", "{agent}");
            let key = format!("{agent}-{before}-{number}");
            // The repetition gets the answer that is kept.
            for _ in 0..2 {
                let result = call(client.clone(), json!({"size": 20}), Some(key.clone())).await;
                assert_eq!(code(&result), "ok", "{agent}");
                assert_eq!(result.response, Some(json!("x".repeat(20))), "{agent}");
            }
        }
        assert_eq!(fixture.started() - before, 10, "{agent}");
    }
}

/// A server that knows the keys of the agents, and their clients.
async fn start([server, flood, alice, bob]: [Arc<dyn Transport>; 4]) -> (Fixture, [Client; 3]) {
    let clients = [client("flood", flood).await, client("alice", alice).await, client("bob", bob).await];
    (Fixture::start(server).await, clients)
}

/// The flood fills the places of handlers and of requests that wait.
async fn places_are_fair(connections: [Arc<dyn Transport>; 4]) {
    let (fixture, clients) = start(connections).await;
    let mut waiting = JoinSet::new();
    for _ in 0..40 {
        waiting.spawn(call(clients[0].clone(), json!({"waits": true}), None));
    }
    // The rest of them is refused at once, and these wait.
    for _ in 0..40 - RUNNING - WAITING {
        assert_eq!(code(&waiting.join_next().await.unwrap().unwrap()), "EAGENTRPC_BUSY");
    }
    others_are_served(&clients, &fixture).await;
    fixture.end.add_permits(40);
    while let Some(result) = waiting.join_next().await {
        assert_eq!(code(&result.unwrap()), "ok", "nothing of the flood is lost");
    }
    assert!(fixture.server.shutdown(Duration::from_secs(10)).await);
}

/// The flood fills the memory for the answers to its idempotency keys.
async fn memory_is_fair(connections: [Arc<dyn Transport>; 4]) {
    let (fixture, clients) = start(connections).await;
    let large = |number| call(clients[0].clone(), json!({"size": LARGE}), Some(format!("flood-{number}")));
    let mut kept = 0;
    while code(&large(kept).await) == "ok" {
        kept += 1;
        assert!(kept * LARGE < KEPT + 2 * LARGE, "the share has no end");
    }
    assert_eq!(code(&large(kept).await), "EAGENTRPC_BUSY");
    others_are_served(&clients, &fixture).await;
    // The answers of the flood are still there.
    let before = fixture.started();
    assert_eq!(code(&large(0).await), "ok");
    assert_eq!(fixture.started(), before);
    assert!(fixture.server.shutdown(Duration::from_secs(10)).await);
}

fn over_memory() -> [Arc<dyn Transport>; 4] {
    let broker = MemoryBroker::new();
    [(); 4].map(|()| Arc::new(broker.connect()) as Arc<dyn Transport>)
}

async fn over_nats(server: &NatsServer) -> [Arc<dyn Transport>; 4] {
    let mut connections: Vec<Arc<dyn Transport>> = Vec::new();
    for _ in 0..4 {
        connections.push(Arc::new(connect(server).await));
    }
    connections.try_into().ok().unwrap()
}

#[tokio::test]
async fn an_agent_that_fills_its_places_takes_nothing_from_others() {
    places_are_fair(over_memory()).await;
    let Some(server) = NatsServer::start() else { return };
    places_are_fair(over_nats(&server).await).await;
}

#[tokio::test]
#[ignore = "takes more than a minute"]
async fn complete_an_agent_that_fills_its_memory_for_answers_takes_nothing_from_others() {
    memory_is_fair(over_memory()).await;
    let Some(server) = NatsServer::start() else { return };
    memory_is_fair(over_nats(&server).await).await;
}
