//! Calls with several attempts, against a provider that follows a script, in paused time.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::fixture::{ADDRESS, manifest};
use capgen::call::{
    BoxFuture, CallMode, CallOptions, CallResult, Client, Delivery, Envelope, ErrorPayload, Event, Health,
    MemoryBroker, MemoryTransport, Outgoing, PeerTable, Retry, Status, SubscribeOptions, Subscription, Transport,
    TransportError, code,
};
use proptest::prelude::*;
use serde_json::json;
use tokio::time::{Instant, sleep};

/// What happens to one attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    /// A valid response.
    Valid,
    /// A response that violates its schema.
    Invalid,
    /// `EAGENTRPC_BUSY`.
    Busy,
    /// A failure that is retryable.
    Retryable,
    /// A failure that is not.
    Final,
    /// No answer.
    Lost,
    /// The transport does not take the request.
    NotSent,
}

/// The ends of the attempts of a call, each after a time in ms. Later attempts are lost.
type Script = Vec<(u64, End)>;

/// The deadline of each call, in ms. Scripts have odd times, so that an answer is before it or after it.
const DEADLINE: u64 = 1000;

/// A transport that does not take some of the requests.
struct Scripted {
    inner: MemoryTransport,
    script: Script,
    published: Arc<AtomicUsize>,
}

impl Transport for Scripted {
    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    fn publish(&self, message: Outgoing) -> BoxFuture<'_, Result<(), TransportError>> {
        let number = self.published.fetch_add(1, Ordering::SeqCst);
        match self.script.get(number) {
            Some(&(after, End::NotSent)) => Box::pin(async move {
                sleep(Duration::from_millis(after)).await;
                Err(TransportError::Disconnected("cut".to_owned()))
            }),
            _ => {
                let mut message = message;
                // The provider learns from the message which attempt it is.
                message.reply_to = Some(number.to_string());
                self.inner.publish(message)
            }
        }
    }

    fn subscribe(
        &self,
        address: &str,
        options: SubscribeOptions,
    ) -> BoxFuture<'_, Result<Subscription, TransportError>> {
        self.inner.subscribe(address, options)
    }

    fn new_inbox(&self) -> String {
        self.inner.new_inbox()
    }

    fn max_message(&self) -> usize {
        self.inner.max_message()
    }

    fn health(&self) -> Health {
        self.inner.health()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.inner.close()
    }
}

/// The payload of an answer; `None` if there is none.
fn answer(end: End) -> Option<Result<bytes::Bytes, ErrorPayload>> {
    let error = |code: &str| Some(Err(ErrorPayload::of(code, "from the script")));
    match end {
        End::Valid => Some(Ok(json!({"approved": true, "comment": "fine"}).to_string().into())),
        End::Invalid => Some(Ok("{}".into())),
        End::Busy => error(code::BUSY),
        End::Retryable => Some(Err(ErrorPayload::of("TRY_AGAIN", "from the script").with_retryable(true))),
        End::Final => error("NEVER"),
        End::Lost | End::NotSent => None,
    }
}

/// Answers the attempts of a call by a script.
async fn provide(transport: MemoryTransport, mut requests: Subscription, script: Script) {
    let transport = Arc::new(transport);
    while let Some(incoming) = requests.next().await {
        let Event::Message(text) = incoming.event else { continue };
        let number: usize = incoming.reply_to.unwrap().parse().unwrap();
        let (after, end) = script.get(number).copied().unwrap_or((0, End::Lost));
        let (transport, request) = (Arc::clone(&transport), Envelope::decode(&text).unwrap());
        tokio::spawn(async move {
            let Some(payload) = answer(end).map(|answer| request.response(answer).unwrap()) else { return };
            sleep(Duration::from_millis(after)).await;
            let address = request.reply_to().unwrap().1.to_owned();
            let delivery = Delivery::AtMostOnce;
            let message = Outgoing { address, reply_to: None, payload, delivery, message_id: String::new() };
            let _ = transport.publish(message).await;
        });
    }
}

/// A call, its duration and the number of its attempts.
struct Observed {
    result: CallResult,
    elapsed: Duration,
    attempts: usize,
    in_flight: usize,
}

/// A client whose requests a script answers.
async fn client(script: &Script, retry: Retry, max_in_flight: usize) -> (Client, Arc<AtomicUsize>) {
    let broker = MemoryBroker::new();
    let provider = broker.connect();
    let requests = provider.subscribe(ADDRESS, SubscribeOptions::default()).await.unwrap();
    tokio::spawn(provide(provider, requests, script.clone()));
    let published = Arc::new(AtomicUsize::new(0));
    let transport = Scripted { inner: broker.connect(), script: script.clone(), published: Arc::clone(&published) };
    let client = Client::builder("concierge")
        .transport(Arc::new(transport))
        .peers(PeerTable::new().with_manifest(&manifest()))
        .retry(retry)
        .max_in_flight(max_in_flight);
    (client.build().await.unwrap(), published)
}

/// Makes a call whose attempts end as a script says.
async fn call(script: &Script, retry: Retry) -> Observed {
    // One call in flight is enough for all attempts.
    let (client, published) = client(script, retry, 1).await;
    let options = CallOptions::new().timeout(Duration::from_millis(DEADLINE));
    let (start, payload) = (Instant::now(), json!({"url": "x", "depth": 1}));
    let result = client.call_json_with("reviewer", "review", &payload, &options, CallMode::Sync).await;
    let (elapsed, attempts) = (start.elapsed(), published.load(Ordering::SeqCst));
    Observed { result, elapsed, attempts, in_flight: client.in_flight() }
}

fn in_paused_time<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(test)
}

fn code_of(observed: &Observed) -> &str {
    observed.result.error.as_ref().map_or("ok", |error| &error.code)
}

fn is_at(observed: &Observed, ms: u64) -> bool {
    let elapsed = observed.elapsed;
    elapsed >= Duration::from_millis(ms) && elapsed < Duration::from_millis(ms + 20)
}

/// Retries without pauses.
fn attempts(number: u32) -> Retry {
    Retry::attempts(number).backoff(Duration::ZERO, Duration::ZERO)
}

fn scripts() -> impl Strategy<Value = Script> {
    let end = prop_oneof![
        3 => Just(End::Valid),
        1 => Just(End::Invalid),
        2 => Just(End::Busy),
        1 => Just(End::Retryable),
        1 => Just(End::Final),
        2 => Just(End::Lost),
        1 => Just(End::NotSent),
    ];
    prop::collection::vec(((0..600_u64).prop_map(|half| 2 * half + 1), end), 1..6)
}

fn retries() -> impl Strategy<Value = Retry> {
    (2..6_u32, 0..200_u64, prop::option::of(1..400_u64)).prop_map(|(number, first, timeout)| {
        let retry = Retry::attempts(number).backoff(Duration::from_millis(first), Duration::from_millis(first * 4));
        timeout.map_or(retry, |timeout| retry.attempt_timeout(Duration::from_millis(timeout)))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn a_call_that_succeeds_without_retries_succeeds_with_them(script in scripts(), retry in retries()) {
        let (without, with) = in_paused_time(async { (call(&script, Retry::default()).await, call(&script, retry).await) });
        prop_assert_eq!(without.attempts, 1);
        if without.result.status == Status::Ok {
            prop_assert_eq!(with.result.status, Status::Ok, "{:?}", with.result);
            prop_assert!(with.elapsed <= without.elapsed);
        }
        prop_assert!(with.elapsed <= Duration::from_millis(DEADLINE + 1), "{:?}", with.elapsed);
        prop_assert_eq!((without.in_flight, with.in_flight), (0, 0));
    }

    /// Also the other way round: what ends a call is something that happened to it.
    #[test]
    fn a_call_with_retries_succeeds_only_with_a_valid_response(script in scripts(), retry in retries()) {
        let with = in_paused_time(call(&script, retry));
        let sent = script.iter().take(with.attempts);
        if with.result.status == Status::Ok {
            prop_assert!(sent.clone().any(|(_, end)| *end == End::Valid));
        }
        let is_possible = match code_of(&with) {
            "ok" => true,
            code::BUSY => sent.clone().any(|(_, end)| *end == End::Busy),
            "TRY_AGAIN" => sent.clone().any(|(_, end)| *end == End::Retryable),
            "NEVER" => sent.clone().any(|(_, end)| *end == End::Final),
            code::SCHEMA_VIOLATION => sent.clone().any(|(_, end)| *end == End::Invalid),
            code::NO_TRANSPORT => sent.clone().all(|(_, end)| *end == End::NotSent),
            code::TIMEOUT => with.elapsed >= Duration::from_millis(DEADLINE),
            _ => false,
        };
        prop_assert!(is_possible, "{:?}", with.result);
    }
}

#[test]
fn a_late_answer_to_the_first_attempt_counts() {
    let observed = in_paused_time(call(&vec![(801, End::Valid)], attempts(3)));
    assert_eq!((code_of(&observed), observed.attempts), ("ok", 3));
    assert!(is_at(&observed, 801), "{:?}", observed.elapsed);
}

#[test]
fn errors_of_later_attempts_do_not_end_a_call_whose_first_attempt_may_succeed() {
    for end in [End::Busy, End::Retryable, End::Final, End::Invalid, End::NotSent] {
        let observed = in_paused_time(call(&vec![(801, End::Valid), (1, end), (1, end)], attempts(3)));
        assert_eq!(code_of(&observed), "ok", "{end:?}");
        assert!(is_at(&observed, 801), "{end:?} {:?}", observed.elapsed);
    }
}

#[test]
fn an_answer_that_is_not_retryable_ends_a_call_whose_first_attempt_has_failed() {
    let script = vec![(1, End::Busy), (101, End::Final)];
    let observed = in_paused_time(call(&script, attempts(5)));
    assert_eq!((code_of(&observed), observed.attempts), ("NEVER", 2));
    assert!(is_at(&observed, 102), "{:?}", observed.elapsed);
    // The first attempt's own answer ends the call whatever the others do.
    let script = vec![(401, End::Final), (501, End::Valid)];
    let observed = in_paused_time(call(&script, attempts(3)));
    assert!(code_of(&observed) == "NEVER" && is_at(&observed, 401), "{:?}", observed.elapsed);
}

#[test]
fn without_a_success_the_last_answer_or_the_deadline_counts() {
    for (script, expected, at) in [
        // An answer is given at the deadline, because another attempt may have succeeded until then.
        (vec![(1, End::Busy), (1, End::Lost)], code::BUSY, DEADLINE),
        (vec![(1, End::Busy), (1, End::Retryable), (1, End::Lost)], "TRY_AGAIN", DEADLINE),
        // It is not known whether the second request ran.
        (vec![(1, End::NotSent), (1, End::Lost)], code::TIMEOUT, DEADLINE),
        (vec![(1, End::Lost)], code::TIMEOUT, DEADLINE),
        (vec![(1, End::Lost), (1, End::Final)], "NEVER", DEADLINE),
        // No attempt is outstanding, and none follows.
        (vec![(1, End::Busy), (1, End::Busy), (1, End::Retryable)], "TRY_AGAIN", 3),
        (vec![(1, End::NotSent), (1, End::NotSent), (1, End::NotSent)], code::NO_TRANSPORT, 3),
    ] {
        let observed = in_paused_time(call(&script, attempts(3)));
        assert_eq!(code_of(&observed), expected, "{script:?}");
        assert!(is_at(&observed, at), "{script:?} {:?}", observed.elapsed);
    }
}

#[test]
fn a_bounded_number_of_attempts_waits_at_the_same_time() {
    let retry = attempts(u32::MAX).attempt_timeout(Duration::from_millis(1));
    let mut script = vec![(1, End::Lost); 64];
    let observed = in_paused_time(call(&script, retry));
    assert_eq!((code_of(&observed), observed.attempts), (code::TIMEOUT, 64));
    // The end of an attempt makes room for another one.
    script = [vec![(501, End::Busy)], vec![(1, End::Lost); 63], vec![(1, End::Valid)]].concat();
    let observed = in_paused_time(call(&script, retry));
    assert_eq!((code_of(&observed), observed.attempts), ("ok", 65));
}

#[test]
fn a_call_that_waits_for_room_in_its_client_is_repeated() {
    in_paused_time(async {
        let script = vec![(101, End::Valid), (1, End::Valid)];
        let retry = Retry::attempts(20).backoff(Duration::from_millis(100), Duration::from_millis(100));
        let (client, _) = client(&script, retry, 1).await;
        let payload = json!({"url": "x", "depth": 1});
        let call = || client.call_json("reviewer", "review", &payload);
        let (first, second) = tokio::join!(call(), call());
        assert_eq!((first.status, second.status), (Status::Ok, Status::Ok), "{first:?} {second:?}");
    });
}

/// Only requests that may be sent again have a key, which the provider keeps in memory.
#[test]
fn requests_that_are_sent_once_have_no_key() {
    in_paused_time(async {
        let broker = MemoryBroker::new();
        let provider = broker.connect();
        let mut requests = provider.subscribe(ADDRESS, SubscribeOptions::default()).await.unwrap();
        let client = Client::builder("concierge")
            .transport(Arc::new(broker.connect()))
            .peers(PeerTable::new().with_manifest(&manifest()))
            .retry(attempts(2))
            .build()
            .await
            .unwrap();
        let (options, payload) = (CallOptions::new(), json!({"url": "x", "depth": 1}));
        let mut has_key = Vec::new();
        for mode in [CallMode::FireAndForget, CallMode::Async(Arc::new(drop)), CallMode::Sync] {
            let call = client.call_json_with("reviewer", "review", &payload, &options, mode);
            let (_, incoming) = tokio::join!(tokio::time::timeout(Duration::from_secs(1), call), requests.next());
            let Event::Message(text) = incoming.unwrap().event else { continue };
            has_key.push(Envelope::decode(&text).unwrap().header("idempotency-key").is_some());
        }
        assert_eq!(has_key, [false, false, true]);
    });
}
