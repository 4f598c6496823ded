//! The load test, for a short time.

use std::time::Duration;

use capgen_faults::{Kind, load};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_load_leaks_no_memory_and_no_task_and_audits_every_violation() {
    let load = load(Kind::Memory, Duration::from_secs(10), 64).await.unwrap();
    println!("{load}");
    assert!(load.calls > 500 && load.violations.iter().all(|violations| *violations > 0), "{load}");
    assert!(load.is_complete(), "{load}");
    assert!(load.has_no_task_leak(), "{load}");
    assert!(load.is_flat(), "{load}");
}
