//! The stream of JetStream that options describe.

use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::context::{Context, ContextBuilder};
use async_nats::jetstream::stream::{Config, DiscardPolicy, StorageType};

/// How long a stream remembers message ids by default. It is the default of NATS too, and longer than a client repeats
/// a message after a lost connection.
const DUPLICATE_WINDOW: Duration = Duration::from_secs(120);

/// The parts of a stream that every user of one may choose: at-least-once delivery
/// ([`JetStreamOptions`](crate::JetStreamOptions)), and the logs of other crates.
/// [`stream_options!`](crate::stream_options) gives options that have them the methods to set them.
///
/// ```
/// use capgen_nats::StreamOptions;
/// let stream = StreamOptions::new("EVENTS", "acme.events");
/// assert_eq!(stream.subject("a"), "acme.events.a");
/// assert_eq!(stream.rest_of("acme.events.a.b"), Some("a.b"));
/// assert_eq!(stream.rest_of("acme.events2.a"), None);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct StreamOptions {
    /// The name of the stream.
    pub name: String,
    /// The beginning of the subjects of stored messages, without the dot after it.
    pub prefix: String,
    /// Whether the stream is created if it does not exist.
    pub create: bool,
    /// The JetStream domain of the stream, if it is not that of the server.
    pub domain: Option<String>,
    /// The number of servers of a cluster that store each message, at least 1.
    pub replicas: usize,
    /// How long the stream remembers message ids, to drop a message that is sent again.
    pub duplicate_window: Duration,
}

impl StreamOptions {
    /// A stream on one server, which is created if it does not exist, and remembers message ids for 2 minutes.
    pub fn new(name: impl Into<String>, prefix: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            prefix: prefix.into(),
            create: true,
            domain: None,
            replicas: 1,
            duplicate_window: DUPLICATE_WINDOW,
        }
    }

    /// The subject with these tokens after the prefix.
    #[must_use]
    pub fn subject(&self, rest: &str) -> String {
        format!("{}.{rest}", self.prefix)
    }

    /// The tokens of a subject after the prefix; `None` if it has another prefix.
    #[must_use]
    pub fn rest_of<'s>(&self, subject: &'s str) -> Option<&'s str> {
        subject.strip_prefix(self.prefix.as_str())?.strip_prefix('.')
    }

    /// Requests to the server of the stream, which fail after this time without an answer.
    #[must_use]
    pub fn context(&self, client: Client, timeout: Duration) -> Context {
        let builder = ContextBuilder::new().timeout(timeout).ack_timeout(timeout);
        match &self.domain {
            Some(domain) => builder.domain(domain.as_str()).build(client),
            None => builder.build(client),
        }
    }

    /// The stream to create, in files. `tokens` are those that subjects may have after the prefix, such as `*` or `>`.
    #[must_use]
    pub fn config(&self, tokens: &str) -> Config {
        Config {
            name: self.name.clone(),
            subjects: vec![self.subject(tokens)],
            storage: StorageType::File,
            // A full stream rejects new messages: their senders notice it, unlike the loss of messages that are already
            // acknowledged.
            discard: DiscardPolicy::New,
            duplicate_window: self.duplicate_window,
            num_replicas: self.replicas,
            ..Config::default()
        }
    }

    /// [`config`](Self::config) with limits of the age, unless it is zero, and of the size in bytes.
    pub(crate) fn config_within(&self, tokens: &str, max_age: Duration, max_bytes: Option<u64>) -> Config {
        let window = self.duplicate_window;
        Config {
            // The server rejects a longer window than the age.
            duplicate_window: if max_age.is_zero() { window } else { window.min(max_age) },
            max_age,
            max_bytes: max_bytes.and_then(|bytes| i64::try_from(bytes).ok()).unwrap_or(-1),
            ..self.config(tokens)
        }
    }
}

/// Implements the methods that set the [`StreamOptions`](crate::StreamOptions) of other options, which are their field
/// `stream`. The two texts are the default name and prefix.
#[macro_export]
macro_rules! stream_options {
    ($options:ident, name $name:literal, prefix $prefix:literal) => {
        impl $options {
            /// Uses only streams that exist.
            #[must_use]
            pub fn existing() -> Self {
                let mut options = Self::default();
                options.stream.create = false;
                options
            }

            #[doc = concat!("The name of the stream, instead of `", $name, "`.")]
            #[must_use]
            pub fn stream(mut self, name: impl Into<String>) -> Self {
                self.stream.name = name.into();
                self
            }

            #[doc = concat!("The beginning of the subjects of stored messages, instead of `", $prefix, "`.")]
            #[must_use]
            pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
                self.stream.prefix = prefix.into();
                self
            }

            /// The JetStream domain.
            #[must_use]
            pub fn domain(mut self, domain: impl Into<String>) -> Self {
                self.stream.domain = Some(domain.into());
                self
            }

            /// The number of servers of a cluster that store each message; 1 by default.
            #[must_use]
            pub fn replicas(mut self, replicas: usize) -> Self {
                self.stream.replicas = replicas.max(1);
                self
            }

            /// How long the stream remembers message ids, to drop a message that is sent again; 2 minutes by default.
            #[must_use]
            pub fn duplicate_window(mut self, window: ::core::time::Duration) -> Self {
                self.stream.duplicate_window = window;
                self
            }
        }
    };
}
