//! Generated Rust for a contract with declared errors: from a handler to a `match` of the caller.

use capgen_call::{CallError, Client, Context, Failure, MemoryBroker, PeerTable, Server};
use capgen_manifest::{Manifest, load, read_source};

#[path = "../../cases/errors/expected/rust-calls/errors.rs"]
#[allow(dead_code, reason = "the tests call two of the capabilities")]
mod generated;

use generated::{
    BookTripError, BookTripRequest, BookTripResponse, ChangeSeatError, ChangeSeatRequest, Errors, ErrorsClient,
    NoSeatsDetails, OtherDetails, OtherDetailsCard, Seat, errors_handlers,
};

struct Office;

/// An error of the program.
struct Lost;

impl From<Lost> for BookTripError {
    fn from(_: Lost) -> Self {
        Failure::new("LOST", "the trip is lost").into()
    }
}

fn trip(from: &str) -> Result<BookTripResponse, Lost> {
    if from == "lost" { Err(Lost) } else { Ok(BookTripResponse::new(from)) }
}

impl Errors for Office {
    async fn book_trip(&self, _: Context, request: BookTripRequest) -> Result<BookTripResponse, BookTripError> {
        match request.from.as_str() {
            "full" => Err(BookTripError::NoSeats(NoSeatsDetails::new(2).with_next(Seat::new(7)))),
            "sold" => Err(BookTripError::SoldOut),
            "down" => Err(BookTripError::PaymentDown),
            "other" => Err(BookTripError::Other_(OtherDetailsCard::new("1").into())),
            "missing" => Err(Failure::new("NO_SEATS", "no details").into()),
            from => Ok(trip(from)?),
        }
    }

    async fn change_seat(&self, _: Context, _: ChangeSeatRequest) -> Result<serde_json::Value, ChangeSeatError> {
        Err(ChangeSeatError::NoSeats(NoSeatsDetails::new(0)))
    }

    async fn ping(&self, _: Context, request: serde_json::Value) -> Result<serde_json::Value, Failure> {
        Ok(request)
    }
}

fn contract() -> Manifest {
    let path = capgen_tests::folder().join("cases/errors/capabilities.yaml");
    load(&read_source(&path, "capabilities.yaml").unwrap()).unwrap().manifest
}

async fn client() -> (ErrorsClient, Server) {
    let broker = MemoryBroker::new();
    let server = Server::builder(errors_handlers(Office)).listen(broker.connect(), "errors").start().await.unwrap();
    let peers = PeerTable::new().with_manifest(&contract());
    let client = Client::builder("caller").transport(broker.connect()).peers(peers).build().await.unwrap();
    (ErrorsClient::new(client), server)
}

#[tokio::test]
async fn a_caller_matches_on_the_errors_of_the_contract() {
    let (client, _server) = client().await;
    let error = async |from: &str| -> CallError { client.book_trip(&BookTripRequest::new(from)).await.unwrap_err() };
    let full = error("full").await;
    assert_eq!((full.code.as_str(), full.retryable), ("NO_SEATS", false));
    let details = NoSeatsDetails { free: 2, next: Some(Seat::new(7)) };
    assert_eq!(BookTripError::from(full), BookTripError::NoSeats(details));
    assert_eq!(BookTripError::from(error("sold").await), BookTripError::SoldOut);
    let down = error("down").await;
    assert!(down.retryable && BookTripError::from(down) == BookTripError::PaymentDown);
    let other = BookTripError::from(error("other").await);
    assert!(matches!(other, BookTripError::Other_(OtherDetails::Card(card)) if card.card == "1"));
    // Another capability with the code has the same type, and its own rule for retries.
    let full = client.change_seat(&ChangeSeatRequest::new("1")).await.unwrap_err();
    assert!(full.retryable);
    assert_eq!(ChangeSeatError::from(full), ChangeSeatError::NoSeats(NoSeatsDetails::new(0)));
}

#[tokio::test]
async fn other_codes_and_invalid_details_are_the_general_case() {
    let (client, _server) = client().await;
    for (from, code) in [("lost", "LOST"), ("missing", "EAGENTRPC_HANDLER_FAILED")] {
        let error = client.book_trip(&BookTripRequest::new(from)).await.unwrap_err();
        let BookTripError::Other(failure) = BookTripError::from(error) else { panic!("a declared error") };
        assert_eq!(failure.code(), code);
    }
}

#[test]
fn the_descriptor_has_the_errors_of_the_contract() {
    for (capability, descriptor) in contract().capabilities.iter().zip(generated::CAPABILITIES) {
        assert_eq!(capability.errors.len(), descriptor.errors.len());
        for (error, constant) in capability.errors.iter().zip(descriptor.errors) {
            let schema = error.details.as_ref().map(|schema| schema.canonical());
            assert_eq!(
                schema,
                constant.details_schema.map(|text| { capgen_schema::Schema::parse_text(text).unwrap().canonical() })
            );
            let facts = (error.code.as_str(), error.description.as_deref(), error.retryable, error.status);
            assert_eq!(facts, (constant.code, constant.description, constant.retryable, constant.status));
        }
    }
}
