//! The messages that a provider sends.

use std::sync::Arc;

use super::Provider;
use super::refusal::Refusal;
use crate::author::ReplyTo;
use crate::body::{CapResult, ResultError};
use crate::cbor::{Map, Value};
use crate::code::Code;
use crate::message::{MessageType, decode_message};

impl Provider {
    /// A signed answer.
    pub(super) fn answer(&self, reply_to: &ReplyTo, kind: MessageType, body: Value, now: u64) -> Arc<[u8]> {
        self.author.answer(reply_to, kind, body, self.settings.ttl_ms, now).into()
    }

    /// The answer to send instead of one that is larger than the requester accepts: its invocation has ended, so it has
    /// a result (decision 12). `None` if the message is not an answer of this provider that can be replaced.
    #[must_use]
    pub fn replace_large_answer(&self, answer: &[u8], now: u64) -> Option<Arc<[u8]>> {
        let answer = decode_message(answer, &self.settings.message).ok()?.into_unchecked();
        let sender = answer.to.as_slice().first().filter(|_| answer.from == self.author.did)?;
        let reply_to = ReplyTo::answered_by(&answer, sender)?;
        const TEXT: &str = "the answer is larger than the requester accepts";
        match answer.kind {
            MessageType::CapResult => {
                let result = failed(Code::InternalError, TEXT, None);
                Some(self.answer(&reply_to, MessageType::CapResult, result.to_value(), now))
            }
            MessageType::CapDeclare => Some(self.refuse(&reply_to, &Refusal::new(Code::InternalError, TEXT), now)),
            _ => None,
        }
    }

    pub(super) fn refuse(&self, reply_to: &ReplyTo, refusal: &Refusal, now: u64) -> Arc<[u8]> {
        self.answer(reply_to, MessageType::Error, refusal.to_body().to_value(), now)
    }
}

/// The body of a `CAP_RESULT` with an error.
pub(super) fn failed(code: Code, message: impl Into<String>, details: Option<Value>) -> CapResult {
    CapResult::Error(ResultError { details, ..ResultError::of(code, message) })
}

/// The body of the result of a handler that failed by itself. Its name is the code of the failure. If a retry helps, it
/// is 5002, whose result is kept too: a repetition of the message runs nothing.
pub(super) fn handler_failed(code: String, message: String, retryable: bool, details: Option<Value>) -> CapResult {
    let mut map = Map::new();
    map.insert("code", code.as_str());
    map.insert("retryable", retryable);
    if let Some(details) = details {
        map.insert("details", details);
    }
    let number = if retryable { Code::Unavailable } else { Code::InternalError };
    CapResult::Error(ResultError { name: Some(code), details: Some(map.into()), ..ResultError::of(number, message) })
}
