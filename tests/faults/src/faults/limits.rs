//! Providers that are too slow, and messages that are too large.

use std::time::Duration;

use capgen::call::{Client, Status, code};
use tokio::sync::watch;

use super::{all, ends, error, ok, row, timeout};
use crate::agent::{Behaviour, Work};
use crate::injected::Injected;
use crate::table::{Cell, Kind, Observed};
use crate::world::{End, LONG, SHORT, World, observed, until_true};

row!(
    busy_provider,
    "The provider runs as many handlers as it may. A stored request waits.",
    [busy(), busy(), ok(1)],
    busy_provider_scenario
);
row!(
    stalled_provider,
    "The provider does not read its messages, and has no room for more. Stored requests wait until it reads again.",
    [busy(), timeout(0), ok(1)],
    stalled
);
row!(
    oversize_request,
    "The request is larger than the transport allows.",
    all(&error(code::INVALID_ENVELOPE, 0)),
    oversize
);
row!(
    oversize_response,
    "The response is larger than the transport allows.",
    all(&error(code::HANDLER_FAILED, 1)),
    large_response
);

fn busy() -> Cell {
    ends(Status::Busy, Some(code::BUSY), 0..=0)
}

async fn busy_provider_scenario(world: &mut World) -> Observed {
    let transport = world.connect(End::Provider).await;
    let configure = |server: capgen::call::ServerBuilder| server.max_concurrent(1).max_waiting(0);
    let _server = world.provide_on(transport, Behaviour::Gated, configure).await;
    let client = world.client().await;
    let later = async {
        world.runs.started(1).await;
        let open = async {
            if world.kind == Kind::JetStream {
                tokio::time::sleep(Duration::from_millis(300)).await;
                world.runs.open();
            }
        };
        let (observed, ()) = tokio::join!(world.call(&client, 1, LONG), open);
        world.runs.open();
        observed
    };
    let (first, observed) = tokio::join!(world.call(&client, 2, LONG), later);
    assert_eq!(first.code, None, "the first call fails");
    observed
}

/// The number of messages for which the stalled provider has room.
const ROOM: usize = 4;
/// The number of calls that fill its queue.
const OTHERS: u64 = 10;

async fn stalled(world: &mut World) -> Observed {
    let reading = watch::Sender::new(false);
    let transport = world.connect(End::Provider).await;
    let stalling = Injected::stalling(transport.clone(), ROOM, reading.subscribe());
    let _server = world.provide_on(stalling, Behaviour::Answer, |server| server).await;
    let client = world.client().await;
    let others: Vec<_> = (0..OTHERS).map(|number| tokio::spawn(other(client.clone(), number + 2, world))).collect();
    match world.kind {
        Kind::Memory => {
            until_true(|| others.iter().filter(|other| other.is_finished()).count() + ROOM >= others.len()).await
        }
        Kind::Nats => until_true(|| transport.dropped() > 0).await,
        Kind::JetStream => tokio::time::sleep(Duration::from_millis(300)).await,
    }
    let again = async {
        if world.kind == Kind::JetStream {
            tokio::time::sleep(Duration::from_millis(300)).await;
            reading.send_replace(true);
        }
    };
    let limit = if world.kind == Kind::Nats { SHORT } else { LONG };
    let (observed, ()) = tokio::join!(world.call(&client, 1, limit), again);
    reading.send_replace(true);
    others.iter().for_each(tokio::task::JoinHandle::abort);
    observed
}

/// One of the calls that fill the queue of the provider.
fn other(client: Client, number: u64, world: &World) -> impl Future<Output = ()> + Send + 'static {
    let options = world.options(LONG);
    async move {
        let _ = client.call_with::<Work>(&Work::new(number), &options).await;
    }
}

async fn oversize(world: &mut World) -> Observed {
    let _server = world.provide(Behaviour::Answer).await;
    let client = world.client().await;
    let request = Work { number: 1, padding: "x".repeat(2 << 20) };
    let start = std::time::Instant::now();
    let result = client.call_with::<Work>(&request, &world.options(LONG)).await;
    let observed = observed(result, 1, start.elapsed(), LONG);
    world.settled(observed, 1, Duration::from_millis(100)).await
}

async fn large_response(world: &mut World) -> Observed {
    let _server = world.provide(Behaviour::Large).await;
    world.call(&world.client().await, 1, LONG).await
}
