//! Events as messages of a stream.

use crate::{Event, hash_of};
use bytes::Bytes;
use serde_json::json;

use super::subject::token;

/// A message to publish.
pub(super) struct Draft {
    /// The token of the partition in the subject.
    pub(super) token: String,
    /// `Nats-Msg-Id`.
    pub(super) id: String,
    /// The canonical text of the event.
    pub(super) payload: Bytes,
}

/// A message of the stream.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) sequence: u64,
    /// The subject without the prefix.
    pub(super) token: String,
    pub(super) id: Option<String>,
    pub(super) payload: Bytes,
}

impl Draft {
    pub(super) fn new(event: &Event) -> Self {
        let payload = Bytes::copy_from_slice(event.text().as_bytes());
        Self { token: token(event.partition()), id: message_id(event), payload }
    }
}

impl Stored {
    /// The event. `None` if something else was published to the subject.
    pub(super) fn event(&self) -> Option<Event> {
        let event = Event::parse(&self.payload).ok()?;
        (token(event.partition()) == self.token).then_some(event)
    }

    /// Whether the message is one that a log publishes for an event.
    pub(super) fn is_of(&self, event: &Event) -> bool {
        self.payload == event.text().as_bytes() && self.id.as_ref().is_none_or(|id| *id == message_id(event))
    }

    /// Whether a log has published the message.
    pub(super) fn has_id_of_log(&self) -> bool {
        self.id.as_ref().is_some_and(|id| id.starts_with(OF_CONTENT) || id.starts_with(OF_IDENTITY))
    }
}

/// The beginnings of message ids: of the content hash, and of the hash of an identity.
const OF_CONTENT: &str = "event-";
const OF_IDENTITY: &str = "derived-";

/// The message id of an event. The stream stores two contents of one identity, but only the first content of a derived
/// id (decision 2).
fn message_id(event: &Event) -> String {
    match event.id() {
        Some(id) if id.is_derived() => format!("{OF_IDENTITY}{}", hash_of(&json!([event.agent(), id.to_string()]))),
        _ => format!("{OF_CONTENT}{}", event.hash()),
    }
}
