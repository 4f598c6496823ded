//! The options of a connection.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::jetstream::JetStreamOptions;
use crate::transport::NatsEvent;

/// How to connect to NATS.
///
/// ```no_run
/// use capgen_nats::{NatsOptions, NatsTransport};
///
/// # async fn connect() -> Result<(), capgen_call::TransportError> {
/// let options = NatsOptions::new(["nats://127.0.0.1:4222"]).name("pr-reviewer").token("secret");
/// let transport = NatsTransport::connect(options).await?;
/// # Ok(())
/// # }
/// ```
///
/// Credentials never appear in the `Debug` text or in errors.
#[derive(Clone)]
pub struct NatsOptions {
    pub(crate) servers: Vec<String>,
    pub(crate) name: Option<String>,
    pub(crate) auth: Auth,
    pub(crate) require_tls: bool,
    pub(crate) tls_first: bool,
    pub(crate) ca_file: Option<PathBuf>,
    pub(crate) client_certificate: Option<(PathBuf, PathBuf)>,
    pub(crate) inbox_prefix: String,
    pub(crate) connect_timeout: Duration,
    pub(crate) wait_for_server: Duration,
    pub(crate) operation_timeout: Duration,
    pub(crate) ping_interval: Duration,
    pub(crate) max_reconnect_delay: Duration,
    pub(crate) capacity: usize,
    pub(crate) jetstream: Option<JetStreamOptions>,
    pub(crate) on_event: Option<Handler>,
}

/// A function that is called with each event of a connection.
pub(crate) type Handler = Arc<dyn Fn(&NatsEvent) + Send + Sync>;

/// The proof of identity. Its `Debug` text names the kind only.
#[derive(Clone)]
pub(crate) enum Auth {
    None,
    Token(String),
    Password { user: String, password: String },
    NKey(String),
    Credentials(String),
    CredentialsFile(PathBuf),
}

impl NatsOptions {
    /// The addresses of the servers of a cluster, such as `nats://host:4222` or `tls://host`. The first one that
    /// answers is used.
    ///
    /// A user and a password, or a token, may be part of an address: `nats://user:password@host`.
    #[must_use]
    pub fn new(servers: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            servers: servers.into_iter().map(Into::into).collect(),
            name: None,
            auth: Auth::None,
            require_tls: false,
            tls_first: false,
            ca_file: None,
            client_certificate: None,
            inbox_prefix: "_INBOX".to_owned(),
            connect_timeout: Duration::from_secs(5),
            wait_for_server: Duration::ZERO,
            operation_timeout: Duration::from_secs(5),
            ping_interval: Duration::from_secs(20),
            max_reconnect_delay: Duration::from_secs(2),
            capacity: 8192,
            jetstream: None,
            on_event: None,
        }
    }

    /// The name of the connection, which the server's monitoring shows.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Authenticates with a user and a password.
    #[must_use]
    pub fn user_and_password(mut self, user: impl Into<String>, password: impl Into<String>) -> Self {
        self.auth = Auth::Password { user: user.into(), password: password.into() };
        self
    }

    /// Authenticates with a token.
    #[must_use]
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.auth = Auth::Token(token.into());
        self
    }

    /// Authenticates with an NKey; `seed` is the private key, which begins with `SU`.
    #[must_use]
    pub fn nkey(mut self, seed: impl Into<String>) -> Self {
        self.auth = Auth::NKey(seed.into());
        self
    }

    /// Authenticates with the content of a credentials file: a JWT and the seed of an NKey.
    #[must_use]
    pub fn credentials(mut self, content: impl Into<String>) -> Self {
        self.auth = Auth::Credentials(content.into());
        self
    }

    /// Authenticates with a credentials file, which is read once, when connecting.
    #[must_use]
    pub fn credentials_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.auth = Auth::CredentialsFile(path.into());
        self
    }

    /// Refuses connections without TLS. Off by default: TLS is used if the server requires it or the address begins
    /// with `tls://`.
    #[must_use]
    pub fn require_tls(mut self, required: bool) -> Self {
        self.require_tls = required;
        self
    }

    /// Begins the TLS handshake before the server's greeting, as `handshake_first` of the server requires.
    #[must_use]
    pub fn tls_first(mut self) -> Self {
        self.tls_first = true;
        self.require_tls = true;
        self
    }

    /// A PEM file with the certificates of the authorities to trust, instead of those of the system.
    #[must_use]
    pub fn ca_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.ca_file = Some(path.into());
        self
    }

    /// PEM files with the certificate and the private key of this client.
    #[must_use]
    pub fn client_certificate(mut self, certificate: impl Into<PathBuf>, key: impl Into<PathBuf>) -> Self {
        self.client_certificate = Some((certificate.into(), key.into()));
        self
    }

    /// The first token of reply addresses instead of `_INBOX`, for users that may not subscribe to `_INBOX.>`.
    #[must_use]
    pub fn inbox_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.inbox_prefix = prefix.into();
        self
    }

    /// The limit for one attempt to connect; 5 seconds by default.
    #[must_use]
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// How long [`NatsTransport::connect`](crate::NatsTransport::connect) tries again if no server answers. By default,
    /// it fails at once.
    #[must_use]
    pub fn wait_for_server(mut self, limit: Duration) -> Self {
        self.wait_for_server = limit;
        self
    }

    /// The time for which a first connection is tried.
    pub fn get_wait_for_server(&self) -> Duration {
        self.wait_for_server
    }

    /// The limit for an operation that the server confirms: subscribing, publishing with at-least-once delivery,
    /// acknowledging; also for publishing if the buffer of outgoing messages is full. 5 seconds by default.
    #[must_use]
    pub fn operation_timeout(mut self, timeout: Duration) -> Self {
        self.operation_timeout = timeout;
        self
    }

    /// The longest time of an operation of the network.
    pub fn get_operation_timeout(&self) -> Duration {
        self.operation_timeout
    }

    /// How often the connection is checked; 20 seconds by default. Two missing answers count as a disconnection.
    #[must_use]
    pub fn ping_interval(mut self, interval: Duration) -> Self {
        self.ping_interval = interval;
        self
    }

    /// The longest pause between attempts to connect again; 2 seconds by default. Pauses double from 10 milliseconds,
    /// and vary randomly.
    #[must_use]
    pub fn max_reconnect_delay(mut self, delay: Duration) -> Self {
        self.max_reconnect_delay = delay;
        self
    }

    /// The number of messages that may wait in each subscription that chooses no other number; 8192 by default.
    /// Together they may have this number times the server's largest message (1 MiB by default) of bytes.
    #[must_use]
    pub fn capacity(mut self, capacity: usize) -> Self {
        self.capacity = capacity.max(1);
        self
    }

    /// Enables at-least-once delivery with JetStream.
    #[must_use]
    pub fn jetstream(mut self, options: JetStreamOptions) -> Self {
        self.jetstream = Some(options);
        self
    }

    /// Calls a function with each event of the connection, such as a lost connection. It must not block.
    #[must_use]
    pub fn on_event(mut self, handler: impl Fn(&NatsEvent) + Send + Sync + 'static) -> Self {
        self.on_event = Some(Arc::new(handler));
        self
    }
}

impl fmt::Debug for NatsOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NatsOptions")
            .field(
                "servers",
                &self.servers.iter().map(|server| capgen_diagnostic::public_url(server)).collect::<Vec<_>>(),
            )
            .field("name", &self.name)
            .field("auth", &self.auth)
            .field("require_tls", &self.require_tls)
            .field("tls_first", &self.tls_first)
            .field("ca_file", &self.ca_file)
            .field("jetstream", &self.jetstream)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Token(_) => "token",
            Self::Password { .. } => "user and password",
            Self::NKey(_) => "nkey",
            Self::Credentials(_) | Self::CredentialsFile(_) => "credentials",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_text_contains_no_credentials() {
        let servers = ["nats://ann:s3cret@one:4222", "s3cret@two", "nats://a:s3cret@x@three", "tls://four"];
        let all = [
            NatsOptions::new(servers).user_and_password("ann", "s3cret"),
            NatsOptions::new(servers).token("s3cret"),
            NatsOptions::new(servers).nkey("s3cret"),
            NatsOptions::new(servers).credentials("s3cret"),
        ];
        for options in all {
            let text = format!("{options:?}");
            assert!(!text.contains("s3cret"), "{text}");
            assert!(text.contains("one:4222") && text.contains("tls://four"), "{text}");
        }
    }
}
