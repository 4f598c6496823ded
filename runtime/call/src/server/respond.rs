//! From the result of a call to the envelope of its response.

use bytes::Bytes;
use capgen_manifest::Side;
use capgen_payload::{Payload as _, Violation, Violations};
use serde_json::Value;

use crate::envelope::{
    Draft, Envelope, ErrorPayload, ErrorSide, ErrorViolation, ErrorViolationRequired, Keys, MessageKind, header,
};
use crate::failure::Failure;
use crate::id::Id;
use crate::outcome::code;
use crate::violation::summary;

/// The result of a call, without the ids that differ between duplicates of a request.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    /// The code of the error; `None` if the payload is a response.
    pub(super) code: Option<String>,
    pub(super) payload: Bytes,
    /// Whether the answer is kept for duplicates of the request: its handler ran to the end, and the same request would not succeed later.
    pub(super) is_final: bool,
    /// Whether the request was interrupted because this process stops, so that another process should get it.
    pub(super) is_abandoned: bool,
    /// Whether the request is not proved to come from its sender. Then the answer is not signed, so that no one can use the provider to
    /// forge responses.
    pub(super) is_unproved: bool,
    /// Whether the caller should send the request again with its contract.
    needs_descriptor: bool,
}

impl Answer {
    /// A valid response.
    pub(super) fn ok(payload: Bytes) -> Self {
        Self { code: None, payload, is_final: true, is_abandoned: false, is_unproved: false, needs_descriptor: false }
    }

    /// An error before or instead of the end of a handler.
    pub(super) fn error(code: &str, message: impl Into<String>) -> Self {
        Self { is_final: false, ..Self::of(ErrorPayload::of(code, message)) }
    }

    /// The end of a request because this process stops.
    pub(super) fn abandoned() -> Self {
        let message = "the provider stopped before the handler ended";
        Self { is_abandoned: true, ..Self::error(code::ABANDONED, message) }
    }

    /// The answer to a request that is not proved to come from its sender.
    pub(super) fn unproved(self) -> Self {
        Self { is_unproved: true, ..self }
    }

    /// The same error without the parts that can be large.
    pub(super) fn shortened(&self) -> Self {
        let Ok(ErrorPayload { code, message, side, .. }) = ErrorPayload::from_json(&self.payload) else {
            return Self::error(code::HANDLER_FAILED, "the response is larger than the transport allows");
        };
        let message: String = message.chars().take(256).collect();
        Self::of(ErrorPayload { side, ..ErrorPayload::of(&code, message) })
    }

    /// The failure of a handler.
    pub(super) fn failure(failure: Failure) -> Self {
        Self::of(ErrorPayload::of(&failure.code, failure.message).with_retryable(failure.retryable))
    }

    /// A payload that violates its schema, by violations without values.
    pub(super) fn violation(side: Side, violations: &Violations) -> Self {
        let entry = |violation: &Violation| {
            let Violation { path, message, keyword } = violation.clone();
            ErrorViolation::new(ErrorViolationRequired { path, message }).with_keyword(keyword.as_str())
        };
        let error_side = match side {
            Side::Request => ErrorSide::Request,
            Side::Response => ErrorSide::Response,
        };
        let error = ErrorPayload::of(code::SCHEMA_VIOLATION, summary(side, violations));
        let mut error = error.with_side(error_side).with_violations(violations.iter().map(entry).collect());
        error.truncated = violations.is_truncated().then_some(true);
        // An invalid request did not run, and its answer may be large.
        Self { is_final: side == Side::Response, ..Self::of(error) }
    }

    /// Contracts that differ, with the first change that breaks the caller.
    pub(super) fn skew(message: String, finding: Option<&Value>) -> Self {
        let error = ErrorPayload::of(code::VERSION_SKEW, message);
        let members = finding.and_then(Value::as_object);
        let members = members.map(|members| members.iter().map(|(key, value)| (key.clone(), value.clone())).collect());
        Self::of(match members {
            Some(finding) => error.with_finding(finding),
            None => error,
        })
    }

    /// The contract of the caller is not known.
    pub(super) fn unknown_contract() -> Self {
        let message =
            "the contracts of the caller and the provider differ, and the provider does not know the caller's";
        Self { needs_descriptor: true, ..Self::error(code::VERSION_SKEW, message) }
    }

    fn of(error: ErrorPayload) -> Self {
        let code = Some(error.code.clone());
        // An error always conforms to its schema: its code is checked where it comes from.
        let payload =
            error.to_json().unwrap_or_else(|_| br#"{"code":"EAGENTRPC_HANDLER_FAILED","message":""}"#.to_vec());
        let is_final = error.retryable != Some(true);
        Self {
            code,
            payload: payload.into(),
            is_final,
            is_abandoned: false,
            is_unproved: false,
            needs_descriptor: false,
        }
    }

    /// The status, for records.
    pub(super) fn status(&self) -> &'static str {
        self.code.as_deref().map_or("ok", |code| crate::outcome::Status::of(code).as_str())
    }

    /// The text of the response to a request. The hash of the contract is left out if the request has the same.
    pub(super) fn encode(&self, request: &Envelope, agent: &str, contract: &str, keys: Option<&Keys>) -> Option<Bytes> {
        let is_new = !contract.is_empty() && request.header(header::CONTRACT) != Some(contract);
        let headers = [
            (header::CONTRACT, contract, is_new),
            (header::STATUS, "error", self.code.is_some()),
            (header::NEEDS, "descriptor", self.needs_descriptor),
        ];
        let headers: Vec<(&str, &str)> =
            headers.into_iter().filter_map(|(name, value, is_set)| is_set.then_some((name, value))).collect();
        let id = Id::random();
        let draft = Draft {
            kind: MessageKind::Response,
            message_id: id.as_str(),
            correlation_id: request.correlation_id(),
            caused_by: Some(request.message_id()),
            from: agent,
            to: request.from(),
            capability: request.capability(),
            reply_to: None,
            deadline: None,
            tenant: request.tenant(),
            headers: &headers,
            payload: &self.payload,
        };
        draft.encode(keys).ok()
    }
}

impl Envelope {
    /// The text of the response to this request, for transports that carry calls over another protocol: the payload of the response, or
    /// the error. It is not signed. The payload is not checked. `None` if the code of the error is invalid.
    ///
    /// ```
    /// use capgen_call::{Envelope, MessageKind};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let request = r#"{"version":1,"kind":"request","messageId":"m","correlationId":"c","from":"agent://a","to":"agent://b",
    ///     "capability":"say","payload":null}"#;
    /// let request = Envelope::decode(&request.into())?;
    /// let response = Envelope::decode(&request.response(Ok("1".into())).ok_or("a response")?)?;
    /// assert_eq!((response.kind(), response.to(), &response.payload[..]), (MessageKind::Response, "a", &b"1"[..]));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn response(&self, result: Result<Bytes, ErrorPayload>) -> Option<Bytes> {
        let answer = match result {
            Ok(payload) => Answer::ok(payload),
            Err(error) => Answer::of(error),
        };
        answer.encode(self, self.to(), "", None)
    }
}
