//! Responses that are invalid.

use std::time::Instant;

use capgen::call::{Status, code};

use super::{all, ends, error, row};
use crate::agent::{Behaviour, Work};
use crate::injected::{Injected, rewrite};
use crate::table::{Cell, Observed};
use crate::world::{End, LONG, World, observed};

row!(invalid_response, "The response violates its schema, which the provider notices.", all(&violation()), checked);
row!(
    unchecked_response,
    "The response violates its schema, and the provider does not check it. The caller gets it as it arrived.",
    all(&violation()),
    unchecked
);
row!(broken_reply, "The response is cut short.", all(&error(code::INVALID_ENVELOPE, 1)), broken);

fn violation() -> Cell {
    ends(Status::SchemaViolation, Some(code::SCHEMA_VIOLATION), 1..=1)
}

async fn checked(world: &mut World) -> Observed {
    let _server = world.provide(Behaviour::Invalid).await;
    world.call(&world.client().await, 1, LONG).await
}

async fn unchecked(world: &mut World) -> Observed {
    let _server = world.provide(Behaviour::Unchecked).await;
    let client = world.client().await;
    let start = Instant::now();
    let result = client.call_with::<Work>(&Work::new(1), &world.options(LONG)).await;
    let raw = result.as_ref().err().and_then(|error| error.response()).map(<[u8]>::to_vec);
    let raw: serde_json::Value = serde_json::from_slice(&raw.expect("the response is kept")).expect("JSON");
    assert_eq!(raw, serde_json::json!({"number": "one", "by": ""}));
    Observed { runs: world.runs.of(1), ..observed(result, 1, start.elapsed(), LONG) }
}

async fn broken(world: &mut World) -> Observed {
    let action = rewrite(|envelope| envelope.chars().take(envelope.len() - 10).collect());
    let transport = Injected::new(world.connect(End::Provider).await, action);
    let _server = world.provide_on(transport, Behaviour::Answer, |server| server).await;
    world.call(&world.client().await, 1, LONG).await
}
