//! Writing events: envelopes around payloads.

use capgen_time::Timestamp;
use serde_json::{Value, json};

use crate::{Event, EventId, EventType};

/// The agent that writes events, as in their member `producer`.
///
/// ```
/// use capgen_registry::{EventId, EventType, Producer};
/// let producer = Producer::new("core.memory");
/// let id = EventId::at(1_750_000_000_000, 1);
/// let event = producer.event(EventType::Heartbeat, serde_json::json!({}), id, 1_750_000_000_000);
/// assert_eq!(event.value()["timestamp"], "2025-06-15T15:06:40.000Z");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Producer {
    /// The id of the agent, of 1 to 255 code points.
    pub agent_id: String,
    /// The kind of the agent.
    pub agent_type: String,
    /// The runtime that the agent runs in.
    pub runtime_id: String,
    /// The instance of the agent.
    pub instance_id: String,
}

/// The ids of one producer's events: UUIDv7s, each greater than the one before, also if the clock goes back.
#[derive(Clone, Default, Debug)]
pub struct EventIds {
    last: Option<EventId>,
    millis: u64,
}

impl Producer {
    /// The producer of an agent, of the type `agent`.
    #[must_use]
    pub fn new(agent_id: impl Into<String>) -> Self {
        let (runtime_id, instance_id) = (String::new(), String::new());
        Self { agent_id: agent_id.into(), agent_type: "agent".to_owned(), runtime_id, instance_id }
    }

    /// An event with a payload. `now` is Unix time in ms. The trace starts with this event.
    #[must_use]
    pub fn event(&self, kind: EventType, payload: Value, id: EventId, now: u64) -> Event {
        Event::new(self.envelope(kind, payload, id, now, &id.to_string()))
    }

    /// The value of an event at the start of a trace.
    pub(crate) fn envelope(&self, kind: EventType, payload: Value, id: EventId, now: u64, trace: &str) -> Value {
        json!({
            "spec_version": "1.0",
            "event_id": id.to_string(),
            "event_type": kind.as_str(),
            "event_version": "1.0.0",
            "timestamp": timestamp(now),
            "producer": {
                "agent_id": self.agent_id,
                "agent_type": self.agent_type,
                "runtime_id": self.runtime_id,
                "instance_id": self.instance_id,
            },
            "trace": {"trace_id": trace, "span_id": id.span(), "depth": 0},
            "payload": payload,
            "metadata": {},
        })
    }
}

impl EventIds {
    /// The next id. `now` is Unix time in ms, and `random` are random bits. If the clock stands still or goes back, the
    /// id counts up from the last one.
    pub fn next(&mut self, now: u64, random: u128) -> EventId {
        let mut id = EventId::at(self.millis.max(now), random);
        if self.last.is_some_and(|last| id <= last) {
            // The next ms, at most: the bits within one are random, and there may be no greater ones.
            id = EventId::at(self.millis + 1, random);
        }
        self.millis = id.millis().unwrap_or(self.millis);
        self.last = Some(id);
        id
    }
}

/// `YYYY-MM-DDThh:mm:ss.mmmZ`. Times after the year 9999 are the last one of it.
pub(crate) fn timestamp(millis: u64) -> String {
    Timestamp::from_ms(millis).unwrap_or(Timestamp::LAST).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_ascend_even_if_the_clock_goes_back() {
        let mut ids = EventIds::default();
        let times = [5, 5, 5, 3, 4, 9, 2];
        let made: Vec<EventId> = times.iter().enumerate().map(|(n, now)| ids.next(*now, !0 - n as u128)).collect();
        assert!(made.is_sorted_by(|a, b| a < b), "{made:?}");
    }

    #[test]
    fn timestamps_have_the_form_of_the_envelope() {
        assert_eq!(timestamp(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(timestamp(1_709_210_096_789), "2024-02-29T12:34:56.789Z");
        assert_eq!(timestamp(u64::MAX), "9999-12-31T23:59:59.999Z");
    }
}
