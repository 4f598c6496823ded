//! Layers of tower around all calls of a client and all handlers of an agent.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::future::{Ready, ready};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use capgen::call::tower::{CallResponse, OutgoingCall, ServeError, ServedRequest, ServedResponse};
use capgen::call::{
    CallError, CallOptions, Client, Context, Failure, Handlers, MemoryBroker, PeerTable, RunError, Server, Side,
    Status, code,
};
use capgen::{Capability, Checked};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tower::retry::Policy;
use tower::{BoxError, ServiceBuilder, service_fn};

use crate::fixture::{ADDRESS, Review, Verdict, handlers, manifest};

capgen::agent! {
    trait Reviewer = "reviewer", handlers reviewer_handlers, client ReviewerClient {
        fn review(Review);
    }
}

/// The codes of the requests that pass, as metrics have them.
#[derive(Clone, Default)]
struct Codes(Arc<Mutex<Vec<String>>>);

impl Codes {
    fn add(&self, code: &str) {
        self.0.lock().unwrap().push(code.to_owned());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// Repeats a call that failed with an error for which a retry helps, twice.
#[derive(Clone)]
struct Twice(u32);

impl Policy<OutgoingCall, CallResponse, BoxError> for Twice {
    type Future = Ready<()>;

    fn retry(&mut self, _: &mut OutgoingCall, result: &mut Result<CallResponse, BoxError>) -> Option<Ready<()>> {
        let error = result.as_ref().err()?.downcast_ref::<CallError>()?;
        self.0 = self.0.checked_sub(1).filter(|_| error.retryable)?;
        Some(ready(()))
    }

    fn clone_request(&mut self, call: &OutgoingCall) -> Option<OutgoingCall> {
        Some(call.clone())
    }
}

struct Flaky(AtomicU32);

impl Reviewer for Flaky {
    async fn review(&self, context: Context, request: Review) -> Result<Checked<Verdict>, Failure> {
        assert_eq!(context.headers().get("authorization").map(String::as_str), Some("Bearer token"));
        if self.0.fetch_add(1, Ordering::SeqCst) < u32::from(request.depth) {
            return Err(Failure::new("FLAKY", "try again").retryable());
        }
        Ok(Checked(Verdict { approved: true, comment: "fine".to_owned() }))
    }
}

async fn started(handlers: Handlers) -> (Server, MemoryBroker) {
    let broker = MemoryBroker::new();
    let server = Server::builder(handlers).listen(broker.connect(), ADDRESS).start().await.unwrap();
    (server, broker)
}

fn peers() -> PeerTable {
    PeerTable::new().with_manifest(&manifest())
}

fn review(depth: u8) -> Review {
    Review { url: "x".to_owned(), depth }
}

#[tokio::test]
async fn one_stack_is_around_a_generated_client_and_another_one_around_a_server() {
    let (called, served) = (Codes::default(), Codes::default());
    let metrics = served.clone();
    let stack = ServiceBuilder::new()
        .map_result(move |result: Result<ServedResponse, BoxError>| {
            let error = result.as_ref().err().and_then(|error| error.downcast_ref::<ServeError>());
            metrics.add(error.map_or("ok", ServeError::code));
            result
        })
        .timeout(Duration::from_secs(10))
        .concurrency_limit(8)
        .filter(|request: ServedRequest| match request.context().headers().get("authorization") {
            Some(_) => Ok(request),
            None => Err(Failure::new("NO_TOKEN", "a token is missing")),
        });
    let (_server, broker) = started(reviewer_handlers(Flaky(AtomicU32::new(0))).layer(stack)).await;

    let metrics = called.clone();
    let stack = ServiceBuilder::new()
        .map_result(move |result: Result<CallResponse, BoxError>| {
            let error = result.as_ref().err().and_then(|error| error.downcast_ref::<CallError>());
            metrics.add(error.map_or("ok", |error| &error.code));
            result
        })
        .retry(Twice(2))
        .timeout(Duration::from_secs(10))
        .concurrency_limit(8)
        .map_request(|mut call: OutgoingCall| {
            call.set_header("authorization", "Bearer token");
            call
        });
    let client = Client::builder("me").transport(broker.connect()).peers(peers()).layer(stack).build().await.unwrap();
    let reviewer = ReviewerClient::new(client);
    // Two failures, then success: the layer repeats the call.
    assert_eq!(reviewer.review(&review(2)).await.unwrap().comment, "fine");
    assert_eq!(
        (called.take(), served.take()),
        (vec!["ok".to_owned()], ["FLAKY", "FLAKY", "ok"].map(str::to_owned).to_vec())
    );
    let failed = reviewer.review(&review(9)).await.unwrap_err();
    assert_eq!((failed.code.as_str(), &*failed.message), ("FLAKY", "try again"));
    assert_eq!(called.take(), ["FLAKY"]);

    let other = Client::builder("other").transport(broker.connect()).peers(peers()).build().await.unwrap();
    let refused = ReviewerClient::new(other).review(&review(1)).await.unwrap_err();
    assert_eq!((refused.code.as_str(), &*refused.message), ("NO_TOKEN", "a token is missing"));
}

/// The capability by a contract that allows more.
#[derive(Serialize, Deserialize, JsonSchema, Capability)]
#[serde(deny_unknown_fields)]
#[capability(name = "review", response = Verdict)]
struct Wide {
    url: String,
    depth: u8,
}

/// A client and a server whose handlers have a layer.
async fn with_handlers(handlers: Handlers) -> (Server, Client) {
    let (server, broker) = started(handlers).await;
    let client = Client::builder("me").transport(broker.connect()).peers(peers()).build().await.unwrap();
    (server, client)
}

#[tokio::test]
async fn layers_of_a_server_see_violations_and_refusals_as_errors() {
    let codes = Codes::default();
    let seen = codes.clone();
    let layer = ServiceBuilder::new().map_err(move |error: ServeError| {
        seen.add(error.code());
        error
    });
    let (_server, client) = with_handlers(handlers().layer(layer)).await;
    let call = async |depth: u8| {
        let request = Wide { url: "x".to_owned(), depth };
        client.call_with::<Wide>(&request, &CallOptions::new().peer("reviewer")).await
    };
    assert!(call(3).await.is_ok());
    assert_eq!(codes.take(), Vec::<String>::new());
    // The caller has another contract, so the provider cannot read its request.
    assert_eq!(call(10).await.unwrap_err().code, code::VERSION_SKEW);
    // It looks for another instance a few times.
    let seen = codes.take();
    assert!(!seen.is_empty() && seen.iter().all(|seen| seen == code::VERSION_SKEW), "{seen:?}");
    // Without a server, violations have the same form.
    let layer = ServiceBuilder::new().map_err({
        let codes = codes.clone();
        move |error: ServeError| {
            codes.add(error.code());
            error
        }
    });
    let context = Context::of_request("someone", "review", "1", None);
    let result = handlers().layer(layer).run(context, r#"{"url":"x","depth":10}"#.into()).unwrap().await;
    assert!(matches!(result, Err(RunError::Invalid { side: Side::Request, .. })), "{result:?}");
    assert_eq!(codes.take(), [code::SCHEMA_VIOLATION]);
}

#[tokio::test]
async fn errors_of_other_types_and_panics_of_layers_are_failures_without_a_text() {
    let layer = ServiceBuilder::new().filter(|request: ServedRequest| match &request.payload()[..] {
        payload if payload.ends_with(b"1}") => Err(BoxError::from("the password is 4711")),
        payload if payload.ends_with(b"2}") => panic!("the password is 4711"),
        _ => Ok(request),
    });
    let (_server, client) = with_handlers(handlers().layer(layer)).await;
    let reviewer = ReviewerClient::new(client);
    for (depth, message) in [(1, "a layer ended the request"), (2, "the handler panicked")] {
        let error = reviewer.review(&review(depth)).await.unwrap_err();
        assert_eq!((error.code.as_str(), &*error.message), (code::HANDLER_FAILED, message));
    }
    assert_eq!(reviewer.review(&review(3)).await.unwrap().comment, "depth 3");
}

#[tokio::test]
async fn a_layer_that_gives_up_ends_the_handler() {
    let (broker, ended) = (MemoryBroker::new(), Arc::new(AtomicU32::new(0)));
    struct Ends(Arc<AtomicU32>);
    impl Drop for Ends {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let count = Arc::clone(&ended);
    let waiting = Handlers::new("reviewer").with::<Review, _, _>(move |_, _: Review| {
        let ends = Ends(Arc::clone(&count));
        async move {
            let _ends = ends;
            std::future::pending().await
        }
    });
    let waiting = waiting.layer(ServiceBuilder::new().timeout(Duration::from_millis(50)));
    let _server = Server::builder(waiting).listen(broker.connect(), ADDRESS).start().await.unwrap();
    let layer = ServiceBuilder::new().timeout(Duration::from_secs(5));
    let client = Client::builder("me").transport(broker.connect()).peers(peers()).layer(layer).build().await.unwrap();
    let error = ReviewerClient::new(client).review(&review(1)).await.unwrap_err();
    assert_eq!((error.code.as_str(), ended.load(Ordering::SeqCst)), (code::HANDLER_FAILED, 1));

    let layer = ServiceBuilder::new().timeout(Duration::from_millis(50));
    let client = Client::builder("me").transport(broker.connect()).peers(peers()).layer(layer).build().await.unwrap();
    let error = ReviewerClient::new(client).review(&review(1)).await.unwrap_err();
    assert_eq!((error.status, error.code.as_str()), (Status::Abandoned, code::ABANDONED));
    assert_eq!(&*error.message, "a layer ended the call: request timed out");
}

#[tokio::test]
async fn an_invalid_response_is_an_error_inside_of_the_layers_and_reported_outside() {
    let (_server, broker) =
        started(Handlers::new("reviewer").with_loose("review", async |_, _| Ok(json!({"approved": 1})))).await;
    let codes = Codes::default();
    let seen = codes.clone();
    let layer = ServiceBuilder::new().map_err(move |error: CallError| {
        seen.add(&error.code);
        error
    });
    let client = Client::builder("me").transport(broker.connect()).peers(peers()).layer(layer).build().await.unwrap();
    let error = ReviewerClient::new(client).review(&review(1)).await.unwrap_err();
    assert_eq!((error.code.as_str(), error.side), (code::SCHEMA_VIOLATION, Some(Side::Response)));
    assert!(!error.violations.is_empty() && error.response().is_some());
    assert_eq!(codes.take(), [code::SCHEMA_VIOLATION]);
}

#[tokio::test]
async fn later_layers_are_outside_and_a_layer_may_answer_itself() {
    let codes = Codes::default();
    let named = |name: &'static str| {
        let codes = codes.clone();
        ServiceBuilder::new().map_request(move |request: ServedRequest| {
            codes.add(name);
            request
        })
    };
    let all = handlers().layer(named("inner")).layer(named("outer"));
    let context = || Context::of_request("someone", "review", "1", None);
    let payload = || r#"{"url":"x","depth":1}"#.into();
    assert!(all.run(context(), payload()).unwrap().await.is_ok());
    assert_eq!(codes.take(), ["outer", "inner"]);
    // Without asking the inner service.
    let closed = tower::layer::layer_fn(|_| {
        service_fn(async |_: ServedRequest| Err::<ServedResponse, _>(Failure::new("CLOSED", "at night").retryable()))
    });
    let result = all.layer(closed).run(context(), payload()).unwrap().await;
    assert!(matches!(&result, Err(RunError::Failure(failure)) if failure.code() == "CLOSED"), "{result:?}");
}

/// Repeats a call after any error, once.
#[derive(Clone, Default)]
pub(crate) struct Once(bool);

impl Policy<OutgoingCall, CallResponse, BoxError> for Once {
    type Future = Ready<()>;

    fn retry(&mut self, _: &mut OutgoingCall, result: &mut Result<CallResponse, BoxError>) -> Option<Ready<()>> {
        (result.is_err() && !std::mem::replace(&mut self.0, true)).then(|| ready(()))
    }

    fn clone_request(&mut self, call: &OutgoingCall) -> Option<OutgoingCall> {
        Some(call.clone())
    }
}

#[tokio::test]
async fn a_call_that_a_layer_gave_up_and_makes_again_is_not_cancelled() {
    let runs = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&runs);
    let slow_at_first = Handlers::new("reviewer").with::<Review, _, _>(move |_, _: Review| {
        let is_first = count.fetch_add(1, Ordering::SeqCst) == 0;
        async move {
            if is_first {
                std::future::pending::<()>().await;
            }
            Ok(Checked(Verdict { approved: true, comment: "fine".to_owned() }))
        }
    });
    let (_server, broker) = started(slow_at_first).await;
    let stack = ServiceBuilder::new().retry(Once(false)).timeout(Duration::from_millis(200));
    let client = Client::builder("me").transport(broker.connect()).peers(peers()).layer(stack).build().await.unwrap();
    let review = ReviewerClient::new(client).review(&review(1)).await.unwrap();
    assert_eq!((review.comment.as_str(), runs.load(Ordering::SeqCst)), ("fine", 2));
}

#[tokio::test]
async fn a_layer_that_waits_without_an_end_ends_at_the_deadline() {
    let (_server, broker) = started(handlers()).await;
    let stuck = tower::layer::layer_fn(|_| {
        service_fn(async |_: OutgoingCall| std::future::pending::<Result<CallResponse, CallError>>().await)
    });
    let client = Client::builder("me").transport(broker.connect()).peers(peers()).layer(stuck).build().await.unwrap();
    let options = CallOptions::new().timeout(Duration::from_millis(50));
    let error = ReviewerClient::new(client).with_options(options).review(&review(1)).await.unwrap_err();
    assert_eq!(error.status, Status::Timeout);
}

#[tokio::test]
async fn the_failure_of_an_inner_layer_keeps_its_code_and_has_no_details() {
    let refuse = || {
        tower::layer::layer_fn(|_| {
            service_fn(async |_: ServedRequest| {
                let failure = Failure::new("RATE_LIMITED", "later").retryable().with_details(&json!("unchecked"));
                Err::<ServedResponse, _>(ServeError::from(failure))
            })
        })
    };
    let outer = || ServiceBuilder::new().map_err(|error: ServeError| error);
    let (_server, client) = with_handlers(handlers().layer(refuse()).layer(outer())).await;
    let error = ReviewerClient::new(client).review(&review(1)).await.unwrap_err();
    assert_eq!((error.code.as_str(), error.retryable, error.details()), ("RATE_LIMITED", true, None));
    let context = Context::of_request("someone", "review", "1", None);
    let run = handlers().layer(refuse()).layer(outer()).run(context, r#"{"url":"x","depth":1}"#.into()).unwrap();
    let Err(RunError::Failure(failure)) = run.await else { panic!("no failure") };
    assert_eq!((failure.code(), failure.details()), ("RATE_LIMITED", None));
}
