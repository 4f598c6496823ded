//! The options of at-least-once delivery.

use std::time::Duration;

use async_nats::jetstream::stream::{Config, RetentionPolicy, StorageType};

use super::stream::StreamOptions;

/// At-least-once delivery with JetStream.
///
/// A message to the address `a.b` with [`Delivery::AtLeastOnce`](capgen_call::Delivery) is published to the subject
/// `capgen.durable.a.b`, which a stream stores, and a subscription with this guarantee receives it from a durable
/// consumer of its group. The subject is another one on purpose: a stream that stored `a.b` itself would also store
/// messages that were sent without this guarantee, and each subscription would receive messages twice. All members of a
/// fleet must use the same prefix.
///
/// A stream is created if no other stream stores the subject. Use [`existing`](Self::existing) if an administrator
/// creates it.
///
/// ```no_run
/// use capgen_nats::{JetStreamOptions, NatsOptions, NatsTransport};
///
/// # async fn connect() -> Result<(), capgen_call::TransportError> {
/// let options = NatsOptions::new(["nats://127.0.0.1:4222"]).jetstream(JetStreamOptions::new().replicas(3));
/// let transport = NatsTransport::connect(options).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JetStreamOptions {
    pub(crate) stream: StreamOptions,
    pub(crate) storage: Storage,
    pub(crate) retention: Retention,
    pub(crate) max_age: Duration,
    pub(crate) max_bytes: Option<u64>,
    pub(crate) ack_wait: Duration,
    pub(crate) max_unacknowledged: usize,
}

/// Where a stream stores its messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Storage {
    /// In files, so that messages survive a restart of the server.
    #[default]
    File,
    /// In memory: messages are lost with the server.
    Memory,
}

/// When a stream removes a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Retention {
    /// When it is acknowledged. Only one group per address can receive messages.
    #[default]
    WorkQueue,
    /// At the limits of age and size. Each group receives each message.
    Limits,
}

impl JetStreamOptions {
    /// A stream `CAPGEN` in files, which removes messages when they are acknowledged, or after 7 days.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Where the stream stores its messages.
    #[must_use]
    pub fn storage(mut self, storage: Storage) -> Self {
        self.storage = storage;
        self
    }

    /// When the stream removes a message.
    #[must_use]
    pub fn retention(mut self, retention: Retention) -> Self {
        self.retention = retention;
        self
    }

    /// The age at which the stream removes a message even if no one has acknowledged it; 7 days by default, and zero
    /// for no limit.
    #[must_use]
    pub fn max_age(mut self, age: Duration) -> Self {
        self.max_age = age;
        self
    }

    /// The size of the stream in bytes at which it rejects messages. By default, the limits of the server apply.
    #[must_use]
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = Some(bytes);
        self
    }

    /// How long the server waits for an acknowledgement before it delivers a message again; 30 seconds by default.
    /// Receivers that need longer report progress
    /// ([`Acknowledgement::in_progress`](capgen_call::Acknowledgement::in_progress)).
    #[must_use]
    pub fn ack_wait(mut self, wait: Duration) -> Self {
        self.ack_wait = wait;
        self
    }

    /// The number of messages that the members of a group together may have received and not acknowledged; 1000 by
    /// default.
    #[must_use]
    pub fn max_unacknowledged(mut self, messages: usize) -> Self {
        self.max_unacknowledged = messages.max(1);
        self
    }

    /// The stream to create.
    pub(crate) fn config(&self) -> Config {
        Config {
            storage: match self.storage {
                Storage::File => StorageType::File,
                Storage::Memory => StorageType::Memory,
            },
            retention: match self.retention {
                Retention::WorkQueue => RetentionPolicy::WorkQueue,
                Retention::Limits => RetentionPolicy::Limits,
            },
            ..self.stream.config_within(">", self.max_age, self.max_bytes)
        }
    }
}

crate::stream_options!(JetStreamOptions, name "CAPGEN", prefix "capgen.durable");

impl Default for JetStreamOptions {
    fn default() -> Self {
        Self {
            stream: StreamOptions::new("CAPGEN", "capgen.durable"),
            storage: Storage::File,
            retention: Retention::WorkQueue,
            max_age: Duration::from_secs(7 * 86_400),
            max_bytes: None,
            ack_wait: Duration::from_secs(30),
            max_unacknowledged: 1000,
        }
    }
}
