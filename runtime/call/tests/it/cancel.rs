//! Cancelling calls: the messages of callers, and the reactions of providers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use capgen::call::{
    AuditRecord, CallMode, CallOptions, Context, Handlers, IncomingContent, Keys, MemoryAudit, Retry, Status,
    SubscribeOptions, Subscription, Transport, code, header,
};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::fixture::Fixture;
use crate::fixture::raw::{Raw, SECRET, now, signed};

/// The address of control messages.
const CONTROL: &str = "agents.reviewer.requests.control";
/// A cancel takes effect within this time.
const SOON: Duration = Duration::from_millis(50);

/// The numbers of handlers that started, and of those that were dropped before their end.
#[derive(Clone, Default)]
struct Runs {
    started: Arc<AtomicUsize>,
    dropped: Arc<AtomicUsize>,
}

/// Counts a handler that is dropped.
struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Runs {
    fn get(&self) -> (usize, usize) {
        (self.started.load(Ordering::SeqCst), self.dropped.load(Ordering::SeqCst))
    }

    /// Handlers of an agent that answer after a second.
    fn handlers(&self, agent: &str, name: &str) -> Handlers {
        let runs = self.clone();
        Handlers::new(agent).with_loose(name, move |_: Context, _: Value| {
            runs.started.fetch_add(1, Ordering::SeqCst);
            let unless_ended = Dropped(Arc::clone(&runs.dropped));
            async move {
                sleep(Duration::from_secs(1)).await;
                std::mem::forget(unless_ended);
                Ok(json!({"approved": true, "comment": "fine"}))
            }
        })
    }
}

fn payload() -> Value {
    json!({"url": "x", "depth": 1})
}

/// The statuses of the calls in an audit.
fn statuses(audit: &MemoryAudit) -> Vec<String> {
    let calls = audit.records().into_iter().map(|record| match record {
        AuditRecord::Call(call) => format!("{} {}", call.status, call.error_code.unwrap_or_default()),
        AuditRecord::Violation(_) => "violation".to_owned(),
    });
    calls.collect()
}

/// The messages that wait in a subscription.
async fn messages(subscription: &mut Subscription) -> Vec<Value> {
    let mut messages = Vec::new();
    while let Ok(Some(incoming)) = tokio::time::timeout(Duration::from_millis(1), subscription.next()).await {
        let IncomingContent::Message(text) = incoming.content else { continue };
        messages.push(serde_json::from_slice(&text).unwrap());
    }
    messages
}

#[tokio::test(start_paused = true)]
async fn dropping_a_call_drops_its_handler() {
    for retry in [Retry::default(), Retry::attempts(3)] {
        let runs = Runs::default();
        let fixture = Fixture::start_with(
            runs.handlers("reviewer", "review"),
            |client| client.retry(retry),
            |server| server.audit_calls(true),
        )
        .await;
        let spy = fixture.broker.connect();
        let mut control = spy.subscribe(CONTROL, SubscribeOptions::default()).await.unwrap();
        let payload = payload();
        let call = fixture.client.call_json("reviewer", "review", &payload);
        assert!(tokio::time::timeout(Duration::from_millis(100), call).await.is_err());
        sleep(SOON).await;
        assert_eq!((runs.get(), fixture.server.in_flight()), ((1, 1), 0));
        assert_eq!(statuses(&fixture.provider_audit), ["abandoned EAGENTRPC_ABANDONED"]);
        sleep(Duration::from_secs(2)).await;
        assert_eq!(fixture.client.unexpected_responses(), 0);
        let sent = messages(&mut control).await;
        assert_eq!(sent.len(), 1, "{sent:?}");
        assert_eq!((&sent[0]["kind"], &sent[0]["payload"]), (&json!("control"), &json!({"reason": "abandoned"})));
        assert_eq!(sent[0]["headers"][header::CONTROL], "cancel");
    }
}

#[tokio::test(start_paused = true)]
async fn closing_a_client_cancels_its_calls() {
    for retry in [Retry::default(), Retry::attempts(3)] {
        let runs = Runs::default();
        let handlers = runs.handlers("reviewer", "review");
        let fixture = Fixture::start_with(handlers, |client| client.retry(retry), |server| server).await;
        let spy = fixture.broker.connect();
        let mut control = spy.subscribe(CONTROL, SubscribeOptions::default()).await.unwrap();
        let (payload, options) = (payload(), CallOptions::new());
        let later = CallMode::Async(Arc::new(|result| assert_eq!(result.status, Status::Abandoned)));
        fixture.client.call_json_with("reviewer", "review", &payload, &options, later).await;
        let waits = fixture.client.call_json("reviewer", "review", &payload);
        let close = async {
            sleep(Duration::from_millis(100)).await;
            fixture.client.close();
        };
        let (result, ()) = tokio::join!(waits, close);
        assert_eq!(result.status, Status::Abandoned);
        sleep(SOON).await;
        assert_eq!(runs.get(), (2, 2));
        let sent = messages(&mut control).await;
        assert_eq!(sent.iter().map(|sent| sent["payload"]["reason"].clone()).collect::<Vec<_>>(), ["closed", "closed"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_ends_by_itself_is_not_cancelled() {
    for retry in [Retry::default(), Retry::attempts(3)] {
        let runs = Runs::default();
        let handlers = runs.handlers("reviewer", "review");
        let fixture = Fixture::start_with(handlers, |client| client.retry(retry), |server| server).await;
        let spy = fixture.broker.connect();
        let mut control = spy.subscribe(CONTROL, SubscribeOptions::default()).await.unwrap();
        let payload = payload();
        for (timeout, status) in [(2000, Status::Ok), (500, Status::Timeout)] {
            let options = CallOptions::new().timeout(Duration::from_millis(timeout));
            let call = fixture.client.call_json_with("reviewer", "review", &payload, &options, CallMode::Sync);
            assert_eq!(call.await.status, status);
        }
        let result = fixture.client.call_json("reviewer", "review", &json!({"url": "x"})).await;
        assert_eq!(result.status, Status::SchemaViolation);
        sleep(SOON).await;
        assert!(messages(&mut control).await.is_empty());
        // Both sides know the deadline, so the handler is dropped too.
        assert_eq!(runs.get(), (2, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn the_losers_of_a_hedged_call_are_cancelled() {
    let runs = Runs::default();
    let handlers = || runs.handlers("reviewer", "review");
    let retry = Retry::attempts(2).hedge(Duration::from_millis(300));
    let fixture = Fixture::start_with(handlers(), |client| client.retry(retry), |server| server).await;
    let second = capgen::call::Server::builder(handlers());
    let second = second.listen(Arc::new(fixture.broker.connect()), crate::fixture::ADDRESS).start().await.unwrap();
    let spy = fixture.broker.connect();
    let mut control = spy.subscribe(CONTROL, SubscribeOptions::default()).await.unwrap();
    assert_eq!(fixture.client.call_json("reviewer", "review", &payload()).await.status, Status::Ok);
    sleep(SOON).await;
    assert_eq!((runs.get(), fixture.server.in_flight() + second.in_flight()), ((2, 1), 0));
    let sent = messages(&mut control).await;
    assert_eq!(sent.len(), 1);
    assert!(sent[0]["payload"]["reason"] == "superseded" && sent[0]["causedBy"].is_string(), "{sent:?}");
}

/// A server whose handlers take a second, and their numbers.
async fn slow() -> (Raw, Runs) {
    let runs = Runs::default();
    (Raw::with_handlers(runs.handlers("echo", "say"), |server| server).await, runs)
}

/// A cancel of the request with an id.
fn cancel(request: &Value, id: &str) -> Value {
    json!({
        "version": 1, "kind": "control", "messageId": id, "correlationId": request["correlationId"],
        "causedBy": request["messageId"], "from": "agent://caller", "to": "agent://echo", "capability": "say",
        "deadline": now() + 5000, "headers": {header::CONTROL: "cancel"}, "payload": {"reason": "for fun"},
    })
}

#[tokio::test(start_paused = true)]
async fn a_cancel_ends_the_request_that_it_names() {
    let (mut raw, runs) = slow().await;
    let (one, two) = (raw.request("1"), raw.request("2"));
    raw.send(one.to_string()).await;
    raw.send(two.to_string()).await;
    sleep(SOON).await;
    // Repeated cancels do nothing more.
    for id in ["a", "b", "a"] {
        raw.send_to(CONTROL, cancel(&one, id).to_string()).await;
    }
    sleep(SOON).await;
    assert_eq!(runs.get(), (2, 1));
    let response = raw.patient_response().await;
    assert_eq!(response["causedBy"], "2");
    // So do late ones, and those of unknown requests.
    raw.send_to(CONTROL, cancel(&two, "c").to_string()).await;
    raw.send_to(CONTROL, cancel(&raw.request("3"), "d").to_string()).await;
    assert_eq!(raw.response().await, None);
    assert_eq!(runs.get(), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn a_server_follows_a_thousand_cancels_of_running_calls_in_a_second() {
    let (raw, runs) = slow().await;
    let [one, two] = ["1", "2"].map(|id| raw.request(id));
    for request in [&one, &two] {
        raw.send(request.to_string()).await;
    }
    sleep(SOON).await;
    let mut other = cancel(&one, "x");
    other["causedBy"] = json!("another attempt");
    let send = async |message: &Value, count: usize| {
        for number in 0..count {
            raw.send_to(CONTROL, message.to_string()).await;
            if number % 100 == 0 {
                // The broker has room for some.
                sleep(Duration::from_millis(1)).await;
            }
        }
    };
    send(&other, 999).await;
    // Those of calls that run at other instances do not count.
    send(&cancel(&raw.request("x"), "y"), 2000).await;
    raw.send_to(CONTROL, cancel(&one, "a").to_string()).await;
    raw.send_to(CONTROL, cancel(&two, "b").to_string()).await;
    sleep(SOON).await;
    assert_eq!(runs.get(), (2, 1));
    sleep(Duration::from_millis(850)).await;
    assert_eq!(runs.get(), (2, 1), "the requests take a second");
    // The next second has room.
    let three = raw.request("3");
    raw.send(three.to_string()).await;
    sleep(SOON).await;
    sleep(SOON).await;
    raw.send_to(CONTROL, cancel(&three, "c").to_string()).await;
    sleep(SOON).await;
    assert_eq!(runs.get(), (3, 2));
}

#[tokio::test(start_paused = true)]
async fn a_cancel_without_a_cause_ends_all_requests_of_the_call() {
    let (raw, runs) = slow().await;
    for id in ["1", "2", "3"] {
        let mut request = raw.request(id);
        request["correlationId"] = json!(if id == "3" { "other" } else { "call" });
        raw.send(request.to_string()).await;
    }
    sleep(SOON).await;
    let mut cancel = cancel(&json!({"correlationId": "call"}), "x");
    cancel.as_object_mut().unwrap().remove("causedBy");
    raw.send_to(CONTROL, cancel.to_string()).await;
    sleep(SOON).await;
    assert_eq!(runs.get(), (3, 2));
}

#[tokio::test(start_paused = true)]
async fn a_cancel_must_have_the_properties_of_the_request() {
    let (mut raw, runs) = slow().await;
    let mut request = raw.request("1");
    request["tenantId"] = json!("acme");
    raw.send(request.to_string()).await;
    sleep(SOON).await;
    let mut right = cancel(&request, "x");
    right["tenantId"] = json!("acme");
    for (name, value) in [
        ("from", json!("agent://other")),
        ("to", json!("agent://other")),
        ("tenantId", json!("other")),
        ("capability", json!("other")),
        ("correlationId", json!("other")),
        ("causedBy", json!("other")),
        ("kind", json!("request")),
        ("kind", json!("event")),
        ("kind", json!("response")),
        ("headers", json!({header::CONTROL: "credit"})),
        ("headers", json!({})),
        ("version", json!(2)),
    ] {
        let mut wrong = right.clone();
        wrong[name] = value;
        raw.send_to(CONTROL, wrong.to_string()).await;
    }
    // A control message at the address of requests is dropped, and so is a request at the address of control messages.
    raw.send(right.to_string()).await;
    raw.send_to(CONTROL, raw.request("2").to_string()).await;
    sleep(SOON).await;
    assert_eq!(runs.get(), (1, 0));
    let response = raw.patient_response().await;
    assert_eq!((&response["causedBy"], raw.response().await), (&json!("1"), None));
    // The same cancel without a mistake.
    request["messageId"] = json!("3");
    raw.send(request.to_string()).await;
    sleep(SOON).await;
    right["causedBy"] = json!("3");
    raw.send_to(CONTROL, right.to_string()).await;
    sleep(SOON).await;
    assert_eq!(runs.get(), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn a_request_that_was_cancelled_before_is_not_run() {
    let (mut raw, runs) = slow().await;
    let (one, other) = (raw.request("1"), raw.request("2"));
    raw.send_to(CONTROL, cancel(&one, "x").to_string()).await;
    sleep(SOON).await;
    raw.send(one.to_string()).await;
    let response = raw.response().await.unwrap();
    assert_eq!(
        (&response["payload"]["code"], &response["payload"]["effect"]),
        (&json!(code::ABANDONED), &json!("none"))
    );
    raw.send(other.to_string()).await;
    raw.patient_response().await;
    assert_eq!(runs.get(), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn only_the_owner_of_a_key_can_cancel_and_only_once() {
    let runs = Runs::default();
    let keys = Keys::signing_with("k1", SECRET).unwrap();
    let mut raw = Raw::with_handlers(runs.handlers("echo", "say"), |server| server.keys(keys)).await;
    let request = raw.request("1");
    raw.send(signed(&request.to_string(), "k1", SECRET)).await;
    sleep(SOON).await;
    let text = cancel(&request, "x").to_string();
    let right = signed(&text, "k1", SECRET);
    let forged = [
        text.clone(),
        signed(&text, "k2", SECRET),
        signed(&text, "k1", b"another secret of 16 bytes"),
        right.replace("for fun", "because"),
    ];
    for forged in forged {
        raw.send_to(CONTROL, forged).await;
    }
    // It is too old.
    let mut old = cancel(&request, "y");
    old["deadline"] = json!(now() - 301_000);
    raw.send_to(CONTROL, signed(&old.to_string(), "k1", SECRET)).await;
    sleep(SOON).await;
    assert_eq!(runs.get(), (1, 0));
    raw.send_to(CONTROL, right.clone()).await;
    sleep(SOON).await;
    assert_eq!(runs.get(), (1, 1));
    // A copy of the same message does not cancel another request of the call.
    raw.send_to(CONTROL, right).await;
    sleep(SOON).await;
    let mut next = raw.request("2");
    next["correlationId"] = request["correlationId"].clone();
    raw.send(signed(&next.to_string(), "k1", SECRET)).await;
    assert_eq!(raw.patient_response().await["causedBy"], "2");
}

#[tokio::test(start_paused = true)]
async fn a_request_whose_answer_another_one_waits_for_goes_on() {
    let (mut raw, runs) = slow().await;
    let keyed = |id: &str, raw: &Raw| {
        let mut request = raw.request(id);
        (request["headers"], request["payload"]) = (json!({header::IDEMPOTENCY_KEY: "key"}), json!("x"));
        request
    };
    let (one, two) = (keyed("1", &raw), keyed("2", &raw));
    raw.send(one.to_string()).await;
    raw.send(two.to_string()).await;
    sleep(SOON).await;
    raw.send_to(CONTROL, cancel(&one, "x").to_string()).await;
    sleep(SOON * 4).await;
    assert_eq!(runs.get(), (1, 0));
    sleep(Duration::from_secs(1)).await;
    // The second one has the answer, and nothing ran twice.
    let answers = [raw.response().await.unwrap(), raw.response().await.unwrap_or_default()];
    assert!(answers.iter().any(|answer| answer["causedBy"] == "2"), "{answers:?}");
    assert_eq!(runs.get(), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_request_without_a_waiting_caller_ends() {
    let (mut raw, runs) = slow().await;
    let mut requests = ["1", "2"].map(|id| raw.request(id));
    for request in &mut requests {
        (request["headers"], request["payload"]) = (json!({header::IDEMPOTENCY_KEY: "key"}), json!("x"));
        raw.send(request.to_string()).await;
    }
    sleep(SOON).await;
    for (request, id) in requests.iter().zip(["x", "y"]) {
        raw.send_to(CONTROL, cancel(request, id).to_string()).await;
        sleep(SOON).await;
    }
    assert_eq!(runs.get(), (1, 1));
    assert_eq!(raw.response().await, None);
}
