//! Agents that emit random events.

use capgen_registry::{Event, EventId};
use capgen_testkit::Random;
use serde_json::{Value, json};

use crate::now;

/// An agent that emits random events.
#[derive(Debug)]
pub struct Emitter {
    agent: String,
    random: Random,
    invalid: u32,
}

/// How many invalid events an agent emits at most: fewer than a log accepts in a minute.
const MAX_INVALID: u32 = 50;

impl Emitter {
    /// An agent of this id.
    #[must_use]
    pub fn new(agent: impl Into<String>) -> Self {
        Self { agent: agent.into(), random: Random::with_random_seed(), invalid: 0 }
    }

    /// A random event: mostly valid ones of all types, a few invalid ones.
    pub fn event(&mut self) -> Event {
        let capability = format!("test.capability{}", self.random.below(20));
        let version = format!("{}.{}.0", 1 + self.random.below(2), self.random.below(4));
        let (kind, payload) = match self.random.below(12) {
            0..=3 => {
                let metadata =
                    json!({"priority": self.random.below(5), "tags": [format!("t{}", self.random.below(3))]});
                // Sometimes another contract for the same version: a conflict.
                let schema = if self.random.one_in(4) { json!({"type": "object"}) } else { json!(true) };
                let registered = json!({"capability_id": capability, "version": version, "metadata": metadata, "input_schema": schema});
                ("capability.registered", registered)
            }
            4 => {
                let metadata = json!({"weight": self.random.below(100), "latency_class": "fast"});
                ("capability.updated", json!({"capability_id": capability, "version": version, "metadata": metadata}))
            }
            5 if self.random.one_in(3) => {
                ("capability.deprecated", json!({"capability_id": capability, "version": version, "reason": "old"}))
            }
            6 | 7 => ("agent.heartbeat", json!({})),
            8 => ("agent.unavailable", json!({"reason": "test"})),
            9 if self.random.one_in(4) && self.invalid < MAX_INVALID => {
                self.invalid += 1;
                ("capability.registered", json!({"capability_id": "invalid"}))
            }
            9 => ("agent.recovered", json!({})),
            _ => return self.request(),
        };
        self.emit(kind, payload)
    }

    /// A request.
    pub fn request(&mut self) -> Event {
        let capability = format!("test.capability{}", self.random.below(20));
        let requirement = format!("{}.0.0", 1 + self.random.below(2));
        let request =
            json!({"capability_id": capability, "requirement": requirement, "input": {"n": self.random.below(9)}});
        self.emit("capability.requested", request)
    }

    /// An event of a type.
    pub fn emit(&mut self, kind: &str, payload: Value) -> Event {
        let random = u128::from(self.random.bits()) << 64 | u128::from(self.random.bits());
        let mut event = json!({
            "spec_version": "1.0",
            "event_id": EventId::at(now(), random).to_string(),
            "event_type": kind,
            "event_version": "1.0.0",
            "timestamp": "2026-01-01T00:00:00.000Z",
            "producer": {"agent_id": self.agent, "agent_type": "test", "runtime_id": "", "instance_id": ""},
            "trace": {"trace_id": "t", "span_id": "s", "depth": 0},
            "payload": payload,
            "metadata": {},
        });
        if self.random.one_in(3) {
            // All agents append to this partition.
            event["partition_key"] = json!("shared partition.*");
        }
        Event::new(event)
    }
}
