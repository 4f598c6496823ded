//! The table of peers: how to reach each agent, and the contracts of its capabilities.

mod embedded;
#[cfg(feature = "files")]
mod files;
mod fleet;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use capgen_manifest::{AgentId, Capability, DeclaredError, Manifest, TransportSettings, plain_capabilities};
use capgen_payload::Validator;
use capgen_schema::Schema;

#[cfg(feature = "ed25519")]
use crate::envelope::{InvalidKey, Keys, PublicKey};

pub use embedded::{EmbeddedFleet, InvalidFleet};
#[cfg(feature = "files")]
pub use files::PeerFileError;
pub use fleet::AcceptedFindings;

pub(crate) use fleet::{FleetGrant, FleetSettings};

use crate::declared_errors::DeclaredErrors;

/// The agents that a client can call.
///
/// ```
/// use capgen_call::PeerTable;
/// use capgen_manifest::{AgentId, TransportSettings};
/// let reviewer: AgentId = "reviewer".parse()?;
/// let peers = PeerTable::new().with_transports(&reviewer, vec![TransportSettings::memory("agents.reviewer.requests")]);
/// assert!(peers.has("reviewer") && !peers.has("payments"));
/// # Ok::<(), capgen_manifest::InvalidAgentId>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PeerTable {
    peers: BTreeMap<String, Arc<Peer>>,
    /// The settings of calls of the fleets, the last one that has each.
    settings: FleetSettings,
}

/// An agent that can be called.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    /// The ways to reach it, in the order of its manifest.
    pub(crate) routes: Vec<Route>,
    /// Whether the caller gave the ways, instead of the manifest.
    has_own_routes: bool,
    /// Its capabilities; `None` if only its transports are known.
    pub(crate) capabilities: Option<BTreeMap<String, PeerCapability>>,
}

/// A way to reach an agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Route {
    /// The kind of the transport.
    pub(crate) kind: String,
    /// Where requests go to.
    pub(crate) address: String,
}

/// A capability of a peer.
#[derive(Clone, Debug)]
pub(crate) struct PeerCapability {
    pub(crate) source: Capability,
    pub(crate) hash: String,
    pub(crate) timeout: Option<Duration>,
    /// `None` if the side is loose: then nothing is validated.
    pub(crate) request: Option<Validator>,
    pub(crate) response: Option<Validator>,
    pub(crate) errors: Arc<DeclaredErrors>,
}

impl PeerTable {
    /// A table without peers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the agent of a manifest, with its transports and capabilities. It replaces an earlier entry, but keeps
    /// transports that [`with_transports`](Self::with_transports) gave.
    #[must_use]
    pub fn with_manifest(mut self, manifest: &Manifest) -> Self {
        self.add_agent(manifest.agent.as_str(), routes(&manifest.transports), &manifest.capabilities);
        self
    }

    /// Sets the transports of an agent, such as those that a caller uses instead of the ones in the agent's manifest.
    /// The capabilities are kept; if there are none, only typed calls can be made.
    #[must_use]
    pub fn with_transports(mut self, agent: &AgentId, transports: Vec<TransportSettings>) -> Self {
        self.set_routes(agent.as_str(), routes(&transports));
        self
    }

    fn add_agent(&mut self, agent: &str, routes: Vec<Route>, capabilities: &[Capability]) {
        // A call by name is one of the plain version; generated code has the contracts of all versions.
        let plain = plain_capabilities(capabilities);
        let capabilities =
            Some(plain.map(|capability| (capability.name.clone(), PeerCapability::new(capability))).collect());
        let (routes, has_own_routes) = match self.peers.get(agent) {
            Some(peer) if peer.has_own_routes => (peer.routes.clone(), true),
            _ => (routes, false),
        };
        self.peers.insert(agent.to_owned(), Arc::new(Peer { routes, has_own_routes, capabilities }));
    }

    fn set_routes(&mut self, agent: &str, routes: Vec<Route>) {
        let capabilities = self.peers.get(agent).and_then(|peer| peer.capabilities.clone());
        self.peers.insert(agent.to_owned(), Arc::new(Peer { routes, has_own_routes: true, capabilities }));
    }

    /// Whether the table contains an agent, given its id without `agent://`.
    #[must_use]
    pub fn has(&self, agent: &str) -> bool {
        self.peers.contains_key(agent)
    }

    /// The settings of calls that the fleets give.
    pub(crate) fn settings(&self) -> &FleetSettings {
        &self.settings
    }

    pub(crate) fn get(&self, agent: &str) -> Option<&Arc<Peer>> {
        self.peers.get(agent)
    }

    /// The ids of all agents, for messages.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.peers.keys().map(String::as_str)
    }
}

/// Keys of agents.
#[cfg(feature = "ed25519")]
#[cfg_attr(docsrs, doc(cfg(feature = "ed25519")))]
impl Keys {
    /// These keys and the public keys of agents of the fleets of a table: the key `keys` of `fleet.yaml`. Those that
    /// have expired prove nothing.
    ///
    /// # Errors
    ///
    /// The bytes of a key are not a public key of Ed25519, or two fleets have different keys of an agent with one id.
    pub fn and_fleet(self, peers: &PeerTable) -> Result<Self, InvalidKey> {
        peers.settings.keys.iter().try_fold(self, |keys, (agent, id, key, not_after)| {
            let key = PublicKey::from_base64url(agent, id, key)?;
            keys.and_agent(if let Some(end) = not_after { key.not_after(*end) } else { key })
        })
    }
}

impl PeerCapability {
    fn new(capability: &Capability) -> Self {
        let validator = |schema: &Option<Schema>| schema.as_ref().map(Validator::new);
        Self {
            hash: capability.hash().to_string(),
            timeout: capability.timeout_ms.map(Duration::from_millis),
            request: validator(&capability.input),
            response: validator(&capability.output),
            errors: Arc::new(DeclaredErrors::of(capability.errors.iter().map(DeclaredError::to_descriptor))),
            source: capability.clone(),
        }
    }
}

fn routes(transports: &[TransportSettings]) -> Vec<Route> {
    let route = |transport: &TransportSettings| {
        Some(Route { kind: transport.kind.clone(), address: transport.requests()?.to_owned() })
    };
    transports.iter().filter_map(route).collect()
}
