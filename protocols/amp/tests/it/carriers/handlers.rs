//! The handlers of `capgen-call` as those of a provider.

use std::sync::{Arc, Mutex};

use capgen_amp::body::{CapInvoke, Target};
use capgen_amp::carrier::handlers::HandlerExecutor;
use capgen_amp::carrier::memory::MemoryPeer;
use capgen_amp::carrier::run::Runner;
use capgen_amp::carrier::{Client, ClientError, Peer, Service, TypedError};
use capgen_amp::descriptor::Publication;
use capgen_amp::policy::Policy;
use capgen_amp::provider::{CacheLimits, Provider, State};
use capgen_amp::requester::Requester;
use capgen_call::{Context, Failure, Handlers};
use capgen_manifest::{AgentId, Capability, Manifest};
use capgen_payload::{Descriptor, ErrorDescriptor};
use serde_json::{Value, json};

use crate::carriers::agents::{code, invoke};
use crate::carriers::harness::LONG;
use crate::support::{OUTPUT, catalogue, did, key, keys};

async fn handle(context: Context, payload: Value) -> Result<Value, Failure> {
    assert_eq!(context.caller(), did("alice").as_str());
    assert_eq!(context.message_id().len(), 32);
    assert!(context.remaining().unwrap() <= LONG);
    match payload.get("code").and_then(Value::as_str).unwrap() {
        "fail" => Err(Failure::new("NOT_FOUND", "there is no such request")),
        "panic" => panic!("a handler panics"),
        "invalid" => Ok(json!({"issues": "many"})),
        code => Ok(json!({"issues": code.len()})),
    }
}

fn provider() -> Provider {
    Provider::new(did("provider"), key("provider"), Arc::new(keys()), Policy::from_json("{}").unwrap())
}

pub(crate) fn peer(executor: HandlerExecutor) -> MemoryPeer {
    let state = State::new(catalogue(&["org.agentries.code-review:1.0.0"]), CacheLimits::default());
    MemoryPeer::new(Arc::new(Runner::new(provider(), state, Arc::new(executor)).unwrap()) as Arc<dyn Service>)
}

async fn codes(peer: &MemoryPeer) -> Vec<u64> {
    let mut codes = Vec::new();
    for behaviour in ["fast", "fail", "panic", "invalid"] {
        let request = invoke(behaviour);
        codes.push(code(&peer.call(request.clone(), LONG).await.unwrap(), &request));
    }
    codes
}

#[tokio::test]
async fn a_handler_is_found_by_the_last_segment_and_its_ends_are_answered() {
    let violations = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&violations);
    let executor = HandlerExecutor::new(Handlers::new("reviewer").with_loose("code-review", handle));
    let executor = executor.with_log(move |id, side, found| {
        log.lock().unwrap().push(format!("{id} {side:?} {}", found.len()));
    });
    assert_eq!(codes(&peer(executor)).await, [0, 5001, 5001, 5001]);
    while violations.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(*violations.lock().unwrap(), ["org.agentries.code-review:1.0.0 Response 1"]);
}

#[tokio::test]
async fn a_handler_is_found_by_the_name_in_the_manifest() {
    let capability = Capability {
        id: Some("org.agentries.code-review".to_owned()),
        version: Some("1.0.0".parse().unwrap()),
        ..Capability::new("review")
    };
    let manifest = Manifest::new(AgentId::new("reviewer").unwrap(), Vec::new(), vec![capability]);
    let publications = Publication::of_manifest(&manifest, "org.agentries").unwrap();
    let handlers = || Handlers::new("reviewer").with_loose("review", handle);
    let executor = HandlerExecutor::new(handlers()).with_publications(&publications);
    assert_eq!(codes(&peer(executor)).await, [0, 5001, 5001, 5001]);
    // Without the manifest, there is no handler `code-review`.
    assert_eq!(codes(&peer(HandlerExecutor::new(handlers()))).await, [5002; 4]);
}

/// A capability whose contract has a schema of the response that its type does not check, so that a second check shows.
struct Unchecked<const SAME: bool>;

impl<const SAME: bool> capgen_payload::Capability for Unchecked<SAME> {
    type Request = Value;
    type Response = Value;
    const NAME: &'static str = "code-review";

    fn descriptor() -> &'static Descriptor {
        static PUBLISHED: Descriptor = Descriptor::new("reviewer", "code-review", "").with_output_schema(OUTPUT);
        static OTHER: Descriptor = Descriptor::new("reviewer", "code-review", "").with_output_schema("true");
        if SAME { &PUBLISHED } else { &OTHER }
    }
}

#[tokio::test]
async fn a_response_is_checked_by_its_handler_or_the_provider_and_not_by_both() {
    let same = Handlers::new("reviewer").with::<Unchecked<true>, _, _>(handle);
    assert_eq!(codes(&peer(HandlerExecutor::new(same))).await, [0, 5001, 5001, 0]);
    // The schema of the handler is not the published one, so its check does not count.
    let other = Handlers::new("reviewer").with::<Unchecked<false>, _, _>(handle);
    assert_eq!(codes(&peer(HandlerExecutor::new(other))).await, [0, 5001, 5001, 5001]);
}

/// A capability with declared errors.
struct Book;

impl capgen_payload::Capability for Book {
    type Request = Value;
    type Response = Value;
    const NAME: &'static str = "code-review";

    fn descriptor() -> &'static Descriptor {
        const ERRORS: &[ErrorDescriptor] = &[
            ErrorDescriptor::new("NO_SEATS").with_details_schema(r#"{"properties":{"free":{"maximum":9}}}"#),
            ErrorDescriptor::new("CLOSED").with_retryable(true),
        ];
        static BOOK: Descriptor = Descriptor::new("reviewer", "code-review", "").with_errors(ERRORS);
        &BOOK
    }
}

#[tokio::test]
async fn declared_errors_reach_a_match_of_the_caller() {
    let handlers =
        Handlers::new("reviewer").with::<Book, _, _>(async |_: Context, request: Value| -> Result<Value, _> {
            let failure = Failure::new(request["code"].as_str().unwrap_or_default(), "not booked");
            Err(failure.with_details(&json!({"free": request["lines"]})))
        });
    let log = Arc::new(Mutex::new(Vec::new()));
    let logged = Arc::clone(&log);
    let executor = HandlerExecutor::new(handlers)
        .with_log(move |_, side, found| logged.lock().unwrap().push((side, found.iter().count())));
    let requester = Requester::new(did("alice"), key("alice"), Arc::new(keys()));
    let client = Client::new(requester, did("provider"), Arc::new(peer(executor))).with_timeout(LONG);
    let call = async |code: &str, lines: u32| {
        let target = Target::Id("org.agentries.code-review:1.0.0".parse().unwrap());
        match client.call::<Book>(target, &json!({"code": code, "lines": lines})).await {
            Err(TypedError::Failed(error)) => (error.code.clone(), error.retryable, error.details().cloned()),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(call("NO_SEATS", 3).await, ("NO_SEATS".to_owned(), false, Some(json!({"free": 3}))));
    assert_eq!(call("CLOSED", 3).await, ("CLOSED".to_owned(), true, None));
    assert_eq!(call("LOST", 3).await, ("LOST".to_owned(), false, None));
    assert_eq!(call("NO_SEATS", 10).await, ("EAGENTRPC_HANDLER_FAILED".to_owned(), false, None));
    assert_eq!(*log.lock().unwrap(), [(capgen_call::Side::Response, 1)]);
    // The numbers and names of the protocol.
    let invoke = |code: &str| CapInvoke {
        target: Target::Id("org.agentries.code-review:1.0.0".parse().unwrap()),
        params: capgen_amp::cbor::Value::from_json(&json!({"code": code, "lines": 1})),
        timeout_ms: None,
    };
    for (code, number) in [("NO_SEATS", 5001), ("CLOSED", 5002)] {
        let Err(ClientError::Failed(error)) = client.invoke(&invoke(code), None).await else { panic!("{code}") };
        assert_eq!((error.code, error.name.as_deref()), (number, Some(code)));
    }
}
