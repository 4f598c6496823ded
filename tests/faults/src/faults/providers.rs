//! Providers and callers that end.

use std::time::Duration;

use capgen::call::{Status, code};

use super::{broker::calling, ends, error, ok, retries, row, timeout};
use crate::agent::Behaviour;
use crate::child::Child;
use crate::table::{Cell, Kind, Observed};
use crate::world::{ACK_WAIT, LONG, SHORT, World};

row!(
    no_provider,
    "No provider runs. A stored request waits until one starts.",
    [error(code::NO_PEER, 0), error(code::NO_PEER, 0), ok(1)],
    missing
);
row!(
    provider_killed,
    "The provider is killed while the handler runs (in one program: the server is dropped). A second provider starts afterwards.",
    [abandoned(1), timeout(1), ok(2)],
    async |world| killed(world, 1).await
);
row!(provider_killed_retried, "With retries.", [ok(2), ok(2), ok(2)], async |world| killed(world, 3).await);
row!(
    shutdown_with_patience,
    "The provider shuts down while the handler runs, and waits for it.",
    [ok(1), ok(1), ok(1)],
    async |world| shutdown(world, LONG).await
);
row!(
    shutdown_at_once,
    "The provider shuts down while the handler runs, without waiting. A second provider runs.",
    [abandoned(1), abandoned(1), ok(2)],
    async |world| shutdown(world, Duration::ZERO).await
);
row!(caller_closes, "The client is closed while the handler runs.", [abandoned(1), abandoned(1), abandoned(1)], closes);

fn abandoned(runs: u32) -> Cell {
    ends(Status::Abandoned, Some(code::ABANDONED), runs..=runs)
}

async fn missing(world: &mut World) -> Observed {
    let client = world.client().await;
    let starts_later = async {
        if world.kind != Kind::JetStream {
            return None;
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
        Some(world.provide(Behaviour::Answer).await)
    };
    let (observed, _server) = tokio::join!(world.call(&client, 1, LONG), starts_later);
    observed
}

async fn killed(world: &mut World, attempts: u32) -> Observed {
    let limit = if attempts == 1 && world.kind == Kind::Nats { SHORT * 2 } else { LONG / 2 };
    let transport = world.connect(crate::End::Caller).await;
    let client = world.client_on(transport, |client| client.retry(retries(attempts, limit))).await;
    let options = world.options(limit);
    if world.kind == Kind::Memory {
        let server = world.provide(Behaviour::Gated).await;
        let call = tokio::spawn(calling(client, options, limit));
        world.runs.started(1).await;
        let second = world.provide(Behaviour::Answer).await;
        drop(server);
        let observed = call.await.expect("the call ends");
        drop(second);
        return world.settled(observed, 1, Duration::ZERO).await;
    }
    let mut child = Child::start(world).await;
    let call = tokio::spawn(calling(client, options, limit));
    let runs = child.has_started_a_run().await;
    child.kill().await;
    let _server = world.provide(Behaviour::Answer).await;
    let observed = call.await.expect("the call ends");
    let observed = world.settled(observed, 1, ACK_WAIT).await;
    Observed { runs: observed.runs + runs, ..observed }
}

async fn shutdown(world: &mut World, patience: Duration) -> Observed {
    let server = world.provide(Behaviour::Gated).await;
    let client = world.client().await;
    let call = tokio::spawn(calling(client, world.options(LONG), LONG));
    world.runs.started(1).await;
    let _second = match patience.is_zero() {
        true => Some(world.provide(Behaviour::Answer).await),
        false => None,
    };
    let runs = std::sync::Arc::clone(&world.runs);
    let opening = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        if !patience.is_zero() {
            runs.open();
        }
    };
    let (in_time, ()) = tokio::join!(server.shutdown(patience), opening);
    assert_eq!(in_time, !patience.is_zero());
    let observed = call.await.expect("the call ends");
    world.settled(observed, 1, Duration::from_millis(100)).await
}

async fn closes(world: &mut World) -> Observed {
    let _server = world.provide(Behaviour::Gated).await;
    let client = world.client().await;
    let call = tokio::spawn(calling(client.clone(), world.options(LONG), LONG));
    world.runs.started(1).await;
    client.close();
    let observed = call.await.expect("the call ends");
    world.settled(observed, 1, Duration::ZERO).await
}
