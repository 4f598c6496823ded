//! Events of the registry, valid and changed ones.

use serde_json::{Value, json};

use crate::random::Random;

/// Events of each type that lead to facts, and an invalid one.
pub fn events() -> Vec<String> {
    let kernel = "018f0000-0000-8000-8000-000000000001";
    let invoked = json!({
        "request_id": "r", "caller_agent_id": "a", "target_agent_id": "b", "capability_id": "a.b", "version": "1.0.0",
        "registration_id": "", "contract_hash": "", "input": {"n": 1.5}, "output_schema": {"type": "string"},
        "registry_hash": "", "resolution_hash": "", "correlation_id": "c",
    });
    let contract = json!({
        "capability_id": "a.b", "version": "1.0.0-rc.1", "input_schema": {"type": "object", "title": "T"}, "output_schema": true,
        "metadata": {"priority": 3, "weight": 1e3, "tags": ["x", "é"], "required_roles": ["r"], "side_effects": "pure"},
    });
    let events = [
        ("a", "capability.registered", contract),
        ("a", "capability.updated", json!({"capability_id": "a.b", "version": "1.0.0", "metadata": {"weight": -0.0}})),
        ("a", "capability.deprecated", json!({"capability_id": "a.b", "reason": "\n\"\u{2028}"})),
        ("m", "agent.unavailable", json!({"agent_id": "a"})),
        ("a", "agent.heartbeat", json!({})),
        ("a", "capability.requested", json!({"capability_id": "a.b", "requirement": ">=1.0.0 <2.0.0-a", "input": 1})),
        ("b", "capability.completed", json!({"invocation_id": kernel, "output": "x"})),
        ("m", "capability.failed", json!({"invocation_id": kernel, "reason": "timeout", "agent_id": "b"})),
        ("capgen.kernel", "capability.invoked", invoked),
        ("a", "agent.moved", json!({})),
        ("s", "agent.recovered", json!({"reason": null})),
    ];
    let event = |(agent, kind, payload): (&str, &str, Value)| {
        let id = if agent == "capgen.kernel" { kernel } else { "018f0000-0000-7000-8000-000000000001" };
        json!({
            "spec_version": "1.0", "event_id": id, "event_type": kind, "event_version": "1.0.0",
            "timestamp": "2026-01-31T23:59:59.999Z", "payload": payload, "metadata": {"n": 1}, "ttl_ms": null,
            "producer": {"agent_id": agent, "agent_type": "", "runtime_id": "r", "instance_id": "i"},
            "trace": {"trace_id": "t", "span_id": "s", "parent_span_id": null, "depth": 0},
        })
        .to_string()
    };
    events.into_iter().map(event).collect()
}

/// The documents in JSON, and copies of which one value is replaced by another.
pub fn with_replacements(documents: &[String]) -> Vec<String> {
    let mut random = Random::new(11);
    let mut texts = documents.to_vec();
    for _ in 0..1_000 {
        let mut value: Value = serde_json::from_str(&documents[random.below(documents.len())]).unwrap();
        let mut places = Vec::new();
        note_places(&value, String::new(), &mut places);
        let other = serde_json::from_str::<Value>(&documents[random.below(documents.len())]).unwrap();
        let (from, to) = (random.below(places.len()), random.below(places.len()));
        let replacement = match random.below(4) {
            0 => other.pointer(&places[from]).cloned().unwrap_or_default(),
            1 => random.pick(&["", "a", "b", "1.0.0", "é", "2.0.0-rc.1"]).to_owned().into(),
            2 => random.pick(&[0.0, -1.0, 1.5, 1e300, 1e18]).into(),
            _ => Value::Null,
        };
        *value.pointer_mut(&places[to]).unwrap() = replacement;
        texts.push(value.to_string());
    }
    texts
}

/// The JSON Pointers of all values.
fn note_places(value: &Value, at: String, places: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| note_places(item, format!("{at}/{index}"), places));
        }
        Value::Object(members) => {
            members.iter().for_each(|(name, value)| note_places(value, format!("{at}/{name}"), places));
        }
        _ => {}
    }
    places.push(at);
}
