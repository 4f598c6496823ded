//! One request: from the message to the response.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;
use tracing::Instrument as _;

use super::handlers::Entry;
use super::once::Once;
use super::respond::Answer;
use super::seen::Seen;
use super::skew::Skew;
use super::{Counters, Phase};
use crate::envelope::{Envelope, Keys, MessageKind, id, salvage};
use crate::journal::Journal;
use crate::outcome::code;
use crate::transport::{Acknowledgement, Delivery, Event, Incoming, Outgoing, Transport, TransportError};

/// The state of a server that all its calls share.
pub(super) struct Shared {
    pub(super) agent: String,
    pub(super) entries: BTreeMap<String, Arc<Entry>>,
    pub(super) journal: Journal,
    pub(super) keys: Option<Keys>,
    pub(super) tenants: BTreeSet<String>,
    pub(super) skew: Skew,
    pub(super) once: Arc<Once>,
    pub(super) seen: Seen,
    /// Permits for handlers.
    pub(super) running: Semaphore,
    /// Permits for requests that run or wait.
    pub(super) admitted: Arc<Semaphore>,
    /// The number of permits of `admitted`.
    pub(super) total: usize,
    pub(super) max_message: usize,
    /// How much later than its deadline a request ends, in ms.
    pub(super) tolerance: u64,
    pub(super) counters: Counters,
}

/// A message from a broker, and the way back.
struct Delivered {
    transport: Arc<dyn Transport>,
    /// The address that the broker gave for replies.
    reply_to: Option<String>,
    text: Bytes,
    redelivered: bool,
    is_stored: bool,
}

/// The pause between attempts to send a response without a connection.
const RESEND_PAUSE: Duration = Duration::from_millis(20);
/// How long a response to a request without a deadline is sent again.
const UNKNOWN_DEADLINE: Duration = Duration::from_secs(5);
/// The longest timeout of a call.
const LONGEST_PATIENCE: Duration = Duration::from_secs(600);

impl Shared {
    /// The number of requests that wait or run.
    pub(super) fn in_flight(&self) -> usize {
        self.total.saturating_sub(self.admitted.available_permits())
    }

    /// Waits until no request waits or runs.
    pub(super) async fn idle(&self) {
        let all = u32::try_from(self.total).unwrap_or(u32::MAX);
        let _ = self.admitted.acquire_many(all).await;
    }

    /// Starts a task for a message, or rejects it if there are too many.
    pub(super) async fn receive(
        self: &Arc<Self>,
        transport: &Arc<dyn Transport>,
        incoming: Incoming,
        phase: &watch::Receiver<Phase>,
    ) {
        let Event::Message(text) = incoming.event else { return };
        self.counters.received.fetch_add(1, Ordering::Relaxed);
        let delivered = Delivered {
            transport: Arc::clone(transport),
            reply_to: incoming.reply_to,
            text,
            redelivered: incoming.redelivered,
            is_stored: incoming.acknowledgement.is_some(),
        };
        let permit = Arc::clone(&self.admitted).try_acquire_owned();
        let (shared, phase) = (Arc::clone(self), phase.clone());
        match (permit, incoming.acknowledgement) {
            (Ok(permit), acknowledgement) => {
                tokio::spawn(async move {
                    let was_answered = match &acknowledgement {
                        None => shared.process(&delivered, phase).await,
                        Some(stored) => tokio::select! {
                            was_answered = shared.process(&delivered, phase) => was_answered,
                            () = show_progress(stored.as_ref()) => false,
                        },
                    };
                    if let Some(stored) = acknowledgement {
                        let _ = if was_answered { stored.ack().await } else { stored.nak().await };
                    }
                    // A server that shuts down waits for the acknowledgement too.
                    drop(permit);
                });
            }
            (Err(_), Some(stored)) => drop(stored.nak().await),
            (Err(_), None) => {
                if delivered.text.len() <= self.max_message
                    && let Ok(envelope) = Envelope::decode(&delivered.text)
                {
                    let busy = Answer::error(code::BUSY, "the provider has too many requests");
                    let busy = if envelope.is_authentic(self.keys.as_ref()) { busy } else { busy.unproved() };
                    // The listener does not wait for a connection.
                    self.respond(&delivered, &envelope, &busy, Duration::ZERO).await;
                }
            }
        }
    }

    /// Processes a message. Returns whether it is done with: `false` if the broker should deliver it again.
    async fn process(self: &Arc<Self>, delivered: &Delivered, phase: watch::Receiver<Phase>) -> bool {
        let envelope = if delivered.text.len() > self.max_message {
            Err(format!("the envelope has {} bytes; the limit is {}", delivered.text.len(), self.max_message))
        } else {
            Envelope::decode(&delivered.text).map_err(|error| format!("the message is not a valid envelope: {error}"))
        };
        let envelope = match envelope {
            Ok(envelope) => envelope,
            Err(message) => {
                // A sender that made a mistake learns of it, if the message shows where to.
                if let Some(request) = salvage(&delivered.text, &self.agent) {
                    let answer = Answer::error(code::INVALID_ENVELOPE, message).unproved();
                    self.respond(delivered, &request, &answer, Duration::ZERO).await;
                }
                return true;
            }
        };
        if envelope.fields.kind == MessageKind::Response {
            return true;
        }
        let span = tracing::info_span!(
            "capgen.serve",
            capability = envelope.fields.capability,
            peer = id(&envelope.fields.from),
            correlation_id = envelope.fields.correlation_id,
            contract = envelope.header(crate::envelope::header::CONTRACT)
        );
        let envelope = Arc::new(envelope);
        let answer =
            Box::pin(self.answer(&envelope, delivered.redelivered, delivered.is_stored, phase)).instrument(span).await;
        // A stored message whose call was abandoned is for another process, which answers it.
        if delivered.is_stored && answer.is_abandoned {
            return false;
        }
        self.respond(delivered, &envelope, &answer, self.patience(&envelope)).await
    }

    /// How long a provider without a connection tries to send a response: as long as the caller waits for it.
    fn patience(&self, request: &Envelope) -> Duration {
        let now = self.journal.clock.now_ms();
        let rest = request.fields.deadline.map(|deadline| deadline.saturating_add(self.tolerance).saturating_sub(now));
        rest.map_or(UNKNOWN_DEADLINE, |rest| Duration::from_millis(rest).min(LONGEST_PATIENCE))
    }

    /// Sends the response to a request; an event has none. If the connection is lost, tries again for a time. Returns whether the
    /// response was sent.
    async fn respond(&self, delivered: &Delivered, request: &Envelope, answer: &Answer, patience: Duration) -> bool {
        if answer.code.is_some() {
            self.counters.errors.fetch_add(1, Ordering::Relaxed);
        }
        if request.fields.kind != MessageKind::Request {
            return true;
        }
        let transport = &delivered.transport;
        let prefix = format!("{}://", transport.kind());
        let named = request.fields.reply_to.as_deref().and_then(|address| address.strip_prefix(&prefix));
        let Some(address) = named.map(str::to_owned).or_else(|| delivered.reply_to.clone()) else { return true };
        let contract = self.entries.get(&request.fields.capability).map_or("", |entry| entry.hash());
        let keys = self.keys.as_ref().filter(|_| !answer.is_unproved);
        let encode = |answer: &Answer| answer.encode(request, &self.agent, contract, keys);
        let fits = |text: &Bytes| text.len() <= transport.max_message();
        let text = encode(answer).filter(fits).or_else(|| encode(&answer.shortened()).filter(fits));
        let Some(payload) = text else { return true };
        let message_id = request.fields.message_id.clone();
        let message = Outgoing { address, reply_to: None, payload, delivery: Delivery::AtMostOnce, message_id };
        let end = Instant::now() + patience;
        let mut sent = transport.publish(message.clone()).await;
        while matches!(sent, Err(TransportError::Disconnected(_))) && Instant::now() < end {
            tokio::time::sleep(RESEND_PAUSE).await;
            sent = transport.publish(message.clone()).await;
        }
        if let Err(error) = &sent {
            self.counters.unsent.fetch_add(1, Ordering::Relaxed);
            tracing::warn!(%error, "a response was not sent");
        }
        // A message whose response can never be sent is not delivered again.
        !matches!(sent, Err(TransportError::Disconnected(_) | TransportError::Overloaded | TransportError::Closed))
    }
}

/// Shows the broker of a stored message that it is being processed, so that the message is not delivered again. Never ends.
async fn show_progress(stored: &dyn Acknowledgement) {
    loop {
        tokio::time::sleep(Duration::from_secs(5)).await;
        let _ = stored.in_progress().await;
    }
}
