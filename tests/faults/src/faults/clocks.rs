//! Clocks that differ.

use std::time::Duration;

use capgen::call::{Keys, code};

use super::{all, error, ok, row};
use crate::agent::Behaviour;
use crate::table::Observed;
use crate::world::{End, LONG, Shifted, World};

/// The clock of the provider differs by more than the longest deadline and the accepted difference of clocks.
const HOUR: i64 = 3600;
/// Less than the accepted difference of clocks.
const FOUR_MINUTES: i64 = 240;
/// More than the accepted difference of clocks and the timeout.
const SIX_MINUTES: i64 = 360;

row!(provider_ahead, "The provider's clock is 4 minutes ahead; the timeout is 30 s.", all(&ok(1)), async |world| {
    skewed(world, FOUR_MINUTES, None).await
});
row!(
    provider_far_ahead,
    "The provider's clock is an hour ahead.",
    [ok(1), ok(1), error(code::DEADLINE_EXCEEDED, 0)],
    async |world| skewed(world, HOUR, None).await
);
row!(
    provider_far_ahead_allowed,
    "The provider's clock is an hour ahead, and it allows for two hours.",
    all(&ok(1)),
    async |world| skewed(world, HOUR, Some(2 * HOUR)).await
);
row!(provider_behind, "The provider's clock is 4 minutes behind.", all(&ok(1)), async |world| {
    skewed(world, -FOUR_MINUTES, None).await
});
row!(
    provider_far_behind,
    "The provider's clock is an hour behind.",
    [ok(1), ok(1), error(code::INVALID_ENVELOPE, 0)],
    async |world| skewed(world, -HOUR, None).await
);
row!(
    signed_provider_ahead,
    "Messages are signed, and the provider's clock is 4 minutes ahead.",
    all(&ok(1)),
    async |world| { signed(world, FOUR_MINUTES).await }
);
row!(
    signed_provider_far_ahead,
    "Messages are signed, and the provider's clock is 6 minutes ahead.",
    all(&error(code::DEADLINE_EXCEEDED, 0)),
    async |world| signed(world, SIX_MINUTES).await
);
row!(
    signed_provider_behind,
    "Messages are signed, and the provider's clock is 4 minutes behind.",
    all(&ok(1)),
    async |world| { signed(world, -FOUR_MINUTES).await }
);
row!(
    signed_provider_far_behind,
    "Messages are signed, and the provider's clock is 6 minutes behind.",
    [error(code::INVALID_ENVELOPE, 0), error(code::INVALID_ENVELOPE, 0), ok(1)],
    async |world| signed(world, -SIX_MINUTES).await
);

/// A call to a provider whose clock differs by some seconds.
async fn skewed(world: &mut World, seconds: i64, allowed: Option<i64>) -> Observed {
    let transport = world.connect(End::Provider).await;
    let configure = |server: capgen::call::ServerBuilder| {
        let server = server.clock(Shifted::by(seconds));
        match allowed {
            Some(allowed) => server.clock_difference(Duration::from_secs(allowed.unsigned_abs())),
            None => server,
        }
    };
    let _server = world.provide_on(transport, Behaviour::Answer, configure).await;
    world.call(&world.client().await, 1, LONG).await
}

/// The same with messages that are signed.
async fn signed(world: &mut World, seconds: i64) -> Observed {
    let keys = Keys::signing_with("k", b"a secret of at least 16 bytes").expect("keys");
    let transport = world.connect(End::Provider).await;
    let configure = |server: capgen::call::ServerBuilder| server.clock(Shifted::by(seconds)).keys(keys.clone());
    let _server = world.provide_on(transport, Behaviour::Answer, configure).await;
    let client = world.client_on(world.connect(End::Caller).await, |client| client.keys(keys.clone())).await;
    world.call(&client, 1, LONG).await
}
