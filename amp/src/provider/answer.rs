//! The messages that a provider sends.

use std::sync::Arc;

use super::Provider;
use super::refusal::Refusal;
use crate::author::ReplyTo;
use crate::body::{CapResult, ResultError};
use crate::cbor::{Map, Value};
use crate::code::Code;
use crate::message::MessageType;

impl Provider {
    /// A signed answer.
    pub(super) fn answer(&self, reply_to: &ReplyTo, kind: MessageType, body: Value, now: u64) -> Arc<[u8]> {
        self.author.answer(reply_to, kind, body, self.settings.ttl_ms, now).into()
    }

    pub(super) fn refuse(&self, reply_to: &ReplyTo, refusal: &Refusal, now: u64) -> Arc<[u8]> {
        self.answer(reply_to, MessageType::Error, refusal.to_body().to_value(), now)
    }
}

/// The body of a `CAP_RESULT` with an error.
pub(super) fn failed(code: Code, message: impl Into<String>, details: Option<Value>) -> CapResult {
    CapResult::Error(ResultError { details, ..ResultError::of(code, message) })
}

/// The body of the result of a handler that failed by itself.
pub(super) fn handler_failed(code: String, message: String) -> CapResult {
    let details: Map = [("code", code)].into_iter().collect();
    failed(Code::InternalError, message, Some(details.into()))
}
