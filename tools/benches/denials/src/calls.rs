//! Calls over memory. Each agent has a key of its own.

use std::sync::Arc;

use capgen::call::{AgentKey, CapabilityContract, Client, Grants, Handlers, Keys, MemoryBroker, PeerTable, Server};
use serde_json::{Value, json};

use crate::{Agent, Probe};

pub(crate) struct Calls {
    _server: Server,
    client: Client,
}

/// The keys of an agent, and the public key of another one.
fn keys(agent: &str, other: &str) -> Keys {
    let key = |agent: &str| {
        let mut seed = [1; 32];
        seed.iter_mut().zip(agent.bytes()).for_each(|(to, from)| *to = from);
        AgentKey::from_seed(agent, "a1", &seed).expect("a key")
    };
    Keys::of_agent(key(agent)).and_agent(key(other).public_key()).expect("a key")
}

pub(crate) fn handlers(agent: &Agent) -> Handlers {
    let handlers = Handlers::new("trips");
    agent
        .manifest
        .capabilities
        .iter()
        .fold(handlers, |it, capability| it.with_json(capability, async |_, it: Value| Ok(it)))
}

impl Calls {
    pub(crate) async fn start(agent: &Agent) -> Self {
        let broker = MemoryBroker::new();
        let grants = Grants::new().agent("caller", &["other"], &[]);
        let server = Server::builder(handlers(agent)).listen(Arc::new(broker.connect()), "trips");
        let server = server.keys(keys("trips", "caller")).grants(grants).start().await.expect("a server");
        // The caller has an own contract for both.
        let mut manifest = agent.manifest.clone();
        manifest.capabilities = agent.names.iter().map(|name| CapabilityContract::new(*name)).collect();
        let client = Client::builder("caller").transport(Arc::new(broker.connect()));
        let client = client.peers(PeerTable::new().with_manifest(&manifest)).keys(keys("caller", "trips"));
        Self { _server: server, client: client.build().await.expect("a client") }
    }
}

impl Probe for Calls {
    async fn call(&mut self, name: &str) {
        let result = self.client.call_json("trips", name, &json!({"city": "Oslo"})).await;
        assert!(result.error.is_some_and(|error| error.code == "EAGENTRPC_FORBIDDEN"));
    }
}
