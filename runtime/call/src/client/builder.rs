//! Building clients.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use capgen_descriptor::Skew;
use capgen_time::{Clock, SystemClock};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use super::known::Known;
#[cfg(feature = "tower")]
use super::outgoing::{CallResponse, CallService, ClientLayers, OutgoingCall, with_layer};
use super::pending::Pending;
use super::{Client, Retry};
use crate::audit::{Audit, AuditWriter};
use crate::build_error::{BuildError, check_key};
use crate::declared_errors::TypedErrors;
use crate::envelope::Keys;
use crate::journal::Journal;
#[cfg(feature = "otel")]
use crate::otel::Instruments;
use crate::peers::PeerTable;
use crate::settings::Settings;
use crate::transport::{IntoTransport, SubscribeOptions, Transport};

/// Builds a [`Client`]. Created by [`Client::builder`].
///
/// ```
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use capgen_call::{Client, MemoryBroker, PeerTable};
/// use capgen_manifest::TransportSettings;
///
/// let broker = MemoryBroker::new();
/// let peers = PeerTable::new().with_transports(&"reviewer".parse()?, vec![TransportSettings::memory("reviews")]);
/// let client = Client::builder("concierge").transport(broker.connect()).peers(peers).build().await?;
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
    skew: Option<Skew>,
    settings: Settings,
    tries_other_instances: bool,
    clock: Arc<dyn Clock>,
    #[cfg(feature = "tower")]
    layers: Option<ClientLayers>,
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
    /// The policy that is asked for.
    pub(super) skew: Skew,
    pub(super) tries_other_instances: bool,
    /// The facts about peers that were called, by their ids, if there are retries.
    known: Mutex<HashMap<String, Arc<Known>>>,
    pub(super) typed_errors: TypedErrors,
    #[cfg(feature = "otel")]
    pub(super) instruments: Instruments,
    #[cfg(feature = "tower")]
    pub(super) layers: Option<ClientLayers>,
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
            // As many as a provider lets wait by default.
            max_in_flight: 1024,
            retry: Retry::default(),
            skew: None,
            settings: Settings::default(),
            tries_other_instances: true,
            clock: Arc::new(SystemClock),
            #[cfg(feature = "tower")]
            layers: None,
        }
    }

    /// Adds a layer around all calls of the client that wait for a response, each with all its attempts; also around
    /// those of generated clients. A later one is outside of those before; `tower::ServiceBuilder` is a layer, and puts
    /// the first one outside. The service that it makes is cloned for each call.
    ///
    /// A violation of the response is an error inside of the layers. An error of another type than [`CallError`] ends
    /// the call with `EAGENTRPC_ABANDONED`.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use capgen_call::Client;
    /// use tower::ServiceBuilder;
    ///
    /// let layers = ServiceBuilder::new().concurrency_limit(64).timeout(Duration::from_secs(10));
    /// let client = Client::builder("concierge").layer(layers);
    /// ```
    #[cfg(feature = "tower")]
    pub fn layer<L>(self, layer: L) -> Self
    where
        L: tower_layer::Layer<CallService>,
        L::Service: tower_service::Service<OutgoingCall, Response = CallResponse> + Clone + Send + 'static,
        <L::Service as tower_service::Service<OutgoingCall>>::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        <L::Service as tower_service::Service<OutgoingCall>>::Future: Send,
    {
        let layers = with_layer(self.layers, &layer);
        Self { layers: Some(layers), ..self }
    }

    /// Adds a transport. A call uses the first transport in the manifest of the peer for which the client has one of
    /// the same kind.
    ///
    /// A transport that the program uses elsewhere too is given as a clone or in an [`Arc`].
    pub fn transport(mut self, transport: impl IntoTransport) -> Self {
        self.transports.push(transport.into_transport());
        self
    }

    /// The agents that can be called. If their fleet has the key `calls`, its policy is that of this client, unless the
    /// builder or the environment set another one.
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

    /// The number of calls that may wait for a response at the same time; further ones end with `EAGENTRPC_BUSY` at
    /// once. The default is 1,024.
    pub fn max_in_flight(self, calls: usize) -> Self {
        Self { max_in_flight: calls.min(Semaphore::MAX_PERMITS), ..self }
    }

    /// Repeats requests that are lost, within the deadlines of their calls. The default is not to.
    pub fn retry(self, retry: Retry) -> Self {
        Self { retry, ..self }
    }

    /// Asks providers with another contract to refuse calls in advance, if their own policy is weaker. The default is
    /// [`Skew::Serve`]: they run if their requests are valid.
    pub fn skew(self, policy: Skew) -> Self {
        Self { skew: Some(policy), ..self }
    }

    /// The settings of the environment, for those that this builder does not set itself.
    ///
    /// ```no_run
    /// use capgen_call::{Client, Settings};
    /// let client = Client::builder("concierge").settings(&Settings::from_env()?);
    /// # Ok::<(), capgen_call::InvalidSettings>(())
    /// ```
    pub fn settings(self, settings: &Settings) -> Self {
        Self { settings: *settings, ..self }
    }

    /// Whether a request that an instance of a peer refuses because of its contract (`EVERSION_SKEW`, without an
    /// effect) is sent to other instances: to one that serves the caller's contract, then at most four times to any.
    /// The default is `true`. All attempts are within the deadline and the budget of [`Retry`].
    ///
    /// For capabilities whose calls can be repeated, an invalid response of a provider with another contract is
    /// replaced by that of an instance with the caller's contract, if there is one.
    pub fn try_other_instances(self, tries: bool) -> Self {
        Self { tries_other_instances: tries, ..self }
    }

    /// The clock for deadlines in envelopes, for the ends of keys and for records.
    pub fn clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }

    /// Subscribes to the responses. Must be called within a tokio runtime.
    ///
    /// # Errors
    ///
    /// The id of the agent is invalid, the key that signs belongs to another agent, two transports have one kind, parts
    /// of the [`Retry`] exclude each other, or a transport fails.
    pub async fn build(self) -> Result<Client, BuildError> {
        if capgen_manifest::AgentId::new(&self.agent).is_none() {
            return Err(BuildError::InvalidAgent(self.agent));
        }
        check_key(self.keys.as_ref(), &self.agent)?;
        self.retry.check().map_err(BuildError::InvalidRetry)?;
        let mut links: Vec<Link> = Vec::new();
        for transport in self.transports {
            let kind = transport.kind();
            if links.iter().any(|link| link.transport.kind() == kind) {
                return Err(BuildError::DuplicateTransport(kind));
            }
            let inbox = transport.new_inbox();
            // Each call that waits gets at most a few messages: a response for each of its attempts. There is always
            // room for a burst, and a limit for the memory of responses that are not read yet.
            let capacity = self.max_in_flight.saturating_mul(4).clamp(1024, 1 << 20);
            let options = SubscribeOptions { capacity, ..SubscribeOptions::default() };
            let replies = transport.subscribe(&format!("{inbox}.*"), options).await.map_err(BuildError::Transport)?;
            let pending = Arc::new(Pending::new(self.agent.clone(), self.keys.clone(), Arc::clone(&self.clock)));
            let dispatcher = tokio::spawn(Arc::clone(&pending).dispatch(replies));
            links.push(Link { transport, inbox, pending, dispatcher });
        }
        let fleet_skew = self.peers.settings().skew;
        let inner = Inner {
            agent: self.agent,
            links,
            peers: self.peers,
            journal: Journal::new(AuditWriter::Caller)
                .with_audit(self.audit)
                .with_calls(self.records_calls)
                .with_clock(self.clock),
            keys: self.keys,
            tenant: self.tenant.map(Arc::from),
            timeout: self.timeout,
            limit: Arc::new(Semaphore::new(self.max_in_flight)),
            retry: self.retry,
            skew: self.skew.or(self.settings.skew).or(fleet_skew).unwrap_or_default(),
            tries_other_instances: self.tries_other_instances,
            known: Mutex::default(),
            typed_errors: TypedErrors::default(),
            #[cfg(feature = "otel")]
            instruments: Instruments::of_client(),
            #[cfg(feature = "tower")]
            layers: self.layers,
            runtime: Handle::current(),
        };
        Ok(Client { inner: Arc::new(inner) })
    }
}

impl Inner {
    /// The facts about a peer of the table.
    pub(super) fn known(&self, peer: &str) -> Arc<Known> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(peer) {
            return Arc::clone(known);
        }
        Arc::clone(known.entry(peer.to_owned()).or_default())
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.dispatcher.abort();
        self.pending.close();
    }
}
