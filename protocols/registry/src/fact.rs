//! Facts: the parts of a state, each keyed by its subject (decision 3).

use std::sync::Arc;

use capgen_schema::Hash;
use serde_json::Value;

use crate::{Event, EventId, EventType, Offer};

/// The place of a fact in the order of facts: by event id, then by the producer's agent id, then by content hash
/// (decision 2).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Stamp {
    /// The id of the event.
    pub event_id: EventId,
    /// The agent id of the producer.
    pub producer: Arc<str>,
    /// The content hash of the event.
    pub hash: Hash,
}

impl Stamp {
    /// The stamp of an event; none if it lacks its id or its producer.
    #[must_use]
    pub fn of(event: &Event) -> Option<Self> {
        Some(Self { event_id: event.id()?, producer: event.agent()?.into(), hash: event.hash() })
    }
}

/// A fact with its place in the order of facts.
#[derive(Clone, Debug)]
pub struct Stamped {
    /// The place.
    pub stamp: Stamp,
    /// The fact.
    pub fact: Fact,
}

/// The content of an event about one subject.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the fields have the names and meanings of the payloads")]
pub enum Fact {
    /// An agent offers a version of a capability. The subject is (agent, capability, version); the least fact of each
    /// contract counts.
    Registration { agent: Arc<str>, offer: Arc<Offer> },
    /// A changed property. The subject is (agent, capability, version, field); the greatest fact counts.
    Update { agent: Arc<str>, capability: Arc<str>, version: Arc<str>, field: Field, value: Value },
    /// A deprecation. The subject is (agent, capability, version). Of a version, the least fact counts; of all
    /// versions, the greatest.
    Deprecation { agent: Arc<str>, capability: Arc<str>, version: Option<Arc<str>>, reason: Option<Arc<str>> },
    /// The health of an agent: the greatest fact counts.
    Health { agent: Arc<str>, healthy: bool },
    /// The kernel's answer to a request. The subject is (caller, request); the least fact counts.
    Outcome { caller: Arc<str>, request: Arc<str>, outcome: KernelAnswer },
    /// The end of an invocation. The subject is (invocation, agent represented); the least fact counts.
    Terminal { invocation: Arc<str>, agent: Arc<str>, terminal: Terminal },
}

/// The kernel's answer to a request.
#[derive(Clone, Debug)]
pub struct KernelAnswer {
    /// Whether the event is `capability.invoked`; otherwise it is `capability.unresolved`.
    pub invoked: bool,
    /// The payload without `input`, in canonical form.
    pub(crate) payload: Box<str>,
}

/// The end of an invocation.
#[derive(Clone, Debug)]
pub struct Terminal {
    /// Whether the event is `capability.completed`; otherwise it is `capability.failed`.
    pub completed: bool,
    /// The payload in canonical form.
    pub(crate) payload: Box<str>,
}

impl KernelAnswer {
    /// The type of the event.
    #[must_use]
    pub const fn event_type(&self) -> EventType {
        if self.invoked { EventType::Invoked } else { EventType::Unresolved }
    }

    /// The payload without `input`.
    #[must_use]
    pub fn payload(&self) -> Value {
        parsed(&self.payload)
    }
}

impl Terminal {
    /// The type of the event.
    #[must_use]
    pub const fn event_type(&self) -> EventType {
        if self.completed { EventType::Completed } else { EventType::Failed }
    }

    /// The payload.
    #[must_use]
    pub fn payload(&self) -> Value {
        parsed(&self.payload)
    }
}

/// The value of a canonical text, whose numbers need no further treatment.
pub(crate) fn parsed(canonical: &str) -> Value {
    let mut deserializer = serde_json::Deserializer::from_str(canonical);
    deserializer.disable_recursion_limit();
    serde::Deserialize::deserialize(&mut deserializer).unwrap_or_default()
}

/// A property that an update changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the fields have the names of the payload")]
pub enum Field {
    LatencyClass,
    Priority,
    Tags,
    Weight,
}

impl Field {
    /// Every field, in the order of their names.
    pub(crate) const ALL: [Self; 4] = [Self::LatencyClass, Self::Priority, Self::Tags, Self::Weight];

    /// The name in payloads.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LatencyClass => "latency_class",
            Self::Priority => "priority",
            Self::Tags => "tags",
            Self::Weight => "weight",
        }
    }

    pub(crate) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.as_str() == name)
    }
}
