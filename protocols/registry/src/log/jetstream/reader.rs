//! Reading the stream in order.

use std::pin::Pin;
use std::time::Duration;

use capgen_nats::async_nats::jetstream;
use capgen_nats::async_nats::jetstream::consumer::pull::{Batch, Config};
use capgen_nats::async_nats::jetstream::consumer::{AckPolicy, Consumer, DeliverPolicy};
use futures_core::Stream as _;

use super::link::Link;
use super::message::Stored;
use super::problem::OperationError;

/// How many messages one request asks for. More would save few requests; [`MAX_BYTES`] bounds the memory if the
/// messages are large.
pub(super) const BATCH: usize = 256;
/// Their bytes, so that the client does not have to keep more: 16 events of the largest size, as in one read of other
/// logs.
const MAX_BYTES: usize = 16 << 20;
/// How long the server keeps a consumer that is not used. Longer than the longest wait for a message, so that a reader
/// in use keeps its consumer; a process that ends leaves one behind for no more than this time.
const UNUSED: Duration = Duration::from_secs(30);

/// An ordered consumer: it exists only as long as it delivers every message in order. Otherwise, another one takes its
/// place after the last message that is known.
#[derive(Default)]
pub(super) struct Reader {
    place: Option<Place>,
}

struct Place {
    consumer: Consumer<Config>,
    /// The sequence after which the next message is.
    after: u64,
    /// The number of messages that the consumer has delivered.
    delivered: u64,
}

impl Reader {
    /// The next messages after a sequence, of which the stream has at least `limit`. Fewer if together they are large,
    /// or if the replica that delivers them does not know all of them yet.
    pub(super) async fn fetch(&mut self, link: &Link, after: u64, limit: usize) -> Result<Vec<Stored>, OperationError> {
        let mut place = self.place(link, after).await?;
        let messages = place.fetch(link, limit.min(BATCH), None).await?;
        // After fewer messages, the request may not be over. Then the next message would be lost, and no later one
        // might show that.
        self.place = (messages.len() == limit.min(BATCH)).then_some(place);
        Ok(messages)
    }

    /// Waits for the next message after a sequence.
    pub(super) async fn wait(
        &mut self,
        link: &Link,
        after: u64,
        limit: Duration,
    ) -> Result<Option<Stored>, OperationError> {
        let mut place = self.place(link, after).await?;
        let messages = place.fetch(link, 1, Some(limit)).await?;
        self.place = Some(place);
        Ok(messages.into_iter().next())
    }

    /// Takes the consumer, so that it is not used again after an error: it may have delivered messages that were lost.
    async fn place(&mut self, link: &Link, after: u64) -> Result<Place, OperationError> {
        match self.place.take() {
            Some(place) if place.after == after => Ok(place),
            _ => Place::create(link, after).await,
        }
    }
}

impl Place {
    async fn create(link: &Link, after: u64) -> Result<Self, OperationError> {
        let config = Config {
            deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: after.saturating_add(1) },
            ack_policy: AckPolicy::None,
            inactive_threshold: UNUSED,
            memory_storage: true,
            num_replicas: 1,
            ..Config::default()
        };
        let created = async {
            let created = link.context.create_consumer_on_stream(config, link.options.stream.name.as_str()).await;
            created.map_err(|error| match error.kind() {
                jetstream::stream::ConsumerErrorKind::JetStream(error) => OperationError::of_answer(&error),
                _ => OperationError::Transient(error.to_string()),
            })
        };
        Ok(Self { consumer: link.attempt(created, Duration::ZERO).await?, after, delivered: 0 })
    }

    async fn fetch(
        &mut self,
        link: &Link,
        limit: usize,
        wait: Option<Duration>,
    ) -> Result<Vec<Stored>, OperationError> {
        let consumer = &self.consumer;
        let extra = wait.unwrap_or_default();
        let requested = async {
            let requested = match wait {
                Some(wait) => consumer.batch().max_messages(limit).expires(wait).messages().await,
                None => consumer.fetch().max_messages(limit).max_bytes(MAX_BYTES).messages().await,
            };
            requested.map_err(|error| OperationError::Transient(error.to_string()))
        };
        let mut batch = link.attempt(requested, Duration::ZERO).await?;
        let mut messages = Vec::new();
        while messages.len() < limit {
            let message = match link.attempt(next(&mut batch), extra).await {
                Ok(Some(message)) => message,
                Ok(None) => break,
                // The limit of bytes is reached; or the next request fails, too.
                Err(_) if !messages.is_empty() => break,
                Err(problem) => return Err(problem),
            };
            let is_last = self.add(link, &message, &mut messages)?;
            if is_last {
                break;
            }
        }
        Ok(messages)
    }

    /// Adds the next message. Returns whether the stream has no more.
    fn add(
        &mut self,
        link: &Link,
        message: &jetstream::Message,
        messages: &mut Vec<Stored>,
    ) -> Result<bool, OperationError> {
        let info = message.info().map_err(|_| OperationError::transient("a message has no place in the stream"))?;
        if info.consumer_sequence != self.delivered.saturating_add(1) || info.stream_sequence <= self.after {
            return Err(OperationError::transient("a message was lost between the server and this process"));
        }
        (self.delivered, self.after) = (info.consumer_sequence, info.stream_sequence);
        let token = link.options.stream.rest_of(&message.subject);
        let id =
            message.headers.as_ref().and_then(|headers| headers.get(capgen_nats::async_nats::header::NATS_MESSAGE_ID));
        messages.push(Stored {
            sequence: info.stream_sequence,
            // Another subject of the stream is not of this log. No token has a dot.
            token: token.map_or_else(|| format!(".{}", message.subject), str::to_owned),
            id: id.map(|id| id.as_str().to_owned()),
            payload: message.payload.clone(),
        });
        Ok(info.pending == 0)
    }
}

async fn next(batch: &mut Batch) -> Result<Option<jetstream::Message>, OperationError> {
    let next = std::future::poll_fn(|context| Pin::new(&mut *batch).poll_next(context)).await;
    next.transpose().map_err(|error| OperationError::Transient(error.to_string()))
}
