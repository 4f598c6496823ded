//! Messages that are late, lost, duplicate, reordered or for another call.

use std::time::Duration;

use super::{all, none, ok, retries, row, timeout as timed_out};
use crate::agent::Behaviour;
use crate::injected::{Action, Injected, delay, duplicate, lose, precede, rewrite, swap};
use crate::table::{Kind, Observed};
use crate::world::{End, LONG, SHORT, World, until_true};

row!(timeout, "The handler does not end before the deadline.", all(&timed_out(1)), never);
row!(late_reply, "The response arrives after the deadline. The next call is not affected.", all(&timed_out(1)), late);
row!(lost_request, "The request is lost.", [timed_out(0), timed_out(0), none(ACKNOWLEDGED)], async |world| {
    caller(world, lose(), 1, SHORT).await
});
row!(lost_request_retried, "With retries.", [ok(1), ok(1), none(ACKNOWLEDGED)], async |world| {
    caller(world, lose(), 3, SHORT * 3).await
});
row!(lost_reply, "The response is lost.", all(&timed_out(1)), async |world| provider(world, lose(), 1, SHORT).await);
row!(lost_reply_retried, "With retries.", all(&ok(1)), async |world| { provider(world, lose(), 3, SHORT * 3).await });
row!(
    duplicate_request,
    "The request arrives twice. It has no idempotency key, unless it is stored.",
    [ok(2), ok(2), ok(1)],
    async |world| caller(world, duplicate(), 1, LONG).await
);
row!(duplicate_request_with_key, "The same with an idempotency key.", all(&ok(1)), async |world| {
    caller(world, duplicate(), 3, LONG).await
});
row!(duplicate_reply, "The response arrives twice.", all(&ok(1)), async |world| {
    provider(world, duplicate(), 1, LONG).await
});
row!(reordered_requests, "The request arrives after a later one.", all(&ok(1)), async |world| {
    pair(world, swap(), noop()).await
});
row!(reordered_replies, "The response arrives after the one of a later call.", all(&ok(1)), async |world| {
    pair(world, noop(), swap()).await
});
row!(
    wrong_correlation_id,
    "The response has the `correlationId` of another call.",
    all(&timed_out(1)),
    async |world| { provider(world, rewrite(of_another_call), 1, SHORT).await }
);
row!(forged_reply_first, "Such a response arrives before the real one.", all(&ok(1)), async |world| {
    provider(world, precede(of_another_call), 1, LONG).await
});

const ACKNOWLEDGED: &str = "the broker acknowledges each request; without an acknowledgement, the call ends";
/// Later runs count as well.
const SETTLE: Duration = Duration::from_millis(200);

async fn never(world: &mut World) -> Observed {
    let _server = world.provide(Behaviour::Never).await;
    world.call(&world.client().await, 1, SHORT).await
}

async fn late(world: &mut World) -> Observed {
    let transport = Injected::new(world.connect(End::Provider).await, delay(SHORT + Duration::from_millis(200)));
    let _server = world.provide_on(transport, Behaviour::Answer, |server| server).await;
    let client = world.client().await;
    let observed = world.call(&client, 1, SHORT).await;
    until_true(|| client.unexpected_responses() == 1).await;
    let next = world.call(&client, 2, LONG).await;
    assert_eq!(next.code, None, "the next call fails");
    observed
}

/// A call with a fault on the side of the caller.
async fn caller(world: &mut World, action: Action, attempts: u32, limit: Duration) -> Observed {
    let _server = world.provide(Behaviour::Answer).await;
    let transport = Injected::new(world.connect(End::Caller).await, action);
    let client = world.client_on(transport, |client| client.retry(retries(attempts, limit))).await;
    let observed = world.call(&client, 1, limit).await;
    world.settled(observed, 1, SETTLE).await
}

/// A call with a fault on the side of the provider.
async fn provider(world: &mut World, action: Action, attempts: u32, limit: Duration) -> Observed {
    let transport = Injected::new(world.connect(End::Provider).await, action);
    let _server = world.provide_on(transport, Behaviour::Answer, |server| server).await;
    let transport = world.connect(End::Caller).await;
    let client = world.client_on(transport, |client| client.retry(retries(attempts, limit))).await;
    let observed = world.call(&client, 1, limit).await;
    world.settled(observed, 1, SETTLE).await
}

fn noop() -> Action {
    std::sync::Arc::new(|inner, message, _| Box::pin(async move { inner.publish(message).await }))
}

/// Two calls at the same time; the end of the first one.
async fn pair(world: &mut World, caller: Action, provider: Action) -> Observed {
    let transport = Injected::new(world.connect(End::Provider).await, provider);
    let _server = world.provide_on(transport, Behaviour::Answer, |server| server).await;
    let transport = Injected::new(world.connect(End::Caller).await, caller);
    let client = world.client_on(transport, |client| client).await;
    let (first, second) = tokio::join!(world.call(&client, 1, LONG), world.call(&client, 2, LONG));
    assert_eq!(second.code, None, "the other call fails");
    assert!(world.kind == Kind::JetStream || client.unexpected_responses() == 0);
    first
}

fn of_another_call(envelope: &str) -> String {
    let mut envelope: serde_json::Value = serde_json::from_str(envelope).expect("an envelope");
    envelope["correlationId"] = "00000000000000000000000000000000".into();
    envelope.to_string()
}
