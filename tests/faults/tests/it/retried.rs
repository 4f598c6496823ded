//! Many calls with retries, while the broker and instances of the provider are killed.

use std::time::Duration;

use capgen_faults::{Outcome, Retried, Retries};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn retries_lose_no_call_and_repeat_none_on_one_instance() {
    check(1_000, false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn retries_repeat_no_call_on_instances_with_a_store_of_keys() {
    check(1_000, true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute"]
async fn complete_10_000_calls_with_retries() {
    for shared in [false, true] {
        check(10_000, shared).await;
    }
}

async fn check(calls: u64, shared: bool) {
    let Some(retried) = capgen_faults::retried(calls, shared).await else { return };
    println!("{retried}\n{retried:?}");
    let Retried { calls: ended, failed, faults, twice_on_one, twice, .. } = retried;
    assert_eq!((ended, failed.len(), faults), (calls, 0, [4, 4]), "{failed:?}");
    assert_eq!(twice_on_one, 0, "calls that one instance ran twice");
    assert!(!shared || twice == 0, "{twice} calls that several instances ran");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_handler_is_not_run_again_and_no_call_fails_because_of_retries() {
    let (latency, timeout) = (Duration::from_millis(400), Duration::from_secs(2));
    for retries in [Retries::Off, Retries::On] {
        let Some(outcome) = capgen_faults::latency(latency, timeout, retries).await else { return };
        assert_eq!(outcome, Outcome { calls: 100, succeeded: 100, runs: 100 }, "{retries:?}");
    }
    let Some(outcome) = capgen_faults::latency(latency, timeout, Retries::After(latency / 2)).await else { return };
    assert_eq!(outcome.succeeded, 100);
    // The budget: 20% of the calls, and 10 per second.
    assert!((101..=200).contains(&outcome.runs), "{outcome:?}");
}
