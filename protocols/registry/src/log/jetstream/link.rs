//! The connection of a log, and the requests to its stream.

use std::error::Error as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use capgen_nats::async_nats::Event;
use capgen_nats::async_nats::jetstream::context::{
    CreateStreamErrorKind, GetStreamErrorKind, PublishError, PublishErrorKind,
};
use capgen_nats::async_nats::jetstream::message::PublishMessage;
use capgen_nats::async_nats::jetstream::{self, Context, ErrorCode};
use capgen_nats::{NatsOptions, connect};
use tokio::sync::watch;

use super::message::Draft;
use super::options::JetStreamLogOptions;
use super::problem::{OperationError, Retry};
use crate::log::LogError;

/// A connection to the server of a stream, which is established again if it is lost.
pub(super) struct Link {
    pub(super) context: Context,
    pub(super) options: JetStreamLogOptions,
    timeout: Duration,
    observer: Arc<Observer>,
    closed: Arc<AtomicBool>,
}

/// The events of the client that belong to no operation.
#[derive(Default)]
struct Observer {
    /// Changes with each lost connection.
    lost: watch::Sender<()>,
    /// The last error of the server since the last connection, such as a missing permission.
    error: Mutex<Option<String>>,
}

/// The answer to a published event.
pub(super) enum Published {
    /// The stream has stored it at this sequence.
    Stored(u64),
    /// The stream has an event of the same message id.
    Duplicate,
    /// The subject has another last sequence than expected.
    Conflict,
}

impl Link {
    pub(super) async fn connect(nats: NatsOptions, options: JetStreamLogOptions) -> Result<Self, OperationError> {
        options.check()?;
        let observer = Arc::new(Observer::default());
        let closed = Arc::new(AtomicBool::new(false));
        let watching = Arc::clone(&observer);
        let client = connect(&nats, &closed, move |event| watching.observe(event)).await;
        let client = client.map_err(|error| OperationError::Lasting(error.to_string()))?;
        let timeout = nats.get_operation_timeout();
        // `attempt` ends operations earlier, and knows more about the reason. A second is enough for it to be first.
        let longer = timeout.saturating_add(Duration::from_secs(1));
        let context = options.stream.context(client, longer);
        Ok(Self { context, options, timeout, observer, closed })
    }

    pub(super) fn retry(&self) -> Retry {
        Retry::new(self.options.patience)
    }

    /// The error of an operation that failed in spite of all attempts.
    pub(super) fn failed(&self, problem: OperationError) -> LogError {
        failed(&self.options, problem)
    }

    /// Runs an operation of the network, until the connection is lost or the operation takes too long.
    pub(super) async fn attempt<T>(
        &self,
        operation: impl Future<Output = Result<T, OperationError>>,
        extra: Duration,
    ) -> Result<T, OperationError> {
        let mut lost = self.observer.lost.subscribe();
        tokio::select! {
            biased;
            result = operation => result,
            _ = lost.changed() => Err(OperationError::transient("the connection was lost")),
            () = tokio::time::sleep(self.timeout.saturating_add(extra)) => Err(self.no_answer()),
        }
    }

    fn no_answer(&self) -> OperationError {
        let error = self.observer.error.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let error = error.map(|error| format!("; it has reported: {error}")).unwrap_or_default();
        OperationError::Transient(format!("the server has not answered within {:?}{error}", self.timeout))
    }

    /// Finds or creates the stream, trying again for a time.
    pub(super) async fn open(&self, patience: Duration) -> Result<(), OperationError> {
        let mut retry = Retry::new(patience);
        loop {
            match self.attempt(self.try_open(), Duration::ZERO).await {
                Err(problem) => retry.after(problem).await?,
                opened => return opened,
            }
        }
    }

    async fn try_open(&self) -> Result<(), OperationError> {
        if self.find().await? || (self.options.stream.create && self.create().await?) || self.find().await? {
            return Ok(());
        }
        Err(OperationError::Lasting("it does not exist".to_owned()))
    }

    /// Whether the stream exists.
    async fn find(&self) -> Result<bool, OperationError> {
        match self.context.get_stream(&self.options.stream.name).await {
            Ok(stream) => self.options.check_stream(&stream.cached_info().config).map(|()| true),
            Err(error) => match error.kind() {
                GetStreamErrorKind::JetStream(error) if error.error_code() == ErrorCode::STREAM_NOT_FOUND => Ok(false),
                GetStreamErrorKind::JetStream(error) => Err(OperationError::of_answer(&error)),
                _ => Err(self.unavailable()),
            },
        }
    }

    /// Creates the stream. False if another process has created it in the meantime with other options.
    async fn create(&self) -> Result<bool, OperationError> {
        match self.context.create_stream(self.options.config()).await {
            Ok(_) => Ok(true),
            Err(error) => match error.kind() {
                CreateStreamErrorKind::JetStream(error) if error.error_code() == ErrorCode::STREAM_NAME_EXIST => {
                    Ok(false)
                }
                CreateStreamErrorKind::JetStream(error) => Err(OperationError::of_answer(&error)),
                _ => Err(self.unavailable()),
            },
        }
    }

    fn unavailable(&self) -> OperationError {
        match self.no_answer() {
            OperationError::Transient(reason) => {
                OperationError::Transient(format!("JetStream does not answer, or is not enabled: {reason}"))
            }
            problem => problem,
        }
    }

    /// The last sequence of the stream.
    pub(super) async fn last_sequence(&self) -> Result<u64, OperationError> {
        let request = async {
            let stream = self.context.get_stream_no_info(&self.options.stream.name).await;
            let stream = stream.map_err(|error| OperationError::Lasting(error.to_string()))?;
            match stream.get_info().await {
                Ok(info) => Ok(info.state.last_sequence),
                Err(error) => Err(match error.source().and_then(|source| source.downcast_ref::<jetstream::Error>()) {
                    Some(error) => OperationError::of_answer(error),
                    None => OperationError::Transient(error.to_string()),
                }),
            }
        };
        self.attempt(request, Duration::ZERO).await
    }

    /// Publishes an event if the last sequence of its subject is the expected one.
    pub(super) async fn publish(&self, draft: &Draft, expected: u64) -> Result<Published, OperationError> {
        let message = PublishMessage::build()
            .message_id(&draft.id)
            .expected_stream(&self.options.stream.name)
            .expected_last_subject_sequence(expected)
            .payload(draft.payload.clone());
        let subject = self.options.stream.subject(&draft.token);
        let request = async {
            let sent = self.context.send_publish(subject, message).await;
            let acknowledged = match sent {
                Ok(sent) => sent.await,
                Err(error) => Err(error),
            };
            match acknowledged {
                Ok(ack) if ack.duplicate => Ok(Published::Duplicate),
                Ok(ack) => Ok(Published::Stored(ack.sequence)),
                Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => Ok(Published::Conflict),
                Err(error) => Err(not_published(&error)),
            }
        };
        self.attempt(request, Duration::ZERO).await
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.closed.store(true, Ordering::Release);
    }
}

impl Observer {
    fn observe(&self, event: Event) {
        match event {
            Event::Connected => *self.error.lock().unwrap_or_else(PoisonError::into_inner) = None,
            Event::Disconnected | Event::Closed => self.lost.send_replace(()),
            Event::ServerError(error) => {
                // The text names subjects. It comes from the server, so it may be long.
                let text: String = error.to_string().chars().take(200).collect();
                *self.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
            }
            _ => {}
        }
    }
}

/// An error that names the stream.
pub(super) fn failed(options: &JetStreamLogOptions, problem: OperationError) -> LogError {
    match problem {
        OperationError::Refused(error) => error,
        problem => LogError::Failed(format!("the stream {:?}: {}", options.stream.name, problem.into_reason())),
    }
}

fn not_published(error: &PublishError) -> OperationError {
    if error.kind() == PublishErrorKind::MaxPayloadExceeded {
        let reason =
            "an event is larger than `max_payload` of the server, which must be 1 MiB and 4 KiB for all events to fit";
        return OperationError::Lasting(reason.to_owned());
    }
    let answer = error.source().and_then(|source| source.downcast_ref::<jetstream::Error>());
    match answer {
        // Another message for the subject is on its way through the cluster.
        Some(error) if error.error_code() == ErrorCode::STREAM_WRONG_LAST_SEQUENCE_CONSTANT => {
            OperationError::Transient(error.to_string())
        }
        Some(error) => OperationError::of_answer(error),
        None => OperationError::Transient(error.to_string()),
    }
}
