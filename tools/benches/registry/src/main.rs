//! The speed of the registry, beside a plain table of SQLite with an index that answers the same questions.
//!
//! `cargo run --release -p registry [fold|resolve|append|catch-up|memory]`, or all of them.

mod append;
mod catch_up;
mod events;
mod fold;
mod memory;
mod peer;
mod resolve;

use std::time::{Duration, Instant};

fn main() {
    let parts: Vec<String> = std::env::args().skip(1).collect();
    if let Some(("child", arguments)) = parts.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return memory::child(arguments);
    }
    let all: [(&str, fn()); 5] = [
        ("fold", fold::run),
        ("resolve", resolve::run),
        ("append", append::run),
        ("catch-up", catch_up::run),
        ("memory", memory::run),
    ];
    assert!(
        parts.iter().all(|part| all.iter().any(|(name, _)| name == part)),
        "usage: registry [fold|resolve|append|catch-up|memory]..."
    );
    for (name, run) in all {
        if parts.is_empty() || parts.iter().any(|part| part == name) {
            println!("\n## {name}\n");
            run();
        }
    }
}

/// The least duration of some runs.
fn least(runs: usize, mut work: impl FnMut() -> Duration) -> Duration {
    (0..runs).map(|_| work()).min().unwrap_or_default()
}

/// The duration of some work.
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}

/// Events per second.
fn rate(events: u64, duration: Duration) -> f64 {
    events as f64 / duration.as_secs_f64()
}
