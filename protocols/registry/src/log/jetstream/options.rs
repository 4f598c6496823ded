//! The options of a log.

use std::time::Duration;

use capgen_nats::async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy};
use capgen_nats::{StreamOptions, stream_options};

use super::problem::OperationError;

/// The stream of a log of events, and how it is used.
///
/// The partition of an event is the token after the prefix of its subject. The expected sequence of each message
/// prevents duplicates for longer than the window of duplicates.
///
/// ```
/// use capgen_registry::log::JetStreamLogOptions;
/// let options = JetStreamLogOptions::new().stream("EVENTS").prefix("acme.registry").replicas(3);
/// # let _ = options;
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JetStreamLogOptions {
    pub(super) stream: StreamOptions,
    pub(super) patience: Duration,
}

impl JetStreamLogOptions {
    /// A stream `CAPGEN-REGISTRY` with the subjects `capgen.registry.events.*`, which is created if it does not exist.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How long an operation is tried again while the server does not answer, such as during its restart; 30 seconds by
    /// default. Each attempt is limited by
    /// [`NatsOptions::operation_timeout`](capgen_nats::NatsOptions::operation_timeout).
    #[must_use]
    pub fn patience(mut self, limit: Duration) -> Self {
        self.patience = limit;
        self
    }

    /// Checks the names, which become parts of subjects.
    pub(super) fn check(&self) -> Result<(), OperationError> {
        let StreamOptions { name, prefix, .. } = &self.stream;
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if name.is_empty() || name.len() > 200 || !name.bytes().all(is_name) {
            let reason =
                "the name of the stream has other characters than letters, digits, `-` and `_`, or more than 200";
            return Err(OperationError::Lasting(reason.to_owned()));
        }
        capgen_nats::check_subject(prefix).map_err(|error| OperationError::Lasting(error.to_string()))
    }

    /// The stream to create: it removes nothing, and refuses requests to delete messages.
    pub(super) fn config(&self) -> Config {
        Config {
            description: Some("Events of a capability registry".to_owned()),
            retention: RetentionPolicy::Limits,
            max_messages: -1,
            max_messages_per_subject: -1,
            max_bytes: -1,
            deny_delete: true,
            deny_purge: true,
            ..self.stream.config("*")
        }
    }

    /// Checks that a stream stores the subjects of the log, and never removes a message.
    pub(super) fn check_stream(&self, config: &Config) -> Result<(), OperationError> {
        let lasting = |reason: String| Err(OperationError::Lasting(reason));
        let subjects = [self.stream.subject("*"), self.stream.subject(">")];
        if !config.subjects.iter().any(|subject| subjects.contains(subject)) {
            return lasting(format!("it does not store the subjects {:?}", subjects.first()));
        }
        let removes = !config.max_age.is_zero()
            || config.max_messages > 0
            || config.max_messages_per_subject > 0
            || (config.max_bytes > 0 && config.discard == DiscardPolicy::Old)
            || config.retention != RetentionPolicy::Limits;
        if removes || config.no_ack || config.allow_rollup {
            return lasting("it removes messages by its limits, its retention or rollups, or confirms none".to_owned());
        }
        Ok(())
    }
}

stream_options!(JetStreamLogOptions, name "CAPGEN-REGISTRY", prefix "capgen.registry.events");

impl Default for JetStreamLogOptions {
    fn default() -> Self {
        Self {
            stream: StreamOptions::new("CAPGEN-REGISTRY", "capgen.registry.events"),
            patience: Duration::from_secs(30),
        }
    }
}
