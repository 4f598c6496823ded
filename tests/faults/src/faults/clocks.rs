//! Clocks that differ.

use std::time::Duration;

use capgen::call::code;

use super::{all, error, ok, row};
use crate::agent::Behaviour;
use crate::table::Observed;
use crate::world::{End, LONG, Shifted, World};

row!(
    provider_ahead,
    "The provider's clock is 60 s ahead; the timeout is 30 s.",
    all(&error(code::DEADLINE_EXCEEDED, 0)),
    async |world| skewed(world, 60, 0).await
);
row!(provider_ahead_tolerated, "The same with a tolerance of 120 s.", all(&ok(1)), async |world| {
    skewed(world, 60, 120).await
});
row!(provider_behind, "The provider's clock is 60 s behind.", all(&ok(1)), async |world| skewed(world, -60, 0).await);
row!(
    provider_far_behind,
    "The provider's clock is an hour behind: the deadline is further away than any timeout.",
    all(&error(code::INVALID_ENVELOPE, 0)),
    async |world| skewed(world, -3600, 0).await
);
row!(provider_far_behind_tolerated, "The same with a tolerance of an hour.", all(&ok(1)), async |world| {
    skewed(world, -3600, 3600).await
});

/// A call to a provider whose clock differs by some seconds.
async fn skewed(world: &mut World, seconds: i64, tolerance: u64) -> Observed {
    let transport = world.connect(End::Provider).await;
    let configure = |server: capgen::call::ServerBuilder| {
        server.clock(Shifted::by(seconds)).clock_tolerance(Duration::from_secs(tolerance))
    };
    let _server = world.provide_on(transport, Behaviour::Answer, configure).await;
    world.call(&world.client().await, 1, LONG).await
}
