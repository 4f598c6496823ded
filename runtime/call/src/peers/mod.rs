//! The table of peers: how to reach each agent, and the contracts of its capabilities.

#[cfg(feature = "files")]
mod files;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use capgen_manifest::{AgentId, Capability, Manifest, TransportSettings};
use capgen_payload::Validator;
use capgen_schema::Schema;

#[cfg(feature = "files")]
pub use files::PeerFileError;

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
        let capabilities =
            manifest.capabilities.iter().map(|capability| (capability.name.clone(), PeerCapability::new(capability)));
        let capabilities = Some(capabilities.collect());
        let agent = manifest.agent.as_str();
        let (routes, has_own_routes) = match self.peers.get(agent) {
            Some(peer) if peer.has_own_routes => (peer.routes.clone(), true),
            _ => (routes(&manifest.transports), false),
        };
        self.peers.insert(agent.to_owned(), Arc::new(Peer { routes, has_own_routes, capabilities }));
        self
    }

    /// Sets the transports of an agent, such as those that a caller uses instead of the ones in the agent's manifest.
    /// The capabilities are kept; if there are none, only typed calls can be made.
    #[must_use]
    pub fn with_transports(mut self, agent: &AgentId, transports: Vec<TransportSettings>) -> Self {
        let capabilities = self.peers.get(agent.as_str()).and_then(|peer| peer.capabilities.clone());
        let peer = Peer { routes: routes(&transports), has_own_routes: true, capabilities };
        self.peers.insert(agent.as_str().to_owned(), Arc::new(peer));
        self
    }

    /// Whether the table contains an agent, given its id without `agent://`.
    #[must_use]
    pub fn has(&self, agent: &str) -> bool {
        self.peers.contains_key(agent)
    }

    pub(crate) fn get(&self, agent: &str) -> Option<&Arc<Peer>> {
        self.peers.get(agent)
    }

    /// The ids of all agents, for messages.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.peers.keys().map(String::as_str)
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
            source: capability.clone(),
        }
    }
}

fn routes(transports: &[TransportSettings]) -> Vec<Route> {
    let route = |transport: &TransportSettings| {
        let channels = ["topics", "subjects", "queues"].iter().find_map(|key| transport.settings.get(key));
        let address = channels.and_then(|channels| channels.get("requests")).and_then(|address| address.as_str());
        Some(Route { kind: transport.kind.clone(), address: address?.to_owned() })
    };
    transports.iter().filter_map(route).collect()
}
