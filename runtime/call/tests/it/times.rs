//! The time that remains for a request: clocks that differ, and calls that serve other calls.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use capgen::call::{
    CallOptions, CapabilityContract, Client, Clock, Context, Failure, Handlers, Keys, Manifest, MemoryBroker,
    PeerTable, Server, Status, SystemClock, TransportSettings, code,
};
use capgen_manifest::AgentId;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::fixture::raw::{Raw, SECRET, code as code_of, now, signed};

/// A clock that differs by some ms.
struct Shifted(AtomicI64);

impl Shifted {
    fn by_minutes(minutes: i64) -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(minutes * 60_000)))
    }
}

impl Clock for Shifted {
    fn now_ms(&self) -> u64 {
        SystemClock.now_ms().saturating_add_signed(self.0.load(Ordering::SeqCst))
    }
}

/// A server whose clock differs by some minutes.
async fn off(minutes: i64, has_keys: bool) -> Raw {
    Raw::start(|server| {
        let server = server.clock(Shifted::by_minutes(minutes));
        let keys = Keys::signing_with("k1", SECRET).unwrap();
        if has_keys { server.keys(keys) } else { server }
    })
    .await
}

/// A request that states the remaining time.
fn within(raw: &Raw, id: &str, timeout: &str) -> Value {
    let mut request = raw.request(id);
    request["headers"] = json!({"capgen-timeout-ms": timeout});
    request
}

#[tokio::test]
async fn unsigned_requests_ignore_clocks() {
    for minutes in [-10, 10, -600, 600] {
        let mut raw = off(minutes, false).await;
        assert_eq!(raw.code(within(&raw, "1", "5000").to_string()).await, "ok", "{minutes} minutes");
    }
}

#[tokio::test]
async fn signed_requests_are_refused_from_five_minutes_of_difference() {
    for (minutes, expected, message) in [
        (-4, "ok", ""),
        (4, "ok", ""),
        (6, code::DEADLINE_EXCEEDED, "ms ago by the provider's clock; are the clocks equal?"),
        (-6, code::INVALID_ENVELOPE, "ms ahead of the provider's, and may differ by at most 300000 ms"),
    ] {
        let mut raw = off(minutes, true).await;
        raw.send(signed(&within(&raw, "1", "5000").to_string(), "k1", SECRET)).await;
        let response = raw.response().await.unwrap();
        assert_eq!(code_of(&response), expected, "{minutes} minutes");
        if expected == code::DEADLINE_EXCEEDED {
            let details = &response["payload"]["details"];
            assert!((350_000..360_000).contains(&details["lateMs"].as_u64().unwrap()), "{details}");
            assert_eq!(details["timeoutMs"], json!(5000));
        }
        let text = response["payload"]["message"].as_str().unwrap_or_default();
        assert!(text.ends_with(message), "{text}");
    }
}

#[tokio::test]
async fn a_replay_is_refused_for_as_long_as_its_deadline_is_accepted() {
    let (clock, keys) = (Shifted::by_minutes(0), Keys::signing_with("k1", SECRET).unwrap());
    let moving = Arc::clone(&clock);
    // Older callers have a larger tolerance than others.
    let build =
        |server: capgen::call::ServerBuilder| server.keys(keys).clock(moving).clock_tolerance(Duration::from_secs(600));
    let mut raw = Raw::start(build).await;
    let text = signed(&raw.request("1").to_string(), "k1", SECRET);
    assert_eq!(raw.code(text.clone()).await, "ok");
    clock.0.store(400_000, Ordering::SeqCst);
    assert_eq!(raw.code(text).await, code::AUTH_FAILED);
    assert_eq!(raw.handled(), 1);
}

#[tokio::test]
async fn the_remaining_time_is_preferred_to_the_deadline() {
    let mut raw = off(0, false).await;
    let mut request = within(&raw, "1", "5000");
    request["deadline"] = json!(1);
    assert_eq!(raw.code(request.to_string()).await, "ok");
    let mut request = within(&raw, "2", "50");
    request["payload"] = json!({"pause": 5000});
    request["deadline"] = json!(now() + 60_000);
    assert_eq!(raw.code(request.to_string()).await, code::TIMEOUT);
}

#[tokio::test]
async fn an_invalid_remaining_time_is_an_error_that_names_the_header() {
    let mut raw = off(0, false).await;
    for text in ["", "0", "600001", "-1", "+5", "05", "1.5", "1e3", " 5", "5 ", "soon", "99999999999999999999"] {
        raw.send(within(&raw, "1", text).to_string()).await;
        let response = raw.response().await.unwrap();
        assert_eq!(code_of(&response), code::INVALID_ENVELOPE, "{text:?}");
        assert!(response["payload"]["message"].as_str().unwrap().contains("`capgen-timeout-ms`"), "{response}");
    }
    for text in ["1", "600000"] {
        // The shortest time may pass before the handler starts.
        let code = raw.code(within(&raw, text, text).to_string()).await;
        assert!(["ok", code::DEADLINE_EXCEEDED].contains(&&*code), "{text}: {code}");
    }
}

#[tokio::test]
async fn a_request_that_waited_too_long_has_no_effect() {
    let mut raw = Raw::start(|server| server.max_concurrent(1)).await;
    let mut first = within(&raw, "1", "5000");
    first["payload"] = json!({"pause": 300});
    raw.send(first.to_string()).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    raw.send(within(&raw, "2", "100").to_string()).await;
    let response = raw.patient_response().await;
    assert_eq!((code_of(&response).as_str(), &response["correlationId"]), (code::DEADLINE_EXCEEDED, &json!("c-2")));
    assert_eq!(
        (&response["payload"]["effect"], &response["payload"]["details"]["timeoutMs"]),
        (&json!("none"), &json!(100))
    );
    raw.patient_response().await;
    assert_eq!(raw.handled(), 1);
}

fn agent(id: &str) -> Manifest {
    Manifest::new(
        AgentId::new(id).unwrap(),
        vec![TransportSettings::memory(&format!("agents.{id}"))],
        vec![CapabilityContract::new("ask")],
    )
}

/// An agent that asks another one, with a timeout that is longer than its caller's.
async fn relay(broker: &MemoryBroker, id: &str, next: &'static str) -> Server {
    let peers = PeerTable::new().with_manifest(&agent(next));
    let client = Client::builder(id).transport(Arc::new(broker.connect())).peers(peers).build().await.unwrap();
    let handlers = Handlers::new(id).with_loose("ask", move |context: Context, payload: Value| {
        let client = client.clone();
        async move {
            let options = context.child_options().timeout(Duration::from_secs(60));
            let result = client.call_json_with(next, "ask", &payload, &options, capgen::call::CallMode::Sync).await;
            result.response.ok_or_else(|| Failure::new("CHILD", result.status.as_str()))
        }
    });
    // Each clock differs by an hour from that of the caller.
    let listening = Server::builder(handlers).listen(Arc::new(broker.connect()), format!("agents.{id}"));
    listening.clock(Shifted::by_minutes(60)).start().await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn calls_that_serve_a_call_end_with_it() {
    let broker = MemoryBroker::new();
    let _relays = [relay(&broker, "b", "c").await, relay(&broker, "c", "d").await];
    let rest = Arc::new(std::sync::Mutex::new(None));
    let seen = Arc::clone(&rest);
    let handlers = Handlers::new("d").with_loose("ask", move |context: Context, _| {
        *seen.lock().unwrap() = context.remaining();
        async { std::future::pending::<Result<Value, Failure>>().await }
    });
    let last = Server::builder(handlers).listen(Arc::new(broker.connect()), "agents.d").start().await.unwrap();
    let peers = PeerTable::new().with_manifest(&agent("b"));
    let client = Client::builder("a").transport(Arc::new(broker.connect())).peers(peers).build().await.unwrap();
    let start = Instant::now();
    let options = CallOptions::new().timeout(Duration::from_secs(2));
    let result = client.call_json_with("b", "ask", &json!(1), &options, capgen::call::CallMode::Sync).await;
    assert_eq!((result.status, start.elapsed().as_secs()), (Status::Timeout, 2));
    let rest = rest.lock().unwrap().unwrap();
    assert!(rest > Duration::from_millis(1900) && rest <= Duration::from_millis(2010), "{rest:?}");
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(last.in_flight(), 0, "the last handler ended with the first call");
}
