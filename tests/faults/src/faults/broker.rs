//! Brokers that end, with `kill -9`.

use std::sync::Arc;
use std::time::Duration;

use capgen::call::{Health, Retry, Transport, code};

use super::{NO_BROKER, error, none, ok, retries, row, timeout};
use crate::agent::Behaviour;
use crate::table::Observed;
use crate::world::{End, LONG, SHORT, World, until};

row!(
    broker_restarted,
    "The broker is killed and restarted while the handler runs.",
    [none(NO_BROKER), ok(1), ok(1)],
    restarted
);
row!(
    broker_down_during_response,
    "The handler ends while the broker is down, and the caller is connected again after the provider.",
    [none(NO_BROKER), timeout(1), timeout(1)],
    async |world| down_during(world, 1, SHORT * 3).await
);
row!(broker_down_during_response_retried, "With retries.", [none(NO_BROKER), ok(1), ok(1)], async |world| {
    down_during(world, 4, LONG).await
});
row!(
    broker_down,
    "The broker is down when the call starts.",
    [none(NO_BROKER), error(code::NO_TRANSPORT, 0), error(code::NO_TRANSPORT, 0)],
    async |world| down(world, 1).await
);
row!(
    broker_down_retried,
    "The same with retries; the broker is restarted meanwhile.",
    [none(NO_BROKER), ok(1), ok(1)],
    async |world| down(world, 10).await
);

async fn restarted(world: &mut World) -> Observed {
    let ends = [world.connect(End::Provider).await, world.connect(End::Caller).await];
    let _server = world.provide_on(Arc::clone(&ends[0]), Behaviour::Gated, |server| server).await;
    let client = world.client_on(Arc::clone(&ends[1]), |client| client).await;
    let options = world.options(LONG);
    let runs = Arc::clone(&world.runs);
    let call = tokio::spawn(calling(client, options, LONG));
    runs.started(1).await;
    // The handler may start before the broker has confirmed the request to the caller.
    tokio::time::sleep(Duration::from_millis(200)).await;
    world.server().kill();
    wait(&ends, Health::Reconnecting).await;
    tokio::task::block_in_place(|| world.server().restart());
    wait(&ends, Health::Connected).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    runs.open();
    let observed = call.await.expect("the call ends");
    world.settled(observed, 1, Duration::from_millis(200)).await
}

async fn down_during(world: &mut World, attempts: u32, limit: Duration) -> Observed {
    let ends = [world.connect(End::Provider).await, world.connect(End::Caller).await];
    let _server = world.provide_on(Arc::clone(&ends[0]), Behaviour::Gated, |server| server).await;
    let client = world.client_on(Arc::clone(&ends[1]), |client| client.retry(retries(attempts, limit))).await;
    let runs = Arc::clone(&world.runs);
    let call = tokio::spawn(calling(client, world.options(limit), limit));
    runs.started(1).await;
    // The handler may start before the broker has confirmed the request to the caller.
    tokio::time::sleep(Duration::from_millis(200)).await;
    world.server().kill();
    wait(&ends, Health::Reconnecting).await;
    world.close(End::Caller);
    runs.open();
    tokio::task::block_in_place(|| world.server().restart());
    until(&ends[0], Health::Connected).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    world.open(End::Caller);
    let observed = call.await.expect("the call ends");
    world.settled(observed, 1, Duration::from_millis(200)).await
}

async fn down(world: &mut World, attempts: u32) -> Observed {
    let ends = [world.connect(End::Provider).await, world.connect(End::Caller).await];
    let _server = world.provide_on(Arc::clone(&ends[0]), Behaviour::Answer, |server| server).await;
    let retry = Retry::attempts(attempts).backoff(Duration::from_secs(1), Duration::from_secs(2));
    let client = world.client_on(Arc::clone(&ends[1]), |client| client.retry(retry)).await;
    world.server().kill();
    wait(&ends, Health::Reconnecting).await;
    let call = tokio::spawn(calling(client, world.options(LONG), LONG));
    tokio::time::sleep(Duration::from_millis(50)).await;
    tokio::task::block_in_place(|| world.server().restart());
    let observed = call.await.expect("the call ends");
    world.settled(observed, 1, Duration::from_millis(200)).await
}

async fn wait(ends: &[Arc<dyn Transport>; 2], health: Health) {
    until(&ends[0], health).await;
    until(&ends[1], health).await;
}

/// A call with the number 1, as a task.
pub(super) async fn calling(
    client: capgen::call::Client,
    options: capgen::call::CallOptions,
    limit: Duration,
) -> Observed {
    let start = std::time::Instant::now();
    let result = client.call_with::<crate::Work>(&crate::Work::new(1), &options).await;
    crate::world::observed(result, 1, start.elapsed(), limit)
}
