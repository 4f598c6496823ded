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
use super::run::Processed;
use super::seen::Seen;
use super::skew::Skew;
use super::{Counters, Phase};
use crate::envelope::{Envelope, Keys, MessageKind, salvage};
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
    /// Whether a caller's contract is compared before its request runs, and how; `None` if only payloads decide.
    pub(super) skew: Option<Skew>,
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
    pub(super) phase: watch::Sender<Phase>,
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

/// The pause between attempts to send a response without a connection. The caller waits, so a response leaves soon
/// after the connection is back; fifty checks per second cost little.
const RESEND_PAUSE: Duration = Duration::from_millis(20);
/// How long a response to a request without a deadline is sent again. Its caller may have ended long ago, and the
/// request counts as running for as long.
const UNKNOWN_DEADLINE: Duration = Duration::from_secs(5);
/// The longest timeout of a call. No caller waits for longer, whatever a deadline is.
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
    pub(super) async fn receive(self: &Arc<Self>, transport: &Arc<dyn Transport>, incoming: Incoming) {
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
        let shared = Arc::clone(self);
        match (permit, incoming.acknowledgement) {
            (Ok(permit), None) => {
                tokio::spawn(async move {
                    shared.process(&delivered).await;
                    drop(permit);
                });
            }
            (Ok(permit), Some(stored)) => {
                tokio::spawn(async move {
                    let was_answered = tokio::select! {
                        was_answered = shared.process(&delivered) => was_answered,
                        () = show_progress(stored.as_ref()) => false,
                    };
                    let _ = if was_answered { stored.ack().await } else { stored.nak().await };
                    // A server that shuts down waits for the acknowledgement too.
                    drop(permit);
                });
            }
            (Err(_), Some(stored)) => drop(stored.nak().await),
            (Err(_), None) => Box::pin(self.reject(&delivered)).await,
        }
    }

    /// Answers a request for which there is no room.
    async fn reject(&self, delivered: &Delivered) {
        if delivered.text.len() > self.max_message {
            return;
        }
        let Ok(request) = Envelope::decode(&delivered.text) else { return };
        let busy = Answer::error(code::BUSY, "the provider has too many requests");
        let busy = if request.is_authentic(self.keys.as_ref()) { busy } else { busy.unproved() };
        // The listener does not wait for a connection.
        self.respond(delivered, &request, &busy, |_| Duration::ZERO).await;
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
        if envelope.kind() == MessageKind::Response {
            return true;
        }
        let span = tracing::info_span!(
            "capgen.serve",
            capability = envelope.capability(),
            peer = envelope.from(),
            correlation_id = envelope.correlation_id(),
            contract = envelope.header(crate::envelope::header::CONTRACT)
        );
        let processed = Processed {
            request: &envelope,
            is_redelivered: delivered.redelivered,
            is_stored: delivered.is_stored,
            now: self.journal.clock.now_ms(),
        };
        let answer = self.answer(&processed).instrument(span).await;
        // A stored message whose call was abandoned is for another process, which answers it.
        if delivered.is_stored && answer.is_abandoned {
            return false;
        }
        self.respond(delivered, &envelope, &answer, |request| self.patience(request)).await
    }

    /// Answers a message that is not a valid envelope: a sender that made a mistake learns of it, if the message shows where to.
    async fn refuse(&self, delivered: &Delivered, message: String) {
        if let Some(request) = salvage(&delivered.text, &self.agent) {
            let answer = Answer::error(code::INVALID_ENVELOPE, message).unproved();
            self.respond(delivered, &request, &answer, |_| Duration::ZERO).await;
        }
    }

    /// The envelope of a message, or why it is invalid.
    fn read(&self, text: &Bytes) -> Result<Envelope, String> {
        if text.len() > self.max_message {
            return Err(format!("the envelope has {} bytes; the limit is {}", text.len(), self.max_message));
        }
        Envelope::decode(text).map_err(|error| format!("the message is not a valid envelope: {error}"))
    }

    /// How long a provider without a connection tries to send a response: as long as the caller waits for it.
    fn patience(&self, request: &Envelope) -> Duration {
        let now = self.journal.clock.now_ms();
        let rest = request.deadline().map(|deadline| deadline.saturating_add(self.tolerance).saturating_sub(now));
        rest.map_or(UNKNOWN_DEADLINE, |rest| Duration::from_millis(rest).min(LONGEST_PATIENCE))
    }

    /// Sends the response to a request; an event has none. If the connection is lost, tries again for a time. Returns whether the
    /// response was sent.
    async fn respond(
        &self,
        delivered: &Delivered,
        request: &Envelope,
        answer: &Answer,
        patience: impl Fn(&Envelope) -> Duration,
    ) -> bool {
        if answer.code.is_some() {
            self.counters.errors.fetch_add(1, Ordering::Relaxed);
        }
        let Some(message) = self.response(delivered, request, answer) else { return true };
        let mut sent = delivered.transport.publish(message).await;
        if matches!(sent, Err(TransportError::Disconnected(_))) {
            sent = Box::pin(self.send_again(delivered, request, answer, patience(request))).await.unwrap_or(sent);
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
            sent = Some(delivered.transport.publish(message).await);
        }
        sent
    }

    /// The response to a request; `None` if it has none, or no response can be sent.
    fn response(&self, delivered: &Delivered, request: &Envelope, answer: &Answer) -> Option<Outgoing> {
        if request.kind() != MessageKind::Request {
            return None;
        }
        let transport = &delivered.transport;
        let named = request.reply_to().filter(|(kind, _)| *kind == transport.kind());
        let address = named.map(|(_, address)| address.to_owned()).or_else(|| delivered.reply_to.clone())?;
        let contract = self.entries.get(request.capability()).map_or("", |entry| entry.hash());
        let keys = self.keys.as_ref().filter(|_| !answer.is_unproved);
        let encode = |answer: &Answer| answer.encode(request, &self.agent, contract, keys);
        let fits = |text: &Bytes| text.len() <= transport.max_message();
        let payload = encode(answer).filter(fits).or_else(|| encode(&answer.shortened()).filter(fits))?;
        let (delivery, message_id) = (Delivery::AtMostOnce, String::new());
        Some(Outgoing { address, reply_to: None, payload, delivery, message_id })
    }
}

/// Shows the broker of a stored message that it is being processed, so that the message is not delivered again. Never ends.
async fn show_progress(stored: &dyn Acknowledgement) {
    loop {
        tokio::time::sleep(Duration::from_secs(5)).await;
        let _ = stored.in_progress().await;
    }
}
