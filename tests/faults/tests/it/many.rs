//! Many calls with real brokers.

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_calls_with_real_brokers_end_and_lose_nothing() {
    check(1_000).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes half a minute"]
async fn complete_10_000_calls_with_real_brokers_end_and_lose_nothing() {
    let calls = std::env::var("CAPGEN_CALLS").ok().and_then(|calls| calls.parse().ok()).unwrap_or(10_000);
    check(calls).await;
}

async fn check(calls: u64) {
    let Some(counts) = capgen_faults::many(calls).await else { return };
    let ok: u64 = counts.ends.iter().filter(|((_, status), _)| *status == "ok").map(|(_, count)| count).sum();
    // Retries outlast the faults, unless the machine is extremely slow.
    assert!(ok * 10 >= calls * 9, "only {ok} of {calls} calls succeeded: {:?}", counts.ends);
    assert!(counts.faults.len() == 4, "{:?}", counts.faults);
}
