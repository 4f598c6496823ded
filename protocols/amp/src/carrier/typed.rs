//! Calls through generated or derived types.

use std::fmt;

use capgen_call::journal::violations_of;
use capgen_call::{CallError, ErrorPayload, Side, code};
use capgen_payload::{Capability, Descriptor, InvalidPayload, Options, Payload as _};
use capgen_schema::JsonTextError;

use super::client::Sending;
use super::outgoing::{Called, End};
use super::{Client, ClientError};
use crate::body::{CapInvoke, ResultError, Target};
use crate::cbor::Value;

/// Why a typed call has no response.
#[derive(Debug)]
#[non_exhaustive]
pub enum TypedError {
    /// The request violates its schema. Nothing was sent.
    Request(InvalidPayload),
    /// A hand-written implementation of the request has written a text that is not JSON. Nothing was sent.
    NotJson(JsonTextError),
    /// The response violates its schema.
    Response(InvalidPayload),
    /// The handler failed with a code. The details of an error that the contract declares conform to their schema;
    /// others are dropped. The enum with the errors of the capability is made from it, for a `match`.
    Failed(Box<CallError>),
    /// There is no response for another reason.
    Client(ClientError),
}

impl Client {
    /// Invokes a capability by its types. The request is validated before it is sent, and the response before it is
    /// returned.
    ///
    /// ```
    /// # use capgen_amp::carrier::{Client, TypedError};
    /// # async fn example<C: capgen_payload::Capability>(client: &Client, request: &C::Request) -> Result<(), Box<dyn std::error::Error>>
    /// # where TypedError: std::error::Error {
    /// use capgen_amp::body::Target;
    /// let target = Target::Id("com.example.reviewer.review-change:1.2.0".parse()?);
    /// let response = client.call::<C>(target, request).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// See [`TypedError`].
    pub async fn call<C: Capability>(&self, target: Target, request: &C::Request) -> Result<C::Response, TypedError> {
        let sending = Sending::now()?;
        let Descriptor { name, hash, errors, .. } = C::descriptor();
        let call = self.start(Called { capability: name, contract: hash, errors }, sending);
        match call.within(self.typed::<C>(target, request, sending, &|| call.retried())).await {
            Ok(response) => {
                call.end(End::default()).await;
                Ok(response)
            }
            Err(failed) => {
                let (error, end) = *failed;
                call.end(end).await;
                Err(error)
            }
        }
    }

    /// The response, or why there is none and how the call ends with that.
    async fn typed<C: Capability>(
        &self,
        target: Target,
        request: &C::Request,
        sending: Sending,
        retried: &(dyn Fn() + Sync),
    ) -> Result<C::Response, Box<(TypedError, End)>> {
        let text = request.to_json().map_err(|error| {
            let end = invalid(Side::Request, request.to_json_with(REDACTED).map(drop));
            Box::new((TypedError::Request(error), end))
        })?;
        // A hand-written `Payload` may write a text that is not JSON. Nothing must be sent in its place.
        let params = Value::from_json_text(&text)
            .map_err(|error| Box::new((TypedError::NotJson(error), End::error(code::INVALID_ENVELOPE))))?;
        let invoke = CapInvoke { target, params, timeout_ms: None };
        let result = self.invoke_as(&invoke, None, sending, retried).await.map_err(|error| {
            let end = End::of_error(&error);
            Box::new((failed(error, C::descriptor()), end))
        })?;
        // A result that is not JSON conforms to no type, not even to that of a side without a schema.
        let text = result.to_json_text().map_err(|_| {
            let end = End::of_error(&ClientError::Unexpected);
            Box::new((TypedError::Client(ClientError::Unexpected), end))
        })?;
        C::Response::from_json_str(&text).map_err(|error| {
            let end = invalid(Side::Response, C::Response::from_json_with(text.as_bytes(), REDACTED).map(drop));
            Box::new((TypedError::Response(error), end))
        })
    }
}

/// Audits get no values of payloads.
const REDACTED: Options = Options::new().redact(true);

/// The end of a call with an invalid payload, which was checked again without quoting its values.
fn invalid(side: Side, redacted: Result<(), InvalidPayload>) -> End {
    End::invalid(side, redacted.err().map(violations_of).unwrap_or_default())
}

/// The error of an invocation of a capability.
fn failed(error: ClientError, capability: &Descriptor) -> TypedError {
    let ClientError::Failed(result) = &error else { return TypedError::Client(error) };
    match payload(result) {
        Some(payload) => TypedError::Failed(Box::new(CallError::of_peer(payload, capability.errors))),
        None => TypedError::Client(error),
    }
}

/// The code of the failure of a handler. `None` if the provider failed before or after it ran: then there is no such
/// code.
pub(super) fn failure(error: &ResultError) -> Option<&str> {
    let code = error.details.as_ref()?.get("code")?.as_text()?;
    // A provider does not decide by a code of the protocol of calls how its callers go on.
    (code == code::HANDLER_FAILED || !code::is_of_protocol(code)).then_some(code)
}

/// The error of a handler; `None` if it did not fail by itself.
fn payload(error: &ResultError) -> Option<ErrorPayload> {
    let (code, details) = (failure(error)?, error.details.as_ref()?);
    let retryable = details.get("retryable").and_then(Value::as_bool).unwrap_or(false);
    let payload = ErrorPayload::of(code, error.message.clone().unwrap_or_default()).with_retryable(retryable);
    let details = details.get("details").and_then(|details| details.to_json().ok());
    Some(ErrorPayload { details, ..payload })
}

impl From<ClientError> for TypedError {
    fn from(error: ClientError) -> Self {
        Self::Client(error)
    }
}

impl fmt::Display for TypedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(error) => write!(f, "the request is invalid: {error}"),
            Self::NotJson(error) => write!(f, "the text of the request is not JSON: {error}"),
            Self::Response(error) => write!(f, "the response is invalid: {error}"),
            Self::Failed(error) => error.fmt(f),
            Self::Client(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TypedError {}
