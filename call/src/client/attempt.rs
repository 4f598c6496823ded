//! One attempt of a call: publishing the request, and receiving the response.

use std::collections::BTreeMap;

use bytes::Bytes;
use capgen_payload::Payload as _;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use super::builder::Link;
use super::pending::{Expected, Slot, abandoned};
use super::route::Target;
use super::started::Started;
use super::{CallOptions, Client};
use crate::envelope::{Addressed, Envelope, ErrorPayload, ErrorSide, MessageKind, header};
use crate::outcome::{CallError, Status, code, in_ms};
use crate::trace;
use crate::transport::{Delivery, Outgoing, TransportError};

/// A request whose response has not arrived yet.
pub(super) struct Waiting {
    slot: Slot,
    /// The request, to send it again with the contract if the provider asks for it.
    request: Request,
    /// Counts the call as one in flight.
    _permit: OwnedSemaphorePermit,
}

/// Everything of a request but the ids and the deadline.
#[derive(Clone)]
pub(super) struct Request {
    target: Target,
    payload: Bytes,
    headers: BTreeMap<String, String>,
    caused_by: Option<String>,
    delivery: Delivery,
}

impl Client {
    /// Publishes a request that waits for a response.
    pub(super) async fn publish(
        &self,
        started: &Started,
        target: &Target,
        payload: Bytes,
        options: &CallOptions,
    ) -> Result<Waiting, CallError> {
        in_time(started)?;
        let permit = self.permit()?;
        let request = self.request(started, target, payload, options);
        let slot = self.publish_request(started, &request, None).await?;
        Ok(Waiting { slot, request, _permit: permit })
    }

    /// Publishes a request without a response.
    pub(super) async fn publish_event(
        &self,
        started: &Started,
        target: &Target,
        payload: Bytes,
        options: &CallOptions,
    ) -> Result<(), CallError> {
        in_time(started)?;
        let _permit = self.permit()?;
        let request = self.request(started, target, payload, options);
        let link = self.link(target)?;
        if link.pending.is_closed() {
            return Err(abandoned());
        }
        let message_id = new_id();
        let envelope = self.envelope(started, &request, MessageKind::Event, &message_id);
        self.deliver(started, link, &request, envelope, message_id, None).await
    }

    /// The response to a request, if it arrives before `until`. If the provider asks for the caller's contract, the request is sent
    /// again with it, once.
    pub(super) async fn reply(
        &self,
        started: &Started,
        mut waiting: Waiting,
        until: Instant,
    ) -> Result<Bytes, CallError> {
        let mut has_sent_contract = false;
        loop {
            let reply = match timeout_at(until.min(started.deadline), waiting.slot.reply()).await {
                Ok(reply) => reply?,
                // If messages arrived that are not the response, the last one is the better explanation.
                Err(_) => return Err(waiting.slot.rejected().unwrap_or_else(|| too_late(started))),
            };
            if reply.header(header::STATUS).unwrap_or("ok") == "ok" {
                return Ok(reply.payload);
            }
            let asks = !has_sent_contract && reply.header(header::NEEDS) == Some("descriptor");
            if !asks {
                return Err(refusal(started, &reply.payload));
            }
            has_sent_contract = true;
            let described = waiting.request.target.contract.described();
            let described = serde_json::to_string(&described).unwrap_or_default();
            waiting.slot = self.publish_request(started, &waiting.request, Some(described)).await?;
        }
    }

    fn permit(&self) -> Result<OwnedSemaphorePermit, CallError> {
        self.inner.limit.clone().try_acquire_owned().map_err(|_| {
            CallError::new(code::BUSY, "this client has as many calls in flight as `max_in_flight` allows")
        })
    }

    fn request(&self, started: &Started, target: &Target, payload: Bytes, options: &CallOptions) -> Request {
        let mut headers = options.headers.clone();
        headers.retain(|name, _| !name.starts_with("capgen-"));
        let contract = &target.contract;
        let mut set = |name: &str, value: Option<String>| {
            headers.remove(name);
            headers.extend(value.map(|value| (name.to_owned(), value)));
        };
        set(header::CONTRACT, Some(contract.hash().to_owned()).filter(|hash| !hash.is_empty()));
        set(header::VERSION, contract.version().map(std::borrow::Cow::into_owned));
        set(header::SESSION, options.session.clone());
        // Repeated requests are one call for the provider.
        let is_repeatable = contract.is_idempotent() && self.inner.retry.attempts > 1;
        let given = || options.headers.get(header::IDEMPOTENCY_KEY).cloned();
        let key = options.idempotency_key.clone().or_else(given);
        let needs_key = is_repeatable || options.delivery == Delivery::AtLeastOnce;
        let key = key.or_else(|| needs_key.then(|| started.subject.correlation_id.clone()));
        set(header::IDEMPOTENCY_KEY, key);
        set(header::TRACEPARENT, Some(trace::child(options.headers.get(header::TRACEPARENT).map(String::as_str))));
        Request {
            target: target.clone(),
            payload,
            headers,
            caused_by: options.caused_by.clone(),
            delivery: options.delivery,
        }
    }

    async fn publish_request(
        &self,
        started: &Started,
        request: &Request,
        descriptor: Option<String>,
    ) -> Result<Slot, CallError> {
        let link = self.link(&request.target)?;
        let message_id = new_id();
        let expected = Expected {
            correlation_id: started.subject.correlation_id.clone(),
            peer: request.target.peer.clone(),
            capability: request.target.contract.name().to_owned(),
        };
        let Some(slot) = link.pending.wait(&message_id, expected) else { return Err(abandoned()) };
        let mut envelope = self.envelope(started, request, MessageKind::Request, &message_id);
        let inbox = format!("{}.{message_id}", link.inbox);
        envelope.fields.reply_to = Some(format!("{}://{inbox}", link.transport.kind()));
        if let Some(descriptor) = descriptor {
            envelope.fields.headers.get_or_insert_default().insert(header::DESCRIPTOR.to_owned(), descriptor);
        }
        self.deliver(started, link, request, envelope, message_id, Some(inbox)).await?;
        Ok(slot)
    }

    fn envelope(&self, started: &Started, request: &Request, kind: MessageKind, message_id: &str) -> Envelope {
        let parts = Addressed {
            kind,
            message_id,
            correlation_id: &started.subject.correlation_id,
            from: &self.inner.agent,
            to: &request.target.peer,
            capability: request.target.contract.name(),
        };
        let mut envelope = Envelope::new(&parts, request.payload.clone());
        envelope.fields.caused_by.clone_from(&request.caused_by);
        envelope.fields.tenant_id.clone_from(&started.subject.tenant);
        envelope.fields.headers = Some(request.headers.clone());
        let deadline = self.inner.journal.clock.now_ms().saturating_add(in_ms(started.remaining()).max(1));
        // A stored event is for whenever a provider is there.
        let is_stored_event = kind == MessageKind::Event && request.delivery == Delivery::AtLeastOnce;
        envelope.fields.deadline = (!is_stored_event).then_some(deadline);
        envelope
    }

    async fn deliver(
        &self,
        started: &Started,
        link: &Link,
        request: &Request,
        envelope: Envelope,
        message_id: String,
        reply_to: Option<String>,
    ) -> Result<(), CallError> {
        let payload = envelope.encode(self.inner.keys.as_ref()).map_err(|error| {
            CallError::new(code::INVALID_ENVELOPE, format!("a property of the request is invalid: {error}"))
        })?;
        let address = request.target.address.clone();
        let message = Outgoing { address, reply_to, payload, delivery: request.delivery, message_id };
        match timeout_at(started.deadline, link.transport.publish(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(not_sent(&error)),
            Err(_) => Err(too_late(started)),
        }
    }

    fn link(&self, target: &Target) -> Result<&Link, CallError> {
        target.link(&self.inner).ok_or_else(|| CallError::new(code::NO_TRANSPORT, "the transport was removed"))
    }
}

fn new_id() -> String {
    Uuid::new_v4().simple().to_string()
}

/// An error if the deadline of the call has passed, such as that of the call that it serves: then nothing is published.
fn in_time(started: &Started) -> Result<(), CallError> {
    if started.remaining().is_zero() { Err(too_late(started)) } else { Ok(()) }
}

fn too_late(started: &Started) -> CallError {
    let message = format!("no response from `{}` before the deadline", started.subject.peer);
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

/// The error of a provider that answered a call.
fn refusal(started: &Started, payload: &[u8]) -> CallError {
    let error = remote_error(payload);
    // A busy process may read the answer only after the deadline. Then both sides agree that it has passed. Before the deadline, the same
    // answer means that the clocks differ.
    if error.code == code::DEADLINE_EXCEEDED && started.remaining().is_zero() { too_late(started) } else { error }
}

/// The error that a provider sent.
fn remote_error(payload: &[u8]) -> CallError {
    let Ok(error) = ErrorPayload::from_json(payload) else {
        return CallError::new(code::INVALID_ENVELOPE, "the peer sent an error in an unknown form");
    };
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
    let finding = error.finding.map(|finding| finding.into_iter().collect());
    let violations = violations.collect();
    let new = CallError::new(&error.code, error.message);
    let retryable = error.retryable.unwrap_or(new.retryable);
    // A provider may choose any code for its failures, but a violation has a side.
    let status = if new.status == Status::SchemaViolation && side.is_none() { Status::Error } else { new.status };
    CallError { status, side, violations, retryable, ..new }.with_finding(finding)
}
