//! Heartbeats: the messages of a provider that works on a request.

use std::time::Duration;

use capgen::call::{Keys, header};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::fixture::raw::{Raw, SECRET, code, signed};

/// A request whose handler takes some ms, and that asks for heartbeats.
fn request(raw: &Raw, id: &str, pause: u64, interval: &str) -> Value {
    let mut request = raw.request(id);
    request["headers"] = json!({header::HEARTBEAT: interval, header::TIMEOUT: "60000"});
    request["payload"] = json!({"pause": pause});
    request
}

/// The frames before the response with the time in ms at which each arrives, and the response.
async fn frames(raw: &mut Raw, start: Instant) -> (Vec<(Value, u128)>, Value) {
    let mut frames = Vec::new();
    loop {
        let message = raw.patient_response().await;
        if message["headers"].get(header::FRAME).is_none() {
            return (frames, message);
        }
        frames.push((message, start.elapsed().as_millis()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_runs_has_heartbeats() {
    let mut raw = Raw::start(|server| server).await;
    let start = Instant::now();
    raw.send(request(&raw, "1", 1900, "500").to_string()).await;
    let (frames, response) = frames(&mut raw, start).await;
    assert_eq!(frames.iter().map(|(_, at)| *at / 10).collect::<Vec<_>>(), [50, 100, 150]);
    for (frame, _) in &frames {
        assert_eq!((&frame["kind"], &frame["payload"]), (&json!("response"), &Value::Null));
        assert_eq!((&frame["correlationId"], &frame["causedBy"]), (&json!("c-1"), &json!("1")));
        assert_eq!(frame["headers"], json!({header::FRAME: "working", header::FEATURES: "heartbeat cancel"}));
    }
    assert_eq!((code(&response).as_str(), &response["headers"][header::FEATURES]), ("ok", &json!("heartbeat cancel")));
}

#[tokio::test(start_paused = true)]
async fn a_request_that_ends_before_the_first_interval_has_none() {
    let mut raw = Raw::start(|server| server).await;
    let start = Instant::now();
    raw.send(request(&raw, "1", 490, "500").to_string()).await;
    assert!(frames(&mut raw, start).await.0.is_empty());
    // Callers that do not ask for heartbeats, as older ones, get none.
    let mut old = raw.request("2");
    old["payload"] = json!({"pause": 4000});
    raw.send(old.to_string()).await;
    assert!(frames(&mut raw, start).await.0.is_empty());
}

#[tokio::test(start_paused = true)]
async fn requests_that_wait_have_heartbeats() {
    let mut raw = Raw::start(|server| server.max_concurrent(1)).await;
    let start = Instant::now();
    raw.send(request(&raw, "1", 1100, "30000").to_string()).await;
    raw.send(request(&raw, "2", 0, "500").to_string()).await;
    let (waiting, first) = frames(&mut raw, start).await;
    assert_eq!((waiting.len(), &first["causedBy"]), (2, &json!("1")));
    assert!(waiting.iter().all(|(frame, _)| frame["causedBy"] == "2"));
    // So does a request that waits for the answer to another one with its key.
    raw.response().await.unwrap();
    let start = Instant::now();
    for id in ["3", "4"] {
        let mut request = request(&raw, id, 1100, if id == "3" { "30000" } else { "500" });
        request["headers"][header::IDEMPOTENCY_KEY] = json!("key");
        raw.send(request.to_string()).await;
    }
    let (waiting, _) = frames(&mut raw, start).await;
    assert_eq!(waiting.iter().map(|(frame, _)| frame["causedBy"].clone()).collect::<Vec<_>>(), ["4", "4"]);
}

#[tokio::test(start_paused = true)]
async fn heartbeats_are_signed() {
    let keys = Keys::signing_with("k1", SECRET).unwrap();
    let mut raw = Raw::start(|server| server.keys(keys)).await;
    let mut request = request(&raw, "1", 300, "250");
    let payload = request.as_object_mut().unwrap().remove("payload").unwrap();
    request["payload"] = payload;
    raw.send(signed(&request.to_string(), "k1", SECRET)).await;
    let frame = raw.patient_response().await;
    assert_eq!((&frame["headers"][header::FRAME], &frame["auth"]["keyId"]), (&json!("working"), &json!("k1")));
}

#[tokio::test(start_paused = true)]
async fn invalid_intervals_and_attempts_are_refused_by_name() {
    let mut raw = Raw::start(|server| server).await;
    let invalid = ["0", "249", "30001", "0500", "+500", "-1", "1e3", "", " 500", "x", "99999999999999999999"];
    let intervals = invalid.map(|value| (header::HEARTBEAT, value));
    let attempts = ["0", "1", "02", "x", "4294967296"].map(|value| (header::ATTEMPT, value));
    for (name, value) in intervals.into_iter().chain(attempts) {
        let mut request = raw.request("1");
        request["headers"] = json!({name: value});
        raw.send(request.to_string()).await;
        let response = raw.response().await.unwrap();
        assert_eq!(code(&response), "EAGENTRPC_INVALID_ENVELOPE", "{name}: {value:?}");
        assert!(response["payload"]["message"].as_str().unwrap().contains(&format!("`{name}`")), "{response}");
        assert_eq!(response["payload"]["effect"], "none");
    }
    for (name, value) in [(header::HEARTBEAT, "250"), (header::HEARTBEAT, "30000"), (header::ATTEMPT, "2")] {
        let mut request = raw.request(value);
        request["headers"] = json!({name: value});
        assert_eq!(raw.code(request.to_string()).await, "ok", "{name}: {value}");
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(raw.handled(), 3);
}
