//! Clients and handlers as services of [tower](https://docs.rs/tower), with the feature `tower`: layers around all
//! calls of a client and all handlers of an agent, and services for single capabilities.
//!
//! | wrapped | by | request, response and error of the services |
//! |---|---|---|
//! | the calls of a client, each with all its attempts; also those of generated clients | [`ClientBuilder::layer`](crate::ClientBuilder::layer) | [`OutgoingCall`], [`CallResponse`], [`CallError`](crate::CallError) |
//! | the handlers of an agent, in every server | [`Handlers::layer`](crate::Handlers::layer) | [`ServedRequest`], [`ServedResponse`], [`ServeError`] |
//! | calls by name | [`Client`](crate::Client) is a service | [`JsonCall`] |
//! | the handler of one capability | [`Handlers::with_service`](crate::Handlers::with_service) | [`ServedCall`] |
//!
//! Failures are errors of the services, so that layers that repeat, count or limit see them.

use std::fmt;
use std::future::poll_fn;
use std::task::{Context as TaskContext, Poll};

use capgen_manifest::Capability;
use serde_json::Value;
use tower_service::Service;

use crate::client::Client;
pub use crate::client::{CallResponse, CallService, OutgoingCall};
use crate::context::Context;
use crate::failure::Failure;
use crate::options::{CallMode, CallOptions};
use crate::outcome::{CallResult, Status};
use crate::server::Handlers;
pub use crate::server::{HandlerService, ServeError, ServedRequest, ServedResponse};
use crate::transport::BoxFuture;

/// A dynamic call as the request of a [`tower_service::Service`], which [`Client`] implements.
#[derive(Clone, Debug)]
pub struct JsonCall {
    /// The id of the agent, with or without `agent://`.
    pub peer: String,
    /// The name of the capability.
    pub capability: String,
    /// The request.
    pub payload: Value,
    /// The options.
    pub options: CallOptions,
}

/// The result of a dynamic call that failed: its status is not [`Status::Ok`].
#[derive(Clone, PartialEq, Debug)]
pub struct JsonCallError(pub Box<CallResult>);

impl fmt::Display for JsonCallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.error {
            Some(error) => write!(f, "{}: {}", error.code, error.message),
            None => f.write_str(self.0.status.as_str()),
        }
    }
}

impl std::error::Error for JsonCallError {}

/// A request to a service that is a handler.
#[derive(Clone, Debug)]
pub struct ServedCall {
    /// The properties of the call.
    pub context: Context,
    /// The request, which conforms to its schema.
    pub payload: Value,
}

impl Service<JsonCall> for Client {
    type Response = CallResult;
    type Error = JsonCallError;
    type Future = BoxFuture<'static, Result<CallResult, JsonCallError>>;

    /// Always ready: a client that has too many calls in flight answers with the status `busy`.
    fn poll_ready(&mut self, _: &mut TaskContext<'_>) -> Poll<Result<(), JsonCallError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: JsonCall) -> Self::Future {
        let client = self.clone();
        Box::pin(async move {
            let JsonCall { peer, capability, payload, options } = call;
            let result = client.call_json_with(&peer, &capability, &payload, &options, CallMode::Sync).await;
            if result.status == Status::Ok { Ok(result) } else { Err(JsonCallError(Box::new(result))) }
        })
    }
}

impl Handlers {
    /// Adds a service as the handler of a capability. Both sides are validated by the contract, as with
    /// [`with_json`](Self::with_json). Each call gets a clone of the service, and waits until it is ready.
    #[must_use]
    pub fn with_service<S>(self, capability: &Capability, service: S) -> Self
    where
        S: Service<ServedCall, Response = Value, Error = Failure> + Clone + Send + Sync + 'static,
        S::Future: Send + 'static,
    {
        self.with_json(capability, move |context, payload| {
            let mut service = service.clone();
            async move {
                poll_fn(|task| service.poll_ready(task)).await?;
                service.call(ServedCall { context, payload }).await
            }
        })
    }
}
