//! Callers that share a server: each has its part, and takes nothing from the others.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use capgen::call::{Handlers, ServerBuilder};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::fixture::raw::{Raw, SECRET, agent_keys, code, signed, signed_by};

/// Proves callers whose ids start with `proved`, by their keys. The others have a shared key.
fn proved(server: ServerBuilder) -> ServerBuilder {
    server.keys(agent_keys(&["proved-a", "proved-flood", "proved-new", "proved-other"]))
}

fn unproved(server: ServerBuilder) -> ServerBuilder {
    server
}

/// A server whose handlers wait until the test lets them end.
struct Blocked {
    raw: Raw,
    running: Arc<AtomicUsize>,
    end: Arc<Semaphore>,
}

impl Blocked {
    async fn start(server: impl FnOnce(ServerBuilder) -> ServerBuilder) -> Self {
        let (running, end) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
        let (count, permits) = (Arc::clone(&running), Arc::clone(&end));
        let handlers = Handlers::new("echo").with_loose("say", move |_, payload: Value| {
            count.fetch_add(1, Ordering::SeqCst);
            let permits = Arc::clone(&permits);
            async move {
                if payload["text"] != "quick" {
                    permits.acquire().await.unwrap().forget();
                }
                Ok(json!("done"))
            }
        });
        Self { raw: Raw::with_handlers(handlers, server).await, running, end }
    }

    /// Sends requests of a caller.
    async fn send(&self, caller: &str, count: usize, text: &str) {
        for number in 0..count {
            let mut request = self.raw.request(&format!("{caller}-{text}-{number}"));
            (request["from"], request["payload"]) = (json!(format!("agent://{caller}")), json!({"text": text}));
            request["deadline"] = json!(crate::fixture::raw::now() + 60_000);
            let text = request.to_string();
            let text =
                if caller.starts_with("proved") { signed_by(&text, caller, "a1") } else { signed(&text, "k1", SECRET) };
            self.raw.send(text).await;
        }
    }

    /// The numbers of handlers that run and of requests in the server, once they do not change any more.
    async fn settled(&self) -> (usize, usize) {
        let numbers = || (self.running.load(Ordering::SeqCst), self.raw.monitor().stats().errors);
        let mut last = numbers();
        loop {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let now = numbers();
            if now == last {
                return (now.0, now.1.try_into().unwrap());
            }
            last = now;
        }
    }
}

#[tokio::test]
async fn a_sole_caller_gets_the_whole_server_with_and_without_identities() {
    for (has_proof, caller) in [(false, "a"), (true, "proved-a"), (true, "unproved-a")] {
        let server = if has_proof { proved } else { unproved };
        let blocked = Blocked::start(|built| server(built.max_concurrent(8).max_waiting(24))).await;
        blocked.send(caller, 40, "slow").await;
        // 8 run, 24 wait, and 8 are refused.
        assert_eq!(blocked.settled().await, (8, 8), "{caller}");
        blocked.end.add_permits(40);
        assert_eq!(blocked.settled().await.0, 32, "{caller}");
    }
}

#[tokio::test]
async fn a_caller_that_fills_its_share_neither_delays_nor_refuses_a_newcomer() {
    for flood in ["proved-flood", "unproved-flood"] {
        let mut blocked = Blocked::start(|built| proved(built.max_concurrent(8).max_waiting(24))).await;
        blocked.send(flood, 100, "slow").await;
        assert_eq!(blocked.settled().await, (8, 68), "{flood}");
        for _ in 0..68 {
            let response = blocked.raw.response().await.unwrap();
            assert_eq!((&*code(&response), &response["payload"]["effect"]), ("EAGENTRPC_BUSY", &json!("none")));
        }
        // A newcomer runs at once, while the other's requests wait.
        for caller in ["proved-new", "proved-other"] {
            blocked.send(caller, 1, "quick").await;
            let response = blocked.raw.response().await.unwrap();
            assert_eq!((&*code(&response), response["to"].as_str().unwrap()), ("ok", &*format!("agent://{caller}")));
        }
        // Nothing of the first caller is lost.
        blocked.end.add_permits(100);
        for _ in 0..32 {
            let response = blocked.raw.response().await.unwrap();
            assert_eq!((&*code(&response), response["to"].as_str().unwrap()), ("ok", &*format!("agent://{flood}")));
        }
    }
}

#[tokio::test]
async fn callers_without_a_proof_are_one_caller() {
    let blocked = Blocked::start(|built| proved(built.max_concurrent(8).max_waiting(24))).await;
    // A flood that states another id in each message takes one share.
    for number in 0..60 {
        blocked.send(&format!("anyone-{number}"), 1, "slow").await;
    }
    assert_eq!(blocked.settled().await, (8, 28));
}

#[tokio::test]
async fn handlers_that_end_go_to_callers_in_turns() {
    let mut blocked = Blocked::start(|built| proved(built.max_concurrent(1).max_waiting(100))).await;
    blocked.send("proved-flood", 20, "slow").await;
    assert_eq!(blocked.settled().await, (1, 0));
    blocked.send("proved-new", 1, "slow").await;
    blocked.settled().await;
    let mut order = Vec::new();
    for _ in 0..3 {
        blocked.end.add_permits(1);
        let response = blocked.raw.response().await.unwrap();
        order.push(response["to"].as_str().unwrap().to_owned());
    }
    // The newcomer is the second, although nineteen others have waited for longer.
    assert_eq!(order, ["agent://proved-flood", "agent://proved-new", "agent://proved-flood"]);
}

#[tokio::test]
async fn a_cancelled_request_leaves_its_place_to_the_next_one() {
    let mut blocked = Blocked::start(|built| proved(built.max_concurrent(1).max_waiting(2))).await;
    blocked.send("proved-a", 3, "slow").await;
    assert_eq!(blocked.settled().await, (1, 0));
    // First one that waits, then the one that runs.
    for number in [1, 0] {
        let id = format!("proved-a-slow-{number}");
        let cancel = json!({
            "version": 1, "kind": "control", "messageId": format!("cancel-{number}"), "correlationId": format!("c-{id}"),
            "causedBy": id, "from": "agent://proved-a", "to": "agent://echo", "capability": "say",
            "deadline": crate::fixture::raw::now() + 5000, "headers": {"capgen-control": "cancel"},
            "payload": {"reason": "abandoned"},
        });
        let address = format!("{}.control", crate::fixture::ADDRESS);
        blocked.raw.send_to(&address, signed_by(&cancel.to_string(), "proved-a", "a1")).await;
        blocked.settled().await;
    }
    assert_eq!(blocked.settled().await.0, 2);
    blocked.end.add_permits(1);
    let response = blocked.raw.patient_response().await;
    assert_eq!((&*code(&response), &response["causedBy"]), ("ok", &json!("proved-a-slow-2")));
    blocked.send("proved-a", 1, "quick").await;
    assert_eq!(code(&blocked.raw.patient_response().await), "ok");
}
