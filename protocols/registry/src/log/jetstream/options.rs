//! The options of a log.

use std::time::Duration;

use capgen_nats::async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};

use super::problem::Problem;

/// The stream of a log of events, and how it is used.
///
/// ```
/// use capgen_registry::log::JetStreamLogOptions;
/// let options = JetStreamLogOptions::new().stream("EVENTS").prefix("acme.registry").replicas(3);
/// # let _ = options;
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JetStreamLogOptions {
    pub(super) stream: String,
    pub(super) prefix: String,
    pub(super) create: bool,
    pub(super) domain: Option<String>,
    pub(super) replicas: usize,
    pub(super) duplicate_window: Duration,
    pub(super) patience: Duration,
}

impl JetStreamLogOptions {
    /// A stream `CAPGEN-REGISTRY` with the subjects `capgen.registry.events.*`, which is created if it does not exist.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Uses only a stream that exists.
    #[must_use]
    pub fn existing() -> Self {
        Self { create: false, ..Self::default() }
    }

    /// The name of the stream, instead of `CAPGEN-REGISTRY`.
    #[must_use]
    pub fn stream(mut self, name: impl Into<String>) -> Self {
        self.stream = name.into();
        self
    }

    /// The beginning of the subjects, instead of `capgen.registry.events`. The partition is the token after it.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// The JetStream domain.
    #[must_use]
    pub fn domain(mut self, domain: impl Into<String>) -> Self {
        self.domain = Some(domain.into());
        self
    }

    /// The number of servers of a cluster that store each event; 1 by default.
    #[must_use]
    pub fn replicas(mut self, replicas: usize) -> Self {
        self.replicas = replicas.max(1);
        self
    }

    /// How long the stream remembers message ids, by which it drops an event that is sent again; 2 minutes by default. The expected
    /// sequence of each message prevents duplicates for longer than that.
    #[must_use]
    pub fn duplicate_window(mut self, window: Duration) -> Self {
        self.duplicate_window = window;
        self
    }

    /// How long an operation is tried again while the server does not answer, such as during its restart; 30 seconds by default. Each
    /// attempt is limited by [`NatsOptions::operation_timeout`](capgen_nats::NatsOptions::operation_timeout).
    #[must_use]
    pub fn patience(mut self, limit: Duration) -> Self {
        self.patience = limit;
        self
    }

    /// Checks the names, which become parts of subjects.
    pub(super) fn check(&self) -> Result<(), Problem> {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if self.stream.is_empty() || self.stream.len() > 200 || !self.stream.bytes().all(is_name) {
            let reason =
                "the name of the stream has other characters than letters, digits, `-` and `_`, or more than 200";
            return Err(Problem::Lasting(reason.to_owned()));
        }
        capgen_nats::check_subject(&self.prefix).map_err(|error| Problem::Lasting(error.to_string()))
    }

    /// The stream to create: it removes nothing, and refuses requests to delete messages.
    pub(super) fn config(&self) -> Config {
        Config {
            name: self.stream.clone(),
            description: Some("Events of a capability registry".to_owned()),
            subjects: vec![format!("{}.*", self.prefix)],
            storage: StorageType::File,
            retention: RetentionPolicy::Limits,
            discard: DiscardPolicy::New,
            duplicate_window: self.duplicate_window,
            max_messages: -1,
            max_messages_per_subject: -1,
            max_bytes: -1,
            num_replicas: self.replicas,
            deny_delete: true,
            deny_purge: true,
            ..Config::default()
        }
    }

    /// Checks that a stream stores the subjects of the log, and never removes a message.
    pub(super) fn check_stream(&self, config: &Config) -> Result<(), Problem> {
        let lasting = |reason: String| Err(Problem::Lasting(reason));
        let subjects = [format!("{}.*", self.prefix), format!("{}.>", self.prefix)];
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

impl Default for JetStreamLogOptions {
    fn default() -> Self {
        Self {
            stream: "CAPGEN-REGISTRY".to_owned(),
            prefix: "capgen.registry.events".to_owned(),
            create: true,
            domain: None,
            replicas: 1,
            duplicate_window: Duration::from_secs(120),
            patience: Duration::from_secs(30),
        }
    }
}
