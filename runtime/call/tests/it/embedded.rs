//! The table of peers that the program contains.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use capgen::call::{
    CapabilityContract, Client, EmbeddedFleet, Handlers, Keys, MemoryBroker, PeerTable, Server, Status,
};
use serde_json::json;

const FLEET: EmbeddedFleet = capgen::include_fleet!("tests/embedded-fleet");
const WITH_PEERS: EmbeddedFleet = capgen::include_fleet!("tests/embedded-fleet", "tests/embedded-fleet/rpc-peers.yaml");

#[test]
fn the_peers_of_a_file_are_embedded_too() {
    let table = PeerTable::new().with_embedded(&FLEET).unwrap();
    assert!(table.has("index") && !table.has("other"));
    let table = PeerTable::new().with_embedded(&WITH_PEERS).unwrap();
    assert!(table.has("index") && table.has("other"));
}

#[tokio::test]
async fn keys_and_grants_of_the_fleet_are_embedded_too() {
    let peers = PeerTable::new().with_embedded(&FLEET).unwrap();
    let keys = Keys::signing_with("k", b"a secret of at least 16 bytes").unwrap().and_fleet(&peers).unwrap();
    assert_eq!(format!("{keys:?}"), r#"Keys { ids: ["k"], agents: {"desk": ["d1"]} }"#);
    let mut contract = CapabilityContract::new("search");
    contract.required_roles = vec!["clerk".to_owned()];
    let handlers = Handlers::new("index").with_json(&contract, async |_, payload| Ok(payload));
    let built = Server::builder(handlers).listen(MemoryBroker::new().connect(), "index.requests");
    assert!(built.fleet(&peers).start().await.is_ok(), "the grants decide");
}

#[tokio::test]
async fn embedded_peers_are_called_and_their_contracts_are_checked() {
    let broker = MemoryBroker::new();
    let handlers = Handlers::new("index").with_loose("search", async |_, payload| Ok(payload));
    let server = Server::builder(handlers).listen(broker.connect(), "index.requests").start().await.unwrap();
    let peers = PeerTable::new().with_embedded(&FLEET).unwrap();
    let client = Client::builder("desk").transport(broker.connect()).peers(peers).build().await.unwrap();
    assert_eq!(client.call_json("index", "search", &json!("a")).await.status, Status::Ok);
    let invalid = client.call_json("index", "search", &json!("")).await;
    assert_eq!((invalid.status, server.stats().received), (Status::SchemaViolation, 1));
}

#[test]
fn the_program_contains_neither_the_paths_of_the_files_nor_their_credentials() {
    let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    // Written backwards, so that the program does not contain them because of this test.
    let contains = |backwards: &str| {
        let text: String = backwards.chars().rev().collect();
        memchr::memmem::find(&program, text.as_bytes()).is_some()
    };
    assert!(contains("stseuqer.xedni"), "the address");
    assert!(!contains("teelf-deddebme"), "the path");
    assert!(!contains("laitned3rc"), "the credentials");
}
