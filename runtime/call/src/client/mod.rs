//! The client: typed and dynamic calls.

mod asked;
mod attempt;
mod budget;
mod builder;
mod cancel;
mod dynamic;
mod instances;
mod known;
#[cfg(feature = "tower")]
mod layers;
#[cfg(feature = "tower")]
mod outgoing;
mod pending;
mod preferred;
mod refusal;
mod repeat;
mod retry;
mod route;
mod started;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use capgen_manifest::Side;
use capgen_payload::{Capability, Descriptor, InvalidPayload, Options, Payload, Violations};
use tracing::Instrument as _;

use crate::envelope::SkewDetails;
use crate::options::CallOptions;
use crate::outcome::CallError;
use crate::transport::BoxFuture;
use crate::violation::list;
use crate::wait::MAX_TIMEOUT;
use attempt::{Reply, Request};
use route::Target;
use started::Started;

pub use builder::ClientBuilder;
#[cfg(feature = "tower")]
pub use outgoing::{CallResponse, CallService, OutgoingCall};
pub use retry::Retry;

use builder::Inner;

/// Calls capabilities of other agents. Clones are cheap, and share connections and limits.
///
/// A request is validated before anything is sent, and a response before it is returned. Dropping the future of a call
/// cancels it: its provider drops the handler, or does not start it.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

/// The shortest and the longest timeout, and the default. A deadline is in whole ms. Providers remember ids and refuse
/// deadlines by the longest one, and a person may still wait for the default.
const TIMEOUTS: [Duration; 3] = [Duration::from_millis(1), Duration::from_millis(MAX_TIMEOUT), Duration::from_secs(30)];

impl Client {
    /// Builds the client of an agent, given its id without `agent://`.
    pub fn builder(agent: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(agent.into())
    }

    /// Calls a capability and waits for its response.
    ///
    /// # Errors
    ///
    /// The request or the response violates its schema, or no response arrived. [`CallError`] lists the reasons.
    pub async fn call<C: Capability>(&self, request: &C::Request) -> Result<C::Response, CallError> {
        self.call_with::<C>(request, &CallOptions::default()).await
    }

    /// Calls a capability with options.
    ///
    /// # Errors
    ///
    /// Those of [`call`](Self::call).
    pub async fn call_with<C: Capability>(
        &self,
        request: &C::Request,
        options: &CallOptions,
    ) -> Result<C::Response, CallError> {
        let options = &*options.inherited();
        let started = self.started(C::descriptor(), options);
        let span = started.span();
        async {
            let (target, payload) = match self.prepare::<C>(&started, request) {
                Ok(prepared) => prepared,
                Err(failed) => return Err(failed.end(started).await),
            };
            let request = Request::once(&target, &payload, options);
            let is_valid = |response: &Bytes| C::Response::from_json(response).is_ok();
            // In a box, because its state is large, and would be copied with the future of the call.
            let response = Box::pin(self.exchange(&started, &request, &is_valid)).await;
            settle::<C::Response>(started, response).await
        }
        .instrument(span)
        .await
    }

    /// Sends a request that no one answers.
    ///
    /// # Errors
    ///
    /// The request violates its schema, or was not sent.
    pub async fn send<C: Capability>(&self, request: &C::Request, options: &CallOptions) -> Result<(), CallError> {
        let options = &*options.inherited();
        let started = self.started(C::descriptor(), options);
        let span = started.span();
        async {
            let (target, payload) = match self.prepare::<C>(&started, request) {
                Ok(prepared) => prepared,
                Err(failed) => return Err(failed.end(started).await),
            };
            let request = Request::once(&target, &payload, options);
            match self.publish_event(&started, &request).await {
                Ok(()) => {
                    started.succeed().await;
                    Ok(())
                }
                Err(error) => Err(started.end(error).await),
            }
        }
        .instrument(span)
        .await
    }

    /// Sends a request, and calls `handler` with the result later: also if the response is invalid or does not arrive
    /// in time. Such a call is never repeated. Returns the `correlationId` of the call.
    ///
    /// # Errors
    ///
    /// The request violates its schema, or was not sent. Then `handler` is not called.
    pub async fn call_async<C, F>(
        &self,
        request: &C::Request,
        options: &CallOptions,
        handler: F,
    ) -> Result<String, CallError>
    where
        C: Capability,
        C::Response: Send + 'static,
        F: FnOnce(Result<C::Response, CallError>) + Send + 'static,
    {
        let options = &*options.inherited();
        let started = self.started(C::descriptor(), options);
        let span = started.span();
        let (target, payload) = match self.prepare::<C>(&started, request) {
            Ok(prepared) => prepared,
            Err(failed) => return Err(failed.end(started).await),
        };
        let request = Request::once(&target, &payload, options);
        let mut waiting = match self.publish_once(&started, &request).await {
            Ok(waiting) => waiting,
            Err(error) => return Err(started.end(error).await),
        };
        let correlation_id = started.correlation_id.as_str().to_owned();
        let (client, options) = (self.clone(), options.clone());
        let wait = async move {
            let request = Request::once(&target, &payload, &options);
            let response = client.reply(&started, &request, &mut waiting).await;
            handler(settle::<C::Response>(started, response).await);
        };
        self.inner.runtime.spawn(wait.instrument(span));
        Ok(correlation_id)
    }

    /// The number of calls that wait for a response.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.inner.links.iter().map(|link| link.pending.len()).sum()
    }

    /// The number of responses that no call waited for, since the start: late ones, duplicates, and responses to other
    /// calls.
    #[must_use]
    pub fn unexpected_responses(&self) -> u64 {
        self.inner.links.iter().map(|link| link.pending.unexpected()).sum()
    }

    /// The number of audit records that this client could not hand over to its audit.
    #[must_use]
    pub fn lost_audit_records(&self) -> u64 {
        self.inner.journal.lost()
    }

    /// Ends all calls with `EAGENTRPC_ABANDONED`, and cancels them; later calls end so at once. It does not close the
    /// transports.
    pub fn close(&self) {
        self.inner.links.iter().for_each(|link| link.pending.close());
    }

    /// Starts a typed call.
    fn started(&self, descriptor: &'static Descriptor, options: &CallOptions) -> Started {
        let timeout = descriptor.timeout_ms.map(Duration::from_millis);
        let peer = options.peer.clone().map(Cow::Owned).or(descriptor.agent.map(Cow::Borrowed)).unwrap_or_default();
        let names = [peer, Cow::Borrowed(descriptor.name), Cow::Borrowed(descriptor.hash)];
        let started = Started::new(Arc::clone(&self.inner), names, timeout, options);
        #[cfg(feature = "otel")]
        let started = started.with_codes(started::Codes::Typed(descriptor.errors));
        started
    }

    /// Finds the capability and validates the request, before anything is sent.
    fn prepare<C: Capability>(&self, started: &Started, request: &C::Request) -> Result<(Target, Vec<u8>), Failed> {
        let target = self.inner.typed(&started.peer, C::descriptor()).map_err(Failed::Error)?;
        match request.to_json() {
            Ok(payload) => Ok((target, payload)),
            Err(error) => {
                let redacted = redacted(request.to_json_with(Options::new().redact(true)).map(drop));
                let (side, violations) = (Side::Request, list(error));
                Err(Failed::Invalid(Box::new(InvalidSide { side, violations, redacted, response: None })))
            }
        }
    }
}

/// Why a call has no valid response.
enum Failed {
    Error(CallError),
    Invalid(Box<InvalidSide>),
}

/// A payload of a call that violates its schema.
struct InvalidSide {
    side: Side,
    violations: Violations,
    /// The same without values, for audits.
    redacted: Violations,
    /// The response, and the contracts if they differ.
    response: Option<(Bytes, Option<Box<SkewDetails>>)>,
}

impl Failed {
    /// Ends the call. In a box, because the futures of calls that succeed should not have its size.
    fn end(self, started: Started) -> BoxFuture<'static, CallError> {
        Box::pin(async {
            match self {
                Self::Error(error) => started.end(error).await,
                Self::Invalid(invalid) => {
                    let InvalidSide { side, violations, redacted, response } = *invalid;
                    started.violation(side, violations, redacted, response).await
                }
            }
        })
    }
}

/// Reads and validates the response of a typed call, and ends the call.
async fn settle<P: Payload>(started: Started, reply: Result<Reply, CallError>) -> Result<P, CallError> {
    match read(reply) {
        Ok(typed) => {
            started.succeed().await;
            Ok(typed)
        }
        Err(failed) => Err(failed.end(started).await),
    }
}

/// The value of a valid response.
fn read<P: Payload>(reply: Result<Reply, CallError>) -> Result<P, Failed> {
    let Reply { payload: response, skew, .. } = reply.map_err(Failed::Error)?;
    P::from_json(&response).map_err(|error| {
        let redacted = redacted(P::from_json_with(&response, Options::new().redact(true)).map(drop));
        let (side, violations) = (Side::Response, list(error));
        Failed::Invalid(Box::new(InvalidSide { side, violations, redacted, response: Some((response, skew)) }))
    })
}

/// The violations of a payload that was checked again without quoting its values, for audits.
fn redacted(result: Result<(), InvalidPayload>) -> Violations {
    result.err().map(list).unwrap_or_default()
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("agent", &self.inner.agent).finish_non_exhaustive()
    }
}
