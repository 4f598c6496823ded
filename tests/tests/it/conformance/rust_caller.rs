//! A client in Rust, over any transport.

use std::sync::Arc;
use std::time::Duration;

use capgen::call::{
    AgentKey, CallMode, CallOptions, CallResult, Client, ClientBuilder, Keys, PeerTable, PublicKey, Retry, Transport,
    TransportSettings,
};
use serde_json::Value;
use tokio::task::JoinHandle;

use super::caller::{Call, Caller, CallerCase, Policy, Sent};
use super::case::{OWN_SEED, manifest};
use super::wire::{ADDRESS, Wire};

pub(super) struct RustCaller {
    client: Client,
    wire: Wire,
    call: Option<JoinHandle<CallResult>>,
}

/// The policy of a case.
fn retry(policy: &Policy) -> Retry {
    let duration = Duration::from_millis;
    let mut retry = Retry::attempts(policy.attempts);
    if let Some(first) = policy.first_pause_ms {
        retry = retry.backoff(duration(first), Duration::from_secs(2));
    }
    if let Some(timeout) = policy.attempt_timeout_ms {
        retry = retry.attempt_timeout(duration(timeout));
    }
    if let Some(after) = policy.hedge_after_ms {
        retry = retry.hedge(duration(after));
    }
    policy.heartbeat_ms.map_or(retry, |interval| retry.heartbeat(duration(interval)))
}

/// The keys of the caller, if it has any.
fn keys(case: &CallerCase) -> Option<Keys> {
    let agents = &case.caller.agents;
    let own = || Keys::of_agent(AgentKey::from_seed("caller", "own", &OWN_SEED).unwrap());
    let add = |keys: Keys, (agent, key): (&String, &String)| {
        keys.and_agent(PublicKey::from_base64url(agent, "a1", key).unwrap()).unwrap()
    };
    (!agents.is_empty()).then(|| agents.iter().fold(own(), add))
}

impl RustCaller {
    /// Starts the client of a case with one transport, and its provider with another one.
    pub(super) async fn start(case: &CallerCase, client: Arc<dyn Transport>, provider: Arc<dyn Transport>) -> Self {
        let contract = manifest(&case.caller.contract);
        let transports = vec![match client.kind() {
            "nats" => TransportSettings::nats(&[], ADDRESS),
            _ => TransportSettings::memory(ADDRESS),
        }];
        let peers = PeerTable::new().with_manifest(&contract).with_transports(&contract.agent, transports);
        let builder = Client::builder("caller").transport(client).peers(peers);
        let builder = case.caller.retry.iter().fold(builder, |builder, policy| builder.retry(retry(policy)));
        let builder = keys(case).into_iter().fold(builder, ClientBuilder::keys);
        Self { client: builder.build().await.unwrap(), wire: Wire::start(case, provider).await, call: None }
    }
}

impl Caller for RustCaller {
    async fn call(&mut self, call: Call) {
        let client = self.client.clone();
        self.call = Some(tokio::spawn(async move {
            let options = CallOptions::new().timeout(Duration::from_millis(call.timeout_ms));
            let options = call.idempotency_key.into_iter().fold(options, CallOptions::idempotency_key);
            client.call_json_with("echo", "search", &call.payload, &options, CallMode::Sync).await
        }));
    }

    async fn drop_call(&mut self) {
        self.call.take().unwrap().abort();
    }

    async fn close(&mut self) {
        self.client.close();
    }

    async fn next(&mut self, patience: Duration) -> Option<Sent> {
        self.wire.next(patience).await
    }

    async fn answer(&mut self, message: &Value, text: String) {
        self.wire.answer(message, text).await;
    }

    async fn outcome(&mut self) -> Value {
        serde_json::to_value(self.call.take().unwrap().await.unwrap()).unwrap()
    }
}
