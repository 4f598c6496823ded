//! Prints the tables of retries in `docs/calls.md`.
//!
//! Usage: `cargo build -p capgen-faults --bins && target/debug/retries [<calls>]`

use std::process::ExitCode;
use std::time::Duration;

use capgen_faults::{Outcome, Retries, latency, retried};

#[tokio::main]
async fn main() -> ExitCode {
    let calls = std::env::args().nth(1).map_or(Some(10_000), |calls| calls.parse().ok());
    let Some(calls) = calls else {
        eprintln!("usage: retries [<calls>]");
        return ExitCode::from(2);
    };
    println!("| a handler takes | timeout | without retries | with retries | with `attempt_timeout` of a third |");
    println!("|---|---|---|---|---|");
    for milliseconds in [10, 50, 100, 200] {
        for timeout in [150, 400] {
            let (taken, limit) = (Duration::from_millis(milliseconds), Duration::from_millis(timeout));
            let mut row = format!("| {milliseconds} ms | {timeout} ms |");
            for retries in [Retries::Off, Retries::On, Retries::After(limit / 3)] {
                let Some(Outcome { succeeded, runs, .. }) = latency(taken, limit, retries).await else {
                    return ExitCode::from(2);
                };
                row += &format!(" {succeeded} ok, {runs} runs |");
            }
            println!("{row}");
        }
    }
    println!(
        "\n| store of keys | calls | instances killed | restarts of the broker | failed | runs | twice on one instance |"
    );
    println!("| on several | run again after a kill | longest |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for shared in [false, true] {
        let Some(retried) = retried(calls, shared).await else { return ExitCode::from(2) };
        println!("| {} | {retried} |", if shared { "one for all instances" } else { "none" });
    }
    ExitCode::SUCCESS
}
