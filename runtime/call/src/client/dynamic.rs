//! Calls without types.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use capgen_manifest::Side;
use capgen_payload::{InvalidPayload, Validator, Violations};
use capgen_schema::ExactPayload;
use serde_json::Value;
use tracing::Instrument as _;

use super::Client;
use super::attempt::{Reply, Request};
use super::route::{CalledContract, Target};
use super::started::Started;
use crate::options::{CallMode, CallOptions};
use crate::outcome::{CallError, CallResult, Status, in_ms};
use crate::violation::list;

impl Client {
    /// Calls a capability by its name, with the contract of the table of peers. `peer` is an id, with or without
    /// `agent://`.
    ///
    /// A side without a schema is not validated; its JSON is still read strictly.
    pub async fn call_json(&self, peer: &str, capability: &str, payload: &Value) -> CallResult {
        self.call_json_with(peer, capability, payload, &CallOptions::default(), CallMode::Sync).await
    }

    /// Calls a capability by its name, with options and in a mode. In the modes that do not wait, the status is `ok` if
    /// the request was sent.
    pub async fn call_json_with(
        &self,
        peer: &str,
        capability: &str,
        payload: &Value,
        options: &CallOptions,
        mode: CallMode,
    ) -> CallResult {
        let options = &*options.inherited();
        let peer = peer.strip_prefix("agent://").unwrap_or(peer);
        let target = self.inner.named(peer, capability);
        let contract = target.as_ref().ok().map(|target| target.contract.clone());
        let (hash, timeout) = contract.as_ref().map_or(("", None), |contract| (contract.hash(), contract.timeout()));
        let names = [peer, capability, hash].map(|name| Cow::Owned(name.to_owned()));
        let started = Started::new(Arc::clone(&self.inner), names, timeout, options);
        #[cfg(feature = "otel")]
        let started = started.with_codes(contract.as_ref().map(CalledContract::codes).unwrap_or_default());
        let span = started.span();
        let call = async {
            match target {
                Ok(target) => self.call_target(started, target, payload, options, mode).await,
                Err(error) => started.end(error).await.into(),
            }
        };
        call.instrument(span).await
    }

    async fn call_target(
        &self,
        started: Started,
        target: Target,
        payload: &Value,
        options: &CallOptions,
        mode: CallMode,
    ) -> CallResult {
        let text = match checked_request(&target.contract, payload) {
            Ok(text) => text,
            Err([violations, redacted]) => {
                return Box::pin(started.violation(Side::Request, violations, redacted, None)).await.into();
            }
        };
        let request = Request::once(&target, &text, options);
        match mode {
            CallMode::Sync => {
                let is_valid = |response: &Bytes| checked_response(&target.contract, response).is_ok();
                let response = Box::pin(self.exchange(&started, &request, &is_valid)).await;
                settle(started, &target.contract, response).await
            }
            CallMode::FireAndForget => match self.publish_event(&started, &request).await {
                Ok(()) => started.sent().await,
                Err(error) => started.end(error).await.into(),
            },
            CallMode::Async(handler) => {
                let mut waiting = match self.publish_once(&started, &request).await {
                    Ok(waiting) => waiting,
                    Err(error) => return started.end(error).await.into(),
                };
                let sent = started.result(Status::Ok);
                let (client, options) = (self.clone(), options.clone());
                let wait = async move {
                    let request = Request::once(&target, &text, &options);
                    let response = client.reply(&started, &request, &mut waiting).await;
                    handler(settle(started, &target.contract, response).await);
                };
                self.inner.runtime.spawn(wait.instrument(tracing::Span::current()));
                sent
            }
        }
    }
}

impl Started {
    /// Ends a call that does not wait.
    async fn sent(self) -> CallResult {
        let result = self.result(Status::Ok);
        self.succeed().await;
        result
    }

    fn result(&self, status: Status) -> CallResult {
        CallResult {
            status,
            schema_side: None,
            violations: Vec::new(),
            truncated: false,
            error: None,
            correlation_id: self.correlation_id.as_str().to_owned(),
            latency_ms: in_ms(self.elapsed()),
            response: None,
            skew: None,
        }
    }
}

/// Reads and validates a response, and ends the call.
async fn settle(started: Started, contract: &CalledContract, reply: Result<Reply, CallError>) -> CallResult {
    let Reply { payload: response, skew, notice, .. } = match reply {
        Ok(reply) => reply,
        Err(error) => return started.end(error).await.into(),
    };
    match checked_response(contract, &response) {
        Ok(value) => {
            let skew = notice.map(|notice| *notice);
            let result = CallResult { response: Some(value), skew, ..started.result(Status::Ok) };
            started.succeed().await;
            result
        }
        Err([violations, redacted]) => {
            Box::pin(started.violation(Side::Response, violations, redacted, Some((response, skew)))).await.into()
        }
    }
}

/// The violations of a payload, and the same without values.
type Twice = [Violations; 2];

fn checked_request(contract: &CalledContract, payload: &Value) -> Result<Vec<u8>, Twice> {
    if let Some(validator) = contract.validator(Side::Request) {
        check(validator, |validator| validator.validate(payload))?;
    }
    // A tree that is too deep, which only a program can build, is invalid for every schema.
    capgen_payload::Payload::to_json(payload).map_err(|error| {
        let violations = list(error);
        [violations.clone(), violations]
    })
}

fn checked_response(contract: &CalledContract, text: &[u8]) -> Result<Value, Twice> {
    let payload = ExactPayload::parse(text).map_err(|error| {
        let redacted = InvalidPayload::Syntax(error.redact(true));
        let violations = list(redacted);
        [violations.clone(), violations]
    })?;
    if let Some(validator) = contract.validator(Side::Response) {
        check(validator, |validator| validator.validate_exact(&payload))?;
    }
    Ok(payload.into_value())
}

/// Validates; again without values only if there are violations.
fn check(validator: &Validator, validate: impl Fn(&Validator) -> Violations) -> Result<(), Twice> {
    let violations = validate(validator);
    if violations.is_empty() {
        return Ok(());
    }
    Err([violations, validate(&validator.clone().redact(true))])
}
