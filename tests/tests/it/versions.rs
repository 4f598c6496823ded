//! Generated Rust for a contract with several versions of a capability, as a program uses it.

use capgen::call::{Client, Handlers, MemoryBroker, PeerTable, Server};
use capgen::{Capability, TransportSettings};

#[path = "../../cases/versions/expected/rust/versions.rs"]
mod trips;

use trips::{BookTrip, BookTripV1_4, book_trip_v1_4, book_trip_v2};

#[test]
fn each_version_has_its_contract_and_all_have_one_name() {
    let descriptors = [&BookTrip::DESCRIPTOR, &BookTripV1_4::DESCRIPTOR, &trips::BookTripV1_3::DESCRIPTOR];
    assert_eq!(descriptors.map(|descriptor| descriptor.name), ["book-trip"; 3]);
    assert_eq!(descriptors.map(|descriptor| descriptor.version), [Some("2.1.0"), Some("1.4.0"), Some("1.3.0")]);
    assert_eq!(book_trip_v1_4::BookTrip::NAME, "book-trip");
    // The module of a version has its types under the names that they would have without the others.
    let booked: book_trip_v1_4::BookTripResponse = serde_json::from_str(r#"{"id": 1}"#).unwrap();
    let of_two: book_trip_v2::BookTripResponse = serde_json::from_str(r#"{"id": "T"}"#).unwrap();
    assert_eq!((booked.id, of_two.id), (1, "T".to_owned()));
}

#[tokio::test]
async fn callers_of_two_versions_reach_their_handlers() {
    let broker = MemoryBroker::new();
    let handlers = Handlers::new(trips::AGENT)
        .with::<BookTrip, _, _>(async |_, _| Ok(serde_json::from_str(r#"{"id": "T"}"#).unwrap()))
        .with::<BookTripV1_4, _, _>(async |_, _| Ok(serde_json::from_str(r#"{"id": 1}"#).unwrap()));
    let transport = std::sync::Arc::new(broker.connect());
    let _server = Server::builder(handlers).listen(transport, "versions").start().await.unwrap();
    let agent = capgen_manifest::AgentId::new(trips::AGENT).unwrap();
    let peers = PeerTable::new().with_transports(&agent, vec![TransportSettings::memory("versions")]);
    let client = Client::builder("console").peers(peers).transport(broker.connect()).build().await.unwrap();
    let cents = serde_json::from_str(r#"{"priceCents": 100}"#).unwrap();
    assert_eq!(client.call::<BookTrip>(&cents).await.unwrap().id, "T");
    let dollars = serde_json::from_str(r#"{"price": 1}"#).unwrap();
    assert_eq!(client.call::<BookTripV1_4>(&dollars).await.unwrap().id, 1);
}
