//! Building clients.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use capgen_time::{Clock, SystemClock};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use super::pending::Pending;
use super::{Client, Retry};
use crate::audit::Audit;
use crate::envelope::Keys;
use crate::journal::Journal;
use crate::peers::PeerTable;
use crate::transport::{SubscribeOptions, Transport, TransportError};

/// Builds a [`Client`]. Created by [`Client::builder`].
///
/// ```
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use capgen_call::{Client, MemoryBroker, PeerTable};
/// use capgen_manifest::{AgentId, TransportSettings};
/// use std::sync::Arc;
///
/// let broker = MemoryBroker::new();
/// let reviewer = AgentId::new("reviewer").ok_or("an id")?;
/// let peers = PeerTable::new().with_transports(&reviewer, vec![TransportSettings::memory("reviews")]);
/// let client = Client::builder("concierge").transport(Arc::new(broker.connect())).peers(peers).build().await?;
/// # Ok(())
/// # }
/// ```
#[must_use]
pub struct ClientBuilder {
    agent: String,
    transports: Vec<Arc<dyn Transport>>,
    peers: PeerTable,
    audit: Option<Arc<dyn Audit>>,
    records_calls: bool,
    keys: Option<Keys>,
    tenant: Option<String>,
    timeout: Option<Duration>,
    max_in_flight: usize,
    retry: Retry,
    clock: Arc<dyn Clock>,
}

/// Why a client or a server could not be built.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// The id of the agent is invalid.
    InvalidAgent(String),
    /// There are two transports of one kind.
    DuplicateTransport(&'static str),
    /// A server without a transport.
    NoTransport,
    /// A transport failed.
    Transport(TransportError),
}

/// The shared part of all clones of a client.
pub(crate) struct Inner {
    pub(super) agent: String,
    pub(super) links: Vec<Link>,
    pub(super) peers: PeerTable,
    pub(super) journal: Journal,
    pub(super) keys: Option<Keys>,
    pub(super) tenant: Option<Arc<str>>,
    pub(super) timeout: Option<Duration>,
    pub(super) limit: Arc<Semaphore>,
    pub(super) retry: Retry,
    pub(super) runtime: Handle,
}

/// A transport, with the address for responses.
pub(super) struct Link {
    pub(super) transport: Arc<dyn Transport>,
    pub(super) inbox: String,
    pub(super) pending: Arc<Pending>,
    dispatcher: JoinHandle<()>,
}

impl ClientBuilder {
    pub(super) fn new(agent: String) -> Self {
        Self {
            agent,
            transports: Vec::new(),
            peers: PeerTable::new(),
            audit: None,
            records_calls: false,
            keys: None,
            tenant: None,
            timeout: None,
            max_in_flight: 1024,
            retry: Retry::default(),
            clock: Arc::new(SystemClock),
        }
    }

    /// Adds a transport. A call uses the first transport in the manifest of the peer for which the client has one of the same kind.
    pub fn transport(mut self, transport: Arc<dyn Transport>) -> Self {
        self.transports.push(transport);
        self
    }

    /// The agents that can be called.
    pub fn peers(self, peers: PeerTable) -> Self {
        Self { peers, ..self }
    }

    /// The store of violations. Without one, they are only returned.
    pub fn audit(self, audit: Arc<dyn Audit>) -> Self {
        Self { audit: Some(audit), ..self }
    }

    /// Records every call in the audit, and not only violations.
    pub fn audit_calls(self, records_calls: bool) -> Self {
        Self { records_calls, ..self }
    }

    /// Signs requests, and accepts only signed responses.
    pub fn keys(self, keys: Keys) -> Self {
        Self { keys: Some(keys), ..self }
    }

    /// The tenant of calls without one of their own.
    pub fn tenant(self, tenant: impl Into<String>) -> Self {
        Self { tenant: Some(tenant.into()), ..self }
    }

    /// The timeout of calls whose options and whose capability give none, instead of 30 s.
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout: Some(timeout), ..self }
    }

    /// The number of calls that may wait for a response at the same time; further ones end with `EAGENTRPC_BUSY` at once. The default
    /// is 1,024.
    pub fn max_in_flight(self, calls: usize) -> Self {
        Self { max_in_flight: calls.min(Semaphore::MAX_PERMITS), ..self }
    }

    /// Repeats failed calls of capabilities that are declared `idempotent`. The default is not to.
    pub fn retry(self, retry: Retry) -> Self {
        Self { retry, ..self }
    }

    /// The clock for deadlines in envelopes and for records.
    pub fn clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }

    /// Subscribes to the responses. Must be called within a tokio runtime.
    ///
    /// # Errors
    ///
    /// The id of the agent is invalid, two transports have one kind, or a transport fails.
    pub async fn build(self) -> Result<Client, BuildError> {
        if capgen_manifest::AgentId::new(&self.agent).is_none() {
            return Err(BuildError::InvalidAgent(self.agent));
        }
        let mut links: Vec<Link> = Vec::new();
        for transport in self.transports {
            let kind = transport.kind();
            if links.iter().any(|link| link.transport.kind() == kind) {
                return Err(BuildError::DuplicateTransport(kind));
            }
            let inbox = transport.new_inbox();
            // Each call that waits gets at most a few messages.
            let capacity = self.max_in_flight.saturating_mul(4).clamp(1024, 1 << 20);
            let options = SubscribeOptions { capacity, ..SubscribeOptions::default() };
            let replies = transport.subscribe(&format!("{inbox}.*"), options).await.map_err(BuildError::Transport)?;
            let pending = Arc::new(Pending::new(self.agent.clone(), self.keys.clone()));
            let dispatcher = tokio::spawn(Arc::clone(&pending).dispatch(replies));
            links.push(Link { transport, inbox, pending, dispatcher });
        }
        let inner = Inner {
            agent: self.agent,
            links,
            peers: self.peers,
            journal: Journal::new(self.audit, self.records_calls, self.clock),
            keys: self.keys,
            tenant: self.tenant.map(Arc::from),
            timeout: self.timeout,
            limit: Arc::new(Semaphore::new(self.max_in_flight)),
            retry: self.retry,
            runtime: Handle::current(),
        };
        Ok(Client { inner: Arc::new(inner) })
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.dispatcher.abort();
        self.pending.close();
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidAgent(id) => write!(f, "invalid agent {id:?}: {}", capgen_manifest::AgentId::RULE),
            Self::DuplicateTransport(kind) => write!(f, "two transports have the kind `{kind}`"),
            Self::NoTransport => f.write_str("a server needs a transport: add one"),
            Self::Transport(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BuildError {}
