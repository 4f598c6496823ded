//! A provider with some capabilities, and requests to it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::BTreeMap;
use std::sync::Arc;

use capgen_amp::body::Body;
use capgen_amp::catalogue::{CapabilityContract, Catalogue};
use capgen_amp::cbor::{Limits, Map, Value};
use capgen_amp::descriptor::{ArtifactRef, Descriptor, HashAlgorithm, SchemaRef};
use capgen_amp::message::{Did, Keys, Message, MessageId, MessageType, Recipients, SigningKey, decode_message};
use capgen_amp::policy::Policy;
use capgen_amp::provider::{CacheLimits, HandlerOutcome, Input, Output, Provider, Settings, Start, State, Ticket};
use capgen_schema::Schema;
use serde_json::json;

/// The time of every test, in Unix ms.
pub(crate) const NOW: u64 = 1_770_000_000_000;

pub(crate) const INPUT: &str =
    r#"{"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]}"#;
pub(crate) const OUTPUT: &str =
    r#"{"type": "object", "properties": {"issues": {"type": "integer"}}, "required": ["issues"]}"#;

/// The key of an agent.
pub(crate) fn key(agent: &str) -> SigningKey {
    let mut seed = [7; 32];
    seed.iter_mut().zip(agent.bytes()).for_each(|(to, from)| *to = from);
    SigningKey::from_seed(&seed)
}

/// The DID of an agent.
pub(crate) fn did(agent: &str) -> Did {
    format!("did:web:example.com:{agent}").parse().unwrap()
}

/// Agents that a provider knows.
pub(crate) const AGENTS: [&str; 4] = ["alice", "denied", "limited", "provider"];

pub(crate) fn keys() -> Keys {
    let mut keys = Keys::default();
    for agent in AGENTS {
        keys.insert(did(agent), key(agent).public());
    }
    keys
}

/// A contract with an id, such as `org.agentries.code-review:2.1.0`.
pub(crate) fn contract(id: &str, supported_ranges: &[&str]) -> CapabilityContract {
    contract_with(id, supported_ranges, INPUT, OUTPUT)
}

pub(crate) fn contract_with(id: &str, supported_ranges: &[&str], input: &str, output: &str) -> CapabilityContract {
    let reference = |key: &str, schema: &str| {
        let artifact = ArtifactRef { bundle_id: "b".to_owned(), artifact_key: key.to_owned() };
        SchemaRef::to_artifact(artifact, HashAlgorithm::Sha256, schema.as_bytes())
    };
    let ranges: Vec<_> = supported_ranges.iter().map(|range| range.parse().unwrap()).collect();
    let descriptor = Descriptor {
        id: id.parse().unwrap(),
        input_schema: reference("in.json", input),
        output_schema: reference("out.json", output),
        supported_ranges: (!ranges.is_empty()).then_some(ranges),
        deprecated_ranges: None,
        notes: None,
        other: Map::new(),
    };
    let (input, output) = (Schema::parse_text(input).unwrap(), Schema::parse_text(output).unwrap());
    CapabilityContract { descriptor, input, output, timeout_ms: None }
}

pub(crate) fn catalogue(ids: &[&str]) -> Arc<Catalogue> {
    Arc::new(Catalogue::new(ids.iter().map(|id| contract(id, &[])).collect()).unwrap())
}

/// A provider, its state, and a count of the messages to it.
pub(crate) struct Fixture {
    pub(crate) provider: Provider,
    pub(crate) state: State,
    random: u64,
}

impl Fixture {
    pub(crate) fn new(catalogue: Arc<Catalogue>, policy: &str) -> Self {
        Self::with_settings(catalogue, policy, Settings::default())
    }

    pub(crate) fn with_settings(catalogue: Arc<Catalogue>, policy: &str, settings: Settings) -> Self {
        let policy = Policy::from_json(policy).unwrap();
        let provider = Provider::new(did("provider"), key("provider"), Arc::new(keys()), policy);
        let state = State::new(catalogue, settings.cache);
        Self { provider: provider.with_settings(settings), state, random: 0 }
    }

    /// The state of a provider whose capabilities could not be loaded.
    pub(crate) fn unavailable(policy: &str) -> Self {
        let state = State::unavailable(CacheLimits::default());
        Self { state, ..Self::new(catalogue(&["org.agentries.code-review:1.0.0"]), policy) }
    }

    /// A message to the provider, which is not signed yet.
    pub(crate) fn message(&mut self, from: &str, kind: MessageType, body: serde_json::Value) -> Message {
        self.random += 1;
        Message {
            id: MessageId::new(NOW, self.random.to_be_bytes()),
            kind,
            ts: NOW,
            ttl: 60_000,
            from: did(from),
            to: Recipients::One(did("provider")),
            reply_to: None,
            thread_id: None,
            body: Value::from_json(&body),
            ext: None,
        }
    }

    pub(crate) fn send(&mut self, message: &Message, agent: &str, now: u64) -> Vec<Output> {
        let bytes = message.sign(&key(agent));
        self.send_bytes(&bytes, Ticket(0), now)
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8], ticket: Ticket, now: u64) -> Vec<Output> {
        let input = Input::Message { bytes, ticket, principal: None };
        self.provider.step(&mut self.state, input, now).unwrap()
    }

    /// Sends a message and returns its one answer.
    pub(crate) fn ask(&mut self, from: &str, kind: MessageType, body: serde_json::Value) -> Message {
        let message = self.message(from, kind, body);
        one_answer(&self.send(&message, from, NOW))
    }

    /// Starts an invocation.
    pub(crate) fn start(&mut self, body: serde_json::Value) -> Start {
        let message = self.message("alice", MessageType::CapInvoke, body);
        started(&self.send(&message, "alice", NOW))
    }

    /// Ends a handler.
    pub(crate) fn finish(&mut self, start: &Start, outcome: HandlerOutcome, now: u64) -> Vec<Output> {
        let input = Input::Finished { invocation: start.invocation, outcome };
        self.provider.step(&mut self.state, input, now).unwrap()
    }

    pub(crate) fn tick(&mut self, now: u64) -> Vec<Output> {
        self.provider.step(&mut self.state, Input::Tick, now).unwrap()
    }
}

/// The outcome of a handler that returns this result.
pub(crate) fn success(result: &serde_json::Value) -> HandlerOutcome {
    HandlerOutcome::Success(result.to_string().into_bytes())
}

/// The parameters that a handler gets.
pub(crate) fn params(start: &Start) -> serde_json::Value {
    serde_json::from_str(&start.params).unwrap()
}

/// A valid invocation of version 1.0.0.
pub(crate) fn invocation() -> serde_json::Value {
    json!({"id": "org.agentries.code-review:1.0.0", "params": {"code": "fn main() {}"}})
}

pub(crate) fn started(outputs: &[Output]) -> Start {
    match outputs {
        [Output::Start(start)] => (**start).clone(),
        outputs => panic!("expected a start: {outputs:?}"),
    }
}

/// The answers, in their order.
pub(crate) fn answers(outputs: &[Output]) -> Vec<(Ticket, Message)> {
    let sent = outputs.iter().filter_map(|output| match output {
        Output::Send { ticket, message } => Some((*ticket, read(message))),
        _ => None,
    });
    sent.collect()
}

pub(crate) fn one_answer(outputs: &[Output]) -> Message {
    match answers(outputs).as_slice() {
        [(_, message)] => message.clone(),
        answers => panic!("expected one answer: {answers:?} in {outputs:?}"),
    }
}

/// A message of the provider, whose signature is verified.
pub(crate) fn read(bytes: &[u8]) -> Message {
    decode_message(bytes, &Limits::default()).unwrap().verify(&keys()).unwrap()
}

pub(crate) fn body(message: &Message) -> Body {
    Body::read(message.kind, &message.body, &capgen_amp::Aliases::default()).unwrap()
}

/// The code of an `ERROR`, or of a `CAP_RESULT` with an error; 0 for every other message.
pub(crate) fn code(message: &Message) -> u64 {
    match body(message) {
        Body::Error(error) => error.code,
        Body::Result(capgen_amp::body::CapResult::Error(error)) => error.code,
        _ => 0,
    }
}

/// The ids of declared descriptors.
pub(crate) fn declared(message: &Message) -> Vec<String> {
    match body(message) {
        Body::Declare(declare) => declare.capabilities.iter().map(|descriptor| descriptor.id.to_string()).collect(),
        body => panic!("expected CAP_DECLARE: {body:?}"),
    }
}

/// The number of outputs of each kind.
pub(crate) fn kinds(outputs: &[Output]) -> BTreeMap<&'static str, usize> {
    let mut kinds = BTreeMap::new();
    for output in outputs {
        let kind = match output {
            Output::Record(_) => "record",
            Output::Send { .. } => "send",
            Output::Start(_) => "start",
            Output::Stop(_) => "stop",
            Output::Rejected { .. } => "rejected",
            Output::Ignored { .. } => "ignored",
            Output::InvalidResult { .. } => "invalid result",
            Output::Ended { .. } => "ended",
            Output::Refused(_) => "refused",
            Output::Drained => "drained",
        };
        *kinds.entry(kind).or_default() += 1;
    }
    kinds
}
