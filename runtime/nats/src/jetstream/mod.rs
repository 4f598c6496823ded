//! At-least-once delivery.

mod acknowledgement;
mod consumer;
mod keys;
mod name;
mod options;
mod seen;
mod stream;

use std::sync::Arc;

use async_nats::HeaderMap;
use async_nats::header::HeaderValue;
use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::context::{GetStreamByNameErrorKind, PublishError, PublishErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::{self, Context, ErrorCode};
use capgen_call::{Incoming, Outgoing, SubscribeOptions, TransportError};
use futures_core::Stream;

pub use keys::{IdempotencyStoreOptions, NatsIdempotencyStore};
pub use options::{JetStreamOptions, Retention, Storage};
pub use stream::StreamOptions;

use crate::subject;
use crate::transport::Link;
use consumer::Consumer;
use seen::Seen;

/// The header with the address for replies: the server replaces the reply address of a stored message by one for its
/// acknowledgement.
const REPLY_TO: &str = "Capgen-Reply-To";

/// The part of a transport that stores messages.
#[derive(Clone)]
pub(crate) struct JetStream {
    link: Arc<Link>,
    options: Arc<JetStreamOptions>,
    context: Context,
    seen: Arc<Seen>,
}

impl JetStream {
    pub(crate) fn new(link: Arc<Link>, options: JetStreamOptions) -> Self {
        let context = options.stream.context(link.client.clone(), link.timeout);
        Self { link, options: Arc::new(options), context, seen: Arc::default() }
    }

    /// Ends when the stream has stored the message, or has dropped it because it stores one with the same id.
    pub(crate) async fn publish(&self, message: Outgoing) -> Result<(), TransportError> {
        let subject = self.subject(&message.address)?;
        let (size, limit) = (message.payload.len(), self.link.client.max_payload());
        if size > limit {
            return Err(TransportError::TooLarge { size, limit });
        }
        let publish = PublishMessage::build().headers(headers(&message)?).payload(message.payload);
        let result = match self.store(&subject, publish.clone()).await {
            Err(Failure::NoStream) => {
                self.stream(&subject).await?;
                self.store(&subject, publish).await
            }
            result => result,
        };
        result.map_err(|failure| match failure {
            Failure::NoStream => TransportError::Refused(format!("no stream stores {subject:?}")),
            Failure::TooLarge => TransportError::TooLarge { size, limit },
            Failure::Other(error) => error,
        })
    }

    async fn store(&self, subject: &str, message: PublishMessage) -> Result<(), Failure> {
        self.link.usable().map_err(Failure::Other)?;
        let connection = self.link.connection();
        let stored = async { self.context.send_publish(subject.to_owned(), message).await?.await };
        tokio::select! {
            biased;
            result = stored => result.map(drop).map_err(|error| self.failure(&error)),
            reason = self.link.interrupted(connection) => Err(Failure::Other(
                reason.unwrap_or_else(|| self.link.disconnected("the stream has not confirmed the message")),
            )),
        }
    }

    /// Messages to an address, from the durable consumer of the group.
    pub(crate) async fn consume(
        &self,
        address: &str,
        options: &SubscribeOptions,
    ) -> Result<impl Stream<Item = Incoming> + Unpin + use<>, TransportError> {
        let Some(group) = &options.group else {
            return Err(TransportError::Unsupported(
                "at-least-once delivery without a group: its members share the stored messages".to_owned(),
            ));
        };
        let consumer = Consumer {
            jetstream: self.clone(),
            filter: self.subject(address)?,
            name: name::of_consumer(group, address),
            batch: options.capacity,
        };
        consumer.start().await
    }

    /// The subject of stored messages to an address.
    fn subject(&self, address: &str) -> Result<String, TransportError> {
        let stream = &self.options.stream;
        subject::check(&stream.prefix)?;
        Ok(stream.subject(address))
    }

    /// The stream that stores a subject, which is created if necessary.
    async fn stream(&self, subject: &str) -> Result<String, TransportError> {
        self.link.usable()?;
        let missing = match self.context.stream_by_subject(subject).await {
            Ok(name) => return Ok(name),
            Err(error) => error,
        };
        if missing.kind() != GetStreamByNameErrorKind::NotFound {
            return Err(unavailable(&self.link));
        }
        let options = &self.options;
        if !options.stream.create {
            let subjects = options.stream.subject(">");
            let reason = format!("no stream stores {subject:?}: create one with the subject {subjects:?}");
            return Err(TransportError::Refused(reason));
        }
        match self.context.create_stream(options.config()).await {
            Ok(_) => Ok(options.stream.name.clone()),
            Err(error) => {
                Err(TransportError::Refused(format!("creating the stream {:?}: {error}", options.stream.name)))
            }
        }
    }

    /// Creates the durable consumer of a group, or changes it to the options. The result is the name of the stream.
    async fn create_consumer(&self, name: &str, filter: &str) -> Result<String, TransportError> {
        let stream = self.stream(filter).await?;
        let config = pull::Config {
            durable_name: Some(name.to_owned()),
            filter_subject: filter.to_owned(),
            ack_policy: AckPolicy::Explicit,
            ack_wait: self.options.ack_wait,
            max_ack_pending: i64::try_from(self.options.max_unacknowledged).unwrap_or(i64::MAX),
            ..pull::Config::default()
        };
        let created = self.context.create_consumer_on_stream(config, stream.as_str()).await;
        created.map_err(|error| TransportError::Refused(format!("creating the consumer {name:?}: {error}")))?;
        Ok(stream)
    }

    fn failure(&self, error: &PublishError) -> Failure {
        let other = match error.kind() {
            PublishErrorKind::StreamNotFound => return Failure::NoStream,
            PublishErrorKind::MaxPayloadExceeded => return Failure::TooLarge,
            PublishErrorKind::MaxAckPending => TransportError::Overloaded,
            PublishErrorKind::TimedOut => self.link.disconnected("the stream has not confirmed the message"),
            PublishErrorKind::BrokenPipe => {
                self.link.disconnected("the connection was lost before the message was stored")
            }
            _ => {
                let code = std::error::Error::source(error)
                    .and_then(|source| source.downcast_ref::<jetstream::Error>())
                    .map(jetstream::Error::error_code);
                if code == Some(ErrorCode::STREAM_NOT_FOUND) {
                    return Failure::NoStream;
                }
                TransportError::Refused(error.to_string())
            }
        };
        Failure::Other(other)
    }
}

/// The error of a server without JetStream.
fn unavailable(link: &Link) -> TransportError {
    TransportError::Unsupported(format!(
        "{}: JetStream does not answer: it is not enabled on the server, or the user may not use `$JS.API.>`; start the \
         server with `-js`, or add the permission",
        link.servers()
    ))
}

/// Why a message was not stored.
enum Failure {
    NoStream,
    TooLarge,
    Other(TransportError),
}

fn headers(message: &Outgoing) -> Result<HeaderMap, TransportError> {
    let value = |text: &str| {
        text.parse::<HeaderValue>()
            .map_err(|_| TransportError::Unsupported("a message id with a line break".to_owned()))
    };
    let mut headers = HeaderMap::new();
    if !message.message_id.is_empty() {
        headers.insert(async_nats::header::NATS_MESSAGE_ID, value(&message.message_id)?);
    }
    if let Some(reply) = &message.reply_to {
        headers.insert(REPLY_TO, value(reply)?);
    }
    Ok(headers)
}
