//! One attempt of a call: publishing the request, and receiving the response.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout_at;

use super::Client;
use super::builder::Link;
use super::cancel::{Reason, Sent};
use super::known::{AskedContract, Known};
use super::pending::{Expected, News, Response, Slot, abandoned, no_peer};
use super::refusal::refusal;
use super::route::Target;
use super::started::{Started, stated};
use crate::decimal::Decimal;
use crate::envelope::{Draft, MessageKind, SkewDetails, header};
use crate::id::Id;
use crate::options::CallOptions;
#[cfg(feature = "otel")]
use crate::otel::Measured;
use crate::outcome::{CallError, code, reason};
use crate::trace::Traceparent;
use crate::transport::{BoxFuture, Delivery, Outgoing, TransportError};
use crate::wait::at_once;

/// A message on its way to the transport.
type Publish<'l> = BoxFuture<'l, Result<(), TransportError>>;

/// A request whose response has not arrived yet.
pub(super) struct Waiting {
    slot: Slot,
    trace: Traceparent,
    /// Counts the call as one in flight, unless another value does.
    _permit: Option<OwnedSemaphorePermit>,
}

/// The response to a call, whose payload is not validated yet.
pub(super) struct Reply {
    pub(super) payload: Bytes,
    /// Both contracts, if the provider's is another one: then this is the reason why the payload may be invalid.
    pub(super) skew: Option<Box<SkewDetails>>,
    /// The contracts, if the provider states that other responses may be invalid.
    pub(super) notice: Option<Box<SkewDetails>>,
    /// Whether the provider asks for the caller's contract.
    pub(super) needs_descriptor: bool,
}

/// A valid request, without its ids.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) target: &'a Target,
    pub(super) payload: &'a [u8],
    pub(super) options: &'a CallOptions,
    /// Whether the request may run several times, unless the provider knows that it is the same one.
    pub(super) is_repeated: bool,
    /// The number of the attempt, from 1.
    pub(super) attempt: u32,
    /// The interval in ms at which the provider should report that it works on the request.
    pub(super) heartbeat: Option<u64>,
    /// The address, if it is not that of the target.
    pub(super) address: Option<&'a str>,
    /// The contract of the caller, if an earlier response asked for it. The first attempt has it.
    pub(super) contract: Option<&'a AskedContract>,
}

/// The parts of a message that differ between the attempts of a call.
struct Message<'a> {
    kind: MessageKind,
    id: Id,
    trace: &'a Traceparent,
    /// The address for the response.
    inbox: Option<String>,
    /// The contract of the caller, if the provider asked for it.
    descriptor: Option<&'a str>,
    /// The values of headers.
    attempt: Option<Decimal>,
    heartbeat: Option<Decimal>,
}

impl Client {
    /// Sends a request once, and waits for its response until the deadline of the call.
    pub(super) async fn attempt(&self, started: &Started, request: &Request<'_>) -> Result<Reply, CallError> {
        let mut waiting = self.publish(started, request, None).await?;
        self.reply(started, request, &mut waiting).await
    }

    /// Publishes the request of a call that has one attempt and is in flight until its end.
    pub(super) async fn publish_once(&self, started: &Started, request: &Request<'_>) -> Result<Waiting, CallError> {
        let permit = self.permit(started)?;
        self.publish(started, request, Some(permit)).await
    }

    async fn publish(
        &self,
        started: &Started,
        request: &Request<'_>,
        permit: Option<OwnedSemaphorePermit>,
    ) -> Result<Waiting, CallError> {
        let trace = request.trace(started);
        let mut sent = Sent::new(self, started, request.target, request.options);
        let slot = self.publish_request(started, request, &trace, None).await;
        sent.end();
        Ok(Waiting { slot: slot?, trace, _permit: permit })
    }

    /// Publishes a request without a response.
    pub(super) async fn publish_event(&self, started: &Started, request: &Request<'_>) -> Result<(), CallError> {
        let _permit = self.permit(started)?;
        let link = self.link(request.target)?;
        if link.pending.is_closed() {
            return Err(abandoned());
        }
        let trace = &request.trace(started);
        let event = request.message(MessageKind::Event, Id::random(), trace);
        let publish = self.deliver(started, link, request, event)?;
        sent(started, publish).await
    }

    /// The payload of the response to a request, if it arrives before the deadline.
    pub(super) async fn reply(
        &self,
        started: &Started,
        request: &Request<'_>,
        waiting: &mut Waiting,
    ) -> Result<Reply, CallError> {
        let mut sent = Sent::new(self, started, request.target, request.options);
        let response = self.response(started, request, waiting).await;
        sent.end();
        content(started, request.target, response?)
    }

    /// The response to a request. If the provider asks for the caller's contract, the request is sent again with it,
    /// once.
    async fn response(
        &self,
        started: &Started,
        request: &Request<'_>,
        waiting: &mut Waiting,
    ) -> Result<Response, CallError> {
        let response = self.received(started, request, waiting).await?;
        if response.needs_descriptor && !response.is_ok {
            // In a box, because the futures of most calls should not have its size.
            return Box::pin(self.described_response(started, request, waiting)).await;
        }
        Ok(response)
    }

    /// The response to the same request with the caller's contract.
    async fn described_response(
        &self,
        started: &Started,
        request: &Request<'_>,
        waiting: &mut Waiting,
    ) -> Result<Response, CallError> {
        let described = request.target.contract.described();
        let described = serde_json::to_string(&described).unwrap_or_default();
        waiting.slot = self.publish_request(started, request, &waiting.trace, Some(&described)).await?;
        self.received(started, request, waiting).await
    }

    /// The next response to a request, if it arrives in time.
    async fn received(
        &self,
        started: &Started,
        request: &Request<'_>,
        waiting: &mut Waiting,
    ) -> Result<Response, CallError> {
        match timeout_at(started.deadline, waiting.slot.news()).await {
            Ok(News::Answer(_, response)) => Ok(response),
            Ok(News::NoResponders) => {
                if let Some(contract) = request.own_contract() {
                    contract.set_sent(false);
                }
                Err(no_peer())
            }
            Ok(News::Closed) => {
                self.cancel(started, (request.target, request.options), Reason::Closed, None);
                Err(abandoned())
            }
            // If messages arrived that are not the response, the last one is the better explanation.
            Err(_) => Err(waiting.slot.rejected().unwrap_or_else(|| too_late(started))),
        }
    }

    /// The right of a call to be in flight.
    pub(super) fn permit(&self, started: &Started) -> Result<OwnedSemaphorePermit, CallError> {
        self.inner.limit.clone().try_acquire_owned().map_err(|_| {
            // A call that is too late would not be sent if there were room.
            if started.remaining().is_zero() {
                return too_late(started);
            }
            CallError::new(code::BUSY, "this client has as many calls in flight as `max_in_flight` allows")
        })
    }

    async fn publish_request(
        &self,
        started: &Started,
        request: &Request<'_>,
        trace: &Traceparent,
        descriptor: Option<&str>,
    ) -> Result<Slot, CallError> {
        let id = Id::random();
        let slot = self.slot(started, request.target, id, None)?;
        self.publish_message(started, request, slot.token(), id, trace, descriptor).await?;
        Ok(slot)
    }

    /// Waits for the responses to a message, given its id.
    pub(super) fn slot(
        &self,
        started: &Started,
        target: &Target,
        id: Id,
        known: Option<Arc<Known>>,
    ) -> Result<Slot, CallError> {
        let expected = Expected {
            correlation_id: started.correlation_id,
            peer: started.peer.clone(),
            capability: started.capability.clone(),
            known,
        };
        self.link(target)?.pending.wait(expected, id).ok_or_else(abandoned)
    }

    /// Publishes a request whose responses go to the slot with a token.
    pub(super) async fn publish_message(
        &self,
        started: &Started,
        request: &Request<'_>,
        token: u64,
        id: Id,
        trace: &Traceparent,
        descriptor: Option<&str>,
    ) -> Result<(), CallError> {
        #[cfg(feature = "tower")]
        started.note(id);
        let publish = self.deliver_request(started, request, token, id, trace, descriptor)?;
        sent(started, publish).await?;
        if let Some(contract) = request.own_contract() {
            contract.set_sent(true);
        }
        Ok(())
    }

    fn deliver_request(
        &self,
        started: &Started,
        request: &Request<'_>,
        token: u64,
        id: Id,
        trace: &Traceparent,
        descriptor: Option<&str>,
    ) -> Result<Publish<'_>, CallError> {
        let link = self.link(request.target)?;
        let token = Decimal::new(token);
        let mut inbox = String::with_capacity(link.inbox.len() + 21);
        inbox.extend([&link.inbox, ".", token.as_str()]);
        let message = request.message(MessageKind::Request, id, trace);
        let descriptor = descriptor.or(message.descriptor);
        self.deliver(started, link, request, Message { inbox: Some(inbox), descriptor, ..message })
    }

    /// Hands a message to the transport. Not asynchronous, so that futures do not have the size of a message.
    fn deliver<'l>(
        &self,
        started: &Started,
        link: &'l Link,
        request: &Request<'_>,
        message: Message<'_>,
    ) -> Result<Publish<'l>, CallError> {
        // Instances with a contract are asked directly: no stream stores these requests.
        let delivery = if request.address.is_some() { Delivery::AtMostOnce } else { request.options.delivery };
        let payload = self.encode(started, link, request, &message)?;
        Ok(link.transport.publish(Outgoing {
            address: request.address.unwrap_or_else(|| request.target.address()).to_owned(),
            message_id: match delivery {
                Delivery::AtMostOnce => String::new(),
                Delivery::AtLeastOnce => message.id.as_str().to_owned(),
            },
            reply_to: message.inbox,
            payload,
            delivery,
        }))
    }

    /// The text of a message.
    fn encode(
        &self,
        started: &Started,
        link: &Link,
        request: &Request<'_>,
        message: &Message<'_>,
    ) -> Result<Bytes, CallError> {
        // A stored event is for whenever a provider is there.
        let is_stored_event = message.kind == MessageKind::Event && request.options.delivery == Delivery::AtLeastOnce;
        // Such as that of the call that this one serves: then nothing is published.
        let remaining = started.remaining();
        if remaining.is_zero() {
            return Err(too_late(started));
        }
        let version = request.target.contract.version();
        let remaining = stated(remaining);
        let timeout = (!is_stored_event).then_some(remaining.as_str());
        let own = request.headers(started, [version.as_deref(), timeout, request.policy(self.inner.skew)], message);
        // Most calls have no headers of their caller, and then need no memory for the list.
        let mut all = Vec::new();
        let headers = if request.options.headers.is_empty() {
            &own[..]
        } else {
            all.extend(request.options.own_headers());
            all.extend(own);
            &all
        };
        let draft = Draft {
            kind: message.kind,
            message_id: message.id.as_str(),
            correlation_id: started.correlation_id.as_str(),
            caused_by: request.options.caused_by.as_deref(),
            from: &self.inner.agent,
            to: &started.peer,
            capability: &started.capability,
            reply_to: message.inbox.as_deref().map(|inbox| (link.transport.kind(), inbox)),
            deadline: (!is_stored_event).then_some(started.unix_deadline),
            tenant: started.tenant.as_deref(),
            headers,
            payload: request.payload,
        };
        draft.encode(self.inner.keys.as_ref()).map_err(|error| {
            CallError::new(code::INVALID_ENVELOPE, format!("a property of the request is invalid: {error}"))
        })
    }

    pub(super) fn link(&self, target: &Target) -> Result<&Link, CallError> {
        target.link(&self.inner).ok_or_else(|| CallError::new(code::NO_TRANSPORT, "the transport was removed"))
    }
}

impl<'a> Request<'a> {
    /// A request that is sent once.
    pub(super) fn once(target: &'a Target, payload: &'a [u8], options: &'a CallOptions) -> Self {
        Self {
            target,
            payload,
            options,
            is_repeated: false,
            attempt: 1,
            heartbeat: None,
            address: None,
            contract: None,
        }
    }

    /// The trace of an attempt.
    pub(super) fn trace(&self, started: &Started) -> Traceparent {
        #[cfg(feature = "otel")]
        if let Some(own) = started.measured.as_ref().and_then(Measured::traceparent) {
            return own;
        }
        #[cfg(not(feature = "otel"))]
        let _ = started;
        Traceparent::child(self.options.headers.get(header::TRACEPARENT).map(String::as_str))
    }

    /// The contract of the caller in this attempt, if it has it because the peer asked for it.
    pub(super) fn own_contract(&self) -> Option<&'a AskedContract> {
        self.contract.filter(|_| self.attempt == 1)
    }

    /// A message without an address for the response.
    fn message<'m>(&self, kind: MessageKind, id: Id, trace: &'m Traceparent) -> Message<'m>
    where
        'a: 'm,
    {
        let attempt = (self.attempt > 1).then(|| Decimal::new(self.attempt.into()));
        let heartbeat = self.heartbeat.map(Decimal::new);
        let descriptor = self.own_contract().map(AskedContract::text);
        Message { kind, id, trace, inbox: None, descriptor, attempt, heartbeat }
    }

    /// The headers of a message that the client sets.
    fn headers<'h>(
        &self,
        started: &'h Started,
        [version, timeout, policy]: [Option<&'h str>; 3],
        message: &'h Message<'_>,
    ) -> [(&'h str, Option<&'h str>); 10]
    where
        'a: 'h,
    {
        let Self { options, target, .. } = *self;
        let contract = &target.contract;
        let given = options.headers.get(header::IDEMPOTENCY_KEY).map(String::as_str);
        // Repeated requests are one call for the provider.
        let needs_key = self.is_repeated || options.delivery == Delivery::AtLeastOnce;
        let own_key = needs_key.then(|| started.correlation_id.as_str());
        [
            (header::CONTRACT, Some(contract.hash()).filter(|hash| !hash.is_empty())),
            (header::VERSION, version),
            (header::TIMEOUT, timeout),
            (header::POLICY, policy),
            (header::ATTEMPT, message.attempt.as_ref().map(Decimal::as_str)),
            (header::HEARTBEAT, message.heartbeat.as_ref().map(Decimal::as_str)),
            (header::DESCRIPTOR, message.descriptor),
            (header::SESSION, started.session.as_deref()),
            (header::IDEMPOTENCY_KEY, options.idempotency_key.as_deref().or(given).or(own_key)),
            (header::TRACEPARENT, Some(message.trace.as_str())),
        ]
    }
}

impl CallOptions {
    /// The headers of the caller, without those that the client sets.
    fn own_headers(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        let is_set =
            |name: &str| name.starts_with("capgen-") || matches!(name, header::IDEMPOTENCY_KEY | header::TRACEPARENT);
        let own = self.headers.iter().filter(move |(name, _)| !is_set(name));
        own.map(|(name, value)| (name.as_str(), Some(value.as_str())))
    }
}

/// Waits until a message is sent, until the deadline of the call.
async fn sent(started: &Started, mut publish: Publish<'_>) -> Result<(), CallError> {
    let sent = match at_once(&mut publish).await {
        Some(sent) => sent,
        // In a box, because the futures of most calls should not have its size.
        None => Box::pin(timeout_at(started.deadline, publish)).await.map_err(|_| too_late(started))?,
    };
    sent.map_err(|error| not_sent(&error))
}

/// The payload of a response, or the provider's error.
fn content(started: &Started, target: &Target, response: Response) -> Result<Reply, CallError> {
    if response.is_ok { Ok(Reply::of(target, response)) } else { Err(refusal(started, target, &response.payload)) }
}

impl Reply {
    pub(super) fn of(target: &Target, response: Response) -> Self {
        let contract = &target.contract;
        let provider = response.provider.filter(|provider| provider.hash != contract.hash());
        let skew = provider.map(|provider| {
            Box::new(SkewDetails {
                caller_version: contract.version().map(Cow::into_owned),
                caller_contract: Some(contract.hash().to_owned()).filter(|hash| !hash.is_empty()),
                provider_version: provider.version,
                provider_contract: Some(provider.hash),
                served: None,
                reason: Some(reason::RESPONSE.to_owned()),
            })
        });
        let Response { payload, notice, needs_descriptor, .. } = response;
        Self { payload, skew, notice, needs_descriptor }
    }
}

pub(super) fn too_late(started: &Started) -> CallError {
    let message = format!("no response from `{}` before the deadline", started.peer);
    CallError::new(code::TIMEOUT, message)
}

/// The error of a request that was not published, or perhaps not.
fn not_sent(error: &TransportError) -> CallError {
    let message = format!("the request was not sent: {error}");
    match error {
        TransportError::Overloaded => CallError::new(code::BUSY, message),
        TransportError::TooLarge { .. } => CallError::new(code::INVALID_ENVELOPE, message),
        TransportError::Disconnected(_) => CallError { retryable: true, ..CallError::new(code::NO_TRANSPORT, message) },
        _ => CallError::new(code::NO_TRANSPORT, message),
    }
}
