//! Events: their text, identity and hash.

mod check;
mod contract;
mod envelope;
mod kind;
mod offers;
mod payload;
mod payload_text;
mod scan;
mod signature;
mod usual_form;

/// The types and validators of the events, generated from `contract/capabilities.yaml`. The payloads that this crate
/// creates are values of these types, and all events are checked with their validators.
#[path = "generated/registry.rs"]
pub mod generated;

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use capgen_schema::{ExactPayload, Hash};
use serde_json::{Map, Value};

use crate::EventId;
use crate::canonical::{canonical, write, write_object};

pub use check::{Checked, Checker, Invalid, Reason};
pub use contract::Offer;
pub(crate) use contract::{pinned_errors, sorted, violations};
pub(crate) use envelope::text;
pub use kind::EventType;
pub(crate) use offers::Offers;
pub(crate) use payload::{errors as payload_errors, value_of};
pub(crate) use payload_text::PayloadText;
pub(crate) use scan::{Member, members, plain};
pub use signature::{InvalidSigningKey, SigningKey};
use usual_form::UsualForm;

/// The maximum size of an event: the bytes of its canonical text with its signature (decision 5). A batch or a read may
/// exceed its own limit of bytes by one event of this size.
pub const MAX_EVENT: usize = 1 << 20;
/// The maximum size of an event of the type `capability.requested`, in the same unit. `capability.invoked` repeats the
/// input of the request and the schema of the output, and must stay below [`MAX_EVENT`] (decision 5, rulings 3 and 8).
pub const MAX_REQUEST: usize = 512 << 10;
/// The maximum size of an event of the type `capability.registered`, in the same unit (ruling 8). With the input of a
/// request, its schema of the output fits into one `capability.invoked`.
pub const MAX_REGISTRATION: usize = 256 << 10;

/// A JSON value that claims to be an event: its canonical text and its hash.
///
/// A [`Checker`] decides whether it is valid. Two events are equal if their canonical texts are.
#[derive(Clone, Debug)]
pub struct Event {
    text: Box<str>,
    hash: Hash,
    /// The parts of an event in usual form, for which the value is not built until it is needed.
    usual: Option<Box<UsualForm>>,
    value: OnceLock<Value>,
}

/// A text that is not one JSON value, with a message that quotes nothing of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotJson(pub String);

impl Event {
    /// Reads an event. Takes time linear in the length of the text.
    ///
    /// # Errors
    ///
    /// The text is not one JSON value ([RFC 8259](https://www.rfc-editor.org/rfc/rfc8259)) in UTF-8. Duplicate names,
    /// lone surrogates, more than 128 levels and numbers that overflow binary64 count as errors, because parsers
    /// disagree about them.
    ///
    /// ```
    /// use capgen_registry::Event;
    /// let event = Event::parse(br#"{"payload": {"n": 1.0}, "event_type": "a.b", "ttl_ms": null}"#)?;
    /// assert_eq!(event.text(), r#"{"event_type":"a.b","payload":{"n":1},"ttl_ms":null}"#);
    /// assert_eq!(event.hash(), Event::parse(br#"{"payload": {"n": 1}, "event_type": "a.b"}"#)?.hash());
    /// # Ok::<(), capgen_registry::NotJson>(())
    /// ```
    pub fn parse(json: &[u8]) -> Result<Self, NotJson> {
        if let Some(event) = std::str::from_utf8(json).ok().and_then(Self::usual_of) {
            return Ok(event);
        }
        let payload = ExactPayload::parse(json).map_err(|error| NotJson(error.redact(true).to_string()))?;
        Ok(Self::from_canonical_value(payload.with_integers()))
    }

    /// The event of a value whose numbers are as exact as they are known.
    #[must_use]
    pub fn new(value: Value) -> Self {
        Self::from_canonical_value(ExactPayload::from(value).with_integers())
    }

    /// The event of a text in usual form.
    fn usual_of(text: &str) -> Option<Self> {
        let usual = UsualForm::of(text)?;
        let hash = Hash::of_parts(usual.covered(text));
        Some(Self { text: text.into(), hash, usual: Some(Box::new(usual)), value: OnceLock::new() })
    }

    /// The value's numbers are 64-bit integers if they can be.
    fn from_canonical_value(value: Value) -> Self {
        let text = canonical(&value);
        let usual = UsualForm::of(&text).map(Box::new);
        let hash = match &value {
            Value::Object(members) if has_uncovered(members) => Hash::of(content(members)),
            _ => Hash::of(&text),
        };
        Self { text: text.into_boxed_str(), hash, usual, value: value.into() }
    }

    /// The canonical text, with the signature.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The content hash: SHA-256 over the [content](Self::content) (decision 2).
    #[must_use]
    pub fn hash(&self) -> Hash {
        self.hash
    }

    /// The canonical text without `signature` and without nullable members that are null: the bytes that the content
    /// hash and a signature cover (decisions 2 and 15).
    ///
    /// ```
    /// let event = capgen_registry::Event::parse(br#"{"payload": {}, "ttl_ms": null, "signature": {"algorithm": "Ed25519"}}"#)?;
    /// assert_eq!(event.content(), r#"{"payload":{}}"#);
    /// # Ok::<(), capgen_registry::NotJson>(())
    /// ```
    #[must_use]
    pub fn content(&self) -> Cow<'_, str> {
        if let Some(usual) = &self.usual {
            return usual.covered(&self.text).collect::<String>().into();
        }
        match self.value() {
            Value::Object(members) if has_uncovered(members) => content(members).into(),
            _ => Cow::Borrowed(&self.text),
        }
    }

    /// The value, whose integers of at most 64 bits are stored as such.
    #[must_use]
    pub fn value(&self) -> &Value {
        self.value.get_or_init(|| crate::fact::parsed(&self.text))
    }

    /// `producer.agent_id`, if it is a string.
    #[must_use]
    pub fn agent(&self) -> Option<&str> {
        if let Some(usual) = &self.usual {
            return self.text.get(usual.agent.clone());
        }
        self.value().get("producer")?.get("agent_id")?.as_str()
    }

    /// `event_id`, if it is a UUIDv7 or a UUIDv8.
    #[must_use]
    pub fn id(&self) -> Option<EventId> {
        if let Some(usual) = &self.usual {
            return Some(usual.id);
        }
        self.member("event_id")?.parse().ok()
    }

    /// The type, if it is known.
    #[must_use]
    pub fn event_type(&self) -> Option<EventType> {
        if let Some(usual) = &self.usual {
            return Some(usual.kind);
        }
        EventType::of(self.member("event_type")?)
    }

    /// `partition_key`, or else the producer's agent id (decision 12); the empty string if there is neither.
    #[must_use]
    pub fn partition(&self) -> &str {
        if let Some(usual) = &self.usual {
            return self.text.get(usual.partition.clone().unwrap_or(usual.agent.clone())).unwrap_or_default();
        }
        self.member("partition_key").or_else(|| self.agent()).unwrap_or_default()
    }

    /// `payload`; null if it is missing.
    #[must_use]
    pub fn payload(&self) -> &Value {
        self.value().get("payload").unwrap_or(&Value::Null)
    }

    /// A member of the envelope that is a string.
    pub(crate) fn member(&self, name: &str) -> Option<&str> {
        self.value().get(name)?.as_str()
    }

    /// Whether it has a signature, which may be invalid.
    pub(crate) fn is_signed(&self) -> bool {
        // An event in usual form has none.
        self.usual.is_none() && self.value().get("signature").is_some_and(|signature| !signature.is_null())
    }

    /// The same event without its usual form, to compare both ways.
    #[cfg(test)]
    fn without_usual(&self) -> Self {
        let value = self.value().clone();
        let hash = value.as_object().map_or_else(|| Hash::of(&*self.text), |members| Hash::of(content(members)));
        Self { text: self.text.clone(), hash, usual: None, value: value.into() }
    }

    fn usual(&self) -> Option<&UsualForm> {
        self.usual.as_deref()
    }

    /// The text of the payload of an event in usual form.
    pub(crate) fn payload_text(&self) -> Option<&str> {
        self.text.get(self.usual()?.payload.clone())
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Event {}

/// The nullable members of the envelope: null is the same as absent, also in hashes. `trace.parent_span_id` is the only
/// other one.
const NULLABLE: [&str; 5] = ["causation_id", "correlation_id", "idempotency_key", "partition_key", "ttl_ms"];

fn is_uncovered(name: &str, value: &Value) -> bool {
    name == "signature" || (value.is_null() && NULLABLE.contains(&name))
}

fn is_uncovered_in_trace(name: &str, value: &Value) -> bool {
    name == "parent_span_id" && value.is_null()
}

/// Whether the content hash does not cover some member.
fn has_uncovered(members: &Map<String, Value>) -> bool {
    let trace = members.get("trace").and_then(Value::as_object);
    members.iter().any(|(name, value)| is_uncovered(name, value))
        || trace.is_some_and(|trace| trace.iter().any(|(name, value)| is_uncovered_in_trace(name, value)))
}

/// The text that the content hash covers.
fn content(members: &Map<String, Value>) -> String {
    let mut text = String::new();
    let covered = members.iter().filter(|(name, value)| !is_uncovered(name, value));
    write_object(&mut text, covered.map(|(name, value)| (name, (name, value))), |text, (name, value)| match value {
        Value::Object(trace) if name == "trace" => {
            write_object(text, trace.iter().filter(|(name, value)| !is_uncovered_in_trace(name, value)), write);
        }
        _ => write(text, value),
    });
    text
}

impl fmt::Display for NotJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not JSON: {}", self.0)
    }
}

impl std::error::Error for NotJson {}
