//! Which attempts a client sends: heartbeats, hedging, capabilities that are not idempotent, and the budget.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::fixture::script::{Caller, DEADLINE, End, Provider, attempts, code_of, in_paused_time, is_at};
use crate::fixture::{Fixture, manifest};
use capgen::call::{BuildError, Client, Context, Handlers, Manifest, Retry, Status, code};
use capgen_manifest::SideEffects;
use serde_json::{Value, json};

/// Longer than three intervals of heartbeats.
const LONG: u64 = 10_000;

fn provider(script: &[(u64, End)]) -> Provider {
    Provider { script: script.to_vec(), beats: true, features: Some("heartbeat") }
}

#[test]
fn a_request_is_sent_again_after_three_heartbeats_are_missing() {
    in_paused_time(async {
        // The provider is killed after 2.5 s, and has sent two heartbeats.
        let caller = Caller::new(provider(&[(2501, End::Lost), (1, End::Valid)]), attempts(3), 1).await;
        let observed = caller.call(LONG).await;
        assert_eq!((code_of(&observed), observed.attempts), ("ok", 2));
        assert!(is_at(&observed, 5001), "{:?}", observed.elapsed);
    });
}

#[test]
fn a_provider_that_announced_heartbeats_must_send_them() {
    in_paused_time(async {
        let script = [(1, End::Valid), (1, End::Lost), (1, End::Valid)];
        let retry = attempts(3).heartbeat(Duration::from_millis(500));
        let caller = Caller::new(provider(&script), retry, 1).await;
        assert_eq!(code_of(&caller.call(LONG).await), "ok");
        let observed = caller.call(LONG).await;
        assert_eq!((code_of(&observed), observed.attempts), ("ok", 2));
        assert!(is_at(&observed, 1501), "{:?}", observed.elapsed);
    });
}

#[test]
fn the_silence_of_a_provider_without_heartbeats_means_nothing() {
    in_paused_time(async {
        let script = vec![(1, End::Valid), (9001, End::Valid)];
        let caller = Caller::new(&script, attempts(3), 1).await;
        assert_eq!(code_of(&caller.call(LONG).await), "ok");
        let observed = caller.call(LONG).await;
        assert_eq!((code_of(&observed), observed.attempts), ("ok", 1));
        assert!(is_at(&observed, 9001), "{:?}", observed.elapsed);
    });
}

#[test]
fn a_provider_that_sends_heartbeats_is_not_asked_again() {
    in_paused_time(async {
        let caller = Caller::new(provider(&[(9001, End::Valid)]), attempts(3), 1).await;
        let observed = caller.call(LONG).await;
        assert_eq!((code_of(&observed), observed.attempts), ("ok", 1));
    });
}

#[test]
fn a_request_that_is_lost_counts_until_the_deadline() {
    in_paused_time(async {
        // The first provider only seems to be killed.
        let script = [(1, End::Valid), (9001, End::Valid), (1, End::Lost), (1, End::Lost)];
        let caller = Caller::new(Provider { beats: false, ..provider(&script) }, attempts(3), 1).await;
        assert_eq!(code_of(&caller.call(LONG).await), "ok");
        let observed = caller.call(LONG).await;
        assert_eq!((code_of(&observed), observed.attempts), ("ok", 3));
        assert!(is_at(&observed, 9001), "{:?}", observed.elapsed);
    });
}

/// Sixty calls with three attempts each, at the same time and after each other.
#[tokio::test(start_paused = true)]
async fn a_slow_provider_runs_each_call_once() {
    for percent in [10, 40, 70, 95] {
        let runs = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&runs);
        let handlers = Handlers::new("reviewer").with_loose("review", move |_: Context, _: Value| {
            count.fetch_add(1, Ordering::SeqCst);
            async move {
                tokio::time::sleep(Duration::from_millis(5000 * percent / 100)).await;
                Ok(json!({"approved": true, "comment": "fine"}))
            }
        });
        let fixture = Fixture::start_with(handlers, |client| client.retry(Retry::attempts(3)), |server| server).await;
        let payload = json!({"url": "x", "depth": 1});
        for _ in 0..10 {
            let call = || fixture.client.call_json("reviewer", "review", &payload);
            let results = tokio::join!(call(), call(), call(), call(), call(), call());
            let statuses =
                [results.0, results.1, results.2, results.3, results.4, results.5].map(|result| result.status);
            assert_eq!(statuses, [Status::Ok; 6], "{percent}%");
        }
        assert_eq!((runs.load(Ordering::SeqCst), fixture.published()), (60, 60), "{percent}%");
    }
}

/// The contract with another declaration of its effects.
fn declared(idempotent: Option<bool>, side_effects: Option<SideEffects>) -> Manifest {
    let mut contract = manifest();
    for capability in &mut contract.capabilities {
        (capability.idempotent, capability.side_effects) = (idempotent, side_effects);
    }
    contract
}

#[test]
fn a_capability_with_effects_is_only_repeated_if_no_handler_started() {
    in_paused_time(async {
        let external = [declared(None, None), declared(Some(false), Some(SideEffects::External))];
        let repeatable = [
            declared(Some(true), None),
            declared(None, Some(SideEffects::Pure)),
            declared(Some(false), Some(SideEffects::Idempotent)),
        ];
        let all = external.into_iter().map(|contract| (contract, false));
        for (contract, is_repeatable) in all.chain(repeatable.map(|contract| (contract, true))) {
            for (first, is_without_effect) in [
                ((1, End::Busy), true),
                ((1, End::Retryable), false),
                ((1, End::NotSent), false),
                ((2501, End::Lost), false),
            ] {
                let provider = provider(&[first, (1, End::Valid)]);
                let caller = Caller::of(contract.clone(), provider, attempts(3), 1).await;
                let observed = caller.call(LONG).await;
                let expected = if is_repeatable || is_without_effect { ("ok", 2) } else { (code_of(&observed), 1) };
                assert_eq!((code_of(&observed), observed.attempts), expected, "{first:?} {contract:?}");
                assert!(expected.1 == 2 || code_of(&observed) != "ok");
            }
        }
    });
}

#[test]
fn hedging_sends_another_attempt_after_each_silence() {
    in_paused_time(async {
        let retry = attempts(3).hedge(Duration::from_millis(100));
        for (script, attempts, at) in [
            (vec![(51, End::Valid)], 1, 51),
            (vec![(901, End::Valid), (51, End::Valid)], 2, 151),
            (vec![(901, End::Valid), (51, End::Busy), (51, End::Valid)], 3, 202),
            (vec![(901, End::Valid), (801, End::Valid), (501, End::Valid), (1, End::Valid)], 3, 701),
        ] {
            let observed = Caller::new(&script, retry, 1).await.call(DEADLINE).await;
            assert_eq!((code_of(&observed), observed.attempts), ("ok", attempts), "{script:?}");
            assert!(is_at(&observed, at), "{script:?} {:?}", observed.elapsed);
        }
        let script = vec![(901, End::Valid), (51, End::Valid)];
        let observed = Caller::of(declared(None, None), &script, retry, 1).await.call(DEADLINE).await;
        assert_eq!((code_of(&observed), observed.attempts), ("ok", 1));
    });
}

#[tokio::test]
async fn hedging_excludes_a_timeout_of_attempts() {
    let both = Retry::attempts(2).hedge(Duration::from_millis(1)).attempt_timeout(Duration::from_secs(1));
    let error = Client::builder("concierge").retry(both).build().await.map(drop).unwrap_err();
    assert!(matches!(error, BuildError::InvalidRetry(_)));
    assert_eq!(
        error.to_string(),
        "the retries are invalid: `attempt_timeout` and `hedge` exclude each other: choose one"
    );
}

#[test]
fn further_attempts_are_a_part_of_the_calls() {
    in_paused_time(async {
        // Every provider is busy, so that each call would be sent three times.
        let script = vec![(1, End::Busy); 10_000];
        let caller = Caller::new(&script, attempts(3), 10_000).await;
        let mut sent = 0;
        for _ in 0..1000 {
            let observed = caller.call(DEADLINE).await;
            assert_eq!(code_of(&observed), code::BUSY);
            sent += observed.attempts;
        }
        // 100 for 10 s, and 20 percent of the calls, of which some are older than the window.
        assert!((1250..=1300).contains(&sent), "{sent}");
        // Without the budget, a call ends with its first attempt.
        let observed = caller.call(DEADLINE).await;
        assert_eq!(observed.attempts, 1);
        // The budget comes back.
        tokio::time::sleep(Duration::from_secs(11)).await;
        let observed = caller.call(DEADLINE).await;
        assert_eq!(observed.attempts, 3);
    });
}

#[test]
fn attempts_that_reach_no_provider_use_up_no_budget() {
    in_paused_time(async {
        let script = [vec![(1, End::NotSent); 1000], vec![(1, End::Valid)]].concat();
        let observed = Caller::new(&script, attempts(2000), 1).await.call(LONG).await;
        assert_eq!((code_of(&observed), observed.attempts), ("ok", 1001));
    });
}
