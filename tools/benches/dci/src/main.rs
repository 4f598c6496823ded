//! The cost of a run over many skills, in its stages.
//!
//! `cargo run --release -p dci [scale|depth]`, or both.

mod depth;
mod scale;
mod workspace;

use std::time::{Duration, Instant};

fn main() {
    let parts: Vec<String> = std::env::args().skip(1).collect();
    let all: [(&str, fn()); 2] = [("scale", scale::run), ("depth", depth::run)];
    assert!(parts.iter().all(|part| all.iter().any(|(name, _)| name == part)), "usage: dci [scale|depth]...");
    for (name, run) in all {
        if parts.is_empty() || parts.iter().any(|part| part == name) {
            println!("\n## {name}\n");
            run();
        }
    }
}

/// The result of some work, and the least duration of some runs of it. All of the work is on one thread, so that this
/// is its time on a processor if the machine is quiet.
fn least<T>(runs: usize, mut work: impl FnMut() -> T) -> (T, Duration) {
    let timed = |work: &mut dyn FnMut() -> T| {
        let start = Instant::now();
        let result = work();
        (result, start.elapsed())
    };
    let mut best = timed(&mut work);
    for _ in 1..runs {
        let next = timed(&mut work);
        if next.1 < best.1 {
            best = next;
        }
    }
    best
}

fn ms(duration: Duration) -> String {
    format!("{:.1} ms", duration.as_secs_f64() * 1e3)
}
