//! Callers that are served although some responses may be invalid for them.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use capgen::call::{
    BoxFuture, CallOptions, CallResult, Client, Handlers, Health, MemoryBroker, MemoryTransport, Outgoing, PeerTable,
    Retry, Server, ServerBuilder, SkewDetails, Status, SubscribeOptions, Subscription, Transport, TransportError,
};
use capgen_manifest::{AgentId, Capability, Manifest, TransportSettings};
use capgen_schema::Schema;
use serde_json::json;

use crate::fixture::raw::{Raw, code};

fn capability(version: &str, output: &str) -> Capability {
    let schema = |text: &str| Some(Schema::parse_text(text).unwrap());
    let version = Some(version.parse().unwrap());
    Capability { version, input: schema("{}"), output: schema(output), ..Capability::new("search") }
}

async fn client(broker: &MemoryBroker, contract: &Capability, retry: Retry) -> Client {
    client_by(Arc::new(broker.connect()), contract, retry).await
}

async fn client_by(transport: Arc<dyn Transport>, contract: &Capability, retry: Retry) -> Client {
    let manifest = Manifest::new(
        AgentId::new("index").unwrap(),
        vec![TransportSettings::memory("index.requests")],
        vec![contract.clone()],
    );
    let peers = PeerTable::new().with_manifest(&manifest);
    Client::builder("desk").transport(transport).peers(peers).retry(retry).build().await.unwrap()
}

async fn server(broker: &MemoryBroker, contract: &Capability) -> Server {
    let handlers = Handlers::new("index").with_json(contract, async |_, payload| Ok(payload));
    Server::builder(handlers).listen(broker.connect(), "index.requests").start().await.unwrap()
}

/// Calls until the result has the contracts, or until there were many.
async fn noticed(client: &Client) -> Option<SkewDetails> {
    for _ in 0..500 {
        let result: CallResult = client.call_json("index", "search", &json!("a")).await;
        assert_eq!(result.status, Status::Ok, "{result:?}");
        if result.skew.is_some() {
            return result.skew;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    None
}

#[tokio::test]
async fn a_caller_learns_that_responses_may_be_invalid_while_it_is_served() {
    let (old, new) = (capability("1.0.0", r#"{"maxLength": 1}"#), capability("2.0.0", "{}"));
    for retry in [Retry::default(), Retry::attempts(3)] {
        let broker = MemoryBroker::new();
        let server = server(&broker, &new).await;
        let client = client(&broker, &old, retry).await;
        let calls_before = server.stats().received;
        let skew = noticed(&client).await.expect("the contracts");
        let calls = server.stats().received - calls_before;
        assert_eq!(skew.reason.as_deref(), Some("response"));
        assert_eq!((skew.caller_version.as_deref(), skew.provider_version.as_deref()), (Some("1.0.0"), Some("2.0.0")));
        assert_eq!(skew.caller_contract, Some(old.hash().to_string()));
        assert_eq!(skew.provider_contract, Some(new.hash().to_string()));
        // Nothing was sent twice, and all were handled.
        assert_eq!(server.stats().handled, calls);
    }
}

/// A transport that does not take the first messages with a contract.
struct Cut {
    inner: MemoryTransport,
    rest: AtomicUsize,
}

impl Transport for Cut {
    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    fn publish(&self, message: Outgoing) -> BoxFuture<'_, Result<(), TransportError>> {
        let has_contract = String::from_utf8_lossy(&message.payload).contains("capgen-descriptor");
        let count = |rest: usize| rest.checked_sub(1).filter(|_| has_contract);
        if self.rest.fetch_update(Ordering::SeqCst, Ordering::SeqCst, count).is_ok() {
            return Box::pin(async { Err(TransportError::Disconnected("cut".to_owned())) });
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

#[tokio::test]
async fn a_contract_whose_request_is_not_sent_is_sent_later() {
    // The requests of an idempotent capability are sent again if they are lost.
    let idempotent = |version, output| Capability { idempotent: Some(true), ..capability(version, output) };
    let (old, new) = (idempotent("1.0.0", r#"{"maxLength": 1}"#), idempotent("2.0.0", "{}"));
    for retry in [Retry::default(), Retry::attempts(3)] {
        let broker = MemoryBroker::new();
        let _server = server(&broker, &new).await;
        let cut = Arc::new(Cut { inner: broker.connect(), rest: AtomicUsize::new(2) });
        let client = client_by(cut.clone(), &old, retry).await;
        let mut skew = None;
        for _ in 0..500 {
            let result: CallResult = client.call_json("index", "search", &json!("a")).await;
            // Without retries, the calls with the lost requests fail.
            assert!(result.status == Status::Ok || retry == Retry::default(), "{result:?}");
            skew = result.skew;
            if skew.is_some() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(skew.is_some() && cut.rest.load(Ordering::SeqCst) == 0);
    }
}

#[tokio::test]
async fn a_caller_that_can_read_all_responses_gets_no_note() {
    let (old, new) = (capability("1.0.0", "{}"), capability("1.1.0", r#"{"type": "string"}"#));
    let mut raw = raw(&new, |server| server).await;
    assert_eq!(headers(&mut raw, &old, "1", None).await["capgen-needs"], "descriptor");
    let descriptor = serde_json::to_string(&old.to_descriptor(None)).unwrap();
    headers(&mut raw, &old, "2", Some(&descriptor)).await;
    for number in 3..20 {
        let headers = headers(&mut raw, &old, &number.to_string(), None).await;
        assert!(headers.get("capgen-needs").is_none() && headers.get("capgen-skew").is_none(), "{headers}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn raw(contract: &Capability, server: impl FnOnce(ServerBuilder) -> ServerBuilder) -> Raw {
    Raw::with_handlers(Handlers::new("echo").with_json(contract, async |_, payload| Ok(payload)), server).await
}

/// The headers of the response to a request of a caller with a contract.
async fn headers(raw: &mut Raw, contract: &Capability, id: &str, descriptor: Option<&str>) -> serde_json::Value {
    let mut request = raw.request(id);
    (request["capability"], request["payload"]) = (json!("search"), json!("a"));
    request["headers"] = json!({"capgen-contract": contract.hash().to_string()});
    if let Some(descriptor) = descriptor {
        request["headers"]["capgen-descriptor"] = json!(descriptor);
    }
    raw.send(request.to_string()).await;
    let response = raw.patient_response().await;
    assert_eq!(code(&response), "ok", "{response}");
    response["headers"].clone()
}

#[tokio::test]
async fn a_provider_that_knows_the_contract_of_the_caller_does_not_ask_for_it() {
    let (old, new) = (capability("1.0.0", r#"{"maxLength": 1}"#), capability("2.0.0", "{}"));
    let mut raw = raw(&new, |server| server.known_contract(&old)).await;
    for number in 0..500 {
        let headers = headers(&mut raw, &old, &number.to_string(), None).await;
        assert!(headers.get("capgen-needs").is_none(), "{headers}");
        if let Some(skew) = headers.get("capgen-skew") {
            let skew: serde_json::Value = serde_json::from_str(skew.as_str().unwrap()).unwrap();
            assert_eq!((&skew["reason"], &skew["served"]), (&json!("response"), &json!(["2.0.0"])));
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("no note");
}

#[tokio::test]
async fn a_contract_is_not_asked_for_if_it_could_not_be_read_or_does_not_matter() {
    let old = capability("1.0.0", r#"{"maxLength": 1}"#);
    let small = |server: ServerBuilder| server.max_message(100_000);
    let mut with_small_messages = raw(&capability("2.0.0", "{}"), small).await;
    let headers_of_small = headers(&mut with_small_messages, &old, "1", None).await;
    assert!(headers_of_small.get("capgen-needs").is_none(), "{headers_of_small}");
    let loose = Capability { output: None, ..capability("2.0.0", "{}") };
    let mut without_schema = raw(&loose, |server| server).await;
    assert!(headers(&mut without_schema, &old, "1", None).await.get("capgen-needs").is_none());
}

#[tokio::test]
async fn a_contract_is_sent_once_and_only_if_the_request_has_room_for_it() {
    let (old, new) = (capability("1.0.0", r#"{"maxLength": 1}"#), capability("2.0.0", "{}"));
    let broker = MemoryBroker::new();
    let descriptors = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = std::sync::Arc::clone(&descriptors);
    let handlers = Handlers::new("index").with_json(&new, move |context: capgen::call::Context, _| {
        seen.lock().unwrap().push(context.headers().contains_key("capgen-descriptor"));
        async { Ok(json!("a")) }
    });
    let _server = Server::builder(handlers).listen(broker.connect(), "index.requests").start().await.unwrap();
    let client = client(&broker, &old, Retry::default()).await;
    let large = json!("x".repeat(600_000));
    for payload in [json!("a"), large, json!("b"), json!("c")] {
        let options = CallOptions::new();
        let mode = capgen::call::CallMode::Sync;
        let result = client.call_json_with("index", "search", &payload, &options, mode).await;
        assert_eq!(result.status, Status::Ok, "{result:?}");
    }
    assert_eq!(*descriptors.lock().unwrap(), [false, false, true, false]);
}
