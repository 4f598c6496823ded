//! The result of an invocation by the outcome of its handler.

use capgen_manifest::Side;
use capgen_schema::{Hash, Violations};

use super::Adapter;
use super::answer::{failed, handler_failed};
use super::input::{HandlerOutcome, InvocationEnd};
use super::payload;
use crate::body::CapResult;
use crate::catalogue::Published;
use crate::code::Code;

/// The result of an invocation, and how it ended.
pub(super) struct Ended {
    pub(super) result: CapResult,
    pub(super) end: InvocationEnd,
    /// The violations of the handler's result by the published schema.
    pub(super) invalid_result: Option<Violations>,
}

impl Ended {
    /// An invocation that ends with an error of the provider.
    pub(super) fn with(code: Code, message: &str) -> Self {
        let end = InvocationEnd { code: Some(code), ..InvocationEnd::default() };
        Self { result: failed(code, message, None), end, invalid_result: None }
    }

    /// An invocation whose handler has ended, given its published version and its adapter.
    pub(super) fn by(outcome: HandlerOutcome, published: Option<&Published>, adapter: Option<&Adapter>) -> Self {
        match outcome {
            HandlerOutcome::Success(result) => Self::checked(&result, None, published, adapter),
            HandlerOutcome::Checked { result, schema } => Self::checked(&result, Some(schema), published, adapter),
            HandlerOutcome::Failure { code, message, retryable, details } => {
                let number = if retryable { Code::Unavailable } else { Code::InternalError };
                let end = InvocationEnd { code: Some(number), failure: Some(code.clone()), ..InvocationEnd::default() };
                let result = handler_failed(code, message, retryable, details.map(|details| *details));
                Self { result, end, invalid_result: None }
            }
            HandlerOutcome::InvalidDetails { code, message, violations } => {
                let end = InvocationEnd {
                    code: Some(Code::InternalError),
                    failure: Some(code.clone()),
                    invalid: Some((Side::Response, violations)),
                };
                Self { result: handler_failed(code, message, false, None), end, invalid_result: None }
            }
            HandlerOutcome::Invalid { side, violations } => {
                let ended = Self::with(Code::InternalError, "the handler failed");
                Self { end: InvocationEnd { invalid: Some((side, violations)), ..ended.end }, ..ended }
            }
            HandlerOutcome::Panic => Self::with(Code::InternalError, "the handler failed"),
            HandlerOutcome::Missing => Self::with(Code::Unavailable, "the capability has no handler"),
        }
    }

    /// An invocation with the text of a result. If it is invalid, the caller gets an error, and the log the violations.
    fn checked(result: &[u8], checked: Option<Hash>, published: Option<&Published>, adapter: Option<&Adapter>) -> Self {
        let invalid_result = match published.map(|published| payload::result(published, adapter, result, checked)) {
            Some(Ok(result)) => {
                return Self {
                    result: CapResult::Success(result),
                    end: InvocationEnd::default(),
                    invalid_result: None,
                };
            }
            Some(Err(violations)) => violations,
            None => None,
        };
        Self { invalid_result, ..Self::with(Code::InternalError, "the result of the handler is invalid") }
    }
}
