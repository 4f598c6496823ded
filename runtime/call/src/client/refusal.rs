//! The errors that providers answer with.

use std::time::Duration;

use capgen_descriptor::{ErrorDescriptor, OwnedErrorDescriptor};
use capgen_payload::{Payload as _, Violations};
use serde_json::Value;

use super::attempt::too_late;
use super::route::Target;
use super::started::Started;
use crate::declared_errors::{DeclaredErrors, Received};
use crate::envelope::{ErrorPayload, ErrorSide, NO_EFFECT};
use crate::outcome::{CallError, Status, code};

/// The error of a provider that answered a call.
pub(super) fn refusal(started: &Started, target: &Target, payload: &[u8]) -> CallError {
    let error = target.contract.declared(&started.inner, answered_error(payload));
    // A busy process may read the answer only after the deadline. Then both sides agree that it has passed. Before the
    // deadline, the same answer means that the clocks differ.
    if error.code == code::DEADLINE_EXCEEDED && started.remaining().is_zero() { too_late(started) } else { error }
}

impl CallError {
    /// The error of a provider that was called by another protocol, by a contract with these errors: details of other
    /// errors, and details that their schema rejects, are dropped.
    ///
    /// ```
    /// use capgen_call::{CallError, ErrorPayload};
    /// let payload = ErrorPayload::of("NO_SEATS", "all seats are taken").with_details(serde_json::json!({"free": 0}));
    /// assert_eq!(CallError::of_peer(payload, &[]).details(), None);
    /// ```
    #[must_use]
    pub fn of_peer(payload: ErrorPayload, errors: &[ErrorDescriptor]) -> Self {
        let declared = || DeclaredErrors::of(errors.iter().map(OwnedErrorDescriptor::from));
        with_declared_details(remote_error(payload), |code, details| declared().received(code, details))
    }
}

/// The error of a provider, with its details only if they conform to the contract of the caller. Those of errors of the
/// protocol are not in contracts, and have been checked.
pub(super) fn with_declared_details(error: CallError, received: impl Fn(&str, &Value) -> Received) -> CallError {
    let Some(details) = error.details().filter(|_| !code::is_of_protocol(&error.code)) else { return error };
    let reason = match received(&error.code, details) {
        Received::Valid => return error,
        Received::Invalid => "its contract rejects them",
        Received::Unknown => "its contract has none",
    };
    tracing::warn!(code = error.code, reason, "the details of an error are dropped");
    error.without_data()
}

/// The error in the answer of a provider.
fn answered_error(payload: &[u8]) -> CallError {
    match ErrorPayload::from_json(payload) {
        Ok(error) => remote_error(error),
        Err(_) => CallError::new(code::INVALID_ENVELOPE, "the peer sent an error in an unknown form"),
    }
}

/// The data of an error of the protocol, as far as the protocol defines it for the code: a program that reads it need
/// not expect anything else, whatever the provider sent.
fn data_of_protocol(code: &str, details: Option<Value>) -> Option<Value> {
    let Value::Object(mut members) = details.filter(|_| code == code::DEADLINE_EXCEEDED)? else { return None };
    members.retain(|name, value| ["lateMs", "timeoutMs"].contains(&name.as_str()) && value.is_u64());
    members.contains_key("lateMs").then_some(Value::Object(members))
}

/// Whether the protocol defines a member of a finding.
fn is_of_finding((name, value): &(String, Value)) -> bool {
    match name.as_str() {
        "code" | "message" | "side" | "pointer" | "help" | "fingerprint" => value.is_string(),
        name => name == "witness",
    }
}

/// The error that a provider sent.
fn remote_error(error: ErrorPayload) -> CallError {
    let side = error.side.map(|side| match side {
        ErrorSide::Request => capgen_manifest::Side::Request,
        ErrorSide::Response => capgen_manifest::Side::Response,
    });
    let violations = error.violations.unwrap_or_default().into_iter().map(|violation| {
        let keyword = violation.keyword.and_then(|keyword| keyword.parse().ok());
        capgen_payload::Violation {
            path: violation.path,
            message: violation.message,
            keyword: keyword.unwrap_or(capgen_payload::Keyword::Schema),
        }
    });
    let finding = error.finding.filter(|_| error.code == code::VERSION_SKEW);
    let finding = finding.map(|finding| finding.into_iter().filter(is_of_finding).collect());
    let violations = Violations::of_peer(violations, error.truncated == Some(true));
    let data =
        if code::is_of_protocol(&error.code) { data_of_protocol(&error.code, error.details) } else { error.details };
    let new = CallError::new(&error.code, error.message);
    let retryable = error.retryable.unwrap_or(new.retryable);
    // A provider may choose any code for its failures, but a violation has a side.
    let status = if new.status == Status::SchemaViolation && side.is_none() { Status::Error } else { new.status };
    let is_invalid_request = status == Status::SchemaViolation && side == Some(capgen_manifest::Side::Request);
    let is_stated = error.effect.as_deref() == Some(NO_EFFECT);
    let is_without_effect = is_stated || is_invalid_request || code::is_without_effect(&error.code);
    CallError { status, side, violations, retryable, is_without_effect, ..new }
        .with_finding(finding)
        .with_skew(error.skew)
        .with_data(data, error.retry_after_ms.map(Duration::from_millis))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn received(error: Value) -> CallError {
        answered_error(error.to_string().as_bytes())
    }

    #[test]
    fn data_of_errors_of_the_protocol_has_a_fixed_form() {
        for (code, details, expected) in [
            (code::DEADLINE_EXCEEDED, json!({"lateMs": 3}), Some(json!({"lateMs": 3}))),
            (
                code::DEADLINE_EXCEEDED,
                json!({"lateMs": 3, "timeoutMs": 5, "more": [1]}),
                Some(json!({"lateMs": 3, "timeoutMs": 5})),
            ),
            (code::DEADLINE_EXCEEDED, json!({"lateMs": 3, "timeoutMs": "5"}), Some(json!({"lateMs": 3}))),
            (code::DEADLINE_EXCEEDED, json!({"lateMs": -3}), None),
            (code::DEADLINE_EXCEEDED, json!({"timeoutMs": 5}), None),
            (code::DEADLINE_EXCEEDED, json!([3]), None),
            (code::BUSY, json!({"lateMs": 3}), None),
            (code::VERSION_SKEW, json!({"free": 0}), None),
            // In two parts: it is the code of no version, and has no page.
            (concat!("EAGENTRPC_", "NEWER"), json!({"free": 0}), None),
            ("NO_SEATS", json!({"free": 0}), Some(json!({"free": 0}))),
        ] {
            let error = received(json!({"code": code, "message": "m", "details": details}));
            assert_eq!(error.details(), expected.as_ref(), "{code} {details}");
            let of_peer = ErrorPayload::of(code, "m").with_details(details);
            let of_contract = CallError::of_peer(of_peer, &[]);
            assert_eq!(of_contract.details(), expected.as_ref().filter(|_| code != "NO_SEATS"), "{code}");
        }
    }

    #[test]
    fn findings_have_the_members_that_the_protocol_defines() {
        let finding = json!({"code": "E0701", "pointer": 7, "witness": {"a": 1}, "secret": true});
        for (code, expected) in [(code::VERSION_SKEW, true), (code::BUSY, false), ("NO_SEATS", false)] {
            let error = received(json!({"code": code, "message": "m", "finding": finding}));
            let kept = json!({"code": "E0701", "witness": {"a": 1}});
            assert_eq!(error.finding(), expected.then_some(&kept), "{code}");
        }
    }
}
