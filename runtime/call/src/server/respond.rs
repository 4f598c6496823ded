//! From the result of a call to the envelope of its response.

use std::sync::Arc;

use bytes::Bytes;
use capgen_descriptor::OwnedDescriptor;
use capgen_manifest::Side;
use capgen_payload::{Payload as _, Violation, Violations};
use serde_json::Value;

use super::difference::Difference;
use crate::envelope::{
    Draft, Envelope, ErrorPayload, ErrorSide, ErrorViolation, ErrorViolationRequired, Keys, MessageKind, NO_EFFECT,
    SkewDetails, WORKING, header,
};
use crate::failure::Failure;
use crate::id::Id;
use crate::outcome::{Status, code, reason};
use crate::violation::summary;

/// The result of a call, without the ids that differ between duplicates of a request.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    /// The code of the error; `None` if the payload is a response.
    pub(super) code: Option<String>,
    pub(super) payload: Bytes,
    /// Whether the answer is kept for duplicates of the request: its handler ran to the end, and the same request would
    /// not succeed later.
    pub(super) is_final: bool,
    /// Whether the request was interrupted because this process stops, so that another process should get it.
    pub(super) is_abandoned: bool,
    /// Whether the request is not proved to come from its sender. Then the answer is not signed, so that no one can use
    /// the provider to forge responses.
    pub(super) is_unproved: bool,
    /// Whether the caller should send its contract: with this request if it is refused, and otherwise with its next
    /// one.
    needs_descriptor: bool,
    /// The contracts, as JSON, if a response may be invalid for the caller although this one was sent.
    skew: Option<String>,
    /// The contract by which the request was read, if the agent has several of the capability.
    pub(super) contract: Option<Arc<OwnedDescriptor>>,
}

/// The message about a request that did not end because this process stops.
const STOPPED: &str = "the provider stopped before the handler ended";

impl Answer {
    /// A valid response.
    pub(super) fn ok(payload: Bytes) -> Self {
        Self {
            code: None,
            payload,
            is_final: true,
            is_abandoned: false,
            is_unproved: false,
            needs_descriptor: false,
            skew: None,
            contract: None,
        }
    }

    /// An error before or instead of the end of a handler.
    pub(super) fn error(code: &str, message: impl Into<String>) -> Self {
        Self::of(ErrorPayload::of(code, message)).not_kept()
    }

    /// A request for which there is no room, or whose caller has its share.
    pub(super) fn busy() -> Self {
        Self::error(code::BUSY, "the provider has too many requests")
    }

    /// The same answer to a stored message, which another process gets.
    pub(super) fn for_another_process(self) -> Self {
        Self { is_abandoned: true, ..self }
    }

    /// The end of a request because this process stops.
    pub(super) fn abandoned() -> Self {
        Self { is_abandoned: true, ..Self::error(code::ABANDONED, STOPPED) }
    }

    /// The same for a request whose handler did not start.
    pub(super) fn not_started() -> Self {
        Self { is_abandoned: true, ..Self::without_effect(code::ABANDONED, STOPPED) }
    }

    /// An error of a request whose handler did not start, with a code that does not state that.
    fn without_effect(code: &str, message: &str) -> Self {
        Self::of(ErrorPayload::of(code, message).with_effect(NO_EFFECT)).not_kept()
    }

    /// The same answer, which is not kept for duplicates of the request.
    pub(super) fn not_kept(self) -> Self {
        Self { is_final: false, ..self }
    }

    /// The answer to a request that its caller cancelled before it arrived.
    pub(super) fn cancelled() -> Self {
        Self::without_effect(code::ABANDONED, "the caller cancelled the request")
    }

    /// The same response by a provider that needs the contract of the caller.
    pub(super) fn needing_descriptor(self) -> Self {
        Self { needs_descriptor: true, ..self }
    }

    /// The same response by a provider of which other responses may be invalid for the caller.
    pub(super) fn with_notice(self, details: &SkewDetails) -> Self {
        Self { skew: serde_json::to_string(details).ok(), ..self }
    }

    /// The answer to a request that is not proved to come from its sender.
    pub(super) fn unproved(self) -> Self {
        Self { is_unproved: true, ..self }
    }

    /// The same answer to a request that may be proved to come from its sender.
    pub(super) fn unproved_unless(self, is_authentic: bool) -> Self {
        if is_authentic { self } else { self.unproved() }
    }

    /// The same answer by a version of a capability that has several.
    pub(super) fn of_contract(self, contract: Option<&Arc<OwnedDescriptor>>) -> Self {
        Self { contract: contract.cloned(), ..self }
    }

    /// The same error without the parts that can be large.
    pub(super) fn shortened(&self) -> Self {
        let Ok(ErrorPayload { code, message, side, retryable, .. }) = ErrorPayload::from_json(&self.payload) else {
            return Self::error(code::HANDLER_FAILED, "the response is larger than the transport allows");
        };
        // Enough to find the reason; a transport with smaller messages carries no calls.
        let message: String = message.chars().take(256).collect();
        Self::of(ErrorPayload { side, retryable, ..ErrorPayload::of(&code, message) })
            .of_contract(self.contract.as_ref())
    }

    /// The answer to a request whose handler panicked. The message of the panic may contain secrets.
    pub(super) fn panicked() -> Self {
        Self::error(code::HANDLER_FAILED, "the handler panicked")
    }

    /// The message of an error, and whether a retry helps.
    #[cfg(feature = "tower")]
    pub(super) fn reason(&self) -> (String, bool) {
        let error = ErrorPayload::from_json(&self.payload);
        error.map(|error| (error.message, error.retryable == Some(true))).unwrap_or_default()
    }

    /// The failure of a handler.
    pub(super) fn failure(failure: Failure) -> Self {
        Self::of(failure.into())
    }

    /// The failure of a handler whose details violate their schema.
    pub(super) fn invalid_details(code: &str) -> Self {
        Self::of(ErrorPayload::of(code::HANDLER_FAILED, invalid_details(code)))
    }

    /// A payload that violates its schema, by violations without values.
    pub(super) fn violation(side: Side, violations: &Violations) -> Self {
        let error = ErrorPayload::of(code::SCHEMA_VIOLATION, summary(side, violations));
        // An invalid request did not run, and its answer may be large.
        Self { is_final: side == Side::Response, ..Self::of(with_violations(error, side, violations)) }
    }

    /// A request that the provider cannot read, by a caller with another contract: another instance may be able to.
    pub(super) fn unreadable(difference: &Difference<'_>, violations: &Violations) -> Self {
        let error = ErrorPayload::of(code::VERSION_SKEW, difference.unreadable(violations)).with_retryable(true);
        let error = error.with_skew(difference.details(reason::PAYLOAD));
        Self::of(with_violations(error, Side::Request, violations)).not_kept()
    }

    /// Contracts that differ, with the first change that breaks the caller.
    pub(super) fn skew(message: String, details: SkewDetails, finding: Option<&Value>) -> Self {
        let error = ErrorPayload::of(code::VERSION_SKEW, message).with_skew(details);
        let members = finding.and_then(Value::as_object);
        let members = members.map(|members| members.iter().map(|(key, value)| (key.clone(), value.clone())).collect());
        let error = match members {
            Some(finding) => error.with_finding(finding),
            None => error,
        };
        // No handler started, and another request with the same key may be accepted.
        Self::of(error).not_kept()
    }

    /// The contract of the caller is not known.
    pub(super) fn unknown_contract(difference: &Difference<'_>) -> Self {
        let message =
            "the contracts of the caller and the provider differ, and the provider does not know the caller's";
        let details = difference.details(reason::UNKNOWN_CONTRACT);
        Self { needs_descriptor: true, ..Self::skew(message.to_owned(), details, None) }
    }

    pub(super) fn of(mut error: ErrorPayload) -> Self {
        let is_invalid_request = error.code == code::SCHEMA_VIOLATION && error.side == Some(ErrorSide::Request);
        if is_invalid_request || code::is_without_effect(&error.code) {
            error.effect = Some(NO_EFFECT.to_owned());
        }
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
            skew: None,
            contract: None,
        }
    }

    /// The status, for records.
    pub(super) fn status(&self) -> Status {
        self.code.as_deref().map_or(Status::Ok, Status::of)
    }

    /// The text of the response to a request, with the names of the features of the provider. The hash and the version
    /// of the contract are left out if the request has the same contract.
    pub(super) fn encode(
        &self,
        request: &Envelope,
        agent: &str,
        contract: Option<&OwnedDescriptor>,
        features: &str,
        keys: Option<&Keys>,
    ) -> Option<Bytes> {
        let hash = contract.map_or("", |contract| &contract.hash);
        let version = contract.and_then(|contract| contract.version.as_deref());
        let is_new = !hash.is_empty() && request.header(header::CONTRACT) != Some(hash);
        let headers = [
            (header::CONTRACT, is_new.then_some(hash)),
            (header::VERSION, version.filter(|_| is_new)),
            (header::STATUS, self.code.is_some().then_some("error")),
            (header::NEEDS, self.needs_descriptor.then_some("descriptor")),
            (header::SKEW, self.skew.as_deref()),
            (header::FEATURES, Some(features).filter(|features| !features.is_empty())),
        ];
        reply(request, agent, &headers, &self.payload, keys)
    }
}

/// The message about a failure whose details violate their schema.
pub(super) fn invalid_details(code: &str) -> String {
    format!("the details of the error `{code}` violate their schema")
}

/// An error with the violations of a payload.
fn with_violations(error: ErrorPayload, side: Side, violations: &Violations) -> ErrorPayload {
    let entry = |violation: &Violation| {
        let Violation { path, message, keyword } = violation.clone();
        ErrorViolation::new(ErrorViolationRequired { path, message }).with_keyword(keyword.as_str())
    };
    let side = match side {
        Side::Request => ErrorSide::Request,
        Side::Response => ErrorSide::Response,
    };
    let mut error = error.with_side(side).with_violations(violations.iter().map(entry).collect());
    error.truncated = violations.is_truncated().then_some(true);
    error
}

/// The text of the proof that a request waits or runs.
pub(super) fn working(request: &Envelope, agent: &str, features: &str, keys: Option<&Keys>) -> Option<Bytes> {
    reply(request, agent, &[(header::FRAME, Some(WORKING)), (header::FEATURES, Some(features))], b"null", keys)
}

/// The text of a message that a request causes.
fn reply(
    request: &Envelope,
    agent: &str,
    headers: &[(&str, Option<&str>)],
    payload: &[u8],
    keys: Option<&Keys>,
) -> Option<Bytes> {
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
        headers,
        payload,
    };
    draft.encode(keys).ok()
}

impl Envelope {
    /// The text of the response to this request, for transports that carry calls over another protocol: the payload of
    /// the response, or the error. It is not signed. The payload is not checked. `None` if the code of the error is
    /// invalid.
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
        answer.encode(self, self.to(), None, "", None)
    }
}
