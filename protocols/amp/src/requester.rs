//! The requester of capabilities: the state machine of one request (section 7.3), and the checks of its answers
//! (section 9).

use std::fmt;
use std::sync::Arc;

use capgen_schema::{Keyword, Validator, Violation, Violations};
use serde_json::Value as Json;

use crate::alias::Aliases;
use crate::author::{Author, ReplyTo};
use crate::body::{Body, CapDeclare, CapInvoke, CapQuery, CapResult, ErrorBody, ResultError};
use crate::cbor::{Limits, NotJson, Value};
use crate::code::Code;
use crate::message::{
    Did, Message, MessageId, MessageType, Recipients, Rejection, ResolveKey, SigningKey, answers, open_message,
};

/// The configuration of a requester. Each request is an [`Exchange`].
pub struct Requester {
    author: Author,
    keys: Arc<dyn ResolveKey + Send + Sync>,
    limits: Limits,
}

/// A request, and the state of its answer. It has no IO, clock or randomness: [`Requester::step`] takes an event and
/// the time.
#[derive(Debug)]
pub struct Exchange {
    request: Message,
    bytes: Arc<[u8]>,
    result: Option<Validator>,
    is_done: bool,
}

/// An event for an exchange.
#[derive(Clone, Copy, Debug)]
pub enum ExchangeEvent<'a> {
    /// A message was received.
    Received(&'a [u8]),
    /// Time has passed.
    Tick,
}

/// The meaning of an event for an exchange.
#[derive(Clone, PartialEq, Debug)]
pub enum Reaction {
    /// Nothing has changed.
    None,
    /// The provider works on the request (`ACK`, `PROCESSING`, `PROGRESS` and others).
    Progress(MessageType, Value),
    /// The exchange has ended.
    Done(Answer),
    /// The message is not the answer of this exchange, which continues (section 9, correlation handling).
    Invalid {
        /// The reason.
        rejection: Rejection,
        /// An `ERROR` message for its sender; `None` if nothing proves the sender, or if the message is itself an
        /// `ERROR` or an `ACK`.
        reply: Option<Vec<u8>>,
    },
}

/// How an exchange ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// Descriptors (`CAP_DECLARE`).
    Declared(CapDeclare),
    /// A result (`CAP_RESULT` with `success`).
    Result(Value),
    /// The result violates the output schema. The exchange has ended: a provider sends one result.
    InvalidResult {
        /// The result as received.
        result: Value,
        /// The violations.
        violations: Violations,
    },
    /// The invocation was accepted and failed (`CAP_RESULT` with `error`).
    Failed(ResultError),
    /// The request was not accepted (`ERROR`).
    Refused(ErrorBody),
    /// The time of the request has passed without an answer. The provider may still work on it.
    TimedOut,
}

impl Requester {
    /// A requester with an identity, its key and the keys of providers.
    #[must_use]
    pub fn new(did: Did, key: SigningKey, keys: Arc<dyn ResolveKey + Send + Sync>) -> Self {
        Self { author: Author::new(did, key), keys, limits: Limits::default() }
    }

    /// The DID of the requester.
    #[must_use]
    pub const fn did(&self) -> &Did {
        &self.author.did
    }

    /// A query. It ends at `now + ttl`, both in ms; `random` comes from a secure source and identifies the message.
    #[must_use]
    pub fn query(&self, provider: Did, query: &CapQuery, ttl: u64, now: u64, random: [u8; 8]) -> Exchange {
        self.request(provider, MessageType::CapQuery, query.to_value(), None, ttl, now, random)
    }

    /// An invocation. It ends at `now + ttl`, both in ms; `random` comes from a secure source and identifies the
    /// message. If there is an output schema, the result is validated. The caller validates `params`.
    #[must_use]
    pub fn invoke(
        &self,
        provider: Did,
        invoke: &CapInvoke,
        output: Option<Validator>,
        ttl: u64,
        now: u64,
        random: [u8; 8],
    ) -> Exchange {
        self.request(provider, MessageType::CapInvoke, invoke.to_value(), output, ttl, now, random)
    }

    #[expect(clippy::too_many_arguments, reason = "they are the fields of a message")]
    fn request(
        &self,
        provider: Did,
        kind: MessageType,
        body: Value,
        result: Option<Validator>,
        ttl: u64,
        now: u64,
        random: [u8; 8],
    ) -> Exchange {
        let request = Message {
            id: MessageId::new(now, random),
            kind,
            ts: now,
            ttl,
            from: self.author.did.clone(),
            to: Recipients::One(provider),
            reply_to: None,
            thread_id: None,
            body,
            ext: None,
        };
        let bytes = request.sign(self.author.key()).into();
        Exchange { request, bytes, result, is_done: false }
    }

    /// Takes an event at a time, in Unix ms. After the end of the exchange, nothing changes any more.
    pub fn step(&self, exchange: &mut Exchange, event: ExchangeEvent<'_>, now: u64) -> Reaction {
        if exchange.is_done {
            return Reaction::None;
        }
        let reaction = match event {
            ExchangeEvent::Received(bytes) => self.receive(exchange, bytes, now),
            ExchangeEvent::Tick if now >= exchange.expires() => Reaction::Done(Answer::TimedOut),
            ExchangeEvent::Tick => Reaction::None,
        };
        exchange.is_done = matches!(reaction, Reaction::Done(_));
        reaction
    }

    fn receive(&self, exchange: &Exchange, bytes: &[u8], now: u64) -> Reaction {
        match open_message(bytes, &self.limits, now, self.keys.as_ref()) {
            Err(rejection) => Reaction::Invalid { rejection, reply: None },
            Ok(message) => match self.read(exchange, &message) {
                Ok(reaction) => reaction,
                Err(rejection) => Reaction::Invalid { reply: self.reply(&message, &rejection, now), rejection },
            },
        }
    }

    /// Reads a message whose envelope is valid. It must answer the request before its body matters.
    fn read(&self, exchange: &Exchange, message: &Message) -> Result<Reaction, Rejection> {
        answers(message, &exchange.request)?;
        let body = Body::read(message.kind, &message.body, &Aliases::default()).map_err(|errors| {
            let first = errors.first().map(ToString::to_string).unwrap_or_default();
            Rejection { code: Code::BadRequest, message: format!("the body is invalid: {first}") }
        })?;
        Ok(match body {
            Body::Declare(declare) => Reaction::Done(Answer::Declared(declare)),
            Body::Result(CapResult::Success(result)) => Reaction::Done(exchange.check(result)),
            Body::Result(CapResult::Error(error)) => Reaction::Done(Answer::Failed(error)),
            Body::Error(error) => Reaction::Done(Answer::Refused(error)),
            _ => Reaction::Progress(message.kind, message.body.clone()),
        })
    }

    /// An `ERROR` and an `ACK` are never answered (decision 2).
    fn reply(&self, message: &Message, rejection: &Rejection, now: u64) -> Option<Vec<u8>> {
        if matches!(message.kind, MessageType::Error | MessageType::Ack) {
            return None;
        }
        let body = ErrorBody::of(rejection.code, rejection.message.clone(), None);
        Some(self.author.answer(&ReplyTo::new(message), MessageType::Error, body.to_value(), REPLY_TTL_MS, now))
    }
}

/// The `ttl` of `ERROR` messages to providers, in ms: as that of providers (decision 13).
const REPLY_TTL_MS: u64 = 60_000;

impl Exchange {
    /// The whole request. Sending it again is safe: a provider answers duplicates with the same result (decision 13).
    #[must_use]
    pub fn bytes(&self) -> Arc<[u8]> {
        Arc::clone(&self.bytes)
    }

    /// The request.
    #[must_use]
    pub const fn request(&self) -> &Message {
        &self.request
    }

    /// The time at which the exchange ends without an answer, in Unix ms.
    #[must_use]
    pub const fn expires(&self) -> u64 {
        self.request.ts.saturating_add(self.request.ttl)
    }

    fn check(&self, result: Value) -> Answer {
        // Only a schema needs the tree. A caller that reads the text checks it while it reads.
        let violations = match &self.result {
            Some(validator) => result.to_json().map(|json| validator.validate(&json)),
            None => result.check_json().map(|()| Violations::default()),
        };
        // A value that is not JSON conforms to no schema, not even to `true` (decision 14).
        let violations = violations.unwrap_or_else(|NotJson { path, reason }| {
            Violation { path, message: format!("not JSON: {reason}"), keyword: Keyword::Type }.into()
        });
        if violations.is_empty() { Answer::Result(result) } else { Answer::InvalidResult { result, violations } }
    }
}

impl fmt::Debug for Requester {
    /// Leaves out the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Requester").field("did", &self.author.did).finish_non_exhaustive()
    }
}

/// The result as JSON, for programs that do not use CBOR.
impl Answer {
    /// The result, if there is one and it is JSON.
    #[must_use]
    pub fn to_json(&self) -> Option<Json> {
        match self {
            Self::Result(result) => result.to_json().ok(),
            _ => None,
        }
    }
}
