//! Calls through generated or derived types.

use std::fmt;

use capgen_payload::{Capability, InvalidPayload, Payload as _};
use capgen_schema::JsonTextError;

use super::{Client, ClientError};
use crate::body::{CapInvoke, Target};
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
    /// There is no response.
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
        let result = self.invoke(&invoke, None).await.map_err(TypedError::Client)?;
        // A result that is not JSON conforms to no type, not even to that of a side without a schema.
        let unexpected = |_| TypedError::Client(ClientError::Unexpected);
        C::Response::from_json_str(&result.to_json_text().map_err(unexpected)?).map_err(TypedError::Response)
    }
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
            Self::Client(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TypedError {}
