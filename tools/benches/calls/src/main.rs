//! Prints the cost of calls: over `memory` beside a bare tokio channel, and over NATS beside bare `async-nats`
//! request/reply, gRPC and Connect.
//!
//! All ways of one transport run in rounds, one after the other, so that a busy machine affects all of them.

mod bare;
mod memory;
mod nats;
#[path = "../../../../generated/pr-reviewer.rs"]
mod pr_reviewer;
mod remote;

use std::future::Future;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;

/// The requests of a round, and the number of rounds.
const CALLS: usize = 20_000;
const ROUNDS: usize = 5;

/// The time of a round, the latency of each call, and the processor time of this process and of the broker.
struct Round {
    total: Duration,
    latencies: Vec<Duration>,
    parties: Duration,
    broker: Duration,
}

#[tokio::main]
async fn main() {
    let only = std::env::args().nth(1);
    let runs = |name: &str| only.as_deref().is_none_or(|only| only == name);
    if runs("memory") {
        memory::run().await;
    }
    if runs("nats") {
        nats::run().await;
    }
}

/// Runs `call` from `concurrency` tasks, `CALLS` times in total.
async fn round<F, Fut>(concurrency: usize, broker: Option<u32>, call: F) -> Round
where
    F: Fn() -> Fut + Clone + Send + 'static,
    Fut: Future<Output = ()> + Send,
{
    let processors = || (ProcessTime::now(), broker.map_or(Duration::ZERO, time_of));
    let (parties, others) = processors();
    let start = Instant::now();
    let tasks: Vec<_> = (0..concurrency)
        .map(|_| {
            let call = call.clone();
            tokio::spawn(async move {
                let mut latencies = Vec::with_capacity(CALLS / concurrency);
                for _ in 0..CALLS / concurrency {
                    let start = Instant::now();
                    call().await;
                    latencies.push(start.elapsed());
                }
                latencies
            })
        })
        .collect();
    let mut latencies = Vec::new();
    for task in tasks {
        latencies.extend(task.await.expect("no call panics"));
    }
    let total = start.elapsed();
    let (now, broker) = processors();
    Round { total, latencies, parties: now.duration_since(parties), broker: broker.saturating_sub(others) }
}

/// The processor time that another process has used; zero if it is not known, because the system is not Linux.
fn time_of(process: u32) -> Duration {
    let Ok(text) = std::fs::read_to_string(format!("/proc/{process}/stat")) else { return Duration::ZERO };
    // The name of the program ends with `)`, and may contain spaces.
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|ticks| ticks.parse::<u64>().ok()).unwrap_or(0);
    Duration::from_millis((ticks(11) + ticks(12)) * 10)
}

/// The results of one way in all rounds.
struct Way {
    name: &'static str,
    rounds: Vec<Round>,
}

/// Prints a row per way: the median of the calls per second, relative to the first way; latencies; and processor time
/// per call.
fn table(title: &str, ways: &mut [Way]) {
    println!("\n{title}\n| way | calls/s | of the first | p50, µs | p99, µs | CPU, µs | of the broker |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    let mut first = None;
    for way in ways {
        let mut rates: Vec<f64> =
            way.rounds.iter().map(|round| round.latencies.len() as f64 / round.total.as_secs_f64()).collect();
        rates.sort_by(f64::total_cmp);
        let rate = rates[rates.len() / 2];
        let first = *first.get_or_insert(rate);
        let mut latencies: Vec<Duration> =
            way.rounds.iter().flat_map(|round| round.latencies.iter().copied()).collect();
        latencies.sort();
        let at = |share: f64| latencies[(latencies.len() as f64 * share) as usize].as_secs_f64() * 1e6;
        let (p50, p99) = (at(0.5), at(0.99));
        let per_call = |time: fn(&Round) -> Duration| {
            way.rounds.iter().map(time).sum::<Duration>().as_secs_f64() * 1e6 / latencies.len() as f64
        };
        let (parties, broker) = (per_call(|round| round.parties), per_call(|round| round.broker));
        let share = rate / first * 100.0;
        println!("| {} | {rate:.0} | {share:.0}% | {p50:.1} | {p99:.1} | {parties:.1} | {broker:.1} |", way.name);
    }
}
