//! One request: from the message to the response.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;
use tracing::Instrument as _;

use super::admit::Identified;
use super::callers::Caller;
use super::due::Arrival;
use super::respond::{Answer, working};
use super::run::{Processed, audit_patience, subject};
use super::shared::Shared;
use crate::envelope::{Envelope, MessageKind, header, salvage};
use crate::outcome::code::may_precede_authorization;
use crate::outcome::{Status, code, in_ms};
use crate::transport::{Acknowledgement, BoxFuture, Incoming, IncomingContent, Outgoing, Transport, TransportError};
use crate::wait::{MAX_TIMEOUT, at_once};

/// A transport by which a server receives requests.
#[derive(Clone)]
pub(super) struct Channel {
    pub(super) transport: Arc<dyn Transport>,
    /// Whether cancels arrive by it too.
    pub(super) has_control: bool,
}

impl Channel {
    /// The names of the features of the provider, for the header `capgen-features`.
    fn features(&self) -> &'static str {
        if self.has_control { "heartbeat cancel" } else { "heartbeat" }
    }
}

/// A message from a broker, and the way back.
struct Delivered {
    channel: Channel,
    /// The address that the broker gave for replies.
    reply_to: Option<String>,
    text: Bytes,
    redelivered: bool,
    arrival: Arrival,
}

/// The pause between attempts to send a response without a connection. The caller waits, so a response leaves soon
/// after the connection is back; fifty checks per second cost little.
const RESEND_PAUSE: Duration = Duration::from_millis(20);
/// How long a response to a request without a deadline is sent again. Its caller may have ended long ago, and the
/// request counts as running for as long.
const UNKNOWN_DEADLINE: Duration = Duration::from_secs(5);

impl Shared {
    /// Starts a task for a message. Gives the message back if there are too many.
    pub(super) fn receive(self: &Arc<Self>, channel: &Channel, incoming: Incoming) -> Result<(), Incoming> {
        let Ok(permit) = Arc::clone(&self.admitted).try_acquire_owned() else { return Err(incoming) };
        let Some((delivered, stored)) = self.delivered(channel, incoming) else { return Ok(()) };
        let shared = Arc::clone(self);
        // In boxes, because starting a task copies its future several times.
        match stored {
            None => self.runtime.spawn(Box::pin(async move {
                shared.process(&delivered).await;
                drop(permit);
            })),
            Some(stored) => self.runtime.spawn(Box::pin(async move {
                let was_answered = tokio::select! {
                    was_answered = shared.process(&delivered) => was_answered,
                    () = show_progress(stored.as_ref()) => false,
                };
                let _ = if was_answered { stored.ack().await } else { stored.nak().await };
                // A server that shuts down waits for the acknowledgement too.
                drop(permit);
            })),
        };
        Ok(())
    }

    /// A message that counts as received; `None` if it is the news that nothing received one.
    fn delivered(
        &self,
        channel: &Channel,
        incoming: Incoming,
    ) -> Option<(Delivered, Option<Box<dyn Acknowledgement>>)> {
        let IncomingContent::Message(text) = incoming.content else { return None };
        self.counters.received.fetch_add(1, Ordering::Relaxed);
        let stored = incoming.acknowledgement;
        let arrival = Arrival { at: Instant::now(), unix: self.journal.clock.now_ms(), is_stored: stored.is_some() };
        let channel = channel.clone();
        Some((
            Delivered { channel, reply_to: incoming.reply_to, text, redelivered: incoming.redelivered, arrival },
            stored,
        ))
    }

    /// Answers a message for which there is no room, or leaves it to another process.
    pub(super) async fn turn_away(&self, channel: &Channel, incoming: Incoming) {
        let Some((delivered, stored)) = self.delivered(channel, incoming) else { return };
        if let Some(stored) = stored {
            let _ = stored.nak().await;
            return;
        }
        if delivered.text.len() > self.max_message {
            return;
        }
        let Ok(request) = Envelope::decode(&delivered.text) else { return };
        // These have no answer.
        if matches!(request.kind(), MessageKind::Response | MessageKind::Control) {
            return;
        }
        let is_authentic = self.signed_sender(&request, delivered.arrival.unix).is_authentic();
        self.busy(&delivered, &request, is_authentic).await;
    }

    /// Answers a request for which there is no room, or whose caller has its share.
    async fn busy(&self, delivered: &Delivered, request: &Envelope, is_authentic: bool) {
        let busy = Answer::busy().unproved_unless(is_authentic);
        #[cfg(feature = "otel")]
        self.measured(request).end(Some(code::BUSY), |_| false);
        // The listener does not wait for a connection.
        self.respond(delivered, request, &busy, || Duration::ZERO).await;
    }

    /// Processes a message. Returns whether it is done with: `false` if the broker should deliver it again.
    async fn process(&self, delivered: &Delivered) -> bool {
        let envelope = match self.read(&delivered.text) {
            Ok(envelope) => Arc::new(envelope),
            Err(message) => {
                // In a box, because the futures of valid requests should not have its size.
                Box::pin(self.refuse(delivered, message)).await;
                return true;
            }
        };
        // These have no answer.
        if matches!(envelope.kind(), MessageKind::Response | MessageKind::Control) {
            return true;
        }
        let sender = self.signed_sender(&envelope, delivered.arrival.unix);
        // One whose caller only its token proves gets a place with it.
        let is_known = sender.caller != Caller::Unproved || self.token(&sender, &envelope).is_none();
        let places = self.places.as_ref().filter(|_| is_known);
        let place = places.map(|places| places.try_enter(&sender.caller, u64::MAX));
        if let Some(None) = place {
            // The broker gives a stored message to another process, or to this one later.
            if !delivered.arrival.is_stored {
                Box::pin(self.busy(delivered, &envelope, sender.is_authentic())).await;
            }
            return !delivered.arrival.is_stored;
        }
        let span = tracing::info_span!(
            "capgen.serve",
            capability = envelope.capability(),
            peer = envelope.from(),
            correlation_id = envelope.correlation_id(),
            contract = envelope.header(header::CONTRACT)
        );
        let processed = Processed {
            request: &envelope,
            identified: Identified::new(sender, place.flatten()),
            is_redelivered: delivered.redelivered,
            arrival: delivered.arrival,
            due: self.clocks.due(&envelope, delivered.arrival),
            has_ended: AtomicBool::new(false),
            first: OnceLock::new(),
            chosen: OnceLock::new(),
        };
        #[cfg(feature = "otel")]
        let mut measured = self.measured(&envelope);
        let answer = {
            let send_heartbeat = || -> BoxFuture<'_, ()> { Box::pin(self.send_working(delivered, &processed)) };
            let work = self.answer(&processed).instrument(span);
            #[cfg(feature = "otel")]
            let work = opentelemetry::context::FutureExt::with_context(work, measured.context.clone());
            let work = pin!(work);
            self.watched(&processed, work, &send_heartbeat).await.map(|answer| self.noted(&processed, answer))
        };
        #[cfg(feature = "otel")]
        if let Some(answer) = &answer {
            measured.end(answer.code.as_deref(), |code| self.declares(envelope.capability(), code));
        }
        // By reference, because each value that is moved has a place of its own in the future.
        let Some(answer) = &answer else {
            // In a box, because few requests are cancelled.
            Box::pin(self.cancelled(&processed)).await;
            return true;
        };
        // A stored message whose call was abandoned is for another process, which answers it.
        if delivered.arrival.is_stored && answer.is_abandoned {
            return false;
        }
        self.respond(delivered, &envelope, answer, || patience(&processed)).await
    }

    /// Records a request that its caller cancelled while it waited or ran. It has no answer.
    async fn cancelled(&self, processed: &Processed<'_>) {
        self.counters.errors.fetch_add(1, Ordering::Relaxed);
        let (request, latency) = (processed.request, in_ms(processed.arrival.at.elapsed()));
        let chosen = processed.chosen.get().or_else(|| Some(self.entries.get(request.capability())?.plain()));
        let contract = chosen.map_or("", |entry| entry.hash());
        let (subject, limit) = (subject(processed, contract), audit_patience(processed));
        self.journal.call(subject, Status::Abandoned, Some(code::ABANDONED), latency, limit).await;
    }

    /// Sends the proof that a request waits or runs, if the transport takes it at once: the request must not wait for
    /// it, and a caller does not rely on each one.
    async fn send_working(&self, delivered: &Delivered, processed: &Processed<'_>) {
        let request = processed.request;
        let Some(address) = reply_address(delivered, request) else { return };
        let keys = self.keys.as_ref().filter(|_| processed.sender().is_authentic());
        let Some(payload) = working(request, &self.agent, delivered.channel.features(), keys) else { return };
        let message = Outgoing::at_most_once(address, payload);
        let _ = at_once(&mut delivered.channel.transport.publish(message)).await;
    }

    /// Answers a message that is not a valid envelope: a sender that made a mistake learns of it, if the message shows
    /// where to.
    async fn refuse(&self, delivered: &Delivered, message: String) {
        if let Some(request) = salvage(&delivered.text, &self.agent) {
            let answer = Answer::error(code::INVALID_ENVELOPE, message).unproved();
            self.respond(delivered, &request, &answer, || Duration::ZERO).await;
        }
    }

    /// The envelope of a message, or why it is invalid.
    fn read(&self, text: &Bytes) -> Result<Envelope, String> {
        if text.len() > self.max_message {
            return Err(format!("the envelope has {} bytes; the limit is {}", text.len(), self.max_message));
        }
        Envelope::decode(text).map_err(|error| format!("the message is not a valid envelope: {error}"))
    }

    /// Sends the response to a request; an event has none. If the connection is lost, tries again for a time. Returns
    /// whether the response was sent.
    async fn respond(
        &self,
        delivered: &Delivered,
        request: &Envelope,
        answer: &Answer,
        patience: impl Fn() -> Duration,
    ) -> bool {
        if answer.code.is_some() {
            self.counters.errors.fetch_add(1, Ordering::Relaxed);
        }
        let Some(message) = self.response(delivered, request, answer) else { return true };
        let mut sent = delivered.channel.transport.publish(message).await;
        if matches!(sent, Err(TransportError::Disconnected(_))) {
            sent = Box::pin(self.send_again(delivered, request, answer, patience())).await.unwrap_or(sent);
        }
        if let Err(error) = &sent {
            self.counters.unsent.fetch_add(1, Ordering::Relaxed);
            tracing::warn!(%error, "a response was not sent");
        }
        // A message whose response can never be sent is not delivered again.
        !matches!(sent, Err(TransportError::Disconnected(_) | TransportError::Overloaded | TransportError::Closed))
    }

    /// Sends a response again until there is a connection, for a time. `None` if there is no time.
    async fn send_again(
        &self,
        delivered: &Delivered,
        request: &Envelope,
        answer: &Answer,
        patience: Duration,
    ) -> Option<Result<(), TransportError>> {
        let end = Instant::now() + patience;
        let mut sent = None;
        while matches!(sent, None | Some(Err(TransportError::Disconnected(_)))) && Instant::now() < end {
            tokio::time::sleep(RESEND_PAUSE).await;
            let message = self.response(delivered, request, answer)?;
            sent = Some(delivered.channel.transport.publish(message).await);
        }
        sent
    }

    /// The response to a request; `None` if it has none, or no response can be sent.
    fn response(&self, delivered: &Delivered, request: &Envelope, answer: &Answer) -> Option<Outgoing> {
        if request.kind() != MessageKind::Request {
            return None;
        }
        let Channel { transport, .. } = &delivered.channel;
        let address = reply_address(delivered, request)?;
        // A caller that may not call the capability must not learn from the answer that it exists.
        let is_hidden = self.authorization.is_active() && answer.code.as_deref().is_some_and(may_precede_authorization);
        let plain = || self.entries.get(request.capability())?.plain().contract.as_deref();
        // Not even looked up then, so that the steps are the same.
        let contract = answer.contract.as_deref().or_else(|| if is_hidden { None } else { plain() });
        let keys = self.keys.as_ref().filter(|_| !answer.is_unproved);
        let encode =
            |answer: &Answer| answer.encode(request, &self.agent, contract, delivered.channel.features(), keys);
        let fits = |text: &Bytes| text.len() <= transport.max_message();
        let payload = encode(answer).filter(fits).or_else(|| encode(&answer.shortened()).filter(fits))?;
        Some(Outgoing::at_most_once(address, payload))
    }
}

/// Where the response to a request goes to, if it shows that.
fn reply_address(delivered: &Delivered, request: &Envelope) -> Option<String> {
    let named = request.reply_to().filter(|(kind, _)| *kind == delivered.channel.transport.kind());
    named.map(|(_, address)| address.to_owned()).or_else(|| delivered.reply_to.clone())
}

/// How long a provider without a connection tries to send a response: as long as the caller waits for it, and no caller
/// waits for longer than the longest timeout.
fn patience(processed: &Processed<'_>) -> Duration {
    let request = processed.request;
    if request.deadline().is_none() && request.header(header::TIMEOUT).is_none() {
        return UNKNOWN_DEADLINE;
    }
    processed.rest().min(Duration::from_millis(MAX_TIMEOUT))
}

/// How often the broker of a stored message learns that it is being processed. Brokers deliver a message again after 30
/// s by default, so a few reports may be lost.
const PROGRESS: Duration = Duration::from_secs(5);

/// Shows the broker of a stored message that it is being processed, so that the message is not delivered again. Never
/// ends.
async fn show_progress(stored: &dyn Acknowledgement) {
    loop {
        tokio::time::sleep(PROGRESS).await;
        let _ = stored.in_progress().await;
    }
}
