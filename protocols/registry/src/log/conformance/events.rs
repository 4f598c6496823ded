//! Events for the checks.

use serde_json::{Value, json};

use crate::{Event, EventId};

/// The time of the clock at which most checks run, in Unix ms. It is in June 2025; any fixed time serves, because the
/// checks read no clock.
pub(super) const NOW: u64 = 1_750_000_000_000;
/// In ms: how far ids may be ahead of the clock, or behind the last one (decision 2).
pub(super) const MINUTE: u64 = 60_000;
/// In ms: how far the first id of a producer may be behind the clock (decision 2).
pub(super) const DAY: u64 = 86_400_000;

/// The id of a time, and a number that makes it unique.
pub(super) fn id(millis: u64, number: u128) -> String {
    EventId::at(millis, number).to_string()
}

/// An event.
pub(super) fn event(agent: &str, id: &str, kind: &str, payload: Value) -> Event {
    with(agent, id, kind, payload, json!({}))
}

/// An event with other members of the envelope.
pub(super) fn with(agent: &str, id: &str, kind: &str, payload: Value, members: Value) -> Event {
    let mut event = json!({
        "spec_version": "1.0",
        "event_id": id,
        "event_type": kind,
        "event_version": "1.0.0",
        "timestamp": "2025-06-15T15:06:40.000Z",
        "producer": {"agent_id": agent, "agent_type": "agent", "runtime_id": "r", "instance_id": "i"},
        "trace": {"trace_id": "t", "span_id": "s", "depth": 0},
        "payload": payload,
        "metadata": {},
    });
    if let (Value::Object(event), Value::Object(members)) = (&mut event, members) {
        event.extend(members);
    }
    Event::new(event)
}

/// A valid event without interesting content.
pub(super) fn heartbeat(agent: &str, millis: u64, number: u128) -> Event {
    event(agent, &id(millis, number), "agent.heartbeat", json!({}))
}

/// An event whose payload is invalid.
pub(super) fn invalid(agent: &str, millis: u64, number: u128) -> Event {
    event(agent, &id(millis, number), "agent.heartbeat", json!({"reason": 1}))
}

/// A registration, whose description makes it unique.
pub(super) fn registration(agent: &str, number: u128, version: &str, metadata: Value) -> Event {
    let payload = json!({"capability_id": "core.text.summarize", "version": version, "metadata": metadata});
    event(agent, &id(NOW, number), "capability.registered", payload)
}

/// An event of the kernel, with an id that it could have derived.
pub(super) fn notice(id: &str, reason: &str) -> Event {
    let hash = "0".repeat(64);
    let payload = json!({
        "original_event_id": null, "original_hash": hash, "failure_reason": reason, "validation_trace": [],
    });
    event("capgen.kernel", id, "system.event.validation_failed", payload)
}
