//! The broker inside the program as a transport.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use capgen_call::{
    CallMode, CallOptions, CapabilityContract, Client, Delivery, Handlers, Manifest, MemoryBroker, Outgoing, PeerTable,
    Server, Status, Transport, TransportError, TransportSettings, conformance,
};
use serde_json::json;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_conforms_to_the_suite_of_transports() {
    let broker = MemoryBroker::new();
    let report = conformance::run(&|| {
        let transport: Arc<dyn Transport> = Arc::new(broker.connect());
        Box::pin(async { Ok(transport) })
    })
    .await;
    assert!(report.passed(), "{report}");
}

#[tokio::test]
async fn transports_are_given_as_they_are_or_shared() {
    let broker = MemoryBroker::new();
    let own: Arc<dyn Transport> = Arc::new(broker.connect());
    let handlers = Handlers::new("echo").with_loose("say", async |_, payload| Ok(payload));
    let server = Server::builder(handlers).listen(broker.connect(), "a").listen(Arc::new(broker.connect()), "b");
    let server = server.listen(Arc::clone(&own), "c").start().await.unwrap();

    for address in ["a", "b", "c"] {
        let transports = vec![TransportSettings::memory(address)];
        let capabilities = vec![CapabilityContract::new("say")];
        let echo = Manifest::new("echo".parse().unwrap(), transports, capabilities);
        let peers = PeerTable::new().with_manifest(&echo);
        let client = Client::builder("console").transport(broker.connect()).peers(peers).build().await.unwrap();
        let result = client.call_json("echo", "say", &json!(address)).await;
        assert_eq!((result.status, result.error), (Status::Ok, None), "{address}");
    }
    assert!(server.shutdown(Duration::from_secs(5)).await);
}

/// A server of `echo` and a client that calls it.
async fn echo(broker: &MemoryBroker) -> (Server, Client) {
    let handlers = Handlers::new("echo").with_loose("say", async |_, payload| Ok(payload));
    let server = Server::builder(handlers).listen(broker.connect(), "echo").start().await.unwrap();
    let transports = vec![TransportSettings::memory("echo")];
    let capabilities = vec![CapabilityContract::new("say")];
    let peers = PeerTable::new().with_manifest(&Manifest::new("echo".parse().unwrap(), transports, capabilities));
    let client = Client::builder("console").transport(broker.connect()).peers(peers).build().await.unwrap();
    (server, client)
}

/// A sender hands its message over without a lock, so the end of the subscription has to wait for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_shutdown_loses_no_request_that_is_being_handed_over() {
    for round in 0..100 {
        let broker = MemoryBroker::new();
        let (server, client) = echo(&broker).await;
        let callers: Vec<_> = (0..4)
            .map(|_| {
                let client = client.clone();
                tokio::spawn(async move {
                    loop {
                        if let Some(error) = client.call_json("echo", "say", &json!(1)).await.error {
                            return error.code.to_string();
                        }
                    }
                })
            })
            .collect();
        // Some work is under way, a little more in each round.
        for _ in 0..round {
            tokio::task::yield_now().await;
        }
        assert!(server.shutdown(Duration::from_secs(5)).await);
        for caller in callers {
            assert_eq!(caller.await.unwrap(), "EAGENTRPC_NO_PEER");
        }
    }
}

/// The server serves on its own runtime, whose threads need not be those of its callers.
#[test]
fn callers_of_other_runtimes_are_served() {
    let runtime = || tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let broker = MemoryBroker::new();
    let serving = runtime();
    let (server, client) = serving.block_on(echo(&broker));
    let calling = runtime();
    let result = calling.block_on(client.call_json("echo", "say", &json!(1)));
    assert_eq!((result.status, result.error), (Status::Ok, None));
    // A response that is sent after the caller's runtime has ended is dropped.
    calling.shutdown_background();
    // Without any runtime.
    let sender = broker.connect();
    let mut sent = sender.publish(message("echo", "{}"));
    let mut context = Context::from_waker(Waker::noop());
    assert!(matches!(sent.as_mut().poll(&mut context), Poll::Ready(Ok(()))));
    assert_eq!(server.stats().received, 2);
    assert!(serving.block_on(server.shutdown(Duration::from_secs(5))));
}

fn message(address: &str, payload: &'static str) -> Outgoing {
    let (address, payload) = (address.to_owned(), payload.into());
    Outgoing { address, reply_to: None, payload, delivery: Delivery::AtMostOnce, message_id: String::new() }
}

/// The sender of a message starts the work on it, so it has to learn that a server has no room.
#[tokio::test]
async fn a_server_that_has_no_room_refuses_a_flood() {
    let broker = MemoryBroker::new();
    let handlers = Handlers::new("echo").with_loose("say", async |_, payload| Ok(payload));
    let server = Server::builder(handlers).listen(broker.connect(), "echo").max_concurrent(8).max_waiting(24);
    let server = server.start().await.unwrap();
    let sender = broker.connect();
    let mut taken = 0;
    // The server has no chance to work meanwhile: nothing of this waits.
    let refused = loop {
        match sender.publish(message("echo", "{}")).await {
            Ok(()) => taken += 1,
            Err(error) => break error,
        }
        assert!(taken < 2000, "nothing is refused");
    };
    assert_eq!(refused, TransportError::Overloaded);
    assert!(taken >= 32, "{taken}");
    assert!(server.shutdown(Duration::from_secs(5)).await);
}

#[tokio::test]
async fn a_server_that_was_dropped_starts_no_handler() {
    let broker = MemoryBroker::new();
    let (server, client) = echo(&broker).await;
    let monitor = server.monitor();
    drop(server);
    let options = CallOptions::new().timeout(Duration::from_millis(200));
    let result = client.call_json_with("echo", "say", &json!(1), &options, CallMode::Sync).await;
    assert_ne!(result.status, Status::Ok);
    assert_eq!(monitor.stats().handled, 0);
}
