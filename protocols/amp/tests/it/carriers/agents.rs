//! A provider that runs, and requests to it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use capgen_amp::carrier::BoxFuture;
use capgen_amp::carrier::run::{Execute, Runner};
use capgen_amp::message::{Message, MessageId, MessageType};
use capgen_amp::policy::Policy;
use capgen_amp::provider::{CacheLimits, HandlerOutcome, Provider, Start, State};
use serde_json::json;
use tokio::sync::watch;

use crate::support::{self, Fixture, catalogue, did, key, keys};

/// The handlers: `code` of the parameters states how they behave.
#[derive(Default)]
pub(crate) struct Behaviour {
    /// How often each message was executed.
    pub(crate) executed: Mutex<HashMap<MessageId, usize>>,
    pub(crate) gate: watch::Sender<bool>,
}

impl Execute for Behaviour {
    fn execute(&self, start: Start) -> BoxFuture<'static, HandlerOutcome> {
        *self.executed.lock().unwrap().entry(start.message).or_default() += 1;
        let code = support::params(&start)["code"].as_str().unwrap().to_owned();
        let mut gate = self.gate.subscribe();
        Box::pin(async move {
            let (verb, number) = code.split_once(' ').unwrap_or((&code, "0"));
            match verb {
                "sleep" => tokio::time::sleep(Duration::from_millis(number.parse().unwrap())).await,
                "panic" => panic!("a handler panics"),
                "wait" => drop(gate.wait_for(|is_open| *is_open).await),
                _ => {}
            }
            let size = if verb == "large" { number.parse().unwrap() } else { 0 };
            support::success(&json!({"issues": code.len(), "padding": "x".repeat(size)}))
        })
    }
}

impl Behaviour {
    pub(crate) fn count(&self, message: &[u8]) -> usize {
        let id = unchecked(message).id;
        self.executed.lock().unwrap().get(&id).copied().unwrap_or(0)
    }

    pub(crate) fn total(&self) -> usize {
        self.executed.lock().unwrap().values().sum()
    }
}

fn unchecked(message: &[u8]) -> Message {
    let message = capgen_amp::message::decode_message(message, &capgen_amp::cbor::Limits::default());
    message.unwrap().into_unchecked()
}

pub(crate) fn runner() -> (Runner, Arc<Behaviour>) {
    let behaviour = Arc::new(Behaviour::default());
    let policy = Policy::from_json("{}").unwrap();
    let provider = Provider::new(did("provider"), key("provider"), Arc::new(keys()), policy);
    let state = State::new(catalogue(&["org.agentries.code-review:1.0.0"]), CacheLimits::default());
    (Runner::new(provider, state, Arc::clone(&behaviour) as Arc<dyn Execute>).unwrap(), behaviour)
}

/// An unsigned message of now.
pub(crate) fn message(kind: MessageType, body: serde_json::Value) -> Message {
    static RANDOM: AtomicU64 = AtomicU64::new(0);
    let mut message = Fixture::new(catalogue(&[]), "{}").message("alice", kind, body);
    message.ts = u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap();
    message.id = MessageId::new(message.ts, RANDOM.fetch_add(1, Ordering::Relaxed).to_be_bytes());
    message
}

/// An invocation with a behaviour of the handler.
pub(crate) fn invoke(behaviour: &str) -> Bytes {
    let body = json!({"id": "org.agentries.code-review:1.0.0", "params": {"code": behaviour}});
    message(MessageType::CapInvoke, body).sign(&key("alice")).into()
}

/// An invocation of exactly this size.
pub(crate) fn invoke_of(size: usize) -> Bytes {
    padded("", size)
}

/// An invocation of exactly this size, whose handler waits for the gate.
pub(crate) fn invoke_of_waiting(size: usize) -> Bytes {
    padded("wait ", size)
}

/// An invocation of exactly this size, whose behaviour begins with a text.
fn padded(start: &str, size: usize) -> Bytes {
    let text = |length: usize| format!("{start}{}", "x".repeat(length));
    let body = |code: &str| json!({"id": "org.agentries.code-review:1.0.0", "params": {"code": code}});
    let mut message = message(MessageType::CapInvoke, body(&text(size - 1000)));
    let rest = size - message.sign(&key("alice")).len();
    message.body = capgen_amp::cbor::Value::from_json(&body(&text(size - 1000 + rest)));
    let signed = message.sign(&key("alice"));
    assert_eq!(signed.len(), size);
    signed.into()
}

/// Checks that an answer is that of the request, and returns its code; 0 for a result.
#[track_caller]
pub(crate) fn code(answer: &Bytes, request: &[u8]) -> u64 {
    let answer = support::read(answer);
    assert_eq!(answer.reply_to, Some(unchecked(request).id));
    support::code(&answer)
}
