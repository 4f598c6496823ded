//! The format of a recording: the two peers, the messages between them, and the outcomes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Exchanges between a caller and a provider. `tests/recordings/calls/README.md` describes the members.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Recording {
    /// The subject of the recording, in a few words.
    pub(crate) shows: String,
    /// The clock of both peers, as Unix time in ms. It stands still.
    pub(crate) clock_ms: u64,
    pub(crate) caller: Caller,
    pub(crate) provider: Provider,
    pub(crate) exchanges: Vec<Exchange>,
    /// The payloads that reached the handler of the provider.
    #[serde(default)]
    pub(crate) handled: Vec<Value>,
}

/// The program that was recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Peer {
    Rust,
    TypeScript,
    /// No program: the messages are written by hand, because no peer sends such ones.
    Made,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Caller {
    pub(crate) peer: Peer,
    /// The version of the contract that it has.
    pub(crate) contract: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<Key>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) max_in_flight: Option<usize>,
    /// How often it sends the request of an idempotent capability. Only clients in Rust do this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) attempts: Option<u32>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Provider {
    pub(crate) peer: Peer,
    /// The version of the contract that it has.
    pub(crate) contract: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<Key>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tenants: Vec<String>,
    /// Whether it compares the contracts before the handler.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) compares: bool,
    /// The number of requests for which it has room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) max_requests: Option<usize>,
    /// The size of the largest request in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) max_message: Option<usize>,
    /// The size of the largest message of its transport in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) max_transport_message: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) handler: Option<Handler>,
    /// The state of a transport without a provider, or the response that is written by hand, with `$correlationId` and
    /// `$messageId`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) answer: Option<Answer>,
}

/// A key for HMAC-SHA-256.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Key {
    pub(crate) id: String,
    pub(crate) secret: String,
}

/// The behaviour of the handler.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Handler {
    /// It returns a response.
    Responds(Value),
    /// It fails with a code of its own.
    Fails { code: String, message: String, retryable: bool },
    /// It panics, or throws an error that it does not know.
    Breaks,
    /// It never ends.
    Waits,
    /// It never ends, and the provider stops.
    Stops,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Exchange {
    /// The call; none if the messages are written by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) call: Option<Call>,
    #[serde(default)]
    pub(crate) messages: Vec<Message>,
    /// The outcome that the caller reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) outcome: Option<Outcome>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Call {
    pub(crate) capability: String,
    pub(crate) payload: Value,
    /// Whether it is sent without waiting for a response.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_event: bool,
    /// Whether the broker stores it until it is acknowledged. Only clients in Rust do this.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_stored: bool,
    /// Whether the caller gives up after its request was sent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_abandoned: bool,
    /// The request that the caller serves with this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) served: Option<Served>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) timeout_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tenant: Option<String>,
    /// Only clients in Rust have sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) idempotency_key: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) headers: BTreeMap<String, String>,
}

/// A request that is being served.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Served {
    pub(crate) message_id: String,
    pub(crate) deadline: u64,
}

/// A message of the caller, and the answer to it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Message {
    pub(crate) request: String,
    /// None before it is recorded.
    #[serde(default)]
    pub(crate) answer: Option<Answer>,
}

impl Message {
    /// The text of the response.
    pub(crate) fn response(&self) -> Option<&str> {
        if let Some(Answer::Response(text)) = &self.answer { Some(text) } else { None }
    }
}

/// The answer to a message.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Answer {
    /// The text of a response.
    Response(String),
    /// None.
    Nothing,
    /// The broker reports that nothing receives the requests.
    NoResponders,
    /// The transport reports that it is not connected.
    Disconnected,
}

/// The outcome of a call in the terms of both languages.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Outcome {
    pub(crate) status: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
    /// Only clients in Rust report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) retryable: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) side: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) violations: Vec<Value>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) truncated: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) finding: Option<Value>,
    /// The response, also if it is invalid or `null`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub(crate) response: Option<Value>,
}

/// A member that is there, also if its value is `null`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl Recording {
    /// Whether nothing was recorded yet: the file has only the peers and the calls.
    pub(crate) fn is_new(&self) -> bool {
        let is_new = |exchange: &Exchange| match exchange.call {
            Some(_) => exchange.outcome.is_none(),
            None => exchange.messages.iter().all(|message| message.answer.is_none()),
        };
        self.exchanges.iter().all(is_new)
    }
}

/// The folder of the recordings.
pub(crate) fn folder() -> PathBuf {
    capgen_tests::folder().join("recordings/calls")
}

/// The recordings by their paths below the folder, without the ending, such as `served/answered.rust-rust`.
pub(crate) fn all() -> BTreeMap<String, Recording> {
    let mut recordings = BTreeMap::new();
    for group in std::fs::read_dir(folder()).unwrap() {
        let group = group.unwrap().path();
        if !group.is_dir() || group.ends_with("contracts") {
            continue;
        }
        for file in std::fs::read_dir(&group).unwrap() {
            let path = file.unwrap().path();
            let name = path.strip_prefix(folder()).unwrap().with_extension("");
            recordings.insert(name.to_str().unwrap().replace('\\', "/"), read(&path));
        }
    }
    recordings
}

fn read(path: &Path) -> Recording {
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
