//! Layers around the calls of a client.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use bytes::Bytes;
use tower_layer::Layer;
use tower_service::Service;

use super::attempt::Reply;
use crate::layered::{BoxError, Core, Layered, erased};
use crate::outcome::{CallError, code};
use crate::transport::BoxFuture;

/// A call, as the request of the layers of a client. Its payload is valid, and nothing was sent yet.
///
/// A clone is the same call, for layers that repeat it: one deadline applies to all of its calls together.
#[derive(Clone)]
pub struct OutgoingCall {
    peer: Arc<str>,
    capability: Arc<str>,
    payload: Bytes,
    is_repeatable: bool,
    timeout: Duration,
    pub(super) headers: BTreeMap<String, String>,
    core: Core<OutgoingCall, CallResponse, CallError>,
}

/// The response to a call.
pub struct CallResponse(pub(super) Reply);

/// The innermost service of the layers of a client, which makes the call with all its attempts.
#[derive(Clone)]
pub struct CallService(Option<Arc<dyn Layered<OutgoingCall, CallResponse>>>);

/// The layers of a client.
pub(super) type ClientLayers = Arc<dyn Layered<OutgoingCall, CallResponse>>;

/// Adds a layer around those that there are.
pub(super) fn with_layer<L>(inner: Option<ClientLayers>, layer: &L) -> ClientLayers
where
    L: Layer<CallService>,
    L::Service: Service<OutgoingCall, Response = CallResponse> + Clone + Send + 'static,
    <L::Service as Service<OutgoingCall>>::Error: Into<BoxError>,
    <L::Service as Service<OutgoingCall>>::Future: Send,
{
    Arc::new(erased(layer.layer(CallService(inner))))
}

impl OutgoingCall {
    pub(super) fn new(
        [peer, capability]: [&str; 2],
        payload: Bytes,
        is_repeatable: bool,
        timeout: Duration,
        headers: BTreeMap<String, String>,
        core: Core<Self, CallResponse, CallError>,
    ) -> Self {
        Self { peer: peer.into(), capability: capability.into(), payload, is_repeatable, timeout, headers, core }
    }

    /// The id of the agent that is called, without `agent://`.
    #[must_use]
    pub fn peer(&self) -> &str {
        &self.peer
    }

    /// The name of the capability.
    #[must_use]
    pub fn capability(&self) -> &str {
        &self.capability
    }

    /// The text of the request. It is sent unchanged.
    #[must_use]
    pub fn payload(&self) -> &Bytes {
        &self.payload
    }

    /// Whether the contract states that a repeated call has no further effect.
    #[must_use]
    pub fn is_repeatable(&self) -> bool {
        self.is_repeatable
    }

    /// The time until the deadline of the call when it started.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The headers of the request, without those of the protocol.
    #[must_use]
    pub fn headers(&self) -> &BTreeMap<String, String> {
        &self.headers
    }

    /// Sets a header of the request, such as `authorization`. Names that start with `capgen-` are replaced by the
    /// client's values.
    pub fn set_header(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.headers.insert(name.into(), value.into());
    }
}

impl fmt::Debug for OutgoingCall {
    /// Leaves out the payload and the headers, which may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut call = f.debug_struct("OutgoingCall");
        call.field("peer", &self.peer).field("capability", &self.capability).finish_non_exhaustive()
    }
}

impl CallResponse {
    /// The text of the response, which is valid.
    #[must_use]
    pub fn payload(&self) -> &Bytes {
        &self.0.payload
    }
}

impl fmt::Debug for CallResponse {
    /// Leaves out the payload, which may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallResponse").field("bytes", &self.0.payload.len()).finish_non_exhaustive()
    }
}

impl Service<OutgoingCall> for CallService {
    type Response = CallResponse;
    type Error = CallError;
    type Future = BoxFuture<'static, Result<CallResponse, CallError>>;

    /// Always ready: a client that has too many calls in flight answers with `EAGENTRPC_BUSY`.
    fn poll_ready(&mut self, _: &mut TaskContext<'_>) -> Poll<Result<(), CallError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: OutgoingCall) -> Self::Future {
        match &self.0 {
            Some(inner) => {
                let called = inner.call(call);
                Box::pin(async { called.await.map_err(failed) })
            }
            None => Box::pin(async {
                let core = call.core.clone();
                core.run(call).await.unwrap_or_else(|| Err(abandoned("the call has ended".to_owned())))
            }),
        }
    }
}

impl fmt::Debug for CallService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallService").finish_non_exhaustive()
    }
}

/// The error of layers as that of the call. The meaning of errors of other types than [`CallError`] is
/// not known, so such a call is not repeated.
pub(super) fn failed(error: BoxError) -> CallError {
    match error.downcast::<CallError>() {
        Ok(error) => *error,
        Err(error) => abandoned(format!("a layer ended the call: {error}")),
    }
}

fn abandoned(message: String) -> CallError {
    CallError { retryable: false, ..CallError::new(code::ABANDONED, message) }
}
