//! Connections that are cut.

use std::sync::Arc;
use std::time::Duration;

use capgen::call::Health;
use tokio::sync::watch;

use super::{NO_CONNECTION, none, ok, retries, row, timeout};
use crate::agent::Behaviour;
use crate::injected::{Injected, first};
use crate::table::Observed;
use crate::world::{ACK_WAIT, End, LONG, SHORT, World, until};

row!(
    caller_cut_before_response,
    "The caller's connection is cut while the handler runs, and is back before the response.",
    [none(NO_CONNECTION), ok(1), ok(1)],
    before
);
row!(
    caller_cut_during_response,
    "The caller's connection is back only after the response was sent.",
    [none(NO_CONNECTION), timeout(1), timeout(1)],
    async |world| during(world, 1, SHORT * 2).await
);
row!(caller_cut_during_response_retried, "With retries.", [none(NO_CONNECTION), ok(1), ok(1)], async |world| during(
    world,
    3,
    SHORT * 4
)
.await);
row!(
    provider_cut_before_response,
    "The provider's connection is cut while the handler runs, and comes back after the handler has ended.",
    [none(NO_CONNECTION), ok(1), ok(1)],
    provider
);
row!(
    provider_cut_after_response,
    "The provider's connection is cut after the response was sent; a stored request is not acknowledged yet.",
    [none(NO_CONNECTION), ok(1), ok(1)],
    after
);

/// Lets the broker's acknowledgement of a stored request reach the caller. The handler may start before that, and a
/// caller that is cut then does not know whether its request was stored: the call ends at once.
async fn acknowledged() {
    tokio::time::sleep(Duration::from_millis(100)).await;
}

async fn before(world: &mut World) -> Observed {
    let _server = world.provide(Behaviour::Gated).await;
    let transport = world.connect(End::Caller).await;
    let client = world.client_on(Arc::clone(&transport), |client| client).await;
    let cut = async {
        world.runs.started(1).await;
        acknowledged().await;
        world.close(End::Caller);
        until(&transport, Health::Reconnecting).await;
        world.open(End::Caller);
        until(&transport, Health::Connected).await;
        // The client is connected before it has subscribed again.
        tokio::time::sleep(Duration::from_millis(300)).await;
        world.runs.open();
    };
    let (observed, ()) = tokio::join!(world.call(&client, 1, LONG), cut);
    observed
}

async fn during(world: &mut World, attempts: u32, limit: Duration) -> Observed {
    let _server = world.provide(Behaviour::Gated).await;
    let transport = world.connect(End::Caller).await;
    let client = world.client_on(Arc::clone(&transport), |client| client.retry(retries(attempts, limit))).await;
    let cut = async {
        world.runs.started(1).await;
        acknowledged().await;
        world.close(End::Caller);
        until(&transport, Health::Reconnecting).await;
        world.runs.open();
        tokio::time::sleep(Duration::from_millis(300)).await;
        world.open(End::Caller);
    };
    let (observed, ()) = tokio::join!(world.call(&client, 1, limit), cut);
    observed
}

async fn provider(world: &mut World) -> Observed {
    let transport = world.connect(End::Provider).await;
    let _server = world.provide_on(Arc::clone(&transport), Behaviour::Gated, |server| server).await;
    let client = world.client().await;
    let cut = async {
        world.runs.started(1).await;
        world.close(End::Provider);
        until(&transport, Health::Reconnecting).await;
        world.runs.open();
        tokio::time::sleep(Duration::from_millis(300)).await;
        world.open(End::Provider);
    };
    let (observed, ()) = tokio::join!(world.call(&client, 1, LONG), cut);
    world.settled(observed, 1, ACK_WAIT / 2).await
}

async fn after(world: &mut World) -> Observed {
    let cut = watch::Sender::new(false);
    let is_cut = cut.subscribe();
    let action = first(move |inner, message| {
        let mut is_cut = is_cut.clone();
        async move {
            let sent = inner.publish(message).await;
            let _ = is_cut.wait_for(|cut| *cut).await;
            sent
        }
    });
    let transport = world.connect(End::Provider).await;
    let injected = Injected::new(Arc::clone(&transport), action);
    let _server = world.provide_on(injected, Behaviour::Answer, |server| server).await;
    let client = world.client().await;
    let observed = world.call(&client, 1, LONG).await;
    world.close(End::Provider);
    until(&transport, Health::Reconnecting).await;
    cut.send_replace(true);
    tokio::time::sleep(Duration::from_millis(100)).await;
    world.open(End::Provider);
    until(&transport, Health::Connected).await;
    world.settled(observed, 1, ACK_WAIT * 2).await
}
