//! Calls through generated or derived types.

use std::fmt;

use capgen_call::{CallError, ErrorPayload, code};
use capgen_payload::{Capability, Descriptor, InvalidPayload, Payload as _};
use capgen_schema::JsonTextError;

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
        let text = request.to_json().map_err(TypedError::Request)?;
        // A hand-written `Payload` may write a text that is not JSON. Nothing must be sent in its place.
        let params = Value::from_json_text(&text).map_err(TypedError::NotJson)?;
        let invoke = CapInvoke { target, params, timeout_ms: None };
        let result = self.invoke(&invoke, None).await.map_err(|error| failed(error, C::descriptor()))?;
        // A result that is not JSON conforms to no type, not even to that of a side without a schema.
        let unexpected = |_| TypedError::Client(ClientError::Unexpected);
        C::Response::from_json_str(&result.to_json_text().map_err(unexpected)?).map_err(TypedError::Response)
    }
}

/// The error of an invocation of a capability.
fn failed(error: ClientError, capability: &Descriptor) -> TypedError {
    let ClientError::Failed(result) = &error else { return TypedError::Client(error) };
    match payload(result) {
        Some(payload) => TypedError::Failed(Box::new(CallError::of_peer(payload, capability.errors))),
        None => TypedError::Client(error),
    }
}

/// The error of a handler. `None` if the provider failed before or after it ran: then there is no code of a handler.
fn payload(error: &ResultError) -> Option<ErrorPayload> {
    let details = error.details.as_ref()?;
    let code = details.get("code")?.as_text()?;
    // A provider does not decide by a code of the protocol of calls how its callers go on.
    if code != code::HANDLER_FAILED && code::is_of_protocol(code) {
        return None;
    }
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
