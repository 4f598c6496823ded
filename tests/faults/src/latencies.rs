//! Slow handlers against timeouts, with and without retries.

use std::sync::Arc;
use std::time::Duration;

use capgen::call::{CallOptions, Client, Retry, Server};
use tokio::task::JoinSet;

use crate::world::{End, peers};
use crate::{ADDRESS, AGENT, Kind, Runs, Work, World, handlers};

/// The calls of a cell of the table.
const CALLS: u64 = 100;
/// Few, so that the latencies of the table are those of the handlers and not of a queue.
const AT_ONCE: u64 = 10;
/// The instances of the provider. They have no common store, so each runs a repeated request.
const INSTANCES: usize = 3;

/// When the client sends a request again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Retries {
    /// Never.
    Off,
    /// If an attempt is lost.
    On,
    /// Also after a time without a response.
    After(Duration),
}

/// The results of the calls of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The calls.
    pub calls: u64,
    /// Those that succeeded.
    pub succeeded: u64,
    /// The runs of handlers.
    pub runs: u64,
}

/// Calls a provider whose handlers take `latency`. `None` if the broker is not installed.
///
/// # Panics
///
/// The agents do not start.
pub async fn run(latency: Duration, timeout: Duration, retries: Retries) -> Option<Outcome> {
    let world = World::start(Kind::Nats).await?;
    let mut instances = Vec::new();
    for _ in 0..INSTANCES {
        let server =
            Server::builder(handlers(&world.runs, latency)).listen(world.connect(End::Provider).await, ADDRESS);
        instances.push(server.start().await.expect("a provider"));
    }
    let retry = match retries {
        Retries::Off => Retry::attempts(1),
        Retries::On => Retry::attempts(3),
        Retries::After(timeout) => Retry::attempts(3).attempt_timeout(timeout),
    };
    let client =
        Client::builder("caller").transport(world.connect(End::Caller).await).peers(peers("nats")).retry(retry);
    let client = client.build().await.expect("a client");
    let mut succeeded = 0;
    for batch in 0..CALLS / AT_ONCE {
        let calls = (0..AT_ONCE).map(|number| call(client.clone(), batch * AT_ONCE + number, timeout));
        let ends = calls.collect::<JoinSet<_>>().join_all().await;
        succeeded += ends.into_iter().map(u64::from).sum::<u64>();
    }
    // Requests that are on their way may still run.
    tokio::time::sleep(timeout).await;
    Some(Outcome { calls: CALLS, succeeded, runs: total(&world.runs) })
}

async fn call(client: Client, number: u64, timeout: Duration) -> bool {
    client.call_with::<Work>(&Work::new(number), &CallOptions::new().peer(AGENT).timeout(timeout)).await.is_ok()
}

fn total(runs: &Arc<Runs>) -> u64 {
    runs.all().values().map(|runs| u64::from(*runs)).sum()
}
