//! Declared errors between programs in Rust, with `#[derive(CapabilityError)]`, and in TypeScript, over NATS.

use std::path::Path;
use std::sync::Arc;

use capgen::call::{CallError, Client, Context, Failure, Handlers, PeerTable, Server, Transport, TransportSettings};
use capgen::{Capability, CapabilityError, Checked};
use capgen_codegen::Language;
use capgen_manifest::{AgentId, Manifest, OwnedDescriptor};
use capgen_nats::{NatsOptions, NatsTransport};
use capgen_testkit::brokers::NatsServer;
use capgen_tests::contract::generated_with_calls;
use capgen_tests::node::{self, Node};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::node_script::{NodeScript, write_module};

/// Book a trip.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Capability)]
#[capability(response = String, errors = BookError)]
struct Book {
    case: String,
}

#[derive(Debug, CapabilityError)]
enum BookError {
    /// Too few seats are free.
    #[capability(status = 409)]
    NoSeats(NoSeats),
    #[capability(retryable)]
    Closed,
    /// The trip starts on another day.
    Moved(NewDay),
    #[capability(other)]
    Other(Failure),
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct NoSeats {
    free: u32,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct NewDay {
    day: String,
}

capgen::agent! {
    trait Trips = "trips", handlers trips_handlers, client TripsClient {
        fn book(Book), errors BookError;
    }
}

/// The same capability as an older caller knows it: with other details, and without the newest code.
mod older {
    use super::*;

    /// Book a trip.
    #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, Capability)]
    #[capability(response = String, errors = BookError)]
    pub(super) struct Book {
        pub(super) case: String,
    }

    #[derive(Debug, CapabilityError)]
    pub(super) enum BookError {
        NoSeats(NoSeats),
        #[capability(retryable)]
        Closed,
        #[capability(other)]
        Other(Failure),
    }

    #[derive(Debug, Serialize, Deserialize, JsonSchema)]
    pub(super) struct NoSeats {
        pub(super) free: String,
    }

    capgen::agent! {
        pub(super) trait Trips = "trips", handlers _handlers, client TripsClient {
            fn book(Book), errors BookError;
        }
    }
}

struct Office;

impl Trips for Office {
    async fn book(&self, _: Context, request: Book) -> Result<Checked<String>, BookError> {
        match request.case.as_str() {
            "full" => Err(BookError::NoSeats(NoSeats { free: 3 })),
            "closed" => Err(BookError::Closed),
            "moved" => Err(BookError::Moved(NewDay { day: "Monday".to_owned() })),
            "lost" => Err(Failure::new("LOST", "the trip is lost").into()),
            "invalid" => Err(Failure::new("NO_SEATS", "too few seats").with_details(&json!({"free": "secret"})).into()),
            _ => Ok(Checked("booked".to_owned())),
        }
    }
}

const SUBJECT: &str = "agents.trips";
const CASES: [&str; 6] = ["ok", "full", "closed", "moved", "lost", "invalid"];

/// The message about details that the provider must not send.
const INVALID: &str = "EAGENTRPC_HANDLER_FAILED: the details of the error `NO_SEATS` violate their schema";

fn manifest(capability: &OwnedDescriptor) -> Manifest {
    Manifest::new(
        AgentId::new("trips").unwrap(),
        vec![TransportSettings::nats(&[], SUBJECT)],
        vec![capgen_manifest::Capability::from_descriptor(capability).unwrap()],
    )
}

/// The contracts of this program and of the older one, with the names of their folders.
fn contracts() -> [(&'static str, Manifest); 2] {
    [("current", manifest(&Book::descriptor().into())), ("older", manifest(&older::Book::descriptor().into()))]
}

/// The programs in TypeScript, whose types are checked, and their process; `None` without Node and NATS.
fn start(folder: &str) -> Option<(NodeScript, NatsServer)> {
    let node = node::require_or_skip().unwrap()?;
    let server = NatsServer::start()?;
    let script = NodeScript::start("errors/main.mjs", folder)?;
    check_types(&node);
    Some((script, server))
}

fn check_types(node: &Node) {
    let text = |name: &str| std::fs::read_to_string(capgen_tests::folder().join("node/errors").join(name)).unwrap();
    for (name, contract) in contracts() {
        let generated = generated_with_calls(&contract, Language::TypeScript);
        let mut files = vec![("trips.ts", generated), ("caller.ts", text("caller.ts"))];
        if name == "current" {
            files.push(("provider.ts", text("provider.ts")));
        }
        assert_eq!(node.tsc_check(&files, node::strictest()).unwrap(), [], "{name}");
    }
}

/// The folder with the module of a contract.
fn module(script: &NodeScript, name: &str, contract: &Manifest) -> String {
    let path = write_module(contract, &script.folder.join(name));
    path.parent().and_then(Path::to_str).unwrap().to_owned()
}

async fn transport(server: &NatsServer) -> Arc<dyn Transport> {
    Arc::new(NatsTransport::connect(NatsOptions::new([server.url()])).await.unwrap())
}

// Waiting for Node blocks a thread, and the transport needs another one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_in_typescript_narrows_the_errors_of_a_provider_in_rust() {
    let Some((mut script, broker)) = start("errors-of-rust") else { return };
    let handlers: Handlers = trips_handlers(Office);
    let _server = Server::builder(handlers).listen(transport(&broker).await, SUBJECT).start().await.unwrap();
    let mut outcomes = |(name, contract): (&str, Manifest)| {
        let folder = module(&script, name, &contract);
        let call = json!({"folder": folder, "url": broker.url(), "subject": SUBJECT, "cases": CASES});
        let found: Vec<(String, String)> = serde_json::from_value(script.ask(&json!({"call": call}))).unwrap();
        let (results, thrown): (Vec<String>, Vec<String>) = found.into_iter().unzip();
        assert_eq!(results, thrown);
        results
    };
    let [current, older] = contracts();
    let others = ["other LOST: the trip is lost, undefined".to_owned(), format!("other {INVALID}, undefined")];
    let declared = ["booked", "NO_SEATS: 3 are free", "CLOSED: try again: true", r#"MOVED: {"day":"Monday"}"#];
    assert_eq!(outcomes(current), [&declared.map(str::to_owned)[..], &others].concat());
    let general = [
        "booked",
        "other NO_SEATS: Too few seats are free., undefined",
        "CLOSED: try again: true",
        "other MOVED: The trip starts on another day., undefined",
    ];
    assert_eq!(outcomes(older), [&general.map(str::to_owned)[..], &others].concat());
}

/// The errors of the calls of each case but the first.
async fn errors(client: impl AsyncFn(String) -> Result<String, CallError>) -> Vec<CallError> {
    let [first, others @ ..] = CASES;
    assert_eq!(client(first.to_owned()).await.unwrap(), "booked");
    let mut errors = Vec::new();
    for case in others {
        errors.push(client(case.to_owned()).await.unwrap_err());
    }
    errors
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_in_rust_matches_on_the_errors_of_a_provider_in_typescript() {
    let Some((mut script, broker)) = start("errors-of-typescript") else { return };
    let [(name, contract), _] = contracts();
    let folder = module(&script, name, &contract);
    let serve = json!({"folder": folder, "url": broker.url(), "subject": SUBJECT});
    assert_eq!(script.ask(&json!({"serve": serve})), "serving");
    let peers = PeerTable::new().with_manifest(&contract);
    let client = Client::builder("console").transport(transport(&broker).await).peers(peers).build().await.unwrap();

    let trips = TripsClient::new(client.clone());
    let book = async |case| trips.book(&Book { case }).await.map(|Checked(response)| response);
    let found = errors(book).await.into_iter().map(|error| match BookError::from(error) {
        BookError::NoSeats(NoSeats { free }) => format!("{free} are free"),
        BookError::Closed => "closed".to_owned(),
        BookError::Moved(NewDay { day }) => format!("on {day}"),
        BookError::Other(failure) => failure.to_string(),
    });
    let expected = ["3 are free", "closed", "on Monday", "LOST: the trip is lost", INVALID];
    assert_eq!(found.collect::<Vec<_>>(), expected);

    let trips = older::TripsClient::new(client);
    let book = async |case| trips.book(&older::Book { case }).await.map(|Checked(response)| response);
    let found = errors(book).await.into_iter().map(|error| {
        assert_eq!(error.details(), None);
        match older::BookError::from(error) {
            older::BookError::NoSeats(older::NoSeats { free }) => format!("{free} are free"),
            older::BookError::Closed => "closed".to_owned(),
            older::BookError::Other(failure) => failure.to_string(),
        }
    });
    let expected = ["NO_SEATS: too few seats", "closed", "MOVED: it starts later", "LOST: the trip is lost", INVALID];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}
