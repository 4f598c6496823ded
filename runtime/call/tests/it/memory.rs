//! The broker inside the program as a transport.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::time::Duration;

use capgen_call::{
    CapabilityContract, Client, Handlers, Manifest, MemoryBroker, PeerTable, Server, Status, Transport,
    TransportSettings, conformance,
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
        let echo = Manifest { agent: "echo".parse().unwrap(), transports, capabilities };
        let peers = PeerTable::new().with_manifest(&echo);
        let client = Client::builder("console").transport(broker.connect()).peers(peers).build().await.unwrap();
        let result = client.call_json("echo", "say", &json!(address)).await;
        assert_eq!((result.status, result.error), (Status::Ok, None), "{address}");
    }
    assert!(server.shutdown(Duration::from_secs(5)).await);
}
