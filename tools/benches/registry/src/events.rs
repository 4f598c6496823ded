//! The events of the measurements.

use capgen_registry::{EventId, EventType, Producer};
use serde_json::{Value, json};

/// The number of agents.
pub const AGENTS: u64 = 10_000;

/// The id of a capability. A hundred agents register each version of it.
pub fn capability(number: u64) -> String {
    format!("bench.area{}.capability{number}", number % 100)
}

/// The number of capabilities in this many registrations.
pub fn capabilities(registrations: u64) -> u64 {
    (registrations / 100).max(1)
}

/// The canonical text of the `n`-th registration. Every 100 agents have a contract in common.
pub fn registration(n: u64) -> String {
    registration_of(n, n / 100, json!({"type": "integer", "minimum": 1}))
}

/// The canonical text of the `n`-th registration, whose contract no other one has.
pub fn distinct_registration(n: u64) -> String {
    registration_of(n, n, json!({"type": "integer", "minimum": 1, "maximum": n + 2}))
}

fn registration_of(n: u64, number: u64, limit: Value) -> String {
    let schema = json!({
        "type": "object",
        "properties": {"text": {"type": "string"}, "limit": limit},
        "required": ["text"],
    });
    let payload = json!({
        "capability_id": capability(number),
        "version": "1.2.0",
        "input_schema": schema,
        "output_schema": {"type": "string"},
        "metadata": {"priority": n % 5, "tags": ["bench"], "determinism_class": "deterministic"},
    });
    event(EventType::Registered, n % AGENTS, n, payload)
}

/// The canonical text of the `n`-th heartbeat.
pub fn heartbeat(n: u64) -> String {
    event(EventType::Heartbeat, n % AGENTS, n, json!({}))
}

fn event(kind: EventType, agent: u64, n: u64, payload: Value) -> String {
    let now = 1_750_000_000_000 + n / 100;
    let id = EventId::at(now, u128::from(n));
    Producer::new(format!("agent-{agent}")).event(kind, payload, id, now).text().to_owned()
}
