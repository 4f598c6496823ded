//! Instances of one agent with several contracts, as during a deployment.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use capgen::call::{
    BoxFuture, CallMode, CallOptions, CallResult, CapabilityContract, Client, ClientBuilder, Handlers, Health,
    Manifest, MemoryBroker, MemoryTransport, Outgoing, PeerTable, Retry, Server, Skew, Status, SubscribeOptions,
    Subscription, Transport, TransportError, TransportSettings,
};
use capgen_manifest::AgentId;
use capgen_schema::Schema;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::fixture::ADDRESS;

/// A contract of `book` whose requests have some optional properties and no others, and whose responses have a length.
fn contract(version: &str, properties: &[&str], longest: usize) -> CapabilityContract {
    let properties: Value = properties.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
    let input = json!({"type": "object", "properties": properties, "additionalProperties": false});
    let output = json!({"type": "string", "maxLength": longest});
    CapabilityContract {
        version: Some(version.parse().unwrap()),
        input: Some(Schema::parse_text(&input.to_string()).unwrap()),
        output: Some(Schema::parse_text(&output.to_string()).unwrap()),
        ..CapabilityContract::new("book")
    }
}

/// Instances of one agent, and the handlers that they started.
struct Instances {
    broker: MemoryBroker,
    _servers: Vec<Server>,
    runs: Arc<AtomicU32>,
}

impl Instances {
    async fn start(contracts: &[CapabilityContract], answer: &'static str) -> Self {
        let (broker, runs) = (MemoryBroker::new(), Arc::new(AtomicU32::new(0)));
        let mut servers = Vec::new();
        for contract in contracts {
            let count = Arc::clone(&runs);
            let handlers = Handlers::new("trips").with_json(contract, move |_, _| {
                count.fetch_add(1, Ordering::SeqCst);
                async move { Ok(json!(answer)) }
            });
            let server = Server::builder(handlers).listen(Arc::new(broker.connect()), ADDRESS);
            servers.push(server.start().await.unwrap());
        }
        Self { broker, _servers: servers, runs }
    }

    async fn client(
        &self,
        contract: &CapabilityContract,
        build: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Client {
        let manifest = Manifest::new(
            AgentId::new("trips").unwrap(),
            vec![TransportSettings::memory(ADDRESS)],
            vec![contract.clone()],
        );
        let builder = Client::builder("desk").transport(Arc::new(self.broker.connect()));
        build(builder.peers(PeerTable::new().with_manifest(&manifest))).build().await.unwrap()
    }

    fn runs(&self) -> u32 {
        self.runs.load(Ordering::SeqCst)
    }

    /// The number of messages that the instances received.
    fn received(&self) -> u64 {
        self._servers.iter().map(|server| server.stats().received).sum()
    }
}

async fn call(client: &Client, payload: Value) -> CallResult {
    let options = CallOptions::new().timeout(Duration::from_secs(10));
    client.call_json_with("trips", "book", &payload, &options, CallMode::Sync).await
}

fn code(result: &CallResult) -> Option<&str> {
    result.error.as_ref().map(|error| &*error.code)
}

#[tokio::test(start_paused = true)]
async fn a_request_finds_the_instance_that_serves_its_contract() {
    let (old, new) = (contract("1.0.0", &["to"], 9), contract("1.1.0", &["to", "note"], 9));
    let instances = Instances::start(&[old.clone(), old.clone(), new.clone()], "booked").await;
    let client = instances.client(&new, |client| client).await;
    for _ in 0..60 {
        let start = Instant::now();
        let result = call(&client, json!({"note": "a window"})).await;
        assert_eq!(result.status, Status::Ok, "{result:?}");
        // No pause: the first further attempt goes to the instance with this contract.
        assert_eq!(start.elapsed(), Duration::ZERO);
    }
    assert_eq!(instances.runs(), 60);
    // Old callers, and new ones that do not use the property, are served by every instance.
    let before = instances.received();
    for caller in [&old, &new] {
        let client = instances.client(caller, |client| client).await;
        for _ in 0..30 {
            assert_eq!(call(&client, json!({"to": "Rome"})).await.status, Status::Ok);
        }
    }
    assert_eq!((instances.received() - before, instances.runs()), (60, 120));
}

#[tokio::test]
async fn many_calls_without_retries_have_a_budget_for_other_instances() {
    let (old, new) = (contract("1.0.0", &["to"], 9), contract("1.1.0", &["to", "note"], 9));
    let instances = Instances::start(&[old.clone(), new.clone()], "booked").await;
    let client = instances.client(&new, |client| client).await;
    let mut failed = 0;
    // One call in five uses the property, and half of these reach the old instance first.
    for number in 0..2000 {
        let payload = if number % 5 == 0 { json!({"note": "a window"}) } else { json!({"to": "Rome"}) };
        failed += u32::from(call(&client, payload).await.status != Status::Ok);
    }
    assert_eq!((failed, instances.runs()), (0, 2000));
}

#[tokio::test(start_paused = true)]
async fn while_instances_differ_many_calls_go_first_to_those_with_the_contract_of_the_caller() {
    let (old, new) = (contract("1.0.0", &["to"], 9), contract("1.1.0", &["to", "note"], 9));
    for attempts in [1, 3] {
        let mut instances = Instances::start(&[old.clone(), old.clone(), new.clone()], "booked").await;
        let client = instances.client(&new, |client| client.retry(Retry::attempts(attempts))).await;
        // More than the budget of further attempts allows: 20 seconds with 100 calls each.
        for number in 0..2000 {
            let result = call(&client, json!({"note": "a window"})).await;
            assert_eq!(result.status, Status::Ok, "{number}: {result:?}");
            tokio::time::advance(Duration::from_millis(10)).await;
        }
        assert_eq!(instances.runs(), 2000);
        assert!(instances.received() < 2010, "{} messages", instances.received());
        // Without this instance, a call that all can read is served at once.
        let _ = instances._servers.pop().unwrap().shutdown(Duration::from_secs(1)).await;
        let start = Instant::now();
        assert_eq!(call(&client, json!({"to": "Rome"})).await.status, Status::Ok);
        assert_eq!(start.elapsed(), Duration::ZERO);
    }
}

#[tokio::test(start_paused = true)]
async fn without_such_an_instance_there_are_at_most_four_more_attempts() {
    let (old, new) = (contract("1.0.0", &["to"], 9), contract("1.1.0", &["to", "note"], 9));
    let instances = Instances::start(&[old.clone(), old], "booked").await;
    let client = instances.client(&new, |client| client).await;
    let start = Instant::now();
    let result = call(&client, json!({"note": "a window"})).await;
    assert_eq!((code(&result), instances.received(), instances.runs()), (Some("EVERSION_SKEW"), 5, 0));
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    let skew = result.error.unwrap().skew.unwrap();
    assert_eq!((skew.caller_version.as_deref(), skew.provider_version.as_deref()), (Some("1.1.0"), Some("1.0.0")));
    // Within the deadline, and only if the client may.
    let options = CallOptions::new().timeout(Duration::from_millis(20));
    let start = Instant::now();
    let result = client.call_json_with("trips", "book", &json!({"note": "x"}), &options, CallMode::Sync).await;
    assert_eq!(code(&result), Some("EVERSION_SKEW"));
    assert!(start.elapsed() <= Duration::from_millis(20));
    let before = instances.received();
    let client = instances.client(&new, |client| client.try_other_instances(false)).await;
    assert_eq!(code(&call(&client, json!({"note": "x"})).await), Some("EVERSION_SKEW"));
    assert_eq!(instances.received(), before + 1);
}

#[tokio::test(start_paused = true)]
async fn another_new_instance_is_found_by_chance() {
    // An instance with a third contract accepts the request too.
    let (old, new) = (contract("1.0.0", &["to"], 9), contract("1.2.0", &["to", "note", "seat"], 9));
    let instances = Instances::start(&[old, new], "booked").await;
    let client = instances.client(&contract("1.1.0", &["to", "note"], 9), |client| client).await;
    let mut served = 0;
    for _ in 0..40 {
        served += u32::from(call(&client, json!({"note": "a window"})).await.status == Status::Ok);
    }
    // Each of five attempts finds it in half of the cases.
    assert!(served >= 30, "{served}");
    assert_eq!(instances.runs(), served);
}

#[tokio::test(start_paused = true)]
async fn an_unreadable_response_is_replaced_only_if_the_call_can_be_repeated() {
    let repeatable = |contract: CapabilityContract| CapabilityContract { idempotent: Some(true), ..contract };
    for is_repeatable in [false, true] {
        let [old, new] = [contract("1.0.0", &[], 3), contract("2.0.0", &[], 9)]
            .map(|contract| if is_repeatable { repeatable(contract) } else { contract });
        let (broker, runs) = (MemoryBroker::new(), Arc::new(AtomicU32::new(0)));
        let mut servers = Vec::new();
        for (contract, answer) in [(&old, "yes"), (&new, "perhaps")] {
            let count = Arc::clone(&runs);
            let handlers = Handlers::new("trips").with_json(contract, move |_, _| {
                count.fetch_add(1, Ordering::SeqCst);
                async move { Ok(json!(answer)) }
            });
            let server = Server::builder(handlers).listen(Arc::new(broker.connect()), ADDRESS);
            servers.push(server.start().await.unwrap());
        }
        let instances = Instances { broker, _servers: servers, runs };
        let client = instances.client(&old, |client| client).await;
        let mut unreadable = 0;
        for _ in 0..40 {
            let result = call(&client, json!({})).await;
            if result.status != Status::Ok {
                unreadable += 1;
                let error = result.error.unwrap();
                assert_eq!((result.status, &*error.code), (Status::SchemaViolation, "EAGENTRPC_SCHEMA_VIOLATION"));
                let message = "the provider has version 2.0.0, your contract is 1.0.0: the response violates its schema: 1 violation";
                assert_eq!(error.message, message);
                assert_eq!(error.skew.unwrap().reason.as_deref(), Some("response"));
                assert_eq!(result.response, Some(json!("perhaps")));
            }
        }
        assert_eq!(unreadable > 0, !is_repeatable, "{unreadable}");
        assert_eq!(instances.runs() > 40, is_repeatable);
    }
}

#[tokio::test]
async fn clients_and_calls_ask_for_a_policy() {
    let (old, new) = (contract("1.0.0", &[], 3), contract("2.0.0", &[], 9));
    let instances = Instances::start(std::slice::from_ref(&new), "yes").await;
    for (client, options, expected) in [
        (Skew::Serve, None, None),
        (Skew::Refuse, None, Some("EVERSION_SKEW")),
        (Skew::Strict, Some(Skew::Serve), None),
        (Skew::Serve, Some(Skew::Refuse), Some("EVERSION_SKEW")),
    ] {
        let client = instances.client(&old, |built| built.skew(client).try_other_instances(false)).await;
        let options = options.map_or_else(CallOptions::new, |policy| CallOptions::new().skew(policy));
        let result = client.call_json_with("trips", "book", &json!({}), &options, CallMode::Sync).await;
        assert_eq!(code(&result), expected, "{result:?}");
    }
}

/// A client whose attempts go to instances in the order of a script, and the addresses of the attempts. Requests to an
/// instance that is gone are lost.
struct Route {
    inner: MemoryTransport,
    script: Vec<&'static str>,
    sent: Arc<Mutex<Vec<String>>>,
}

impl Transport for Route {
    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    fn publish(&self, mut message: Outgoing) -> BoxFuture<'_, Result<(), TransportError>> {
        let mut sent = self.sent.lock().unwrap();
        if message.address == ADDRESS {
            message.address = (*self.script.get(sent.len()).unwrap_or(&"gone")).to_owned();
        }
        sent.push(message.address.clone());
        if message.address == "gone" {
            return Box::pin(async { Ok(()) });
        }
        self.inner.publish(message)
    }

    fn subscribe(
        &self,
        address: &str,
        options: SubscribeOptions,
    ) -> BoxFuture<'_, Result<Subscription, TransportError>> {
        self.inner.subscribe(address, options)
    }

    fn new_inbox(&self) -> String {
        self.inner.new_inbox()
    }

    fn max_message(&self) -> usize {
        self.inner.max_message()
    }

    fn health(&self) -> Health {
        self.inner.health()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.inner.close()
    }
}

/// The status of a call whose attempts have a script, and the addresses to which they were sent. The instance `old`
/// refuses the request, and `new` serves it after 3.5 s.
async fn scripted(script: &[&'static str], retry: Retry) -> (Status, Vec<String>) {
    let idempotent = |contract| CapabilityContract { idempotent: Some(true), ..contract };
    let (old, new) = (contract("1.0.0", &["to"], 9), contract("1.2.0", &["to", "note", "seat"], 9));
    let broker = MemoryBroker::new();
    let mut servers = Vec::new();
    for (address, contract) in [("old", idempotent(old)), ("new", idempotent(new))] {
        let handlers = Handlers::new("trips").with_json(&contract, async |_, _| {
            tokio::time::sleep(Duration::from_millis(3500)).await;
            Ok(json!("booked"))
        });
        servers.push(Server::builder(handlers).listen(broker.connect(), address).start().await.unwrap());
    }
    let manifest = Manifest::new(
        AgentId::new("trips").unwrap(),
        vec![TransportSettings::memory(ADDRESS)],
        vec![idempotent(contract("1.1.0", &["to", "note"], 9))],
    );
    let sent = Arc::new(Mutex::new(Vec::new()));
    let route = Route { inner: broker.connect(), script: script.to_vec(), sent: Arc::clone(&sent) };
    let peers = PeerTable::new().with_manifest(&manifest);
    let client = Client::builder("desk").transport(Arc::new(route)).peers(peers).retry(retry).build().await.unwrap();
    let result = call(&client, json!({"note": "a window"})).await;
    let sent = sent.lock().unwrap().iter().map(|address| address.split('.').next().unwrap().to_owned()).collect();
    (result.status, sent)
}

#[tokio::test(start_paused = true)]
async fn after_a_refusal_lost_attempts_are_repeated_and_others_still_count() {
    let timed = |attempts| {
        let retry = Retry::attempts(attempts).backoff(Duration::ZERO, Duration::ZERO);
        retry.attempt_timeout(Duration::from_secs(4))
    };
    // The next instance is killed; the attempt after that is served. `agents` is the address of the caller's contract.
    let (status, sent) = scripted(&["old", "", "gone", "new"], timed(3)).await;
    assert_eq!((status, sent), (Status::Ok, ["old", "agents", "gone", "new"].map(str::to_owned).to_vec()));
    // A request that is lost is repeated; the repetition is refused, and another instance serves the call.
    let (status, sent) = scripted(&["gone", "old", "", "new"], timed(3)).await;
    assert_eq!((status, sent), (Status::Ok, ["gone", "old", "agents", "new"].map(str::to_owned).to_vec()));
    // The first instance is only slow: its answer counts, although all others refuse the request.
    let hedged = Retry::attempts(2).backoff(Duration::ZERO, Duration::ZERO).hedge(Duration::from_secs(1));
    let (status, sent) = scripted(&["new", "old", "", "old", "old", "old", "old"], hedged).await;
    assert_eq!((status, sent.len()), (Status::Ok, 7), "{sent:?}");
}
