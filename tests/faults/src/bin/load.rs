//! The load test.
//!
//! Usage: `cargo run --release -p capgen-faults --bin load -- [--seconds 300] [--callers 64] [--transport memory|nats]`

use std::process::ExitCode;
use std::time::Duration;

use capgen_faults::{Kind, load};

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).map(String::as_str)
    };
    let seconds = option("--seconds").map_or(Some(300), |seconds| seconds.parse().ok());
    let callers = option("--callers").map_or(Some(64), |callers| callers.parse().ok());
    let kind = match option("--transport") {
        None | Some("memory") => Some(Kind::Memory),
        Some("nats") => Some(Kind::Nats),
        Some(_) => None,
    };
    let (Some(seconds), Some(callers), Some(kind)) = (seconds, callers, kind) else {
        eprintln!("usage: load [--seconds <n>] [--callers <n>] [--transport memory|nats]");
        return ExitCode::from(2);
    };
    let Some(load) = load(kind, Duration::from_secs(seconds), callers).await else { return ExitCode::from(2) };
    println!("{load}");
    if load.is_flat() && load.has_no_task_leak() && load.is_complete() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
