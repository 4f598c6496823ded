//! Declared errors over a broker: from a handler to a `match` of the caller.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use capgen::call::{
    AuditRecord, CallError, CallMode, CallOptions, Client, Context, Failure, Handlers, MemoryAudit, MemoryBroker,
    PeerTable, Server, Side,
};
use capgen::{Capability, CapabilityError, Checked};
use capgen_manifest::{AgentId, Manifest, TransportSettings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Book a trip.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Capability)]
#[capability(response = String, errors = BookError)]
struct Book {
    case: String,
}

#[derive(Debug, CapabilityError)]
enum BookError {
    /// Too few seats are free.
    ///
    /// Ask for fewer.
    #[capability(status = 409)]
    NoSeats(NoSeats),
    #[capability(retryable)]
    Closed,
    #[capability(other)]
    Other(Failure),
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct NoSeats {
    #[schemars(range(max = 9))]
    free: u32,
}

/// The same capability as an older caller knows it.
#[derive(Debug, Serialize, Deserialize, JsonSchema, Capability)]
#[capability(name = "book", response = String, errors = OldError)]
struct OldBook {
    case: String,
}

#[derive(Debug, CapabilityError)]
enum OldError {
    NoSeats(OldSeats),
    #[capability(other)]
    Other(Failure),
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct OldSeats {
    left: u32,
}

capgen::agent! {
    trait Trips = "trips", handlers trips_handlers, client TripsClient {
        fn book(Book), errors BookError;
    }
}

struct Office;

/// An error of the program.
struct Full(u32);

impl From<Full> for BookError {
    fn from(Full(free): Full) -> Self {
        Self::NoSeats(NoSeats { free })
    }
}

fn seats(case: &str) -> Result<Checked<String>, Full> {
    if case == "ok" { Ok(Checked("booked".to_owned())) } else { Err(Full(case.parse().unwrap_or(0))) }
}

impl Trips for Office {
    async fn book(&self, _: Context, request: Book) -> Result<Checked<String>, BookError> {
        match request.case.as_str() {
            "closed" => Err(BookError::Closed),
            "undeclared" => Err(Failure::new("LOST", "gone").with_details(&json!({"secret": 1})).into()),
            "missing" => Err(Failure::new("NO_SEATS", "none").into()),
            case => Ok(seats(case)?),
        }
    }
}

const ADDRESS: &str = "agents.trips.requests";

struct Fixture {
    client: Client,
    server: Server,
    audit: Arc<MemoryAudit>,
}

async fn fixture() -> Fixture {
    let (broker, audit) = (MemoryBroker::new(), Arc::new(MemoryAudit::default()));
    let server = Server::builder(trips_handlers(Office)).audit(audit.clone()).listen(broker.connect(), ADDRESS);
    let trips = AgentId::new("trips").unwrap();
    let manifest = Manifest::new(
        trips.clone(),
        vec![TransportSettings::memory(ADDRESS)],
        vec![capgen_manifest::Capability::from_descriptor(&Book::descriptor().into()).unwrap()],
    );
    let peers = PeerTable::new().with_manifest(&manifest);
    let client = Client::builder("caller").transport(broker.connect()).peers(peers).build().await.unwrap();
    Fixture { client, server: server.start().await.unwrap(), audit }
}

impl Fixture {
    async fn error(&self, case: &str) -> CallError {
        let trips = TripsClient::new(self.client.clone());
        trips.book(&Book { case: case.to_owned() }).await.unwrap_err()
    }
}

#[tokio::test]
async fn a_caller_matches_on_declared_errors() {
    let fixture = fixture().await;
    let error = fixture.error("3").await;
    assert_eq!((error.code.as_str(), &*error.message, error.retryable), ("NO_SEATS", "Too few seats are free.", false));
    assert!(matches!(BookError::from(error), BookError::NoSeats(NoSeats { free: 3 })));

    let closed = fixture.error("closed").await;
    assert!(closed.retryable && matches!(BookError::from(closed), BookError::Closed));
}

#[tokio::test]
async fn an_undeclared_error_is_the_general_case_without_details() {
    let fixture = fixture().await;
    let error = fixture.error("undeclared").await;
    assert_eq!((error.code.as_str(), error.details()), ("LOST", None));
    let BookError::Other(failure) = BookError::from(error) else { panic!("a declared error") };
    assert_eq!((failure.code(), failure.message()), ("LOST", "gone"));
}

#[tokio::test]
async fn invalid_and_missing_details_fail_and_are_recorded() {
    let fixture = fixture().await;
    for (case, path) in [("10", "/details/free"), ("missing", "")] {
        let before = fixture.audit.records().len();
        let error = fixture.error(case).await;
        let message = "the details of the error `NO_SEATS` violate their schema";
        assert_eq!((error.code.as_str(), &*error.message), ("EAGENTRPC_HANDLER_FAILED", message));
        assert_eq!(error.details(), None);
        let records = fixture.audit.records();
        let [AuditRecord::Violation(record)] = &records[before..] else { panic!("{records:?}") };
        let paths: Vec<&str> = record.violations.iter().map(|violation| violation.path.as_str()).collect();
        assert_eq!((record.side, paths), (Side::Response, vec![path]));
        // The time and the ids of a record may contain any digits.
        assert!(!format!("{:?}", record.violations).contains("10"), "{record:?}");
    }
}

#[tokio::test]
async fn details_that_the_caller_rejects_are_dropped() {
    let fixture = fixture().await;
    let options = CallOptions::new().peer("trips");
    let request = OldBook { case: "3".to_owned() };
    let error = fixture.client.call_with::<OldBook>(&request, &options).await.unwrap_err();
    assert_eq!((error.code.as_str(), error.details(), error.violations.len()), ("NO_SEATS", None, 0));
    let OldError::Other(failure) = OldError::from(error) else { panic!("typed details") };
    assert_eq!(failure.code(), "NO_SEATS");
}

#[tokio::test]
async fn calls_by_name_have_the_details_of_the_contract() {
    let fixture = fixture().await;
    let call = async |case: &str| {
        let options = CallOptions::default();
        fixture.client.call_json_with("trips", "book", &json!({"case": case}), &options, CallMode::Sync).await
    };
    let error = call("3").await.error.unwrap();
    assert_eq!((error.code.as_str(), error.details), ("NO_SEATS", Some(json!({"free": 3}))));
    let error = call("undeclared").await.error.unwrap();
    assert_eq!((error.code.as_str(), error.details), ("LOST", None));
}

#[tokio::test]
async fn the_error_of_a_call_that_a_handler_makes_has_no_code_of_the_protocol() {
    let fixture = fixture().await;
    let inner = fixture.client.clone();
    let outer = Handlers::new("outer").with_loose("say", move |_: Context, case: Value| {
        let trips = TripsClient::new(inner.clone());
        async move {
            let book = Book { case: case.as_str().unwrap_or_default().to_owned() };
            trips.book(&book).await.map(|_| Value::Null).map_err(|error| Failure::from(BookError::from(error)))
        }
    });
    let run = async |case: &str| {
        let context = Context::of_request("someone", "say", "1", None);
        match outer.run(context, json!(case).to_string().into()).unwrap().await {
            Err(capgen::call::RunError::Failure(failure)) => failure.to_string(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(run("closed").await, "CLOSED: the capability failed");
    assert_eq!(run("undeclared").await, "LOST: a call failed: gone");
    fixture.client.close();
    assert_eq!(run("ok").await, "EAGENTRPC_HANDLER_FAILED: a call failed: the client is closed");
    fixture.server.shutdown(std::time::Duration::from_secs(1)).await;
}
