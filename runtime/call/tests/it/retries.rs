//! Calls with several attempts, against a provider that follows a script, in paused time.

use std::sync::Arc;
use std::time::Duration;

use crate::fixture::script::{
    Caller, DEADLINE, End, Observed, Provider, attempts, call, code_of, in_paused_time, is_at,
};
use crate::fixture::{ADDRESS, manifest};
use capgen::call::{
    CallMode, CallOptions, Client, Envelope, IncomingContent, MemoryBroker, PeerTable, Retry, Status, SubscribeOptions,
    Transport, code, header,
};
use proptest::prelude::*;
use serde_json::json;

fn scripts() -> impl Strategy<Value = Provider> {
    let end = prop_oneof![
        3 => Just(End::Valid),
        1 => Just(End::Invalid),
        2 => Just(End::Busy),
        1 => (0..2000_u64).prop_map(End::Later),
        1 => Just(End::Retryable),
        1 => Just(End::Final),
        2 => Just(End::Lost),
        1 => Just(End::NotSent),
    ];
    let script = prop::collection::vec(((0..600_u64).prop_map(|half| 2 * half + 1), end), 1..6);
    let features = prop_oneof![Just(None), Just(Some("heartbeat"))];
    (script, any::<bool>(), features).prop_map(|(script, beats, features)| Provider { script, beats, features })
}

fn retries() -> impl Strategy<Value = Retry> {
    (2..6_u32, 0..200_u64, 0..3_u8, 1..400_u64).prop_map(|(number, first, kind, after)| {
        let (first, after) = (Duration::from_millis(first), Duration::from_millis(after));
        let retry = Retry::attempts(number).backoff(first, first * 4).heartbeat(Duration::ZERO);
        match kind {
            0 => retry,
            1 => retry.attempt_timeout(after),
            _ => retry.hedge(after),
        }
    })
}

/// Whether an attempt after the first one had an answer that ends the call.
fn is_refused(provider: &Provider, observed: &Observed) -> bool {
    let later = provider.script.iter().take(observed.attempts).skip(1);
    code_of(observed) == "NEVER" && later.into_iter().any(|(_, end)| *end == End::Final)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn a_call_that_succeeds_without_retries_succeeds_with_them(provider in scripts(), retry in retries()) {
        let (without, with) =
            in_paused_time(async { (call(provider.clone(), Retry::default()).await, call(provider.clone(), retry).await) });
        prop_assert_eq!(without.attempts, 1);
        if without.result.status == Status::Ok && !is_refused(&provider, &with) {
            prop_assert_eq!(with.result.status, Status::Ok, "{:?}", with.result);
            prop_assert!(with.elapsed <= without.elapsed);
        }
        prop_assert!(with.elapsed <= Duration::from_millis(DEADLINE + 1), "{:?}", with.elapsed);
        prop_assert_eq!((without.in_flight, with.in_flight), (0, 0));
    }

    /// Also the other way round: what ends a call is something that happened to it.
    #[test]
    fn a_call_with_retries_succeeds_only_with_a_valid_response(provider in scripts(), retry in retries()) {
        let with = in_paused_time(call(provider.clone(), retry));
        let sent = provider.script.iter().take(with.attempts);
        let has = |wanted: fn(&End) -> bool| sent.clone().any(|(_, end)| wanted(end));
        let is_possible = match code_of(&with) {
            "ok" => has(|end| *end == End::Valid),
            code::BUSY => has(|end| matches!(end, End::Busy | End::Later(_))),
            "TRY_AGAIN" => has(|end| *end == End::Retryable),
            "NEVER" => has(|end| *end == End::Final),
            code::SCHEMA_VIOLATION => has(|end| *end == End::Invalid),
            code::NO_TRANSPORT => !has(|end| *end != End::NotSent),
            code::TIMEOUT => with.elapsed >= Duration::from_millis(DEADLINE),
            _ => false,
        };
        prop_assert!(is_possible, "{:?}", with.result);
    }

    /// A provider that answers in time gets each request once, also if it announces heartbeats.
    #[test]
    fn a_provider_that_works_gets_one_request(ms in 0..DEADLINE / 2, number in 2..6_u32) {
        let script = vec![(2 * ms + 1, End::Valid)];
        let provider = Provider { script, beats: true, features: Some("heartbeat cancel") };
        let retry = attempts(number).heartbeat(Duration::ZERO);
        let observed = in_paused_time(async {
            let caller = Caller::new(provider, retry, 1).await;
            // The first call makes the heartbeats known.
            [caller.call(DEADLINE).await, caller.call(DEADLINE).await]
        });
        prop_assert_eq!((code_of(&observed[0]), observed[0].attempts), ("ok", 1));
    }
}

/// Attempts without pauses, each of which counts as lost after a time in ms.
fn impatient(number: u32, ms: u64) -> Retry {
    attempts(number).attempt_timeout(Duration::from_millis(ms))
}

#[test]
fn a_late_answer_to_the_first_attempt_counts() {
    let observed = in_paused_time(call(&vec![(801, End::Valid)], impatient(3, 300)));
    assert_eq!((code_of(&observed), observed.attempts), ("ok", 3));
    assert!(is_at(&observed, 801), "{:?}", observed.elapsed);
}

#[test]
fn errors_of_later_attempts_that_are_retryable_do_not_end_a_call() {
    for end in [End::Busy, End::Retryable, End::Invalid, End::NotSent] {
        let script = vec![(801, End::Valid), (1, end), (1, end)];
        let observed = in_paused_time(call(&script, impatient(3, 300)));
        assert_eq!(code_of(&observed), "ok", "{end:?}");
        assert!(is_at(&observed, 801), "{end:?} {:?}", observed.elapsed);
    }
}

#[test]
fn the_first_answer_that_is_not_retryable_ends_a_call() {
    for (script, attempts, at) in [
        (vec![(1, End::Busy), (101, End::Final)], 2, 102),
        (vec![(401, End::Final), (501, End::Valid)], 2, 401),
        (vec![(801, End::Valid), (101, End::Final)], 2, 401),
    ] {
        let observed = in_paused_time(call(&script, impatient(5, 300)));
        assert_eq!((code_of(&observed), observed.attempts), ("NEVER", attempts), "{script:?}");
        assert!(is_at(&observed, at), "{script:?} {:?}", observed.elapsed);
    }
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
    let retry = impatient(u32::MAX, 1);
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
        let caller = Caller::new(&script, retry, 1).await;
        let (first, second) = tokio::join!(caller.call(5000), caller.call(5000));
        assert_eq!((code_of(&first), code_of(&second)), ("ok", "ok"), "{first:?} {second:?}");
    });
}

#[test]
fn a_pause_that_is_longer_than_the_rest_is_shortened() {
    let hour = Duration::from_secs(3600);
    let script = vec![(1, End::Later(3_600_000)), (1, End::Later(200)), (1, End::Valid)];
    let observed = in_paused_time(call(&script, Retry::attempts(3).backoff(hour, hour)));
    assert_eq!((code_of(&observed), observed.attempts), ("ok", 3));
    // Half of the rest, 1 ms, and the pause that the provider asks for, 1 ms.
    assert!(is_at(&observed, 1 + 500 + 1 + 200 + 1), "{:?}", observed.elapsed);
}

#[test]
fn each_attempt_has_its_own_id_and_number_in_one_call() {
    in_paused_time(async {
        let broker = MemoryBroker::new();
        let provider = broker.connect();
        let mut requests = provider.subscribe(ADDRESS, SubscribeOptions::default()).await.unwrap();
        let client = Client::builder("concierge")
            .transport(Arc::new(broker.connect()))
            .peers(PeerTable::new().with_manifest(&manifest()))
            .retry(impatient(3, 100));
        let client = client.build().await.unwrap();
        let payload = json!({"url": "x", "depth": 1});
        let call = tokio::spawn(async move { client.call_json("reviewer", "review", &payload).await.status });
        let mut seen = Vec::new();
        for _ in 0..3 {
            let IncomingContent::Message(text) = requests.next().await.unwrap().content else { panic!("a message") };
            seen.push(Envelope::decode(&text).unwrap());
        }
        let headers = |name: &str| seen.iter().map(|request| request.header(name)).collect::<Vec<_>>();
        assert_eq!(headers(header::ATTEMPT), [None, Some("2"), Some("3")]);
        assert_eq!(headers(header::HEARTBEAT), [Some("1000"); 3]);
        assert_eq!(headers(header::IDEMPOTENCY_KEY), [Some(seen[0].correlation_id()); 3]);
        let parts = |part: fn(&Envelope) -> String| seen.iter().map(part).collect::<std::collections::BTreeSet<_>>();
        assert_eq!(parts(|request| request.message_id().to_owned()).len(), 3);
        assert_eq!(parts(|request| request.correlation_id().to_owned()).len(), 1);
        assert_eq!(parts(|request| format!("{:?} {:?}", request.reply_to(), request.deadline())).len(), 1);
        // The answer to the second one ends the call.
        let answer = seen[1].response(Ok(json!({"approved": true, "comment": "fine"}).to_string().into())).unwrap();
        let address = seen[1].reply_to().unwrap().1.to_owned();
        let delivery = capgen::call::Delivery::AtMostOnce;
        let message =
            capgen::call::Outgoing { address, reply_to: None, payload: answer, delivery, message_id: String::new() };
        provider.publish(message).await.unwrap();
        assert_eq!(call.await.unwrap(), Status::Ok);
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
            let IncomingContent::Message(text) = incoming.unwrap().content else { continue };
            has_key.push(Envelope::decode(&text).unwrap().header("idempotency-key").is_some());
        }
        assert_eq!(has_key, [false, false, true]);
    });
}
