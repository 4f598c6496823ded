//! An agent that serves its handlers: all parts of a provider in one builder.

use std::fmt;
#[cfg(any(feature = "http", feature = "tcp"))]
use std::io;
use std::sync::Arc;
use std::time::Duration;

use capgen_call::{Grants, Handlers};
use capgen_manifest::Manifest;
#[cfg(any(feature = "http", feature = "tcp"))]
use {capgen_net::Server, std::net::SocketAddr, std::sync::Mutex, std::sync::PoisonError, tokio::net::ToSocketAddrs};

use super::handlers::HandlerExecutor;
#[cfg(any(feature = "http", feature = "tcp"))]
use super::net::ServerOptions;
use super::run::Runner;
use crate::bundle::{CreateError, Namespace, OpenBundle};
use crate::catalogue::{CapabilityContract, Catalogue, DuplicateVersion};
use crate::descriptor::Publication;
use crate::message::{Did, ResolveKey, SigningKey};
use crate::policy::Policy;
use crate::provider::{Provider, Settings, State, Store};

/// The longest time for sending answers that are ready. A network needs far less; a caller that does not read must not
/// keep the program.
#[cfg(any(feature = "http", feature = "tcp"))]
const SEND: Duration = Duration::from_secs(5);

/// Builds an [`Agent`]: a provider with its handlers.
///
/// The parts are also public on their own: the [`Provider`] with its [`State`] and its [`Catalogue`], the
/// [`HandlerExecutor`], the [`Runner`], and the servers of the carriers.
///
/// ```
/// # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
/// use capgen_amp::carrier::Agent;
/// use capgen_amp::message::{Keys, SigningKey};
/// use capgen_call::Handlers;
/// use capgen_manifest::{Source, load};
///
/// let text = "version: 1\nagent: agent://shop\ntransports: [{kind: memory, topics: {requests: shop}}]\n\
///             capabilities: [{name: echo, version: 1.0.0}]\n";
/// let manifest = load(&Source::new("capabilities.yaml", text)).map_err(|findings| format!("{findings:?}"))?.manifest;
/// let handlers = Handlers::new("shop").with_loose("echo", async |_, request| Ok(request));
///
/// let agent = Agent::builder("did:web:shop.example".parse()?, SigningKey::from_seed(&[7; 32]), Keys::default(), handlers)
///     .manifest(&manifest, &"org.example".parse()?)
///     .start()?;
/// # #[cfg(feature = "tcp")]
/// let address = agent.listen_tcp("127.0.0.1:0", Default::default()).await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "call `start`"]
pub struct AgentBuilder {
    did: Did,
    key: SigningKey,
    keys: Arc<dyn ResolveKey + Send + Sync>,
    executor: HandlerExecutor,
    contracts: Vec<CapabilityContract>,
    errors: Vec<CreateError>,
    policy: Policy,
    settings: Settings,
    store: Option<Box<dyn Store>>,
}

impl AgentBuilder {
    /// Publishes the capabilities of a manifest; the names of those without an `id` begin with the namespace. Can be
    /// called more than once, such as for other versions. [`start`](Self::start) reports a manifest that violates a
    /// rule.
    pub fn manifest(mut self, manifest: &Manifest, namespace: &Namespace) -> Self {
        match crate::bundle::contracts(&[manifest], namespace) {
            Ok(contracts) => self.contracts.extend(contracts),
            Err(errors) => self.errors.extend(errors),
        }
        if let Ok(publications) = Publication::of_manifest(manifest, namespace.as_str()) {
            self.executor = self.executor.with_publications(&publications);
        }
        self
    }

    /// Publishes the capabilities of a bundle. Can be called more than once.
    pub fn bundle(mut self, bundle: &OpenBundle) -> Self {
        self.contracts.extend(bundle.contracts().iter().cloned());
        self
    }

    /// Sets who may use which capabilities, and how versions are chosen. The default allows everything that the
    /// handlers allow.
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Adds roles and scopes of callers; see [`HandlerExecutor::grants`]. Handlers that require some do not start
    /// without.
    pub fn grants(self, grants: Grants) -> Self {
        self.executor(|executor| executor.grants(grants))
    }

    /// Allows every caller everything that the policy allows, whatever roles and scopes the handlers require.
    pub fn without_authorization(self) -> Self {
        self.executor(HandlerExecutor::without_authorization)
    }

    /// Changes the other settings of the handlers, such as their audit and log.
    ///
    /// ```no_run
    /// # fn example(builder: capgen_amp::carrier::AgentBuilder) -> capgen_amp::carrier::AgentBuilder {
    /// builder.executor(|executor| executor.audit_calls(true))
    /// # }
    /// ```
    pub fn executor(mut self, change: impl FnOnce(HandlerExecutor) -> HandlerExecutor) -> Self {
        self.executor = change(self.executor);
        self
    }

    /// Replaces the limits.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Keeps the ids and the results of invocations in a store, so that they outlive the process; see
    /// [`Runner::with_store`].
    pub fn store(mut self, store: impl Store + 'static) -> Self {
        self.store = Some(Box::new(store));
        self
    }

    /// Starts the agent. It serves nothing until it listens.
    ///
    /// # Errors
    ///
    /// A manifest violates a rule of AMP, nothing is published, two versions have equal precedence, the handlers cannot
    /// run with the policy, or the store cannot be read.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime.
    pub fn start(self) -> Result<Agent, StartError> {
        let Self { did, key, keys, executor, contracts, errors, policy, settings, store } = self;
        if !errors.is_empty() {
            return Err(StartError::Manifest(errors));
        }
        if contracts.is_empty() {
            return Err(StartError::NothingPublished);
        }
        let catalogue = Catalogue::new(contracts).map_err(StartError::Versions)?;
        let state = State::new(Arc::new(catalogue), settings.cache);
        let provider = Provider::new(did, key, keys, policy).with_settings(settings);
        let execute = Arc::new(executor);
        let runner = match store {
            Some(store) => Runner::with_store(provider, state, execute, store),
            None => Runner::new(provider, state, execute),
        };
        let runner = runner.map_err(StartError::Runner)?;
        Ok(Agent {
            runner,
            #[cfg(any(feature = "http", feature = "tcp"))]
            servers: Mutex::default(),
        })
    }
}

impl fmt::Debug for AgentBuilder {
    /// Leaves out the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentBuilder").field("did", &self.did).finish_non_exhaustive()
    }
}

/// An agent that runs. It ends when it is dropped, or in order by [`shutdown`](Self::shutdown).
#[derive(Debug)]
pub struct Agent {
    runner: Runner,
    #[cfg(any(feature = "http", feature = "tcp"))]
    servers: Mutex<Vec<Server>>,
}

impl Agent {
    /// Begins to build an agent: its identity with the key that signs its answers, the keys of callers, and its
    /// handlers.
    pub fn builder(
        did: Did,
        key: SigningKey,
        keys: impl ResolveKey + Send + Sync + 'static,
        handlers: Handlers,
    ) -> AgentBuilder {
        AgentBuilder {
            did,
            key,
            keys: Arc::new(keys),
            executor: HandlerExecutor::new(handlers),
            contracts: Vec::new(),
            errors: Vec::new(),
            policy: Policy::default(),
            settings: Settings::default(),
            store: None,
        }
    }

    /// The provider that runs, for a carrier of your own or [inside of the program](super::memory::MemoryPeer).
    #[must_use]
    pub const fn runner(&self) -> &Runner {
        &self.runner
    }

    /// Serves `amp://` on an address. Returns the address, in which a port of 0 is replaced.
    ///
    /// # Errors
    ///
    /// The address cannot be bound.
    #[cfg(feature = "tcp")]
    pub async fn listen_tcp(&self, address: impl ToSocketAddrs, options: ServerOptions) -> io::Result<SocketAddr> {
        let listener = tokio::net::TcpListener::bind(address).await?;
        let bound = listener.local_addr()?;
        self.keep(super::tcp::serve(listener, Arc::new(self.runner.clone()), options)?);
        Ok(bound)
    }

    /// Serves `http://` on an address. Returns the address, in which a port of 0 is replaced.
    ///
    /// # Errors
    ///
    /// The address cannot be bound.
    #[cfg(feature = "http")]
    pub async fn listen_http(&self, address: impl ToSocketAddrs, options: ServerOptions) -> io::Result<SocketAddr> {
        let listener = tokio::net::TcpListener::bind(address).await?;
        let bound = listener.local_addr()?;
        self.keep(super::http::serve(listener, Arc::new(self.runner.clone()), options)?);
        Ok(bound)
    }

    #[cfg(any(feature = "http", feature = "tcp"))]
    fn keep(&self, server: Server) {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner).push(server);
    }

    /// Starts no new work. Running invocations have the time `grace`; then the servers send the answers that are ready,
    /// for at most 5 s.
    pub async fn shutdown(self, grace: Duration) {
        self.runner.shutdown(grace).await;
        #[cfg(any(feature = "http", feature = "tcp"))]
        {
            let servers = self.servers.into_inner().unwrap_or_else(PoisonError::into_inner);
            let ends = servers.into_iter().map(|server| tokio::spawn(server.shutdown(SEND)));
            for end in ends.collect::<Vec<_>>() {
                // A server that panics has ended, too.
                let _ = end.await;
            }
        }
    }
}

/// The reason why an agent cannot start.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StartError {
    /// Manifests violate rules of AMP.
    Manifest(Vec<CreateError>),
    /// Neither a manifest nor a bundle was given.
    NothingPublished,
    /// Versions of a capability have equal precedence.
    Versions(Vec<DuplicateVersion>),
    /// The reason of [`Runner::new`] or [`Runner::with_store`].
    Runner(String),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Manifest(errors) => joined(f, errors),
            Self::NothingPublished => {
                f.write_str("the agent publishes nothing: call `manifest` or `bundle` before `start`")
            }
            Self::Versions(duplicates) => joined(f, duplicates),
            Self::Runner(reason) => f.write_str(reason),
        }
    }
}

fn joined(f: &mut fmt::Formatter<'_>, errors: &[impl fmt::Display]) -> fmt::Result {
    for (index, error) in errors.iter().enumerate() {
        write!(f, "{}{error}", if index > 0 { "; " } else { "" })?;
    }
    Ok(())
}

impl std::error::Error for StartError {}
