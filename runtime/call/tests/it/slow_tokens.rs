//! Tokens whose verification takes long, and callers that are not proved yet.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use capgen::call::{
    BoxFuture, Context, Handlers, InvalidToken, Principal, ServerBuilder, TokenVerifier, code as codes, header,
};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::fixture::ADDRESS;
use crate::fixture::raw::{Raw, SECRET, agent_keys, code, now, signed, signed_by};

/// Verifies tokens by their subject; those that start with `slow` only when the test lets it.
struct Slow {
    started: AtomicUsize,
    end: Semaphore,
}

impl Slow {
    fn new() -> Arc<Self> {
        Arc::new(Self { started: AtomicUsize::new(0), end: Semaphore::new(0) })
    }

    fn started(&self) -> usize {
        self.started.load(Ordering::SeqCst)
    }
}

impl TokenVerifier for Slow {
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, InvalidToken>> {
        Box::pin(async move {
            self.started.fetch_add(1, Ordering::SeqCst);
            if token.starts_with("slow") {
                self.end.acquire().await.unwrap().forget();
            }
            Ok(Principal::new("https://login.example.com", token))
        })
    }
}

/// A server whose handler answers with the subject, or never ends.
async fn start(
    verifier: &Arc<Slow>,
    server: impl FnOnce(ServerBuilder, Arc<dyn TokenVerifier>) -> ServerBuilder,
) -> Raw {
    let handlers = Handlers::new("echo").with_loose("say", async |context: Context, payload: Value| {
        if payload["text"] == "endless" {
            std::future::pending::<()>().await;
        }
        Ok(json!(context.principal().map(|principal| principal.subject.clone())))
    });
    let verifier: Arc<dyn TokenVerifier> = verifier.clone();
    Raw::with_handlers(handlers, |built| server(built, verifier)).await
}

fn request(raw: &Raw, id: &str, from: &str, token: &str) -> Value {
    let mut request = raw.request(id);
    request["from"] = json!(format!("agent://{from}"));
    request["deadline"] = json!(now() + 60_000);
    request["headers"] = json!({"authorization": format!("Bearer {token}"), header::TIMEOUT: "60000"});
    request
}

async fn until(condition: impl Fn() -> bool) {
    while !condition() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_has_heartbeats_while_its_token_is_verified() {
    for is_signed in [true, false] {
        let verifier = Slow::new();
        let mut raw = start(&verifier, |server, verifier| server.keys(agent_keys(&["a"])).bearer_only(verifier)).await;
        let mut request = request(&raw, "1", "a", "slow");
        request["headers"][header::HEARTBEAT] = json!("500");
        let text = request.to_string();
        raw.send(if is_signed { signed_by(&text, "a", "a1") } else { text }).await;
        for _ in 0..3 {
            let frame = raw.patient_response().await;
            assert_eq!(frame["headers"][header::FRAME], "working");
            // Nothing proves yet who sent the request, so the server signs nothing for its sender.
            assert_eq!(frame.get("auth").is_some(), is_signed);
        }
        verifier.end.add_permits(1);
        let response = raw.patient_response().await;
        assert_eq!((code(&response), &response["payload"]), ("ok".to_owned(), &json!("slow")));
        assert!(response.get("auth").is_some());
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_ends_at_its_deadline_while_its_token_is_verified() {
    for is_signed in [true, false] {
        let verifier = Slow::new();
        let mut raw = start(&verifier, |server, verifier| server.keys(agent_keys(&["a"])).bearer_only(verifier)).await;
        let mut request = request(&raw, "1", "a", "slow");
        request["headers"][header::TIMEOUT] = json!("200");
        let text = request.to_string();
        raw.send(if is_signed { signed_by(&text, "a", "a1") } else { text }).await;
        let response = raw.patient_response().await;
        assert_eq!(code(&response), codes::DEADLINE_EXCEEDED);
        assert_eq!((response["payload"]["effect"].as_str(), response.get("auth").is_some()), (Some("none"), is_signed));
        assert_eq!(verifier.started(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_can_be_cancelled_while_its_token_is_verified() {
    let verifier = Slow::new();
    let mut raw = start(&verifier, |server, verifier| server.keys(agent_keys(&["a"])).tokens(verifier)).await;
    let request = request(&raw, "1", "a", "slow");
    raw.send(signed_by(&request.to_string(), "a", "a1")).await;
    until(|| verifier.started() == 1).await;
    let cancel = json!({
        "version": 1, "kind": "control", "messageId": "2", "correlationId": request["correlationId"], "causedBy": "1",
        "from": request["from"], "to": request["to"], "capability": "say", "deadline": request["deadline"],
        "headers": {header::CONTROL: "cancel"}, "payload": null,
    });
    raw.send_to(&format!("{ADDRESS}.control"), signed_by(&cancel.to_string(), "a", "a1")).await;
    let monitor = raw.monitor();
    until(|| monitor.stats().errors == 1).await;
    assert_eq!((raw.response().await, monitor.stats().handled), (None, 0));
}

#[tokio::test]
async fn tokens_that_are_verified_slowly_take_the_share_of_their_agent_alone() {
    let verifier = Slow::new();
    let server = |server: ServerBuilder, verifier| {
        server.keys(agent_keys(&["a", "b"])).tokens(verifier).max_concurrent(2).max_waiting(6)
    };
    let mut raw = start(&verifier, server).await;
    for number in 0..20 {
        let text = request(&raw, &format!("slow-{number}"), "a", "slow").to_string();
        raw.send(signed_by(&text, "a", "a1")).await;
    }
    // 8 of 10 places are those of a caller that is alone.
    for _ in 0..12 {
        assert_eq!(code(&raw.patient_response().await), codes::BUSY);
    }
    until(|| verifier.started() == 8).await;
    let text = request(&raw, "b", "b", "quick").to_string();
    assert_eq!(raw.code(signed_by(&text, "b", "a1")).await, "ok");
    // Callers with a shared key, whose tokens are verified, are not delayed either.
    let text = request(&raw, "c", "c", "quick").to_string();
    assert_eq!(raw.code(signed(&text, "k1", SECRET)).await, "ok");
    verifier.end.add_permits(8);
    for _ in 0..8 {
        assert_eq!(code(&raw.patient_response().await), "ok");
    }
}

#[tokio::test]
async fn a_principal_has_a_share_of_its_own_after_its_token_is_verified() {
    let verifier = Slow::new();
    let server = |server: ServerBuilder, verifier| server.bearer_only(verifier).max_concurrent(70).max_waiting(10);
    let mut raw = start(&verifier, server).await;
    // One caller that is alone gets 80 of 100 places.
    for number in 0..84 {
        let mut request = request(&raw, &format!("ann-{number}"), "a", "ann");
        request["payload"] = json!({"text": "endless"});
        raw.send(request.to_string()).await;
    }
    for _ in 0..4 {
        assert_eq!(code(&raw.patient_response().await), codes::BUSY);
    }
    let text = request(&raw, "bob", "a", "bob").to_string();
    assert_eq!(raw.code(text).await, "ok");
    // Those whose tokens are verified slowly take the room of others of which that is true, and none of principals.
    for number in 0..20 {
        raw.send(request(&raw, &format!("slow-{number}"), "a", "slow").to_string()).await;
    }
    for _ in 0..4 {
        assert_eq!(code(&raw.patient_response().await), codes::BUSY);
    }
    let text = request(&raw, "bob-2", "a", "bob").to_string();
    assert_eq!(raw.code(text).await, "ok");
}

#[tokio::test]
async fn a_token_is_verified_after_the_checks_that_cost_nothing() {
    let verifier = Slow::new();
    let server = |server: ServerBuilder, verifier| server.keys(agent_keys(&["a"])).tokens(verifier).tenant("acme");
    let mut raw = start(&verifier, server).await;
    let valid = || {
        let mut request = request(&raw, "1", "a", "quick");
        request["tenantId"] = json!("acme");
        request
    };
    let with = |path: &str, value: Value| {
        let mut request = valid();
        *request.pointer_mut(path).unwrap() = value;
        signed_by(&request.to_string(), "a", "a1")
    };
    let all = [
        (with("/to", json!("agent://other")), codes::INVALID_ENVELOPE),
        (with("/tenantId", json!("zeta")), codes::TENANT_MISMATCH),
        (with("/headers/capgen-timeout-ms", json!("0")), codes::INVALID_ENVELOPE),
        (with("/deadline", json!(1)), codes::DEADLINE_EXCEEDED),
    ];
    let last = signed_by(&valid().to_string(), "a", "a1");
    for (text, expected) in all {
        assert_eq!(raw.code(text).await, expected);
    }
    assert_eq!(verifier.started(), 0);
    assert_eq!((raw.code(last).await.as_str(), verifier.started()), ("ok", 1));
}
