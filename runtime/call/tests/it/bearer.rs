//! Callers that only a token identifies: which requests they can cancel.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use capgen::call::tower::OutgoingCall;
use capgen::call::{
    BoxFuture, CallMode, Context, Handlers, IncomingContent, InvalidToken, Keys, Principal, Retry, SubscribeOptions,
    Subscription, TokenVerifier, Transport, header,
};
use serde_json::{Value, json};
use tokio::time::sleep;
use tower::ServiceBuilder;

use crate::fixture::raw::{Raw, SECRET, agent_keys, signed, signed_by};
use crate::fixture::{ADDRESS, Fixture};

/// A cancel takes effect within this time.
const SOON: Duration = Duration::from_millis(50);

/// Accepts every token, as its subject.
struct Everyone;

impl TokenVerifier for Everyone {
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, InvalidToken>> {
        Box::pin(async move { Ok(Principal::new("https://login.example.com", token)) })
    }
}

/// Counts a handler that is dropped.
struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Handlers that answer after a second, and the number of those that were dropped before.
fn handlers(agent: &str, name: &str) -> (Handlers, Arc<AtomicUsize>) {
    let dropped = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&dropped);
    let handlers = Handlers::new(agent).with_loose(name, move |_: Context, _: Value| {
        let unless_ended = Dropped(Arc::clone(&count));
        async move {
            sleep(Duration::from_secs(1)).await;
            std::mem::forget(unless_ended);
            Ok(json!({"approved": true, "comment": "fine"}))
        }
    });
    (handlers, dropped)
}

/// A server that accepts tokens without signatures.
async fn start(has_keys: bool) -> (Raw, Arc<AtomicUsize>) {
    let (handlers, dropped) = handlers("echo", "say");
    let raw = Raw::with_handlers(handlers, |server| {
        let server = if has_keys { server.keys(agent_keys(&["caller"])) } else { server };
        server.bearer_only(Arc::new(Everyone))
    });
    (raw.await, dropped)
}

fn request(raw: &Raw, id: &str, token: &str) -> Value {
    let mut request = raw.request(id);
    request["headers"] = json!({"authorization": format!("Bearer {token}")});
    request
}

/// The cancel of a request, with a token if there is one.
fn cancel(request: &Value, id: &str, token: Option<&str>) -> String {
    let mut headers = json!({header::CONTROL: "cancel"});
    if let Some(token) = token {
        headers["authorization"] = json!(format!("Bearer {token}"));
    }
    json!({
        "version": 1, "kind": "control", "messageId": id, "correlationId": request["correlationId"],
        "causedBy": request["messageId"], "from": request["from"], "to": request["to"],
        "capability": request["capability"], "deadline": request["deadline"], "headers": headers, "payload": null,
    })
    .to_string()
}

async fn send_control(raw: &Raw, text: String) {
    raw.send_to(&format!("{ADDRESS}.control"), text).await;
}

#[tokio::test(start_paused = true)]
async fn only_the_owner_of_the_token_can_cancel_its_request() {
    for has_keys in [false, true] {
        let (raw, dropped) = start(has_keys).await;
        let request = request(&raw, "1", "ann");
        raw.send(request.to_string()).await;
        sleep(SOON).await;
        for text in [
            cancel(&request, "w1", None),
            cancel(&request, "w2", Some("bob")),
            // The agent that the request only states.
            signed_by(&cancel(&request, "w3", None), "caller", "a1"),
            signed_by(&cancel(&request, "w4", Some("ann")), "caller", "a1"),
            signed(&cancel(&request, "w5", None), "k1", SECRET),
        ] {
            send_control(&raw, text).await;
        }
        sleep(SOON).await;
        assert_eq!(dropped.load(Ordering::SeqCst), 0, "{has_keys}");
        send_control(&raw, cancel(&request, "r", Some("ann"))).await;
        sleep(SOON).await;
        assert_eq!(dropped.load(Ordering::SeqCst), 1, "{has_keys}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_token_cancels_no_request_that_is_signed() {
    let (raw, dropped) = start(true).await;
    let request = request(&raw, "1", "ann");
    raw.send(signed_by(&request.to_string(), "caller", "a1")).await;
    sleep(SOON).await;
    send_control(&raw, cancel(&request, "w", Some("ann"))).await;
    sleep(SOON).await;
    assert_eq!(dropped.load(Ordering::SeqCst), 0);
    send_control(&raw, signed_by(&cancel(&request, "r", None), "caller", "a1")).await;
    sleep(SOON).await;
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_cancel_before_its_request_is_for_that_of_its_token() {
    for (token, expected) in [("ann", "EAGENTRPC_ABANDONED"), ("bob", "ok")] {
        let (mut raw, _) = start(false).await;
        let request = request(&raw, "1", "ann");
        send_control(&raw, cancel(&request, "x", Some(token))).await;
        sleep(SOON).await;
        raw.send(request.to_string()).await;
        assert_eq!(crate::fixture::raw::code(&raw.patient_response().await), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_cancels_with_its_token_if_nothing_else_proves_the_cancel() {
    for keys in [None, Some(Keys::signing_with("k1", SECRET).unwrap())] {
        let (handlers, dropped) = handlers("reviewer", "review");
        let of_server = keys.clone();
        let has_keys = keys.is_some();
        let fixture = Fixture::start_with(
            handlers,
            |client| keys.into_iter().fold(client, |client, keys| client.keys(keys)),
            |server| {
                of_server.into_iter().fold(server, |server, keys| server.keys(keys)).bearer_only(Arc::new(Everyone))
            },
        )
        .await;
        let spy = fixture.broker.connect();
        let mut control = spy.subscribe(&format!("{ADDRESS}.control"), SubscribeOptions::default()).await.unwrap();
        let (payload, options) = (json!({"url": "x", "depth": 1}), fixture.options().bearer("ann"));
        let call = fixture.client.call_json_with("reviewer", "review", &payload, &options, CallMode::Sync);
        assert!(tokio::time::timeout(Duration::from_millis(100), call).await.is_err());
        sleep(SOON).await;
        assert_eq!(dropped.load(Ordering::SeqCst), 1, "{has_keys}");
        // A token is in no more messages than necessary.
        assert_eq!(token(&mut control).await.is_some(), !has_keys);
    }
}

/// The header with the token of the next message.
async fn token(messages: &mut Subscription) -> Option<String> {
    let IncomingContent::Message(text) = messages.next().await.unwrap().content else { return None };
    let text: Value = serde_json::from_slice(&text).unwrap();
    text["headers"]["authorization"].as_str().map(str::to_owned)
}

#[tokio::test(start_paused = true)]
async fn the_token_of_a_layer_is_in_the_cancels_of_the_requests_that_have_it() {
    for way in ["drop", "close", "hedge"] {
        let (handlers, dropped) = handlers("reviewer", "review");
        let layer = ServiceBuilder::new().map_request(|mut call: OutgoingCall| {
            call.set_header("authorization", "Bearer ann");
            call
        });
        let fixture = Fixture::start_with(
            handlers,
            |client| {
                let client = client.layer(layer);
                if way == "hedge" { client.retry(Retry::attempts(2).hedge(Duration::from_millis(300))) } else { client }
            },
            |server| server.bearer_only(Arc::new(Everyone)),
        )
        .await;
        let spy = fixture.broker.connect();
        let mut control = spy.subscribe(&format!("{ADDRESS}.control"), SubscribeOptions::default()).await.unwrap();
        let payload = json!({"url": "x", "depth": 1});
        // The layer replaces the token of the call.
        let options = fixture.options().bearer("bob");
        let call = fixture.client.call_json_with("reviewer", "review", &payload, &options, CallMode::Sync);
        let mut call = Box::pin(call);
        match way {
            "drop" => assert!(tokio::time::timeout(Duration::from_millis(100), call).await.is_err()),
            "close" => {
                assert!(tokio::time::timeout(Duration::from_millis(100), &mut call).await.is_err());
                fixture.client.close();
                drop(call.await);
            }
            _ => assert_eq!(serde_json::to_value(call.await).unwrap()["status"], "ok"),
        }
        assert_eq!(token(&mut control).await.as_deref(), Some("Bearer ann"), "{way}");
        sleep(SOON).await;
        // Both attempts of a hedged call have one run.
        assert_eq!(dropped.load(Ordering::SeqCst), usize::from(way != "hedge"), "{way}");
    }
}

#[tokio::test(start_paused = true)]
async fn each_cancel_has_the_token_of_its_own_request() {
    let (handlers, dropped) = handlers("reviewer", "review");
    let calls = Arc::new(AtomicUsize::new(0));
    // Outside is a layer that gives up and makes the call again.
    let layer = ServiceBuilder::new().retry(crate::layers::Once::default()).timeout(Duration::from_millis(100));
    let layer = layer.map_request(move |mut call: OutgoingCall| {
        call.set_header("authorization", format!("Bearer t{}", calls.fetch_add(1, Ordering::SeqCst)));
        call
    });
    let server = |server: capgen::call::ServerBuilder| server.bearer_only(Arc::new(Everyone));
    let fixture = Fixture::start_with(handlers, |client| client.layer(layer), server).await;
    let spy = fixture.broker.connect();
    let mut control = spy.subscribe(&format!("{ADDRESS}.control"), SubscribeOptions::default()).await.unwrap();
    let (payload, options) = (json!({"url": "x", "depth": 1}), fixture.options());
    drop(fixture.client.call_json_with("reviewer", "review", &payload, &options, CallMode::Sync).await);
    assert_eq!(token(&mut control).await.as_deref(), Some("Bearer t0"));
    assert_eq!(token(&mut control).await.as_deref(), Some("Bearer t1"));
    sleep(SOON).await;
    assert_eq!(dropped.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn requests_with_other_proofs_are_not_replays() {
    let mut raw = Raw::start(|server| server.keys(agent_keys(&["caller"])).bearer_only(Arc::new(Everyone))).await;
    let plain = raw.request("1").to_string();
    let proved = [
        // Only a claim: `bob` states the agent and the id of a request that is not his.
        request(&raw, "1", "bob").to_string(),
        request(&raw, "1", "ann").to_string(),
        signed(&plain, "k1", SECRET),
        signed_by(&plain, "caller", "a1"),
    ];
    for expected in ["ok", "EAGENTRPC_AUTH_FAILED"] {
        for text in &proved {
            assert_eq!(raw.code(text.clone()).await, expected, "{text}");
        }
    }
    assert_eq!(raw.handled(), proved.len());
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_cancels_with_other_tokens_drops_no_cancel() {
    for (kind, of_flood) in [("one token", 1), ("many tokens", 10_000)] {
        let (mut raw, dropped) = start(false).await;
        let running = request(&raw, "1", "ann");
        let later = request(&raw, "2", "ann");
        raw.send(running.to_string()).await;
        sleep(SOON).await;
        for number in 0..1500 {
            // Few enough at a time that the broker keeps all of them.
            if number % 100 == 0 {
                sleep(Duration::from_millis(1)).await;
            }
            let token = format!("t{}", number % of_flood);
            send_control(&raw, cancel(&running, &format!("f{number}"), Some(&token))).await;
        }
        send_control(&raw, cancel(&running, "x", Some("ann"))).await;
        sleep(SOON).await;
        assert_eq!(dropped.load(Ordering::SeqCst), 1, "{kind}");
        if of_flood == 1 {
            send_control(&raw, cancel(&later, "y", Some("ann"))).await;
            sleep(SOON).await;
            raw.send(later.to_string()).await;
            assert_eq!(crate::fixture::raw::code(&raw.patient_response().await), "EAGENTRPC_ABANDONED");
        }
    }
}
