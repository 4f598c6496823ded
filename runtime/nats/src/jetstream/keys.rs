//! A store of the answers to requests with idempotency keys, in a stream.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::context::{GetStreamErrorKind, PublishErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{Config, DeleteMessageErrorKind, LastRawMessageErrorKind, Stream};
use async_nats::jetstream::{Context, ErrorCode};
use bytes::Bytes;
use capgen_call::{BoxFuture, IdempotencyStore, StoreError, StoredRecord, TransportError};

use super::stream::StreamOptions;
use crate::subject;
use crate::transport::{Link, NatsTransport};

/// Where [`NatsIdempotencyStore`] keeps its records.
///
/// The stream has the last message of each subject, so that a record is one message. By default it is created if it
/// does not exist; [`existing`](Self::existing) leaves this to an administrator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IdempotencyStoreOptions {
    stream: StreamOptions,
    max_age: Duration,
    max_bytes: Option<u64>,
}

crate::stream_options!(IdempotencyStoreOptions, name "CAPGEN_KEYS", prefix "capgen.keys");

impl IdempotencyStoreOptions {
    /// The stream `CAPGEN_KEYS` in files, which removes records after an hour.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The age at which a new stream removes records; an hour by default, and zero for no limit. No server may keep
    /// answers for longer ([`ServerBuilder::idempotency_window`](capgen_call::ServerBuilder::idempotency_window)).
    #[must_use]
    pub fn max_age(mut self, age: Duration) -> Self {
        self.max_age = age;
        self
    }

    /// The size of a new stream in bytes at which it rejects records. By default, the limits of the server apply.
    #[must_use]
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = Some(bytes);
        self
    }

    fn config(&self) -> Config {
        Config {
            // A write replaces the record.
            max_messages_per_subject: 1,
            ..self.stream.config_within("*", self.max_age, self.max_bytes)
        }
    }
}

impl Default for IdempotencyStoreOptions {
    fn default() -> Self {
        Self {
            stream: StreamOptions::new("CAPGEN_KEYS", "capgen.keys"),
            // Several times the default window of a server, and longer than the longest deadline.
            max_age: Duration::from_secs(3600),
            max_bytes: None,
        }
    }
}

/// A store of the answers to requests with idempotency keys in a stream of JetStream, for all instances of all agents
/// that use the stream ([`ServerBuilder::idempotency_store`](capgen_call::ServerBuilder::idempotency_store)).
///
/// Reads are answered by the leader of the stream, so they never show an older record than the last write. Each write
/// and each read is one request to the server of the stream. Records are as large as the server's `max_payload` at
/// most. They contain the responses of the agents: only these should be able to read the stream.
///
/// ```no_run
/// use std::sync::Arc;
///
/// use capgen_call::ServerBuilder;
/// use capgen_nats::{IdempotencyStoreOptions, NatsIdempotencyStore, NatsTransport};
///
/// # async fn run(transport: NatsTransport, server: ServerBuilder) -> Result<(), capgen_call::TransportError> {
/// let store = NatsIdempotencyStore::open(&transport, IdempotencyStoreOptions::new().replicas(3)).await?;
/// let server = server.idempotency_store(Arc::new(store));
/// # Ok(())
/// # }
/// ```
pub struct NatsIdempotencyStore {
    link: Arc<Link>,
    context: Context,
    stream: Stream,
    /// The beginning of the subjects.
    options: StreamOptions,
    /// The age at which the stream removes records, unless it is zero.
    max_age: Duration,
}

impl NatsIdempotencyStore {
    /// Opens the stream, and creates it if it does not exist and the options allow it.
    ///
    /// # Errors
    ///
    /// [`TransportError::Refused`] if the stream cannot be created, or does not keep exactly the last message of each
    /// subject below the prefix; [`TransportError::Unsupported`] if JetStream does not answer, or the prefix is not
    /// a subject;
    /// [`TransportError::Disconnected`] and [`TransportError::Closed`] as for all operations of the transport.
    pub async fn open(transport: &NatsTransport, options: IdempotencyStoreOptions) -> Result<Self, TransportError> {
        subject::check(&options.stream.prefix)?;
        let link = Arc::clone(&transport.link);
        link.usable()?;
        let context = options.stream.context(link.client.clone(), link.timeout);
        let stream = Self::stream(&link, &context, &options).await?;
        let config = &stream.cached_info().config;
        let subjects = options.stream.subject("*");
        // The records have one more token than the prefix, so both contain all of them.
        let has_subject = ["*", ">"].iter().any(|rest| config.subjects.contains(&options.stream.subject(rest)));
        if config.max_messages_per_subject != 1 || !has_subject {
            return Err(TransportError::Refused(format!(
                "the stream {:?} does not keep one message of each subject {subjects:?}: use another stream, or give \
                 it this subject and `max_msgs_per_subject: 1`",
                options.stream.name
            )));
        }
        let max_age = config.max_age;
        Ok(Self { link, context, stream, options: options.stream, max_age })
    }

    async fn stream(
        link: &Link,
        context: &Context,
        options: &IdempotencyStoreOptions,
    ) -> Result<Stream, TransportError> {
        let name = &options.stream.name;
        let error = match context.get_stream(name).await {
            Ok(stream) => return Ok(stream),
            Err(error) => error,
        };
        match error.kind() {
            GetStreamErrorKind::JetStream(error) if error.error_code() == ErrorCode::STREAM_NOT_FOUND => {}
            GetStreamErrorKind::JetStream(error) => {
                return Err(TransportError::Refused(format!("reading the stream {name:?}: {error}")));
            }
            _ => return Err(super::unavailable(link)),
        }
        if !options.stream.create {
            let subjects = options.stream.subject("*");
            return Err(TransportError::Refused(format!(
                "the stream {name:?} does not exist: create it with the subject {subjects:?} and \
                 `max_msgs_per_subject: 1`"
            )));
        }
        // Another instance may create it at the same time: the server accepts an equal stream.
        let created = context.create_stream(options.config()).await;
        created.map_err(|error| TransportError::Refused(format!("creating the stream {name:?}: {error}")))
    }

    /// The result of a request to the server of the stream; an error as soon as the connection is lost.
    async fn ask<T>(&self, request: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
        self.link.usable().map_err(|error| StoreError(error.to_string()))?;
        let connection = self.link.connection();
        tokio::select! {
            biased;
            result = request => result,
            reason = self.link.interrupted(connection) => {
                let reason = reason.map(|error| error.to_string());
                Err(StoreError(reason.unwrap_or_else(|| format!("{}: the server does not answer", self.link.servers()))))
            }
        }
    }

    async fn read(&self, key: &str) -> Result<Option<StoredRecord>, StoreError> {
        match self.stream.get_last_raw_message_by_subject(&self.options.subject(key)).await {
            Ok(message) => Ok(Some(StoredRecord { value: message.payload, revision: message.sequence })),
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => Err(StoreError(error.to_string())),
        }
    }

    async fn write(&self, key: &str, value: Bytes, expected: Option<u64>) -> Result<Option<u64>, StoreError> {
        // No message has the sequence 0, by which the server means that the subject has none.
        let message = PublishMessage::build().payload(value).expected_last_subject_sequence(expected.unwrap_or(0));
        let stored = async { self.context.send_publish(self.options.subject(key), message).await?.await };
        match stored.await {
            Ok(acknowledgement) => Ok(Some(acknowledgement.sequence)),
            Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => Ok(None),
            Err(error) => Err(StoreError(error.to_string())),
        }
    }

    async fn remove(&self, revision: u64) -> Result<(), StoreError> {
        match self.stream.delete_message(revision).await {
            Ok(_) => Ok(()),
            // The record has another revision, or none: the stream keeps one message of a subject.
            Err(error) if is_gone(&error.kind()) => Ok(()),
            Err(error) => Err(StoreError(error.to_string())),
        }
    }
}

fn is_gone(error: &DeleteMessageErrorKind) -> bool {
    let DeleteMessageErrorKind::JetStream(error) = error else { return false };
    [ErrorCode::NO_MESSAGE_FOUND, ErrorCode::SEQUENCE_NOT_FOUND].contains(&error.error_code())
        || error.error_code() == ErrorCode::STREAM_MESSAGE_DELETE_FAILED
}

impl IdempotencyStore for NatsIdempotencyStore {
    fn read<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<StoredRecord>, StoreError>> {
        Box::pin(self.ask(self.read(key)))
    }

    fn write<'a>(
        &'a self,
        key: &'a str,
        value: Bytes,
        expected: Option<u64>,
        keep: Duration,
    ) -> BoxFuture<'a, Result<Option<u64>, StoreError>> {
        Box::pin(async move {
            if !self.max_age.is_zero() && keep > self.max_age {
                let StreamOptions { name, .. } = &self.options;
                return Err(StoreError(format!(
                    "an answer has to be kept for {keep:?}, but the stream {name:?} removes records after {:?}",
                    self.max_age
                )));
            }
            self.ask(self.write(key, value, expected)).await
        })
    }

    fn remove<'a>(&'a self, _key: &'a str, expected: u64) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(self.ask(self.remove(expected)))
    }
}

impl std::fmt::Debug for NatsIdempotencyStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NatsIdempotencyStore").field("stream", &self.options).finish_non_exhaustive()
    }
}
